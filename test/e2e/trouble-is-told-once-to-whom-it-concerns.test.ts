// Issue 9's first line: with a simulated Meta and real HTTP at the other end, each trouble is one alert at the right channel,
// and one word when it is over. Whoever it does not concern hears nothing, from the first test to the last.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { addChannel, type Listener, startListener } from '../support/alerting.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { until } from '../support/program.ts'
import { type Firm, openWindows, type Sending, startSending } from '../support/sending.ts'
import { callback, codeFor, createMetaAccount, reconnect, signUp } from '../support/signup.ts'

let world: Sending
/** The operator's, from the environment. */
let slack: Listener
let pager: Listener
/** Of a firm that has no trouble. */
let quiet: Listener

const minute = 60_000
let counter = 0

beforeAll(async () => {
  ;[slack, pager, quiet] = [await startListener(), await startListener(), await startListener()]
  world = await startSending({
    CIRCUIT_MIN_CALLS: '10',
    // However slow the machine is.
    CIRCUIT_WINDOW_SECONDS: '3600',
    SLACK_WEBHOOK_URL: slack.url,
    PAGERDUTY_ROUTING_KEY: 'r'.repeat(32),
    PAGERDUTY_EVENTS_URL: pager.url,
    PUBLIC_URL: 'https://gateway.example',
  })
  const bystander = await world.createFirm('Firm Bystander')
  await addChannel(world.gateway, bystander, { kind: 'webhook', target: quiet.url })
})

afterAll(() => {
  expect(quiet.heard()).toEqual([])
})

/** So much time passes, then somebody looks, twice, and what there is to tell is told. */
async function look(ms = minute): Promise<void> {
  await world.hearMeta()
  world.clock.advance(ms)
  await world.gateway.evaluate()
  world.clock.advance(16_000)
  await world.gateway.evaluate()
  await world.gateway.tellAlerts()
}

async function firmWithChannel(name: string): Promise<{ firm: Firm; ears: Listener }> {
  const firm = await world.createFirm(name)
  const ears = await startListener()
  await addChannel(world.gateway, firm, { kind: 'slack', target: ears.url })
  return { firm, ears }
}

const text = canary('text of a message').text
/** The numbers of all customers so far. */
const everybody: string[] = []

async function sendTo(firm: Firm, count: number): Promise<void> {
  const people = Array.from({ length: count }, () => String(16505550000 + counter++))
  await openWindows(world.gateway, firm, people, world.clock.now())
  everybody.push(...people)
  for (const person of people) await world.send(firm, person, { text: { body: text } })
}

describe('one alert at the right channel, then one resolve', () => {
  test('an outage', async () => {
    const { firm, ears } = await firmWithChannel('Firm Outage')
    world.fault({ fault: 'outage', match: { phone_number_id: firm.phoneNumberId } })
    await sendTo(firm, 12)
    await world.gateway.sendDue()

    await look()
    await look()
    expect(ears.heard()).toEqual(['circuit_open fired'])
    const { text } = ears.calls[0]?.event ?? {}
    expect(text).toContain(`Meta fails for the number ${firm.phoneNumberId}`)
    expect(text).toContain('Since 20')
    expect(text).toContain(`<https://gateway.example/console/overview?tenant=${firm.id}|`)

    world.simulator.clearFaults()
    await world.sendWhatWaits()
    await look()
    await look(2 * minute)
    await look()
    expect(ears.heard()).toEqual(['circuit_open fired', 'circuit_open resolved'])
  })

  test('a 429 storm', async () => {
    const { firm, ears } = await firmWithChannel('Firm Storm')
    world.fault({ fault: 'throttle', match: { phone_number_id: firm.phoneNumberId } })
    await sendTo(firm, 2)
    await world.gateway.sendDue()
    await look()
    // Once is nothing.
    expect(ears.heard()).toEqual([])
    for (let round = 0; round < 3; round++) {
      await world.sendWhatWaits()
      await look()
    }
    expect(ears.heard()).toEqual(['rate_limited fired'])

    world.simulator.clearFaults()
    await world.sendWhatWaits()
    await look()
    expect(ears.heard()).toHaveLength(1)
    await look(20 * minute)
    await look()
    expect(ears.heard()).toEqual(['rate_limited fired', 'rate_limited resolved'])
  })

  test('a revoked token', async () => {
    const tenant = await world.gateway.createTenant('Firm Token')
    const meta = createMetaAccount(world)
    const { json } = await signUp(world, tenant, meta)
    const firm = { ...tenant, ...meta, accessToken: '' }
    const ears = await startListener()
    await addChannel(world.gateway, firm, { kind: 'webhook', target: ears.url })
    world.fault({ fault: 'token', match: { phone_number_id: firm.phoneNumberId } })
    await sendTo(firm, 3)
    await world.gateway.sendDue()

    await look()
    await look()
    expect(ears.heard()).toEqual(['reauth_needed fired'])
    expect(ears.calls[0]?.event.data).toMatchObject({
      tenant: { id: firm.id, name: 'Firm Token' },
      subject: firm.phoneNumberId,
      severity: 'critical',
      link: `https://gateway.example/console/accounts?tenant=${firm.id}`,
    })

    world.simulator.clearFaults()
    const { state } = await reconnect(world, firm, json.id)
    await callback(world, { state, code: codeFor(world, firm) })
    await look()
    await look()
    expect(ears.heard()).toEqual(['reauth_needed fired', 'reauth_needed resolved'])
  })

  test('11 dead letters of one tenant', async () => {
    const { firm, ears } = await firmWithChannel('Firm Letters')
    const { key } = firm
    world.fault({
      fault: 'error',
      code: 131009,
      http_status: 400,
      match: { phone_number_id: firm.phoneNumberId },
    })
    await sendTo(firm, 10)
    await world.gateway.sendDue()
    await look()
    // The threshold itself is not over it.
    expect(ears.heard()).toEqual([])
    await sendTo(firm, 1)
    await world.gateway.sendDue()
    await look()
    await look()
    expect(ears.heard()).toEqual(['dead_letters_over_threshold fired'])
    expect(ears.calls[0]?.event.text).toContain('11 open dead letters')

    const letters = await world.gateway.call('GET', '/api/whatsapp/dlq', { key })
    const ids = letters.json.data.map(({ id }: { id: string }) => id)
    const discard = (some: string[]) =>
      world.gateway.call('POST', '/api/whatsapp/dlq/discard', {
        key,
        body: { ids: some, reason: 'seen' },
      })
    // At the threshold again: it could be over it in a moment.
    await discard(ids.slice(0, 1))
    await look()
    expect(ears.heard()).toHaveLength(1)
    await discard(ids.slice(1, 3))
    await look()
    await look()
    const both = ['dead_letters_over_threshold fired', 'dead_letters_over_threshold resolved']
    expect(ears.heard()).toEqual(both)
    world.simulator.clearFaults()
  })

  test('a webhook failure spike, to the operator alone', async () => {
    expect([...slack.heard(), ...pager.heard()]).toEqual([])
    for (let count = 0; count < 100; count++) {
      const answer = await world.gateway.deliver('{}', { 'x-hub-signature-256': 'sha256=no' })
      expect(answer.status).toBe(401)
    }
    await until('what this process counted is shared', async () => {
      const [row] = await world.gateway.db.query(sql<{ count: number }>`
        select sum(count)::int as count from recent_latencies where kind = 'webhook_rejected'`)
      return row?.count === 100
    })

    await look(1000)
    await look(1000)
    expect(slack.heard()).toEqual(['webhook_failure_spike fired'])
    expect(pager.heard()).toEqual(['webhook_failure_spike fired'])
    // However many there were, they are a handful of rows.
    const rows = await world.gateway.db.query(
      sql`select from recent_latencies where kind = 'webhook_rejected'`,
    )
    expect(rows.length).toBeLessThanOrEqual(100 / 10)

    await look(6 * minute)
    await look()
    const both = ['webhook_failure_spike fired', 'webhook_failure_spike resolved']
    expect(slack.heard()).toEqual(both)
    expect(pager.heard()).toEqual(both)
    const keys = pager.calls.map(({ event }) => event.dedup_key)
    expect(keys[0]).toMatch(/^estafet-alt_/)
    expect(keys[1]).toBe(keys[0])
  })
})

