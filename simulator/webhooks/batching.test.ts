import { afterEach, describe, expect, test } from 'vitest'
import { manualClock, pass } from '../test-clock.ts'
import { clinic, type Scene, shop, startReceiver, startScene, textTo } from '../test-support.ts'
import { sevenDaysOfRetries } from './retry-schedule.ts'

let scene: Scene
afterEach(() => scene.close())

const envelopes = () => scene.receiver.received.map(({ body }) => JSON.parse(body.toString()))
const write = (text: string, number = shop, from = '16505550143') =>
  scene.simulator.customerWrites(from, {
    phone_number_id: number.phone_number_id,
    type: 'text',
    text,
  })

describe('within a batching window', () => {
  test('entries, changes, messages and statuses share a POST', async () => {
    const clock = manualClock()
    scene = await startScene({ clock, batchWindowMs: 100 })

    write('one')
    write('two', shop, '34655550128')
    write('three', clinic)
    await scene.send(textTo('+16505550143'))
    await scene.call('POST', '/simulator/events', {
      field: 'account_alerts',
      phone_number_id: shop.phone_number_id,
    })
    await pass(scene, clock, 99)
    expect(envelopes()).toEqual([])
    await pass(scene, clock, 1)

    const [{ entry }] = envelopes()
    expect(entry.map(({ id }: { id: string }) => id)).toEqual([shop.waba_id, clinic.waba_id])
    const [ofShop] = entry
    const shapes = ofShop.changes.map(({ field, value }: { field: string; value: object }) =>
      [field, ...Object.keys(value)].join(' '),
    )
    expect(shapes.sort()).toEqual([
      'account_alerts entity_type entity_id alert_info',
      'messages messaging_product metadata contacts messages',
      'messages messaging_product metadata statuses',
    ])
    expect(ofShop.changes[0].value.messages).toHaveLength(2)
    expect(ofShop.changes[0].value.contacts).toHaveLength(2)
    const [delivery] = scene.simulator.ledger(clinic.phone_number_id).deliveries
    expect(delivery).toMatchObject({ kind: 'batch', phone_number_id: null, wamid: null })
    expect(delivery?.items).toHaveLength(5)
  })

  test('a batch that is refused comes again as it was', async () => {
    const clock = manualClock()
    const answers = [500, 200]
    scene = await startScene({
      clock,
      batchWindowMs: 100,
      retryDelaysMs: [1000],
      answer: () => ({ status: answers.shift() ?? 200 }),
    })

    write('one')
    write('two')
    await pass(scene, clock, 100)
    await pass(scene, clock, 1000)

    const bodies = scene.receiver.received.map(({ body }) => body.toString())
    expect(bodies).toHaveLength(2)
    expect(bodies[0]).toBe(bodies[1])
  })

  test('no POST holds more than a thousand updates', async () => {
    const clock = manualClock()
    scene = await startScene({ clock, batchWindowMs: 100 })

    for (let count = 0; count < 1001; count++) write(String(count))
    await pass(scene, clock, 100)

    const sizes = envelopes().map(({ entry }) => entry[0].changes[0].value.messages.length)
    expect(sizes).toEqual([1000, 1])
  })

  test('no POST of several updates is larger than 3 MB', async () => {
    const clock = manualClock()
    scene = await startScene({ clock, batchWindowMs: 100 })

    // Each of these letters takes six bytes once it is escaped.
    for (let count = 0; count < 150; count++) write('é'.repeat(4096))
    await pass(scene, clock, 100)

    const { received } = scene.receiver
    expect(received.length).toBeGreaterThan(1)
    expect(received.every(({ body }) => body.length <= 3 * 1024 * 1024)).toBe(true)
    const sizes = envelopes().map(({ entry }) => entry[0].changes[0].value.messages.length)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(150)
    expect(received.length).toBeLessThan(10)
  })

  test('the window and the retries can be set while it runs', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })

    const { body } = await scene.call('PUT', '/simulator/webhook', {
      batch_window: '2s',
      retry_delays: ['1s', '1m'],
    })
    write('one')
    write('two')
    await pass(scene, clock, 2000)

    expect(body).toMatchObject({ batch_window: 2000, retry_delays: [1000, 60_000] })
    expect(envelopes()).toHaveLength(1)
  })
})

describe('an unanswered webhook', () => {
  test('is tried again ever more rarely for seven days, on the simulated clock', async () => {
    const clock = manualClock()
    scene = await startScene({
      clock,
      retryDelaysMs: sevenDaysOfRetries,
      answer: () => ({ status: 500 }),
    })

    write('Hello')
    await pass(scene, clock, 8 * 86_400_000)

    const [delivery] = scene.simulator.ledger().deliveries
    const times = delivery?.attempts.map(({ at }) => Date.parse(at)) ?? []
    const pauses = times.slice(1).map((at, index) => at - (times[index] ?? 0))
    expect(delivery?.state).toBe('failed')
    expect(pauses).toEqual([...sevenDaysOfRetries])
    expect(pauses).toEqual(pauses.toSorted((a, b) => a - b))
    const lasted = (times.at(-1) ?? 0) - (times[0] ?? 0)
    expect(lasted).toBeGreaterThan(6 * 86_400_000)
    expect(lasted).toBeLessThanOrEqual(7 * 86_400_000)
  })
})

describe('an override of the callback', () => {
  const echo = ({ url }: { url: URL }) => ({
    status: 200,
    body: url.searchParams.get('hub.challenge') ?? '',
  })

  test('gets the messages of its account; everything else goes to the app', async () => {
    scene = await startScene()
    const override = await startReceiver(echo)
    const answer = await scene.call(
      'POST',
      `/v25.0/${shop.waba_id}/subscribed_apps`,
      { override_callback_uri: override.url, verify_token: 'x' },
      { authorization: `Bearer ${shop.access_token}` },
    )
    expect(answer.status).toBe(200)
    override.received.length = 0

    write('for the shop')
    write('for the clinic', clinic)
    scene.simulator.sendEvent({ field: 'flows', waba_id: shop.waba_id })
    await scene.simulator.settled()
    await override.close()

    expect(override.received).toHaveLength(1)
    expect(JSON.parse(override.received[0]?.body.toString() ?? '').entry[0].id).toBe(shop.waba_id)
    const fields = envelopes().map(({ entry }) => [entry[0].id, entry[0].changes[0].field])
    expect(fields.sort()).toEqual([
      [shop.waba_id, 'flows'],
      [clinic.waba_id, 'messages'],
    ])
  })
})
