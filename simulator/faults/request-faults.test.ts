import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { eventually, manualClock, pass } from '../test-clock.ts'
import { clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

let shared: Scene
/** The shared one, unless a test has another. */
let scene: Scene
beforeAll(async () => {
  shared = await startScene()
})
beforeEach(async () => {
  await shared.startAnew()
  scene = shared
})
afterEach(async () => {
  if (scene !== shared) await scene.close()
})
afterAll(() => shared.close())

const setFault = (rule: object) => scene.call('POST', '/simulator/faults', rule)
const path = `/v25.0/${shop.phone_number_id}/messages`
const mara = '+16505550143'

/** A send whose answer may be anything, or nothing. */
function rawSend(signal?: AbortSignal) {
  return fetch(`${scene.simulator.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${shop.access_token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(textTo(mara)),
    ...(signal === undefined ? {} : { signal }),
  })
}

const requests = () => scene.simulator.ledger().requests
const closedRequest = () => eventually(() => requests().find(({ outcome }) => outcome !== 'open'))

describe('throttling', () => {
  test.each([
    [130429, 400],
    [131056, 400],
    [131048, 400],
    [80007, 400],
    [4, 400],
  ])('with code %i is HTTP %i unless said otherwise', async (code, status) => {
    await setFault({ fault: 'throttle', code })

    const answer = await scene.send(textTo(mara))

    expect(answer.status).toBe(status)
    expect(answer.body.error).toMatchObject({
      message: expect.stringContaining(`(#${code})`),
      type: 'OAuthException',
      code,
      fbtrace_id: expect.stringMatching(/^A[\w-]{22}$/),
    })
    expect(answer.headers.has('retry-after')).toBe(false)
    expect(scene.simulator.ledger().sends).toEqual([])
  })

  test('can be a 429 with Retry-After', async () => {
    await setFault({ fault: 'throttle', http_status: 429, retry_after_seconds: 7 })

    const answer = await scene.send(textTo(mara))

    expect(answer).toMatchObject({ status: 429, body: { error: { code: 130429 } } })
    expect(answer.headers.get('retry-after')).toBe('7')
  })

  test('of an account says in a header when it ends', async () => {
    await setFault({ fault: 'throttle', code: 80007, retry_after_seconds: 120 })

    const { headers } = await scene.send(textTo(mara))

    const usage = JSON.parse(headers.get('x-business-use-case-usage') ?? '')
    expect(usage[shop.waba_id]).toMatchObject([{ estimated_time_to_regain_access: 2 }])
  })
})

describe('limits counted for real', () => {
  test('let a pair borrow a burst from the future, and no more', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'pair_limit', every: '6s', burst: 3 })
    const attempt = async (to = mara) => (await scene.send(textTo(to))).status

    const seen = [await attempt(), await attempt(), await attempt(), await attempt()]
    const stranger = await attempt('+16505550144')
    await pass(scene, clock, 6000)
    const later = [await attempt(), await attempt()]

    expect(seen).toEqual([200, 200, 200, 400])
    expect(stranger).toBe(200)
    expect(later).toEqual([200, 400])
    const { body } = await scene.send(textTo(mara))
    expect(body.error.code).toBe(131056)
  })

  test('do not count what was refused for another reason', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'pair_limit', every: '6s', burst: 1 })
    await setFault({ fault: 'throughput_limit', per_second: 1 })

    const bad = await scene.send({ ...textTo(mara), type: 'hologram' })
    const good = await scene.send(textTo(mara))

    expect([bad.status, good.status]).toEqual([400, 200])
  })

  test('count both directions of a number in any second', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'throughput_limit', per_second: 3 })
    scene.simulator.customerWrites('16505550144', {
      phone_number_id: shop.phone_number_id,
      type: 'text',
      text: 'Hi',
    })

    const seen: number[] = []
    for (let call = 0; call < 3; call++) seen.push((await scene.send(textTo(mara))).status)
    const other = await scene.send(textTo(mara), clinic)
    await pass(scene, clock, 1000)
    const later = await scene.send(textTo(mara))

    expect(seen).toEqual([200, 200, 400])
    expect([other.status, later.status]).toEqual([200, 200])
  })
})

