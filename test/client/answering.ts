// Whatever may stand where the gateway is thought to be: a server that answers as the test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { EstafetError } from '../../client/index.ts'
import { afterFile } from '../support/after-file.ts'

export interface Answering {
  baseUrl: string
  /** Those that came, as `GET /path`. */
  calls: string[]
  /** Of the same calls. */
  keys: (string | undefined)[]
}

/** Each call is answered by the next of these, and those after the last by the last. */
export async function startAnswering(
  ...answers: ((response: ServerResponse, request: IncomingMessage) => void)[]
): Promise<Answering> {
  const calls: string[] = []
  const keys: (string | undefined)[] = []
  const server = createServer((request, response) => {
    const answer = answers[calls.length] ?? answers.at(-1)
    calls.push(`${request.method} ${request.url}`)
    keys.push(request.headers['idempotency-key'] as string | undefined)
    answer?.(response, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}`, calls, keys }
}

export const json = (status: number, body: unknown) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Welcome to the hotel</h1>')

export const cut = (response: ServerResponse) => response.destroy()

/** Said, and nothing after it. */
export const stream = (text: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).write(text)
}

export const failureOf = (promise: Promise<unknown>): Promise<EstafetError> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  )
