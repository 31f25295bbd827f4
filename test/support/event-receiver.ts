// A tenant's application: it takes events over HTTP, remembers every call, and answers as the test says.
import {
  createServer,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterFile } from './after-file.ts'

export interface ReceivedCall {
  headers: IncomingHttpHeaders
  /** As they came: a signature is over these bytes. */
  raw: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into events of every shape.
  event: any
}

export interface Reaction {
  status?: number
  headers?: Record<string, string>
  body?: string
  /** Never answers; the caller has to give up. */
  hangs?: boolean
  /** Cuts the connection instead of answering. */
  cuts?: boolean
}

export interface EventReceiver {
  url: string
  calls: ReceivedCall[]
  /** What it does from now on; 200 without a body, unless said. */
  react(by: Reaction | ((call: ReceivedCall) => Reaction)): void
  /** The types, or whatever else, of the calls so far. */
  types(): string[]
  /** Nobody listens any more. */
  close(): Promise<void>
}

export async function startEventReceiver(tls?: {
  key: string
  cert: string
}): Promise<EventReceiver> {
  const calls: ReceivedCall[] = []
  let reaction: Reaction | ((call: ReceivedCall) => Reaction) = {}
  const onRequest: RequestListener = async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const raw = Buffer.concat(parts).toString('utf8')
    const call = { headers: request.headers, raw, event: raw === '' ? null : JSON.parse(raw) }
    calls.push(call)
    const {
      status = 200,
      headers = {},
      body = '',
      hangs,
      cuts,
    } = typeof reaction === 'function' ? reaction(call) : reaction
    if (cuts) return void request.socket.destroy()
    if (!hangs) response.writeHead(status, headers).end(body)
  }
  const server: Server = tls ? createTlsServer(tls, onRequest) : createServer(onRequest)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  afterFile(close)
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    calls,
    react: (by) => {
      reaction = by
    },
    types: () => calls.map(({ event }) => event.type),
    close,
  }
}
