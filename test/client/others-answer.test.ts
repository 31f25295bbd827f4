// The client where something answers in the gateway's place: a proxy that is busy, or a stranger.
import { expect, test } from 'vitest'
import { createClient } from '../../client/index.ts'
import { until } from '../support/program.ts'
import { json, startAnswering, stream } from './answering.ts'

const clientOf = ({ baseUrl }: { baseUrl: string }) => createClient({ baseUrl, key: 'any' })

test('who is told to wait waits longer than who is told nothing', async () => {
  const busy = await startAnswering((response, request) => {
    if (request.url?.endsWith('/counts')) response.setHeader('retry-after', '50')
    // The other comes back three times, later each time.
    json(busy.calls.length < 5 ? 429 : 200, {})(response)
  })
  const client = clientOf(busy)
  const leaving = new AbortController()
  const told = client.conversations.counts({ signal: leaving.signal })
  const left = told.catch((error: Error) => error.message)
  await until('it is told', () => busy.calls.length === 1)

  await client.health.get()

  expect(busy.calls.map((call) => call.endsWith('/counts'))).toEqual([
    true,
    ...[false, false, false, false],
  ])
  leaving.abort(new Error('mine'))
  expect(await left).toBe('mine')
})

test('who is told a date to wait for, an hour from now, does not wait', async () => {
  const busy = await startAnswering((response) => {
    const later = new Date(Date.now() + 3_600_000).toUTCString()
    response.writeHead(429, { 'retry-after': later }).end('busy')
  })
  await expect(clientOf(busy).health.get()).rejects.toMatchObject({ status: 429 })
  expect(busy.calls).toHaveLength(1)
})

test('what no gateway tells ends a stream', async () => {
  const strange = await startAnswering(stream('event: message.received\ndata: {\n\n'))
  await expect(clientOf(strange).events.stream().next()).rejects.toMatchObject({
    name: 'EstafetError',
    code: 'NOT_OURS',
  })
})
