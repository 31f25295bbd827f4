// The client against a real gateway and a simulated Meta, over connections that break.
import { readFileSync } from 'node:fs'
import { Webhook } from 'standardwebhooks'
import { Headers as OtherHeaders } from 'undici'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Client,
  createClient,
  type EstafetError,
  type EstafetEvent,
  type StreamQuery,
  verifyEvent,
} from '../../client/index.ts'
import { clientOperations, clientSource } from '../../scripts/client-source.ts'
import type { OpenApiDocument } from '../../src/api/openapi-model.ts'
import { createSchemaCheck } from '../support/described-answers.ts'
import {
  type EventReceiver,
  type ReceivedCall,
  startEventReceiver,
} from '../support/event-receiver.ts'
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts'
import { operatorKey } from '../support/gateway.ts'
import { jpegBytes } from '../support/media.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let sending: Sending
let firm: Firm
let document: OpenApiDocument
/** Of the firm, and of the operator; both through the proxy. */
let client: Client
let operator: Client
let proxy: FaultProxy
let baseUrl: string

beforeAll(async () => {
  sending = await startSending({ API_RATE_LIMIT_PER_SECOND: '30' })
  const { gateway } = sending
  document = (await gateway.call('GET', '/openapi.json')).json
  firm = await sending.createFirm('bakery')
  proxy = await startFaultProxy(Number(new URL(gateway.url).port), '\r\n\r\n')
  baseUrl = `http://127.0.0.1:${proxy.port}`
  client = createClient({ baseUrl, key: firm.key })
  operator = createClient({ baseUrl: `${baseUrl}/`, key: operatorKey })
})

const failureOf = (promise: Promise<unknown>): Promise<EstafetError> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error) => error,
  )

describe('the client is made from the API’s description', () => {
  test('client/generated.ts is what the generator writes', () => {
    const written = readFileSync(new URL('../../client/generated.ts', import.meta.url), 'utf8')
    expect(written === clientSource(document), 'Out of date: npm run generate:client').toBe(true)
  })

  test('every operation of tenants and operators is a method of it', () => {
    const found = clientOperations(document).filter(({ id }) => {
      const place = id
        .split('.')
        .reduce<unknown>((at, word) => (at as Client)?.[word as never], client)
      return typeof place !== 'function'
    })
    expect(found).toEqual([])
    expect(clientOperations(document).length).toBeGreaterThan(100)
  })
})