describe('errors', () => {
  test.each([
    [1, 500],
    [2, 503],
    [131000, 500],
    [131016, 500],
    [368, 403],
    [219, 403],
    [131208, 429],
    [134102, 500],
    [999_999, 400],
  ])('with code %i come with HTTP %i', async (code, status) => {
    await setFault({ fault: 'error', code })

    expect(await scene.send(textTo(mara))).toMatchObject({ status, body: { error: { code } } })
    expect(scene.simulator.ledger().sends).toEqual([])
  })

  test('can have another status, subcode and text', async () => {
    const words = { subcode: 33, title: 'Nope', details: 'Not today.' }
    await setFault({ fault: 'error', code: 100, http_status: 418, ...words })

    expect(await scene.send(textTo(mara))).toMatchObject({
      status: 418,
      body: {
        error: { message: '(#100) Nope', error_subcode: 33, error_data: { details: 'Not today.' } },
      },
    })
  })

  test.each([
    ['html', { fault: 'error', http_status: 502, body: 'html' }, 502, /^<!DOCTYPE html>/],
    ['empty', { fault: 'error', http_status: 504, body: 'empty' }, 504, /^$/],
    ['html', { fault: 'html' }, 502, /^<!DOCTYPE html>/],
    ['html', { fault: 'outage' }, 503, /^<!DOCTYPE html>/],
  ])('can be %s: %j', async (_kind, rule, status, body) => {
    await setFault(rule)

    const answer = await rawSend()

    expect(answer.status).toBe(status)
    expect(await answer.text()).toMatch(body)
    expect(scene.simulator.ledger().sends).toEqual([])
  })

  test.each([
    [{ fault: 'error', code: 131000, when: 'after_accepting' }, 500],
    [{ fault: 'html', when: 'after_accepting' }, 502],
  ])('can come although the send counts: %j', async (rule, status) => {
    await setFault(rule)

    const answer = await rawSend()
    await answer.text()
    await scene.simulator.settled()

    expect(answer.status).toBe(status)
    expect(scene.simulator.ledger().sends).toHaveLength(1)
    expect(scene.receiver.received).toHaveLength(3)
  })
})

describe('tokens', () => {
  test.each([
    ['revoked', undefined],
    ['expired', 463],
    ['password_changed', 460],
    ['app_removed', 458],
    ['logged_out', 467],
  ])('%s are 401 code 190 with subcode %s', async (state, subcode) => {
    await setFault({ fault: 'token', state, match: { phone_number_id: shop.phone_number_id } })

    const { status, body } = await scene.send(textTo(mara))

    expect([status, body.error.code, body.error.error_subcode]).toEqual([401, 190, subcode])
    expect((await scene.send(textTo(mara), clinic)).status).toBe(200)
  })

  test('can expire later', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'token', state: 'expired', from: '1h' })

    const before = await scene.send(textTo(mara))
    await pass(scene, clock, 3_600_000)
    const after = await scene.send(textTo(mara))

    expect([before.status, after.status]).toEqual([200, 401])
  })
})

describe('the connection', () => {
  test.each([
    ['refuse', { fault: 'refuse' }],
    ['refuse, for a recipient', { fault: 'refuse', match: { recipient: mara } }],
    ['reset before accepting', { fault: 'reset' }],
    ['refused in an outage', { fault: 'outage', how: 'refuse' }],
  ])('ends without a send: %s', async (_case, rule) => {
    await setFault(rule)

    await expect(rawSend()).rejects.toThrow()

    expect(await closedRequest()).toMatchObject({ outcome: 'cut', status: null, wamid: null })
    expect(scene.simulator.ledger()).toMatchObject({
      sends: [],
      faults: [{ endpoint: 'messages' }],
    })
  })

  test('ends after the send was accepted, and its statuses follow', async () => {
    await setFault({ fault: 'reset', when: 'after_accepting' })

    await expect(rawSend()).rejects.toThrow()
    const request = await closedRequest()
    await scene.simulator.settled()

    const [send] = scene.simulator.ledger().sends
    expect(request).toMatchObject({ outcome: 'cut', wamid: send?.wamid, faults: ['reset_1'] })
    expect(scene.receiver.received).toHaveLength(3)
  })

  test.each([
    ['before', { fault: 'hang' }, 0],
    ['in an outage, before', { fault: 'outage', how: 'hang' }, 0],
    ['after', { fault: 'hang', when: 'after_accepting' }, 1],
  ])('stays open without an answer %s accepting', async (_when, rule, sends) => {
    await setFault(rule)
    const giveUp = new AbortController()

    const answer = rawSend(giveUp.signal)
    await eventually(() => scene.simulator.ledger().faults.length === 1)
    expect(requests()).toMatchObject([{ outcome: 'open', answered_at: null }])
    giveUp.abort()

    await expect(answer).rejects.toThrow()
    expect(await closedRequest()).toMatchObject({ outcome: 'cut', status: null })
    expect(scene.simulator.ledger().sends).toHaveLength(sends)
  })

  test('that hangs does not keep the simulator from closing', async () => {
    scene = await startScene()
    await setFault({ fault: 'hang' })
    const outcome = rawSend().catch((error: Error) => error.message)
    await eventually(() => scene.simulator.ledger().faults.length === 1)

    await scene.simulator.close()

    expect(await outcome).toBe('fetch failed')
  })
})

