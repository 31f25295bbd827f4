import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { type EventReceiver, type Reaction, startEventReceiver } from '../support/event-receiver.ts'
import { until } from '../support/program.ts'
import {
  endpointsPath,
  eventTimeoutMs,
  startTelling,
  type Telling,
  type TellingFirm,
} from '../support/telling.ts'

const hourMs = 60 * 60_000
const dayMs = 24 * hourMs

let telling: Telling
/** Whose endpoint is in trouble, and somebody else. */
let sick: TellingFirm
let well: TellingFirm
let sickApp: EventReceiver
let wellApp: EventReceiver
let sickEndpoint: string

beforeAll(async () => {
  telling = await startTelling()
})
beforeEach(async () => {
  sick = await telling.createFirm()
  well = await telling.createFirm()
  sickApp = await startEventReceiver()
  wellApp = await startEventReceiver()
  sickEndpoint = (await telling.createEndpoint(sick, sickApp.url)).id
  await telling.createEndpoint(well, wellApp.url)
})
afterEach(() => telling.gateway.db.query(sql`delete from event_deliveries`))

const customers = ['16505550181', '16505550182', '16505550183']

/** The events of each conversation, in the order in which the application took them. */
function takenBy(app: EventReceiver, isTaken: (index: number) => boolean = () => true) {
  const taken = new Map<string, string[]>()
  for (const [index, { event }] of app.calls.entries()) {
    if (!isTaken(index)) continue
    const { conversation_id, message_id } = event.data
    taken.set(conversation_id, [...(taken.get(conversation_id) ?? []), message_id])
  }
  return taken
}

/** The messages of each conversation, oldest first, as the API tells them. */
async function written(firm: TellingFirm): Promise<Map<string, string[]>> {
  const { data } = await telling.read(firm, '/api/whatsapp/conversations')
  const all = new Map<string, string[]>()
  for (const { id } of data) {
    const page = await telling.read(firm, `/api/whatsapp/conversations/${id}/messages`)
    all.set(id, page.data.map((message: { id: string }) => message.id).reverse())
  }
  return all
}

/** Time passes, and whatever hangs once `isReady` runs out of it. */
async function passWhileCallsHang(ms: number, isReady: () => Promise<boolean>): Promise<void> {
  let isOver = false
  const passing = telling.pass(ms).finally(() => {
    isOver = true
  })
  await until('who hangs is all that is left', isReady)
  await until('nothing hangs any more', () => {
    telling.clock.runOut(eventTimeoutMs)
    return isOver
  })
  await passing
}

async function takenCount({ id }: TellingFirm): Promise<number> {
  const rows = await telling.gateway.db.query(
    sql`select from event_deliveries where tenant_id = ${id} and status = 'done'`,
  )
  return rows.length
}

const looks = 6
const troubles: [string, Reaction][] = [
  ['answers 500', { status: 500 }],
  ['answers 429', { status: 429 }],
  ['answers 429 with a Retry-After', { status: 429, headers: { 'retry-after': '1800' } }],
  ['never answers', { hangs: true }],
  ['cuts every connection', { cuts: true }],
]

describe('an endpoint that for an hour', () => {
  test.each(troubles)(
    '%s delays no other tenant, loses nothing and keeps the order',
    async (_name, trouble) => {
      const answers: boolean[] = []
      let isDown = true
      sickApp.react(() => {
        answers.push(!isDown)
        return isDown ? trouble : {}
      })

      for (let look = 1; look <= looks; look++) {
        for (const from of customers) await telling.write(sick, from)
        await telling.write(well, customers[0] ?? '')
        if (trouble.hangs) {
          await passWhileCallsHang(hourMs / looks, async () => (await takenCount(well)) === look)
        } else {
          await telling.pass(hourMs / looks)
        }
        // In the very round in which the other one failed.
        expect(wellApp.calls).toHaveLength(look)
      }
      expect(answers.length).toBeGreaterThan(0)
      expect(answers).not.toContain(true)

      isDown = false
      for (let round = 0; round < 8; round++) await telling.pass(hourMs)

      expect(takenBy(sickApp, (index) => answers[index] === true)).toEqual(await written(sick))
      expect(takenBy(wellApp)).toEqual(await written(well))
      const endpoint = await telling.read(sick, `${endpointsPath}/${sickEndpoint}`)
      expect(endpoint).toMatchObject({ status: 'active', failing_since: null, pending_count: 0 })
    },
  )
})

