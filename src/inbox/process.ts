// Step 2 of 4: stored events → conversations, messages, statuses. Before: receive.ts. After: outbox/send.ts.
// Many events share a transaction while all goes well. When one fails they are tried one by one, and a failing one item
// by item, so that only the bad item suffers.
import { DatabaseUnavailable, isContention } from '../db/connect.ts'
import { bury, type DeadLetter } from '../dead-letters/bury.ts'
import type { Queue } from '../dispatch/queue.ts'
import { errorFields } from '../log.ts'
import { parseWebhook, type WebhookItem } from '../meta/webhook.ts'
import {
  applyItems,
  type EventOutcome,
  itemsOf,
  letterOf,
  type ParsedEvent,
  withOwners,
} from './apply.ts'
import type { Inbox } from './inbox.ts'
import { type ClaimedEvent, claimEvents, finishEvents, holdEvents } from './queries.ts'
import { logFieldsOf, reportOutcome } from './report.ts'
import { exhaust, giveBack, retryLater } from './retry.ts'

/** From here on an event is tried alone: it may be what kills the process. */
const suspectAttempt = 3

export function createInboxQueue(inbox: Inbox): Queue {
  return { name: 'inbox', runDue: () => runDue(inbox) }
}

async function runDue(inbox: Inbox): Promise<number> {
  const events = await claimEvents(inbox.db, {
    limit: 100,
    maxBytes: 2 * 1024 * 1024,
    leaseSeconds: inbox.leaseSeconds,
    now: inbox.queueNow(),
  })
  if (events.length === 0) return 0
  try {
    await work(inbox, events)
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    await giveBack(inbox, events)
  }
  return events.length
}

async function work(inbox: Inbox, events: ClaimedEvent[]): Promise<void> {
  const together: ParsedEvent[] = []
  const alone: ParsedEvent[] = []
  for (const event of events) {
    inbox.log.info('inbound_processing_started', { ...logFieldsOf(event), attempts: event.attempt })
    if (event.attempt > inbox.maxAttempts) {
      await exhaust(inbox, event, 'every attempt to process it ended the process')
      continue
    }
    const parsed = { event, webhook: parseWebhook(event.raw), startedMs: inbox.clock.monotonicMs() }
    if (event.attempt < suspectAttempt) together.push(parsed)
    else alone.push(parsed)
  }
  if (together.length > 0) await processTogether(inbox, together)
  for (const suspect of alone) await processTogether(inbox, [suspect])
}

async function processTogether(inbox: Inbox, parsed: ParsedEvent[]): Promise<void> {
  const { db, clock, random } = inbox
  try {
    const outcomes = await db.transaction(async (tx) => {
      const held = await holdEvents(
        tx,
        parsed.map(({ event }) => event),
      )
      const ours = parsed.filter(({ event }) => held.has(event.id))
      for (const one of ours) inbox.beforeApply?.(one.event, itemsOf(one))
      const applied = await applyItems(tx, ours, random, clock.now())
      await finishEvents(tx, [...held], clock.now())
      return applied
    })
    for (const one of parsed) reportOutcome(inbox, one, outcomes.get(one.event.id))
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
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
  }
}

/** Each item in its own transaction. What the database or our code refuses is put aside. */
async function processItemwise(inbox: Inbox, one: ParsedEvent): Promise<void> {
  const letters: DeadLetter[] = []
  const sum: EventOutcome = { applied: 0, duplicates: 0, ignored: 0, dead: 0, warnings: [] }
  for (const item of itemsOf(one)) {
    try {
      const outcome = await applyOne(inbox, one, item)
      if (!outcome) return reportOutcome(inbox, one, undefined)
      add(sum, outcome)
    } catch (error) {
      if (error instanceof DatabaseUnavailable || isContention(error)) throw error
      sum.dead++
      letters.push(putAside(inbox, one.event, item, error))
    }
  }
  const finished = await inbox.db.transaction(async (tx) => {
    const held = await holdEvents(tx, [one.event])
    if (!held.has(one.event.id)) return false
    await bury(tx, await withOwners(tx, letters, one.event.appId))
    await finishEvents(tx, [one.event.id], inbox.clock.now())
    return true
  })
  reportOutcome(inbox, one, finished ? sum : undefined)
}

/** Undefined when the claim was lost to another worker. */
async function applyOne(
  inbox: Inbox,
  one: ParsedEvent,
  item: WebhookItem,
): Promise<EventOutcome | undefined> {
  return inbox.db.transaction(async (tx) => {
    const held = await holdEvents(tx, [one.event])
    if (!held.has(one.event.id)) return undefined
    inbox.beforeApply?.(one.event, [item])
    const alone = { ...one, webhook: { items: [item] } }
    const outcomes = await applyItems(tx, [alone], inbox.random, inbox.clock.now())
    return outcomes.get(one.event.id)
  })
}

function putAside(
  inbox: Inbox,
  event: ClaimedEvent,
  item: WebhookItem,
  error: unknown,
): DeadLetter {
  const { error_code = 'PROCESSING_FAILED', error_message = 'unknown error' } = errorFields(error)
  inbox.metrics.deadLetters.inc({ kind: 'inbound' })
  inbox.log.error('dead_lettered', {
    ...logFieldsOf(event),
    ...errorFields(error),
    path: item.path,
  })
  return letterOf(
    event,
    item,
    'inbound',
    error_code,
    error_message,
    inbox.random.uuid(),
    inbox.clock.now(),
  )
}

function add(sum: EventOutcome, more: EventOutcome): void {
  sum.applied += more.applied
  sum.duplicates += more.duplicates
  sum.ignored += more.ignored
  sum.dead += more.dead
  sum.warnings.push(...more.warnings)
  if (more.first) sum.first ??= more.first
}
