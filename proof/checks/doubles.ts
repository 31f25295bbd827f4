// Whether Meta has a message twice, and whether that is excused: its answer was lost or its sender died, nothing told of it
// before it was sent again, the wait was kept, and the product says itself that it happened.
import type { AcceptedSend, GraphRequest } from '../../simulator/ledger.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { unpackCallback } from '../../src/meta/callback-data.ts'
import { inboxPatienceMs } from '../../src/outbox/inbox-pulse.ts'
import type { Evidence } from './evidence.ts'
import { type Span, touches } from './span.ts'

/** More of what the database has, for what the times decide. */
export interface Timing {
  attempts: TimedAttempt[]
  /** When the first status under this name was processed. */
  heard: { wamid: string; atMs: number }[]
}

export interface TimedAttempt {
  id: string
  messageId: string
  tenantId: string
  delivery: 'at_least_once' | 'at_most_once'
  outcome: string | null
  /** Of its row, however often it was tried. */
  failures: number
  startedMs: number
  endedMs: number | null
  /** When what the database has of it was committed. */
  writtenMs: number | null
}

export async function gatherTiming(db: Db): Promise<Timing> {
  return {
    attempts: await db.query(sql<TimedAttempt>`
      select a.id, o.message_id as "messageId", a.tenant_id as "tenantId", o.delivery, a.outcome, o.attempts as failures,
        (extract(epoch from a.started_at) * 1000)::float8 as "startedMs",
        (extract(epoch from a.finished_at) * 1000)::float8 as "endedMs",
        (extract(epoch from pg_xact_commit_timestamp(a.xmin)) * 1000)::float8 as "writtenMs"
      from send_attempts a
      join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id`),
    heard: await db.query(sql<Timing['heard'][number]>`
      select s.wamid, (extract(epoch from min(e.processed_at)) * 1000)::float8 as "atMs"
      from whatsapp_message_statuses s
      join whatsapp_webhook_events e on e.id = s.event_id
      group by s.wamid`),
  }
}

export interface DoubleTerms {
  reconcileSeconds: number
  /** When a sender was dead, was told to end, or stood still; and when Meta's own process did. */
  outages: Span[]
}

export interface Doubles {
  violations: string[]
  /** Each with its excuse. */
  excused: string[]
}

interface Acceptance {
  send: AcceptedSend
  request: GraphRequest | undefined
  attempt: TimedAttempt
  /** When a status of it was first processed, and first acknowledged. */
  heardMs: number | undefined
  acknowledgedMs: number | undefined
}

export function checkDoubles(
  { ledger, rows }: Pick<Evidence, 'ledger' | 'rows'>,
  timing: Timing,
  { reconcileSeconds, outages }: DoubleTerms,
): Doubles {
  const requests = new Map(ledger.requests.flatMap((one) => (one.wamid ? [[one.wamid, one]] : [])))
  const attempts = new Map(timing.attempts.map((one) => [one.id, one]))
  const heard = new Map(timing.heard.map(({ wamid, atMs }) => [wamid, atMs]))
  const confirmed = new Set(
    rows.messages.flatMap((one) => (one.isDuplicateConfirmed ? one.id : [])),
  )
  const dead = new Set(rows.attempts.flatMap(({ id, isDead }) => (isDead ? id : [])))
  const acknowledged = acknowledgedStatuses(ledger)
  const failed = failedAtMeta(ledger)
  const found: Doubles = { violations: [], excused: [] }
  const byMessage = new Map<string, Acceptance[]>()
  for (const send of ledger.sends) {
    const id = unpackCallback(send.biz_opaque_callback_data)?.attemptId
    const attempt = attempts.get(id ?? '')
    if (!attempt) {
      found.violations.push(`I4: no attempt of ours made ${send.wamid}`)
      continue
    }
    const one = {
      ...{ send, request: requests.get(send.wamid), attempt },
      heardMs: heard.get(send.wamid),
      acknowledgedMs: acknowledged.get(send.wamid),
    }
    byMessage.set(attempt.messageId, [...(byMessage.get(attempt.messageId) ?? []), one])
  }
  for (const [messageId, acceptances] of byMessage) {
    // One that stood still on its way may reach Meta after the next.
    acceptances.sort((a, b) => a.attempt.startedMs - b.attempt.startedMs)
    for (const [index, next] of acceptances.entries()) {
      const violations = found.violations.length
      // What Meta gave up after accepting it is with nobody: whoever sends it again doubles nothing.
      for (const before of acceptances
        .slice(0, index)
        .filter((one) => !failed.has(one.send.wamid))) {
        const wrong = whatIsWrong(before, next, reconcileSeconds)
        if (!dead.has(before.attempt.id) && wasHeard(before, outages))
          wrong.push('the first was answered whole, and nothing kept its sender from hearing it')
        const isThere = !failed.has(next.send.wamid)
        if (isThere && !confirmed.has(messageId)) wrong.push('nobody was told of it')
        if (wrong.length === 0) continue
        found.violations.push(`I4: ${nameOf(messageId, before, next)}: ${wrong.join('; ')}`)
      }
      const last = acceptances.slice(0, index).findLast((one) => !failed.has(one.send.wamid))
      if (last && found.violations.length === violations)
        found.excused.push(`${nameOf(messageId, last, next)}: ${excuseOf(last)}`)
    }
  }
  return found
}

