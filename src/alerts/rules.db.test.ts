// Each rule by itself, on state that the gateway made: what it takes to be found, and when it no longer is.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { operatorKey } from '../../test/support/gateway.ts'
import { type Firm, openWindows, type Sending, startSending } from '../../test/support/sending.ts'
import { createMetaAccount, signUp } from '../../test/support/signup.ts'
import { sql } from '../db/connect.ts'
import type { Finding } from './model.ts'
import { alertRules } from './rules.ts'

let world: Sending
let people = 0
const minute = 60_000
const hour = 60 * minute

beforeAll(async () => {
  world = await startSending()
})

async function find(name: string, tenant: { id: string } | null): Promise<Finding[]> {
  const rule = alertRules.find((one) => one.name === name)
  if (!rule) throw new Error(`no rule ${name}`)
  const limits = {
    deadLetters: 10,
    tokenWarningDays: 7,
    backlogSeconds: 300,
    backlogWaitingSeconds: 3600,
  }
  const all = await rule.find({ db: world.gateway.runtime.db.work, now: world.clock.now(), limits })
  return all.filter(({ tenantId }) => tenantId === (tenant?.id ?? null))
}

async function sendTo(firm: Firm, count: number): Promise<void> {
  const to = Array.from({ length: count }, () => String(16505551000 + people++))
  await openWindows(world.gateway, firm, to, world.clock.now())
  for (const person of to) await world.send(firm, person)
}

const refuse = ({ phoneNumberId }: Firm, code: number) =>
  world.fault({ fault: 'error', code, match: { phone_number_id: phoneNumberId } })

/** All processes together counted so many just now. */
const count = (kind: string, times: number) =>
  world.gateway.db.query(sql`
    insert into recent_latencies (slot, kind, process_id, bucket, count)
    values (${world.clock.now()}, ${kind}, gen_random_uuid(), 0, ${times})`)