test('a tenant without a channel is the operator’s to hear of', async () => {
  const firm = await world.createFirm('Firm Mute')
  const before = slack.heard().length
  await setAuth(firm, 'needs_reauth')
  await look()
  await setAuth(firm, 'ok')
  await look()
  expect(slack.heard().slice(before)).toEqual(['reauth_needed fired', 'reauth_needed resolved'])
})

const setAuth = ({ phoneNumberId }: Firm, status: 'ok' | 'needs_reauth') =>
  world.gateway.db.query(sql`
    update whatsapp_accounts set auth_status = ${status} where phone_number_id = ${phoneNumberId}`)

describe('a dead Slack', () => {
  test('delays nothing and loses nothing; that it is dead is told through the others', async () => {
    const { firm, ears: dead } = await firmWithChannel('Firm Dead Slack')
    const alive = await startListener()
    await addChannel(world.gateway, firm, { kind: 'webhook', target: alive.url })
    const heardBefore = slack.heard().length
    let isDead = true
    const said: string[] = []
    dead.react(({ event }) => {
      if (isDead) return { status: 500 }
      said.push(event.text.split(' ')[0])
      return {}
    })
    await setAuth(firm, 'needs_reauth')
    await look()
    expect(alive.heard()).toEqual(['reauth_needed fired'])
    // It is over before the dead one heard that it began.
    await setAuth(firm, 'ok')
    await look()
    expect(alive.heard()).toEqual(['reauth_needed fired', 'reauth_needed resolved'])
    const hour = 60 * minute
    await look(hour)
    await look(minute)
    expect(slack.heard().slice(heardBefore)).toEqual(['alert_delivery_failing fired'])
    expect(dead.calls.length).toBeGreaterThan(1)

    isDead = false
    await look(10 * minute)
    await look()
    expect(said).toEqual([':rotating_light:', ':white_check_mark:'])
    expect(slack.heard().slice(heardBefore)).toEqual([
      'alert_delivery_failing fired',
      'alert_delivery_failing resolved',
    ])
    expect(alive.heard()).toHaveLength(2)
  })
})

test('what was told holds nothing of a person, and what is shown no target', async () => {
  const told = [...slack.calls, ...pager.calls].map(({ raw }) => raw).join('\n')
  const personal = [text, ...everybody]
  expect(everybody.length).toBeGreaterThan(20)
  expectNone(told, ...personal)
  const rows = await world.gateway.db.query(sql<{ text: string }>`
    select message::text as text from alert_notifications union all select summary from alerts`)
  expect(rows.length).toBeGreaterThan(5)
  expectNone(rows.map((row) => row.text).join('\n'), ...personal)
  expectNone(world.gateway.logText(), slack.url)
})
