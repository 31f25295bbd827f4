-- Rings: where nobody looks at the queues by himself (DISPATCH=cloud-tasks), each row has somebody called for it.
--
-- What a maintainer must know, besides the rules of 0004_outbox.sql and 0008_weather.sql:
--   1 A ring is a task at Google with the name row + ring number. It is a doorbell: what may be sent is decided by send_claim,
--     asked for one row, by the same rules as ever.
--   2 `rung_for` is when the latest ring comes. It is written before the task is made, so a task that could not be made, or was
--     lost, is one whose time has passed without effect: whoever looks after that (the sweep) rings again.
--   3 Where DISPATCH=postgres nobody touches these columns, and no index knows them.
alter table whatsapp_send_outbox
  add column ring int not null default 0,
  add column rung_for timestamptz;
alter table whatsapp_webhook_events
  add column ring int not null default 0,
  add column rung_for timestamptz;

-- As before; and one row alone can be asked for, by its tenant and id, in whatever place of the queue it is.
drop function send_claim(bigint, int, int, bigint);
create function send_claim(worker bigint, wanted int, default_cap int, only_tenant uuid default null,
  only_id bigint default null)
returns table (id bigint, attempt_id uuid, tenant_id uuid, phone_number_id text, message_id uuid, attempts int,
  payload jsonb, fallback_template jsonb, callback_data text, delivery text, expires_at timestamptz, correlation_id uuid,
  retry_policy text, lane text, created_at timestamptz, slot_ms double precision, claimed_ms double precision)
language plpgsql as $$
#variable_conflict use_column
declare
  due_tenants uuid[]; number_tenants uuid[]; number_ids text[]; quantum int; moment timestamptz; claimed int;
  picked_tenants uuid[]; picked_numbers text[]; picked_ids bigint[]; picked_pairs bigint[]; picked_free_at timestamptz[];
  -- Of the one row that is asked for, if it is: nothing before it need be looked at.
  from_run_at timestamptz := '-infinity';
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
      where t.tenant_id = only_tenant
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
  if only_id is null then
    select array_agg(m.tenant_id), array_agg(m.phone_number_id) into number_tenants, number_ids
    from unnest(due_tenants) as t (id)
    cross join lateral (
      select n.tenant_id, n.phone_number_id
      from send_numbers n
      where n.tenant_id = t.id and n.next_at <= now()
      order by n.next_at
      limit quantum
    ) as m;
  else
    select array[o.tenant_id], array[o.phone_number_id], o.next_run_at into number_tenants, number_ids, from_run_at
    from whatsapp_send_outbox o
    where o.tenant_id = only_tenant and o.id = only_id and o.status = 'pending';
    if not found then return; end if;
  end if;
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
            and o.status = 'pending' and o.lane_head and o.next_run_at <= now() and o.next_run_at >= from_run_at
            and (only_id is null or o.id = only_id)
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

-- Rings for what these tenants may send next: as many as they have room for, not counting those whose ring is just coming
-- (a twelfth of the patience: who is later than that may be lost, and is not waited for);
-- and for the first few of each number in any case, so that a lost ring does not end the chain. What waits behind these is
-- rung for when something has ended. So no tenant has more than a handful of tasks in a queue that it shares with others.
create function send_ring_next(tenants uuid[], default_cap int, at_least int, patience interval)
returns table (tenant_id uuid, id bigint, ring int, rung_for timestamptz, correlation_id uuid) language plpgsql as $$
#variable_conflict use_column
declare moment timestamptz; begin
  perform 1 from send_tenants t where t.tenant_id = any(tenants) order by t.tenant_id for no key update;
  moment := clock_timestamp();
  return query
  with room as materialized (
    select t.id as tenant_id, (coalesce(t.max_concurrency, default_cap) - (
      select count(*) from whatsapp_send_outbox o where o.tenant_id = t.id and o.status = 'running'))::int as room
    from tenants t
    where t.id = any(tenants) and t.status = 'active'
  ),
  head as materialized (
    select h.*, n.tenant_id, r.room,
      row_number() over (partition by n.tenant_id, n.phone_number_id order by h.next_run_at, h.id) as place,
      h.rung_for is null or h.rung_for < moment - patience as is_unrung,
      h.rung_for between moment - patience / 12 and moment + interval '1 s' as is_coming,
      h.rung_for > moment + interval '1 s' as is_put_off
    from room r
    join send_numbers n on n.tenant_id = r.tenant_id and n.next_at <= moment
    cross join lateral (
      select o.id, o.next_run_at, o.rung_for
      from whatsapp_send_outbox o
      where o.tenant_id = n.tenant_id and o.phone_number_id = n.phone_number_id
        and o.status = 'pending' and o.lane_head and o.next_run_at <= moment
      order by o.next_run_at, o.id
      limit greatest(at_least, r.room, 0) + 20
    ) as h
  ),
  wanted as (
    select h.tenant_id, h.id
    from (
      select head.*, row_number() over (
          partition by head.tenant_id, head.is_unrung or head.is_put_off order by head.next_run_at, head.id) as turn,
        count(*) filter (where head.is_coming) over (partition by head.tenant_id) as coming
      from head
    ) as h
    where (h.is_unrung or h.is_put_off) and h.turn <= h.room - h.coming or h.is_unrung and h.place <= at_least
  )
  update whatsapp_send_outbox o
  set ring = o.ring + 1, rung_for = moment
  from wanted w
  where o.tenant_id = w.tenant_id and o.id = w.id
  returning o.tenant_id, o.id, o.ring, o.rung_for, o.correlation_id;
