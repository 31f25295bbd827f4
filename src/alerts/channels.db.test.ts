// Channels through the API, and what becomes of notifications on their way: real HTTP at the other end, a clock that stands.
import { createHmac } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { addChannel, type Listener, startListener } from '../../test/support/alerting.ts'
import { expectNone } from '../../test/support/canaries.ts'
import { createTestClock, type TestClock } from '../../test/support/clock.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'
import { claimNotifications, settleNotification } from './queue-queries.ts'

let gateway: TestGateway
let clock: TestClock
/** The operator's, from the environment. */
let slack: Listener
let pager: Listener
let counter = 0
const minute = 60_000

beforeAll(async () => {
  clock = createTestClock()
  ;[slack, pager] = [await startListener(), await startListener()]
  gateway = await startTestGateway({
    clock,
    environment: {
      SLACK_WEBHOOK_URL: slack.url,
      PAGERDUTY_ROUTING_KEY: 'r'.repeat(32),
      PAGERDUTY_EVENTS_URL: pager.url,
      ALERT_REPEAT_MINUTES: '0',
    },
  })
  await gateway.evaluate()
})

const own = '/api/whatsapp/alert-channels'

/** A tenant with a number. */
function createFirm() {
  counter++
  const number = { waba_id: `waba-${counter}`, phone_number_id: `9900${counter}` }
  return gateway.createTenant(`Firm ${counter}`, number)
}

/** Its number needs to be reconnected, or no longer does; somebody looks. */
async function trouble({ id }: { id: string }, isThere: boolean): Promise<void> {
  await gateway.db.query(sql`
    update whatsapp_accounts set auth_status = ${isThere ? 'needs_reauth' : 'ok'} where tenant_id = ${id}`)
  clock.advance(15_000)
  await gateway.evaluate()
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms)
  await gateway.tellAlerts()
}

const notifications = ({ id }: { id: string }) =>
  gateway.db.query(sql<{ event: string; status: string; attempts: number }>`
    select event, status, attempts from alert_notifications where tenant_id = ${id} order by position`)

describe('a channel', () => {
  test('is made, shown without its target, tested and removed; each act is audited', async () => {
    const firm = await createFirm()
    const ears = await startListener()
    const target = `${ears.url}/T000/B000/a-long-and-secret-part-wxyz`
    const body = { kind: 'slack', target, description: 'on call' }
    const made = await gateway.call('POST', own, { key: firm.key, body })
    expect(made.json).toMatchObject({
      kind: 'slack',
      description: 'on call',
      origin: 'api',
      secret: null,
    })
    expect(made.json.target).toBe(`${new URL(target).origin}/…wxyz`)
    const listed = await gateway.call('GET', own, { key: firm.key })
    expect(listed.json.data).toHaveLength(1)
    const twin = `/api/admin/tenants/${firm.id}/alert-channels`
    expect((await gateway.call('GET', twin, { key: operatorKey })).json).toEqual(listed.json)
    const [row] = await gateway.db.query(sql<{ text: string }>`
      select c::text as text from alert_channels c where tenant_id = ${firm.id}`)
    for (const text of [made.text, listed.text, row?.text, gateway.logText()]) {
      expectNone(text, 'a-long-and-secret-part')
    }

    const path = `${own}/${made.json.id}`
    const tested = await gateway.call('POST', `${path}/test`, { key: firm.key })
    expect(tested.json).toEqual({
      delivered: true,
      status_code: 200,
      error_code: null,
      answer: 'ok',
    })
    expect(ears.calls[0]?.event.text).toContain('Nothing is wrong')
    ears.react({ status: 404, body: 'no_service' })
    expect((await gateway.call('POST', `${path}/test`, { key: firm.key })).json).toEqual({
      delivered: false,
      status_code: 404,
      error_code: 'HTTP_404',
      answer: 'no_service',
    })
    expect((await gateway.call('DELETE', path, { key: firm.key })).status).toBe(204)
    const again = await gateway.call('DELETE', path, { key: firm.key })
    expect(again.json.error.code).toBe('ALERT_CHANNEL_NOT_FOUND')
    const acts = await gateway.call('GET', '/api/whatsapp/audit', { key: firm.key })
    const actions = acts.json.data.map(({ action }: { action: string }) => action)
    expect(actions.filter((action: string) => action.startsWith('alert_channel'))).toEqual([
      'alert_channel.deleted',
      'alert_channel.tested',
      'alert_channel.tested',
      'alert_channel.created',
    ])
  })

  test.each([
    ['slack', 'not a url', 'is not a URL'],
    ['webhook', 'ftp://files.example/', 'must be an http or https URL'],
    ['webhook', 'https://user:word@hooks.example/', 'must not hold a user name or password'],
    [
      'pagerduty',
      'https://events.pagerduty.example/',
      'must be a routing key of PagerDuty: 32 letters and digits',
    ],
  ])('%s is refused with %s', async (kind, target, problem) => {
    const firm = await createFirm()
    const answer = await gateway.call('POST', own, { key: firm.key, body: { kind, target } })
    expect(answer.status).toBe(400)
    expect(answer.json.error.details.fields).toEqual([{ field: 'target', problem }])
  })

  test('there are ten at most, also for who asks for many at once', async () => {
    const firm = await createFirm()
    const body = { kind: 'pagerduty', target: 'k'.repeat(32) }
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => gateway.call('POST', own, { key: firm.key, body })),
    )
    const refused = answers.filter(({ status }) => status !== 201)
    expect(refused.map(({ json }) => json.error.code)).toEqual(
      Array(2).fill('TOO_MANY_ALERT_CHANNELS'),
    )
  })

  test('of the environment is listed and tested with the operator’s, but not removed there', async () => {
    const path = '/api/admin/alert-channels'
    const { json } = await gateway.call('GET', path, { key: operatorKey })
    expect(json.data).toMatchObject([
      { kind: 'pagerduty', origin: 'environment', target: '…rrrr' },
      { kind: 'slack', origin: 'environment' },
    ])
    const [first] = json.data
    const removed = await gateway.call('DELETE', `${path}/${first.id}`, { key: operatorKey })
    expect([removed.status, removed.json.error.code]).toEqual([
      409,
      'ALERT_CHANNEL_FROM_ENVIRONMENT',
    ])
    const tested = await gateway.call('POST', `${path}/${first.id}/test`, { key: operatorKey })
    expect(tested.json.delivered).toBe(true)
    // A test is no incident that somebody has to close.
    expect(pager.calls.map(({ event }) => event.event_action)).toEqual(['trigger', 'resolve'])
    expect(pager.calls[0]?.event.payload.severity).toBe('info')
  })
})

