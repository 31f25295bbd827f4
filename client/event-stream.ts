// The stream of events: read line by line as the standard of server-sent events has it, and taken up again where it broke off.
import { makeCall, pause } from './call.ts'
import { EstafetError } from './error.ts'
import type { EstafetEvent, StreamQuery } from './generated.ts'
import type { CallOptions, ClientOptions } from './model.ts'

/** The gateway says something every 15 seconds: whoever hears nothing for so long is alone. */
const silentMs = 45_000
const firstDelayMs = 500
const longestDelayMs = 15_000

/** Ends when the signal says so; throws what cannot be mended by asking again. */
export async function* streamEvents(
  client: ClientOptions,
  query: StreamQuery = {},
  options: CallOptions = {},
): AsyncGenerator<EstafetEvent, void, void> {
  const { signal } = options
  let lastId = query.lastEventId
  let failures = 0
  while (!signal?.aborted) {
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
  signal: AbortSignal | undefined,
): Promise<Frame | undefined> {
  try {
    return (await frames.next()).value ?? undefined
  } catch (error) {
    if (!signal?.aborted && isFinal(error)) throw error
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

/** Refused for good: no key, no right, a wrong question. Being too many passes. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof EstafetError)) return false
  return error.status >= 400 && error.status < 500 && error.status !== 429
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
  options: CallOptions,
): AsyncGenerator<Frame, void> {
  const leaving = new AbortController()
  const signal = options.signal ? AbortSignal.any([options.signal, leaving.signal]) : leaving.signal
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
      async (response) => response.body,
    )
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let rest = ''; reader; ) {
      const { done, value } = await reader.read()
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
  const lines = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line) ?? [])
  const said = (name: string) => lines.filter(([, one]) => one === name).map(([, , value]) => value)
  const data = said('data')
  return {
    id: said('id').at(-1),
    type: said('event').at(-1) ?? 'message',
    data: data.length > 0 ? data.join('\n') : undefined,
  }
}
