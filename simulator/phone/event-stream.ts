// The feed as server-sent events. Whoever reconnects hears what was missed, as far as it is kept.
import type { ServerResponse } from 'node:http'
import type { Feed, FeedEvent } from '../feed.ts'
import type { Clock } from '../time-and-chance.ts'

export interface EventStream {
  /** The id of the newest event; a stream opened after it starts right there. */
  cursor(): string
  /** Writes events to `response` until it closes. `after` is a cursor or a Last-Event-ID. */
  open(response: ServerResponse, after: string | undefined): void
  close(): void
}

/** A minute or so of a busy test; a person who was away longer gets `missed` and loads again. */
const defaultCapacity = 2000

/** A reader that lags further behind is cut off, and resumes from its last event. */
const maxBufferedBytes = 8 * 1024 * 1024

const heartbeatMs = 15_000

export function createEventStream(
  feed: Feed,
  clock: Clock,
  capacity = defaultCapacity,
): EventStream {
  // Ids of another run must not be taken for ours.
  const run = clock.now().getTime().toString(36)
  const kept: { serial: number; event: FeedEvent }[] = []
  const readers = new Set<ServerResponse>()
  let serial = 0
  let stopHeartbeat = () => {}

  const idOf = (of: number) => `${run}-${of}`

  const unsubscribe = feed.subscribe((event) => {
    serial++
    kept.push({ serial, event })
    if (kept.length > capacity) kept.shift()
    if (readers.size === 0) return
    const text = format(idOf(serial), event)
    for (const reader of readers) send(reader, text)
  })

  function send(reader: ServerResponse, text: string): void {
    if (reader.writableLength > maxBufferedBytes) reader.destroy()
    else reader.write(text)
  }

  function beat(): void {
    stopHeartbeat = clock.after(heartbeatMs, () => {
      for (const reader of readers) send(reader, ': still here\n\n')
      beat()
    })
  }

  /** The events after `id`, or undefined when some of them are gone. */
  function since(id: string): typeof kept | undefined {
    const [ofRun, number] = id.split('-')
    const from = Number(number)
    if (ofRun !== run || !Number.isSafeInteger(from) || from > serial) return undefined
    const oldest = kept[0]?.serial ?? serial + 1
    return from + 1 < oldest ? undefined : kept.filter((entry) => entry.serial > from)
  }

  return {
    cursor: () => idOf(serial),
    open(response, after) {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
      response.write('retry: 1000\n\n')
      if (after !== undefined) {
        const missed = since(after)
        if (missed === undefined) response.write(`id: ${idOf(serial)}\nevent: missed\ndata: {}\n\n`)
        for (const entry of missed ?? []) response.write(format(idOf(entry.serial), entry.event))
      }
      if (readers.size === 0) beat()
      readers.add(response)
      response.on('close', () => {
        readers.delete(response)
        if (readers.size === 0) stopHeartbeat()
      })
    },
    close() {
      unsubscribe()
      stopHeartbeat()
      for (const reader of readers) reader.end()
    },
  }
}

function format(id: string, event: FeedEvent): string {
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
