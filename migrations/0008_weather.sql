-- Bad weather: a pace that is exact at Meta's end, limits that are learnt from its answers, and circuit breakers.
--
-- What a maintainer must know, besides the rules of 0004_outbox.sql:
--   1 A claim gives each row its own moment to be posted (a slot), one gap after the one before; the worker keeps it, and
--     asks for another when it is late. The gap is 5 % longer than the limit asks for: so, what is posted up to 50 ms after
--     its moment never makes one too many in any second.
--   2 How fast a number may be is a function of time (send_rate): halved by Meta's word, growing back by itself.
--   3 An open circuit is not claimed. When its time is over one row is, while none is on its way: the trial.
--   4 send_host, of which there is one row, is locked after tenants; it is written only when the host's circuit changes.

alter table send_numbers
  -- `rate` is what Meta allows; infinity: not paced. After a throttle answer it was this much, at the hold's end.
  add column slowed_rate real check (slowed_rate > 0),
  add column slowed_at timestamptz,
  -- Answers to calls from before that say nothing new.
  add column throttled_at timestamptz not null default '-infinity',
  add column circuit_open boolean not null default false,
  -- When a trial may be made; and since when the circuit is open.
  add column trial_at timestamptz not null default '-infinity',
  add column opened_at timestamptz not null default '-infinity';
create index send_numbers_open on send_numbers (tenant_id) where circuit_open;

-- What a number owes to one contact: 6 s per message. Forgotten by retention once it is long paid.
create table send_pairs (
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  -- A hash of whom it is sent to.
  pair bigint not null,
  paced_until timestamptz not null,
  primary key (tenant_id, phone_number_id, pair)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0);

