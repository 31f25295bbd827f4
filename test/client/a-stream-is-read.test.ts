// What the client makes of a stream: of every text in it, of what is none, and of a reader who leaves.
import { expect, test } from 'vitest'
import { createClient, type StreamQuery } from '../../client/index.ts'
import { until } from '../support/program.ts'
import { failureOf, page, startAnswering, stream } from './answering.ts'

const key = 'est_any'
const event = (id: string, more: object = {}) =>
  `id: ${id}\nevent: message.status\ndata: ${JSON.stringify({ id, ...more })}\n\n`

test('an event is told whatever separators are in its text', async () => {
  const data = { client_reference: 'first\u2028second\u2029third\u0085fourth' }
  // So that it is about the bytes as the gateway writes them.
  expect(event('evt_1', { data })).toContain('\u2028second\u2029')
  const { baseUrl } = await startAnswering(stream(event('evt_1', { data }) + event('evt_2')))
  const events = createClient({ baseUrl, key }).events.stream()
  expect((await events.next()).value).toEqual({ id: 'evt_1', data })
  expect((await events.next()).value).toEqual({ id: 'evt_2' })
  await events.return()
})

test('what is no stream ends it, and says what it is', async () => {
  const { baseUrl, calls } = await startAnswering(page(200))
  const failure = await failureOf(createClient({ baseUrl, key }).events.stream().next())
  expect(failure).toMatchObject({ name: 'EstafetError', code: 'NOT_OURS', status: 200 })
  expect(failure.message).toBe('answered 200 with text/html instead of text/event-stream')
  expect(calls).toHaveLength(1)
})

test('a redirect ends it too', async () => {
  const { baseUrl } = await startAnswering((response) =>
    response.writeHead(302, { location: '/sign-in' }).end(),
  )
  const failure = await failureOf(createClient({ baseUrl, key }).events.stream().next())
  expect(failure).toMatchObject({ code: 'NOT_OURS', message: 'baseUrl redirects to /sign-in' })
})

test('a proxy that says the gateway is away does not end it', async () => {
  const { baseUrl, calls } = await startAnswering(page(502), stream(event('evt_1')))
  const events = createClient({ baseUrl, key, maxRetries: 0 }).events.stream()
  expect((await events.next()).value).toEqual({ id: 'evt_1' })
  expect(calls).toHaveLength(2)
  await events.return()
})

test('a stream that breaks off is taken up again', async () => {
  const { baseUrl, calls } = await startAnswering(
    (response) => {
      stream(event('evt_1'))(response)
      response.socket?.end()
    },
    stream(event('evt_2')),
  )
  const events = createClient({ baseUrl, key }).events.stream()
  expect((await events.next()).value).toEqual({ id: 'evt_1' })
  expect((await events.next()).value).toEqual({ id: 'evt_2' })
  expect(calls).toHaveLength(2)
  await events.return()
})

test('a reader who leaves waits for no event', async () => {
  let isLeft = false
  const { baseUrl, calls } = await startAnswering((response) => {
    response.on('close', () => {
      isLeft = true
    })
    stream(': hello\n\n')(response)
  })
  const events = createClient({ baseUrl, key }).events.stream()
  const next = events.next()
  await until('the stream is asked for', () => calls.length > 0)

  expect(await events.return()).toEqual({ done: true, value: undefined })

  expect(await next).toEqual({ done: true, value: undefined })
  await until('the connection is closed', () => isLeft)
  expect(calls).toHaveLength(1)
}, 60_000)

test('only types that there are can be asked for', async () => {
  const { baseUrl, calls } = await startAnswering(stream(event('evt_1')))
  const right: StreamQuery = { types: ['message.received', 'message.status'] }
  // @ts-expect-error: there is no such type.
  const wrong: StreamQuery = { types: ['message.recieved'] }
  // @ts-expect-error: the gateway refuses this one, which is for its endpoint alone.
  const unheard: StreamQuery = { types: ['event_endpoint.test'] }
  for (const query of [right, wrong, unheard]) {
    const events = createClient({ baseUrl, key }).events.stream(query)
    await events.next()
    await events.return()
  }
  expect(calls).toEqual([
    'GET /api/whatsapp/events?types=message.received%2Cmessage.status',
    'GET /api/whatsapp/events?types=message.recieved',
    'GET /api/whatsapp/events?types=event_endpoint.test',
  ])
})
