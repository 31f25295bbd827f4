-- A send whose answer was lost: what proves that Meta has it, how long that is waited for, and what follows from either.

alter table send_attempts
  -- Meta accepted this one although it had accepted another attempt at the same message.
  add column duplicate_confirmed_at timestamptz;
create index send_attempts_doubled on send_attempts (wamid) where duplicate_confirmed_at is not null;
alter table whatsapp_messages add column duplicate_confirmed_at timestamptz;

-- `resolved`: the message turned out to be with Meta, or a person says so.
alter table dead_letters
  drop constraint dead_letters_state_check,
  add constraint dead_letters_state_check check (state in ('open', 'requeued', 'discarded', 'resolved'));

-- Since when the token is what it is, or is good again: what Meta said of an earlier one says nothing of this one. By a
-- trigger, so that nobody who changes a token has to remember.
alter table whatsapp_accounts add column token_set_at timestamptz not null default clock_timestamp();
create function keep_token_time() returns trigger language plpgsql as $$ begin
  if new.access_token <> old.access_token or (new.auth_status = 'ok' and old.auth_status <> 'ok') then
    new.token_set_at := clock_timestamp();
  end if;
  return new;
end $$;
create trigger whatsapp_accounts_token_time before update on whatsapp_accounts
  for each row execute function keep_token_time();

-- Numbers that Meta knows under another name (Brazil, Mexico): as callers write them, and whom they reach.
create table whatsapp_contact_aliases (
  tenant_id uuid not null references tenants,
  wa_id text not null,
  contact_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, wa_id),
  foreign key (tenant_id, contact_id) references whatsapp_contacts (tenant_id, id)
);
create index whatsapp_contact_aliases_of_contact on whatsapp_contact_aliases (tenant_id, contact_id);

-- Whether a status that was sent to us would be known by now. Receiving processes keep this up to date (inbox/watch.ts).
create table inbox_watch (
  is_only boolean primary key default true check (is_only),
  -- Null before the first.
  seen_at timestamptz,
  -- Webhooks are received, and processed in time, without a break since then; null: not now.
  steady_since timestamptz
) with (fillfactor = 50);
insert into inbox_watch default values;

-- Something that came before this moment is not processed yet.
create function inbox_is_behind(received_before timestamptz) returns boolean language sql stable
return exists (
  select
  from whatsapp_webhook_events e
  where e.status in ('pending', 'processing') and e.received_at < received_before);

-- A look at the inbox. A break since the last one counts as time in which nothing was received: Meta may hold back what
-- it could not deliver.
create function inbox_beat(received_before timestamptz, longest_break interval) returns void language plpgsql as $$ begin
  update inbox_watch w
  set seen_at = now(),
    steady_since = case
      when inbox_is_behind(received_before) then null
      when w.seen_at > now() - longest_break then coalesce(w.steady_since, now())
      else now() end;
end $$;

-- Null while it cannot be said that what was sent to us is known.
create function inbox_steady_since(received_before timestamptz, longest_break interval) returns timestamptz
language sql stable
return (
  select w.steady_since
  from inbox_watch w
  where w.seen_at > now() - longest_break and not inbox_is_behind(received_before));

