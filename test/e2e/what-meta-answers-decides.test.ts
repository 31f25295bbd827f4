// One answer of Meta's, one consequence: tried again by the policy, or given up after exactly one POST.
import { beforeAll, describe, expect, test } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { maxJitterMs } from '../../src/outbox/retry-policy.ts'
import { operatorKey } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import {
  type Firm,
  type Sending,
  sendRowOf,
  sendTimeoutMs,
  startSending,
} from '../support/sending.ts'

let world: Sending
let firm: Firm

beforeAll(async () => {
  world = await startSending()
  firm = await world.createFirm('Firm A')
})

/** Seconds that the message waits from now on; the clock stands still, so it is exact but for the jitter. */
async function waitOf(messageId: string, { clock, gateway } = world): Promise<number> {
  const { next_run_at } = await sendRowOf(gateway.db, messageId)
  return (next_run_at.getTime() - clock.now().getTime()) / 1000
}

function expectWait(seconds: number, policySeconds: number): void {
  expect(seconds).toBeGreaterThanOrEqual(policySeconds)
  expect(seconds).toBeLessThanOrEqual(policySeconds + maxJitterMs / 1000)
}

const without = { body: 'empty' as const }

describe('tried again by the policy, and sent once in the end', () => {
  const cases: [name: string, fault: FaultInput, waits: [number, number], code: string][] = [
    ['429', { fault: 'error', http_status: 429, ...without }, [10, 20], 'RATE_LIMITED'],
    ['429 with a code', { fault: 'throttle', http_status: 429 }, [10, 20], 'RATE_LIMITED'],
    ['400 with 130429', { fault: 'throttle', http_status: 400 }, [10, 20], 'RATE_LIMITED'],
    ['400 with 131056', { fault: 'throttle', code: 131056 }, [10, 20], 'PAIR_RATE_LIMITED'],
    ['500', { fault: 'error', code: 131000, http_status: 500 }, [10, 20], 'META_TROUBLE'],
    [
      '500 without a code',
      { fault: 'error', http_status: 500, ...without },
      [10, 20],
      'META_TROUBLE',
    ],
    ['503', { fault: 'outage' }, [10, 20], 'META_TROUBLE'],
    // Ambiguous: evidence is waited for.
    ['502 in between', { fault: 'html', http_status: 502 }, [30, 30], 'OUTCOME_UNKNOWN'],
    ['a timeout', { fault: 'hang' }, [30, 30], 'OUTCOME_UNKNOWN'],
    ['a reset', { fault: 'reset' }, [30, 30], 'OUTCOME_UNKNOWN'],
  ]

  test.each(cases)('%s', async (_name, fault, waits, code) => {
    const customer = await world.customerOf(firm)
    world.fault({ ...fault, match: { recipient: customer }, count: 2 })
    const id = await world.send(firm, customer)
    /** Where it gets no answer, its time runs out as soon as Meta has it. */
    const over = async (sending: Promise<unknown>, posts: number) => {
      if (fault.fault === 'hang') {
        await until('Meta has it', () => world.postsTo(customer).length === posts)
        world.clock.runOut(sendTimeoutMs)
      }
      await sending
    }

    await over(world.gateway.sendDue(), 1)
    expectWait(await waitOf(id), waits[0])
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      last_error: code,
    })
    // Before its time nobody asks Meta again.
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(firm, id)).toMatchObject({ status: 'queued', attempts: 1 })

    await over(world.sendWhatWaits(), 2)
    expectWait(await waitOf(id), waits[1])
    await world.sendWhatWaits()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(3)
    const [accepted, ...more] = world.acceptedFor(customer)
    expect(more).toEqual([])
    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      attempts: 3,
      wamid: accepted?.wamid,
      error: null,
      sends: [
        { outcome: expect.not.stringMatching('accepted') },
        { outcome: expect.not.stringMatching('accepted') },
        { outcome: 'accepted', status_code: 200, provider_code: null, error_message: null },
      ],
    })
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'done', attempts: 2 })
  })

  test('a Meta that cannot be reached: not a byte left, so nothing is waited for', async () => {
    const away = await startSending(
      { META_GRAPH_URL: 'http://127.0.0.1:9' },
      { simulator: world.simulator },
    )
    const other = await away.createFirm('Firm Away')
    const id = await away.send(other, await away.customerOf(other))

    await away.gateway.sendDue()
    expectWait(await waitOf(id, away), 10)
    expect(await sendRowOf(away.gateway.db, id)).toMatchObject({ last_error: 'NOT_SENT' })
  })
})

