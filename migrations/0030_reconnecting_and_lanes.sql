-- A number that is connected anew goes on waiting for as long as Meta asked it to, and whoever is known by another name by now
-- has one turn all the same.

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

alter function send_slow set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set enable_material = off;

-- The number has a token that works: nothing of ours holds it any longer, but Meta may.
create function send_release(tenant uuid, number text) returns void language plpgsql as $$ begin
  perform send_hold(tenant, number, '-infinity');
  update send_numbers n
  set hold_until = n.asked_until
  where n.tenant_id = tenant and n.phone_number_id = number and n.asked_until > now();
end $$;

comment on column whatsapp_send_outbox.lane is
  'Whose turn it is: the conversation, which stays the same when its contact gets another name. A re-queued row has a lane of its own.';
-- What waits now, too, or it would be overtaken by what comes. Nobody claims or settles meanwhile.
lock table send_tenants in exclusive mode;
update whatsapp_send_outbox o
set lane = m.conversation_id::text
from whatsapp_messages m
where o.status in ('pending', 'running') and not starts_with(o.lane, 'requeue:')
  and m.tenant_id = o.tenant_id and m.id = o.message_id and m.conversation_id is not null;
-- Two names of one contact had two.
update whatsapp_send_outbox o
set lane_head = f.is_first
from (
  select w.tenant_id, w.id, row_number() over (partition by w.tenant_id, w.phone_number_id, w.lane
    order by (w.status <> 'running'), w.due_at, w.id) = 1 as is_first
  from whatsapp_send_outbox w
  where w.status in ('pending', 'running')
) as f
where o.tenant_id = f.tenant_id and o.id = f.id and o.lane_head <> f.is_first;
