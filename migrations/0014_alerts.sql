-- Alerts: what is wrong, whom it concerns, and that they were told. What a maintainer must know:
--   1 A row of alerts is one episode of one trouble: firing, then resolved. At most one firing per rule and subject, held by
--     an index: two evaluators at once still fire once. Notifications commit with the transition they tell of.
--   2 tenant_id is null for what is the operator's: alerts about the whole, and the operator's own channels.
--   3 Notifications are a small queue. Locks: the channel, then its notifications. One call at a time per channel, in order
--     per alert; `claim` is the fence. All of it goes by the processes' clock, not the database's.
--   4 alert_signals holds what only happens and leaves no state elsewhere, one row per rule and subject, however often.
--     Those about sends are written under the tenant's lock in send_tenants.

create table alert_channels (
  id uuid primary key,
  tenant_id uuid references tenants,
  kind text not null check (kind in ('slack', 'pagerduty', 'webhook')),
  description text not null default '',
  -- Sealed. Null: it is in the environment (SLACK_WEBHOOK_URL, PAGERDUTY_ROUTING_KEY).
  target text,
  -- As much of the target as is shown.
  hint text not null,
  -- Sealed; signs what is posted to a webhook.
  secret text,
  created_at timestamptz not null,
  hold_until timestamptz not null default '-infinity',
  -- In a row, and since when.
  failures int not null default 0,
  failing_since timestamptz,
  last_error text,
  last_success_at timestamptz,
  check ((secret is not null) = (kind = 'webhook')),
  check (target is not null or tenant_id is null)
);
create index alert_channels_of_tenant on alert_channels (tenant_id, created_at desc, id desc);
create index alert_channels_failing on alert_channels (failing_since) where failing_since is not null;

create table alerts (
  id uuid primary key,
  tenant_id uuid references tenants,
  rule text not null,
  -- Which number, endpoint or channel; '' when there is but one of it.
  subject text not null,
  state text not null default 'firing' check (state in ('firing', 'resolved')),
  severity text not null check (severity in ('critical', 'error', 'warning')),
  since timestamptz not null,
  fired_at timestamptz not null,
  resolved_at timestamptz,
  -- Since when the trouble seems to be over; it must be for a while.
  clear_since timestamptz,
  -- When somebody was last told.
  notified_at timestamptz not null,
  count int not null,
  summary text not null,
  check ((resolved_at is not null) = (state = 'resolved'))
);
create unique index alerts_firing on alerts (tenant_id, rule, subject) nulls not distinct where state = 'firing';
create index alerts_fired on alerts (fired_at desc, id desc);
create index alerts_of_tenant on alerts (tenant_id, fired_at desc, id desc);
create index alerts_resolved on alerts (resolved_at) where state = 'resolved';

create table alert_notifications (
  id uuid primary key default gen_random_uuid(),
  position bigint generated always as identity,
  tenant_id uuid,
  alert_id uuid not null references alerts on delete cascade,
  channel_id uuid not null references alert_channels on delete cascade,
  event text not null check (event in ('fired', 'repeated', 'resolved')),
  message jsonb not null,
  status text not null default 'waiting' check (status in ('waiting', 'done', 'failed')),
  attempts int not null default 0,
  next_run_at timestamptz not null,
  -- The lease, and the fence of whoever has it.
  claimed_until timestamptz,
  claim int not null default 0,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (claimed_until is null or status = 'waiting')
);
create index alert_notifications_waiting on alert_notifications (channel_id, position) where status = 'waiting';
create index alert_notifications_of_alert on alert_notifications (alert_id, channel_id);

create table alert_signals (
  tenant_id uuid not null references tenants,
  rule text not null,
  subject text not null,
  -- Of this streak: since it was last quiet.
  count int not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- Nothing new by then: it is over.
  active_until timestamptz not null,
  -- A word of ours: an error code, a part somebody plays.
  reason text not null,
  primary key (tenant_id, rule, subject)
) with (fillfactor = 70);
create index alert_signals_active on alert_signals (rule, active_until);

-- Who evaluates, one at a time, and when that was last done.
create table alert_evaluator (
  is_only boolean primary key default true check (is_only),
  evaluated_at timestamptz not null default '-infinity',
  holder uuid,
  leased_until timestamptz not null default '-infinity'
);
insert into alert_evaluator default values;

-- How many of a tenant's are open is counted by it, up to a limit.
create index dead_letters_open_of_tenant on dead_letters (tenant_id, created_at desc) where state = 'open';
create index event_endpoints_disabled on event_endpoints (disabled_at) where status = 'disabled';

do $$
declare
  tenant_tables text[] := array['alert_channels', 'alerts', 'alert_notifications', 'alert_signals'];
  name text;
begin
  foreach name in array tenant_tables loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
grant select on alert_channels, alerts to estafet_tenant;
alter table alert_evaluator enable row level security;
alter table alert_evaluator force row level security;
create policy all_tenants on alert_evaluator to estafet_system using (true) with check (true);
grant select, update on alert_evaluator to estafet_system;
