// The stream of events: read line by line as the standard of server-sent events has it, and taken up again where it broke off.
import { makeCall, pause } from './call.ts'
import { checkType, EstafetError } from './error.ts'
import type { EstafetEvent, StreamQuery } from './generated.ts'
import type { CallOptions, ClientOptions } from './model.ts'

/** The gateway says something every 15 seconds: whoever hears nothing for so long is alone. */
const silentMs = 45_000
const firstDelayMs = 500
const longestDelayMs = 15_000

/** Ends when the signal says so, or the reader; throws what cannot be mended by asking again. */
export function streamEvents(
  client: ClientOptions,
  query: StreamQuery = {},
  options: CallOptions = {},
): AsyncGenerator<EstafetEvent, void, void> {
  const leaving = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, leaving.signal]) : leaving.signal
  const events = follow(client, query, { ...options, signal })
  const end = events.return.bind(events)
  // A generator ends only after the event that somebody waits for, which may never come.
  events.return = (value) => {
    leaving.abort()
    return end(value)
  }
  return events
}

async function* follow(
  client: ClientOptions,
  query: StreamQuery,
  options: CallOptions & { signal: AbortSignal },
): AsyncGenerator<EstafetEvent, void, void> {
  const { signal } = options
  let lastId = query.lastEventId
  let failures = 0
  while (!signal.aborted) {
    const frames = connect(client, { ...query, lastEventId: lastId }, options)
    try {
      // Only what the connection throws is mended by another one: not what the caller does with an event.
      for (let frame = await nextOf(frames, signal); frame; frame = await nextOf(frames, signal)) {
        lastId = frame.id ?? lastId
        if (frame.data === undefined) continue
        failures = 0
        if (frame.type === 'stream.reset') await query.onReset?.()
        if (!frame.type.startsWith('stream.')) yield eventIn(frame.data)
      }
    } finally {
      await frames.return()
    }
    const waitMs = Math.min(longestDelayMs, firstDelayMs * 2 ** failures++)
    await pause(waitMs * (0.5 + Math.random() / 2), signal).catch(() => undefined)
  }
}

/** Undefined when the connection ended or broke. */
async function nextOf(
  frames: AsyncGenerator<Frame, void>,
  signal: AbortSignal,
): Promise<Frame | undefined> {
  try {
    return (await frames.next()).value ?? undefined
  } catch (error) {
    if (!signal.aborted && isFinal(error)) throw error
    return undefined
  }
}

/** Who asks again would be told the same again. */
function eventIn(data: string): EstafetEvent {
  try {
    return JSON.parse(data) as EstafetEvent
  } catch (cause) {
    throw new EstafetError('NOT_OURS', 'The stream told something that is not JSON.', { cause })
  }
}

/** Refused for good: no key, no right, a wrong question, somebody else's house. Being too many passes, and so does a gateway that
 *  is away, whoever says so in its place. */
function isFinal(error: unknown): boolean {
  // Of the call itself: nothing was asked.
  if (error instanceof TypeError) return true
  if (!(error instanceof EstafetError)) return false
  const { code, status } = error
  return status < 500 && status !== 429 && (status >= 400 || code === 'NOT_OURS')
}

interface Frame {
  /** Where to go on from; also said alone, before the first event. */
  id: string | undefined
  type: string
  /** None in a comment. */
  data: string | undefined
}

async function* connect(
  client: ClientOptions,
  { types, lastEventId }: StreamQuery,
  options: CallOptions & { signal: AbortSignal },
): AsyncGenerator<Frame, void> {
  const leaving = new AbortController()
  const signal = AbortSignal.any([options.signal, leaving.signal])
  const search = types ? `?${new URLSearchParams({ types: types.join(',') })}` : ''
  let timer = setTimeout(() => leaving.abort(), silentMs)
  try {
    const body = await makeCall(
      client,
      {
        spec: { method: 'GET', isKeyed: false },
        path: `/api/whatsapp/events${search}`,
        headers: {
          accept: 'text/event-stream',
          ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
        },
        options: { ...options, signal },
      },
      async (response) => {
        await checkType(response, 'text/event-stream')
        return response.body
      },
    )
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; reader; ) {
      // Where it breaks, it ends.
      const { done, value } = await reader.read().catch(() => ({ done: true, value: '' }))
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(() => leaving.abort(), silentMs)
      const blocks = (rest + value).split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) yield frameIn(block)
    }
  } finally {
    clearTimeout(timer)
    leaving.abort()
  }
}

function frameIn(block: string): Frame {
  // JSON leaves U+2028 and U+2029 as they are: they end no line here, but without `s` they would end what `.` takes.
  const lines = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/s.exec(line) ?? [])
  const said = (name: string) => lines.filter(([, one]) => one === name).map(([, , value]) => value)
  const data = said('data')
  return {
    id: said('id').at(-1),
    type: said('event').at(-1) ?? 'message',
    data: data.length > 0 ? data.join('\n') : undefined,
  }
}
