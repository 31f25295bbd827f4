// Step 1 of 4: a signed webhook's bytes → a committed event row. After: process.ts.
// Requests that arrive together share one insert. Nothing here can refuse a payload for what it says.
import { createHash } from 'node:crypto'
import { type Db, isStatementError } from '../db/connect.ts'
import type { Dedupe, Stored } from '../dedupe/dedupe.ts'
import { describeDelivery } from '../meta/delivery.ts'
import { createMicroBatch } from '../micro-batch.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { insertEvents, type NewEvent, type Storing } from './queries.ts'

export interface Received {
  /** Undefined when the same delivery was stored before and nothing was added. */
  eventId: string | undefined
  correlationId: string | undefined
  inboundEventId: string
  phoneNumberId: string | null
}

export interface Receiver {
  /** Resolves once the event is committed; rejects when that is not known. */
  receive(raw: Buffer): Promise<Received>
  idle(): Promise<void>
}

export interface ReceiverOptions {
  db: Db
  dedupe: Dedupe
  clock: Clock
  random: Random
  appId: string | null
  /** Each event is called for by itself: it is stored as one that a ring is to come for. */
  isRung?: boolean
  /** Called after a commit that added these events; it must not fail. With `isRung` it is waited for while there is time. */
  onStored: (eventIds: string[]) => unknown
  /** Until the answer. */
  deadlineMs?: number
}

interface Arrival extends NewEvent {
  /** Once it is stored: somebody is being called for it. */
  call?: Promise<unknown>
}

const mebibyte = 1024 * 1024

export function createReceiver(options: ReceiverOptions): Receiver {
  const { db, dedupe, clock, random, deadlineMs = 4_000 } = options
  const storing: Storing = { appId: options.appId, isRung: options.isRung ?? false }

  const batch = createMicroBatch<Arrival, 'stored' | 'duplicate'>({
    clock,
    // 4 in flight: 8 connections are then no slower than with one row per commit.
    maxInFlight: 4,
    fewItems: 16,
    patienceMs: 25,
    maxItems: 256,
    weigh: (event) => event.raw.length,
    maxWeight: 8 * mebibyte,
    maxWaitingItems: 10_000,
    maxWaitingWeight: 64 * mebibyte,
    deadlineMs,
    run: async (events) => {
      const results = await dedupe.markIfNew(events, nameOf, (unknown) =>
        store(db, unknown, storing),
      )
      // crash point: inbox.stored-before-ring
      const stored = events.filter((_, index) => isStored(results[index]))
      if (stored.length > 0) {
        const call = Promise.resolve(options.onStored(stored.map(({ id }) => id)))
        // Waited for with the answer, not here: the next batch has no part in it.
        if (storing.isRung) for (const event of stored) event.call = call
      }
      return results
    },
  })

  return {
    async receive(raw) {
      const description = describeDelivery(raw)
      const startedMs = clock.monotonicMs()
      const event: Arrival = {
        id: random.uuid(),
        receivedAt: clock.now(),
        raw,
        correlationId: random.uuid(),
        ...description,
      }
      const outcome = await batch.submit(event)
      // It is stored: a doorbell that does not answer changes nothing about that.
      if (event.call !== undefined) {
        await atMost(clock, startedMs + deadlineMs - clock.monotonicMs(), event.call)
      }
      // crash point: inbox.stored-before-answer
      return {
        eventId: outcome === 'stored' ? event.id : undefined,
        correlationId: outcome === 'stored' ? event.correlationId : undefined,
        inboundEventId: event.inboundEventId,
        phoneNumberId: event.phoneNumberId,
      }
    },
    idle: async () => {
      await batch.idle()
      await dedupe.idle()
    },
  }
}

function atMost(clock: Clock, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(Math.max(0, ms), resolve)
    void work.finally(() => {
      cancel()
      resolve()
    })
  })
}

/** As the unique keys of the events have it: the single item where there is one, else the bytes. */
function nameOf({ singleItemOf, inboundEventId, raw }: NewEvent): string {
  if (singleItemOf !== null) return JSON.stringify([singleItemOf, inboundEventId])
  return createHash('sha256').update(raw).digest('hex')
}

function isStored(result: Stored | undefined): boolean {
  return result !== undefined && 'value' in result && result.value === 'stored'
}

async function store(db: Db, events: NewEvent[], storing: Storing): Promise<Stored[]> {
  try {
    // crash point: inbox.received-before-insert
    const stored = await insertEvents(db, events, storing)
    return events.map((event) => ({ value: stored.has(event.id) ? 'stored' : 'duplicate' }))
  } catch (error) {
    // Only what the database said about these very rows is worth a second try.
    if (!isStatementError(error)) throw error
    const results: Stored[] = []
    for (const event of events) results.push(await storeAlone(db, event, storing))
    return results
  }
}

/** One row the database refuses must not fail its neighbours, and the bytes must be kept even so. */
async function storeAlone(db: Db, event: NewEvent, storing: Storing): Promise<Stored> {
  const forms: NewEvent[] = [
    event,
    { ...event, isJsonb: false, singleItemOf: null, phoneNumberId: null },
  ]
  let refusal: unknown
  for (const form of forms) {
    try {
      const stored = await insertEvents(db, [form], storing)
      return { value: stored.has(event.id) ? 'stored' : 'duplicate' }
    } catch (error) {
      if (!isStatementError(error)) return { error: error as Error }
      refusal = error
    }
  }
  return { error: refusal as Error }
}
