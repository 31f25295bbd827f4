// What the database says of the whole installation. In a registry of its own: when the database does not answer, these are
// left out of a scrape instead of being shown as they once were. Every process shows the same.
import { Gauge, Registry } from 'prom-client'

export type WholeMetrics = ReturnType<typeof createWholeMetrics>

export function createWholeMetrics() {
  const registry = new Registry()
  const registers = [registry]
  return {
    registry,
    ...createBacklogMetrics(registers),
    ...createAccountingMetrics(registers),
    ...createTenantMetrics(registers),
    ...createAlertMetrics(registers),
  }
}

function createAlertMetrics(registers: Registry[]) {
  return {
    alertsFiring: new Gauge({
      name: 'estafet_alerts_firing',
      help: 'Alerts of our own that are firing, by rule.',
      labelNames: ['rule'],
      registers,
    }),
    alertsEvaluatedSeconds: new Gauge({
      name: 'estafet_alerts_evaluated_seconds',
      help: 'How long ago the alert rules were last looked at. Alert on minutes: then nobody else does.',
      registers,
    }),
  }
}

function createBacklogMetrics(registers: Registry[]) {
  return {
    eventsWaiting: new Gauge({
      name: 'estafet_events_waiting',
      help: 'Webhooks that are stored and not processed yet: runnable, processing, retry_wait; not_counted_yet when there are too many and no worker has counted.',
      labelNames: ['state'],
      registers,
    }),
    eventsOldestSeconds: new Gauge({
      name: 'estafet_events_oldest_seconds',
      help: 'Age of the oldest webhook that waits; of runnable ones that were tried before, since they came due again.',
      labelNames: ['state'],
      registers,
    }),
    sendsWaiting: new Gauge({
      name: 'estafet_sends_waiting',
      help: 'Messages that Meta has not accepted, by why: runnable, in_flight, behind (an earlier one to the same contact), scheduled, retry_wait, throttled, circuit_open, parked; unknown and dead wait for a person.',
      labelNames: ['state'],
      registers,
    }),
    sendsOldestSeconds: new Gauge({
      name: 'estafet_sends_oldest_seconds',
      help: 'How long the oldest message that waits has been due; of runnable ones, since nothing holds them up any more.',
      labelNames: ['state'],
      registers,
    }),
    deadLettersOpen: new Gauge({
      name: 'estafet_dead_letters_open',
      help: 'Dead letters that nobody has decided on, by kind.',
      labelNames: ['kind'],
      registers,
    }),
    deadLettersOldestSeconds: new Gauge({
      name: 'estafet_dead_letters_oldest_seconds',
      help: 'How long the oldest open dead letter has been waiting for a decision.',
      labelNames: ['kind'],
      registers,
    }),
    tenantsOverThreshold: new Gauge({
      name: 'estafet_tenants_over_dead_letter_threshold',
      help: 'Tenants with more open dead letters than DLQ_ALERT_THRESHOLD.',
      registers,
    }),
    circuitsOpen: new Gauge({
      name: 'estafet_circuits_open',
      help: 'Circuit breakers that are open, of a number or of the host.',
      labelNames: ['scope'],
      registers,
    }),
    accounts: new Gauge({
      name: 'estafet_accounts',
      help: 'Connected numbers: ok, expiring (within TOKEN_WARNING_DAYS), needs_reauth.',
      labelNames: ['state'],
      registers,
    }),
  }
}

/** Of what was looked at last (ops/account-sample.ts), not of all time. */
function createAccountingMetrics(registers: Registry[]) {
  return {
    accounting: new Gauge({
      name: 'estafet_accounting',
      help: 'Where a sample of the newest went. inbound: received = applied + duplicate + ignored + dead; outbound: accepted = sent + failed + unknown + cancelled + waiting.',
      labelNames: ['ledger', 'part'],
      registers,
    }),
    accountingDifference: new Gauge({
      name: 'estafet_accounting_difference',
      help: 'How many of that sample are in no part. Anything but 0 is a defect.',
      labelNames: ['ledger'],
      registers,
    }),
    accountingAgeSeconds: new Gauge({
      name: 'estafet_accounting_age_seconds',
      help: 'How old that sample is; the workers take one every half minute.',
      registers,
    }),
  }
}

/** Only with METRICS_TENANTS; `other` is everybody beyond that many. */
function createTenantMetrics(registers: Registry[]) {
  return {
    tenantWaiting: new Gauge({
      name: 'estafet_tenant_waiting',
      help: 'With METRICS_TENANTS: a tenant’s webhooks to process (inbox) and messages to send (outbox).',
      labelNames: ['tenant', 'queue'],
      registers,
    }),
    tenantOldestSeconds: new Gauge({
      name: 'estafet_tenant_oldest_seconds',
      help: 'With METRICS_TENANTS: age of the oldest of a tenant’s that could be worked on now.',
      labelNames: ['tenant'],
      registers,
    }),
    tenantDeadLettersOpen: new Gauge({
      name: 'estafet_tenant_dead_letters_open',
      help: 'With METRICS_TENANTS: a tenant’s dead letters that nobody has decided on.',
      labelNames: ['tenant'],
      registers,
    }),
  }
}
