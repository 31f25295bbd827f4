-- Everything Meta sends finds a place, everybody who writes is one contact, and what failed can be decided on.

-- Who writes. A contact is known by phone-number id, by business-scoped user id, or both; merged only on Meta's word.
-- A group is a contact too: its messages belong to the group's conversation.
create table whatsapp_contacts (
  id uuid not null,
  tenant_id uuid not null references tenants,
  kind text not null default 'person' check (kind in ('person', 'group')),
  wa_id text,
  user_id text,
  name text,
  username text,
  -- Where this contact went when Meta said that two were one.
  merged_into uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, merged_into) references whatsapp_contacts (tenant_id, id),
  check (wa_id is not null or user_id is not null or merged_into is not null)
);
create unique index whatsapp_contacts_wa_id on whatsapp_contacts (tenant_id, wa_id) where wa_id is not null;
create unique index whatsapp_contacts_user_id on whatsapp_contacts (tenant_id, user_id) where user_id is not null;

-- Conversations that are there already get their contacts. A business-scoped id has a dot, a phone-number id has none.
insert into whatsapp_contacts (id, tenant_id, wa_id, user_id, name, created_at, updated_at)
select distinct on (tenant_id, contact_wa_id) gen_random_uuid(), tenant_id,
  case when contact_wa_id not like '%.%' then contact_wa_id end,
  case when contact_wa_id like '%.%' then contact_wa_id end,
  contact_name, created_at, updated_at
from whatsapp_conversations
order by tenant_id, contact_wa_id, updated_at desc;

alter table whatsapp_conversations
  add column contact_id uuid,
  add column merged_into uuid,
  add column unread_count int not null default 0,
  add foreign key (tenant_id, contact_id) references whatsapp_contacts (tenant_id, id),
  add foreign key (tenant_id, merged_into) references whatsapp_conversations (tenant_id, id);
update whatsapp_conversations c
set contact_id = p.id
from whatsapp_contacts p
where p.tenant_id = c.tenant_id and c.contact_wa_id in (p.wa_id, p.user_id);
alter table whatsapp_conversations alter column contact_id set not null;
-- contact_wa_id is the contact's phone-number id, else its user id, and follows it: one conversation per number and contact.
create unique index whatsapp_conversations_of_contact
  on whatsapp_conversations (tenant_id, phone_number_id, contact_id) where merged_into is null;
create index whatsapp_conversations_assigned
  on whatsapp_conversations (tenant_id, assigned_user_id, last_message_at desc, id desc)
  where assigned_user_id is not null;

alter table whatsapp_messages
  -- `live`: just written. `echo`: sent from the business's own phone. `history`: from before the number was connected.
  add column origin text not null default 'live' check (origin in ('live', 'echo', 'history')),
  add column sender_contact_id uuid,
  add foreign key (tenant_id, sender_contact_id) references whatsapp_contacts (tenant_id, id);
create index whatsapp_messages_client_reference
  on whatsapp_messages (tenant_id, client_reference, created_at desc, id desc) where client_reference is not null;
create index whatsapp_messages_recent on whatsapp_messages (tenant_id, created_at desc, id desc);

-- What later messages did to earlier ones. Joined by the target's wamid when read, so the order of arrival is all the same.
create table whatsapp_message_changes (
  tenant_id uuid not null references tenants,
  target_wamid text not null,
  -- The message that made the change.
  wamid text not null,
  kind text not null check (kind in ('reaction', 'edit', 'revoke')),
  -- Who: one reaction per person counts, the latest.
  actor text not null,
  emoji text,
  content jsonb,
  occurred_at timestamptz not null,
  event_id uuid not null,
  primary key (tenant_id, target_wamid, wamid)
);

-- What Meta says about accounts, templates, numbers and people, apart from messages. Keyed by content.
create table whatsapp_account_events (
  id uuid not null,
  tenant_id uuid not null references tenants,
  waba_id text,
  phone_number_id text,
  contact_id uuid,
  field text not null,
  -- The field's own word for what happened: `APPROVED`, `stop`, `PIN_CHANGED`.
  event text,
  dedupe_key text not null,
  content jsonb not null,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  event_id uuid not null,
  correlation_id uuid not null,
  primary key (tenant_id, id),
  unique (tenant_id, dedupe_key),
  foreign key (tenant_id, contact_id) references whatsapp_contacts (tenant_id, id)
);
create index whatsapp_account_events_recent on whatsapp_account_events (tenant_id, occurred_at desc, id desc);

alter table whatsapp_webhook_events
  -- A requeue allows as many attempts again; `attempt` itself only grows, because it is the fence.
  add column attempts_allowed int not null default 10,
  -- Where this event's items went, per tenant ('-' for none): what the accounting adds up.
  add column outcome jsonb,
  add column pruned_at timestamptz;
create index whatsapp_webhook_events_received on whatsapp_webhook_events (received_at, id);
create index whatsapp_webhook_events_to_prune on whatsapp_webhook_events (processed_at)
  where status = 'done' and pruned_at is null;

-- One row per attempt at an event; kept for TRACE_TTL_DAYS.
create table whatsapp_inbound_traces (
  event_id uuid not null,
  attempt int not null,
  inbound_event_id text not null,
  correlation_id uuid not null,
  task_name text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  outcome text check (outcome in ('done', 'failed', 'retried', 'lost')),
  outbound_enqueue_status text not null default 'none' check (outbound_enqueue_status in ('none', 'enqueued', 'failed')),
  error text,
  primary key (event_id, attempt)
);
create index whatsapp_inbound_traces_started_at on whatsapp_inbound_traces (started_at);
create index whatsapp_inbound_traces_correlation on whatsapp_inbound_traces (correlation_id);

-- A place that is requeued and fails again gets a new dead letter; the old one keeps its decision.
alter table dead_letters drop constraint dead_letters_event_id_item_path_key;
create unique index dead_letters_open_place on dead_letters (event_id, item_path) where state = 'open';
create index dead_letters_place on dead_letters (event_id, item_path);
create index whatsapp_messages_correlation on whatsapp_messages (correlation_id);

do $$
declare
  name text;
begin
  foreach name in array array['whatsapp_contacts', 'whatsapp_message_changes', 'whatsapp_account_events'] loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
  end loop;
  foreach name in array array['whatsapp_contacts', 'whatsapp_message_changes', 'whatsapp_account_events',
      'whatsapp_inbound_traces'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
grant select, insert, update on whatsapp_contacts to estafet_tenant;
grant select on whatsapp_message_changes, whatsapp_account_events to estafet_tenant;
create index whatsapp_accounts_waba on whatsapp_accounts (waba_id);

-- Everybody's audit, the latest first; one chain is read by its primary key.
create index audit_log_recent on audit_log (at, chain, position);
