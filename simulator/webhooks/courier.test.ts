import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { startSimulator } from '../server.ts'
import { appSecret, changeValue, type Scene, shop, startScene, textTo } from '../test-support.ts'
import type { Clock } from '../time-and-chance.ts'

let scene: Scene
afterEach(() => scene.close())

/** A privileged port: no other process takes it meanwhile, as it could take one that was just free. */
const nobodyListens = 'http://127.0.0.1:1/'
const metadata = { display_phone_number: '15550172201', phone_number_id: shop.phone_number_id }

function hmac(body: Buffer, secret = appSecret) {
  return `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
}

describe('the status ladder', () => {
  test('reports sent, delivered and read, each in a webhook of its own', async () => {
    scene = await startScene()

    const { body } = await scene.send({
      ...textTo('+16505550143'),
      biz_opaque_callback_data: 'attempt=1',
    })
    await scene.simulator.settled()

    const common = {
      id: body.messages[0].id,
      timestamp: expect.stringMatching(/^\d{10}$/),
      recipient_id: '16505550143',
      biz_opaque_callback_data: 'attempt=1',
    }
    const pricing = {
      billable: false,
      pricing_model: 'PMP',
      type: 'free_customer_service',
      category: 'service',
    }
    expect(scene.receiver.received.map((request) => changeValue(request.body))).toEqual([
      {
        messaging_product: 'whatsapp',
        metadata,
        statuses: [{ ...common, status: 'sent', pricing }],
      },
      {
        messaging_product: 'whatsapp',
        metadata,
        statuses: [{ ...common, status: 'delivered', pricing }],
      },
      { messaging_product: 'whatsapp', metadata, statuses: [{ ...common, status: 'read' }] },
    ])
  })

  test('names a user id instead of a phone number that is not known', async () => {
    scene = await startScene()

    await scene.send({ ...textTo(''), to: undefined, recipient: 'ES.88210447365190027731' })
    await scene.simulator.settled()

    for (const { body } of scene.receiver.received) {
      const [status] = changeValue(body).statuses
      expect(status.recipient_user_id).toBe('ES.88210447365190027731')
      expect(status).not.toHaveProperty('recipient_id')
    }
    expect(scene.receiver.received).toHaveLength(3)
  })

  test('goes on while an earlier status is being retried', async () => {
    let refusals = 1
    scene = await startScene({ answer: () => ({ status: refusals-- > 0 ? 503 : 200 }) })

    await scene.send(textTo('+16505550143'))
    await scene.simulator.settled()

    const { deliveries } = scene.simulator.ledger()
    expect(deliveries.map(({ status, state }) => [status, state])).toEqual([
      ['sent', 'delivered'],
      ['delivered', 'delivered'],
      ['read', 'delivered'],
    ])
    expect(deliveries.map(({ attempts }) => attempts.length)).toEqual([2, 1, 1])
  })
})

describe('a webhook', () => {
  test('is signed over exactly its bytes, which are escaped ASCII', async () => {
    scene = await startScene()

    scene.simulator.customerWrites('5511955550199', {
      phone_number_id: shop.phone_number_id,
      type: 'text',
      text: 'ação 🌵 https://a.example/x',
      name: 'Tomé',
    })
    await scene.simulator.settled()

    const [request] = scene.receiver.received
    const body = request?.body as Buffer
    expect(body.toString('latin1')).toContain(
      String.raw`"body":"a\u00e7\u00e3o \ud83c\udf35 https:\/\/a.example\/x"`,
    )
    expect(body.toString('latin1')).toContain(String.raw`"name":"Tom\u00e9"`)
    expect(request?.method).toBe('POST')
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': String(body.length),
      'x-hub-signature-256': hmac(body),
    })
  })

  test('is repeated byte for byte, after growing delays, until the answer is 200', async () => {
    const statuses = [500, 204, 302, 200]
    const waits: number[] = []
    scene = await startScene({
      answer: () => ({ status: statuses.shift() ?? 200 }),
      clock: impatientClock(waits),
      retryDelaysMs: [1000, 5000, 25_000, 125_000],
    })

    scene.simulator.customerWrites('16505550143', {
      phone_number_id: shop.phone_number_id,
      type: 'text',
      text: 'Hi',
    })
    await scene.simulator.settled()

    const [delivery] = scene.simulator.ledger().deliveries
    expect(delivery?.state).toBe('delivered')
    expect(delivery?.attempts.map((attempt) => attempt.response_status)).toEqual([
      500, 204, 302, 200,
    ])
    expect(waits).toEqual([1000, 5000, 25_000])
    expect(new Set(scene.receiver.received.map(({ body }) => body.toString())).size).toBe(1)
  })

  test('is given up when the retries are used up', async () => {
    scene = await startScene({ answer: () => ({ status: 500 }), retryDelaysMs: [0, 0] })

    scene.simulator.customerWrites('16505550143', {
      phone_number_id: shop.phone_number_id,
      type: 'text',
      text: 'Hi',
    })
    await scene.simulator.settled()

    expect(scene.receiver.received).toHaveLength(3)
    expect(scene.simulator.ledger().deliveries).toMatchObject([{ state: 'failed' }])
  })

  test('that cannot be delivered says why and harms nothing', async () => {
    scene = await startScene({ retryDelaysMs: [], webhookUrl: nobodyListens })

    const delivery = await scene.simulator.deliverRaw({ body: '{}' })

    expect(delivery.attempts).toMatchObject([
      { response_status: null, error: expect.stringContaining('ECONNREFUSED') },
    ])
    expect((await scene.send(textTo('+16505550143'))).status).toBe(200)
  })

  test('that a receiver never answers is cut off', async () => {
    scene = await startScene({ deliveryTimeoutMs: 1, retryDelaysMs: [] })
    scene.receiver.hold()

    const delivery = await scene.simulator.deliverRaw({ body: '{}' })

    expect(delivery.attempts).toMatchObject([
      { response_status: null, error: expect.stringMatching(/timeout/i) },
    ])
  })

  test('is dropped while no URL is set', async () => {
    scene = await startScene()
    const deaf = await startSimulator({ appSecret })

    const delivery = await deaf.deliverRaw({ body: '{}' })

    expect(delivery).toMatchObject({ state: 'dropped', attempts: [] })
    expect(await deaf.verifyWebhook()).toMatchObject({ verified: false })
    await deaf.close()
  })

  test('under way is called off by close()', async () => {
    scene = await startScene({ answer: () => ({ status: 500 }), retryDelaysMs: [3_600_000] })

    await scene.simulator.deliverRaw({ body: '{}', retry: true })
    await scene.simulator.close()
    await scene.simulator.settled()

    expect(scene.receiver.received).toHaveLength(1)
  })
})

describe('the handshake', () => {
  const echo = (url: URL) =>
    url.searchParams.get('hub.mode') === 'subscribe' &&
    url.searchParams.get('hub.verify_token') === 'the-token'
      ? { status: 200, body: url.searchParams.get('hub.challenge') ?? '' }
      : { status: 403 }

  test('succeeds when the challenge comes back', async () => {
    scene = await startScene({ verifyToken: 'the-token', answer: ({ url }) => echo(url) })

    expect(await scene.simulator.verifyWebhook()).toEqual({
      verified: true,
      response_status: 200,
      reason: null,
    })
    expect(scene.receiver.received).toMatchObject([{ method: 'GET' }])
  })

  test('keeps the query that the URL already has', async () => {
    scene = await startScene({ verifyToken: 'the-token', answer: ({ url }) => echo(url) })
    scene.simulator.setWebhook({ url: `${scene.receiver.url}?app=1` })

    expect(await scene.simulator.verifyWebhook()).toMatchObject({ verified: true })
    expect(scene.receiver.received[0]?.url.searchParams.get('app')).toBe('1')
  })

  test.each([
    ['the token is wrong', 'other-token', echo, 403, /403/],
    ['the challenge is quoted', 'the-token', () => ({ status: 200, body: '"1"' }), 200, /bare/],
  ])('fails when %s', async (_case, verifyToken, answer, status, reason) => {
    scene = await startScene({ verifyToken, answer: ({ url }) => answer(url) })

    expect(await scene.simulator.verifyWebhook()).toEqual({
      verified: false,
      response_status: status,
      reason: expect.stringMatching(reason),
    })
  })

  test('fails when nobody listens', async () => {
    scene = await startScene()
    scene.simulator.setWebhook({ url: nobodyListens })

    expect(await scene.simulator.verifyWebhook()).toMatchObject({
      verified: false,
      response_status: null,
      reason: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

/** Writes down what it was asked to wait and then does not wait. */
function impatientClock(waits: number[]): Clock {
  return {
    now: () => new Date('2026-11-15T12:00:00Z'),
    after(ms, task) {
      waits.push(ms)
      const immediate = setImmediate(task)
      return () => clearImmediate(immediate)
    },
  }
}
