-- The outbox: what is to be sent, by whom, in which order, and every attempt at it.
--
-- One row per tenant is the lock and the alarm clock; one row per number is its alarm, hold and pace; a lane is a flag on
-- the first live row of (number, recipient). No counters, no per-job leases: what can be derived is derived from rows under
-- one lock. What a maintainer must know:
--   1 Whoever changes a tenant's queue first locks its send_tenants row; several in tenant_id order. Claim skips locked ones.
--     Nothing else is waited for, so there is no second lock order.
--   2 Lock in one statement, count in the next: under READ COMMITTED the next one has a newer snapshot, so a cap counted
--     from `running` rows is exact. Never fold claim into one statement.
--   3 lane_head marks the first live row of its lane, and only that one can be claimed. A retry holds its own recipient.
--   4 next_at is never later than the moment something can be claimed; it may be earlier. Only claim moves it later.
--   5 The attempt id is the fence: null unless running; claim writes it with the attempt's row, settle must name it.
--   6 The lease is the process: one send_workers row, one heartbeat for everything it holds.

create table whatsapp_send_outbox (
  id bigint generated always as identity,
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  message_id uuid not null,
  -- The row that died and was re-queued as this one.
  parent_id bigint,
  status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
  -- Failed ones.
  attempts int not null default 0,
  next_run_at timestamptz not null,
  last_error text,
  -- Whose turn it is: the recipient. A re-queued row has a lane of its own, so that it holds back nobody.
  lane text not null,
  -- When it was due at acceptance: the order within its lane.
  due_at timestamptz not null,
  lane_head boolean not null,
  attempt_id uuid,
  worker_id bigint,
  -- What is posted to Meta, without what names the attempt.
  payload jsonb not null,
  fallback_template jsonb,
  callback_data text,
  delivery text not null default 'at_least_once' check (delivery in ('at_least_once', 'at_most_once')),
  expires_at timestamptz,
  correlation_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  foreign key (tenant_id, message_id) references whatsapp_messages (tenant_id, id),
  check ((attempt_id is not null) = (status = 'running'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 200000, autovacuum_vacuum_cost_delay = 0);
create index whatsapp_send_outbox_claim on whatsapp_send_outbox (tenant_id, phone_number_id, next_run_at, id)
  where status = 'pending' and lane_head;
-- A running row first, whatever the clocks said: nothing overtakes what is on its way.
create index whatsapp_send_outbox_lane
  on whatsapp_send_outbox (tenant_id, phone_number_id, lane, (status <> 'running'), due_at, id)
  where status in ('pending', 'running');
create index whatsapp_send_outbox_running on whatsapp_send_outbox (tenant_id, worker_id) where status = 'running';
-- For retention alone, and almost free.
create index whatsapp_send_outbox_created on whatsapp_send_outbox using brin (created_at);
create index whatsapp_send_outbox_of_message on whatsapp_send_outbox (tenant_id, message_id);

create table send_attempts (
  -- Random, and sent along as biz_opaque_callback_data: a status that carries it proves that Meta accepted this attempt.
  id uuid primary key,
  tenant_id uuid not null references tenants,
  outbox_id bigint not null,
  worker_id bigint not null,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  -- The class of the outcome (meta/outcomes.ts).
  outcome text,
  wamid text,
  status_code int,
  provider_code int,
  provider_subcode int,
  error_message text,
  fbtrace_id text,
  foreign key (tenant_id, outbox_id) references whatsapp_send_outbox (tenant_id, id) on delete cascade
) with (fillfactor = 70);
create index send_attempts_of_outbox on send_attempts (tenant_id, outbox_id, started_at);

create table send_workers (
  id bigint generated always as identity primary key,
  alive_until timestamptz not null
);

create table send_tenants (
  tenant_id uuid primary key references tenants,
  -- Nobody need look at this tenant before then; also its place in the ring.
  next_at timestamptz not null default 'infinity'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index send_tenants_due on send_tenants (next_at);

create table send_numbers (
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  next_at timestamptz not null default 'infinity',
  -- Retry-After, an account in trouble; 'infinity' is parked (needs_reauth).
  hold_until timestamptz not null default '-infinity',
  -- A second, and how much of it is spoken for: the token bucket in one column (GCRA, burst 1 s).
  rate real not null default 80 check (rate > 0),
  paced_until timestamptz not null default '-infinity',
  primary key (tenant_id, phone_number_id)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index send_numbers_due on send_numbers (tenant_id, next_at);

-- What was accepted under a caller's own key; kept for 48 hours.
create table idempotency_keys (
  tenant_id uuid not null references tenants,
  key text not null,
  request_sha256 bytea not null,
  message_id uuid not null,
  conversation_id uuid not null,
  created_at timestamptz not null,
  primary key (tenant_id, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);

alter table whatsapp_messages
  -- When Meta accepted it, and when it ended without that (failed, unknown, cancelled): its timeline where no status tells.
  add column accepted_at timestamptz,
  add column ended_at timestamptz;

alter table dead_letters
  add column outbox_id bigint,
  add column message_id uuid,
  add foreign key (tenant_id, outbox_id) references whatsapp_send_outbox (tenant_id, id);
-- One letter per outbox row: it dies once.
create unique index dead_letters_of_outbox on dead_letters (tenant_id, outbox_id) where outbox_id is not null;

-- Wakes tenants whose locks the caller holds; never later than planned. (plpgsql, not sql: keeps its plan.)
create function send_wake(tenants uuid[], not_before timestamptz) returns void language plpgsql as $$ begin
  update send_tenants t
  set next_at = x.at
  from (
    select y.tenant_id, greatest(not_before, (
      select n.next_at from send_numbers n where n.tenant_id = y.tenant_id order by n.next_at limit 1)) as at
    from send_tenants y
    where y.tenant_id = any(tenants)
  ) as x
  where t.tenant_id = x.tenant_id and t.next_at > x.at;
end $$;

-- To be called last in its transaction: the tenants' locks last until the commit.
create function send_enqueue(tenants uuid[], numbers text[], lanes text[], messages uuid[], due timestamptz[],
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
    from unnest(tenants, numbers, lanes, messages, due, payloads, fallbacks, callbacks, deliveries, expiries, correlations,
      parents) with ordinality
      as x (tenant_id, phone_number_id, lane, message_id, send_at, payload, fallback_template, callback_data, delivery,
        expires_at, correlation_id, parent_id, place)
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

create function send_claim(worker bigint, wanted int, default_cap int, only_id bigint default null)
returns table (id bigint, attempt_id uuid, tenant_id uuid, phone_number_id text, message_id uuid, attempts int,
  payload jsonb, fallback_template jsonb, callback_data text, delivery text, expires_at timestamptz, correlation_id uuid,
  retry_policy text, lane text, created_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare due_tenants uuid[]; number_tenants uuid[]; number_ids text[]; quantum int; begin
  -- send_reap takes this row for update.
  perform 1 from send_workers w where w.id = worker and w.alive_until > now() for key share;
  if not found then raise exception 'the lease of worker % is lost', worker using errcode = 'ES001'; end if;
  -- 1 Lock due tenants, longest waiting first.
  if only_id is null then
    select array_agg(s.tenant_id) into due_tenants
    from (
      select t.tenant_id
      from send_tenants t
      where t.next_at <= now()
      order by t.next_at
      limit greatest(wanted / 4, 8)
      for no key update skip locked
    ) as s;
  else
    select array_agg(s.tenant_id) into due_tenants
    from (
      select t.tenant_id
      from send_tenants t
      where t.tenant_id = (select o.tenant_id from whatsapp_send_outbox o where o.id = only_id)
      for no key update
    ) as s;
  end if;
  if due_tenants is null then return; end if;
  quantum := greatest(4, wanted / cardinality(due_tenants));
  -- 2 Their due numbers, longest waiting first.
  select array_agg(m.tenant_id), array_agg(m.phone_number_id) into number_tenants, number_ids
  from unnest(due_tenants) as t (id)
  cross join lateral (
    select n.tenant_id, n.phone_number_id
    from send_numbers n
    where n.tenant_id = t.id and (n.next_at <= now() or only_id is not null)
    order by n.next_at
    limit quantum
  ) as m;
  -- 3 The first due message of each free lane, within cap, pace and hold; running and attempt in one commit.
  return query
  with room as materialized (
    select t.id as tenant_id, t.retry_policy, least(quantum, case when t.status = 'active' then coalesce(t.max_concurrency, default_cap)
      else 0 end - (
        select count(*) from whatsapp_send_outbox o where o.tenant_id = t.id and o.status = 'running'))::int as room
    from tenants t
    where t.id = any(due_tenants)
  ),
  number as materialized (
    select n.tenant_id, n.phone_number_id, r.room,
      least(r.room, floor(extract(epoch from now() + interval '1 s' - greatest(n.paced_until, now())) * n.rate)::int) as count
    from unnest(number_tenants, number_ids) as u (tenant_id, phone_number_id)
    join send_numbers n on n.tenant_id = u.tenant_id and n.phone_number_id = u.phone_number_id
    join room r on r.tenant_id = n.tenant_id
    where r.room > 0 and n.hold_until <= now()
  ),
  pick as materialized (
    select *
    from (
      select c.id, m.tenant_id, m.phone_number_id, m.room,
        row_number() over (partition by m.tenant_id order by c.next_run_at, c.id) as place
      from number m
      cross join lateral (
        select o.id, o.next_run_at
        from whatsapp_send_outbox o
        where o.tenant_id = m.tenant_id and o.phone_number_id = m.phone_number_id
          and o.status = 'pending' and o.lane_head and o.next_run_at <= now() and (only_id is null or o.id = only_id)
        order by o.next_run_at, o.id
        limit m.count
      ) as c
      where m.count > 0
    ) as ranked
    where place <= room
    order by place
    limit wanted
  ),
  paced as (
    update send_numbers n
    set paced_until = greatest(n.paced_until, now()) + g.count * interval '1 s' / n.rate
    from (select p.tenant_id, p.phone_number_id, count(*) as count from pick p group by 1, 2) as g
    where n.tenant_id = g.tenant_id and n.phone_number_id = g.phone_number_id
  ),
  run as (
    update whatsapp_send_outbox o
    set status = 'running', attempt_id = gen_random_uuid(), worker_id = worker, updated_at = now()
    from pick p
    where o.tenant_id = p.tenant_id and o.id = p.id
    returning o.id, o.attempt_id, o.tenant_id, o.phone_number_id, o.message_id, o.attempts, o.payload, o.fallback_template,
      o.callback_data, o.delivery, o.expires_at, o.correlation_id, o.lane, o.created_at
  ),
  attempt as (
    insert into send_attempts (id, tenant_id, outbox_id, worker_id)
    select run.attempt_id, run.tenant_id, run.id, worker from run
  )
  select run.id, run.attempt_id, run.tenant_id, run.phone_number_id, run.message_id, run.attempts, run.payload,
    run.fallback_template, run.callback_data, run.delivery, run.expires_at, run.correlation_id, r.retry_policy, run.lane,
    run.created_at
  from run join room r on r.tenant_id = run.tenant_id;
  -- 4 Re-arm: the only place where an alarm moves later.
  update send_numbers n
  set next_at = greatest(clock_timestamp(), n.hold_until, n.paced_until - interval '1 s' + interval '1 s' / n.rate, coalesce((
    select o.next_run_at
    from whatsapp_send_outbox o
    where o.tenant_id = n.tenant_id and o.phone_number_id = n.phone_number_id and o.status = 'pending' and o.lane_head
    order by o.next_run_at
    limit 1), 'infinity'))
  from unnest(number_tenants, number_ids) as u (tenant_id, phone_number_id)
  where n.tenant_id = u.tenant_id and n.phone_number_id = u.phone_number_id;
  update send_tenants t
  set next_at = case
    when (select count(*) from whatsapp_send_outbox o where o.tenant_id = t.tenant_id and o.status = 'running') >= (
      select case when c.status = 'active' then coalesce(c.max_concurrency, default_cap) else 0 end
      from tenants c where c.id = t.tenant_id)
    then 'infinity'
    else greatest(clock_timestamp(), (
      select n.next_at from send_numbers n where n.tenant_id = t.tenant_id order by n.next_at limit 1)) end
  where t.tenant_id = any(due_tenants);
end $$;

-- Ends attempts: `done`, `failed`, or `pending` again at a time. Returns those that were still ours to end.
create function send_settle(tenants uuid[], ids bigint[], attempt_ids uuid[], states text[], failures int[], errors text[],
  run_at timestamptz[]) returns table (id bigint) language plpgsql as $$
#variable_conflict use_column
begin
  perform 1 from send_tenants t where t.tenant_id = any(tenants) order by t.tenant_id for no key update;
  return query
  with item as materialized (
    select * from unnest(tenants, ids, attempt_ids, states, failures, errors, run_at)
      as x (tenant_id, id, attempt_id, state, failures, error, run_at)
  ),
  -- The attempt alone is the fence. (`and status = 'running'` would make the planner walk the running index per row.)
  settled as (
    update whatsapp_send_outbox o
    set status = x.state, lane_head = (x.state = 'pending'), attempt_id = null, worker_id = null, last_error = x.error,
      attempts = o.attempts + x.failures, next_run_at = coalesce(x.run_at, o.next_run_at), updated_at = now()
    from item x
    where o.tenant_id = x.tenant_id and o.id = x.id and o.attempt_id = x.attempt_id
    returning o.id, o.tenant_id, o.phone_number_id, o.lane, o.next_run_at, x.state
  ),
  next as (
    update whatsapp_send_outbox o
    set lane_head = true
    from (
      select s.tenant_id, (
        select w.id
        from whatsapp_send_outbox w
        where w.tenant_id = s.tenant_id and w.phone_number_id = s.phone_number_id and w.lane = s.lane
          and w.status in ('pending', 'running') and w.id <> s.id
        order by (w.status <> 'running'), w.due_at, w.id
        limit 1) as id
      from settled s
      where s.state <> 'pending'
    ) as q
    where o.tenant_id = q.tenant_id and o.id = q.id
    returning o.tenant_id, o.phone_number_id, o.next_run_at
  ),
  alarm as (
    update send_numbers n
    set next_at = g.at
    from (
      select z.tenant_id, z.phone_number_id, min(z.next_run_at) as at
      from (
        select tenant_id, phone_number_id, next_run_at from next
        union all
        select tenant_id, phone_number_id, next_run_at from settled where state = 'pending'
      ) as z
      group by 1, 2
    ) as g
    where n.tenant_id = g.tenant_id and n.phone_number_id = g.phone_number_id and n.next_at > g.at
  )
  select settled.id from settled;
  perform send_wake(tenants, now());
end $$;

-- Takes one that waits out of the queue. False when it is on its way, or gone already.
create function send_withdraw(tenant uuid, withdrawn bigint, reason text) returns boolean language plpgsql as $$
declare gone record; heir record; begin
  perform 1 from send_tenants t where t.tenant_id = tenant for no key update;
  update whatsapp_send_outbox o
  set status = 'failed', last_error = reason, updated_at = now()
  where o.tenant_id = tenant and o.id = withdrawn and o.status = 'pending'
  returning o.phone_number_id, o.lane, o.lane_head into gone;
  if not found then return false; end if;
  if gone.lane_head then
    update whatsapp_send_outbox o set lane_head = false where o.tenant_id = tenant and o.id = withdrawn;
    update whatsapp_send_outbox o
    set lane_head = true
    where o.tenant_id = tenant and o.id = (
      select w.id
      from whatsapp_send_outbox w
      where w.tenant_id = tenant and w.phone_number_id = gone.phone_number_id and w.lane = gone.lane
        and w.status in ('pending', 'running')
      order by (w.status <> 'running'), w.due_at, w.id
      limit 1)
    returning o.next_run_at into heir;
    update send_numbers n
    set next_at = least(n.next_at, heir.next_run_at)
    where n.tenant_id = tenant and n.phone_number_id = gone.phone_number_id;
    perform send_wake(array[tenant], now());
  end if;
  return true;
end $$;

-- What dead processes held: whether Meta has it is not known, so it waits before it is tried again.
create function send_reap(reconcile interval) returns table (tenant_id uuid, id bigint) language plpgsql as $$
#variable_conflict use_column
declare dead bigint[]; held record; begin
  select array_agg(d.id) into dead
  from (select w.id from send_workers w where w.alive_until < now() order by w.id for update skip locked) as d;
  if dead is null then return; end if;
  select array_agg(o.tenant_id) as tenants, array_agg(o.id) as ids, array_agg(o.attempt_id) as attempts, count(*)::int as count
  into held
  from whatsapp_send_outbox o
  where o.status = 'running' and o.worker_id = any(dead);
  if held.count > 0 then
    update send_attempts a
    set finished_at = now(), outcome = 'unknown', error_message = 'the worker died'
    where a.id = any(held.attempts) and a.finished_at is null;
    return query
    select o.tenant_id, s.id
    from send_settle(held.tenants, held.ids, held.attempts, array_fill('pending'::text, array[held.count]),
      array_fill(1, array[held.count]), array_fill('the worker died'::text, array[held.count]),
      array_fill(now() + reconcile, array[held.count])) as s
    join unnest(held.tenants, held.ids) as o (tenant_id, id) on o.id = s.id;
  end if;
  delete from send_workers w where w.id = any(dead);
end $$;

-- Retry-After and trouble (a time), parked ('infinity'), released ('-infinity').
create function send_hold(tenant uuid, number text, until timestamptz) returns void language plpgsql as $$ begin
  insert into send_tenants (tenant_id) values (tenant) on conflict do nothing;
  perform 1 from send_tenants t where t.tenant_id = tenant for no key update;
  insert into send_numbers (tenant_id, phone_number_id, hold_until, next_at) values (tenant, number, until, now())
  on conflict (tenant_id, phone_number_id)
  -- A shorter hold does not end a longer one: only a release does.
  do update set next_at = least(send_numbers.next_at, greatest(excluded.hold_until, now())),
    hold_until = case when excluded.hold_until = '-infinity' then excluded.hold_until
      else greatest(send_numbers.hold_until, excluded.hold_until) end;
  perform send_wake(array[tenant], now());
end $$;

-- The net under the alarms: wakes what is overdue by 5 s, after somebody's hand in the tables. Normally finds nothing.
create function send_sweep(default_cap int) returns int language plpgsql as $$
declare number_tenants uuid[]; number_ids text[]; overdue uuid[]; begin
  select array_agg(n.tenant_id), array_agg(n.phone_number_id) into number_tenants, number_ids
  from send_numbers n
  cross join lateral (
    select 1
    from whatsapp_send_outbox o
    where o.tenant_id = n.tenant_id and o.phone_number_id = n.phone_number_id and o.status = 'pending' and o.lane_head
      and o.next_run_at < now() - interval '5 s'
    order by o.next_run_at
    limit 1
  ) as head
  where n.next_at > now() and n.hold_until <= now() and n.paced_until <= now();
  select coalesce(number_tenants, '{}') || coalesce(array_agg(t.tenant_id), '{}') into overdue
  from send_tenants t
  join tenants c on c.id = t.tenant_id
  where t.next_at > now()
    and (select n.next_at from send_numbers n where n.tenant_id = t.tenant_id order by n.next_at limit 1)
      < now() - interval '5 s'
    and case when c.status = 'active' then coalesce(c.max_concurrency, default_cap) else 0 end > (
      select count(*) from whatsapp_send_outbox o where o.tenant_id = t.tenant_id and o.status = 'running');
  if overdue = '{}' then return 0; end if;
  perform 1 from send_tenants t where t.tenant_id = any(overdue) order by t.tenant_id for no key update;
  update send_numbers n
  set next_at = now()
  from unnest(number_tenants, number_ids) as u (tenant_id, phone_number_id)
  where n.tenant_id = u.tenant_id and n.phone_number_id = u.phone_number_id and n.next_at > now();
  perform send_wake(overdue, now());
  return cardinality(overdue);
end $$;

-- One generic plan per statement, never dependent on statistics: array arguments otherwise make plpgsql plan every call anew
-- (4× slower), and a plan made while a table was small would scan it whole later.
do $$
declare name text;
begin
  foreach name in array array['send_enqueue', 'send_claim', 'send_settle', 'send_withdraw'] loop
    execute format('alter function %I set plan_cache_mode = force_generic_plan set enable_seqscan = off '
      'set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off', name);
  end loop;
end $$;

do $$
declare
  tenant_tables text[] := array['whatsapp_send_outbox', 'send_attempts', 'send_tenants', 'send_numbers', 'idempotency_keys'];
  name text;
begin
  foreach name in array tenant_tables loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
-- Of no tenant: processes.
alter table send_workers enable row level security;
alter table send_workers force row level security;
create policy all_tenants on send_workers to estafet_system using (true) with check (true);
grant select, insert, update, delete on send_workers to estafet_system;
grant select on whatsapp_send_outbox, send_attempts, idempotency_keys to estafet_tenant;
