import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock, pass } from '../test-clock.ts'
import { appSecret, changeValue, type Scene, shop, startScene, textTo } from '../test-support.ts'

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

const { phone_number_id } = shop
const setFault = (rule: object) => scene.call('POST', '/simulator/faults', rule)
const write = (text: string) =>
  scene.simulator.customerWrites('16505550143', { phone_number_id, type: 'text', text })

const bodies = () => scene.receiver.received.map(({ body }) => body.toString())
const texts = () => bodies().map((body) => changeValue(body).messages[0].text.body)
const rightSignature = (body: Buffer) =>
  `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`

test('duplicates come as often as asked, byte for byte', async () => {
  await setFault({ fault: 'duplicate', times: 4 })

  write('Hello')
  await scene.simulator.settled()

  expect(bodies()).toHaveLength(5)
  expect(new Set(bodies()).size).toBe(1)
  const { deliveries } = scene.simulator.ledger()
  expect(deliveries.map(({ faults }) => faults)).toEqual([[], ...Array(4).fill(['duplicate_1'])])
})

test('duplicates can be spread over time', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await setFault({ fault: 'duplicate', times: 2, gap: '10s' })

  write('Hello')
  const seen: number[] = []
  for (const wait of [0, 9_999, 1, 10_000]) {
    await pass(scene, clock, wait)
    seen.push(bodies().length)
  }

  expect(seen).toEqual([1, 1, 2, 3])
})

test('reordered webhooks all come, in another order', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await setFault({ fault: 'reorder', window: '1s' })
  const written = ['1', '2', '3', '4', '5']

  for (const text of written) write(text)
  await pass(scene, clock, 999)
  const early = bodies().length
  await pass(scene, clock, 1)

  expect(early).toBe(0)
  expect(texts()).not.toEqual(written)
  expect(texts().sort()).toEqual(written)
})

test('two held webhooks always change places', async () => {
  for (let round = 0; round < 5; round++) {
    // What chance says goes on, so that each round draws other lots.
    await scene.startAnew()
    await setFault({ fault: 'reorder', window: 0 })

    write('first')
    write('second')
    await scene.simulator.settled()

    expect(texts()).toEqual(['second', 'first'])
  }
})

test('re-batched webhooks come alone and then together', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await setFault({ fault: 'rebatch', window: '2s' })

  write('one')
  write('two')
  await pass(scene, clock, 1999)
  const alone = bodies().length
  await pass(scene, clock, 1)

  expect(alone).toBe(2)
  expect(bodies()).toHaveLength(3)
  const { messages, contacts } = changeValue(bodies()[2] ?? '')
  expect(messages.map(({ text }: { text: { body: string } }) => text.body)).toEqual(['one', 'two'])
  expect(contacts).toHaveLength(1)
})

test('re-batched webhooks can come together only', async () => {
  await setFault({ fault: 'rebatch', window: 0, instead: true })

  write('one')
  write('two')
  await scene.simulator.settled()

  expect(bodies()).toHaveLength(1)
})

test('an old webhook comes again after a week, byte for byte', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await setFault({ fault: 'late_redelivery', after: '7d', match: { kind: 'message' } })

  write('Hello')
  await scene.simulator.settled()
  await pass(scene, clock, 7 * 86_400_000 - 1)
  const before = bodies().length
  await pass(scene, clock, 1)

  expect(before).toBe(1)
  expect(bodies()).toHaveLength(2)
  expect(new Set(bodies()).size).toBe(1)
})

describe('malformed webhooks', () => {
  const isJson = (text: string) => {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }

  test.each([
    ['truncated', (text: string) => !isJson(text) && text.startsWith('{"object"')],
    ['not_json', (text: string) => text.startsWith('object=')],
    ['html', (text: string) => text.startsWith('<!DOCTYPE html>')],
    ['empty', (text: string) => text === ''],
    ['invalid_utf8', (text: string) => text.includes('�')],
    ['top_level_array', (text: string) => Array.isArray(JSON.parse(text))],
    ['no_entry', (text: string) => JSON.parse(text).entry === undefined],
    ['null_value', (text: string) => changeValue(text) === null],
    ['no_metadata', (text: string) => changeValue(text).metadata === undefined],
  ])('can be %s, rightly signed, and the good one comes too', async (how, isSo) => {
    await setFault({ fault: 'malformed', how })

    write('Hello')
    await scene.simulator.settled()

    const [bad, good] = scene.receiver.received
    expect(isSo(bad?.body.toString() ?? '?')).toBe(true)
    expect(bad?.headers['x-hub-signature-256']).toBe(rightSignature(bad?.body as Buffer))
    expect(changeValue(good?.body ?? '').messages[0].text.body).toBe('Hello')
    expect(scene.receiver.received).toHaveLength(2)
  })

  test.each(['wrong_signature', 'missing_signature'])('can have a %s', async (how) => {
    await setFault({ fault: 'malformed', how })

    write('Hello')
    await scene.simulator.settled()

    const [bad] = scene.receiver.received
    const signature = bad?.headers['x-hub-signature-256']
    if (how === 'missing_signature') expect(signature).toBeUndefined()
    else expect(signature).toMatch(/^sha256=[0-9a-f]{64}$/)
    expect(signature).not.toBe(rightSignature(bad?.body as Buffer))
  })

  test('can come instead of the good one, and only once', async () => {
    scene = await startScene({ answer: () => ({ status: 400 }) })
    await setFault({ fault: 'malformed', instead: true })

    write('Hello')
    await scene.simulator.settled()

    expect(bodies()).toHaveLength(1)
  })
})

test('a lost webhook never comes; only the kind that the rule names is lost', async () => {
  await setFault({ fault: 'lose', match: { kind: 'status', status: ['sent', 'read'] } })

  write('Hello')
  await scene.send(textTo('+16505550143'))
  await scene.simulator.settled()

  const values = bodies().map(changeValue)
  expect(values.filter(({ messages }) => messages)).toHaveLength(1)
  expect(values.flatMap(({ statuses = [] }) => statuses)).toMatchObject([{ status: 'delivered' }])
  expect(scene.simulator.ledger().faults).toMatchObject([
    { fault: 'lose', status: 'sent' },
    { fault: 'lose', status: 'read' },
  ])
})

test('faults can be about a field', async () => {
  await setFault({ fault: 'duplicate', match: { field: 'account_update' } })

  await scene.call('POST', '/simulator/events', { field: 'account_update', phone_number_id })
  await scene.call('POST', '/simulator/events', { field: 'flows', phone_number_id })
  await scene.simulator.settled()

  expect(bodies()).toHaveLength(3)
})
