-- The first schema: tenants and what belongs to them, the stored webhooks, and what they become.
--
-- Isolation is in the database from the start. Every table that holds a tenant's data has tenant_id first in every
-- unique key (so that a conflict tells a tenant nothing about another), composite foreign keys (foreign-key checks
-- ignore row-level security), and row-level security that is forced. Two roles exist (db/roles.ts makes them):
--   estafet_tenant  tenant API transactions run under it; sees the tenant in app.tenant and nothing else
--   estafet_system  receiving, processing and operators; sees all
-- Exceptions, also listed in db/isolation.test.ts: whatsapp_accounts.phone_number_id and api_keys.key_hash are
-- unique across tenants because they are how a tenant is found; dead_letters may have no tenant yet, and an audit
-- chain may be the operators' own (a check ties its name to its tenant).

create function current_tenant() returns uuid
language sql stable parallel safe
-- After a transaction the setting is '' and not null, and ''::uuid is an error.
return nullif(current_setting('app.tenant', true), '')::uuid;

create table tenants (
  id uuid primary key,
  name text not null check (name <> ''),
  slug text not null unique check (slug ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  status text not null default 'active' check (status in ('active', 'suspended')),
  max_concurrency int check (max_concurrency between 1 and 1000),
  retry_policy text check (retry_policy in ('standard', 'patient')),
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table api_keys (
  id uuid not null,
  tenant_id uuid not null references tenants,
  name text not null check (name <> ''),
  -- Keys carry 256 random bits, so a plain digest is enough; key_start is what a person recognises one by.
  key_hash bytea not null unique,
  key_start text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (tenant_id, id)
);

create table whatsapp_accounts (
  id uuid not null,
  tenant_id uuid not null references tenants,
  waba_id text not null,
  phone_number_id text not null unique,
  display_phone_number text not null,
  app_id text,
  access_token text not null,
  auth_status text not null default 'ok' check (auth_status in ('ok', 'needs_reauth')),
  auth_last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id)
);

-- One row per accepted webhook request: the bytes as they came. It may hold items of several tenants, so it
-- belongs to none of them. A lease is next_run_at moved into the future; `attempt` counts claims and is the fence.
create table whatsapp_webhook_events (
  id uuid primary key,
  received_at timestamptz not null,
  processed_at timestamptz,
  status text not null default 'pending' check (status in ('pending', 'processing', 'done', 'failed')),
  attempt int not null default 0,
  next_run_at timestamptz not null,
  last_error text,
  raw bytea not null,
  payload jsonb,
  app_id text,
  inbound_event_id text not null,
  correlation_id uuid not null,
  phone_number_id text,
  -- What lets a whole delivery be skipped: the same bytes, or the same single item in other bytes.
  body_sha256 bytea unique,
  single_item_key text unique,
  check ((processed_at is null) = (status in ('pending', 'processing')))
);
create index whatsapp_webhook_events_due on whatsapp_webhook_events (next_run_at, id)
  where status in ('pending', 'processing');
create index whatsapp_webhook_events_inbound_event_id on whatsapp_webhook_events (inbound_event_id);

-- The key of an item, written in the transaction of its effect.
create table whatsapp_webhook_dedupe (
  id bigint generated always as identity,
  tenant_id uuid not null references tenants,
  dedupe_key text not null,
  event_type text not null check (event_type in ('inbound_message', 'status_update')),
  created_at timestamptz not null,
  primary key (tenant_id, dedupe_key, event_type)
);
create index whatsapp_webhook_dedupe_created_at on whatsapp_webhook_dedupe (created_at);

create table whatsapp_conversations (
  id uuid not null,
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  contact_wa_id text not null,
  contact_user_id text,
  contact_name text,
  status text not null default 'open' check (status in ('open', 'closed')),
  last_message_at timestamptz not null,
  -- When the contact last wrote, by Meta's clock: the 24-hour window hangs on it.
  last_inbound_at timestamptz,
  assigned_user_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, phone_number_id, contact_wa_id)
);
create index whatsapp_conversations_recent
  on whatsapp_conversations (tenant_id, last_message_at desc, id desc);