describe('a truncated answer', () => {
  test('breaks off before its announced end', async () => {
    await setFault({ fault: 'truncate', keep: 0.4 })

    const answer = await rawSend()

    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
    expect(scene.simulator.ledger().sends).toHaveLength(1)
    expect(await closedRequest()).toMatchObject({ outcome: 'cut' })
  })

  test('of no bytes at all breaks off after its headers', async () => {
    await setFault({ fault: 'truncate', keep: 0 })

    const answer = await rawSend()

    expect(answer.status).toBe(200)
    await expect(answer.text()).rejects.toThrow()
    expect(scene.simulator.ledger().sends).toHaveLength(1)
  })

  test('can claim to be whole', async () => {
    await setFault({ fault: 'truncate', connection: 'kept' })

    const answer = await rawSend()
    const text = await answer.text()

    expect(answer.status).toBe(200)
    expect(text).toMatch(/^\{"messaging_product"/)
    expect(() => JSON.parse(text)).toThrow()
  })
})

describe('slowness', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ])('%s accepting holds the answer until its time', async (when, sendsMeanwhile) => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'slow', delay: '5s', when: `${when}_accepting` })

    const answer = rawSend()
    await eventually(() => scene.simulator.ledger().faults.length === 1)
    expect(scene.simulator.ledger().sends).toHaveLength(sendsMeanwhile)
    expect(requests()).toMatchObject([{ outcome: 'open' }])
    await pass(scene, clock, 5000)

    expect((await answer).status).toBe(200)
    const request = await closedRequest()
    const took = Date.parse(request.answered_at ?? '') - Date.parse(request.arrived_at)
    expect(took).toBe(5000)
  })
})

test('every strike is in the ledger and on the request, with nothing of the token', async () => {
  await setFault({ fault: 'slow', delay: 0, id: 'sluggish' })
  await setFault({ fault: 'throttle', id: 'busy' })

  await scene.send(textTo(mara))
  const request = await closedRequest()

  expect(request).toMatchObject({
    method: 'POST',
    path,
    endpoint: 'messages',
    phone_number_id: shop.phone_number_id,
    waba_id: shop.waba_id,
    recipient: '16505550143',
    status: 400,
    outcome: 'answered',
    faults: ['sluggish', 'busy'],
    body: textTo(mara),
  })
  const { body } = await scene.call('GET', '/simulator/ledger/faults')
  expect(body.data).toMatchObject([
    { rule_id: 'sluggish', fault: 'slow', request_id: request.id, recipient: '16505550143' },
    { rule_id: 'busy', fault: 'throttle', request_id: request.id },
  ])
  const ledger = await scene.call('GET', '/simulator/ledger')
  expectNone(JSON.stringify(ledger.body), shop.access_token)
})

describe('a call is known by its endpoint', () => {
  test.each([
    ['GET', `/v25.0/${shop.waba_id}/message_templates`, 'message_templates'],
    ['GET', `/v25.0/${shop.waba_id}/phone_numbers`, 'phone_numbers'],
    ['POST', `/v25.0/${shop.waba_id}/subscribed_apps`, 'subscribed_apps'],
    ['POST', `/v25.0/${shop.phone_number_id}/register`, 'register'],
    ['POST', `/v25.0/${shop.phone_number_id}/media`, 'media'],
    ['GET', `/v25.0/${shop.phone_number_id}`, 'object'],
    ['GET', '/v25.0/oauth/access_token?code=secret-code', 'oauth'],
    ['GET', '/v25.0/debug_token', 'debug_token'],
    ['GET', '/v25.0/12345/nonsense', 'nonsense'],
  ])('%s %s is %s', async (method, url, endpoint) => {
    await setFault({ fault: 'throttle', match: { endpoint } })

    const struck = await scene.call(method, url)
    const spared = await scene.send(textTo(mara))

    expect(struck).toMatchObject({ status: 400, body: { error: { code: 130429 } } })
    expect(spared.status).toBe(200)
    const [request] = requests()
    expect(request).toMatchObject({ method, endpoint, path: url.split('?')[0] })
    expect(request?.waba_id).toBe(url.includes(shop.waba_id) ? shop.waba_id : request?.waba_id)
  })
})

test('strikes, statuses and webhooks are told on the feed', async () => {
  const { cursor } = (await scene.call('GET', '/simulator/phone/state')).body
  await setFault({ fault: 'fail', id: 'no-luck' })
  await scene.send(textTo(mara))
  await scene.simulator.settled()

  const hangUp = new AbortController()
  const feed = await fetch(`${scene.simulator.url}/simulator/feed?after=${cursor}`, {
    signal: hangUp.signal,
  })
  let told = ''
  for await (const chunk of feed.body ?? []) {
    told += Buffer.from(chunk).toString()
    if (/"state":"delivered"/.test(told)) break
  }
  hangUp.abort()

  expect(told).toMatch(/event: fault\ndata: .*"rule_id":"no-luck"/)
  expect(told).toMatch(/event: status\ndata: .*"status":"failed"/)
  expect(told).toMatch(/event: webhook\n/)
})
