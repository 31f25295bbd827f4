import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock, pass } from '../test-clock.ts'
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
const mara = '+16505550143'
const statusOf = async (to = mara, number = shop) => (await scene.send(textTo(to), number)).status

describe('a fault strikes', () => {
  test('only the number it names', async () => {
    await setFault({ fault: 'throttle', match: { phone_number_id: shop.phone_number_id } })

    expect(await statusOf(mara, shop)).toBe(400)
    expect(await statusOf(mara, clinic)).toBe(200)
  })

  test('only the recipients it names, however they are spelt', async () => {
    await setFault({
      fault: 'throttle',
      match: { recipient: ['+1 (650) 555-0143', '34655550128'] },
    })

    expect(await statusOf('16505550143')).toBe(400)
    expect(await statusOf('+34655550128')).toBe(400)
    expect(await statusOf('+16505550144')).toBe(200)
  })

  test('only the endpoint it names', async () => {
    await setFault({ fault: 'error', code: 2, match: { endpoint: 'mark_read' } })

    const read = await scene.send({
      messaging_product: 'whatsapp',
      status: 'read',
      message_id: 'wamid.HBgL',
    })

    expect(read.status).toBe(503)
    expect(await statusOf()).toBe(200)
  })

  test('only within its time, counted from when it was set or given as a date', async () => {
    const clock = manualClock()
    scene = await startScene({ clock })
    await setFault({ fault: 'throttle', from: '10s', until: '20s' })
    await setFault({
      fault: 'throttle',
      from: '2026-11-15T12:01:00Z',
      until: '2026-11-15T13:02:00+01:00',
    })

    const seen: number[] = []
    for (const wait of [0, 10_000, 9_000, 1_000, 40_000, 59_000, 1_000]) {
      await pass(scene, clock, wait)
      seen.push(await statusOf())
    }

    expect(seen).toEqual([200, 400, 400, 200, 400, 400, 200])
  })

  test('the next three, after letting two pass, and is then used up', async () => {
    const { body } = await setFault({ fault: 'throttle', skip: 2, count: 3 })

    const seen: number[] = []
    for (let call = 0; call < 7; call++) seen.push(await statusOf())

    expect(seen).toEqual([200, 200, 400, 400, 400, 200, 200])
    const { body: list } = await scene.call('GET', '/simulator/faults')
    expect(list.data).toMatchObject([{ id: body.id, struck: 3, used_up: true }])
  })

  test('as often as its probability says, the same calls for the same seed', async () => {
    const luck = async (others: object[]) => {
      scene = await startScene({ seed: 'dice' })
      for (const other of others) await setFault(other)
      await setFault({ fault: 'throttle', probability: 0.5 })
      const seen: number[] = []
      for (let call = 0; call < 40; call++) seen.push(await statusOf())
      await scene.close()
      scene = shared
      return seen
    }

    const alone = await luck([])
    const again = await luck([])
    // Another rule with other dice, which is set before it and rolled as often.
    const besides = await luck([{ fault: 'slow', delay: 0, probability: 0.5 }])
    expect(again).toEqual(alone)
    expect(besides).toEqual(alone)
    const refused = alone.filter((status) => status === 400).length
    expect(refused).toBeGreaterThan(8)
    expect(refused).toBeLessThan(32)
  })
})

describe('rules', () => {
  test('are listed with what they did, removed one by one or all at once', async () => {
    const set = await setFault({ fault: 'throttle', id: 'mine', match: { endpoint: 'messages' } })
    await setFault({ fault: 'lose' })
    await statusOf()

    expect(set).toMatchObject({ status: 201, body: { id: 'mine', fault: 'throttle', struck: 0 } })
    const { body } = await scene.call('GET', '/simulator/faults')
    expect(body.data).toMatchObject([
      {
        id: 'mine',
        seen: 1,
        struck: 1,
        rule: { fault: 'throttle', match: { endpoint: 'messages' } },
      },
      { id: 'lose_1', seen: 0, struck: 0 },
    ])
    expect(body.known).toContain('late_redelivery')
    expect((await scene.call('DELETE', '/simulator/faults/mine')).status).toBe(200)
    expect(await statusOf()).toBe(200)
    expect(await scene.call('DELETE', '/simulator/faults/mine')).toMatchObject({
      status: 404,
      body: { error: { code: 'FAULT_NOT_FOUND' } },
    })
    expect((await scene.call('DELETE', '/simulator/faults')).body).toEqual({ removed: 1 })
    expect((await scene.call('GET', '/simulator/faults')).body.data).toEqual([])
  })

  test.each([
    [{}, /fault.*missing.*throttle/],
    [{ fault: 'earthquake' }, /fault.*"earthquake".*throttle/],
    [{ fault: 'throttle', probability: 2 }, /probability/],
    [{ fault: 'throttle', count: 0 }, /count/],
    [{ fault: 'throttle', from: 'tomorrow' }, /from/],
    [{ fault: 'throttle', match: { nmber: '1' } }, /match.*nmber/],
    [{ fault: 'throttle', code: 'x' }, /code/],
    [{ fault: 'throttle', delay: 3 }, /delay/],
    [{ fault: 'slow' }, /delay/],
    [{ fault: 'slow', delay: '3 weeks' }, /delay.*30s/],
    [{ fault: 'slow', delay: -1 }, /delay/],
    [{ fault: 'malformed', how: 'badly' }, /how/],
    [{ fault: 'fail', after: 'lunch' }, /after/],
    [{ fault: 'lose', id: 'a b' }, /id/],
    [[], /missing.*one of throttle/],
  ])('like %j are refused by name', async (rule, message) => {
    const answer = await setFault(rule)

    expect(answer).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_REQUEST', message: expect.stringMatching(message) } },
    })
    expect((await scene.call('GET', '/simulator/faults')).body.data).toEqual([])
  })

  test('have ids of their own', async () => {
    await setFault({ fault: 'lose', id: 'twin' })

    expect(await setFault({ fault: 'lose', id: 'twin' })).toMatchObject({
      status: 409,
      body: { error: { code: 'FAULT_EXISTS' } },
    })
  })

  test('are gone after a reset', async () => {
    await setFault({ fault: 'outage' })

    await scene.call('POST', '/simulator/reset')

    expect((await scene.call('GET', '/simulator/faults')).body.data).toEqual([])
  })
})