-- Calls of a number, in twelfths of the breaker's window; a ring, so nothing is to be cleaned up.
create table send_calls (
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  place int not null,
  starts_at timestamptz not null,
  calls int not null,
  -- Neither answered nor refused: not sent, transient, unknown.
  failures int not null,
  -- Of these, where no connection came about.
  unreachable int not null,
  primary key (tenant_id, phone_number_id, place)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

create table send_host (
  is_only boolean primary key default true check (is_only),
  circuit_open boolean not null default false,
  trial_at timestamptz not null default '-infinity',
  opened_at timestamptz not null default '-infinity'
);
insert into send_host default values;

do $$
declare
  tenant_tables text[] := array['send_pairs', 'send_calls'];
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
-- Of no tenant: Meta's host.
alter table send_host enable row level security;
alter table send_host force row level security;
create policy all_tenants on send_host to estafet_system using (true) with check (true);
grant select, insert, update on send_host to estafet_system;

-- Messages a second at this moment: from where it was slowed down to, back to the limit at 1/120 of it a second.
-- (sql: one expression, which the planner writes into the statement.)
create function send_rate(rate real, slowed_rate real, slowed_at timestamptz, at timestamptz) returns double precision
language sql immutable as $$
  select case when slowed_rate is null then rate::double precision else least(rate::double precision,
    slowed_rate + greatest(0, extract(epoch from at - slowed_at)::double precision) * rate / 120) end
$$;

-- As a process counts time.
create function send_ms(at timestamptz) returns double precision language sql immutable as $$
  select extract(epoch from at)::double precision * 1000
$$;

-- Between two messages. Nothing where the rate has no limit.
create function send_gap(rate double precision) returns interval language sql immutable as $$
  select case when rate = 'infinity' then interval '0' else make_interval(secs => 1.05 / rate) end
$$;

drop function send_claim(bigint, int, int, bigint);
create function send_claim(worker bigint, wanted int, default_cap int, only_id bigint default null)
returns table (id bigint, attempt_id uuid, tenant_id uuid, phone_number_id text, message_id uuid, attempts int,
  payload jsonb, fallback_template jsonb, callback_data text, delivery text, expires_at timestamptz, correlation_id uuid,
  retry_policy text, lane text, created_at timestamptz, slot_ms double precision, claimed_ms double precision)
language plpgsql as $$
#variable_conflict use_column
declare
  due_tenants uuid[]; number_tenants uuid[]; number_ids text[]; quantum int; moment timestamptz; claimed int;
  picked_tenants uuid[]; picked_numbers text[]; picked_ids bigint[]; picked_pairs bigint[]; picked_free_at timestamptz[];
  due_by timestamptz := case when only_id is null then now() else 'infinity' end;
  -- How far ahead a number's moments are given away; and what one contact may get: one per 6 s after 45.
  ahead constant interval := interval '200 ms';
  pair_gap constant interval := interval '6 s';
  pair_burst constant interval := interval '264 s';
begin
  -- send_reap takes this row for update.
  perform 1 from send_workers w where w.id = worker and w.alive_until > now() for key share;
  if not found then raise exception 'the lease of worker % is lost', worker using errcode = 'ES001'; end if;
  perform 1 from send_host h where h.circuit_open and h.trial_at > now();
  if found then return; end if;
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
  -- The host's trial: one, while nothing is on its way. Its row stays locked until that one is there to be seen.
  perform 1 from send_host h where h.circuit_open;
  if found then
    perform 1 from send_host h where h.circuit_open and h.trial_at <= now() for no key update skip locked;
    if not found or exists (select from whatsapp_send_outbox o where o.status = 'running') then return; end if;
    wanted := 1;
  end if;
  -- 2 Their due numbers, longest waiting first.
  select array_agg(m.tenant_id), array_agg(m.phone_number_id) into number_tenants, number_ids
  from unnest(due_tenants) as t (id)
  cross join lateral (
    select n.tenant_id, n.phone_number_id
    from send_numbers n
    where n.tenant_id = t.id and n.next_at <= due_by
    order by n.next_at
    limit quantum
  ) as m;
  moment := clock_timestamp();
  -- 3 The first due message of each free lane, within cap, pace, hold and circuit. Those whose contact has had enough are
  -- put off, and if there were no others, the next ones are looked at.
  for look in 1..5 loop
    with room as materialized (
      select t.id as tenant_id, least(quantum, case when t.status = 'active' then coalesce(t.max_concurrency, default_cap)
        else 0 end - (
          select count(*) from whatsapp_send_outbox o where o.tenant_id = t.id and o.status = 'running'))::int as room
      from tenants t
      where t.id = any(due_tenants)
    ),
    number as materialized (
      select n.tenant_id, n.phone_number_id, r.room, p.gap > interval '0' as is_paced, case
          when n.circuit_open then least(1, r.room)
          when p.gap = interval '0' then r.room
          else least(r.room, floor(extract(epoch from moment + ahead - greatest(n.paced_until, moment))
            / extract(epoch from p.gap)) + 1)::int end as count
      from unnest(number_tenants, number_ids) as u (tenant_id, phone_number_id)
      join send_numbers n on n.tenant_id = u.tenant_id and n.phone_number_id = u.phone_number_id
      join room r on r.tenant_id = n.tenant_id
      cross join lateral (
        select send_gap(send_rate(n.rate, n.slowed_rate, n.slowed_at, moment)) as gap
      ) as p
      where r.room > 0 and n.hold_until <= now() and n.paced_until <= moment + ahead
        and (not n.circuit_open or n.trial_at <= moment and not exists (
          select
          from whatsapp_send_outbox o
          where o.tenant_id = n.tenant_id and o.status = 'running' and o.phone_number_id = n.phone_number_id))
    ),
    pick as (
      select ranked.*, row_number() over (
        partition by ranked.tenant_id, ranked.phone_number_id, ranked.pair order by ranked.place) as turn
      from (
        select c.id, m.tenant_id, m.phone_number_id, m.room, c.pair,
          row_number() over (partition by m.tenant_id order by c.next_run_at, c.id) as place
        from number m
        cross join lateral (
          select o.id, o.next_run_at, case when m.is_paced
            then hashtextextended(coalesce(o.payload ->> 'to', o.payload ->> 'recipient', o.lane), 0) end as pair
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
    )
    select array_agg(k.tenant_id), array_agg(k.phone_number_id), array_agg(k.id), array_agg(k.pair),
      array_agg(case when k.pair is null then moment
        -- Not a join: planned while nobody owes anything, it would read the whole table each time.
        else greatest((
          select p.paced_until
          from send_pairs p
          where p.tenant_id = k.tenant_id and p.phone_number_id = k.phone_number_id and p.pair = k.pair
        ), moment) + (k.turn - 1) * pair_gap - pair_burst end)
    into picked_tenants, picked_numbers, picked_ids, picked_pairs, picked_free_at
    from pick k;
    exit when picked_ids is null;
    if moment < any(picked_free_at) then
      update whatsapp_send_outbox o
      set next_run_at = u.free_at
      from unnest(picked_tenants, picked_ids, picked_free_at) as u (tenant_id, id, free_at)
      where u.free_at > moment and o.tenant_id = u.tenant_id and o.id = u.id;
    end if;
    -- Running and attempt in one commit.
    return query
    with pick as materialized (
      select u.*, row_number() over (partition by u.tenant_id, u.phone_number_id order by u.place) as turn
      from unnest(picked_tenants, picked_numbers, picked_ids, picked_pairs, picked_free_at) with ordinality
        as u (tenant_id, phone_number_id, id, pair, free_at, place)
      where u.free_at <= moment
    ),
    number as materialized (
      select n.tenant_id, n.phone_number_id, g.count,
        send_gap(send_rate(n.rate, n.slowed_rate, n.slowed_at, moment)) as gap
      from (select p.tenant_id, p.phone_number_id, count(*) as count from pick p group by 1, 2) as g
      join send_numbers n on n.tenant_id = g.tenant_id and n.phone_number_id = g.phone_number_id
    ),
    -- Moments are counted from what the row says when it is written: send_slot may have given some away meanwhile.
    paced as (
      update send_numbers n
      set paced_until = greatest(n.paced_until, moment) + m.count * m.gap
      from number m
      where n.tenant_id = m.tenant_id and n.phone_number_id = m.phone_number_id
      returning n.tenant_id, n.phone_number_id, n.circuit_open, m.gap, n.paced_until - m.count * m.gap as from_at
    ),
    owed as (
      insert into send_pairs as p (tenant_id, phone_number_id, pair, paced_until)
      select k.tenant_id, k.phone_number_id, k.pair, moment + count(*) * pair_gap
      from pick k
      where k.pair is not null
      group by 1, 2, 3
      on conflict (tenant_id, phone_number_id, pair) do update
      set paced_until = greatest(p.paced_until, moment) + (excluded.paced_until - moment)
    ),
    run as (
      update whatsapp_send_outbox o
      set status = 'running', attempt_id = gen_random_uuid(), worker_id = worker, updated_at = now()
      from pick p
      where o.tenant_id = p.tenant_id and o.id = p.id
      returning o.id, o.attempt_id, o.tenant_id, o.phone_number_id, o.message_id, o.attempts, o.payload,
        o.fallback_template, o.callback_data, o.delivery, o.expires_at, o.correlation_id, o.lane, o.created_at, p.turn
    ),
    attempt as (
      insert into send_attempts (id, tenant_id, outbox_id, worker_id)
      select run.attempt_id, run.tenant_id, run.id, worker from run
    )
    select run.id, run.attempt_id, run.tenant_id, run.phone_number_id, run.message_id, run.attempts, run.payload,
      run.fallback_template, run.callback_data, run.delivery, run.expires_at, run.correlation_id, t.retry_policy, run.lane,
      run.created_at, case when m.gap > interval '0' and not m.circuit_open
        then send_ms(m.from_at + (run.turn - 1) * m.gap) end, send_ms(moment)
    from run
    join tenants t on t.id = run.tenant_id
    join paced m on m.tenant_id = run.tenant_id and m.phone_number_id = run.phone_number_id;
    get diagnostics claimed = row_count;
    exit when claimed > 0;
  end loop;
  -- 4 Re-arm: the only place where an alarm moves later. A trial under way is looked after once a second.
  update send_numbers n
  set next_at = greatest(clock_timestamp(), n.hold_until, n.paced_until - ahead,
    case when n.circuit_open then greatest(n.trial_at, clock_timestamp() + interval '1 s') end, coalesce((
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

-- Another moment for one that missed its own, no sooner than so many milliseconds from now. Nothing when its number is held,
-- or its circuit open, since it was claimed. Of this one row no other lock is taken.
create function send_slot(tenant uuid, number text, lead_ms double precision)
returns table (slot_ms double precision, said_ms double precision) language plpgsql as $$
declare moment timestamptz := clock_timestamp(); begin
  return query
  update send_numbers n
  set paced_until = greatest(n.paced_until, moment + make_interval(secs => lead_ms / 1000))
    + send_gap(send_rate(n.rate, n.slowed_rate, n.slowed_at, moment))
  where n.tenant_id = tenant and n.phone_number_id = number and n.hold_until <= moment and not n.circuit_open
  returning send_ms(n.paced_until - send_gap(send_rate(n.rate, n.slowed_rate, n.slowed_at, moment))), send_ms(moment);
end $$;

-- Slows numbers down whose tenants' locks the caller holds: to half of what they have now, once for all answers to calls
-- that were made before the first of these answers came.
create function send_slow(tenants uuid[], numbers text[], since timestamptz[], until timestamptz[])
returns table (tenant_id uuid, phone_number_id text) language plpgsql as $$
#variable_conflict use_column
declare moment timestamptz := clock_timestamp(); begin
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

-- What calls came to, for pace and circuits; in the transaction that settles them, which has locked their tenants.
-- A verdict is `answered`, `failed` or `unreachable`; `until` is the end of the number's hold after a throttle answer, `pairs`
-- names contacts of whom Meta said that they had enough. Returns what changed. (`is not distinct from` where attempts are
-- looked up: with `=` the planner may walk all attempts of the tenant for each.)
create function send_weather(tenants uuid[], numbers text[], attempts uuid[], verdicts text[], until timestamptz[],
  pairs text[], failure_ratio double precision, window_seconds int, min_calls int, half_open_seconds int)
returns table (tenant_id uuid, phone_number_id text, change text) language plpgsql as $$
#variable_conflict use_column
declare
  moment timestamptz := clock_timestamp();
  window_size interval := make_interval(secs => window_seconds);
  -- Which twelfth of which window.
  twelfth bigint := floor(extract(epoch from moment) * 12 / window_seconds);
  tried int;
begin
  insert into send_calls as c (tenant_id, phone_number_id, place, starts_at, calls, failures, unreachable)
  select u.tenant_id, u.phone_number_id, (twelfth % 13)::int,
    to_timestamp(twelfth::double precision * window_seconds / 12), count(*), count(*) filter (where u.verdict <> 'answered'),
    count(*) filter (where u.verdict = 'unreachable')
  from unnest(tenants, numbers, verdicts) as u (tenant_id, phone_number_id, verdict)
  group by 1, 2
  on conflict (tenant_id, phone_number_id, place) do update
  set starts_at = excluded.starts_at,
    calls = excluded.calls + case when c.starts_at = excluded.starts_at then c.calls else 0 end,
    failures = excluded.failures + case when c.starts_at = excluded.starts_at then c.failures else 0 end,
    unreachable = excluded.unreachable + case when c.starts_at = excluded.starts_at then c.unreachable else 0 end;

  if exists (select from unnest(pairs) as p where p is not null) then
    update send_pairs p
    set paced_until = greatest(p.paced_until, moment + interval '264 s')
    from unnest(tenants, numbers, pairs) as u (tenant_id, phone_number_id, pair)
    where p.tenant_id = u.tenant_id and p.phone_number_id = u.phone_number_id
      and p.pair = hashtextextended(u.pair, 0);
  end if;

  if exists (select from unnest(until) as t where t is not null) then
    return query
    select s.tenant_id, s.phone_number_id, 'slowed'
    from (
      select array_agg(u.tenant_id) as tenants, array_agg(u.phone_number_id) as numbers, array_agg(a.started_at) as since,
        array_agg(u.until) as until
      from unnest(tenants, numbers, attempts, until) as u (tenant_id, phone_number_id, attempt_id, until)
      join send_attempts a on a.id = u.attempt_id and a.tenant_id is not distinct from u.tenant_id
      where u.until is not null
    ) as x
    cross join lateral send_slow(x.tenants, x.numbers, x.since, x.until) as s;
  end if;

  -- Trials: calls that were begun after the circuit opened. One answer is enough to close it.
  perform 1 from send_numbers n where n.circuit_open and n.tenant_id = any(tenants) limit 1;
  if found then
    return query
    with tried as (
      select n.tenant_id, n.phone_number_id, bool_or(u.verdict = 'answered') as is_answered
      from unnest(tenants, numbers, attempts, verdicts) as u (tenant_id, phone_number_id, attempt_id, verdict)
      join send_numbers n on n.tenant_id = u.tenant_id and n.phone_number_id = u.phone_number_id
      join send_attempts a on a.id = u.attempt_id and a.tenant_id is not distinct from u.tenant_id
      where n.circuit_open and a.started_at > n.opened_at
      group by 1, 2
    ),
    forgotten as (
      update send_calls c
      set calls = 0, failures = 0, unreachable = 0
      from tried
      where tried.is_answered and c.tenant_id = tried.tenant_id and c.phone_number_id = tried.phone_number_id
    )
    update send_numbers n
    set circuit_open = not tried.is_answered, next_at = least(n.next_at, moment),
      trial_at = case when tried.is_answered then n.trial_at else moment + make_interval(secs => half_open_seconds) end
    from tried
    where n.tenant_id = tried.tenant_id and n.phone_number_id = tried.phone_number_id
    returning n.tenant_id, n.phone_number_id, case when tried.is_answered then 'closed' else 'stays_open' end;
    get diagnostics tried = row_count;
    if tried > 0 then perform send_wake(tenants, now()); end if;
  end if;

  if 'failed' = any(verdicts) or 'unreachable' = any(verdicts) then
    return query
    with failing as (
      select distinct u.tenant_id, u.phone_number_id
      from unnest(tenants, numbers, verdicts) as u (tenant_id, phone_number_id, verdict)
      where u.verdict <> 'answered'
    )
    update send_numbers n
    set circuit_open = true, opened_at = moment, trial_at = moment + make_interval(secs => half_open_seconds)
    from failing f
    cross join lateral (
      select sum(c.calls) as calls, sum(c.failures) as failures
      from send_calls c
      where c.tenant_id = f.tenant_id and c.phone_number_id = f.phone_number_id and c.starts_at > moment - window_size
    ) as w
    where n.tenant_id = f.tenant_id and n.phone_number_id = f.phone_number_id and not n.circuit_open
      and w.calls >= min_calls and w.failures >= failure_ratio * w.calls
    returning n.tenant_id, n.phone_number_id, 'opened';
  end if;

  return query
  select null::uuid, null::text, h.change
  from send_host_weather(tenants, attempts, verdicts, failure_ratio, window_size, min_calls, half_open_seconds) as h (change)
  where h.change is not null;
end $$;

-- The host's circuit: no connection comes about, from at least three numbers or all there are.
create function send_host_weather(tenants uuid[], attempts uuid[], verdicts text[], failure_ratio double precision,
  window_size interval, min_calls int, half_open_seconds int) returns text language plpgsql as $$
declare moment timestamptz := clock_timestamp(); seen record; is_reached boolean; begin
  perform 1 from send_host h where h.circuit_open;
  if found then
    select bool_or(u.verdict <> 'unreachable') into is_reached
    from unnest(tenants, attempts, verdicts) as u (tenant_id, attempt_id, verdict)
    join send_attempts a on a.id = u.attempt_id and a.tenant_id is not distinct from u.tenant_id
    join send_host h on a.started_at > h.opened_at;
    if is_reached is null then return null; end if;
    update send_host h
    set circuit_open = not is_reached,
      trial_at = case when is_reached then h.trial_at else moment + make_interval(secs => half_open_seconds) end
    where h.circuit_open;
    if not found then return null; end if;
    if not is_reached then return 'stays_open'; end if;
    -- What was counted before is of the outage.
    update send_calls c set unreachable = 0 where c.starts_at > moment - window_size and c.unreachable > 0
      and c.tenant_id = any(tenants);
    return 'closed';
  end if;
  if not 'unreachable' = any(verdicts) then return null; end if;
  select sum(c.calls) as calls, sum(c.unreachable) as unreachable,
    count(distinct (c.tenant_id, c.phone_number_id)) filter (where c.unreachable > 0) as numbers
  into seen
  from send_calls c
  where c.starts_at > moment - window_size;
  if seen.calls < min_calls or seen.unreachable < failure_ratio * seen.calls
    or seen.numbers < least(3, (select count(*) from whatsapp_accounts)) then return null; end if;
  update send_host h
  set circuit_open = true, opened_at = moment, trial_at = moment + make_interval(secs => half_open_seconds)
  where not h.circuit_open;
  return case when found then 'opened' end;
end $$;

-- A limit of many numbers at once, the WABA's or the app's: all of them are held, and slowed down. Before the call is
-- settled, in a transaction of its own: its tenants are locked in order, which the settling one has no way to do.
create function send_hold_shared(tenant uuid, number text, scope text, attempt uuid, until timestamptz)
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
    and coalesce(n.hold_until, '-infinity') < until - interval '1 s';
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

-- What Meta allows this number.
create function send_allow(tenant uuid, number text, allowed real) returns void language plpgsql as $$ begin
  insert into send_tenants (tenant_id) values (tenant) on conflict do nothing;
  perform 1 from send_tenants t where t.tenant_id = tenant for no key update;
  insert into send_numbers (tenant_id, phone_number_id, rate) values (tenant, number, allowed)
  on conflict (tenant_id, phone_number_id) do update set rate = excluded.rate;
end $$;

-- The net under the alarms, as before; a circuit that is open is no oversight.
create or replace function send_sweep(default_cap int) returns int language plpgsql as $$
declare number_tenants uuid[]; number_ids text[]; overdue uuid[]; begin
  perform 1 from send_host h where h.circuit_open;
  if found then return 0; end if;
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
  where n.next_at > now() and n.hold_until <= now() and n.paced_until <= now() and not n.circuit_open;
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

do $$
declare name text;
begin
  foreach name in array array['send_claim', 'send_slot', 'send_weather', 'send_slow', 'send_hold_shared'] loop
    execute format('alter function %I set plan_cache_mode = force_generic_plan set enable_seqscan = off '
      'set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off', name);
  end loop;
end $$;
