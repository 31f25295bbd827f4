-- What each webhook pays for when it is stored (bench ingest): half of it went.

alter table whatsapp_webhook_events
  -- Trying to compress 1 KB of JSON cost 12 µs a row, and seldom made it smaller.
  alter column raw set storage external,
  alter column payload set storage external,
  -- Set when the delivery holds exactly one message or status: its number, `number:participant` for a group's status.
  add column single_item_of text;
update whatsapp_webhook_events
set single_item_of = replace(single_item_key, ':' || inbound_event_id, '')
where single_item_key is not null;
alter table whatsapp_webhook_events
  drop column single_item_key,
  drop constraint whatsapp_webhook_events_body_sha256_key;

-- One index that recognises a single item which came before and finds a delivery by its name.
create unique index whatsapp_webhook_events_single_item
  on whatsapp_webhook_events (inbound_event_id, single_item_of);
drop index whatsapp_webhook_events_inbound_event_id;
-- Only what is no single item has a digest.
create unique index whatsapp_webhook_events_body
  on whatsapp_webhook_events (body_sha256)
  where body_sha256 is not null;
-- The ids are in the order of time: ops/event-range.ts.
drop index whatsapp_webhook_events_received;

-- Statuses change a message's row in place, on its own page: 8 % of them did before, and all with this.
alter table whatsapp_messages set (fillfactor = 85);