-- Ends what waits although Meta has it: an attempt at the message is proven. What is under way is left to its sender. The
-- first look is without the tenants' locks, because there is seldom anything to do. (As in acceptedAs of
-- outbox/send-queries.ts: an attempt of an earlier row that failed later is why there is this row.)
create function send_confirm(tenants uuid[], messages uuid[]) returns table (tenant_id uuid, id bigint)
language plpgsql as $$
#variable_conflict use_column
declare found_tenants uuid[]; found_ids bigint[]; gone record; begin
  select array_agg(o.tenant_id), array_agg(o.id) into found_tenants, found_ids
  from unnest(tenants, messages) as m (tenant_id, id)
  join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
  where o.status = 'pending' and exists (
    select
    from whatsapp_send_outbox every
    join send_attempts a on a.tenant_id = every.tenant_id and a.outbox_id = every.id
    where every.tenant_id = o.tenant_id and every.message_id = o.message_id and a.wamid is not null
      and (every.id = o.id or not exists (
        select
        from whatsapp_message_statuses s
        where s.tenant_id = a.tenant_id and s.wamid = a.wamid and s.status = 'failed')));
  if found_ids is null then return; end if;
  perform 1 from send_tenants t where t.tenant_id = any(found_tenants) order by t.tenant_id for no key update;
  for gone in
    update whatsapp_send_outbox o
    set status = 'done', last_error = null, updated_at = now()
    from unnest(found_tenants, found_ids) as f (tenant_id, id)
    where o.tenant_id = f.tenant_id and o.id = f.id and o.status = 'pending'
    returning o.tenant_id, o.id, o.phone_number_id, o.lane, o.lane_head
  loop
    if gone.lane_head then
      update whatsapp_send_outbox o set lane_head = false where o.tenant_id = gone.tenant_id and o.id = gone.id;
      with heir as (
        update whatsapp_send_outbox o
        set lane_head = true
        where o.tenant_id = gone.tenant_id and o.id = (
          select w.id
          from whatsapp_send_outbox w
          where w.tenant_id = gone.tenant_id and w.phone_number_id = gone.phone_number_id and w.lane = gone.lane
            and w.status in ('pending', 'running')
          order by (w.status <> 'running'), w.due_at, w.id
          limit 1)
        returning o.next_run_at
      )
      update send_numbers n
      set next_at = heir.next_run_at
      from heir
      where n.tenant_id = gone.tenant_id and n.phone_number_id = gone.phone_number_id and n.next_at > heir.next_run_at;
    end if;
    tenant_id := gone.tenant_id;
    id := gone.id;
    return next;
  end loop;
  perform send_wake(found_tenants, now());
end $$;

-- What dead processes held: whether Meta has it is not known, so it waits as every such send does: as long as its policy
-- says (seconds after the first failure, the second …), and for evidence. Counted from the end of the lease: nobody begins
-- a POST after it. (The function of that name with one argument stays for processes of the version before.)
create function send_reap(reconcile interval, default_policy text, standard_seconds int[], patient_seconds int[])
returns table (tenant_id uuid, id bigint, message_id uuid) language plpgsql as $$
#variable_conflict use_column
declare dead bigint[]; held record; begin
  select array_agg(d.id) into dead
  from (select w.id from send_workers w where w.alive_until < now() order by w.id for update skip locked) as d;
  if dead is null then return; end if;
  select array_agg(o.tenant_id) as tenants, array_agg(o.id) as ids, array_agg(o.attempt_id) as attempts,
    array_agg(o.message_id) as messages, count(*)::int as count,
    array_agg(w.alive_until) as ended_at,
    array_agg(w.alive_until + greatest(reconcile, make_interval(secs => case coalesce(c.retry_policy, default_policy)
      when 'patient' then patient_seconds[least(o.attempts + 1, cardinality(patient_seconds))]
      else standard_seconds[least(o.attempts + 1, cardinality(standard_seconds))] end))) as run_at
  into held
  from whatsapp_send_outbox o
  join tenants c on c.id = o.tenant_id
  join send_workers w on w.id = o.worker_id
  where o.status = 'running' and o.worker_id = any(dead);
  if held.count > 0 then
    update send_attempts a
    set finished_at = greatest(d.ended_at, a.started_at), outcome = 'unknown', error_message = 'the worker died'
    from unnest(held.attempts, held.ended_at) as d (id, ended_at)
    where a.id = d.id and a.finished_at is null;
    return query
    select o.tenant_id, s.id, o.message_id
    from send_settle(held.tenants, held.ids, held.attempts, array_fill('pending'::text, array[held.count]),
      array_fill(1, array[held.count]), array_fill('the worker died'::text, array[held.count]), held.run_at) as s
    join unnest(held.tenants, held.ids, held.messages) as o (tenant_id, id, message_id) on o.id = s.id;
  end if;
  delete from send_workers w where w.id = any(dead);
end $$;

create policy own_tenant on whatsapp_contact_aliases to estafet_tenant using (tenant_id = current_tenant())
  with check (tenant_id = current_tenant());
do $$
declare name text;
begin
  foreach name in array array['whatsapp_contact_aliases', 'inbox_watch'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