create table whatsapp_messages (
  id uuid not null,
  tenant_id uuid not null references tenants,
  phone_number_id text not null,
  conversation_id uuid,
  direction text not null check (direction in ('inbound', 'outbound')),
  type text not null,
  wamid text,
  status text not null check (status in
    ('queued', 'sent', 'delivered', 'read', 'played', 'failed', 'unknown', 'cancelled', 'received')),
  content jsonb not null,
  reply_to_wamid text,
  error jsonb,
  client_reference text,
  attempts int not null default 0,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  event_id uuid,
  correlation_id uuid not null,
  primary key (tenant_id, id),
  foreign key (tenant_id, conversation_id) references whatsapp_conversations (tenant_id, id),
  -- The permanent guard against doubles: dedupe keys expire, this does not.
  unique (tenant_id, wamid)
);
create index whatsapp_messages_of_conversation
  on whatsapp_messages (tenant_id, conversation_id, occurred_at desc, id desc);

-- Every step a message took, once, with its own time. Kept also when its message is not known yet.
create table whatsapp_message_statuses (
  tenant_id uuid not null references tenants,
  wamid text not null,
  status text not null,
  participant text not null default '',
  phone_number_id text not null,
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  details jsonb not null,
  event_id uuid,
  correlation_id uuid not null,
  primary key (tenant_id, wamid, status, participant)
);

-- The ladder: a message shows the highest step it reached, whatever order the steps came in. `failed` stands below
-- `delivered` because a message can reach a second device after failing on the first; a late `sent` undoes nothing.
create function message_status_rank(status text) returns int
language sql immutable parallel safe
return case status
  when 'queued' then 1 when 'sent' then 2 when 'failed' then 3
  when 'delivered' then 4 when 'read' then 5 when 'played' then 6
  else 0
end;

-- What could not be applied, with its bytes, until a person decides. tenant_id is null while nobody owns it.
create table dead_letters (
  id uuid primary key,
  tenant_id uuid references tenants,
  kind text not null check (kind in ('outbound', 'inbound', 'malformed', 'unroutable', 'unknown')),
  state text not null default 'open' check (state in ('open', 'requeued', 'discarded')),
  event_id uuid,
  -- Where in the payload; '' is the payload as a whole. One dead letter per place, however often it is processed.
  item_path text not null default '',
  phone_number_id text,
  waba_id text,
  error_code text not null,
  error_message text not null,
  raw bytea not null,
  correlation_id uuid,
  created_at timestamptz not null,
  decided_at timestamptz,
  decided_by text,
  decision_reason text,
  unique (event_id, item_path),
  check ((decided_at is null) = (state = 'open'))
);
create index dead_letters_open on dead_letters (created_at desc, id desc) where state = 'open';
create index dead_letters_of_tenant on dead_letters (tenant_id, created_at desc, id desc);

-- Who did what, in the transaction of the act. The rows of one tenant form a hash chain, and so do the operators'
-- acts that concern no tenant. The chain's row is its lock and remembers its end, so a cut tail shows.
create table audit_chains (
  chain text primary key check (chain = coalesce(tenant_id::text, 'operators')),
  tenant_id uuid,
  position bigint not null,
  hash bytea not null
);
create table audit_log (
  chain text not null references audit_chains check (chain = coalesce(tenant_id::text, 'operators')),
  position bigint not null,
  tenant_id uuid,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  reason text,
  details jsonb not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (chain, position)
);
create index audit_log_of_tenant on audit_log (tenant_id, at desc, position desc);

do $$
declare
  tenant_tables text[] := array['api_keys', 'whatsapp_accounts', 'whatsapp_webhook_dedupe', 'whatsapp_conversations',
    'whatsapp_messages', 'whatsapp_message_statuses', 'dead_letters', 'audit_chains', 'audit_log'];
  name text;
begin
  foreach name in array tenant_tables loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
  end loop;
  create policy own_tenant on tenants to estafet_tenant using (id = current_tenant()) with check (id = current_tenant());
  -- By name and not all there are: somebody else's tables may live in this schema.
  foreach name in array tenant_tables || array['tenants', 'whatsapp_webhook_events'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;

grant usage on schema public to estafet_tenant, estafet_system;
grant select on tenants, whatsapp_accounts, whatsapp_message_statuses, dead_letters, audit_log to estafet_tenant;
grant select, insert, update on whatsapp_conversations, whatsapp_messages to estafet_tenant;
grant select, insert, update on audit_chains to estafet_tenant;
grant insert on audit_log to estafet_tenant;
-- The audit log is only ever added to.
revoke update, delete on audit_log from estafet_system;
revoke delete on audit_chains from estafet_system;