describe('given up after one POST', () => {
  const cases: [name: string, fault: FaultInput, code: string, provider: number | null][] = [
    ['400', { fault: 'error', http_status: 400, ...without }, 'REFUSED', null],
    ['403', { fault: 'error', http_status: 403, ...without }, 'REFUSED', null],
    ['404', { fault: 'error', http_status: 404, ...without }, 'REFUSED', null],
    ['400 with 100', { fault: 'error', code: 100 }, 'INVALID_PARAMETER', 100],
    ['400 with 131009', { fault: 'error', code: 131009 }, 'INVALID_PARAMETER', 131009],
    ['404 with 132001', { fault: 'error', code: 132001 }, 'TEMPLATE_NOT_FOUND', 132001],
    ['400 with 132000', { fault: 'error', code: 132000 }, 'TEMPLATE_PARAMETERS', 132000],
    ['400 with 132015', { fault: 'error', code: 132015 }, 'TEMPLATE_PAUSED', 132015],
    ['400 with 131026', { fault: 'error', code: 131026 }, 'UNDELIVERABLE', 131026],
    ['400 with 131030', { fault: 'error', code: 131030 }, 'RECIPIENT_NOT_ALLOWED', 131030],
    ['400 with 131047', { fault: 'error', code: 131047 }, 'WINDOW_CLOSED', 131047],
    // What Meta's table calls permanent stays permanent under any HTTP status.
    ['500 with 3', { fault: 'error', code: 3, http_status: 500 }, 'CAPABILITY_MISSING', 3],
    [
      '500 with 131026',
      { fault: 'error', code: 131026, http_status: 500 },
      'UNDELIVERABLE',
      131026,
    ],
    ['503 with 100', { fault: 'error', code: 100, http_status: 503 }, 'INVALID_PARAMETER', 100],
  ]

  test.each(cases)('%s', async (_name, fault, code, provider) => {
    const customer = await world.customerOf(firm)
    world.fault({ ...fault, match: { recipient: customer }, count: 1 })
    const id = await world.send(firm, customer)
    const next = await world.send(firm, customer, { text: { body: 'And another' } })

    await world.gateway.sendDue()
    await world.sendWhatWaits()

    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 1,
      wamid: null,
      error: { code, provider: { code: provider } },
    })
    expect(await sendRowOf(world.gateway.db, id)).toMatchObject({ status: 'failed', attempts: 1 })
    const [letter, ...more] = await lettersOf(id)
    expect(more).toEqual([])
    expect(letter).toMatchObject({ kind: 'outbound', state: 'open', error_code: code })
    // Its own POST and that of the next one, which it holds back no longer.
    expect(world.postsTo(customer)).toHaveLength(2)
    expect(await world.read(firm, next)).toMatchObject({ status: 'sent', attempts: 1 })
  })

  test('401: one POST, and it waits for a person', async () => {
    const other = await world.createFirm('Firm Unauthorized')
    const customer = await world.customerOf(other)
    world.fault({
      fault: 'error',
      http_status: 401,
      ...without,
      match: { phone_number_id: other.phoneNumberId },
    })
    const id = await world.send(other, customer)

    await world.gateway.sendDue()
    await world.sendWhatWaits()

    expect(world.postsTo(customer)).toHaveLength(1)
    expect(await world.read(other, id)).toMatchObject({ status: 'queued', attempts: 1 })
    expect(await lettersOf(id)).toEqual([])
  })
})

