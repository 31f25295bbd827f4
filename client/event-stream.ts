// The stream of events: read line by line as the standard of server-sent events has it, and taken up again where it broke off.
import { makeCall, pause } from './call.ts'
import { EstafetError } from './error.ts'
import type { EstafetEvent } from './generated.ts'
import type { CallOptions, ClientOptions, StreamQuery } from './model.ts'

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
    try {
      for await (const { type, data } of connect(
        client,
        { ...query, lastEventId: lastId },
        options,
      )) {
        failures = 0
        if (type === 'stream.reset') query.onReset?.()
        if (type.startsWith('stream.')) continue
        const event = JSON.parse(data) as EstafetEvent
        lastId = event.id
        yield event
      }
    } catch (error) {
      if (signal?.aborted) return
      if (isFinal(error)) throw error
    }
    const waitMs = Math.min(longestDelayMs, firstDelayMs * 2 ** failures++)
    await pause(waitMs * (0.5 + Math.random() / 2), signal).catch(() => undefined)
  }
}

/** Refused for good: no key, no right, a wrong question. Being too many passes. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof EstafetError)) return false
  return error.status >= 400 && error.status < 500 && error.status !== 429
}

interface Frame {
  type: string
  data: string
}

async function* connect(
  client: ClientOptions,
  { types, lastEventId }: StreamQuery,
  options: CallOptions,
): AsyncGenerator<Frame> {
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
      for (const block of blocks) yield* frameIn(block)
    }
  } finally {
    clearTimeout(timer)
    leaving.abort()
  }
}

/** A block without data is a comment, or says how long to wait. */
function* frameIn(block: string): Generator<Frame> {
  const lines = block.split(/\r?\n/).map((line) => /^(\w+): ?(.*)$/.exec(line) ?? [])
  const said = (name: string) => lines.filter(([, one]) => one === name).map(([, , value]) => value)
  const data = said('data')
  if (data.length > 0) yield { type: said('event').at(-1) ?? 'message', data: data.join('\n') }
}
