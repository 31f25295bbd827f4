-- What the console shows of people, keys and the audit: when somebody was last there, when a key was last used, and
-- everything that was done to one thing.

alter table api_keys add column last_used_at timestamptz;

create index sessions_seen on sessions (person_id, last_seen_at);

create index audit_log_of_subject on audit_log (subject, at);
