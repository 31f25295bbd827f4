import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../test/support/canaries.ts'
import { eventually, manualClock, pass } from './test-clock.ts'
import { clinic, type Scene, shop, startScene, textTo } from './test-support.ts'

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

const mara = '+16505550143'
const { phone_number_id } = shop
const ask = async (path: string) => (await scene.call('GET', `/simulator/ledger/${path}`)).body
const write = (text: string) =>
  scene.simulator.customerWrites('16505550143', { phone_number_id, type: 'text', text })

describe('accepted twice?', () => {
  test('by the same callback data, or by the same body to the same person', async () => {
    const first = { ...textTo(mara, 'Your order'), biz_opaque_callback_data: 'job=1' }
    // The same intent with its keys in another order, as another attempt.
    const again = { biz_opaque_callback_data: 'job=1', ...textTo(mara, 'Your order') }
    const retried = { ...textTo(mara, 'Your order'), biz_opaque_callback_data: 'job=2' }
    const wamids: string[] = []
    for (const body of [first, again, retried]) {
      wamids.push((await scene.send(body)).body.messages[0].id)
    }
    await scene.send({ ...textTo(mara, 'Another'), biz_opaque_callback_data: 'job=3' })
    await scene.send(textTo('+16505550144', 'Your order'))
    await scene.send(textTo(mara, 'Your order'), clinic)

    const { by_callback_data, by_body } = await ask('accepted-twice')

    expect(by_callback_data).toEqual([
      { phone_number_id, recipient: '16505550143', key: 'job=1', wamids: wamids.slice(0, 2) },
    ])
    expect(by_body).toMatchObject([{ phone_number_id, recipient: '16505550143', wamids }])
    const ofClinic = await ask(`accepted-twice?phone_number_id=${clinic.phone_number_id}`)
    expect(ofClinic).toEqual({ by_callback_data: [], by_body: [] })
  })

  test('also when the caller never heard of the first', async () => {
    await scene.call('POST', '/simulator/faults', {
      fault: 'error',
      when: 'after_accepting',
      count: 1,
    })
    await scene.send(textTo(mara))
    await scene.send(textTo(mara))

    expect((await ask('accepted-twice')).by_body).toHaveLength(1)
  })
})

describe('acknowledged but absent?', () => {
  const absent = async (body: object) =>
    (await scene.call('POST', '/simulator/ledger/absent', body)).body

  test('names what was answered with 200 and is not there, and what Meta never had', async () => {
    let status = 200
    scene = await startScene({ answer: () => ({ status }), retryDelaysMs: [] })
    const kept = write('kept')
    const lost = write('lost')
    await scene.simulator.settled()
    status = 500
    const refused = write('refused')
    await scene.simulator.settled()

    expect(await absent({ wamids: [kept, 'wamid.invented'] })).toEqual({
      acknowledged_but_absent: [{ kind: 'message', wamid: lost }],
      never_seen_by_meta: ['wamid.invented'],
    })
    expect(await absent({ wamids: [kept, lost, refused] })).toEqual({
      acknowledged_but_absent: [],
      never_seen_by_meta: [],
    })
  })

  test('can ask for statuses and sends too', async () => {
    const { body } = await scene.send(textTo(mara))
    const wamid = body.messages[0].id
    await scene.simulator.settled()
    await eventually(() => scene.simulator.ledger().requests[0]?.outcome === 'answered')

    const { acknowledged_but_absent } = await absent({ wamids: [], kinds: ['status', 'send'] })

    expect(acknowledged_but_absent).toEqual([
      { kind: 'status', wamid },
      { kind: 'send', wamid },
    ])
  })

  test.each([
    ['it never got', { fault: 'truncate', keep: 0.5 }, 'cut'],
    ['that is false', { fault: 'error' }, 'answered'],
    ['that is false and looks fine', { fault: 'error', http_status: 200 }, 'answered'],
  ])('does not blame the caller for an answer %s', async (_, fault, outcome) => {
    const when = fault.fault === 'error' ? { when: 'after_accepting' } : {}
    await scene.call('POST', '/simulator/faults', { ...fault, ...when })
    await scene.send(textTo(mara)).catch(() => undefined)
    await eventually(() => scene.simulator.ledger().requests[0]?.outcome === outcome)

    expect(await absent({ wamids: [], kinds: ['send'] })).toMatchObject({
      acknowledged_but_absent: [],
    })
  })

  test('is checked', async () => {
    const answer = await scene.call('POST', '/simulator/ledger/absent', { ids: [] })

    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(/wamids/) } },
    })
  })
})