describe('of sends', () => {
  test('retries_exhausted: one for however many, until they are decided on or an hour old', async () => {
    const firm = await world.createFirm('Firm Retries')
    refuse(firm, 131000)
    await sendTo(firm, 2)
    for (let attempt = 1; attempt < 8; attempt++) await world.sendWhatWaits()
    expect(await find('retries_exhausted', firm)).toEqual([])
    await world.sendWhatWaits()
    expect(await find('retries_exhausted', firm)).toMatchObject([{ subject: '', count: 2 }])
    // A refusal for good is no matter of retries.
    const other = await world.createFirm('Firm Refused')
    refuse(other, 131009)
    await sendTo(other, 1)
    await world.gateway.sendDue()
    expect(await find('retries_exhausted', other)).toEqual([])

    world.clock.advance(hour)
    expect(await find('retries_exhausted', firm)).toEqual([])
    world.simulator.clearFaults()
  })

  test('rate_limited: a spam limit at once, and for as long as it holds', async () => {
    const firm = await world.createFirm('Firm Spam')
    refuse(firm, 131048)
    await sendTo(firm, 1)
    await world.gateway.sendDue()
    expect(await find('rate_limited', firm)).toMatchObject([
      { subject: firm.phoneNumberId, isLingering: false },
    ])
    world.clock.advance(4 * hour)
    expect(await find('rate_limited', firm)).toHaveLength(1)
    world.clock.advance(11 * minute)
    expect(await find('rate_limited', firm)).toEqual([])
    world.simulator.clearFaults()
  })

  test('circuit_open: of the host it is the operator’s', async () => {
    await world.gateway.db.query(sql`update send_host set circuit_open = true, opened_at = now()`)
    expect(await find('circuit_open', null)).toMatchObject([{ subject: '', count: 1 }])
    await world.gateway.db.query(sql`update send_host set circuit_open = false`)
    expect(await find('circuit_open', null)).toEqual([])
  })

  test('circuit_open: of a number that is disconnected it is over, and what waited for it ends', async () => {
    const firm = await world.createFirm('Firm Gone')
    await sendTo(firm, 2)
    await world.gateway.db.query(sql`
      update send_numbers
      set circuit_open = true, opened_at = now(), trial_at = now() + interval '1 hour'
      where tenant_id = ${firm.id}`)
    expect(await find('circuit_open', firm)).toMatchObject([{ subject: firm.phoneNumberId }])
    const path = `/api/admin/tenants/${firm.id}/accounts`
    const { json } = await world.gateway.call('GET', path, { key: operatorKey })
    const answer = await world.gateway.call('DELETE', `${path}/${json.data[0].id}`, {
      key: operatorKey,
    })
    expect(answer.status).toBe(204)
    expect(await find('circuit_open', firm)).toEqual([])
    await world.gateway.sendDue()
    const waiting = await world.gateway.db.query(sql`
      select from whatsapp_send_outbox where tenant_id = ${firm.id} and status in ('pending', 'running')`)
    expect(waiting).toEqual([])
  })

  test('backlog_too_old: what is ready is the operator’s, what is held up the tenant’s; a suspended one’s is nobody’s', async () => {
    const firm = await world.createFirm('Firm Late')
    await sendTo(firm, 2)
    const { db } = world.gateway
    await db.query(sql`
      update whatsapp_accounts set token_set_at = now() - interval '1 day' where tenant_id = ${firm.id}`)
    /** Due for so long, and nobody took a turn since. */
    const age = async (seconds: number) => {
      const ago = sql`select now() - make_interval(secs => ${seconds}) as at`
      const [row] = await db.query(ago)
      await db.query(sql`
        update whatsapp_send_outbox
        set due_at = ${row?.at}, next_run_at = ${row?.at}
        where tenant_id = ${firm.id}`)
      await db.query(sql`update send_tenants set next_at = ${row?.at} where tenant_id = ${firm.id}`)
    }
    const sends = async () =>
      (await find('backlog_too_old', null)).filter(({ subject }) => subject === 'sends')
    expect(await sends()).toEqual([])
    await age(270)
    expect(await sends()).toMatchObject([{ isLingering: true }])
    await age(4000)
    expect(await sends()).toMatchObject([{ count: 2, isLingering: false }])
    expect(await find('backlog_too_old', firm)).toEqual([])
    // It was held up, and goes on.
    await db.query(
      sql`update send_numbers set hold_until = now() - interval '1 s' where tenant_id = ${firm.id}`,
    )
    expect(await sends()).toEqual([])

    await db.query(
      sql`update send_numbers set hold_until = 'infinity' where tenant_id = ${firm.id}`,
    )
    expect(await sends()).toEqual([])
    expect(await find('backlog_too_old', firm)).toMatchObject([{ subject: 'held', count: 2 }])
    const path = `/api/admin/tenants/${firm.id}`
    const suspend = { key: operatorKey, body: { status: 'suspended' } }
    await world.gateway.call('PATCH', path, suspend)
    expect(await find('backlog_too_old', firm)).toEqual([])
    await db.query(sql`delete from whatsapp_send_outbox where tenant_id = ${firm.id}`)
  })
})

