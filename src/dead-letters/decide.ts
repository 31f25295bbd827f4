// The desk where dead letters are decided on: one, or many at once. The decision, the audit row and the event's way
// back are one transaction; the bell and the log come after it.
import type { Db, Tx } from '../db/connect.ts'
import type { Dispatch } from '../dispatch/queue.ts'
import { publicId, uuidOf } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { type Decide, letterNotFound, refusal } from './decision.ts'
import { discardLetters } from './discard.ts'
import {
  countKnown,
  countOpenLetters,
  type LetterFilter,
  type LockedLetter,
  type Scope,
  selectLetter,
  selectOpenIds,
} from './queries.ts'
import { requeueLetters } from './requeue.ts'
import { showLetter } from './show.ts'

export interface Desk {
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  dispatch: Dispatch
}

export type Verb = 'requeue' | 'discard'

const verbs: Record<Verb, { decide: Decide; state: 'requeued' | 'discarded' }> = {
  requeue: { decide: requeueLetters, state: 'requeued' },
  discard: { decide: discardLetters, state: 'discarded' },
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
    if (decided.length === 0 || !letter) throw refusal(letter)
    return { decided, letter }
  })
  report(desk, verb, decided, by)
  return showLetter(letter)
}

/** One transaction stays short enough for the workers beside it; who has more to decide asks again. */
const maxDecided = 1000

export async function decideMany(
  desk: Desk,
  verb: Verb,
  filter: LetterFilter,
  by: Decider & { isDryRun: boolean },
) {
  const { counts, known, decided } = await transaction(desk, async (tx) => {
    const counts = await countOpenLetters(tx, by.scope, filter)
    const known = filter.ids === null ? 0 : await countKnown(tx, by.scope, filter.ids)
    const ids = by.isDryRun
      ? []
      : await selectOpenIds(tx, by.scope, filter, verb === 'requeue', maxDecided)
    const decided =
      ids.length === 0 ? [] : await verbs[verb].decide(tx, ids, { ...by, at: desk.clock.now() })
    return { counts, known, decided }
  })
  if (decided.length > 0) report(desk, verb, decided, by)

  const sum = (count: (row: (typeof counts)[number]) => number) =>
    counts.reduce((total, row) => total + count(row), 0)
  const matched = sum((row) => row.count)
  const decidable = verb === 'requeue' ? sum((row) => row.requeueable) : matched
  return {
    dry_run: by.isDryRun,
    matched,
    decided: decided.length,
    remaining: Math.max(0, decidable - decided.length),
    by_kind: Object.fromEntries(counts.map((row) => [row.kind, row.count])),
    skipped: {
      payload_pruned: matched - decidable,
      already_decided: Math.max(0, known - matched),
      not_found: filter.ids === null ? 0 : filter.ids.length - known,
    },
  }
}

/** Under the system's role, also for a tenant: events, which a requeue moves, are no tenant's to touch. Every query on
 *  letters carries the tenant's id instead (`scope`). */
function transaction<T>(desk: Desk, work: (tx: Tx) => Promise<T>): Promise<T> {
  return desk.db.transaction(work)
}

function report(desk: Desk, verb: Verb, decided: LockedLetter[], by: Decider): void {
  if (verb === 'requeue') desk.dispatch.wake('inbox')
  const { state } = verbs[verb]
  for (const { kind } of decided) desk.metrics.deadLettersDecided.inc({ kind, decision: state })
  const [first, ...others] = decided
  const only = others.length === 0 ? first : undefined
  desk.log.info(`dead_letter_${state}`, {
    count: decided.length,
    ...(by.requestId !== undefined && { request_id: by.requestId }),
    ...(by.scope !== null && { tenant_id: by.scope }),
    ...(only && {
      dead_letter_id: publicId('dlq', only.id),
      direction: 'inbound',
      kind: only.kind,
      error_code: only.error_code,
      eventId: only.event_id,
      tenant_id: only.tenant_id,
      phone_number_id: only.phone_number_id,
      correlation_id: only.correlation_id,
    }),
  })
}
