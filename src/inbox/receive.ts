// Step 1 of 4: a signed webhook's bytes → a committed event row. After: process.ts.
// Requests that arrive together share one insert. Nothing here can refuse a payload for what it says.
import { type Db, isStatementError } from '../db/connect.ts'
import { describeDelivery } from '../meta/delivery.ts'
import { type BatchResult, createMicroBatch } from '../micro-batch.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { insertEvents, type NewEvent } from './queries.ts'

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
  clock: Clock
  random: Random
  appId: string | null
  /** Called after a commit that added events. */
  onStored: () => void
  deadlineMs?: number
}

const mebibyte = 1024 * 1024

export function createReceiver(options: ReceiverOptions): Receiver {
  const { db, clock, random } = options

  const batch = createMicroBatch<NewEvent, 'stored' | 'duplicate'>({
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
    deadlineMs: options.deadlineMs ?? 4_000,
    run: async (events) => {
      const results = await store(db, events, options.appId)
      if (results.some((result) => 'value' in result && result.value === 'stored'))
        options.onStored()
      return results
    },
  })

  return {
    async receive(raw) {
      const description = describeDelivery(raw)
      const event: NewEvent = {
        id: random.uuid(),
        receivedAt: clock.now(),
        raw,
        correlationId: random.uuid(),
        ...description,
      }
      const outcome = await batch.submit(event)
      return {
        eventId: outcome === 'stored' ? event.id : undefined,
        correlationId: outcome === 'stored' ? event.correlationId : undefined,
        inboundEventId: event.inboundEventId,
        phoneNumberId: event.phoneNumberId,
      }
    },
    idle: batch.idle,
  }
}

type Stored = BatchResult<'stored' | 'duplicate'>

async function store(db: Db, events: NewEvent[], appId: string | null): Promise<Stored[]> {
  try {
    const stored = await insertEvents(db, events, appId)
    return events.map((event) => ({ value: stored.has(event.id) ? 'stored' : 'duplicate' }))
  } catch (error) {
    // Only what the database said about these very rows is worth a second try.
    if (!isStatementError(error)) throw error
    const results: Stored[] = []
    for (const event of events) results.push(await storeAlone(db, event, appId))
    return results
  }
}

/** One row the database refuses must not fail its neighbours, and the bytes must be kept even so. */
async function storeAlone(db: Db, event: NewEvent, appId: string | null): Promise<Stored> {
  const forms: NewEvent[] = [
    event,
    { ...event, isJsonb: false, singleItemOf: null, phoneNumberId: null },
  ]
  let refusal: unknown
  for (const form of forms) {
    try {
      const stored = await insertEvents(db, [form], appId)
      return { value: stored.has(event.id) ? 'stored' : 'duplicate' }
    } catch (error) {
      if (!isStatementError(error)) return { error: error as Error }
      refusal = error
    }
  }
  return { error: refusal as Error }
}