describe('order per recipient?', () => {
  test('is the order of acceptance, and compared with a key inside the messages', async () => {
    for (const text of ['message 9', 'message 10', 'message 11'])
      await scene.send(textTo(mara, text))
    for (const text of ['message 2', 'message 1']) await scene.send(textTo('+16505550144', text))

    const { data, respected } = await ask('order?key=text.body')

    expect(respected).toBe(false)
    const [inOrder, outOfOrder] = data
    expect(inOrder).toMatchObject({
      phone_number_id,
      recipient: '16505550143',
      accepted: [{ key: 'message 9' }, { key: 'message 10' }, { key: 'message 11' }],
      respected: true,
      violations: [],
    })
    expect(outOfOrder).toMatchObject({
      recipient: '16505550144',
      respected: false,
      violations: [{ before: outOfOrder.accepted[0].wamid, after: outOfOrder.accepted[1].wamid }],
    })
    expect(await ask('order?key=text.body&recipient=16505550143')).toMatchObject({
      respected: true,
    })
  })

  test('leaves out what has no such key, and compares texts as texts', async () => {
    await scene.send(textTo(mara, 'b'))
    await scene.send({
      ...textTo(mara),
      type: 'location',
      text: undefined,
      location: { latitude: 38.711, longitude: -9.136 },
    })
    await scene.send(textTo(mara, 'a'))

    const { data } = await ask('order?key=text.body')

    expect(data[0].accepted.map(({ key }: { key: string | null }) => key)).toEqual(['b', null, 'a'])
    expect(data[0].violations).toHaveLength(1)
  })
})

test('rate per number per second', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await scene.call('POST', '/simulator/faults', { fault: 'throttle', count: 1 })
  for (let call = 0; call < 3; call++) await scene.send(textTo(mara))
  await pass(scene, clock, 1000)
  await scene.send(textTo(mara))
  await scene.send(textTo(mara), clinic)

  expect(await ask(`rate?phone_number_id=${phone_number_id}`)).toEqual({
    data: [
      {
        phone_number_id,
        max_per_second: 3,
        max_in_any_second: 3,
        series: [
          { second: '2026-11-15T12:00:00Z', count: 3 },
          { second: '2026-11-15T12:00:01Z', count: 1 },
        ],
      },
    ],
  })
  const accepted = await ask('rate?of=accepted')
  expect(accepted.data.map((each: { max_per_second: number }) => each.max_per_second)).toEqual([
    2, 1,
  ])
})

test('a burst across two seconds of the clock is seen for what it is', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await pass(scene, clock, 900)
  for (let call = 0; call < 3; call++) await scene.send(textTo(mara))
  await pass(scene, clock, 200)
  for (let call = 0; call < 3; call++) await scene.send(textTo(mara))
  await pass(scene, clock, 800)
  await scene.send(textTo(mara))

  const { data } = await ask('rate')
  expect(data).toMatchObject([{ max_per_second: 4, max_in_any_second: 6 }])
})

test('in flight per number', async () => {
  const clock = manualClock()
  scene = await startScene({ clock })
  await scene.call('POST', '/simulator/faults', {
    fault: 'slow',
    delay: '1s',
    match: { phone_number_id },
  })
  const three = [1, 2, 3].map(() => scene.send(textTo(mara)))
  await eventually(() => scene.simulator.ledger().faults.length === 3)
  await pass(scene, clock, 1000)
  await Promise.all(three)
  await scene.send(textTo(mara), clinic)
  await scene.send(textTo(mara), clinic)

  expect(await ask('in-flight')).toEqual({
    data: [
      { phone_number_id, max: 3 },
      { phone_number_id: clinic.phone_number_id, max: 1 },
    ],
  })
})