describe('one event that is never taken', () => {
  test('holds back its own conversation and no other, and is given up after more than a day', async () => {
    for (const from of customers) await telling.write(sick, from)
    const [poisoned, ...others] = [...(await written(sick)).values()].map(([first]) => first)
    sickApp.react(({ event }) => ({ status: event.data.message_id === poisoned ? 500 : 200 }))
    await telling.pass(0)
    for (const from of customers) await telling.write(sick, from)
    await telling.pass(0)
    expect(takenBy(sickApp).size).toBe(3)
    const calls = () => sickApp.calls.map(({ event }) => event.data.message_id)
    expect(calls()).toEqual(expect.arrayContaining(others))
    expect(calls()).toHaveLength(5)

    for (let hours = 0; hours < 24; hours++) await telling.pass(hourMs)
    const { data: waiting } = await telling.read(
      sick,
      `${endpointsPath}/${sickEndpoint}/deliveries?status=pending`,
    )
    expect(waiting).toHaveLength(2)

    for (let hours = 0; hours < 20; hours++) await telling.pass(hourMs)
    const { data: failed } = await telling.read(
      sick,
      `${endpointsPath}/${sickEndpoint}/deliveries?status=failed`,
    )
    expect(failed).toMatchObject([{ attempts: 9, last_error: 'HTTP_500' }])
    // The one behind it has gone out since.
    expect(new Set(calls()).size).toBe(6)
    expect(telling.gateway.logText()).toContain('event_delivery_given_up')

    sickApp.react({})
    const replay = `${endpointsPath}/${sickEndpoint}/replay`
    const body = { from: '2020-01-01T00:00:00Z', only_failed: true }
    expect(await telling.change('POST', sick, replay, body)).toMatchObject({ replayed: 1 })
    await telling.gateway.tellDue()
    expect(calls().at(-1)).toBe(poisoned)
  })
})

describe('an endpoint that takes nothing for days', () => {
  test('is disabled, alerts, tells the others, and goes on when it is resumed', async () => {
    const watcher = await startEventReceiver()
    await telling.createEndpoint(sick, watcher.url, { events: ['event_endpoint.disabled'] })
    sickApp.react({ status: 500 })
    await telling.write(sick, customers[0] ?? '', 2)
    for (let days = 0; days < 4; days++) await telling.pass(dayMs)
    expect(await telling.read(sick, `${endpointsPath}/${sickEndpoint}`)).toMatchObject({
      status: 'active',
    })

    await telling.write(sick, customers[0] ?? '')
    for (let days = 0; days < 3; days++) await telling.pass(dayMs)
    const path = `${endpointsPath}/${sickEndpoint}`
    expect(await telling.read(sick, path)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'FAILING',
    })
    const alert = telling.gateway
      .logText()
      .split('\n')
      .find((line) => line.includes('event_endpoint_disabled') && line.includes(sickEndpoint))
    expect(JSON.parse(alert ?? '{}')).toMatchObject({ level: 'error', reason: 'FAILING' })
    expect(watcher.calls.map(({ event }) => event.data)).toEqual([
      { event_endpoint_id: sickEndpoint, reason: 'FAILING' },
    ])

    const calls = sickApp.calls.length
    await telling.write(sick, customers[0] ?? '')
    await telling.pass(dayMs)
    expect(sickApp.calls).toHaveLength(calls)

    sickApp.react({})
    await telling.change('PATCH', sick, path, { status: 'active' })
    await telling.pass(dayMs)
    expect(sickApp.calls.length).toBeGreaterThan(calls)
    expect(await telling.read(sick, path)).toMatchObject({
      status: 'active',
      disabled_reason: null,
      pending_count: 0,
    })
  })

  test('that says 410 is disabled at once', async () => {
    sickApp.react({ status: 410 })
    await telling.write(sick, customers[0] ?? '')
    await telling.pass(0)

    expect(await telling.read(sick, `${endpointsPath}/${sickEndpoint}`)).toMatchObject({
      status: 'disabled',
      disabled_reason: 'GONE',
    })
  })
})

describe('a slow endpoint', () => {
  test('gets few calls at a time, and one once it fails; others go on meanwhile', async () => {
    const senders = Array.from({ length: 12 }, (_, index) => String(16505550200 + index))
    for (const from of senders) await telling.write(sick, from)
    sickApp.react({ hangs: true })
    await passWhileCallsHang(0, async () => {
      const [running] = await telling.gateway.db.query(sql<{ count: number }>`
        select count(*)::int as count from event_deliveries where status = 'running'`)
      expect(running?.count).toBeLessThanOrEqual(5)
      return sickApp.calls.length > 0
    })

    expect(sickApp.calls.length).toBeLessThanOrEqual(7)
    sickApp.react({})
    for (let round = 0; round < 6; round++) await telling.pass(hourMs)
    const path = `${endpointsPath}/${sickEndpoint}/deliveries?status=done`
    expect((await telling.read(sick, path)).data).toHaveLength(12)
  })

  test('that hangs for as long as it likes makes nobody else wait', async () => {
    const patient = await startTelling()
    const [slow, quick] = [await patient.createFirm(), await patient.createFirm()]
    await patient.createEndpoint(slow, sickApp.url)
    await patient.createEndpoint(quick, wellApp.url)
    sickApp.react({ hangs: true })
    for (const from of customers) await patient.write(slow, from)
    await patient.write(quick, customers[0] ?? '')

    const passing = patient.pass(0)
    await until('the other one has heard', () => wellApp.calls.length === 1)
    await until('the slow one is being called', () => sickApp.calls.length === 3)
    await sickApp.close()
    await passing
  })
})
