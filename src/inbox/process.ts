// Step 2 of 4: stored events → conversations, messages, statuses. Before: receive.ts.
// Many events share a transaction while all goes well. When one fails they are tried one by one, and a failing one item
// by item, so that only the bad item suffers. Whoever was claimed before in vain is claimed alone: it may be what ends processes.
import { IdentityChanges, type LockMode } from '../contacts/resolve.ts'
import { DatabaseUnavailable, isContention, type Tx } from '../db/connect.ts'
import { bury, type DeadLetter } from '../dead-letters/bury.ts'
import { resolveLetters } from '../dead-letters/resolve.ts'
import type { Queue } from '../dispatch/queue.ts'
import { errorFields } from '../log.ts'
import { parseWebhook } from '../meta/webhook.ts'
import type { WebhookItem } from '../meta/webhook-item.ts'
import { settleProven } from '../outbox/evidence.ts'
import { applyItems } from './apply.ts'
import type { Inbox } from './inbox.ts'
import {
  addOutcome,
  countItem,
  type EventOutcome,
  emptyOutcome,
  onlyNewLetters,
} from './outcome.ts'
import { withOwners } from './owners.ts'
import { itemsOf, letterOf, type ParsedEvent } from './plan.ts'
import { type ClaimedEvent, claimEvent, claimEvents, finishEvents, holdEvents } from './queries.ts'
import { readEventState } from './reopen.ts'
import { logFieldsOf, reportOutcome } from './report.ts'
import { attemptsAllowed, exhaust, giveBack, retryLater } from './retry.ts'
import { traceFailed } from './trace.ts'

export function createInboxQueue(inbox: Inbox): Queue {
  return { name: 'inbox', runDue: () => runDue(inbox) }
}

async function runDue(inbox: Inbox): Promise<number> {
  const events = await claimEvents(inbox.db, {
    limit: 100,
    maxBytes: 2 * 1024 * 1024,
    leaseSeconds: inbox.leaseSeconds,
    taskName: 'postgres',
    now: inbox.queueNow(),
  })
  if (events.length === 0) return 0
  // crash point: inbox.claimed
  try {
    await work(inbox, events)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    await giveBack(inbox, events)
  }
  return events.length
}

export type ProcessedEvent =
  | { kind: 'unknown' | 'finished' }
  /** In hand elsewhere, or to be tried again at that time. */
  | { kind: 'not_due'; nextAt: Date }
  /** It failed this time, and is tried again at that time. */
  | { kind: 'retried'; nextAt: Date }

/** One event that somebody calls for. Throws when the database is away: then whoever called calls again. */
export async function processEvent(
  inbox: Inbox,
  id: string,
  taskName: string,
): Promise<ProcessedEvent> {
  const { leaseSeconds } = inbox
  const event = await claimEvent(inbox.db, id, { leaseSeconds, taskName, now: inbox.queueNow() })
  if (event) {
    try {
      await work(inbox, [event])
    } catch (error) {
      // Somebody waits for the answer.
      if (error instanceof DatabaseUnavailable) await giveBack(inbox, [event], leaseSeconds * 1000)
      throw error
    }
  }
  const state = await readEventState(inbox.db, id)
  if (!state) return { kind: 'unknown' }
  if (state.status === 'done' || state.status === 'failed') return { kind: 'finished' }
  return { kind: event ? 'retried' : 'not_due', nextAt: state.next_run_at }
}

async function work(inbox: Inbox, events: ClaimedEvent[]): Promise<void> {
  const parsed: ParsedEvent[] = []
  for (const event of events) {
    const startedMs = inbox.clock.monotonicMs()
    inbox.log.info('inbound_processing_started', { ...logFieldsOf(event), attempts: event.attempt })
    if (event.attempt > attemptsAllowed(inbox, event)) {
      await exhaust(inbox, event, 'every attempt to process it ended the process')
      traceFailed(inbox, { event, startedMs }, 'failed', 'RETRIES_EXHAUSTED')
      continue
    }
    parsed.push({ event, webhook: parseWebhook(event.raw), startedMs })
  }
  if (parsed.length > 0) await processTogether(inbox, parsed)
}

