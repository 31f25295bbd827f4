-- Who wrote a message in the console, and finding the reactions that we sent.

-- Null: a program, a responder, or the business's own phone. No foreign key: nobody is deleted from people, and a message
-- is not to wait for a person's row.
alter table whatsapp_messages add column sent_by uuid;

create index whatsapp_messages_own_reactions on whatsapp_messages (tenant_id, (content #>> '{reaction,message_id}'))
  where direction = 'outbound' and type = 'reaction';
