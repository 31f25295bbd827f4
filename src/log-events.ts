// Every event that the log can have, and what it tells. A name without a row here does not compile; docs/logs.md lists them.

/** Webhooks in. */
const inbound = {
  webhook_received: 'A delivery of Meta’s was answered: new, or the same again (`state`).',
  webhook_rejected: 'A delivery was refused or could not be stored; `state` says why.',
  inbound_processing_started: 'A worker begins with a batch of stored webhooks.',
  inbound_processing_finished: 'It is done: how many items were applied, duplicate, ignored, dead.',
  inbound_processing_retried: 'A webhook could not be processed this time; it is tried again.',
  inbound_claim_lost: 'Another worker took a batch over; nothing of it was applied here.',
  inbound_ignored: 'An item is known to need nothing; `reason` says why.',
  inbox_watch_failed: 'Whether webhooks come in steadily could not be looked at.',
  waba_mismatch: 'An entry names another WhatsApp Business Account than the number’s.',
  dead_lettered:
    'Something could not be applied or sent and waits for a decision (`dead_letter_id`).',
  events_replayed: 'Stored webhooks are processed again, as asked.',
} as const

/** Messages out. */
const outbound = {
  outbound_send: 'One attempt at a message: what Meta answered, and what follows.',
  outbound_called_for: 'A task asked for one message.',
  outbound_taken_back: 'Claims of a worker that died were taken back.',
  outbound_claim_lost: 'A row was taken from this worker before it could begin.',
  outbound_claim_forgotten:
    'The answer to a claim was lost: `count` rows that nobody here worked were given back, unspent.',
  outbound_lease_lost: 'This worker was taken for dead: it ends what it has and claims anew.',
  outbound_heartbeat_failed: 'This worker could not say that it lives.',
  outbound_settle_failed:
    'What became of attempts could not be written down yet; it is tried again.',
  outbound_broken: 'A defect: an attempt ended in an error of ours.',
  outbound_lookup_failed: 'What a send needs could not be read; it is tried again.',
  outbound_follow_up_failed: 'What is noted after an attempt was not noted.',
  outbound_confirm_failed: 'Sends that are proven could not be ended yet.',
  duplicate_confirmed: 'Meta turned out to have accepted a message twice.',
  message_marked_read: 'A conversation was marked read at Meta.',
  number_held: 'An answer of Meta’s holds a number for a while; `reason` says which kind.',
  number_slowed_down: 'A number’s rate was halved.',
  circuit_opened: 'Sending to a number, or to Meta at all, is suspended.',
  circuit_closed: 'It goes on.',
  circuit_trial_failed: 'A trial failed; it stays suspended.',
} as const

const accounts = {
  account_connected: 'A sign-up connected a number.',
  account_reconnected: 'A sign-up gave an account a new token.',
  account_changed: 'Meta said something about an account that takes effect here.',
  signup_refused: 'A sign-up ended without a number; `error_code` says why.',
  reauth_required: 'Meta no longer takes an account’s token; its messages wait.',
  reauth_ended: 'It does again; they go out.',
  token_expiring: 'A token ends soon.',
  token_check_failed: 'Meta could not be asked about a token.',
  templates_synced: 'The templates of an account were listed.',
  template_sync_failed: 'They could not be listed; `error_code` says why.',
  template_sync_broken: 'A round of syncs failed.',
  template_sync_request_failed: 'A sync could not be asked for.',
} as const

const files = {
  media_fetch: 'One attempt to fetch a contact’s file.',
  media_fetch_broken: 'A defect, or the database away, while a file was fetched.',
  media_claim_lost: 'Another worker took a file over.',
  media_uploaded: 'A tenant uploaded a file.',
  media_handover_failed: 'A file could not be handed over to Meta before a send.',
  media_handle_not_kept: 'Meta’s id of a file was not kept; it is handed over again next time.',
  media_bytes_missing: 'A file that should be in the store is not.',
  media_sweep_failed: 'Old files could not be removed this time.',
} as const

