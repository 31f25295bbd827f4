// The desk where dead letters are decided on: one, or many at once. The decision, the audit row and the way back into
// its queue are one transaction; the bell and the log come after it.
import type { Db, Tx } from '../db/connect.ts'
import type { Dispatch } from '../dispatch/queue.ts'
import { publicId, uuidOf } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { type Decide, letterNotFound, refusal } from './decision.ts'
import {
  countKnown,
  countOpenLetters,
  type DecidedState,
  type LockedLetter,
  type Possible,
  selectOpenIds,
} from './decision-queries.ts'
import { discardLetters } from './discard.ts'
import { markSentLetters } from './mark-sent.ts'
import { type LetterFilter, type Scope, selectLetter } from './queries.ts'
import { requeueLetters } from './requeue.ts'
import { narrow } from './search.ts'
import { showLetter } from './show.ts'

export interface Desk {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  dispatch: Dispatch
}

export type Verb = 'requeue' | 'discard' | 'mark-sent'

interface Kind {
  decide: Decide
  state: DecidedState
  /** Which of the open ones it can be decided on. */
  possible: Possible
}

const verbs: Record<Verb, Kind> = {
  requeue: { decide: requeueLetters, state: 'requeued', possible: 'requeueable' },
  discard: { decide: discardLetters, state: 'discarded', possible: 'all' },
  'mark-sent': { decide: markSentLetters, state: 'resolved', possible: 'unknown' },
}

export interface Decider {
  scope: Scope
  actor: string
  reason: string
  requestId?: string
}

export async function decideOne(desk: Desk, verb: Verb, publicLetterId: string, by: Decider) {
  const id = uuidOf('dlq', publicLetterId)
  if (!id) throw letterNotFound()
  const { decided, letter } = await transaction(desk, async (tx) => {
    const decided = await verbs[verb].decide(tx, [id], { ...by, at: desk.clock.now() })
    const letter = await selectLetter(tx, by.scope, id)
    if (decided.length === 0 || !letter) throw refusal(letter, verb === 'mark-sent')
    // crash point: dead-letters.decided-before-commit
    return { decided, letter }
  })
  // crash point: dead-letters.decided-after-commit
  await report(desk, verb, decided, by)
  return showLetter(letter)
}

/** One transaction stays short enough for the workers beside it; who has more to decide asks again. */
const maxDecided = 1000

export interface Bulk extends Decider {
  isDryRun: boolean
  /** How what is to be sent again is spread over time, so that it does not crowd out what is being sent anyway. */
  pace?: { perSecond: number; startAt: Date | undefined }
}

export async function decideMany(desk: Desk, verb: Verb, filter: LetterFilter, by: Bulk) {
  const at = desk.clock.now()
  const sendAt = spread(by.pace, at)
  const { counts, known, decided } = await transaction(desk, async (tx) => {
    const narrowed = await narrow(tx, by.scope, ['open'], filter)
    const counts = await countOpenLetters(tx, by.scope, narrowed)
    const known = filter.ids === null ? 0 : await countKnown(tx, by.scope, filter.ids)
    const ids = by.isDryRun
      ? []
      : await selectOpenIds(tx, by.scope, narrowed, verbs[verb].possible, maxDecided)
    const decided =
      ids.length === 0 ? [] : await verbs[verb].decide(tx, ids, { ...by, at, ...sendAt })
    return { counts, known, decided }
  })
  if (decided.length > 0) await report(desk, verb, decided, by)

  const sum = (count: (row: (typeof counts)[number]) => number) =>
    counts.reduce((total, row) => total + count(row), 0)
  const matched = sum((row) => row.count)
  const isRequeue = verb === 'requeue'
  const pruned = isRequeue ? sum((row) => row.pruned) : 0
  const notFailed = isRequeue ? sum((row) => row.not_failed) : 0
  const mayArriveTwice = sum((row) => row.may_arrive_twice)
  const outcomeKnown = verb === 'mark-sent' ? matched - mayArriveTwice : 0
  const sent = isRequeue ? decided.filter(isOutbound).length : 0
  return {
    dry_run: by.isDryRun,
    matched,
    decided: decided.length,
    remaining: Math.max(0, matched - pruned - notFailed - outcomeKnown - decided.length),
    by_kind: Object.fromEntries(counts.map((row) => [row.kind, row.count])),
    may_arrive_twice: isRequeue ? mayArriveTwice : 0,
    next_start_at: sent > 0 ? (sendAt?.sendAt(sent).toISOString() ?? null) : null,
    skipped: {
      payload_pruned: pruned,
      message_not_failed: notFailed,
      outcome_known: outcomeKnown,
      already_decided: Math.max(0, known - matched),
      not_found: filter.ids === null ? 0 : filter.ids.length - known,
    },
  }
}

function spread(pace: Bulk['pace'], now: Date) {
  if (!pace) return undefined
  const startMs = Math.max(now.getTime(), pace.startAt?.getTime() ?? 0)
  const gapMs = 1000 / pace.perSecond
  return { sendAt: (index: number) => new Date(startMs + Math.round(index * gapMs)) }
}

/** Under the system's role, also for a tenant: events and queues, which a requeue moves, are no tenant's to touch. Every
 *  query on letters carries the tenant's id instead (`scope`). */
function transaction<T>(desk: Desk, work: (tx: Tx) => Promise<T>): Promise<T> {
  return desk.db.transaction(work)
}

/** One line and one bell for each direction. The bell is waited for: there may be no time to ring it afterwards. */
async function report(desk: Desk, verb: Verb, decided: LockedLetter[], by: Decider): Promise<void> {
  const { state } = verbs[verb]
  for (const { kind } of decided) desk.metrics.deadLettersDecided.inc({ kind, decision: state })
  for (const direction of ['inbound', 'outbound'] as const) {
    const letters = decided.filter((letter) => isOutbound(letter) === (direction === 'outbound'))
    const [first, ...others] = letters
    if (!first) continue
    if (verb === 'requeue') await desk.dispatch.wake(direction === 'outbound' ? 'outbox' : 'inbox')
    desk.log.info(`dead_letter_${state}`, {
      direction,
      count: letters.length,
      ...(by.requestId !== undefined && { request_id: by.requestId }),
      ...(by.scope !== null && { tenant_id: by.scope }),
      ...(others.length === 0 && fieldsOf(first)),
    })
  }
}

function fieldsOf(letter: LockedLetter): LogFields {
  return {
    dead_letter_id: publicId('dlq', letter.id),
    kind: letter.kind,
    error_code: letter.error_code,
    eventId: letter.event_id,
    message_id: letter.message_id === null ? null : publicId('msg', letter.message_id),
    tenant_id: letter.tenant_id,
    phone_number_id: letter.phone_number_id,
    correlation_id: letter.correlation_id,
  }
}

function isOutbound({ kind }: LockedLetter): boolean {
  return kind === 'outbound' || kind === 'unknown'
}
