// From the send API through the outbox to Meta and back as statuses.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { traceLife } from '../../src/ops/trace.ts'
import { afterFile } from '../support/after-file.ts'
import {
  accessTokenOf,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  testSecrets,
} from '../support/gateway.ts'

let simulator: Simulator
let gateway: TestGateway
let firm: TestTenant
const customer = '16505550143'

beforeAll(async () => {
  simulator = await startSimulator({ appSecret: testSecrets.META_APP_SECRET, statusDelaysMs: 0 })
  afterFile(() => simulator.close())
  gateway = await startTestGateway({ environment: { META_GRAPH_URL: simulator.url } })
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
  firm = await gateway.createTenant('Firm A', tenantANumber)
  simulator.registerNumber({
    ...tenantANumber,
    display_phone_number: '+1 555-0100',
    access_token: accessTokenOf('Firm A'),
  })
  const { phone_number_id } = tenantANumber
  simulator.customerWrites(customer, { phone_number_id, type: 'text', text: 'hello' })
  await simulator.settled()
  await gateway.drain()
})

const send = (body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  gateway.call('POST', '/api/whatsapp/meta/send', {
    key: firm.key,
    body: { to: `+${customer}`, type: 'text', text: { body: 'Good morning' }, ...body },
    headers,
  })

const read = async (id: string) =>
  (await gateway.call('GET', `/api/whatsapp/messages/${id}`, { key: firm.key })).json

describe('a message', () => {
  test('is queued at once, sent once, and climbs with what Meta reports', async () => {
    const answer = await send({ client_reference: 'order-1' })

    expect(answer.status).toBe(202)
    const { message_id } = answer.json
    expect(await read(message_id)).toMatchObject({
      direction: 'outbound',
      type: 'text',
      content: { text: { body: 'Good morning' } },
      status: 'queued',
      attempts: 0,
      wamid: null,
      client_reference: 'order-1',
      conversation_id: answer.json.conversation_id,
    })

    await gateway.sendDue()
    const [accepted, ...more] = simulator.ledger().sends
    expect(more).toEqual([])
    expect(await read(message_id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      wamid: accepted?.wamid,
      error: null,
    })

    await simulator.settled()
    await gateway.drain()
    const climbed = await read(message_id)
    expect(climbed.status).toBe('read')
    expect(climbed.timeline.map((step: { status: string }) => step.status)).toEqual([
      'queued',
      'sent',
      'delivered',
      'read',
    ])
  })
})

describe('its life', () => {
  test('is told before and after Meta has it, with every attempt', async () => {
    const { message_id } = (await send({})).json
    const whatHappened = async (asked: string) =>
      (await traceLife(gateway.db, asked, [])).life
        .map((moment) => moment.what)
        .filter((what) => /^(message|queued|attempt)/.test(what))
    expect(await whatHappened(message_id)).toEqual(['message recorded', 'queued'])

    await gateway.sendDue()
    expect(await whatHappened(message_id)).toEqual([
      'message recorded',
      'queued',
      'attempt to send',
      'attempt ended: accepted',
    ])
  })
})

describe('an idempotency key', () => {
  test('gives the first answer again, and one message', async () => {
    const before = simulator.ledger().sends.length
    const headers = { 'idempotency-key': 'key-1' }
    const [first, ...others] = await Promise.all(
      Array.from({ length: 8 }, () => send({ text: { body: 'once' } }, headers)),
    )
    await gateway.sendDue()
    const late = await send({ text: { body: 'once' } }, headers)

    for (const other of [...others, late]) {
      expect(other.status).toBe(202)
      expect(other.json).toEqual(first?.json)
    }
    const replayed = [first, ...others].filter(
      (answer) => answer?.headers.get('idempotent-replayed') === 'true',
    )
    expect(replayed).toHaveLength(7)
    expect(late.headers.get('idempotent-replayed')).toBe('true')
    expect(simulator.ledger().sends.length - before).toBe(1)
  })

  test('has 1 to 255 characters', async () => {
    const withKey = (key: string) => send({ text: { body: 'one' } }, { 'idempotency-key': key })
    expect((await withKey('x'.repeat(255))).status).toBe(202)
    for (const key of ['', 'x'.repeat(256)]) {
      const { status, json } = await withKey(key)
      expect([status, json.error.details.fields[0].field]).toEqual([400, 'idempotency-key'])
    }
    await gateway.sendDue()
  })

  test('is refused for another body', async () => {
    const headers = { 'idempotency-key': 'key-2' }
    await send({ text: { body: 'one' } }, headers)
    const answer = await send({ text: { body: 'another' } }, headers)
    expect(answer.status).toBe(422)
    expect(answer.json.error.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})

describe('what cannot be sent', () => {
  test.each([
    [{ text: { body: '' } }, 400, 'INVALID_MESSAGE'],
    [{ phone_number_id: 'nobodys' }, 404, 'ACCOUNT_NOT_FOUND'],
    [{ to: '+16505559999' }, 422, 'WINDOW_CLOSED'],
  ])('%j is %i %s', async (body, status, code) => {
    const answer = await send(body)
    expect(answer.status).toBe(status)
    expect(answer.json.error.code).toBe(code)
  })
})

describe('cancelling', () => {
  test('works while it waits, and not any more', async () => {
    const before = simulator.ledger().sends.length
    const { message_id } = (await send({})).json
    const cancel = () =>
      gateway.call('POST', `/api/whatsapp/messages/${message_id}/cancel`, { key: firm.key })
    expect((await cancel()).json).toEqual({ id: message_id, status: 'cancelled' })
    expect((await cancel()).json.error.code).toBe('NOT_CANCELLABLE')
    await gateway.sendDue()
    expect((await read(message_id)).status).toBe('cancelled')

    const sent = (await send({})).json.message_id
    await gateway.sendDue()
    const late = await gateway.call('POST', `/api/whatsapp/messages/${sent}/cancel`, {
      key: firm.key,
    })
    expect(late.status).toBe(409)
    expect(simulator.ledger().sends.length - before).toBe(1 + 1)
  })
})
