-- A number that is connected anew goes on waiting for as long as Meta asked it to, and whoever is known by another name by now
-- has one turn all the same: a lane is a conversation.

alter table send_numbers
  -- Until when Meta asked it to wait, whatever else held it meanwhile.
  add column asked_until timestamptz not null default '-infinity';

-- As in 0008_weather.sql, but for what Meta asked for, which every answer prolongs.
create or replace function send_slow(tenants uuid[], numbers text[], since timestamptz[], until timestamptz[])
returns table (tenant_id uuid, phone_number_id text) language plpgsql as $$
#variable_conflict use_column
declare moment timestamptz := clock_timestamp(); begin
  update send_numbers n
  set asked_until = x.until
  from (
    select u.tenant_id, u.phone_number_id, max(u.until) as until
    from unnest(tenants, numbers, until) as u (tenant_id, phone_number_id, until)
    group by 1, 2
  ) as x
  where n.tenant_id = x.tenant_id and n.phone_number_id = x.phone_number_id and n.asked_until < x.until;
  return query
  update send_numbers n
  set slowed_rate = greatest(1, send_rate(n.rate, n.slowed_rate, n.slowed_at, moment) / 2)::real, slowed_at = x.until,
    throttled_at = moment
  from (
    select u.tenant_id, u.phone_number_id, max(u.since) as since, max(u.until) as until
    from unnest(tenants, numbers, since, until) as u (tenant_id, phone_number_id, since, until)
    group by 1, 2
  ) as x
  where n.tenant_id = x.tenant_id and n.phone_number_id = x.phone_number_id and n.throttled_at < x.since
    and n.rate < 'infinity'
  returning n.tenant_id, n.phone_number_id;
end $$;

-- As in 0008_weather.sql, but that who is held for another reason is asked, too.
create or replace function send_hold_shared(tenant uuid, number text, scope text, attempt uuid, until timestamptz)
returns table (tenant_id uuid, phone_number_id text) language plpgsql as $$
#variable_conflict use_column
declare wide_tenants uuid[]; wide_numbers text[]; began timestamptz; begin
  -- Calls that were under way together are answered alike: who is held already needs no second hold.
  select array_agg(a.tenant_id), array_agg(a.phone_number_id) into wide_tenants, wide_numbers
  from whatsapp_accounts mine
  join whatsapp_accounts a on case scope when 'waba' then a.waba_id = mine.waba_id
    else a.app_id is not distinct from mine.app_id end
  left join send_numbers n on n.tenant_id = a.tenant_id and n.phone_number_id = a.phone_number_id
  where mine.tenant_id = tenant and mine.phone_number_id = number
    and coalesce(n.asked_until, '-infinity') < until - interval '1 s';
  if wide_tenants is null then return; end if;
  select a.started_at into began from send_attempts a where a.tenant_id = tenant and a.id = attempt;
  insert into send_tenants (tenant_id) select distinct t from unnest(wide_tenants) as t order by t on conflict do nothing;
  perform 1 from send_tenants t where t.tenant_id = any(wide_tenants) order by t.tenant_id for no key update;
  insert into send_numbers as n (tenant_id, phone_number_id, hold_until, next_at)
  select u.tenant_id, u.phone_number_id, until, now()
  from unnest(wide_tenants, wide_numbers) as u (tenant_id, phone_number_id)
  on conflict (tenant_id, phone_number_id) do update set hold_until = greatest(n.hold_until, excluded.hold_until);
  return query
  select s.tenant_id, s.phone_number_id
  from send_slow(wide_tenants, wide_numbers, array_fill(coalesce(began, now()), array[cardinality(wide_tenants)]),
    array_fill(until, array[cardinality(wide_tenants)])) as s;
end $$;

-- The number has a token that works: nothing of ours holds it any longer, but Meta may.
create function send_release(tenant uuid, number text) returns void language plpgsql as $$ begin
  perform send_hold(tenant, number, '-infinity');
  update send_numbers n
  set hold_until = n.asked_until
  where n.tenant_id = tenant and n.phone_number_id = number and n.asked_until > now();
end $$;

-- As in 0004_outbox.sql, but for the lane.
create or replace function send_enqueue(tenants uuid[], numbers text[], lanes text[], messages uuid[], due timestamptz[],
  payloads jsonb[], fallbacks jsonb[], callbacks text[], deliveries text[], expiries timestamptz[], correlations uuid[],
  parents bigint[]) returns void language plpgsql as $$
