// Requests to the gateway on connections that are kept: thousands a second, of any bytes that HTTP can carry.
import { Agent } from 'undici'
import { afterFile } from '../../test/support/after-file.ts'

export interface FuzzRequest {
  method: string
  path: string
  headers: Record<string, string>
  body?: Buffer | undefined
}

export interface FuzzAnswer {
  status: number
  headers: Headers
  text: string
  /** Undefined when it is not called JSON. */
  json: unknown
}

/** Asks again while the gateway says that its database is slow, as Meta and every client does; then it is a problem. Each time
 *  counts (`later`): a gateway that says so often has another reason. */
export async function askPatiently(
  ask: Ask,
  request: FuzzRequest,
  counts: Map<string, number>,
): Promise<FuzzAnswer> {
  for (let tries = 1; ; tries++) {
    const answer = await ask(request)
    const isSlow = [500, 503].includes(answer.status) && answer.headers.has('retry-after')
    if (!isSlow) return answer
    counts.set(later, (counts.get(later) ?? 0) + 1)
    if (tries === 20) return answer
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

export const later = 'asked to come later'

/** One in ten thousand cases, and five in any run: a slow machine is cause enough for these. */
export const laterAllowed = (cases: number) => Math.max(5, Math.floor(cases / 10_000))

export type Ask = (request: FuzzRequest) => Promise<FuzzAnswer>

const patienceMs = 120_000

export function createAsk(url: string): Ask {
  const agent = new Agent({
    connections: 32,
    headersTimeout: patienceMs,
    bodyTimeout: patienceMs,
    keepAliveTimeout: 30_000,
  })
  afterFile(() => agent.destroy())
  return async ({ method, path, headers, body }) => {
    const answer = await agent.request({
      origin: url,
      path,
      method: method as 'GET',
      headers,
      body: body ?? null,
    })
    const told = new Headers(
      Object.entries(answer.headers).flatMap(([name, value]) =>
        value === undefined ? [] : [value].flat().map((one): [string, string] => [name, one]),
      ),
    )
    const type = told.get('content-type') ?? ''
    if (type.startsWith('text/event-stream')) {
      // It does not end by itself.
      answer.body.on('error', () => undefined).destroy()
      return { status: answer.statusCode, headers: told, text: '', json: undefined }
    }
    const text = await answer.body.text()
    const json = type.includes('application/json') && text !== '' ? JSON.parse(text) : undefined
    return { status: answer.statusCode, headers: told, text, json }
  }
}

/** What HTTP takes as the value of a header. */
export function headerText(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .trim()
    .slice(0, 4_000)
}
