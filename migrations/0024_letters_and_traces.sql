-- What the console asks about one dead letter or message, without reading a whole table.

-- Who looked at a dead letter, and who decided on it.
create index audit_log_of_letters on audit_log (subject, position) where subject like 'dlq\_%';
-- A caller's own name for a message.
create index whatsapp_messages_reference on whatsapp_messages (tenant_id, client_reference)
  where client_reference is not null;
