// What the client makes of answers that are not the gateway's, of none, and of calls that cannot be made.
import { describe, expect, test } from 'vitest'
import { type ClientOptions, createClient } from '../../client/index.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { cut, failureOf, json, page, startAnswering } from './answering.ts'

const key = 'est_secret'
const text = { body: 'Hello' }
const message = { type: 'text', to: '+16505550101', text } as const

describe('an answer that is not the gateway’s', () => {
  test.each([
    ['a text for an error', { error: 'not found' }],
    ['a number for a code', { error: { code: 404, message: 'not found', request_id: 'r' } }],
    ['no name of the request', { error: { code: 'NOT_FOUND', message: 'not found' } }],
    ['no error at all', null],
  ])('is known as such although it is JSON, with %s', async (_, body) => {
    const { baseUrl } = await startAnswering(json(404, body))
    const failure = await failureOf(createClient({ baseUrl, key }).messages.get('msg_1'))
    expect(failure).toMatchObject({ name: 'EstafetError', code: 'NOT_OURS', status: 404 })
    expect(failure.message).toBe(`answered 404: ${JSON.stringify(body)}`)
  })

  test('does not say that something is deleted', async () => {
    const foreign = await startAnswering(page(502), json(404, { error: 'not found' }))
    const deleting = createClient({ baseUrl: foreign.baseUrl, key }).eventEndpoints.delete('ep_1')
    expect(await failureOf(deleting)).toMatchObject({ code: 'NOT_OURS', status: 404 })

    const gone = { code: 'EVENT_ENDPOINT_NOT_FOUND', message: 'Gone.', request_id: 'r' }
    const ours = await startAnswering(page(502), json(404, { error: gone }))
    const client = createClient({ baseUrl: ours.baseUrl, key })
    expect(await client.eventEndpoints.delete('ep_1')).toBe(undefined)
  })

  test('is no success because it is a 200, and is not asked for again', async () => {
    const { baseUrl, calls } = await startAnswering(page(200))
    const client = createClient({ baseUrl, key })
    const asked = [
      () => client.health.get(),
      () => client.messages.list().page(),
      () => client.messages.send(message),
      () => client.eventEndpoints.delete('ep_1'),
      () => client.admin.metrics.get(),
    ]
    for (const ask of asked) {
      const failure = await failureOf(ask())
      expect(failure).toMatchObject({ code: 'NOT_OURS', status: 200 })
      expect(failure.message).toMatch(/^answered 200 with text\/html instead of /)
    }
    expect(calls).toHaveLength(asked.length)
  })

  test.each([301, 302, 303, 307, 308])('is not followed to elsewhere: %d', async (status) => {
    const elsewhere = await startAnswering(json(200, {}))
    const location = `${elsewhere.baseUrl}/api/whatsapp/meta/send`
    const redirecting = await startAnswering((response) =>
      response.writeHead(status, { location }).end('over there'),
    )
    const client = createClient({ baseUrl: redirecting.baseUrl, key })

    const failure = await failureOf(client.messages.send(message))

    expect(failure).toMatchObject({ code: 'NOT_OURS', status })
    expect(failure.message).toBe(`baseUrl redirects to ${location}`)
    expect(redirecting.calls).toEqual(['POST /api/whatsapp/meta/send'])
    expect(elsewhere.calls).toEqual([])
  })
})

describe('the Idempotency-Key', () => {
  test('that the client made up is on the error when nobody answers', async () => {
    const { baseUrl, keys } = await startAnswering(cut)
    const client = createClient({ baseUrl, key, maxRetries: 1 })
    const failure = await failureOf(client.messages.send(message))
    expect(failure).toMatchObject({ code: 'NETWORK' })
    expect(failure.idempotencyKey).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys).toEqual([failure.idempotencyKey, failure.idempotencyKey])
  })

  test('is on it too when the time is over, when it is refused, and when it is the caller’s', async () => {
    const silent = await startAnswering(() => undefined)
    const waiting = createClient({ baseUrl: silent.baseUrl, key, maxRetries: 0, timeoutMs: 50 })
    const late = await failureOf(waiting.messages.send(message, { idempotencyKey: 'order-1' }))
    expect(late).toMatchObject({ code: 'TIMEOUT', idempotencyKey: 'order-1' })

    const broken = await startAnswering(page(502))
    const client = createClient({ baseUrl: broken.baseUrl, key, maxRetries: 0 })
    const headers = { 'Idempotency-Key': 'order-2' }
    const refused = await failureOf(client.messages.send(message, { headers }))
    expect(refused).toMatchObject({ code: 'NOT_OURS', idempotencyKey: 'order-2' })
  })

  test('is not on the error of a call that carries none', async () => {
    const { baseUrl } = await startAnswering(cut)
    const failure = await failureOf(createClient({ baseUrl, key, maxRetries: 0 }).health.get())
    expect(failure).toMatchObject({ code: 'NETWORK', idempotencyKey: undefined })
  })
})

describe('a call that cannot be made', () => {
  const secret = canary('key').text
  const wrongClients: [string, Partial<ClientOptions>][] = [
    ['no address', { baseUrl: '' }],
    ['an address without its kind', { baseUrl: 'gateway.example' }],
    ['an address of another kind', { baseUrl: 'ftp://gateway.example' }],
    ['an address with a password', { baseUrl: `https://me:${secret}@gateway.example` }],
    ['a key that is no value of a header', { key: `${secret}\nmore` }],
    ['a tenant that is none either', { tenantId: 'tenant\u20ac' }],
    ['no time', { timeoutMs: 0 }],
    ['less than no time', { timeoutMs: -1 }],
    ['a time that is no number', { timeoutMs: Number.NaN }],
  ]

  test.each(wrongClients)('because of %s says so at once', async (_, wrong) => {
    const { baseUrl, calls } = await startAnswering(json(200, {}))
    const client = createClient({ baseUrl, key, ...wrong })
    for (const failure of [
      await failureOf(client.health.get()),
      await failureOf(client.events.stream().next()),
    ]) {
      expect(failure).toBeInstanceOf(TypeError)
      expect(failure.message).toMatch(/^(baseUrl must be|timeoutMs must be|what is given for)/)
      expectNone(`${failure.stack} ${failure.cause}`, secret)
    }
    expect(calls).toEqual([])
  })

  test('because of its own options or its body says so too', async () => {
    const { baseUrl, calls } = await startAnswering(json(200, {}))
    const client = createClient({ baseUrl, key })
    const unsayable = { ...message, text: { body: 1n as never } }
    const wrong = [
      client.messages.send(message, { idempotencyKey: 'order\n1' }),
      client.messages.send(message, { headers: { 'no name': 'x' } }),
      client.messages.send(message, { timeoutMs: 0 }),
      client.messages.send(unsayable),
      client.events.stream({ lastEventId: 'evt\n1' }).next(),
    ]
    for (const call of wrong) expect(await failureOf(call)).toBeInstanceOf(TypeError)
    expect(calls).toEqual([])
  })
})

test.each([Number.POSITIVE_INFINITY, 2 ** 31, 1e12])(
  'who may wait for %d ms waits for the answer',
  async (timeoutMs) => {
    // Not at once: a timer that is over at once is over before this one.
    const { baseUrl } = await startAnswering((response) => {
      setTimeout(() => json(200, { status: 'ok' })(response), 50)
    })
    const client = createClient({ baseUrl, key, timeoutMs, maxRetries: 0 })
    expect(await client.health.get()).toEqual({ status: 'ok' })
  },
)
