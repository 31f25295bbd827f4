-- What the inbox asks for again and again: each of its lists has an index in the order in which it is shown, and a
-- conversation belongs to a person whom the API names as everywhere.

drop index whatsapp_conversations_assigned;
create index whatsapp_conversations_assigned
  on whatsapp_conversations (tenant_id, assigned_user_id, status, last_message_at desc, id desc)
  where assigned_user_id is not null and merged_into is null;
create index whatsapp_conversations_by_status
  on whatsapp_conversations (tenant_id, status, last_message_at desc, id desc) where merged_into is null;
create index whatsapp_conversations_nobodys
  on whatsapp_conversations (tenant_id, last_message_at desc, id desc)
  where status = 'open' and assigned_user_id is null and merged_into is null;
create index whatsapp_conversations_unread
  on whatsapp_conversations (tenant_id, status, last_message_at desc, id desc)
  where unread_count > 0 and merged_into is null;

-- What a message says, in whatever field its type says it; null where it has no words.
create function message_words(content jsonb) returns text immutable parallel safe language sql
return coalesce(
  content -> 'text' ->> 'body',
  content -> 'image' ->> 'caption', content -> 'video' ->> 'caption', content -> 'document' ->> 'caption',
  content -> 'document' ->> 'filename',
  content -> 'interactive' -> 'button_reply' ->> 'title', content -> 'interactive' -> 'list_reply' ->> 'title',
  content -> 'interactive' -> 'nfm_reply' ->> 'body', content -> 'interactive' -> 'body' ->> 'text',
  content -> 'button' ->> 'text',
  content -> 'location' ->> 'name', content -> 'location' ->> 'address',
  content -> 'contacts' -> 0 -> 'name' ->> 'formatted_name',
  content -> 'order' ->> 'text',
  content -> 'template' ->> 'name',
  content -> 'system' ->> 'body');

-- What a contact is found by, in lower case: looking through all contacts of a firm takes a few milliseconds then.
alter table whatsapp_contacts add column sought text generated always as
  (lower(coalesce(name, '') || e'\n' || coalesce(username, '') || e'\n' || coalesce(wa_id, '') || e'\n'
    || coalesce(user_id, ''))) stored;

create or replace function tell_conversation() returns trigger language plpgsql as $$
declare changed text[]; begin
  changed := array_remove(array[
    case when new.status <> old.status then 'status' end,
    case when new.assigned_user_id is distinct from old.assigned_user_id then 'assigned_user_id' end,
    case when new.unread_count = 0 and old.unread_count > 0 then 'unread_count' end,
    case when new.merged_into is distinct from old.merged_into then 'merged_into' end], null);
  insert into events (tenant_id, type, lane, phone_number_id, data)
  values (new.tenant_id, 'conversation.updated', new.id::text, new.phone_number_id,
    jsonb_build_object('conversation_id', public_id('conv', new.id), 'phone_number_id', new.phone_number_id,
      'changed', changed, 'status', new.status, 'assigned_user_id', coalesce((
        select public_id('usr', p.id) from people p
        where p.tenant_id = new.tenant_id and p.id = new.assigned_user_id), new.assigned_user_id::text),
      'merged_into', public_id('conv', new.merged_into)));
  return null;
end $$;
