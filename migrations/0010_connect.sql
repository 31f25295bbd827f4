-- Numbers that connect by sign-up, what Meta says about them, and how their tokens fare.

create table signup_states (
  -- SHA-256 of what the browser carries: whoever reads this table cannot sign anybody up.
  state_hash bytea primary key check (octet_length(state_hash) = 32),
  tenant_id uuid not null references tenants,
  -- The account that is to be reconnected; null: whichever number is chosen at Meta.
  account_id uuid,
  started_by text not null,
  -- Where Meta was told to send the browser back to, if it was sent away at all: the code is exchanged with the same words.
  redirect_uri text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index signup_states_expires on signup_states (expires_at);

alter table whatsapp_accounts
  -- Templates hang on another permission than messages: one can be lost without the other.
  add column templates_auth_status text not null default 'ok' check (templates_auth_status in ('ok', 'needs_reauth')),
  add column templates_auth_last_error text,
  -- Null: never, or not known yet.
  add column token_expires_at timestamptz,
  add column token_checked_at timestamptz,
  -- When Meta is asked about the token next. Whoever asks moves it on first, so that one process does.
  add column token_check_at timestamptz not null default now(),
  -- Of two-step verification, as we set it; sealed like the token.
  add column pin text,
  add column throughput_level text not null default 'standard'
    check (throughput_level in ('standard', 'high', 'coexistence')),
  -- A restriction: contacts are answered, but nobody is written to first.
  add column replies_only_until timestamptz,
  -- What Meta said last about each subject, with its own time: {"quality": {"at": …, "rating": …}, …}.
  add column told jsonb not null default '{}';
create index whatsapp_accounts_token_check on whatsapp_accounts (token_check_at);

create policy own_tenant on signup_states to estafet_tenant using (tenant_id = current_tenant())
  with check (tenant_id = current_tenant());
alter table signup_states enable row level security;
alter table signup_states force row level security;
create policy all_tenants on signup_states to estafet_system using (true) with check (true);
grant select, insert, update, delete on signup_states to estafet_system;