describe('of webhooks', () => {
  test('backlog_too_old: webhooks that nobody processes', async () => {
    await world.gateway.deliver({ object: 'whatsapp_business_account', entry: [] })
    world.clock.advance(301_000)
    expect(await find('backlog_too_old', null)).toMatchObject([
      { subject: 'webhooks', count: 1, isLingering: false },
    ])
    // One that fails again and again holds up nobody.
    await world.gateway.db.query(sql`
      update whatsapp_webhook_events set attempt = 8, next_run_at = now() + interval '4 minutes' where status = 'pending'`)
    expect(await find('backlog_too_old', null)).toEqual([])
    await world.gateway.db.query(
      sql`update whatsapp_webhook_events set next_run_at = now() where status = 'pending'`,
    )
    await world.gateway.drain()
    expect(await find('backlog_too_old', null)).toEqual([])
  })

  test('webhook_failure_spike: a few that could not be stored, or many that were rejected and a share of all', async () => {
    await count('webhook_failed', 4)
    expect(await find('webhook_failure_spike', null)).toMatchObject([{ isLingering: true }])
    await count('webhook_failed', 1)
    expect(await find('webhook_failure_spike', null)).toMatchObject([
      { count: 5, isLingering: false },
    ])
    world.clock.advance(6 * minute)
    expect(await find('webhook_failure_spike', null)).toEqual([])

    // Strangers at the door of a busy house.
    await count('webhook_ack', 1000)
    await count('webhook_rejected', 40)
    expect(await find('webhook_failure_spike', null)).toEqual([])
    await count('webhook_rejected', 80)
    expect(await find('webhook_failure_spike', null)).toMatchObject([{ isLingering: false }])
    world.clock.advance(6 * minute)
  })

  test('processing_failures: one item for good, or many attempts', async () => {
    const { db } = world.gateway
    await count('inbound_failed', 10)
    expect(await find('processing_failures', null)).toMatchObject([
      { count: 10, isLingering: false },
    ])
    world.clock.advance(6 * minute)
    expect(await find('processing_failures', null)).toEqual([])

    await db.query(sql`
      insert into dead_letters (id, kind, event_id, error_code, error_message, raw, created_at)
      values (gen_random_uuid(), 'inbound', gen_random_uuid(), 'X', 'x', '', ${world.clock.now()})`)
    expect(await find('processing_failures', null)).toMatchObject([
      { count: 1, isLingering: false },
    ])
    await db.query(sql`delete from dead_letters where error_code = 'X'`)
    expect(await find('processing_failures', null)).toEqual([])
  })
})