async function processTogether(
  inbox: Inbox,
  parsed: ParsedEvent[],
  mode: LockMode = 'shared',
): Promise<void> {
  const { db, clock, random } = inbox
  try {
    const outcomes = await db.transaction(async (tx) => {
      const held = await holdEvents(
        tx,
        parsed.map(({ event }) => event),
      )
      const ours = parsed.filter(({ event }) => held.has(event.id))
      for (const one of ours) inbox.beforeApply?.(one.event, itemsOf(one))
      const applied = await applyItems(ours, {
        tx,
        random,
        now: clock.now(),
        mode,
        stopWords: inbox.stopWords,
        isTraced: inbox.traces !== undefined,
      })
      await finish(tx, ours, applied, clock.now())
      // crash point: inbox.applied-before-commit
      return applied
    })
    // crash point: inbox.applied-after-commit
    for (const one of parsed) reportOutcome(inbox, one, outcomes.get(one.event.id))
    // crash point: inbox.reported-before-proofs
    await settleProven(
      inbox,
      [...outcomes.values()].flatMap((outcome) => outcome.proven),
    )
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    // Somebody's identity changes, which happens to few: those batches run one at a time for their tenants.
    if (error instanceof IdentityChanges) return processTogether(inbox, parsed, 'exclusive')
    const [first, ...others] = parsed
    if (first && others.length === 0) return processAlone(inbox, first)
    for (const one of parsed) await processTogether(inbox, [one])
  }
}

/** What lost a race is retried, so that the rest of the batch is still worked. */
async function processAlone(inbox: Inbox, one: ParsedEvent): Promise<void> {
  try {
    await processItemwise(inbox, one)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    await retryLater(inbox, one.event, error)
    const isLast = one.event.attempt >= attemptsAllowed(inbox, one.event)
    traceFailed(inbox, one, isLast ? 'failed' : 'retried', errorFields(error).error_code)
  }
}

/** Each item in its own transaction. What the database or our code refuses is put aside. */
async function processItemwise(inbox: Inbox, one: ParsedEvent): Promise<void> {
  const letters: DeadLetter[] = []
  const sum = emptyOutcome()
  const dead = emptyOutcome()
  for (const [index, item] of itemsOf(one).entries()) {
    try {
      const outcome = await applyOne(inbox, one, item, index)
      if (!outcome) return reportOutcome(inbox, one, undefined)
      // crash point: inbox.item-after-commit
      addOutcome(sum, outcome)
    } catch (error) {
      if (error instanceof DatabaseUnavailable || isContention(error)) throw error
      letters.push(putAside(inbox, one.event, item, error, dead))
    }
  }
  const finished = await inbox.db.transaction(async (tx) => {
    const held = await holdEvents(tx, [one.event])
    if (!held.has(one.event.id)) return false
    const owned = await withOwners(tx, letters, one.event.appId)
    for (const letter of owned) countItem(dead, letter.tenantId, 'dead')
    onlyNewLetters(dead, new Set(await bury(tx, owned)))
    addOutcome(sum, dead)
    await finish(tx, [one], new Map([[one.event.id, sum]]), inbox.clock.now())
    // crash point: inbox.letters-before-commit
    return true
  })
  // crash point: inbox.letters-after-commit
  reportOutcome(inbox, one, finished ? sum : undefined)
  await settleProven(inbox, sum.proven)
}

async function finish(
  tx: Tx,
  parsed: ParsedEvent[],
  outcomes: Map<string, EventOutcome>,
  now: Date,
): Promise<void> {
  const events = parsed.map(({ event }) => event)
  // An event that once ran out of attempts lies among the dead letters as a whole; now it went through.
  const again = parsed.filter(({ event, webhook }) => event.attempt > 1 && 'items' in webhook)
  await resolveLetters(
    tx,
    again.map(({ event }) => ({ eventId: event.id, itemPath: '' })),
    now,
  )
  await finishEvents(tx, events, outcomes, now)
}

/** Undefined when the claim was lost to another worker. */
async function applyOne(
  inbox: Inbox,
  one: ParsedEvent,
  item: WebhookItem,
  index: number,
): Promise<EventOutcome | undefined> {
  return inbox.db.transaction(async (tx) => {
    const held = await holdEvents(tx, [one.event])
    if (!held.has(one.event.id)) return undefined
    inbox.beforeApply?.(one.event, [item])
    const alone = { ...one, webhook: { items: [item] }, offset: index }
    const { random, stopWords } = inbox
    const isTraced = inbox.traces !== undefined
    const now = inbox.clock.now()
    const context = { tx, random, now, mode: 'exclusive' as const, stopWords, isTraced }
    const outcomes = await applyItems([alone], context)
    // crash point: inbox.item-before-commit
    return outcomes.get(one.event.id)
  })
}

function putAside(
  inbox: Inbox,
  event: ClaimedEvent,
  item: WebhookItem,
  error: unknown,
  outcome: EventOutcome,
): DeadLetter {
  const { error_code = 'PROCESSING_FAILED', error_message = 'unknown error' } = errorFields(error)
  const id = inbox.random.uuid()
  const now = inbox.clock.now()
  outcome.warnings.push({
    event: 'dead_lettered',
    level: 'error',
    fields: { ...errorFields(error), kind: 'inbound', dead_letter_id: id, path: item.path },
  })
  return letterOf(event, item, 'inbound', error_code, error_message, id, now)
}
