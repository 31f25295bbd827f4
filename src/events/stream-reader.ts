// One reader of the stream: a place in its tenant's order, from which it reads on. A page is fetched only when the one
// before has left us, so that a reader who does not read holds one page, and is cut.
import type { Db } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { errorFields, type Log } from '../log.ts'
import type { Clock } from '../time-and-chance.ts'
import { envelopeOf } from './envelope.ts'
import { selectEventsAfter, type ToldEvent } from './stream-queries.ts'

/** Where a reader's events go. */
export interface Sink {
  /** False when it should be waited for. */
  write(text: string): boolean
  /** True when what was written has left us within the time, or nobody is there any more. */
  drained(withinMs: number): Promise<boolean>
  end(lastText: string): void
  destroy(): void
}

export interface NewReader {
  tenantId: string
  sink: Sink
  /** Null: all. */
  types: ReadonlySet<string> | null
  /** After this one; null: what happens from now on. */
  after: number | null
  /** False when whoever reads may no longer. */
  isAllowed(): Promise<boolean>
}

export type CutReason = 'slow' | 'revoked' | 'failed'

export interface ReaderOptions {
  db: Db
  clock: Clock
  log: Log
  /** How long a reader may leave what was written unread. */
  slowReaderMs: number
  heartbeatMs: number
  /** Once; without a reason when the other side left. */
  onClosed(reader: Reader, reason: CutReason | undefined): void
}

export interface Reader {
  tenantId: string
  /** Reads on when the order has grown to here; else shows that we are alive, when it is time. Never throws. */
  look(lastPosition: number): Promise<void>
  close(reason?: CutReason): void
  sink: Sink
}

const pageSize = 100

export function createReader(
  options: ReaderOptions,
  { tenantId, sink, types, isAllowed }: NewReader,
  after: number,
): Reader {
  const { db, clock, log, heartbeatMs } = options
  let position = after
  let beatMs = clock.monotonicMs() + heartbeatMs
  let isBusy = false
  let isBehind = false
  let isOpen = true

  function close(reason?: CutReason): void {
    if (!isOpen) return
    isOpen = false
    options.onClosed(reader, reason)
    if (reason === 'revoked') sink.end(frame('stream.closed', { reason: 'unauthorized' }))
    else if (reason !== undefined) sink.destroy()
  }

  async function write(text: string): Promise<void> {
    if (sink.write(text)) return
    if (!(await sink.drained(options.slowReaderMs))) close('slow')
  }

  async function writePages(): Promise<void> {
    for (;;) {
      const page = await db.tenantTransaction(tenantId, (tx) =>
        selectEventsAfter(tx, tenantId, position, pageSize),
      )
      for (const event of page) {
        if (!isOpen) return
        position = event.position
        const isWanted = event.isForAll && (types === null || types.has(event.type))
        if (isWanted) await write(frameOf(event))
      }
      if (page.length < pageSize) return
      // A long way to catch up is no way around a key that was revoked.
      await beat()
    }
  }

  async function beat(): Promise<void> {
    if (clock.monotonicMs() < beatMs) return
    beatMs = clock.monotonicMs() + heartbeatMs
    if (await isAllowed()) await write(': keep-alive\n\n')
    else close('revoked')
  }

  async function look(lastPosition: number): Promise<void> {
    isBehind ||= lastPosition > position
    if (isBusy) return
    isBusy = true
    try {
      while (isBehind && isOpen) {
        isBehind = false
        await writePages()
      }
      if (isOpen) await beat()
    } catch (error) {
      log.warn('event_stream_failed', { tenant_id: tenantId, ...errorFields(error) })
      close('failed')
    } finally {
      isBusy = false
    }
  }

  const reader: Reader = { tenantId, look, close, sink }
  return reader
}

export function frameOf(event: ToldEvent): string {
  return `id: ${publicId('evt', event.id)}\n${frame(event.type, envelopeOf(event))}`
}

/** A place without an event: nobody gets it as an event, and whoever is cut before the first one goes on from there. */
export const placeFrame = (position: number) => `id: pos_${position}\n\n`

/** The place that such an id names, if it is one. */
export function placeIn(id: string): number | undefined {
  const [, digits] = /^pos_(\d{1,15})$/.exec(id) ?? []
  return digits === undefined ? undefined : Number(digits)
}

/** JSON has no line breaks in it, so one line holds it. */
export function frame(type: string, data: unknown): string {
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}
