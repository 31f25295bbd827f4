// What Meta answers, as Prometheus sees it: classes and codes, limits by scope, retries, and what became of lost answers.
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../support/clock.ts'
import { operatorKey, startTestGateway } from '../support/gateway.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending({ API_RATE_LIMIT_PER_SECOND: '1000000' })
})

/** How much each of these series rose while something was done. */
async function rises(series: string[], work: () => Promise<unknown>): Promise<number[]> {
  const before = await readAll(series)
  await work()
  const after = await readAll(series)
  return series.map((_, index) => (after[index] ?? 0) - (before[index] ?? 0))
}

async function readAll(series: string[]): Promise<number[]> {
  const { text } = await world.gateway.call('GET', '/metrics', { key: operatorKey })
  const lines = text.split('\n')
  return series.map((one) =>
    Number(lines.find((line) => line.startsWith(`${one} `))?.slice(one.length) ?? 0),
  )
}

async function sendOne(firm: Firm, more: Record<string, unknown> = {}): Promise<string> {
  const id = await world.send(firm, await world.customerOf(firm), more)
  await world.gateway.sendDue()
  return id
}

async function sendRefused(code: number, httpStatus = 400): Promise<void> {
  const firm = await world.createFirm(`Firm ${code}`)
  const match = { phone_number_id: firm.phoneNumberId }
  world.fault({ fault: 'error', code, http_status: httpStatus, match })
  await sendOne(firm)
}

describe('an attempt', () => {
  test.each([
    ['accepted', 'none', () => world.createFirm('Firm Fine').then((firm) => sendOne(firm))],
    ['permanent', '132001', () => sendRefused(132001, 404)],
    ['recipient', '131026', () => sendRefused(131026)],
    ['auth', '200-299', () => sendRefused(210, 403)],
    ['permanent', 'other', () => sendRefused(424242)],
  ])('is counted as %s with code %s', async (kind, code, work) => {
    expect(await rises([`estafet_sends_total{class="${kind}",code="${code}"}`], work)).toEqual([1])
  })

  test.each([
    ['pair', 131056],
    ['number', 130429],
    ['waba', 80007],
    ['app', 4],
  ])('that met the limit of a %s is counted by that, and as retried', async (scope, code) => {
    const series = [
      `estafet_rate_limits_total{scope="${scope}"}`,
      'estafet_retries_total{queue="outbox"}',
      'estafet_retries_exhausted_total{queue="outbox"}',
    ]
    expect(await rises(series, () => sendRefused(code, 429))).toEqual([1, 1, 0])
    await freeEverybody()
  })

  test('that was the last is counted as given up', async () => {
    const firm = await world.createFirm('Firm Down')
    world.fault({
      fault: 'error',
      code: 131000,
      http_status: 500,
      match: { phone_number_id: firm.phoneNumberId },
    })
    const series = [
      'estafet_retries_total{queue="outbox"}',
      'estafet_retries_exhausted_total{queue="outbox"}',
      'estafet_dead_letters_total{kind="outbound"}',
    ]
    const risen = await rises(series, async () => {
      const id = await sendOne(firm)
      while ((await world.read(firm, id)).status === 'queued') await world.sendWhatWaits()
    })
    expect(risen).toEqual([7, 1, 1])
  })
})

describe('a lost answer', () => {
  const outcomes = ['ambiguous', 'proven', 'sent_again', 'given_up']
  const series = outcomes.map((outcome) => `estafet_reconciliations_total{outcome="${outcome}"}`)
  const lose = (firm: Firm) =>
    world.fault({
      fault: 'reset',
      when: 'after_accepting',
      count: 1,
      match: { phone_number_id: firm.phoneNumberId },
    })

  test('that a status makes up for is proven', async () => {
    const firm = await world.createFirm('Firm Lucky')
    lose(firm)
    const risen = await rises(series, async () => {
      await sendOne(firm)
      await world.hearMeta()
    })
    expect(risen).toEqual([1, 1, 0, 0])
  })

  test('that nothing tells of is sent again, or given up where that was forbidden', async () => {
    const firm = await world.createFirm('Firm Unlucky')
    world.fault({
      fault: 'stuck',
      after: 'accepted',
      match: { phone_number_id: firm.phoneNumberId },
    })
    const send = async (more: Record<string, unknown>) => {
      lose(firm)
      await sendOne(firm, more)
      await world.sendWhatWaits()
    }
    expect(await rises(series, () => send({}))).toEqual([1, 0, 1, 0])
    expect(await rises(series, () => send({ delivery: 'at_most_once' }))).toEqual([1, 0, 0, 1])
  })
})

test('a key that asks too much is counted as our own limit', async () => {
  // Time stands still: after two calls nothing is left.
  const gateway = await startTestGateway({
    clock: createTestClock(),
    environment: { API_RATE_LIMIT_PER_SECOND: '1' },
  })
  const list = async () =>
    (await gateway.call('GET', '/api/admin/tenants', { key: operatorKey })).status
  expect([await list(), await list(), await list()]).toEqual([200, 200, 429])
  const { text } = await gateway.call('GET', '/metrics', { key: operatorKey })
  expect(text).toContain('estafet_rate_limits_total{scope="api_key"} 1')
})

/** What was held for one number's, account's or app's limit would hold the next case up. */
async function freeEverybody(): Promise<void> {
  world.simulator.clearFaults()
  await world.sendWhatWaits()
}
