// What is counted, in one place. Labels are closed sets: no tenant, number or person becomes one.
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { createRecent } from './recent.ts'

export type Metrics = ReturnType<typeof createMetrics>

export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    /** For health, which speaks for all processes. */
    recent: createRecent(),
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
    inboundItems: new Counter({
      name: 'estafet_inbound_items_total',
      help: 'Items of processed webhooks by outcome.',
      labelNames: ['outcome'],
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
    ...createOutboundMetrics(registers),
    ...mediaMetrics(registers),
    ...eventMetrics(registers),
    signups: new Counter({
      name: 'estafet_signups_total',
      help: 'Sign-ups that came back from Meta, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    accounts: new Gauge({
      name: 'estafet_accounts',
      help: 'Connected numbers by the state of their access: ok, expiring (within TOKEN_WARNING_DAYS), needs_reauth.',
      labelNames: ['state'],
      registers,
    }),
    wabaMismatches: new Counter({
      name: 'estafet_waba_mismatches_total',
      help: "Items whose entry names another WhatsApp Business Account than the number's.",
      registers,
    }),
    ...createGauges(registers),
    databaseReady: new Gauge({
      name: 'estafet_database_ready',
      help: '1 when the database answers and its settings keep an acknowledged webhook.',
      registers,
    }),
  }
}

function createOutboundMetrics(registers: Registry[]) {
  return {
    sends: new Counter({
      name: 'estafet_sends_total',
      help: 'Attempts to send by outcome; not_posted: Meta was not asked.',
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

/** Set from the database when they are asked for. */
function createGauges(registers: Registry[]) {
  return {
    eventsWaiting: new Gauge({
      name: 'estafet_events_waiting',
      help: 'Webhooks that are stored and not processed yet.',
      registers,
    }),
    eventsOldestSeconds: new Gauge({
      name: 'estafet_events_oldest_seconds',
      help: 'How long the oldest of them has been waiting.',
      registers,
    }),
    sendsWaiting: new Gauge({
      name: 'estafet_sends_waiting',
      help: 'Messages that Meta has not accepted yet, by why they wait.',
      labelNames: ['state'],
      registers,
    }),
    sendsOldestSeconds: new Gauge({
      name: 'estafet_sends_oldest_seconds',
      help: 'How long the oldest of them has been due.',
      labelNames: ['state'],
      registers,
    }),
    deadLettersOpen: new Gauge({
      name: 'estafet_dead_letters_open',
      help: 'Dead letters that nobody has decided on, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    circuitsOpen: new Gauge({
      name: 'estafet_circuits_open',
      help: 'Circuit breakers that are open, of numbers and of the host, in the whole installation.',
      labelNames: ['scope'],
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
