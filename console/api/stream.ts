// The tenant's events as they happen, read with fetch because an EventSource cannot say for which tenant it asks.
import { sessionHeaders } from './call.ts'
import { eventsIn, type StreamEvent } from './stream-frames.ts'

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
