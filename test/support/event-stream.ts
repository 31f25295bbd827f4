// A reader of server-sent events, as a browser is one: by the standard's lines, with what it was told last.
import { afterFile } from './after-file.ts'
import { until } from './program.ts'

export interface StreamedEvent {
  id: string | undefined
  type: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into events of every shape.
  data: any
}

export interface StreamReader {
  status: number
  events: StreamedEvent[]
  comments: string[]
  isEnded(): boolean
  /** Until so many events came. */
  untilTold(count: number): Promise<void>
  /** From which a browser would go on: also when it was said without an event. */
  lastId(): string
  close(): void
}

/** `caller`: whose key, or what a browser sends. */
export async function openStream(
  url: string,
  caller: string | Record<string, string>,
  { lastEventId, query = '' }: { lastEventId?: string; query?: string } = {},
): Promise<StreamReader> {
  const leaving = new AbortController()
  afterFile(async () => leaving.abort())
  const response = await fetch(`${url}/api/whatsapp/events${query}`, {
    headers: {
      ...(typeof caller === 'string' ? { authorization: `Bearer ${caller}` } : caller),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  })
  const events: StreamedEvent[] = []
  const comments: string[] = []
  let isEnded = false
  let rest = ''
  let lastId = ''
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) {
      rest += decoder.decode(part, { stream: true })
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) lastId = take(block, events, comments) ?? lastId
    }
  }
  void read()
    .catch(() => undefined)
    .finally(() => {
      isEnded = true
    })
  return {
    status: response.status,
    events,
    comments,
    isEnded: () => isEnded,
    untilTold: async (count) => {
      await until(`${count} events are told`, () => events.length >= count)
    },
    lastId: () => lastId,
    close: () => leaving.abort(),
  }
}

/** The id that was said, if one was. */
function take(block: string, events: StreamedEvent[], comments: string[]): string | undefined {
  const fields = new Map<string, string>()
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(colon + 1).replace(/^ /, '')
    if (colon === 0) comments.push(value)
    else fields.set(line.slice(0, colon), value)
  }
  const [id, data] = [fields.get('id'), fields.get('data')]
  if (data !== undefined) {
    events.push({ id, type: fields.get('event') ?? 'message', data: JSON.parse(data) })
  }
  return id
}