test('private and plain targets are refused where they are not allowed', async () => {
  const guarded = await startTestGateway({ environment: { ALLOW_PRIVATE_TARGETS: 'off' } })
  const firm = await guarded.createTenant('Firm Guarded')
  const problemOf = async (target: string) => {
    const body = { kind: 'webhook', target }
    const answer = await guarded.call('POST', own, { key: firm.key, body })
    return answer.json.error?.details.fields[0].problem ?? answer.json.kind
  }
  expect(await problemOf('https://127.0.0.1/')).toBe('must lead to the public internet')
  expect(await problemOf('https://metadata.internal/')).toBe('must lead to the public internet')
  expect(await problemOf('http://hooks.example/')).toBe('must be an https URL')
  expect(await problemOf('https://hooks.example:5432/')).toContain('must use one of the ports')
  expect(await problemOf('https://hooks.example/')).toBe('webhook')
})

describe('a notification', () => {
  test('to a webhook is signed as Standard Webhooks says, with one id in every attempt', async () => {
    const firm = await createFirm()
    const ears = await startListener()
    const { secret } = await addChannel(gateway, firm, { kind: 'webhook', target: ears.url })
    let count = 0
    ears.react(() => ({ status: count++ === 0 ? 500 : 200 }))
    await trouble(firm, true)
    await pass(0)
    await pass(minute)

    expect(ears.calls).toHaveLength(2)
    const ids = ears.calls.map(({ headers }) => headers['webhook-id'])
    expect(ids[0]).toMatch(/^ntf_[0-9a-f]{32}$/)
    expect(ids[1]).toBe(ids[0])
    for (const { headers, raw, event } of ears.calls) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${raw}`
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const mac = createHmac('sha256', key).update(signed).digest('base64')
      expect(headers['webhook-signature']).toBe(`v1,${mac}`)
      expect(event).toMatchObject({
        type: 'alert.fired',
        version: 1,
        data: { rule: 'reauth_needed' },
      })
    }
    await trouble(firm, false)
    await pass(0)
  })

  test('waits as long as it is asked to, with all that is for the same channel', async () => {
    const [firm, ears] = [await createFirm(), await startListener()]
    await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    ears.react({ status: 429, headers: { 'retry-after': '600' } })
    await trouble(firm, true)
    await pass(0)
    await trouble(firm, false)
    await pass(9 * minute)
    expect(ears.calls).toHaveLength(1)
    ears.react({})
    await pass(minute)
    expect(ears.calls).toHaveLength(3)
    expect(await notifications(firm)).toEqual([
      { event: 'fired', status: 'done', attempts: 1 },
      { event: 'resolved', status: 'done', attempts: 0 },
    ])
  })

  test('that it is over does not overtake the one that it began', async () => {
    const [firm, ears] = [await createFirm(), await startListener()]
    await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    const said: string[] = []
    let isRefusing = true
    ears.react(({ event }) => {
      said.push(event.text.split(' ')[0])
      return { status: isRefusing ? 403 : 200 }
    })
    await trouble(firm, true)
    for (const seconds of [0, 6, 20]) await pass(seconds * 1000)
    expect(said).toHaveLength(3)
    isRefusing = false
    await trouble(firm, false)
    // It would be due, were it not for the one before.
    await pass(0)
    expect(said).toHaveLength(3)
    await pass(2 * minute)
    expect(said.slice(3)).toEqual([':rotating_light:', ':white_check_mark:'])
  })

  test('takes nobody’s turn while it waits behind another of its alert', async () => {
    const deaf = await startListener()
    deaf.react({ status: 404 })
    const firms = []
    for (let count = 0; count < 7; count++) {
      const firm = await createFirm()
      await addChannel(gateway, firm, { kind: 'slack', target: deaf.url })
      firms.push(firm)
    }
    const [stuck, other] = [firms.toSpliced(3, 1), firms[3]]
    for (const firm of stuck) await trouble(firm, true)
    for (const seconds of [0, 6, 20]) await pass(seconds * 1000)
    await gateway.db.query(sql`
      update alert_notifications set next_run_at = ${new Date(clock.now().getTime() + 60 * minute)}
      where status = 'waiting'`)
    for (const firm of stuck) await trouble(firm, false)
    await trouble(other as TestTenant, true)
    const claimed = await claimNotifications(gateway.runtime.db.work, clock.now(), 1, 1)
    expect(claimed).toMatchObject([{ tenantId: other?.id, event: 'fired' }])
    deaf.react({ status: 200 })
    await trouble(other as TestTenant, false)
    await pass(61 * minute)
  })

  test('is given up after a day, and the next one is not', async () => {
    const [firm, ears] = [await createFirm(), await startListener()]
    await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    ears.react({ status: 403 })
    await trouble(firm, true)
    for (const hours of [0, 1, 12, 12]) await pass(hours * 60 * minute)
    expect(await notifications(firm)).toMatchObject([
      { event: 'fired', status: 'failed', attempts: 4 },
    ])
    ears.react({})
    await trouble(firm, false)
    await pass(minute)
    expect(await notifications(firm)).toMatchObject([
      { status: 'failed' },
      { event: 'resolved', status: 'done' },
    ])
  })

  test('of a worker that died is taken up by another, and the dead one’s word counts no more', async () => {
    const [firm, ears] = [await createFirm(), await startListener()]
    await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    await trouble(firm, true)
    const { db } = gateway.runtime
    const claim = async () =>
      (await claimNotifications(db.work, clock.now(), 60, 10)).filter(
        ({ tenantId }) => tenantId === firm.id,
      )
    const [dead] = await claim()
    if (!dead) throw new Error('nothing was claimed')
    // While it is held, nobody else has it, nor anything else for this channel.
    await trouble(firm, false)
    expect(await claim()).toEqual([])
    await pass(minute)

    expect(ears.heard()).toEqual(['reauth_needed fired', 'reauth_needed resolved'])
    const end = {
      status: 'failed',
      error: 'X',
      runAt: null,
      isTaken: null,
      holdUntil: null,
    } as const
    const isOurs = await db.work.transaction((tx) => settleNotification(tx, dead, end, clock.now()))
    expect(isOurs).toBe(false)
    expect(await notifications(firm)).toMatchObject([{ status: 'done' }, { status: 'done' }])
  })

  test('goes with its channel when that is removed', async () => {
    const [firm, ears] = [await createFirm(), await startListener()]
    const { id } = await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    ears.react({ status: 500 })
    await trouble(firm, true)
    await pass(0)
    await gateway.call('DELETE', `${own}/${id}`, { key: firm.key })
    expect(await notifications(firm)).toEqual([])
    await trouble(firm, false)
  })

  test('names a tenant as text, whatever it is called', async () => {
    const ears = await startListener()
    counter++
    const number = { waba_id: `waba-${counter}`, phone_number_id: `9900${counter}` }
    const firm = await gateway.createTenant('<!channel> & Sons', number)
    await addChannel(gateway, firm, { kind: 'slack', target: ears.url })
    await trouble(firm, true)
    await pass(0)
    expect(ears.calls[0]?.event.text).toContain('&lt;!channel&gt; &amp; Sons')
    await trouble(firm, false)
  })
})

test('what fires and what lately did is listed: all for the operator, its own for a tenant', async () => {
  const [firm, other] = [await createFirm(), await createFirm()]
  await trouble(firm, true)
  const read = async (key: string, path: string) =>
    (await gateway.call('GET', path, { key })).json.data
  const mine = await read(firm.key, '/api/whatsapp/alerts')
  expect(mine).toMatchObject([{ tenant_id: firm.id, rule: 'reauth_needed', state: 'firing' }])
  expect(await read(other.key, '/api/whatsapp/alerts')).toEqual([])
  expect(await read(operatorKey, `/api/admin/whatsapp/alerts?tenant_id=${firm.id}`)).toEqual(mine)
  await trouble(firm, false)
  expect(await read(firm.key, '/api/whatsapp/alerts?state=firing')).toEqual([])
  expect(await read(firm.key, '/api/whatsapp/alerts?state=resolved')).toMatchObject([
    { id: mine[0].id, resolved_at: expect.any(String) },
  ])
  const metrics = await gateway.call('GET', '/metrics', { key: operatorKey })
  expect(metrics.text).toContain('estafet_alerts_firing{rule="reauth_needed"} 0')
  expect(metrics.text).toMatch(/estafet_alerts_evaluated_seconds 0/)
  expect(metrics.text).toMatch(
    /estafet_alert_notifications_total\{kind="slack",outcome="delivered"\} \d/,
  )
})
