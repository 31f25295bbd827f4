-- What health needs to be quick and to speak for every process: how long things took in the last minutes, and how much
-- waits when that is too much to count for every question.

-- Each process adds its own counts to slots of ten seconds; whoever asks sums them up.
create table recent_latencies (
  slot timestamptz not null,
  kind text not null,
  process_id uuid not null,
  -- Where its latencies end, by recent.ts; 0 for what is only counted.
  bucket smallint not null,
  count int not null,
  primary key (slot, kind, process_id, bucket)
) with (fillfactor = 70);

-- The last count of a backlog that is too large to be counted each time.
create table backlog_samples (
  kind text primary key check (kind in ('events', 'sends')),
  taken_at timestamptz not null,
  rows jsonb not null
);

do $$
declare name text;
begin
  foreach name in array array['recent_latencies', 'backlog_samples'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy all_tenants on %I to estafet_system using (true) with check (true)', name);
    execute format('grant select, insert, update, delete on %I to estafet_system', name);
  end loop;
end $$;
