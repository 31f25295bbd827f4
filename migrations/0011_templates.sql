-- Message templates as Meta has them: a mirror per WhatsApp Business Account, so that all numbers of one share it.
--
-- Three sources tell of a template: listings (syncs), answers to our own calls, and webhooks, in any order. Each facet
-- (status, category, quality, content) therefore carries Meta's time of what it says, and the latest wins. A listing is as
-- old as the moment it was asked for; a webhook's time is a whole second, and counts as the end of it.

create table whatsapp_templates (
  id uuid not null,
  tenant_id uuid not null references tenants,
  waba_id text not null,
  name text not null,
  language text not null,
  -- Meta's; null until somebody told it.
  meta_id text,
  -- Statuses and categories are Meta's words, of which it invents more: none is refused here.
  status text not null,
  status_at timestamptz not null,
  rejection_reason text,
  status_detail text,
  category text,
  category_at timestamptz not null,
  -- What Meta announced that the category will become, and when.
  next_category text,
  next_category_at timestamptz,
  quality text,
  quality_at timestamptz not null,
  parameter_format text check (parameter_format in ('POSITIONAL', 'NAMED')),
  -- Null when only a webhook has told of it.
  components jsonb,
  components_at timestamptz not null,
  message_send_ttl_seconds int,
  -- When we changed its content: Meta counts these.
  edited_at timestamptz[] not null default '{}',
  -- The sync that listed it last; and when something else, a webhook or an answer, last told that it is there.
  seen_in bigint,
  told_at timestamptz not null,
  synced_at timestamptz,
  -- A complete listing was without it, or it was deleted.
  gone_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, id),
  unique (tenant_id, waba_id, name, language)
);
create index whatsapp_templates_recent on whatsapp_templates (tenant_id, created_at desc, id desc);

-- How far the mirror of an account is. Whoever changes a mirror locks this row first, then templates by name.
create table whatsapp_template_syncs (
  tenant_id uuid not null references tenants,
  waba_id text not null,
  -- When the next listing is due. Taking the turn clears it, so that what is asked for meanwhile is not forgotten.
  next_sync_at timestamptz,
  -- The fence: a sync that lost its turn writes nothing.
  attempt bigint not null default 0,
  leased_until timestamptz,
  tried_at timestamptz,
  -- When the last complete listing was asked for; null: the mirror knows nothing of what is not in it.
  synced_at timestamptz,
  failures int not null default 0,
  error_code text,
  error_message text,
  error_at timestamptz,
  -- Apart from the account's own auth_status: sends may go on with a token that may not manage templates.
  auth_status text not null default 'ok' check (auth_status in ('ok', 'failed')),
  created_at timestamptz not null,
  check (next_sync_at is not null or leased_until is not null),
  primary key (tenant_id, waba_id)
);

do $$
declare
  name text;
begin
  foreach name in array array['whatsapp_templates', 'whatsapp_template_syncs'] loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
    execute format('grant select, insert, update on %I to estafet_tenant', name);
  end loop;
end $$;

-- Consent asks what a template is: the mirror knows.
create or replace function template_category(tenant uuid, number text, template jsonb) returns text
language sql stable
return (
  select t.category
  from whatsapp_accounts a
  join whatsapp_templates t on t.tenant_id = a.tenant_id and t.waba_id = a.waba_id
  where a.tenant_id = tenant and a.phone_number_id = number and t.name = template ->> 'name'
    and t.language = template -> 'language' ->> 'code');
