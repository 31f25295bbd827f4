-- Open dead letters can be many too, and whether it adds up is looked at now and then: both are kept as samples.
alter table backlog_samples drop constraint backlog_samples_kind_check;
alter table backlog_samples add constraint backlog_samples_kind_check
  check (kind in ('events', 'sends', 'letters', 'accounting'));