describe('of accounts', () => {
  async function say(firm: Firm, field: string, value: Record<string, unknown>): Promise<void> {
    world.clock.advance(1000)
    const time = Math.floor(world.clock.now().getTime() / 1000)
    await world.gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [{ id: firm.wabaId, time, changes: [{ field, value }] }],
    })
    await world.gateway.drain()
  }
  const restricted = (firm: Firm) => find('account_restricted', firm)

  test('account_restricted: by what Meta says of it', async () => {
    const firm = await world.createFirm('Firm Red')
    await say(firm, 'phone_number_quality_update', { event: 'FLAGGED', current_limit: 'TIER_2K' })
    expect((await restricted(firm))[0]?.summary).toContain('rated RED')
    await say(firm, 'phone_number_quality_update', { event: 'UNFLAGGED', current_limit: 'TIER_2K' })
    expect(await restricted(firm)).toEqual([])

    await say(firm, 'account_update', {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'DISABLE' },
    })
    expect((await restricted(firm))[0]?.summary).toContain('banned')
    await say(firm, 'account_update', {
      event: 'DISABLED_UPDATE',
      ban_info: { waba_ban_state: 'REINSTATE' },
    })
    expect(await restricted(firm)).toEqual([])

    const expiration = Math.floor(world.clock.now().getTime() / 1000) + 7200
    await say(firm, 'account_update', {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration }],
    })
    expect((await restricted(firm))[0]?.summary).toContain('not write first')
    world.clock.advance(2 * hour)
    expect(await restricted(firm)).toEqual([])
  })

  test('account_restricted: by what it answers, at once and in a status', async () => {
    const [firm, other] = [
      await world.createFirm('Firm Locked'),
      await world.createFirm('Firm Unpaid'),
    ]
    refuse(firm, 131031)
    await sendTo(firm, 1)
    await world.gateway.sendDue()
    expect(await restricted(firm)).toMatchObject([{ subject: firm.phoneNumberId, count: 1 }])
    world.fault({ fault: 'fail', code: 131042, match: { phone_number_id: other.phoneNumberId } })
    await sendTo(other, 1)
    await world.gateway.sendDue()
    await world.hearMeta()
    expect(await restricted(other)).toMatchObject([{ subject: other.phoneNumberId, count: 1 }])

    world.clock.advance(hour + 11 * minute)
    expect([...(await restricted(firm)), ...(await restricted(other))]).toEqual([])
    world.simulator.clearFaults()
  })

  test('token_expiring: within the days of warning; not where it is dead already', async () => {
    const firm = await world.createFirm('Firm Ending')
    const set = (days: number, status: string) =>
      world.gateway.db.query(sql`
        update whatsapp_accounts
        set token_expires_at = ${new Date(world.clock.now().getTime() + days * 24 * hour)}, auth_status = ${status}
        where tenant_id = ${firm.id}`)
    await set(8, 'ok')
    expect(await find('token_expiring', firm)).toEqual([])
    await set(3, 'ok')
    expect(await find('token_expiring', firm)).toMatchObject([
      { count: 3, subject: firm.phoneNumberId },
    ])
    await set(3, 'needs_reauth')
    expect(await find('token_expiring', firm)).toEqual([])
    expect(await find('reauth_needed', firm)).toHaveLength(1)
  })

  test('number_claimed_twice: told to both, of whom neither learns who the other is', async () => {
    const names = [
      'Firm that owns the number',
      'Firm by hand alone',
      'Firm by embedded signup',
    ] as const
    const owner = await world.gateway.createTenant(names[0])
    const meta = createMetaAccount(world)
    await signUp(world, owner, meta)
    const byHand = await world.gateway.createTenant(names[1])
    const bySignup = await world.gateway.createTenant(names[2])
    const connect = (tenant: { id: string }) =>
      world.gateway.call('POST', `/api/admin/tenants/${tenant.id}/accounts`, {
        key: operatorKey,
        body: {
          waba_id: meta.wabaId,
          phone_number_id: meta.phoneNumberId,
          display_phone_number: '+1 555-0100',
          access_token: 'a-token',
        },
      })
    const claimed = (tenant: { id: string }) => find('number_claimed_twice', tenant)

    // One's own number is nobody else's claim.
    expect((await connect(owner)).status).toBe(409)
    expect(await claimed(owner)).toEqual([])
    expect((await connect(byHand)).status).toBe(409)
    expect(await claimed(owner)).toMatchObject([{ subject: meta.phoneNumberId, count: 1 }])
    expect((await signUp(world, bySignup, meta)).status).toBe(409)
    const found = [await claimed(owner), await claimed(byHand), await claimed(bySignup)].flat()
    expect(found.map(({ count }) => count)).toEqual([2, 1, 1])
    const told = found.map(({ summary }) => summary).join(' ')
    for (const { id } of [owner, byHand, bySignup]) expectNone(told, id)
    expectNone(told, ...names)

    world.clock.advance(24 * hour)
    expect(await claimed(owner)).toEqual([])
  })

  test('event_endpoint_disabled: until somebody does something about it', async () => {
    const firm = await world.createFirm('Firm Gone')
    const { gateway } = world
    const path = '/api/whatsapp/event-endpoints'
    const body = { url: 'http://127.0.0.1:9/', events: ['*'] }
    const { json } = await gateway.call('POST', path, { key: firm.key, body })
    await gateway.db.query(sql`
      update event_endpoints
      set status = 'disabled', disabled_reason = 'GONE', disabled_at = now()
      where tenant_id = ${firm.id}`)
    expect(await find('event_endpoint_disabled', firm)).toMatchObject([
      { subject: json.id, count: 1 },
    ])
    const active = { key: firm.key, body: { status: 'active' } }
    await gateway.call('PATCH', `${path}/${json.id}`, active)
    expect(await find('event_endpoint_disabled', firm)).toEqual([])
  })
})
