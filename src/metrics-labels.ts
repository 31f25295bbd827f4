// Every label that a metric of ours has, and every value that it can take: how many series there are is known beforehand.
import { Counter, type Registry } from 'prom-client'

/** Either these values, or as many as something else allows. */
export type LabelValues = readonly string[] | { boundedBy: string }

export const deadLetterKinds = [
  'outbound',
  'inbound',
  'malformed',
  'unroutable',
  'unknown',
] as const
export const eventStates = ['runnable', 'processing', 'retry_wait', 'not_counted_yet'] as const
export const sendStates = [
  ...['runnable', 'in_flight', 'behind', 'scheduled', 'retry_wait', 'throttled', 'circuit_open'],
  ...['parked', 'unknown', 'dead', 'not_counted_yet'],
] as const
const openKinds = [...deadLetterKinds, 'not_counted_yet'] as const
const queues = ['inbox', 'outbox', 'events', 'media'] as const
const pools = ['receive', 'work', 'api'] as const
const tenant = { boundedBy: 'METRICS_TENANTS' }

export const ledgerParts = {
  inbound: ['received', 'applied', 'duplicate', 'ignored', 'dead'],
  outbound: ['accepted', 'sent', 'failed', 'unknown', 'cancelled', 'waiting'],
} as const
export type Ledger = keyof typeof ledgerParts

export const metricLabels: Record<string, Record<string, LabelValues>> = {
  estafet_webhook_requests_total: {
    outcome: [
      'accepted',
      'duplicate',
      'bad_signature',
      'bad_token',
      'too_large',
      'bad_request',
      'not_stored',
    ],
  },
  estafet_events_processed_total: { outcome: ['done', 'retried', 'failed', 'lost'] },
  estafet_inbound_items_total: { outcome: ['applied', 'duplicate', 'ignored', 'dead'] },
  estafet_dedupe_hits_total: { layer: ['delivery', 'item', 'request'] },
  estafet_dedupe_marks_total: {
    direction: ['inbound', 'outbound'],
    outcome: ['new', 'pending', 'done', 'begun', 'sent', 'unavailable'],
  },
  estafet_tasks_made_total: {
    queue: ['inbox', 'outbox', 'media', 'events', 'deliveries', 'alerts'],
    outcome: ['made', 'known', 'failed'],
  },
  estafet_alert_notifications_total: {
    kind: ['slack', 'pagerduty', 'webhook'],
    outcome: ['delivered', 'retried', 'given_up'],
  },
  estafet_alerts_firing: { rule: { boundedBy: 'the rules of alerts/rules.ts' } },
  estafet_dead_letters_total: { kind: deadLetterKinds },
  estafet_dead_letters_decided_total: {
    kind: deadLetterKinds,
    decision: ['requeued', 'discarded', 'resolved'],
  },
  estafet_sends_total: {
    class: [
      ...['accepted', 'not_sent', 'rate_limited', 'spam_limited', 'pair_limited', 'account'],
      ...['auth', 'permanent', 'recipient', 'transient', 'unknown', 'not_posted'],
    ],
    code: { boundedBy: 'the codes of meta/outcome-table.ts' },
  },
  estafet_retries_total: { queue: queues },
  // A file is asked for until Meta no longer keeps it.
  estafet_retries_exhausted_total: { queue: ['inbox', 'outbox', 'events'] },
  estafet_rate_limits_total: {
    scope: ['pair', 'number', 'message', 'waba', 'app', 'api_key', 'backlog'],
  },
  estafet_reconciliations_total: {
    outcome: ['ambiguous', 'postponed', 'proven', 'sent_again', 'given_up'],
  },
  estafet_template_syncs_total: { outcome: ['done', 'auth', 'failed'] },
  estafet_holds_total: { reason: ['rate_limited', 'spam_limited', 'account'] },
  estafet_circuit_changes_total: {
    scope: ['number', 'host'],
    change: ['opened', 'closed', 'stays_open'],
  },
  estafet_media_fetches_total: {
    outcome: [
      ...['stored', 'trouble', 'waiting', 'gone', 'impossible', 'over', 'released', 'lost'],
    ],
  },
  estafet_media_uploads_total: { outcome: ['stored', 'refused', 'failed'] },
  estafet_media_handovers_total: {
    outcome: ['uploaded', 'reused', 'refused', 'unreachable', 'unreadable'],
  },
  estafet_event_deliveries_total: { outcome: ['taken', 'pending', 'failed', 'done'] },
  estafet_event_endpoints_disabled_total: { reason: ['failing', 'gone'] },
  estafet_event_streams_cut_total: { reason: ['slow', 'revoked', 'failed'] },
  estafet_signups_total: { outcome: ['connected', 'reconnected', 'refused'] },
  estafet_pool_size: { pool: pools },
  estafet_pool_connections: { pool: pools, state: ['used', 'idle'] },
  estafet_pool_waiting: { pool: pools },
  estafet_events_waiting: { state: eventStates },
  estafet_events_oldest_seconds: { state: eventStates },
  estafet_sends_waiting: { state: sendStates },
  estafet_sends_oldest_seconds: { state: sendStates },
  estafet_dead_letters_open: { kind: openKinds },
  estafet_dead_letters_oldest_seconds: { kind: openKinds },
  estafet_circuits_open: { scope: ['number', 'host'] },
  estafet_accounts: { state: ['ok', 'expiring', 'needs_reauth'] },
  estafet_accounting: {
    ledger: ['inbound', 'outbound'],
    part: [...ledgerParts.inbound, ...ledgerParts.outbound],
  },
  estafet_accounting_difference: { ledger: ['inbound', 'outbound'] },
  estafet_tenant_waiting: { tenant, queue: ['inbox', 'outbox'] },
  estafet_tenant_oldest_seconds: { tenant },
  estafet_tenant_dead_letters_open: { tenant },
}

/** Counters begin at 0 and not with their first event: Prometheus cannot see the rise of a series that was not there. */
export function startAtZero(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray() as unknown[]) {
    if (!(metric instanceof Counter)) continue
    const { name } = metric as unknown as { name: string }
    for (const labels of combinationsOf(metricLabels[name] ?? {})) metric.inc(labels, 0)
  }
}

/** None where a label has no list of values. */
function combinationsOf(labels: Record<string, LabelValues>): Record<string, string>[] {
  let found: Record<string, string>[] = [{}]
  for (const [label, values] of Object.entries(labels)) {
    if ('boundedBy' in values) return []
    found = found.flatMap((known) => values.map((value) => ({ ...known, [label]: value })))
  }
  return found
}
