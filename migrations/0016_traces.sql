-- An event knows which story it belongs to: the correlation id of the message, notice or dead letter that it tells of. So a
-- delivery, and the reply that an application gives to it, continue the trace that began with the webhook. What a person
-- did (a conversation closed, an account connected) belongs to none.
alter table events add column correlation_id uuid;

create or replace function tell_new_messages() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, correlation_id, data)
  select m.tenant_id, case m.direction when 'inbound' then 'message.received' else 'message.echoed' end,
    coalesce(m.conversation_id, m.id)::text, m.phone_number_id, m.correlation_id,
    jsonb_build_object('message_id', public_id('msg', m.id), 'conversation_id', public_id('conv', m.conversation_id),
      'phone_number_id', m.phone_number_id, 'message_type', m.type, 'occurred_at', rfc3339(m.occurred_at))
  from added m
  where m.origin = 'echo' or (m.origin = 'live' and m.direction = 'inbound')
  order by m.id;
  return null;
end $$;

create or replace function tell_message_statuses() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, correlation_id, data)
  select m.tenant_id, 'message.status', coalesce(m.conversation_id, m.id)::text, m.phone_number_id, m.correlation_id,
    jsonb_build_object('message_id', public_id('msg', m.id), 'conversation_id', public_id('conv', m.conversation_id),
      'phone_number_id', m.phone_number_id, 'status', m.status, 'client_reference', m.client_reference)
  from changed m
  join former f on f.tenant_id = m.tenant_id and f.id = m.id
  where m.status <> f.status
  order by m.id;
  return null;
end $$;

create or replace function tell_account_notice() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, correlation_id, data)
  values (new.tenant_id, case when new.field ~ 'template' then 'template.updated' else 'account.updated' end,
    coalesce(new.phone_number_id, new.waba_id, new.id::text), new.phone_number_id, new.correlation_id,
    jsonb_build_object('account_event_id', public_id('aev', new.id), 'phone_number_id', new.phone_number_id,
      'waba_id', new.waba_id, 'field', new.field, 'event', new.event, 'occurred_at', rfc3339(new.occurred_at)));
  return null;
end $$;

create or replace function tell_dead_letter() returns trigger language plpgsql as $$ begin
  insert into events (tenant_id, type, lane, phone_number_id, correlation_id, data)
  values (new.tenant_id, 'dead_letter.created', new.id::text, new.phone_number_id, new.correlation_id,
    jsonb_build_object('dead_letter_id', public_id('dlq', new.id), 'kind', new.kind, 'error_code', new.error_code,
      'phone_number_id', new.phone_number_id, 'message_id', public_id('msg', new.message_id)));
  return null;
end $$;