describe('a call', () => {
  test('whose answer is lost is made again, and the message is sent once', async () => {
    const to = await sending.customerOf(firm)
    const before = proxy.lostAnswers()
    proxy.loseAnswerTo('/api/whatsapp/meta/send')

    const text = { body: 'Your order is ready.' }
    const { message_id } = await client.messages.send({ type: 'text', to, text })

    expect(proxy.lostAnswers()).toBe(before + 1)
    await sending.gateway.sendDue()
    expect(sending.acceptedFor(to)).toHaveLength(1)
    expect(await client.messages.get(message_id)).toMatchObject({ status: 'sent', attempts: 1 })
  })

  test('with a key of the caller’s is the same call again', async () => {
    const to = await sending.customerOf(firm)
    const message = { type: 'text', to, text: { body: 'Once' } } as const
    const options = { idempotencyKey: 'order-4711' }
    const first = await client.messages.send(message, options)
    expect(await client.messages.send(message, options)).toEqual(first)
    const other = { ...message, text: { body: 'Other' } }
    expect(await failureOf(client.messages.send(other, options))).toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
      status: 422,
    })
  })

  test('with a key among its headers, however it is spelled, has only that one', async () => {
    const to = await sending.customerOf(firm)
    const message = { type: 'text', to, text: { body: 'Once' } } as const
    const options = { headers: { 'Idempotency-Key': 'order-1' } }
    const first = await client.messages.send(message, options)
    expect(await client.messages.send(message, options)).toEqual(first)
    expect(await client.messages.send(message, { idempotencyKey: 'order-1' })).toEqual(first)
    await sending.gateway.sendDue()
    expect(sending.acceptedFor(to)).toHaveLength(1)
  })

  test('that deletes and whose answer is lost is made again, and what is gone then is done', async () => {
    const { id } = await client.eventEndpoints.create({ url: 'https://app.example/events' })
    const before = proxy.lostAnswers()
    proxy.loseAnswerTo(`DELETE /api/whatsapp/event-endpoints/${id}`)
    expect(await client.eventEndpoints.delete(id)).toBe(undefined)
    expect(proxy.lostAnswers()).toBe(before + 1)
    expect(await failureOf(client.eventEndpoints.delete(id))).toMatchObject({ status: 404 })
  })

  test('that changes a template at Meta is made once', async () => {
    const components = [{ type: 'BODY', text: 'Good morning' }]
    const { id } = await client.templates.create({
      name: 'changed_once',
      language: 'en',
      category: 'UTILITY',
      components,
    })
    let calls = 0
    const counted: typeof fetch = (...call) => {
      calls++
      return fetch(...call)
    }
    const counting = createClient({ baseUrl, key: firm.key, fetch: counted })
    proxy.loseAnswerTo(`PATCH /api/whatsapp/meta/templates/${id}`)
    expect(await failureOf(counting.templates.update(id, { components }))).toMatchObject({
      code: 'NETWORK',
    })
    expect(calls).toBe(1)
    const match = { endpoint: 'message_templates', waba_id: firm.wabaId } as const
    sending.fault({ fault: 'reset', when: 'after_accepting', match, count: 1 })
    expect(await failureOf(counting.templates.delete(id))).toMatchObject({
      status: 502,
      details: { outcome: 'unknown' },
    })
    expect(calls).toBe(2)
  })

  test('that might do something twice is not made again', async () => {
    proxy.loseAnswerTo('POST /api/admin/tenants ')
    const failure = await failureOf(operator.admin.tenants.create({ name: 'Only one' }))
    expect(failure).toMatchObject({ name: 'EstafetError', code: 'NETWORK', status: 0 })
    const names: string[] = []
    for await (const tenant of operator.admin.tenants.list()) names.push(tenant.name)
    expect(names.filter((name) => name === 'Only one')).toHaveLength(1)
  })

  test('that comes too often is made again when it may be', async () => {
    const busy = await sending.createFirm('busy')
    const answered: number[] = []
    const watched: typeof fetch = async (...call) => {
      const response = await fetch(...call)
      answered.push(response.status)
      // Time stands still here until somebody is refused.
      if (response.status === 429) sending.clock.advance(60_000)
      return response
    }
    const patient = createClient({ baseUrl, key: busy.key, fetch: watched })
    while (!answered.includes(429)) await patient.conversations.counts()
    expect(answered.slice(-2)).toEqual([429, 200])
  })

  test('never leaves its place by an id of dots', () => {
    for (const id of ['', '.', '..']) expect(() => client.messages.get(id)).toThrow(TypeError)
  })

  test('that fails says why, and which request it was', async () => {
    const failure = await failureOf(client.messages.get('msg_nobodys'))
    expect(failure).toMatchObject({ code: 'MESSAGE_NOT_FOUND', status: 404, provider: undefined })
    expect(sending.gateway.logText()).toContain(`"request_id":"${failure.requestId}"`)

    const template = {
      name: 'order_ready',
      language: 'en',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Good morning' }],
    }
    await client.templates.create(template)
    const refused = await failureOf(client.templates.create(template))
    expect(refused).toMatchObject({ code: 'TEMPLATE_EXISTS', provider: { code: 100 } })
  })

  test('that nobody answers ends in time, and one that nobody wants at once', async () => {
    proxy.swallowEverything()
    const alone = { baseUrl, key: firm.key, maxRetries: 0, timeoutMs: 50 }
    const failure = await failureOf(createClient(alone).health.get())
    expect(failure).toMatchObject({ code: 'TIMEOUT' })
    const leaving = new AbortController()
    const call = failureOf(client.health.get({ signal: leaving.signal }))
    leaving.abort(new Error('no more'))
    expect(await call).toMatchObject({ message: 'no more' })
    // Nobody is to find one of the dead connections.
    proxy.refuseEverything()
    proxy.heal()
  })

  test('of an operator names the tenant', async () => {
    const { data } = await operator.accounts.list({}, { tenantId: firm.id }).page()
    expect(data.map(({ phone_number_id }) => phone_number_id)).toEqual([firm.phoneNumberId])
    expect(await operator.admin.metrics.get()).toContain('estafet_')
    const { id } = await operator.admin.tenants.apiKeys.create(firm.id, { name: 'to be revoked' })
    expect(await operator.admin.tenants.apiKeys.revoke(firm.id, id)).toBe(undefined)
  })
})

