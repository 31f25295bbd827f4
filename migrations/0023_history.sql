-- How it went over time, for the console's overview: the whole and each tenant, minute by minute for some hours, then in
-- quarters of an hour for a week.

-- What recent_latencies is for the whole, by tenant: each process adds its own counts to the minute it is in. Kept only
-- until it is in the history.
create table recent_tenant_latencies (
  tenant_id uuid not null references tenants,
  minute timestamptz not null,
  kind text not null,
  process_id uuid not null,
  bucket smallint not null,
  count int not null,
  primary key (tenant_id, minute, kind, process_id, bucket)
) with (fillfactor = 70);
create index recent_tenant_latencies_minute on recent_tenant_latencies (minute);

create table health_history (
  -- Null: everybody and nobody together. A tenant has no row for a time in which nothing happened and nothing waited;
  -- the whole has one whenever somebody looked, so that its gaps are times in which nobody did.
  tenant_id uuid references tenants,
  step text not null check (step in ('minute', 'quarter')),
  at timestamptz not null,
  -- How many minutes of the step somebody looked at.
  minutes smallint not null default 1,
  -- Messages that were decided on: Meta took them, or they became dead letters.
  accepted int not null,
  refused int not null,
  -- By kind and bucket (recent.ts): percentiles of a longer time cannot be made of those of shorter ones.
  latencies jsonb not null,
  -- The most there was at once; null: not looked at.
  waiting_sends int,
  waiting_events int,
  oldest_seconds real,
  dead_letters int,
  unique nulls not distinct (tenant_id, step, at)
) with (fillfactor = 80);
create index health_history_at on health_history (step, at);

do $$
declare name text;
begin
  foreach name in array array['recent_tenant_latencies', 'health_history'] loop
    execute format('create policy own_tenant on %I to estafet_tenant using (tenant_id = current_tenant()) '
      'with check (tenant_id = current_tenant())', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
    execute format('grant select on %I to estafet_tenant', name);
  end loop;
end $$;
