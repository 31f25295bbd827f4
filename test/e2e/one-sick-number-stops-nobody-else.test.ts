// The circuit breakers from outside: what a sick number costs, how it is seen, and how it gets well again.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { operatorKey } from '../support/gateway.ts'
import { uploadFile } from '../support/media.ts'
import { letTimePass, makeDue } from '../support/queue.ts'
import { type Firm, type Sending, sendRowOf, startSending, template } from '../support/sending.ts'

/** The contract's default. */
const CIRCUIT_MIN_CALLS = '10'

/** To as many people. */
const sendMany = (world: Sending, firm: Firm, count: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) =>
      world.send(firm, String(16505600000 + index), {
        type: 'template',
        template,
        text: undefined,
      }),
    ),
  )
const health = async ({ gateway }: Sending) =>
  (await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })).json
const metrics = async ({ gateway }: Sending) =>
  (
    await fetch(`${gateway.url}/metrics`, { headers: { authorization: `Bearer ${operatorKey}` } })
  ).text()
const logged = ({ gateway }: Sending, event: string) =>
  gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`))
    .map((line) => JSON.parse(line))

describe('one number for which Meta fails', () => {
  let world: Sending
  let sick: Firm
  let healthy: Firm

  beforeAll(async () => {
    world = await startSending({ CIRCUIT_MIN_CALLS, MAX_CONCURRENCY_PER_TENANT: '4' })
    sick = await world.createFirm('Firm Sick')
    healthy = await world.addNumber(sick)
  })
  const postsOf = ({ phoneNumberId }: Firm) => world.simulator.ledger(phoneNumberId).requests.length

  test('is left alone within 20 calls; the other number of the same tenant sends everything', async () => {
    const match = { phone_number_id: sick.phoneNumberId }
    world.fault({ fault: 'error', code: 131000, http_status: 500, match })
    await sendMany(world, sick, 40)
    await sendMany(world, healthy, 20)
    await world.gateway.sendDue()

    expect(postsOf(sick)).toBeGreaterThanOrEqual(10)
    expect(postsOf(sick)).toBeLessThanOrEqual(20)
    expect(postsOf(healthy)).toBe(20)
    expect(world.simulator.ledger(healthy.phoneNumberId).sends).toHaveLength(20)
  })

  test('is seen in the log, in the health, in the metrics', async () => {
    expect(logged(world, 'circuit_opened')).toMatchObject([
      { level: 'error', kind: 'number', tenant_id: sick.id, phone_number_id: sick.phoneNumberId },
    ])
    expect(await health(world)).toMatchObject({
      status: 'degraded',
      reasons: ['Meta fails for 1 number(s)'],
      circuits_open: [{ scope: 'number', tenant_id: sick.id, phone_number_id: sick.phoneNumberId }],
    })
    const text = await metrics(world)
    expect(text).toContain('estafet_circuits_open{scope="number"} 1')
    expect(text).toContain('estafet_circuits_open{scope="host"} 0')
    expect(text).toContain('estafet_circuit_changes_total{scope="number",change="opened"} 1')
  })

  test('uses up no attempts while it is left alone', async () => {
    const calls = postsOf(sick)
    await letTimePass(world.gateway.db, 120)
    await world.gateway.sendDue()
    expect(postsOf(sick)).toBe(calls)
  })

  test('is tried once after five minutes, and left alone again when that fails', async () => {
    const calls = postsOf(sick)
    await letTimePass(world.gateway.db, 181)
    await world.gateway.sendDue()
    expect(postsOf(sick)).toBe(calls + 1)
    expect(logged(world, 'circuit_trial_failed')).toHaveLength(1)
  })

  test('sends everything when Meta is well again, and none of it is dead', async () => {
    world.simulator.clearFaults()
    await letTimePass(world.gateway.db, 301)
    await world.gateway.sendDue()
    await makeDue(world.gateway.db)
    await world.gateway.sendDue()

    expect(world.simulator.ledger(sick.phoneNumberId).sends).toHaveLength(40)
    expect(logged(world, 'circuit_closed')).toHaveLength(1)
    expect(await health(world)).toMatchObject({ status: 'ok', circuits_open: [], dlq_count: 0 })
  })
})

describe('a host that nobody reaches', () => {
  test('is left alone by all after a few calls, and no attempts are used up', async () => {
    const away = await startSending({ CIRCUIT_MIN_CALLS, META_GRAPH_URL: 'http://127.0.0.1:9' })
    const firms = [
      await away.createFirm('Firm A'),
      await away.createFirm('Firm B'),
      await away.createFirm('Firm C'),
    ]
    await Promise.all(firms.map((firm) => sendMany(away, firm, 10)))
    await away.gateway.sendDue()

    expect(logged(away, 'circuit_opened')).toMatchObject([{ kind: 'host' }])
    expect(await health(away)).toMatchObject({
      reasons: ['Meta cannot be reached'],
      circuits_open: [{ scope: 'host', tenant_id: null, phone_number_id: null }],
    })
    const attempts = async () =>
      (await away.gateway.db.query(sql`select from send_attempts where outcome is not null`)).length
    const made = await attempts()
    expect(made).toBeLessThanOrEqual(20)
    // A newcomer waits as well, without an attempt being made for it.
    const newcomer = await away.createFirm('Firm D')
    const [late = ''] = await sendMany(away, newcomer, 1)
    await letTimePass(away.gateway.db, 200)
    await away.gateway.sendDue()
    expect(await attempts()).toBe(made)
    expect(await sendRowOf(away.gateway.db, late)).toMatchObject({ status: 'pending', attempts: 0 })

    await letTimePass(away.gateway.db, 101)
    await away.gateway.sendDue()
    expect(await attempts()).toBe(made + 1)
  })
})

test('a number whose files Meta does not take is left alone, too: no attempts are used up meanwhile', async () => {
  const world = await startSending({ CIRCUIT_MIN_CALLS })
  const firm = await world.createFirm('Firm With Files')
  const match = { endpoint: 'media' as const }
  world.fault({ fault: 'error', code: 131000, http_status: 500, match })
  for (let count = 0; count < 15; count++) {
    const id = await uploadFile(world.gateway, firm.key)
    const to = await world.customerOf(firm)
    await world.send(firm, to, { type: 'image', text: undefined, image: { id } })
  }
  await world.gateway.sendDue()
  const calls = () => world.simulator.ledger(firm.phoneNumberId).requests.length
  const before = calls()
  expect(before).toBeGreaterThanOrEqual(10)
  expect(before).toBeLessThanOrEqual(12)

  // Half-open: one is tried, and the others go on waiting.
  await world.sendWhatWaits()
  expect(calls()).toBe(before + 1)
  world.simulator.clearFaults()
  await world.sendWhatWaits()
  await world.sendWhatWaits()
  expect(world.simulator.ledger(firm.phoneNumberId).sends).toHaveLength(15)
})
