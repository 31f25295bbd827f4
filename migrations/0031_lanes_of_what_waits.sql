-- What waits under a name of its contact waits under its conversation (0030_reconnecting_and_lanes.sql), or it would be overtaken
-- by what comes. Apart from that file: who claims takes the tenants' locks before the numbers'. Nothing is claimed, settled or
-- accepted meanwhile.
lock table send_tenants in exclusive mode;
update whatsapp_send_outbox o
set lane = m.conversation_id::text
from whatsapp_messages m
where o.status in ('pending', 'running') and not starts_with(o.lane, 'requeue:')
  and m.tenant_id = o.tenant_id and m.id = o.message_id and m.conversation_id is not null
  and o.lane <> m.conversation_id::text;
-- Two names of one contact had two.
update whatsapp_send_outbox o
set lane_head = false
from (
  select w.tenant_id, w.id, row_number() over (partition by w.tenant_id, w.phone_number_id, w.lane
    order by (w.status <> 'running'), w.due_at, w.id) = 1 as is_first
  from whatsapp_send_outbox w
  where w.status in ('pending', 'running')
) as f
where o.tenant_id = f.tenant_id and o.id = f.id and o.lane_head and not f.is_first;