describe('the lists', () => {
  test('are filtered and come page by page', async () => {
    for (const to of [mara, '+16505550144', mara]) await scene.send(textTo(to))
    await scene.send(textTo(mara), clinic)
    await scene.send({ ...textTo(mara), type: 'hologram' })
    await scene.simulator.settled()
    await eventually(() =>
      scene.simulator.ledger().requests.every(({ outcome }) => outcome !== 'open'),
    )

    const first = await ask(`requests?phone_number_id=${phone_number_id}&limit=3`)
    const second = await ask(`requests?phone_number_id=${phone_number_id}&limit=3&offset=3`)
    expect(first).toMatchObject({ total: 4, next_offset: 3, forgotten: 0 })
    expect(first.data).toHaveLength(3)
    expect(second).toMatchObject({ next_offset: null, data: [{ status: 400 }] })
    expect((await ask('requests?recipient=16505550143')).total).toBe(4)
    expect((await ask('requests?status=400')).total).toBe(1)
    expect((await ask('sends?recipient=16505550144')).total).toBe(1)
    expect((await ask('deliveries?status=read&state=delivered')).total).toBe(4)
    expect((await ask('reads')).total).toBe(0)
  })

  test.each(['limit=0', 'limit=5000', 'offset=-1', 'limit=x'])('refuse %s', async (query) => {
    const answer = await scene.call('GET', `/simulator/ledger/sends?${query}`)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } })
  })

  test('let go of their oldest entries and say how many', async () => {
    scene = await startScene({ ledgerCapacity: 3 })
    for (const text of ['1', '2', '3', '4', '5']) {
      await scene.send(textTo(mara, text))
      await scene.simulator.settled()
    }

    const { data, forgotten } = await ask('sends')
    expect(data.map(({ request }: { request: { text: object } }) => request.text)).toEqual([
      { body: '3' },
      { body: '4' },
      { body: '5' },
    ])
    // Two sends, two requests, and twelve of the fifteen deliveries.
    expect(forgotten).toBe(16)
    expect((await ask('deliveries')).data.at(-1).id).toBe('delivery_15')
  })
})

describe('a call that names secrets', () => {
  test('is recorded without them', async () => {
    const inQuery = canary('token in the query').text
    const inBody = canary('token in the body').text
    // Longer than a real one: six digits may stand in any id or time.
    const pin = canary('PIN number').text
    await scene.call(
      'POST',
      `/v25.0/${phone_number_id}/register?access_token=${inQuery}`,
      { messaging_product: 'whatsapp', pin, access_token: inBody },
      { authorization: `Bearer ${shop.access_token}` },
    )

    const { data } = await ask('requests')
    expect(data).toMatchObject([
      { endpoint: 'register', body: { pin: '(hidden)', access_token: '(hidden)' } },
    ])
    expectNone(JSON.stringify(data), inQuery, inBody, pin, shop.access_token)
  })
})

describe('a ledger file', () => {
  test('has every request, send, fault and delivery, one a line, also after the end', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-'))
    const ledgerFile = join(folder, 'ledger.jsonl')
    scene = await startScene({ ledgerFile })
    await scene.call('POST', '/simulator/faults', { fault: 'throttle', count: 1 })
    await scene.send(textTo(mara))
    await scene.send(textTo(mara))
    await scene.simulator.settled()
    await eventually(() =>
      scene.simulator.ledger().requests.every(({ outcome }) => outcome === 'answered'),
    )
    const ledger = scene.simulator.ledger()

    // Read while it runs: what counts is on disk already, should the process die now.
    const lines = (await readFile(ledgerFile, 'utf8')).trimEnd().split('\n')
    await rm(folder, { recursive: true })

    const last = new Map(
      lines.map((line) => {
        const { list, ...entry } = JSON.parse(line)
        return [`${list} ${entry.id ?? entry.wamid}`, entry]
      }),
    )
    for (const [list, entries] of Object.entries(ledger)) {
      for (const entry of Array.isArray(entries) ? entries : []) {
        expect(last.get(`${list} ${'id' in entry ? entry.id : entry.wamid}`)).toEqual(entry)
      }
    }
    expect(ledger.requests).toHaveLength(2)
    expect(ledger.deliveries).toHaveLength(3)
  })

  test('has a call that was never answered', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ledger-'))
    const ledgerFile = join(folder, 'ledger.jsonl')
    scene = await startScene({ ledgerFile })
    await scene.call('POST', '/simulator/faults', { fault: 'hang' })
    const unanswered = scene.send(textTo(mara)).catch(() => 'no answer')
    await eventually(() => scene.simulator.ledger().requests.length > 0)

    const [line = ''] = (await readFile(ledgerFile, 'utf8')).split('\n')
    await scene.close()
    await unanswered
    await rm(folder, { recursive: true })

    expect(JSON.parse(line)).toMatchObject({ list: 'requests', outcome: 'open', phone_number_id })
  })
})
