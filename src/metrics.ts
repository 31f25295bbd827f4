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
      help: 'Sign-ups that came back from Meta, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    wabaMismatches: new Counter({
      name: 'estafet_waba_mismatches_total',
      help: "Items whose entry names another WhatsApp Business Account than the number's.",
      registers,
    }),
    ...dedupeMetrics(registers),
    databaseReady: new Gauge({
      name: 'estafet_database_ready',
      help: '1 when the database answers and its settings keep an acknowledged webhook.',
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
      help: 'What the dedupe store said: inbound new, pending, done; outbound begun, pending, sent; unavailable: it did not answer.',
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
      help: 'Webhook requests by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAckSeconds: new Histogram({
      name: 'estafet_webhook_ack_seconds',
      help: 'Time from a webhook request to its answer.',
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
    eventsProcessed: new Counter({
      name: 'estafet_events_processed_total',
      help: 'Attempts to process a stored webhook: done, retried, failed (retries used up), lost (another worker took it).',
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
      help: 'Items of processed webhooks by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    dedupeHits: new Counter({
      name: 'estafet_dedupe_hits_total',
      help: 'What came again and had no second effect: a whole delivery, an item of one, a request with its Idempotency-Key.',
      labelNames: ['layer'],
      registers,
    }),
    deadLetters: new Counter({
      name: 'estafet_dead_letters_total',
      help: 'Dead letters made, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    deadLettersDecided: new Counter({
      name: 'estafet_dead_letters_decided_total',
      help: 'Dead letters decided on, by kind and decision.',
      labelNames: ['kind', 'decision'],
      registers,
    }),
    tasksMade: new Counter({
      name: 'estafet_tasks_made_total',
      help: 'Cloud Tasks asked for, by queue and outcome: made, known (of that name already), failed.',
      labelNames: ['queue', 'outcome'],
      registers,
    }),
  }
}

function createOutboundMetrics(registers: Registry[]) {
  return {
    sends: new Counter({
      name: 'estafet_sends_total',
      help: "Attempts to send by the class of their outcome and Meta's code; not_posted: Meta was not asked.",
      labelNames: ['class', 'code'],
      registers,
    }),
    retries: new Counter({
      name: 'estafet_retries_total',
      help: 'Attempts that failed and are made again later, by queue.',
      labelNames: ['queue'],
      registers,
    }),
    retriesExhausted: new Counter({
      name: 'estafet_retries_exhausted_total',
      help: 'What was given up after its last retry, by queue.',
      labelNames: ['queue'],
      registers,
    }),
    rateLimits: new Counter({
      name: 'estafet_rate_limits_total',
      help: "Calls refused for being too many: by Meta's limit on a pair, number, message, WABA or app, or by our own on an API key.",
      labelNames: ['scope'],
      registers,
    }),
    reconciliations: new Counter({
      name: 'estafet_reconciliations_total',
      help: 'Sends whose outcome was lost: ambiguous (it began), postponed (our webhooks were behind), proven, sent_again, given_up.',
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
      help: 'Attempts that Meta turned out to have accepted besides another one at the same message.',
      registers,
    }),
    templateSyncs: new Counter({
      name: 'estafet_template_syncs_total',
      help: 'Listings of templates by outcome; auth: the token may not manage templates.',
      labelNames: ['outcome'],
      registers,
    }),
    holds: new Counter({
      name: 'estafet_holds_total',
      help: 'Answers of Meta that held a number, by what they said.',
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
      help: 'Changes of circuit breakers: opened, closed, stays_open after a trial that failed.',
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
      help: 'Attempts to fetch a file that a contact sent, by outcome.',
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
      help: 'Files that tenants uploaded, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    mediaHandovers: new Counter({
      name: 'estafet_media_handovers_total',
      help: 'Files handed over to Meta before a send, by outcome; reused: Meta had it already.',
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
      help: 'Attempts to deliver an event to an application, by outcome: taken, pending (tried again), failed, done.',
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
      help: 'Event endpoints given up, by reason: failing (for days), gone (they said so). Alert on any increase.',
      labelNames: ['reason'],
      registers,
    }),
    eventStreams: new Gauge({
      name: 'estafet_event_streams',
      help: 'Open event streams of this process.',
      registers,
    }),
    eventStreamsCut: new Counter({
      name: 'estafet_event_streams_cut_total',
      help: 'Event streams ended by us, by reason: slow (did not read), revoked (its key is no longer valid), failed.',
      labelNames: ['reason'],
      registers,
    }),
  }
}

function alertMetrics(registers: Registry[]) {
  return {
    alertNotifications: new Counter({
      name: 'estafet_alert_notifications_total',
      help: 'Attempts to tell somebody of an alert, by kind of channel and outcome: delivered, retried, given_up.',
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
      help: 'Connections to the database that a pool may have.',
      labelNames: ['pool'],
      registers,
    }),
    poolConnections: new Gauge({
      name: 'estafet_pool_connections',
      help: 'Connections that a pool has, by what they do.',
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
