-- Files: what contacts send and what tenants upload. The bytes lie in a store (disk or S3) under the row's ids; a row says
-- whose they are and how far they got. What a maintainer must know:
--   1 A row comes before its bytes and goes after them, so that no crash leaves bytes that no row knows of: an upload that
--     died is `uploading`, a removal that died is `deleting`, and the sweep ends both.
--   2 An inbound row commits with its message; fetching it is a job of its own. A lease is next_run_at moved into the future,
--     `attempt` counts claims and is the fence. next_run_at is null once nobody will look again.
--   3 `expired` may be looked at again until fetch_until: Meta gives one answer to "gone" and to "you may not see it".

create table whatsapp_media (
  id uuid not null,
  tenant_id uuid not null references tenants,
  origin text not null check (origin in ('inbound', 'upload')),
  state text not null check (state in ('uploading', 'pending', 'stored', 'expired', 'failed', 'deleting')),
  kind text not null check (kind in ('audio', 'document', 'image', 'sticker', 'video')),
  mime_type text not null,
  filename text,
  bytes bigint check (bytes >= 0),
  sha256 bytea,
  correlation_id uuid not null,
  created_at timestamptz not null,
  -- When it was stored or last sent: what retention counts from.
  kept_since timestamptz not null,
  -- Of inbound files only, from here on.
  message_id uuid,
  phone_number_id text,
  meta_media_id text,
  -- As the webhook said it.
  promised_sha256 bytea,
  attempt int not null default 0,
  failures int not null default 0,
  next_run_at timestamptz,
  -- Meta's id is dead by then.
  fetch_until timestamptz,
  last_error text,
  primary key (tenant_id, id),
  foreign key (tenant_id, message_id) references whatsapp_messages (tenant_id, id),
  check ((origin = 'inbound') = (meta_media_id is not null and message_id is not null and phone_number_id is not null
    and fetch_until is not null)),
  check (state <> 'stored' or (bytes is not null and sha256 is not null and next_run_at is null)),
  check (state <> 'pending' or next_run_at is not null)
);
create unique index whatsapp_media_of_message on whatsapp_media (tenant_id, message_id) where message_id is not null;
create index whatsapp_media_due on whatsapp_media (tenant_id, next_run_at, id) where next_run_at is not null;
create index whatsapp_media_age on whatsapp_media (kept_since) where state in ('stored', 'uploading');
create index whatsapp_media_deleting on whatsapp_media (tenant_id, id) where state = 'deleting';

-- Under which id Meta knows a file, for each number that sent it. Such ids live 30 days.
create table whatsapp_media_handles (
  tenant_id uuid not null references tenants,
  media_id uuid not null,
  phone_number_id text not null,
  meta_media_id text not null,
  expires_at timestamptz not null,
  primary key (tenant_id, media_id, phone_number_id),
  foreign key (tenant_id, media_id) references whatsapp_media (tenant_id, id) on delete cascade
);

do $$
declare name text;
begin
  foreach name in array array['whatsapp_media', 'whatsapp_media_handles'] loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
grant select, insert, update on whatsapp_media to estafet_tenant;
