// Events as they happen, for the readers of this process, whichever process they happen in: NOTIFY says that a tenant's
// order has grown, a poll is the floor under it, and each reader reads on from its own place.
import { type Db, type Listener, listen } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { selectLastPositions } from './stream-queries.ts'
import {
  type CutReason,
  createReader,
  type NewReader,
  placeFrame,
  type Reader,
} from './stream-reader.ts'

export interface StreamOptions {
  db: Db
  databaseUrl: string
  clock: Clock
  log: Log
  metrics: Metrics
  maxPerTenant: number
  slowReaderMs?: number
  heartbeatMs?: number
  pollMs?: number
}

export interface EventStreams {
  /** Throws 429 when the tenant has too many, 503 when we stop. Returns what is to be called when the other side is gone. */
  open(reader: NewReader): Promise<() => void>
  stop(): Promise<void>
}

export function createEventStreams(options: StreamOptions): EventStreams {
  const { db, clock, log, metrics, slowReaderMs = 10_000, heartbeatMs = 15_000 } = options
  const readers = new Set<Reader>()
  const stopping = new AbortController()
  let bell = new AbortController()
  let running: Promise<unknown> | undefined

  function onClosed(reader: Reader, reason: CutReason | undefined): void {
    readers.delete(reader)
    metrics.eventStreams.set(readers.size)
    if (reason === undefined) return
    metrics.eventStreamsCut.inc({ reason })
    log.warn('event_stream_cut', { tenant_id: reader.tenantId, reason })
  }

  async function lookAll(): Promise<void> {
    const tenants = [...new Set([...readers].map((reader) => reader.tenantId))]
    if (tenants.length === 0) return
    const positions = await selectLastPositions(db, tenants)
    // One that waits for its reader makes no other wait.
    for (const reader of readers) void reader.look(positions.get(reader.tenantId) ?? 0)
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(clock, options.pollMs ?? 1_000, bell.signal)
      if (bell.signal.aborted) bell = new AbortController()
      // The next look finds what this one did not: the rows are there.
      await lookAll().catch((error) => log.warn('event_stream_look_failed', errorFields(error)))
    }
  }

  const ring = () => {
    if (!bell.signal.aborted) bell.abort()
  }

  function refuse(tenantId: string): void {
    if (stopping.signal.aborted) throw isStopping()
    const count = [...readers].filter((reader) => reader.tenantId === tenantId).length
    if (count >= options.maxPerTenant) throw tooMany(options.maxPerTenant)
  }

  return {
    async open(input) {
      refuse(input.tenantId)
      const positions = await selectLastPositions(db, [input.tenantId])
      // Others may have come meanwhile.
      refuse(input.tenantId)
      const after = input.after ?? positions.get(input.tenantId) ?? 0
      const reader = createReader(
        { db, clock, log, slowReaderMs, heartbeatMs, onClosed },
        input,
        after,
      )
      // Now has a name too, so that a reader who is cut before the first event misses nothing.
      if (input.after === null) input.sink.write(placeFrame(after))
      readers.add(reader)
      metrics.eventStreams.set(readers.size)
      running ??= Promise.all([watch(), keepListening(options, stopping.signal, ring)])
      ring()
      return () => reader.close()
    },
    async stop() {
      stopping.abort()
      ring()
      for (const reader of readers) {
        reader.close()
        reader.sink.end('')
      }
      await running
    },
  }
}

/** Without it there is still the poll. */
async function keepListening(
  { databaseUrl, clock }: StreamOptions,
  stopping: AbortSignal,
  ring: () => void,
): Promise<void> {
  while (!stopping.aborted) {
    let listener: Listener | undefined
    const lost = new AbortController()
    const onStop = () => lost.abort()
    stopping.addEventListener('abort', onStop)
    try {
      listener = await listen(databaseUrl, ['estafet_stream'], ring, () => lost.abort())
      // What happened before we listened.
      ring()
      await aborted(lost.signal)
    } catch {
      // It is tried again, as after a loss.
    }
    stopping.removeEventListener('abort', onStop)
    await listener?.close()
    await sleep(clock, 1_000, stopping)
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function isStopping(): AppError {
  return new AppError('UNAVAILABLE', 503, 'This process is stopping. Connect again.', {
    headers: { 'retry-after': '1' },
  })
}

function tooMany(max: number): AppError {
  return new AppError(
    'TOO_MANY_STREAMS',
    429,
    `A tenant has at most ${max} open streams here. Close one first.`,
    { headers: { 'retry-after': '5' } },
  )
}
