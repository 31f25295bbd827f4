// The tenant's events as they happen, read with fetch because an EventSource cannot say for which tenant it asks.
import { sessionHeaders } from './call.ts'

export interface StreamEvent {
  /** Empty for the stream's own words, such as `stream.reset`. */
  id: string
  type: string
  /** Undefined when it only says from where to go on. */
  data: unknown
}

export type StreamState = 'live' | 'reconnecting' | 'offline'

interface StreamOptions {
  tenantId: string | null
  onEvent(event: StreamEvent): void
  onState(state: StreamState): void
  /** The session is over. */
  onRefused(): void
}

const firstWaitMs = 500
const longestWaitMs = 15_000
/** The server says something at least this often; silence for longer is a dead connection. */
const silenceMs = 45_000
const offlineAfterTries = 4

/** Goes on until it is closed; after a break it takes up where it was. */
export function openStream({ tenantId, onEvent, onState, onRefused }: StreamOptions): () => void {
  const over = new AbortController()
  let lastId = ''
  let tries = 0
  let wakeUp = () => {}

  async function follow(): Promise<void> {
    const broken = new AbortController()
    const breakOff = () => broken.abort()
    over.signal.addEventListener('abort', breakOff, { once: true })
    addEventListener('offline', breakOff, { once: true })
    let silence = setTimeout(breakOff, silenceMs)
    try {
      const answer = await fetch('/api/whatsapp/events', {
        headers: {
          ...sessionHeaders(tenantId),
          accept: 'text/event-stream',
          ...(lastId && { 'last-event-id': lastId }),
        },
        signal: broken.signal,
      })
      if (answer.status === 401) {
        onState('offline')
        onRefused()
        return close()
      }
      if (!answer.ok || !answer.body) return
      tries = 0
      onState('live')
      for await (const event of eventsIn(answer.body, () => {
        clearTimeout(silence)
        silence = setTimeout(breakOff, silenceMs)
      })) {
        if (event.id) lastId = event.id
        if (event.data !== undefined) onEvent(event)
      }
    } catch {
      // Whatever broke it, the next try tells.
    } finally {
      clearTimeout(silence)
      over.signal.removeEventListener('abort', breakOff)
      removeEventListener('offline', breakOff)
    }
  }

  async function goOn(): Promise<void> {
    while (!over.signal.aborted) {
      await follow()
      if (over.signal.aborted) return
      tries++
      onState(!navigator.onLine || tries >= offlineAfterTries ? 'offline' : 'reconnecting')
      const wait =
        Math.min(longestWaitMs, firstWaitMs * 2 ** (tries - 1)) * (0.5 + Math.random() / 2)
      await new Promise<void>((resolve) => {
        wakeUp = resolve
        setTimeout(resolve, wait)
      })
    }
  }

  const onOnline = () => wakeUp()
  function close(): void {
    over.abort()
    wakeUp()
    removeEventListener('online', onOnline)
  }
  addEventListener('online', onOnline)
  void goOn()
  return close
}

/** `onBytes`: somebody is there, even if it is only a heartbeat. */
export async function* eventsIn(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onBytes: () => void,
): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    onBytes()
    const frames = (rest + value).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event) yield event
    }
  }
}

function parseFrame(frame: string): StreamEvent | undefined {
  const fields = new Map<string, string>()
  for (const line of frame.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*): ?(.*)$/.exec(line) ?? []
    fields.set(name, fields.has(name) ? `${fields.get(name)}\n${value}` : value)
  }
  const [id = '', data] = [fields.get('id'), fields.get('data')]
  if (data === undefined && id === '') return undefined
  return { id, type: fields.get('event') ?? '', data: data && JSON.parse(data) }
}