const telling = {
  event_delivery: 'One attempt to tell an application.',
  event_delivery_given_up: 'An event was given up after its last retry.',
  event_endpoint_disabled: 'An endpoint was given up; `reason` says why.',
  event_stream_cut: 'A stream was ended by us; `reason` says why.',
  event_stream_failed: 'A stream ended in an error.',
  event_stream_look_failed: 'New events could not be looked for; the next look finds them.',
  delivery_taken_back: 'Deliveries of a worker that died were taken back.',
  delivery_claim_lost: 'A delivery was taken from this worker before it could begin.',
  delivery_claim_forgotten:
    'The answer to a claim was lost: `count` deliveries that nobody here made were given back.',
  delivery_lease_lost: 'This worker was taken for dead by the others.',
  delivery_heartbeat_failed: 'This worker could not say that it lives.',
  delivery_settle_failed: 'What became of deliveries could not be written down yet.',
  delivery_broken: 'A defect: a delivery ended in an error of ours.',
  alert_fired: 'A trouble began.',
  alert_repeated: 'It lasts.',
  alert_resolved: 'It is over.',
  alert_notification: 'One attempt to tell a channel.',
  alert_notification_broken: 'A defect while a channel was told.',
  alert_rule_failed: 'A rule could not be evaluated.',
  alerts_not_evaluated: 'No rule could be evaluated this time.',
} as const

const people = {
  api_request: 'One call of the API: route, status, duration.',
  api_request_failed: 'One that failed on our side, with the error.',
  internal_call_refused: 'A call to an internal endpoint without a good token.',
  dead_letter_requeued: 'Dead letters were requeued.',
  dead_letter_discarded: 'Dead letters were discarded.',
  dead_letter_resolved: 'Dead letters were marked as sent.',
} as const

const process = {
  started: 'The process listens.',
  stopping: 'It was told to stop and takes nothing new.',
  stopped: 'It has stopped; nothing is left half-done.',
  stopped_in_haste: 'It did not get done in time; what it had is taken back by others.',
  migrated: 'A migration was applied.',
  configuration_warning: 'A setting looks wrong and is used as it is.',
  not_ready: 'The process cannot take traffic; the error says why.',
  database_unavailable: 'The database does not answer.',
  database_unsafe: 'A setting of the database would lose what is acknowledged.',
  dedupe_store_unavailable: 'Redis or Firestore does not answer: webhooks are refused, sends wait.',
  dedupe_store_back: 'It answers again.',
  listen_failed: 'Wake-ups cannot be listened for; the poll goes on.',
  wake_failed: 'Tasks could not be asked for; the sweep finds the rows.',
  tasks_not_made: 'Cloud Tasks did not take tasks; the sweep asks again.',
  queue_run_failed: 'A look at a queue failed; the next one follows.',
  sweep_failed: 'Rows to ring for could not be looked for.',
  retention_removed: 'Old rows of a kind were removed.',
  retention_finished: 'A round of removing is over.',
  retention_failed: 'Old rows could not be removed this time.',
  secrets_resealed: 'Secrets were encrypted anew with the first key.',
  secrets_unreadable: 'No key opens some secrets.',
  reseal_failed: 'Secrets could not be encrypted anew this time.',
  backlog_not_counted: 'What waits could not be counted this time.',
  history_not_written: 'The health of this minute was not kept.',
  latencies_not_shared: 'This process’s latencies were not shared this time.',
  metrics_incomplete: 'A scrape lacks what the database would have told.',
  traces_not_exported: 'The collector of traces does not take them.',
  log_lines_dropped: 'Whoever reads the log is too slow; `count` lines are missing.',
  unhandled_rejection: 'A defect: a failure that nobody waited for.',
} as const

export const logEvents = {
  'Webhooks in': inbound,
  'Messages out': outbound,
  'Accounts and templates': accounts,
  Files: files,
  'Events and alerts': telling,
  'The API and people': people,
  'The process': process,
} as const

type Groups = typeof logEvents
export type LogEvent = { [Name in keyof Groups]: keyof Groups[Name] }[keyof Groups]