end $$;

-- What keeps these from being sent now, and until when; with `is_rung`, they are rung for then. A hold without an end is
-- looked at once an hour, because whoever ends it rings too. Who waits for its turn or for room is rung for by whoever goes
-- before; should that fail, a while later, and less and less often.
create function send_ring_later(tenants uuid[], ids bigint[], is_rung boolean, spread interval)
returns table (tenant_id uuid, id bigint, status text, reason text, ring int, rung_for timestamptz, correlation_id uuid)
language plpgsql as $$
#variable_conflict use_column
declare moment timestamptz; begin
  perform 1 from send_tenants t where t.tenant_id = any(tenants) order by t.tenant_id for no key update;
  moment := clock_timestamp();
  return query
  with one as materialized (
    select o.tenant_id, o.id, o.status, o.ring, o.rung_for, o.correlation_id, coalesce(w.reason, 'cap') as reason,
      case when w.at = 'infinity' then moment + interval '1 h' + spread
        when w.at is null or w.reason = 'order'
        then moment + interval '30 s' * power(2, least(o.ring, 4)) + spread
        when w.reason = 'breaker' then w.at + spread
        else w.at end as at
    from unnest(tenants, ids) as u (tenant_id, id)
    join whatsapp_send_outbox o on o.tenant_id = u.tenant_id and o.id = u.id
    join tenants t on t.id = o.tenant_id
    left join send_numbers n on n.tenant_id = o.tenant_id and n.phone_number_id = o.phone_number_id
    cross join send_host h
    left join lateral (
      select x.reason, x.at
      from (values
        ('suspended', case when t.status <> 'active' then timestamptz 'infinity' end),
        ('hold', n.hold_until),
        ('breaker', case when n.circuit_open then n.trial_at end),
        ('breaker', case when h.circuit_open then h.trial_at end),
        ('back_off', o.next_run_at),
        ('pace', n.paced_until - interval '200 ms'),
        ('order', case when not o.lane_head then moment + interval '1 ms' end)) as x (reason, at)
      where x.at > moment
      order by x.at desc
      limit 1
    ) as w on true
  ),
  rung as (
    update whatsapp_send_outbox o
    set ring = o.ring + 1, rung_for = one.at
    from one
    -- Later than a task can be scheduled: the sweep finds it when it is due. One whose ring is to come needs no other.
    where is_rung and one.status = 'pending' and one.at < moment + interval '29 days'
      and (one.rung_for between moment and one.at) is not true
      and o.tenant_id = one.tenant_id and o.id = one.id
    returning o.id, o.ring, o.rung_for
  )
  select one.tenant_id, one.id, one.status, one.reason, rung.ring, coalesce(rung.rung_for,
    case when one.rung_for between moment and one.at then one.rung_for end, one.at), one.correlation_id
  from one
  left join rung on rung.id = one.id;
end $$;

do $$
declare name text;
begin
  foreach name in array array['send_claim', 'send_ring_next', 'send_ring_later'] loop
    execute format('alter function %I set plan_cache_mode = force_generic_plan set enable_seqscan = off '
      'set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_material = off', name);
  end loop;
end $$;
