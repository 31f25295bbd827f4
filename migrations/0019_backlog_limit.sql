-- How many messages of a tenant may wait to be sent, and secrets that are sealed anew under another key.

alter table tenants add column max_queued int check (max_queued between 1 and 1000000);

-- A bound, not a counter: as many as were counted, and all that were added since. Those that left are not taken off, so
-- nothing can be forgotten; when the bound reaches the limit, the rows are counted again. It is written under the tenant's
-- lock, which whoever adds rows has anyway. Null: to be counted before it is relied on.
alter table send_tenants
  add column queued bigint,
  -- Counting again must wait until then: what a full tenant still tries to send must not cost a count each time.
  add column recount_at timestamptz not null default '-infinity';
alter table send_tenants alter column queued set default 0;

create function bound_queued() returns trigger language plpgsql as $$ begin
  update send_tenants s
  set queued = s.queued + a.count
  from (select n.tenant_id, count(*) as count from added n group by 1) as a
  where s.tenant_id = a.tenant_id;
  return null;
end $$;
create trigger bound_queued after insert on whatsapp_send_outbox
  referencing new table as added for each statement execute function bound_queued();

-- Counts what waits for those of these tenants whose turn it is, up to one more than each may have. 50 µs of rest a row, some
-- fifty times what counting it takes: so a tenant at its limit costs 2 % of a core at most, whatever it tries. For as long
-- (5 s at 100,000) it may be refused though something left: a short queue is as good as always counted afresh.
create function send_recount(tenants uuid[], default_max int) returns void language plpgsql as $$
declare one record; counted bigint; begin
  for one in
    select s.tenant_id, coalesce(t.max_queued, default_max) as max
    from send_tenants s
    join tenants t on t.id = s.tenant_id
    where s.tenant_id = any(tenants) and (s.queued is null or s.recount_at <= clock_timestamp())
    order by s.tenant_id
    for no key update of s
  loop
    -- After the lock, in a statement of its own: exact.
    select count(*) into counted
    from (
      select
      from whatsapp_send_outbox o
      where o.tenant_id = one.tenant_id and o.status in ('pending', 'running')
      limit one.max + 1
    ) as waiting;
    update send_tenants s
    set queued = counted, recount_at = clock_timestamp() + counted * interval '50 us'
    where s.tenant_id = one.tenant_id;
  end loop;
end $$;
alter function send_recount set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off;

-- The same token under another key (secrets/reseal.ts) is no news: neither its time nor an event tells of it. Only who
-- seals anew sets this, and only in that transaction.
create function is_resealing() returns boolean language sql stable as $$
  select coalesce(current_setting('estafet.resealing', true), '') = 'on'
$$;

create or replace function keep_token_time() returns trigger language plpgsql as $$ begin
  if (new.access_token <> old.access_token and not is_resealing())
    or (new.auth_status = 'ok' and old.auth_status <> 'ok') then
    new.token_set_at := clock_timestamp();
  end if;
  return new;
end $$;

drop trigger tell_account_change on whatsapp_accounts;
create trigger tell_account_change after update on whatsapp_accounts for each row
  when (new.auth_status <> old.auth_status or new.templates_auth_status <> old.templates_auth_status
    or new.waba_id <> old.waba_id
    or new.display_phone_number <> old.display_phone_number
    or (new.access_token <> old.access_token and not is_resealing()))
  execute function tell_account();