describe('Retry-After', () => {
  test('is honoured where it is longer than the policy, for the whole number and for nobody else', async () => {
    const limited = await world.createFirm('Firm Limited')
    const [first, second, elsewhere] = [
      await world.customerOf(limited),
      await world.customerOf(limited),
      await world.customerOf(firm),
    ]
    const match = { phone_number_id: limited.phoneNumberId }
    world.fault({ fault: 'throttle', retry_after_seconds: 120, match, count: 1 })
    const id = await world.send(limited, first)
    await world.gateway.sendDue()
    const waiting = await world.send(limited, second)
    await world.send(firm, elsewhere)
    await world.gateway.sendDue()

    expectWait(await waitOf(id), 120)
    expect(world.postsTo(second)).toEqual([])
    expect(world.acceptedFor(elsewhere)).toHaveLength(1)

    await world.sendWhatWaits()
    for (const message of [id, waiting]) {
      expect((await world.read(limited, message)).status).toBe('sent')
    }
  })

  test('does not shorten the policy', async () => {
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.fault({ fault: 'throttle', code: 131056, retry_after_seconds: 3, match, count: 1 })
    const id = await world.send(firm, customer)

    await world.gateway.sendDue()
    expectWait(await waitOf(id), 10)
    await world.sendWhatWaits()
  })
})

describe('the policies', () => {
  const standard = [10, 20, 40, 80, 160, 300, 300]
  const patient = [60, 300, 900, 3600, 3600]

  const cases: [own: string | null, fallback: string, waits: number[]][] = [
    [null, 'standard', standard],
    [null, 'patient', patient],
    ['patient', 'standard', patient],
    ['standard', 'patient', standard],
  ]
  test.each(cases)(
    'the tenant says %s, RETRY_POLICY %s: %j, then a dead letter',
    async (own, fallback, waits) => {
      const here = await startSending({ RETRY_POLICY: fallback }, { simulator: world.simulator })
      const tenant = await here.createFirm('Firm Policy')
      if (own !== null) {
        const path = `/api/admin/tenants/${tenant.id}`
        await here.gateway.call('PATCH', path, { key: operatorKey, body: { retry_policy: own } })
      }
      const customer = await here.customerOf(tenant)
      here.fault({ fault: 'error', code: 131016, match: { recipient: customer } })
      const id = await here.send(tenant, customer)

      await here.gateway.sendDue()
      for (const wait of waits) {
        expectWait(await waitOf(id, here), wait)
        await here.sendWhatWaits()
      }
      await here.sendWhatWaits()

      const attempts = waits.length + 1
      expect(here.postsTo(customer)).toHaveLength(attempts)
      expect(await here.read(tenant, id)).toMatchObject({
        status: 'failed',
        attempts,
        error: { code: 'META_TROUBLE', provider: { code: 131016 } },
      })
      const [letter] = await lettersOf(id, here)
      const inspected = await here.gateway.call('GET', `/api/admin/whatsapp/dlq/${letter?.id}`, {
        key: operatorKey,
      })
      expect(inspected.json.outbound.attempts).toHaveLength(attempts)
      for (const attempt of inspected.json.outbound.attempts) {
        expect(attempt).toMatchObject({
          outcome: 'transient',
          provider_code: 131016,
          error_message: expect.any(String),
          fbtrace_id: expect.any(String),
          started_at: expect.any(String),
          finished_at: expect.any(String),
        })
      }
    },
  )
})

async function lettersOf(
  messageId: string,
  { gateway } = world,
): Promise<{ id: string; [field: string]: unknown }[]> {
  const path = `/api/admin/whatsapp/dlq?message_id=${messageId}`
  return (await gateway.call('GET', path, { key: operatorKey })).json.data
}
