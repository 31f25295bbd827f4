// Where the items of an event went. The numbers of one tenant add up to what was received for it: that is the accounting.
import type { LogFields } from '../log.ts'
import type { UntimedSpan } from '../tracing/span.ts'

export interface Counts {
  received: number
  messages: number
  statuses: number
  notices: number
  duplicates: number
  dead: number
  /** By reason. */
  ignored: Record<string, number>
}

export interface Warning {
  event:
    | 'dead_lettered'
    | 'waba_mismatch'
    | 'inbound_ignored'
    | 'duplicate_confirmed'
    | 'account_changed'
    | 'reauth_required'
  fields: LogFields
  level?: 'error' | 'warn'
}

export interface EventOutcome {
  /** By tenant id; `nobody` for what has no owner. */
  counts: Map<string, Counts>
  warnings: Warning[]
  /** Messages that a status proved to be with Meta: those that wait to be sent again need not. */
  proven: { tenantId: string; messageId: string }[]
  /** Queued with what they follow from: made by responders, or templates for what came too late for its window. */
  replies: number
  /** Of messages, replies and statuses, where traces are wanted. */
  spans: UntimedSpan[]
  /** What the log says of the event: its first item that has an owner. */
  first?: LogFields
}

/** A place that has an open letter from an earlier attempt is no news. */
export function onlyNewLetters(outcome: EventOutcome, buried: ReadonlySet<string>): void {
  outcome.warnings = outcome.warnings.filter(
    ({ event, fields }) => event !== 'dead_lettered' || buried.has(fields.dead_letter_id ?? ''),
  )
}

/** The key of what belongs to no tenant. */
export const nobody = '-'

export function emptyOutcome(): EventOutcome {
  return { counts: new Map(), warnings: [], proven: [], replies: 0, spans: [] }
}

export function countsOf(outcome: EventOutcome, tenantId: string | null): Counts {
  const key = tenantId ?? nobody
  const known = outcome.counts.get(key)
  if (known) return known
  const fresh = {
    received: 0,
    messages: 0,
    statuses: 0,
    notices: 0,
    duplicates: 0,
    dead: 0,
    ignored: {},
  }
  outcome.counts.set(key, fresh)
  return fresh
}

export type Fate = 'messages' | 'statuses' | 'notices' | 'duplicates' | 'dead' | { ignored: string }

export function countItem(outcome: EventOutcome, tenantId: string | null, fate: Fate): void {
  const counts = countsOf(outcome, tenantId)
  counts.received++
  if (typeof fate === 'string') counts[fate]++
  else counts.ignored[fate.ignored] = (counts.ignored[fate.ignored] ?? 0) + 1
}

export function addOutcome(sum: EventOutcome, more: EventOutcome): void {
  for (const [tenant, counts] of more.counts) {
    const target = countsOf(sum, tenant === nobody ? null : tenant)
    target.received += counts.received
    target.messages += counts.messages
    target.statuses += counts.statuses
    target.notices += counts.notices
    target.duplicates += counts.duplicates
    target.dead += counts.dead
    for (const [reason, count] of Object.entries(counts.ignored)) {
      target.ignored[reason] = (target.ignored[reason] ?? 0) + count
    }
  }
  sum.warnings.push(...more.warnings)
  sum.proven.push(...more.proven)
  sum.replies += more.replies
  sum.spans.push(...more.spans)
  if (more.first) sum.first ??= more.first
}

export interface Totals {
  applied: number
  duplicates: number
  ignored: number
  dead: number
}

export function totalsOf(outcome: EventOutcome): Totals {
  const totals: Totals = { applied: 0, duplicates: 0, ignored: 0, dead: 0 }
  for (const counts of outcome.counts.values()) {
    totals.applied += counts.messages + counts.statuses + counts.notices
    totals.duplicates += counts.duplicates
    totals.ignored += Object.values(counts.ignored).reduce((sum, count) => sum + count, 0)
    totals.dead += counts.dead
  }
  return totals
}

export function outcomeJson(outcome: EventOutcome): string {
  return JSON.stringify(Object.fromEntries(outcome.counts))
}
