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
      help: 'Alerts that are firing, by rule.',
      labelNames: ['rule'],
      registers,
    }),
    alertsEvaluatedSeconds: new Gauge({
      name: 'estafet_alerts_evaluated_seconds',
      help: 'How long ago alerts were last evaluated. Alert on minutes: then nobody else does.',
      registers,
    }),
  }
}

function createBacklogMetrics(registers: Registry[]) {
  return {
    eventsWaiting: new Gauge({
      name: 'estafet_events_waiting',
      help: 'Webhooks that are stored and not processed yet, by state.',
      labelNames: ['state'],
      registers,
    }),
    eventsOldestSeconds: new Gauge({
      name: 'estafet_events_oldest_seconds',
      help: 'How long the oldest of them has been waiting.',
      labelNames: ['state'],
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
    deadLettersOldestSeconds: new Gauge({
      name: 'estafet_dead_letters_oldest_seconds',
      help: 'How long the oldest of them has been waiting for a decision.',
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
      help: 'Circuit breakers that are open, of numbers and of the host.',
      labelNames: ['scope'],
      registers,
    }),
    accounts: new Gauge({
      name: 'estafet_accounts',
      help: 'Connected numbers by the state of their access: ok, expiring (within TOKEN_WARNING_DAYS), needs_reauth.',
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
      help: 'Where a sample of the newest went: inbound received = applied + duplicate + ignored + dead, outbound accepted = sent + failed + unknown + cancelled + waiting.',
      labelNames: ['ledger', 'part'],
      registers,
    }),
    accountingDifference: new Gauge({
      name: 'estafet_accounting_difference',
      help: 'How many of that sample are not accounted for. Anything but 0 is a defect.',
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
      help: "A tenant's webhooks to process and messages to send.",
      labelNames: ['tenant', 'queue'],
      registers,
    }),
    tenantOldestSeconds: new Gauge({
      name: 'estafet_tenant_oldest_seconds',
      help: "How long the oldest of a tenant's has been waiting that could be worked on now.",
      labelNames: ['tenant'],
      registers,
    }),
    tenantDeadLettersOpen: new Gauge({
      name: 'estafet_tenant_dead_letters_open',
      help: "A tenant's dead letters that nobody has decided on.",
      labelNames: ['tenant'],
      registers,
    }),
  }
}
