// What this process counts, in one place. Labels are closed sets (metrics-labels.ts): no number or person becomes one.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { startAtZero } from './metrics-labels.ts'
import { createWholeMetrics } from './metrics-whole.ts'
import { createRecent } from './recent.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  // Event-loop lag, memory, garbage collection, CPU, under the names that every Node dashboard knows.
  collectDefaultMetrics({ register: registry })
  const metrics = {
    registry,
    whole: createWholeMetrics(),
    /** For health, which speaks for all processes. */
    recent: createRecent(),
    ...createInboundMetrics(registers),
    ...createOutboundMetrics(registers),
    ...mediaMetrics(registers),
    ...eventMetrics(registers),
    ...alertMetrics(registers),
    signups: new Counter({
      name: 'estafet_signups_total',
      help: 'Sign-ups that came back from Meta: connected, reconnected, refused.',
      labelNames: ['outcome'],
      registers,
    }),
    wabaMismatches: new Counter({
      name: 'estafet_waba_mismatches_total',
      help: 'Items whose entry names another WhatsApp Business Account than the number’s.',
      registers,
    }),
    ...dedupeMetrics(registers),
    databaseReady: new Gauge({
      name: 'estafet_database_ready',
      help: '1 when the database answers and would keep what is acknowledged; looked at every minute.',
      registers,
    }),
    ...createPoolMetrics(registers),
  }
  startAtZero(registry)
  return metrics
}

/** Only with a dedupe store outside Postgres. */
function dedupeMetrics(registers: Registry[]) {
  return {
    dedupeMarks: new Counter({
      name: 'estafet_dedupe_marks_total',
      help: 'What the dedupe store said, where it is not Postgres: inbound new, pending, done; outbound begun, pending, sent; unavailable.',
      labelNames: ['direction', 'outcome'],
      registers,
    }),
    dedupeStoreReady: new Gauge({
      name: 'estafet_dedupe_store_ready',
      help: '1 when the dedupe store answered last time, 0 when it did not: then webhooks are refused and sends wait.',
      registers,
    }),
  }
}