test('lists are read to their end, or a page at a time', async () => {
  const reader = await sending.createFirm('reader')
  const own = createClient({ baseUrl, key: reader.key })
  const to = await sending.customerOf(reader)
  for (const client_reference of ['1', '2', '3', '4', '5']) {
    await own.messages.send({ type: 'text', to, text: { body: 'Hello' }, client_reference })
  }
  const list = own.messages.list({ status: 'queued', limit: 2 })

  const references: (string | null)[] = []
  for await (const message of list) references.push(message.client_reference)
  expect(references.toSorted()).toEqual(['1', '2', '3', '4', '5'])

  const sizes: number[] = []
  for await (const page of list.pages()) sizes.push(page.data.length)
  expect(sizes).toEqual([2, 2, 1])
  const first = await list.page()
  const second = await list.page(first.paging.next ?? '')
  expect([...first.data, ...second.data].map((one) => one.client_reference)).toEqual(
    references.slice(0, 4),
  )
})

test('a file comes back as it went', async () => {
  const file = new Blob([jpegBytes], { type: 'image/jpeg' })
  const { media_id } = await client.media.upload({ file, filename: 'cake.jpg' })
  const response = await client.media.download(media_id)
  expect(Buffer.from(await response.arrayBuffer())).toEqual(jpegBytes)
})

test('the stream goes on where it broke off, and leaves nothing out', async () => {
  const told: EstafetEvent[] = []
  const leaving = new AbortController()
  const read = async () => {
    const query: StreamQuery = { types: ['message.received'] }
    for await (const event of client.events.stream(query, { signal: leaving.signal })) {
      told.push(event)
    }
  }
  const reading = read()
  const write = async () => {
    await sending.customerOf(firm)
    await sending.gateway.tellDue()
  }
  // Until it is open, what happens is not for it.
  while (told.length === 0) await write()
  const before = told.length
  proxy.refuseEverything()
  await write()
  await write()
  proxy.heal()
  await until('the stream is taken up again', () => told.length >= before + 2)
  leaving.abort()
  await reading

  const ids = told.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(told.every(({ type }) => type === 'message.received')).toBe(true)

  const stranger = createClient({ baseUrl, key: 'est_nobody' })
  expect(await failureOf(stranger.events.stream().next())).toMatchObject({ code: 'UNAUTHORIZED' })
})

test('a stream that breaks before its first event leaves nothing out', async () => {
  const silent = await sending.createFirm('silent')
  let heard = ''
  let isPlaceKnown = false
  /** The real one; what it gives is noted, and when somebody asks for more of it. */
  const watched: typeof fetch = async (...call) => {
    const response = await fetch(...call)
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    const body = new ReadableStream(
      {
        async pull(controller) {
          isPlaceKnown ||= heard.includes('id: ')
          const { done, value } = (await reader?.read()) ?? { done: true }
          if (done) return controller.close()
          heard += value
          controller.enqueue(new TextEncoder().encode(value))
        },
        cancel: () => reader?.cancel(),
      },
      { highWaterMark: 0 },
    )
    return new Response(body, response)
  }
  const leaving = new AbortController()
  const own = createClient({ baseUrl, key: silent.key, fetch: watched })
  const query: StreamQuery = { types: ['message.received'] }
  const first = own.events.stream(query, { signal: leaving.signal }).next()
  await until('the stream has begun', () => isPlaceKnown)
  proxy.refuseEverything()
  await sending.customerOf(silent)
  await sending.gateway.tellDue()
  proxy.heal()
  expect((await first).value).toMatchObject({ type: 'message.received', tenant_id: silent.id })
  leaving.abort()
})

test('what a caller throws ends the stream', async () => {
  const onReset = () => {
    throw new Error('mine')
  }
  const stream = client.events.stream({ lastEventId: 'evt_unknown', onReset })
  expect(await failureOf(stream.next())).toMatchObject({ message: 'mine' })
})

