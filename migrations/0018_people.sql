-- People: who signs in to the console, what they may, their sessions, and the links that let them choose a password.

create table people (
  id uuid primary key,
  -- Null: an operator, who works for all tenants.
  tenant_id uuid references tenants,
  -- In lower case.
  email text not null check (email = lower(email)),
  name text not null,
  role text not null check (role in ('operator', 'admin', 'agent')),
  -- scrypt, with its own salt and costs; null until an invitation was accepted.
  password_hash text,
  password_changed_at timestamptz,
  -- Nobody is deleted: the audit tells what they did by their id.
  disabled_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((role = 'operator') = (tenant_id is null))
);
create unique index people_email on people (email);
create index people_of_tenant on people (tenant_id, created_at desc, id desc);

create table sessions (
  id uuid primary key,
  -- SHA-256 of what the browser carries: whoever reads this table is nobody.
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  person_id uuid not null references people,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  ended_at timestamptz
);
create index sessions_of_person on sessions (person_id) where ended_at is null;
create index sessions_last_seen on sessions (last_seen_at);

-- An invitation or a new password: one living link a person, the latest one.
create table person_links (
  person_id uuid primary key references people,
  token_hash bytea not null unique check (octet_length(token_hash) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null
);

-- Signing in with a wrong password, by whom it was meant for, known here or not: both wait equally long.
create table sign_in_failures (
  email_hash bytea primary key check (octet_length(email_hash) = 32),
  failures int not null,
  locked_until timestamptz not null,
  updated_at timestamptz not null
);
create index sign_in_failures_updated on sign_in_failures (updated_at);

create policy own_tenant on people to estafet_tenant using (tenant_id = current_tenant())
  with check (tenant_id = current_tenant());
do $$
declare
  name text;
begin
  foreach name in array array['people', 'sessions', 'person_links', 'sign_in_failures'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
-- Who may be assigned a conversation.
grant select (id, tenant_id, name, role, disabled_at) on people to estafet_tenant;