/** Names of what Meta accepted, and then could not deliver. */
export function failedAtMeta({ deliveries }: Pick<Evidence['ledger'], 'deliveries'>): Set<string> {
  const items = deliveries.flatMap((one) => one.items)
  return new Set(items.flatMap(({ status, wamid }) => (status === 'failed' ? (wamid ?? []) : [])))
}

const nameOf = (messageId: string, before: Acceptance, next: Acceptance) =>
  `the message ${messageId} is at Meta as ${before.send.wamid} and ${next.send.wamid}`

/** When the gateway first said 200 to a status under each name: from then on it is the gateway's to know of it. */
function acknowledgedStatuses({ deliveries }: Evidence['ledger']): Map<string, number> {
  const first = new Map<string, number>()
  for (const { items, attempts, faults } of deliveries) {
    const taken = attempts.find(({ response_status }) => response_status === 200)
    // What was garbled on the way may have told nothing.
    if (!taken || faults.some((one) => one.startsWith('malformed'))) continue
    const atMs = Date.parse(taken.at) + taken.duration_ms
    for (const { kind, wamid } of items)
      if (kind === 'status' && wamid !== null)
        first.set(wamid, Math.min(atMs, first.get(wamid) ?? atMs))
  }
  return first
}

/** A status that was taken longer ago than this holds back whatever it is about, processed or not. */
const inboxMarginMs = inboxPatienceMs + 2_000

/** Meta took it and said that it did not, in words that are no gateway's on the way: its word is taken, and it is tried again. */
export function isDenied(request: GraphRequest | undefined): boolean {
  const { outcome, status } = request ?? { outcome: 'open', status: null }
  const isMetas = status !== null && status >= 500 && status < 520
  return outcome === 'answered' && isMetas && status !== 502 && status !== 504
}

/** So long before a sender gives up an answer must have come, or a busy machine may have kept it from being read in time. */
const surelyHeardMs = 2_000

/**
 * Nothing stands between a sender and Meta: what was answered whole, soon, and with no fault on it, was heard by whoever lived.
 * Not so by a sender that died (its lease ran out, also where the database was cut off from it: then others said so), that was
 * told to end or stood still, or whose Meta stood still: its answer may have come after the sender's patience.
 */
function wasHeard({ request, attempt }: Acceptance, outages: Span[]): boolean {
  if (attempt.outcome !== 'unknown') return false
  if (request?.outcome !== 'answered' || request.faults.length > 0) return false
  const { arrived_at, answered_at, status } = request
  const tookMs = Date.parse(answered_at ?? '') - Date.parse(arrived_at)
  if (status === null || status >= 300 || !(tookMs < surelyHeardMs)) return false
  const { startedMs: fromMs, endedMs } = attempt
  const span = { fromMs, toMs: endedMs ?? fromMs + 15_000 }
  return !outages.some((outage) => touches(outage, span))
}

function whatIsWrong(before: Acceptance, next: Acceptance, reconcileSeconds: number): string[] {
  const { heardMs, acknowledgedMs } = before
  const { startedMs } = next.attempt
  const endedMs = before.attempt.endedMs ?? before.attempt.startedMs
  // A sender that was taken for dead may write down its answer after the next has begun.
  const waitedMs = startedMs - (endedMs > startedMs ? before.attempt.startedMs : endedMs)
  const secondsSince = (ms: number) => ((startedMs - ms) / 1000).toFixed(1)
  const isOnce = before.attempt.delivery === 'at_most_once'
  const isWord = isDenied(before.request)
  return [
    ...(isOnce && !isWord ? ['it was to be sent at most once'] : []),
    ...(before.attempt.outcome === 'accepted' && endedMs <= startedMs
      ? ['the first answer had been heard']
      : []),
    ...(heardMs !== undefined && heardMs < startedMs
      ? [`a status had told of the first ${secondsSince(heardMs)} s before`]
      : []),
    ...(acknowledgedMs !== undefined && acknowledgedMs + inboxMarginMs < startedMs
      ? [`a status of the first had been acknowledged ${secondsSince(acknowledgedMs)} s before`]
      : []),
    ...(waitedMs < reconcileSeconds * 1000 - 500 && (isOnce || !isWord)
      ? [`only ${(waitedMs / 1000).toFixed(1)} s were waited`]
      : []),
  ]
}

function excuseOf({ request, attempt }: Acceptance): string {
  if (isDenied(request)) return 'Meta said that it had not taken it, and no status came in time'
  if (request?.outcome === 'cut') return 'its answer was cut off, and no status came in time'
  if ((request?.faults.length ?? 0) > 0)
    return 'its answer said nothing, and no status came in time'
  return `its sender heard nothing (${attempt.outcome}), and no status came in time`
}
