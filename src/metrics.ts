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
    accountsNeedingReauth: new Gauge({
      name: 'estafet_accounts_needing_reauth',
      help: 'Accounts that wait to be reconnected.',
      registers,
    }),
  }
}