declare moment timestamptz; begin
  insert into send_tenants (tenant_id) select distinct t from unnest(tenants) as t order by t on conflict do nothing;
  perform 1 from send_tenants where tenant_id = any(tenants) order by tenant_id for no key update;
  insert into send_numbers (tenant_id, phone_number_id)
  select distinct t, n from unnest(tenants, numbers) as x (t, n) order by t, n on conflict do nothing;
  -- After the lock: the order of acceptance is the order of the locks.
  moment := clock_timestamp();
  with item as materialized (
    select x.*, greatest(coalesce(x.send_at, moment), moment) as due_at,
      row_number() over (partition by x.tenant_id, x.phone_number_id, x.lane
        order by greatest(coalesce(x.send_at, moment), moment), x.place) = 1 as is_first
    from (
      -- Processes of the version before name the contact.
      select u.tenant_id, u.phone_number_id, case when starts_with(u.lane, 'requeue:') then u.lane
        else coalesce(m.conversation_id::text, u.lane) end as lane, u.message_id, u.send_at, u.payload, u.fallback_template,
        u.callback_data, u.delivery, u.expires_at, u.correlation_id, u.parent_id, u.place
      from unnest(tenants, numbers, lanes, messages, due, payloads, fallbacks, callbacks, deliveries, expiries, correlations,
        parents) with ordinality
        as u (tenant_id, phone_number_id, lane, message_id, send_at, payload, fallback_template, callback_data, delivery,
          expires_at, correlation_id, parent_id, place)
      left join whatsapp_messages m on m.tenant_id = u.tenant_id and m.id = u.message_id
    ) as x
  ),
  -- Not NOT EXISTS: the planner may hash the whole backlog for it.
  ahead as materialized (
    select i.place, i.tenant_id, first.id, first.status = 'pending' and first.due_at > i.due_at as is_overtaken
    from item i
    cross join lateral (
      select o.id, o.status, o.due_at
      from whatsapp_send_outbox o
      where o.tenant_id = i.tenant_id and o.phone_number_id = i.phone_number_id and o.lane = i.lane
        and o.status in ('pending', 'running')
      order by (o.status <> 'running'), o.due_at, o.id
      limit 1
    ) as first
    where i.is_first
  ),
  -- One that is scheduled for later holds back nobody.
  overtaken as (
    update whatsapp_send_outbox o
    set lane_head = false
    from ahead a
    where a.is_overtaken and o.tenant_id = a.tenant_id and o.id = a.id
  )
  insert into whatsapp_send_outbox (tenant_id, phone_number_id, lane, message_id, next_run_at, due_at, lane_head, payload,
    fallback_template, callback_data, delivery, expires_at, correlation_id, parent_id)
  select i.tenant_id, i.phone_number_id, i.lane, i.message_id, i.due_at, i.due_at,
    i.is_first and coalesce(a.is_overtaken, true), i.payload, i.fallback_template, i.callback_data, i.delivery,
    i.expires_at, i.correlation_id, i.parent_id
  from item i
  left join ahead a using (place)
  order by i.place;
  -- One second of head start: who was idle does not wait a lap of the ring.
  update send_numbers n
  set next_at = moment - interval '1 s'
  from (select distinct t, number from unnest(tenants, numbers) as x (t, number)) as x
  where n.tenant_id = x.t and n.phone_number_id = x.number and n.next_at > moment;
  perform send_wake(tenants, moment - interval '1 s');
end $$;

-- Two conversations became one: what waits in both has one turn. To be called last in its transaction, as everything that
-- takes the tenant's lock.
create function send_join_lanes(tenant uuid, winner uuid, loser uuid) returns void language plpgsql as $$
declare number text; begin
  select c.phone_number_id into number from whatsapp_conversations c where c.tenant_id = tenant and c.id = winner;
  perform 1 from send_tenants t where t.tenant_id = tenant for no key update;
  update whatsapp_send_outbox o
  set lane = winner::text
  where o.tenant_id = tenant and o.phone_number_id = number and o.lane = loser::text and o.status in ('pending', 'running');
  if not found then return; end if;
  update whatsapp_send_outbox o
  set lane_head = false
  where o.tenant_id = tenant and o.phone_number_id = number and o.lane = winner::text and o.status in ('pending', 'running')
    and o.lane_head and o.id <> (
      select w.id
      from whatsapp_send_outbox w
      where w.tenant_id = tenant and w.phone_number_id = number and w.lane = winner::text
        and w.status in ('pending', 'running')
      order by (w.status <> 'running'), w.due_at, w.id
      limit 1);
end $$;

do $$
declare name text;
begin
  foreach name in array array['send_enqueue', 'send_slow', 'send_hold_shared', 'send_join_lanes'] loop
    execute format('alter function %I set plan_cache_mode = force_generic_plan set enable_seqscan = off '
      'set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off', name);
  end loop;
end $$;

comment on column whatsapp_send_outbox.lane is
  'Whose turn it is: the conversation, which stays the same when its contact gets another name. A re-queued row has a lane of its own.';