function createInboundMetrics(registers: Registry[]) {
  return {
    webhookRequests: new Counter({
      name: 'estafet_webhook_requests_total',
      help: 'Webhook requests: accepted, duplicate (the same delivery again), bad_signature, bad_token (a handshake with a wrong one), too_large, bad_request, not_stored (500: Meta sends it again).',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAckSeconds: new Histogram({
      name: 'estafet_webhook_ack_seconds',
      help: 'Time from a webhook request to its answer, without those that were rejected.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    eventsProcessed: new Counter({
      name: 'estafet_events_processed_total',
      help: 'Attempts to process a stored webhook: done, retried, failed (retries used up), lost (another worker took it over).',
      labelNames: ['outcome'],
      registers,
    }),
    inboundProcessingSeconds: new Histogram({
      name: 'estafet_inbound_processing_seconds',
      help: 'Time from the receipt of a webhook to its being processed, waiting included.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600],
      registers,
    }),
    inboundItems: new Counter({
      name: 'estafet_inbound_items_total',
      help: 'Messages, statuses and notices in webhooks: applied, duplicate, ignored, dead.',
      labelNames: ['outcome'],
      registers,
    }),
    dedupeHits: new Counter({
      name: 'estafet_dedupe_hits_total',
      help: 'What came again and had no second effect: a whole delivery, an item, a request with its Idempotency-Key.',
      labelNames: ['layer'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'estafet_dead_letters_total',
      help: 'Dead letters made: outbound, unknown, inbound, malformed, unroutable.',
      labelNames: ['kind'],
      registers,
    }),
    deadLettersDecided: new Counter({
      name: 'estafet_dead_letters_decided_total',
      help: 'Dead letters decided on: requeued, discarded, resolved.',
      labelNames: ['kind', 'decision'],
      registers,
    }),
    tasksMade: new Counter({
      name: 'estafet_tasks_made_total',
      help: 'Cloud Tasks asked for: made, known (of that name already), failed (a sweep asks again).',
      labelNames: ['queue', 'outcome'],
      registers,
    }),
  }
}

function createOutboundMetrics(registers: Registry[]) {
  return {
    sends: new Counter({
      name: 'estafet_sends_total',
      help: 'Attempts to send by the class of their outcome (not_posted: Meta was not asked) and by Meta’s code: one of its documentation, other, or none.',
      labelNames: ['class', 'code'],
      registers,
    }),
    retries: new Counter({
      name: 'estafet_retries_total',
      help: 'Attempts that failed and are made again later: inbox, outbox, events (to applications), media.',
      labelNames: ['queue'],
      registers,
    }),
    retriesExhausted: new Counter({
      name: 'estafet_retries_exhausted_total',
      help: 'What was given up after its last retry.',
      labelNames: ['queue'],
      registers,
    }),
    rateLimits: new Counter({
      name: 'estafet_rate_limits_total',
      help: 'Calls refused as too many: by Meta’s limit on a pair, number, message, waba or app; api_key: by ours, on a key; backlog: by ours, on how many messages of a tenant wait (MAX_QUEUED_PER_TENANT).',
      labelNames: ['scope'],
      registers,
    }),
    reconciliations: new Counter({
      name: 'estafet_reconciliations_total',
      help: 'Sends whose answer was lost: ambiguous (it began), postponed (our own webhooks were behind), proven (Meta has it), sent_again, given_up (a dead letter unknown).',
      labelNames: ['outcome'],
      registers,
    }),
    sendSeconds: new Histogram({
      name: 'estafet_send_seconds',
      help: 'Time of one call to Meta.',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    duplicatesConfirmed: new Counter({
      name: 'estafet_duplicates_confirmed_total',
      help: 'Attempts that Meta turned out to have accepted besides another one at the same message: doubles.',
      registers,
    }),
    templateSyncs: new Counter({
      name: 'estafet_template_syncs_total',
      help: 'Listings of templates: done, auth (the token may not), failed.',
      labelNames: ['outcome'],
      registers,
    }),
    holds: new Counter({
      name: 'estafet_holds_total',
      help: 'Answers that held a number: rate_limited, spam_limited, account.',
      labelNames: ['reason'],
      registers,
    }),
    slowDowns: new Counter({
      name: 'estafet_slow_downs_total',
      help: 'Numbers whose rate was halved after an answer that they send too fast.',
      registers,
    }),
    circuitChanges: new Counter({
      name: 'estafet_circuit_changes_total',
      help: 'Circuit breakers of a number or the host: opened, closed, stays_open after a trial that failed.',
      labelNames: ['scope', 'change'],
      registers,
    }),
  }
}

/** Files: fetched from Meta, uploaded by tenants, handed over to Meta, removed. */
function mediaMetrics(registers: Registry[]) {
  return {
    mediaFetches: new Counter({
      name: 'estafet_media_fetches_total',
      help: 'Attempts to fetch a contact’s file: stored, trouble (later again), waiting (for its account), gone, impossible, over (Meta no longer keeps it), released, lost.',
      labelNames: ['outcome'],
      registers,
    }),
    mediaFetchSeconds: new Histogram({
      name: 'estafet_media_fetch_seconds',
      help: 'Time from a message to its file being stored.',
      buckets: [0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86_400],
      registers,
    }),
    mediaUploads: new Counter({
      name: 'estafet_media_uploads_total',
      help: 'Files that tenants uploaded: stored, refused, failed.',
      labelNames: ['outcome'],
      registers,
    }),
    mediaHandovers: new Counter({
      name: 'estafet_media_handovers_total',
      help: 'Files handed over to Meta before a send: uploaded, reused (Meta had it), refused, unreachable, unreadable.',
      labelNames: ['outcome'],
      registers,
    }),
    mediaRemoved: new Counter({
      name: 'estafet_media_removed_total',
      help: 'Files removed because their time was over or their upload was abandoned.',
      registers,
    }),
  }
}

function eventMetrics(registers: Registry[]) {
  return {
    eventDeliveries: new Counter({
      name: 'estafet_event_deliveries_total',
      help: 'Attempts to tell an application: taken, pending (tried again), failed (given up), done (it need not be told any more).',
      labelNames: ['outcome'],
      registers,
    }),
    eventDeliverySeconds: new Histogram({
      name: 'estafet_event_delivery_seconds',
      help: 'Time of one call to an event endpoint.',
      buckets: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    eventEndpointsDisabled: new Counter({
      name: 'estafet_event_endpoints_disabled_total',
      help: 'Event endpoints given up: failing for days, gone (they said so). Alert on any increase.',
      labelNames: ['reason'],
      registers,
    }),
    eventStreams: new Gauge({
      name: 'estafet_event_streams',
      help: 'Open event streams of the process.',
      registers,
    }),
    eventStreamsCut: new Counter({
      name: 'estafet_event_streams_cut_total',
      help: 'Streams that we ended: slow, revoked, failed.',
      labelNames: ['reason'],
      registers,
    }),
  }
}

function alertMetrics(registers: Registry[]) {
  return {
    alertNotifications: new Counter({
      name: 'estafet_alert_notifications_total',
      help: 'Attempts to tell a channel (slack, pagerduty, webhook): delivered, retried, given_up.',
      labelNames: ['kind', 'outcome'],
      registers,
    }),
  }
}

/** Filled by whoever has the pools, when somebody looks. */
function createPoolMetrics(registers: Registry[]) {
  return {
    poolSize: new Gauge({
      name: 'estafet_pool_size',
      help: 'Connections to the database that a pool may have: receive (webhooks), work, api.',
      labelNames: ['pool'],
      registers,
    }),
    poolConnections: new Gauge({
      name: 'estafet_pool_connections',
      help: 'Connections to the database that a pool has, used or idle.',
      labelNames: ['pool', 'state'],
      registers,
    }),
    poolWaiting: new Gauge({
      name: 'estafet_pool_waiting',
      help: 'Who waits for a connection of a pool.',
      labelNames: ['pool'],
      registers,
    }),
  }
}
