// The client where something answers in the gateway's place: a proxy that is busy, or a stranger.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { type Client, createClient } from '../../client/index.ts'
import { afterFile } from '../support/after-file.ts'
import { until } from '../support/program.ts'

async function clientOf(answer: RequestListener): Promise<Client> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  afterFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return createClient({ baseUrl: `http://127.0.0.1:${port}`, key: 'any' })
}

test('who is told to wait waits longer than who is told nothing', async () => {
  const calls: ('told' | 'untold')[] = []
  const client = await clientOf((request, response) => {
    const isTold = request.url?.endsWith('/counts')
    calls.push(isTold ? 'told' : 'untold')
    if (isTold) response.setHeader('retry-after', '50')
    // The other comes back three times, later each time.
    response.writeHead(calls.length < 5 ? 429 : 200).end('{}')
  })
  const leaving = new AbortController()
  const told = client.conversations.counts({ signal: leaving.signal })
  const left = expect(told).rejects.toThrow('mine')
  await until('it is told', () => calls.length === 1)

  await client.health.get()

  expect(calls).toEqual(['told', 'untold', 'untold', 'untold', 'untold'])
  leaving.abort(new Error('mine'))
  await left
})

test('who is told a date to wait for, an hour from now, does not wait', async () => {
  let calls = 0
  const client = await clientOf((_request, response) => {
    calls++
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    response.writeHead(429, { 'retry-after': later }).end('busy')
  })
  await expect(client.health.get()).rejects.toMatchObject({ status: 429 })
  expect(calls).toBe(1)
})

test('what no gateway tells ends a stream', async () => {
  const client = await clientOf(
    (_request, response) => void response.end('event: message.received\ndata: {\n\n'),
  )
  await expect(client.events.stream().next()).rejects.toMatchObject({
    name: 'EstafetError',
    code: 'NOT_OURS',
  })
})
