-- What happened, told to the tenant's application: events, who wants them, and every attempt to deliver them.
--
-- Triggers record events, not calls: whoever changes a message, a conversation, an account or a dead letter cannot forget
-- to tell, and the event commits with its cause. Recording takes no lock. What a maintainer must know:
--   1 An event gets its place (position) after its commit, by events_route under the tenant's lock: a reader who has seen
--     a position has seen all smaller ones, in whatever order the causes committed. Deliveries are made in the same step.
--   2 Deliveries are a queue of the same design as migrations/0004_outbox.sql, whose rules hold here: event_tenants is the
--     lock and alarm, event_queues the alarm and hold of one endpoint, a lane is (endpoint, conversation), the attempt id
--     is the fence, the lease is the process's row in send_workers.
--   3 The cap is per endpoint, and 1 while it fails: an endpoint that hangs takes no room from the others.
--   4 Locks: this queue's tenants come after everything else, send_tenants too.

create function public_id(prefix text, id uuid) returns text immutable language sql
  return prefix || '_' || replace(id::text, '-', '');
create function rfc3339(at timestamptz) returns text stable language sql
  return to_char(at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

create table events (
  tenant_id uuid not null,
  id uuid not null default gen_random_uuid(),
  -- The order in which they were recorded; of what concerns one conversation also the order of the commits.
  arrival bigint generated always as identity,
  -- The order in which they are told, per tenant and without gaps; null until then.
  position bigint,
  type text not null,
  -- Whose turn it is: the conversation, or the thing itself.
  lane text not null,
  phone_number_id text,
  data jsonb not null,
  -- A test is for one endpoint alone.
  only_endpoint uuid,
  created_at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- When messages of an http responder's answer were queued: once.
  replied_at timestamptz,
  primary key (tenant_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
create index events_to_route on events (tenant_id, arrival) where position is null;
create unique index events_told on events (tenant_id, position) where position is not null;
create index events_created on events using brin (created_at);

create table event_endpoints (
  tenant_id uuid not null references tenants,
  id uuid not null,
  url text not null,
  description text not null default '',
  -- Event types, or '*'.
  events text[] not null check (cardinality(events) > 0),
  status text not null default 'active' check (status in ('active', 'paused', 'disabled')),
  disabled_reason text,
  disabled_at timestamptz,
  -- Sealed. The old one signs too until its time is over.
  secret text not null,
  old_secret text,
  old_secret_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  check ((old_secret is null) = (old_secret_until is null))
);

-- Whose answers to message.received become messages: at most one endpoint per account.
create table event_responders (
  tenant_id uuid not null,
  account_id uuid not null,
  endpoint_id uuid not null,
  primary key (tenant_id, account_id),
  foreign key (tenant_id, account_id) references whatsapp_accounts (tenant_id, id) on delete cascade,
  foreign key (tenant_id, endpoint_id) references event_endpoints (tenant_id, id) on delete cascade
);
create index event_responders_of_endpoint on event_responders (tenant_id, endpoint_id);

create table event_deliveries (
  id bigint generated always as identity,
  tenant_id uuid not null,
  endpoint_id uuid not null,
  event_id uuid not null,
  -- The event's: the order within the lane, also when it is replayed.
  position bigint not null,
  lane text not null,
  -- Whether messages in the answer are wanted.
  asks boolean not null default false,
  status text not null default 'pending' check (status in ('pending', 'running', 'done', 'failed')),
  -- Failed ones since it was last queued.
  attempts int not null default 0,
  next_run_at timestamptz not null,
  last_error text,
  lane_head boolean not null,
  attempt_id uuid,
  worker_id bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (tenant_id, id),
  unique (tenant_id, endpoint_id, event_id),
  check ((attempt_id is not null) = (status = 'running'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0);
create index event_deliveries_claim on event_deliveries (tenant_id, endpoint_id, next_run_at, id)
  where status = 'pending' and lane_head;
create index event_deliveries_lane on event_deliveries (tenant_id, endpoint_id, lane, (status <> 'running'), position)
  where status in ('pending', 'running');
create index event_deliveries_running on event_deliveries (tenant_id, endpoint_id) where status = 'running';
create index event_deliveries_recent on event_deliveries (tenant_id, endpoint_id, position desc);
create index event_deliveries_of_event on event_deliveries (tenant_id, event_id);
create index event_deliveries_created on event_deliveries using brin (created_at);

create table event_attempts (
  id uuid not null,
  tenant_id uuid not null,
  delivery_id bigint not null,
  worker_id bigint not null,
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  status_code int,
  error_code text,
  duration_ms int,
  primary key (tenant_id, id)
) with (fillfactor = 80);
create index event_attempts_started on event_attempts using brin (started_at);
create index event_attempts_of_delivery on event_attempts (tenant_id, delivery_id, started_at);

create table event_tenants (
  tenant_id uuid primary key,
  -- Of the newest event that has its place.
  last_position bigint not null default 0,
  next_at timestamptz not null default 'infinity'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index event_tenants_due on event_tenants (next_at);

create table event_queues (
  tenant_id uuid not null,
  endpoint_id uuid not null,
  next_at timestamptz not null default 'infinity',
  -- Retry-After, trouble; 'infinity' is paused or disabled.
  hold_until timestamptz not null default '-infinity',
  -- In a row, and since when.
  failures int not null default 0,
  failing_since timestamptz,
  last_success_at timestamptz,
  primary key (tenant_id, endpoint_id),
  foreign key (tenant_id, endpoint_id) references event_endpoints (tenant_id, id) on delete cascade
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
create index event_queues_due on event_queues (tenant_id, next_at);

-- Causes ---------------------------------------------------------------------------------------------------------------

-- History is the past: nobody is to be woken by it.
create function tell_new_messages() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, data)
  select m.tenant_id, case m.direction when 'inbound' then 'message.received' else 'message.echoed' end,
    coalesce(m.conversation_id, m.id)::text, m.phone_number_id,
    jsonb_build_object('message_id', public_id('msg', m.id), 'conversation_id', public_id('conv', m.conversation_id),
      'phone_number_id', m.phone_number_id, 'message_type', m.type, 'occurred_at', rfc3339(m.occurred_at))
  from added m
  where m.origin = 'echo' or (m.origin = 'live' and m.direction = 'inbound')
  order by m.id;
  return null;
end $$;
create trigger tell_new_messages after insert on whatsapp_messages
  referencing new table as added for each statement execute function tell_new_messages();

create function tell_message_statuses() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, data)
  select m.tenant_id, 'message.status', coalesce(m.conversation_id, m.id)::text, m.phone_number_id,
    jsonb_build_object('message_id', public_id('msg', m.id), 'conversation_id', public_id('conv', m.conversation_id),
      'phone_number_id', m.phone_number_id, 'status', m.status, 'client_reference', m.client_reference)
  from changed m
  join former f on f.tenant_id = m.tenant_id and f.id = m.id
  where m.status <> f.status
  order by m.id;
  return null;
end $$;
create trigger tell_message_statuses after update on whatsapp_messages
  referencing old table as former new table as changed for each statement execute function tell_message_statuses();

create function tell_conversation() returns trigger language plpgsql as $$
declare changed text[]; begin
  changed := array_remove(array[
    case when new.status <> old.status then 'status' end,
    case when new.assigned_user_id is distinct from old.assigned_user_id then 'assigned_user_id' end,
    case when new.unread_count = 0 and old.unread_count > 0 then 'unread_count' end,
    case when new.merged_into is distinct from old.merged_into then 'merged_into' end], null);
  insert into events (tenant_id, type, lane, phone_number_id, data)
  values (new.tenant_id, 'conversation.updated', new.id::text, new.phone_number_id,
    jsonb_build_object('conversation_id', public_id('conv', new.id), 'phone_number_id', new.phone_number_id,
      'changed', changed, 'status', new.status, 'assigned_user_id', new.assigned_user_id,
      'merged_into', public_id('conv', new.merged_into)));
  return null;
end $$;
create trigger tell_conversation after update on whatsapp_conversations for each row
  when (new.status <> old.status or new.assigned_user_id is distinct from old.assigned_user_id
    or (new.unread_count = 0 and old.unread_count > 0) or new.merged_into is distinct from old.merged_into)
  execute function tell_conversation();

create function tell_account() returns trigger language plpgsql as $$
declare account whatsapp_accounts; changed text[]; begin
  account := case when tg_op = 'DELETE' then old else new end;
  changed := case tg_op when 'INSERT' then array['connected'] when 'DELETE' then array['disconnected']
    else array_remove(array[
      case when new.auth_status <> old.auth_status then 'auth_status' end,
      case when new.templates_auth_status <> old.templates_auth_status then 'templates_auth_status' end,
      case when new.waba_id <> old.waba_id then 'waba_id' end,
      case when new.display_phone_number <> old.display_phone_number then 'display_phone_number' end,
      case when new.access_token <> old.access_token then 'access_token' end], null) end;
  insert into events (tenant_id, type, lane, phone_number_id, data)
  values (account.tenant_id, 'account.updated', account.id::text, account.phone_number_id,
    jsonb_build_object('account_id', public_id('acc', account.id), 'phone_number_id', account.phone_number_id,
      'waba_id', account.waba_id, 'changed', changed, 'auth_status', account.auth_status,
      'templates_auth_status', account.templates_auth_status));
  return null;
end $$;
create trigger tell_account after insert or delete on whatsapp_accounts for each row execute function tell_account();
create trigger tell_account_change after update on whatsapp_accounts for each row
  when (new.auth_status <> old.auth_status or new.templates_auth_status <> old.templates_auth_status
    or new.waba_id <> old.waba_id
    or new.display_phone_number <> old.display_phone_number or new.access_token <> old.access_token)
  execute function tell_account();

-- What Meta said. People's own matters (preferences, calls, groups) are told where they show: on conversations.
create function tell_account_notice() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, data)
  values (new.tenant_id, case when new.field ~ 'template' then 'template.updated' else 'account.updated' end,
    coalesce(new.phone_number_id, new.waba_id, new.id::text), new.phone_number_id,
    jsonb_build_object('account_event_id', public_id('aev', new.id), 'phone_number_id', new.phone_number_id,
      'waba_id', new.waba_id, 'field', new.field, 'event', new.event, 'occurred_at', rfc3339(new.occurred_at)));
  return null;
end $$;
create trigger tell_account_notice after insert on whatsapp_account_events for each row
  when (new.field !~ '^(user_|calls$|smb_|group_|history$|errors$)') execute function tell_account_notice();

create function tell_dead_letter() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, data)
  values (new.tenant_id, 'dead_letter.created', new.id::text, new.phone_number_id,
    jsonb_build_object('dead_letter_id', public_id('dlq', new.id), 'kind', new.kind, 'error_code', new.error_code,
      'phone_number_id', new.phone_number_id, 'message_id', public_id('msg', new.message_id)));
  return null;
end $$;
create trigger tell_dead_letter after insert on dead_letters for each row
  when (new.tenant_id is not null) execute function tell_dead_letter();

-- The queue ------------------------------------------------------------------------------------------------------------

-- Wakes tenants whose locks the caller holds; never later than planned.
create function delivery_wake(tenants uuid[]) returns void language plpgsql as $$ begin
  update event_tenants t
  set next_at = x.at
  from (
    select y.tenant_id, (
      select q.next_at from event_queues q where q.tenant_id = y.tenant_id order by q.next_at limit 1) as at
    from event_tenants y
    where y.tenant_id = any(tenants)
  ) as x
  where t.tenant_id = x.tenant_id and t.next_at > x.at;
end $$;

-- Gives committed events their place and makes their deliveries: up to so many of each tenant, longest waiting first.
create function events_route(per_tenant int, tenants_at_once int) returns int language plpgsql as $$
declare found_tenants uuid[]; chosen uuid[]; routed int; begin
  with recursive waiting as (
    (select e.tenant_id, e.arrival from events e where e.position is null order by e.tenant_id, e.arrival limit 1)
    union all
    select n.tenant_id, n.arrival
    from waiting w
    cross join lateral (
      select e.tenant_id, e.arrival
      from events e
      where e.position is null and e.tenant_id > w.tenant_id
      order by e.tenant_id, e.arrival
      limit 1
    ) as n
  )
  select array_agg(s.tenant_id) into found_tenants
  from (select tenant_id from waiting order by arrival limit tenants_at_once) as s;
  if found_tenants is null then return 0; end if;
  insert into event_tenants (tenant_id) select t from unnest(found_tenants) as t order by t on conflict do nothing;
  select array_agg(s.tenant_id) into chosen
  from (
    select t.tenant_id
    from event_tenants t
    where t.tenant_id = any(found_tenants)
    order by t.tenant_id
    for no key update skip locked
  ) as s;
  if chosen is null then return 0; end if;
  with item as materialized (
    select e.*, t.last_position + row_number() over (partition by t.tenant_id order by e.arrival) as place
    from event_tenants t
    cross join lateral (
      select n.tenant_id, n.id, n.arrival, n.type, n.lane, n.phone_number_id, n.only_endpoint
      from events n
      where n.tenant_id = t.tenant_id and n.position is null
      order by n.arrival
      limit per_tenant
    ) as e
    where t.tenant_id = any(chosen)
  ),
  placed as (
    update events e set position = i.place from item i where e.tenant_id = i.tenant_id and e.id = i.id
  ),
  counted as (
    update event_tenants t
    set last_position = g.last
    from (select tenant_id, max(place) as last from item group by 1) as g
    where t.tenant_id = g.tenant_id
  ),
  wanted as materialized (
    select i.tenant_id, p.id as endpoint_id, i.id as event_id, i.place, i.lane, r.endpoint_id is not null as asks,
      row_number() over (partition by i.tenant_id, p.id, i.lane order by i.place) = 1 as is_first
    from item i
    join event_endpoints p on p.tenant_id = i.tenant_id
    left join (event_responders r join whatsapp_accounts a on a.tenant_id = r.tenant_id and a.id = r.account_id)
      on i.type = 'message.received' and r.tenant_id = p.tenant_id and r.endpoint_id = p.id
        and a.phone_number_id = i.phone_number_id
    where case when i.only_endpoint is not null then p.id = i.only_endpoint
      else i.type = any(p.events) or '*' = any(p.events) or r.endpoint_id is not null end
  ),
  made as (
    insert into event_deliveries (tenant_id, endpoint_id, event_id, position, lane, asks, next_run_at, lane_head)
    select w.tenant_id, w.endpoint_id, w.event_id, w.place, w.lane, w.asks, now(), w.is_first and not exists (
      select
      from event_deliveries d
      where d.tenant_id = w.tenant_id and d.endpoint_id = w.endpoint_id and d.lane = w.lane
        and d.status in ('pending', 'running'))
    from wanted w
    order by w.tenant_id, w.place
  ),
  alarm as (
    update event_queues q
    set next_at = now() - interval '1 s'
    from (select distinct tenant_id, endpoint_id from wanted) as g
    where q.tenant_id = g.tenant_id and q.endpoint_id = g.endpoint_id and q.next_at > now()
  )
  select count(*) into routed from item;
  perform delivery_wake(chosen);
  return routed;
end $$;

create function delivery_claim(worker bigint, wanted int, cap int)
returns table (id bigint, attempt_id uuid, tenant_id uuid, endpoint_id uuid, event_id uuid, attempts int, asks boolean,
  url text, secret text, old_secret text, old_secret_until timestamptz, type text, data jsonb, phone_number_id text,
  created_at timestamptz)
language plpgsql as $$
#variable_conflict use_column
declare due_tenants uuid[]; queue_tenants uuid[]; queue_ids uuid[]; quantum int; begin
  -- Whoever reaps takes this row for update.
  perform 1 from send_workers w where w.id = worker and w.alive_until > now() for key share;
  if not found then raise exception 'the lease of worker % is lost', worker using errcode = 'ES001'; end if;
  -- 1 Lock due tenants, longest waiting first.
  select array_agg(s.tenant_id) into due_tenants
  from (
    select t.tenant_id
    from event_tenants t
    where t.next_at <= now()
    order by t.next_at
    limit greatest(wanted / 4, 8)
    for no key update skip locked
  ) as s;
  if due_tenants is null then return; end if;
  quantum := greatest(4, wanted / cardinality(due_tenants));
  -- 2 Their due endpoints, longest waiting first.
  select array_agg(m.tenant_id), array_agg(m.endpoint_id) into queue_tenants, queue_ids
  from tenants t
  cross join lateral (
    select q.tenant_id, q.endpoint_id
    from event_queues q
    where q.tenant_id = t.id and q.next_at <= now()
    order by q.next_at
    limit quantum
  ) as m
  where t.id = any(due_tenants) and t.status = 'active';
  -- 3 The first due event of each free lane, within cap and hold; running and attempt in one commit.
  return query
  with queue as materialized (
    select q.tenant_id, q.endpoint_id, least(quantum, case when q.failures >= 3 then 1 else cap end - (
      select count(*)
      from event_deliveries d
      where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = 'running'))::int as room
    from unnest(queue_tenants, queue_ids) as u (tenant_id, endpoint_id)
    join event_queues q on q.tenant_id = u.tenant_id and q.endpoint_id = u.endpoint_id
    where q.hold_until <= now()
  ),
  pick as materialized (
    select *
    from (
      select c.id, q.tenant_id,
        row_number() over (partition by q.tenant_id order by c.next_run_at, c.id) as place
      from queue q
      cross join lateral (
        select d.id, d.next_run_at
        from event_deliveries d
        where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id
          and d.status = 'pending' and d.lane_head and d.next_run_at <= now()
        order by d.next_run_at, d.id
        limit q.room
      ) as c
      where q.room > 0
    ) as ranked
    where place <= quantum
    order by place
    limit wanted
  ),
  run as (
    update event_deliveries d
    set status = 'running', attempt_id = gen_random_uuid(), worker_id = worker, updated_at = now()
    from pick p
    where d.tenant_id = p.tenant_id and d.id = p.id
    returning d.id, d.attempt_id, d.tenant_id, d.endpoint_id, d.event_id, d.attempts, d.asks
  ),
  attempt as (
    insert into event_attempts (id, tenant_id, delivery_id, worker_id)
    select run.attempt_id, run.tenant_id, run.id, worker from run
  )
  select run.id, run.attempt_id, run.tenant_id, run.endpoint_id, run.event_id, run.attempts, run.asks, p.url, p.secret,
    p.old_secret, p.old_secret_until, e.type, e.data, e.phone_number_id, e.created_at
  from run
  left join event_endpoints p on p.tenant_id = run.tenant_id and p.id = run.endpoint_id
  left join events e on e.tenant_id = run.tenant_id and e.id = run.event_id;
  -- 4 Re-arm: the only place where an alarm moves later. One that is full is woken by whoever settles.
  update event_queues q
  set next_at = case
    when (
      select count(*)
      from event_deliveries d
      where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = 'running')
      >= case when q.failures >= 3 then 1 else cap end then 'infinity'
    else greatest(clock_timestamp(), q.hold_until, coalesce((
      select d.next_run_at
      from event_deliveries d
      where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = 'pending' and d.lane_head
      order by d.next_run_at
      limit 1), 'infinity')) end
  from unnest(queue_tenants, queue_ids) as u (tenant_id, endpoint_id)
  where q.tenant_id = u.tenant_id and q.endpoint_id = u.endpoint_id;
  update event_tenants t
  set next_at = case when c.status <> 'active' then 'infinity' else greatest(clock_timestamp(), coalesce((
    select q.next_at from event_queues q where q.tenant_id = t.tenant_id order by q.next_at limit 1), 'infinity')) end
  from tenants c
  where t.tenant_id = any(due_tenants) and c.id = t.tenant_id;
end $$;

-- Ends attempts: `done`, `failed`, or `pending` again at a time. Returns those that were still ours to end.
create function delivery_settle(tenants uuid[], ids bigint[], attempt_ids uuid[], states text[], failures int[],
  errors text[], run_at timestamptz[]) returns table (id bigint) language plpgsql as $$
#variable_conflict use_column
begin
  perform 1 from event_tenants t where t.tenant_id = any(tenants) order by t.tenant_id for no key update;
  return query
  with item as materialized (
    select * from unnest(tenants, ids, attempt_ids, states, failures, errors, run_at)
      as x (tenant_id, id, attempt_id, state, failures, error, run_at)
  ),
  settled as (
    update event_deliveries d
    set status = x.state, lane_head = (x.state = 'pending'), attempt_id = null, worker_id = null, last_error = x.error,
      attempts = d.attempts + x.failures, next_run_at = coalesce(x.run_at, d.next_run_at), updated_at = now()
    from item x
    where d.tenant_id = x.tenant_id and d.id = x.id and d.attempt_id = x.attempt_id
    returning d.id, d.tenant_id, d.endpoint_id, d.lane, x.state
  ),
  next as (
    update event_deliveries d
    set lane_head = true
    from (
      select s.tenant_id, (
        select w.id
        from event_deliveries w
        where w.tenant_id = s.tenant_id and w.endpoint_id = s.endpoint_id and w.lane = s.lane
          and w.status in ('pending', 'running') and w.id <> s.id
        order by (w.status <> 'running'), w.position
        limit 1) as id
      from settled s
      where s.state <> 'pending'
    ) as q
    where d.tenant_id = q.tenant_id and d.id = q.id
  ),
  -- There is room again: what it is good for shows when somebody looks.
  alarm as (
    update event_queues q
    set next_at = now()
    from (select distinct tenant_id, endpoint_id from settled) as g
    where q.tenant_id = g.tenant_id and q.endpoint_id = g.endpoint_id and q.next_at > now()
  )
  select settled.id from settled;
  perform delivery_wake(tenants);
end $$;

-- After somebody's hand in these lanes: the first live row of each is its head, and no other. The caller holds the lock.
create function delivery_heads(tenant uuid, endpoint uuid, lanes text[]) returns void language plpgsql as $$ begin
  update event_deliveries d
  set lane_head = (d.id = f.id)
  from (select distinct l from unnest(lanes) as l) as lane
  cross join lateral (
    select w.id
    from event_deliveries w
    where w.tenant_id = tenant and w.endpoint_id = endpoint and w.lane = lane.l and w.status in ('pending', 'running')
    order by (w.status <> 'running'), w.position
    limit 1
  ) as f
  where d.tenant_id = tenant and d.endpoint_id = endpoint and d.lane = lane.l and d.status in ('pending', 'running')
    and d.lane_head <> (d.id = f.id);
  update event_queues q set next_at = now() where q.tenant_id = tenant and q.endpoint_id = endpoint and q.next_at > now();
  perform delivery_wake(array[tenant]);
end $$;

-- Delivers again, in the old order: by time or by id, the failed ones only or whatever the endpoint wants. What waits
-- already stays as it is. At most so many, the oldest first.
create function delivery_replay(tenant uuid, endpoint uuid, since timestamptz, until timestamptz, only_ids uuid[],
  only_failed boolean, at_most int) returns int language plpgsql as $$
declare touched text[]; begin
  insert into event_tenants (tenant_id) values (tenant) on conflict do nothing;
  perform 1 from event_tenants t where t.tenant_id = tenant for no key update;
  with chosen as materialized (
    select e.id, e.position, e.lane, d.id as delivery_id, r.endpoint_id is not null as asks
    from events e
    join event_endpoints p on p.tenant_id = e.tenant_id and p.id = endpoint
    left join event_deliveries d on d.tenant_id = e.tenant_id and d.endpoint_id = endpoint and d.event_id = e.id
    left join (event_responders r join whatsapp_accounts a on a.tenant_id = r.tenant_id and a.id = r.account_id)
      on e.type = 'message.received' and r.tenant_id = e.tenant_id and r.endpoint_id = endpoint
        and a.phone_number_id = e.phone_number_id
    where e.tenant_id = tenant and e.position is not null
      and coalesce(e.only_endpoint, endpoint) = endpoint
      and (since is null or e.created_at >= since) and (until is null or e.created_at < until)
      and (only_ids is null or e.id = any(only_ids))
      and (d.id is not null or (not only_failed
        and (e.type = any(p.events) or '*' = any(p.events) or r.endpoint_id is not null)))
      and coalesce(d.status, 'none') not in ('pending', 'running')
      and (not only_failed or d.status = 'failed')
    order by e.position
    limit at_most
  ),
  again as (
    update event_deliveries d
    set status = 'pending', lane_head = false, asks = c.asks, attempts = 0, next_run_at = now(), last_error = null,
      updated_at = now()
    from chosen c
    where d.tenant_id = tenant and d.id = c.delivery_id
  ),
  made as (
    insert into event_deliveries (tenant_id, endpoint_id, event_id, position, lane, asks, next_run_at, lane_head)
    select tenant, endpoint, c.id, c.position, c.lane, c.asks, now(), false
    from chosen c
    where c.delivery_id is null
  )
  select array_agg(c.lane) into touched from chosen c;
  if touched is null then return 0; end if;
  perform delivery_heads(tenant, endpoint, touched);
  return cardinality(touched);
end $$;

-- What nobody took within the time that events are kept: a paused endpoint's backlog ends here. Oldest first.
create function delivery_expire(before timestamptz, at_most int) returns int language plpgsql as $$
declare one record; old record; count int := 0; begin
  for one in
    select d.tenant_id, d.endpoint_id
    from event_deliveries d
    where d.created_at < before and d.status = 'pending' and d.updated_at < before
    group by 1, 2
    order by 1, 2
    limit 100
  loop
    perform 1 from event_tenants t where t.tenant_id = one.tenant_id for no key update;
    with gone as (
      update event_deliveries d
      set status = 'failed', lane_head = false, last_error = 'EXPIRED', updated_at = now()
      where d.tenant_id = one.tenant_id and d.id in (
        select o.id
        from event_deliveries o
        where o.tenant_id = one.tenant_id and o.endpoint_id = one.endpoint_id and o.status = 'pending'
          and o.created_at < before and o.updated_at < before
        order by o.position
        limit at_most)
      returning d.lane
    )
    select array_agg(lane) as lanes into old from gone;
    if old.lanes is not null then
      perform delivery_heads(one.tenant_id, one.endpoint_id, old.lanes);
      count := count + cardinality(old.lanes);
    end if;
    exit when count >= at_most;
  end loop;
  return count;
end $$;

-- What dead processes held: whether the endpoint has it is not known, and it hears it again. Whoever reaps senders may
-- have removed the process's row already.
create function delivery_reap() returns table (tenant_id uuid, id bigint) language plpgsql as $$
#variable_conflict use_column
declare dead bigint[]; held record; begin
  select coalesce(array_agg(d.id), '{}') into dead
  from (select w.id from send_workers w where w.alive_until < now() order by w.id for update skip locked) as d;
  select array_agg(d.tenant_id) as tenants, array_agg(d.id) as ids, array_agg(d.attempt_id) as attempts, count(*)::int as count
  into held
  from event_deliveries d
  where d.status = 'running'
    and (d.worker_id = any(dead) or not exists (select from send_workers w where w.id = d.worker_id));
  if held.count = 0 then return; end if;
  update event_attempts a
  set finished_at = now(), error_code = 'WORKER_DIED'
  from unnest(held.tenants, held.attempts) as h (tenant_id, id)
  where a.tenant_id = h.tenant_id and a.id = h.id and a.finished_at is null;
  return query
  select o.tenant_id, s.id
  from delivery_settle(held.tenants, held.ids, held.attempts, array_fill('pending'::text, array[held.count]),
    array_fill(1, array[held.count]), array_fill('WORKER_DIED'::text, array[held.count]),
    array_fill(now(), array[held.count])) as s
  join unnest(held.tenants, held.ids) as o (tenant_id, id) on o.id = s.id;
end $$;

-- Paused ('infinity'), resumed ('-infinity'), and trouble (a time).
create function delivery_hold(tenant uuid, endpoint uuid, until timestamptz) returns void language plpgsql as $$ begin
  insert into event_tenants (tenant_id) values (tenant) on conflict do nothing;
  perform 1 from event_tenants t where t.tenant_id = tenant for no key update;
  update event_queues q
  set next_at = least(q.next_at, greatest(until, now())), hold_until = until
  where q.tenant_id = tenant and q.endpoint_id = endpoint;
  perform delivery_wake(array[tenant]);
end $$;

-- The net under the alarms. Normally finds nothing.
create function delivery_sweep(cap int) returns int language plpgsql as $$
declare queue_tenants uuid[]; queue_ids uuid[]; overdue uuid[]; begin
  select array_agg(q.tenant_id), array_agg(q.endpoint_id) into queue_tenants, queue_ids
  from event_queues q
  cross join lateral (
    select 1
    from event_deliveries d
    where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = 'pending' and d.lane_head
      and d.next_run_at < now() - interval '5 s'
    order by d.next_run_at
    limit 1
  ) as head
  where q.next_at > now() and q.hold_until <= now() and (
    select count(*)
    from event_deliveries d
    where d.tenant_id = q.tenant_id and d.endpoint_id = q.endpoint_id and d.status = 'running')
    < case when q.failures >= 3 then 1 else cap end;
  select coalesce(queue_tenants, '{}') || coalesce(array_agg(t.tenant_id), '{}') into overdue
  from event_tenants t
  join tenants c on c.id = t.tenant_id and c.status = 'active'
  where t.next_at > now()
    and (select q.next_at from event_queues q where q.tenant_id = t.tenant_id order by q.next_at limit 1)
      < now() - interval '5 s';
  if overdue = '{}' then return 0; end if;
  perform 1 from event_tenants t where t.tenant_id = any(overdue) order by t.tenant_id for no key update;
  update event_queues q
  set next_at = now()
  from unnest(queue_tenants, queue_ids) as u (tenant_id, endpoint_id)
  where q.tenant_id = u.tenant_id and q.endpoint_id = u.endpoint_id and q.next_at > now();
  perform delivery_wake(overdue);
  return cardinality(overdue);
end $$;

-- As in 0004: one plan per statement, never dependent on statistics.
do $$
declare name text;
begin
  foreach name in array array['events_route', 'delivery_claim', 'delivery_settle', 'delivery_heads'] loop
    execute format('alter function %I set plan_cache_mode = force_generic_plan set enable_seqscan = off '
      'set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off', name);
  end loop;
end $$;

do $$
declare
  tenant_tables text[] := array['events', 'event_endpoints', 'event_responders', 'event_deliveries', 'event_attempts',
    'event_tenants', 'event_queues'];
  name text;
begin
  foreach name in array tenant_tables loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
    execute format('grant select on %I to estafet_tenant', name);
  end loop;
end $$;
-- The triggers write for whoever acts.
grant insert on events to estafet_tenant;
