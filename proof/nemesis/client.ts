// Calls to the gateways as an application or an operator makes them: with patience, and again while there is no answer.
export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
  json: any
}

export interface CallOptions {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

export interface Client {
  /** One try; undefined where there was no answer. */
  tryOnce(method: string, path: string, options?: CallOptions): Promise<Reply | undefined>
  /** Again and again until the answer is neither missing nor a 5xx nor a 429. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>
}

const answerWithinMs = 8_000
/** Longer than any fault lasts. */
const patienceMs = 600_000

export function createClient(url: string): Client {
  async function tryOnce(
    method: string,
    path: string,
    { key, body, headers }: CallOptions = {},
  ): Promise<Reply | undefined> {
    try {
      const response = await fetch(url + path, {
        method,
        signal: AbortSignal.timeout(answerWithinMs),
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, json: text.startsWith('{') ? JSON.parse(text) : undefined }
    } catch {
      return undefined
    }
  }
  return {
    tryOnce,
    async call(method, path, options) {
      const untilMs = performance.now() + patienceMs
      for (let pauseMs = 50; ; pauseMs = Math.min(1_000, pauseMs * 2)) {
        const reply = await tryOnce(method, path, options)
        if (reply && reply.status < 500 && reply.status !== 429) return reply
        if (performance.now() > untilMs) throw new Error(`${method} ${path} was never answered`)
        await pause(pauseMs)
      }
    },
  }
}

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Right after a Postgres came back the first look may find a dead connection. */
export async function patiently<T>(look: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await look()
    } catch (error) {
      if (tries > 20) throw error
      await pause(250)
    }
  }
}