describe('an event', () => {
  let receiver: EventReceiver
  let endpoint: { id: string; secret: string }
  /** Time stands still an hour ahead of the machine's. */
  const now = () => ({ now: sending.clock.now() })
  const told = async (): Promise<ReceivedCall> => {
    await client.eventEndpoints.test(endpoint.id)
    await sending.gateway.tellDue()
    return receiver.calls.at(-1) as ReceivedCall
  }

  beforeAll(async () => {
    receiver = await startEventReceiver()
    endpoint = await client.eventEndpoints.create({ url: receiver.url })
  })

  test('is what it says when it is signed, as text, as bytes, and by whatever headers', async () => {
    const { headers, raw, event } = await told()
    const { secret } = endpoint
    const asBytes = new TextEncoder().encode(raw)
    const asHeaders = new Headers(headers as Record<string, string>)
    expect(await verifyEvent(secret, headers, raw, now())).toEqual(event)
    expect(await verifyEvent([secret], asHeaders, asBytes, now())).toEqual(event)
    const others = new OtherHeaders(headers as Record<string, string>) as unknown as Headers
    expect(others instanceof Headers).toBe(false)
    expect(await verifyEvent([secret], others, asBytes, now())).toEqual(event)
    expect(await verifyEvent(['whsec_AAAA', secret], headers, asBytes.buffer, now())).toEqual(event)
  })

  test('is believed with either secret while they are changed', async () => {
    const old = endpoint.secret
    const { secret } = await client.eventEndpoints.rotateSecret(endpoint.id)
    endpoint = { ...endpoint, secret }
    const { headers, raw, event } = await told()
    expect(String(headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(await verifyEvent(old, headers, raw, now())).toEqual(event)
    expect(await verifyEvent(secret, headers, raw, now())).toEqual(event)
  })

  test('is refused when anything about it is not right', async () => {
    const { headers, raw } = await told()
    const { secret } = endpoint
    const refusal = (
      by: Partial<Parameters<typeof verifyEvent>[1]>,
      { body = raw, key = secret, seconds = 0 } = {},
    ) => {
      const at = new Date(sending.clock.now().getTime() + seconds * 1000)
      const given = { ...headers, ...by } as Record<string, string>
      return failureOf(verifyEvent(key, given, body, { now: at }))
    }
    expect(await refusal({}, { body: raw.replace('"version":1', '"version":2') })).toMatchObject({
      reason: 'signature',
    })
    expect(await refusal({ 'webhook-id': 'evt_other' })).toMatchObject({ reason: 'signature' })
    expect(await refusal({}, { key: `whsec_${btoa('of somebody else')}` })).toMatchObject({
      reason: 'signature',
    })
    expect(await refusal({ 'webhook-signature': 'v1,!!! v2,AAAA v1,' })).toMatchObject({
      reason: 'signature',
    })
    expect(await refusal({}, { seconds: 301 })).toMatchObject({ reason: 'timestamp' })
    expect(await refusal({}, { seconds: -301 })).toMatchObject({ reason: 'timestamp' })
    expect(await refusal({ 'webhook-timestamp': 'NaN' })).toMatchObject({ reason: 'timestamp' })
    expect(await refusal({ 'webhook-id': undefined })).toMatchObject({ reason: 'headers' })
  })

  test('is judged as the Standard Webhooks library judges it', async () => {
    const at = new Date()
    const body = '{"id":"evt_1","type":"event_endpoint.test"}'
    const library = new Webhook(endpoint.secret)
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': library.sign('evt_1', at, body),
    }
    expect(await verifyEvent(endpoint.secret, headers, body, { now: at })).toEqual(
      library.verify(body, headers),
    )
    expect(() => library.verify(`${body} `, headers)).toThrow()
    await expect(verifyEvent(endpoint.secret, headers, `${body} `)).rejects.toThrow()
  })

  test('has the form that the API’s description says', async () => {
    const to = await sending.customerOf(firm)
    const text = { body: 'Hello' }
    const { conversation_id } = await client.messages.send({ type: 'text', to, text })
    await client.conversations.update(conversation_id, { status: 'closed' })
    await sending.gateway.sendDue()
    await sending.gateway.tellDue()
    const check = createSchemaCheck(document)
    const problems = receiver.calls.flatMap(({ event }) =>
      check({ $ref: '#/components/schemas/Event' }, event).map((what) => [event.type, what]),
    )
    expect(problems).toEqual([])
    expect(receiver.types()).toEqual(
      expect.arrayContaining(['message.received', 'conversation.updated', 'message.status']),
    )
  })
})
