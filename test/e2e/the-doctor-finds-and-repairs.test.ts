// The doctor: from the token to the last inbound message, each in a sentence; and one call that repairs what can be.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { operatorKey } from '../support/gateway.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'
import {
  auditOf,
  createMetaAccount,
  expectNoPin,
  type MetaAccount,
  signUp,
} from '../support/signup.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

interface Connected extends Firm, MetaAccount {
  accountId: string
}

async function connect(more: Parameters<typeof signUp>[3] = {}): Promise<Connected> {
  const tenant = await world.gateway.createTenant('Firm')
  const meta = createMetaAccount(world)
  const { json } = await signUp(world, tenant, meta, more)
  const token = world.simulator
    .tokens()
    .find(({ grants }) => grants.some(({ target_ids }) => target_ids?.includes(meta.wabaId)))
  return { ...tenant, ...meta, accountId: json.id, accessToken: token?.access_token ?? '' }
}

type Check = { name: string; status: string; message: string; fix: string | null }

async function examine({ accountId, key }: Connected) {
  const path = `/api/whatsapp/accounts/${accountId}/doctor`
  return (await world.gateway.call('GET', path, { key })).json
}

async function repair({ accountId, key }: Connected) {
  const path = `/api/whatsapp/accounts/${accountId}/doctor/repair`
  return (await world.gateway.call('POST', path, { key })).json
}

/** By name. */
async function statesOf(firm: Connected): Promise<Record<string, string>> {
  const { checks } = await examine(firm)
  return Object.fromEntries(checks.map((check: Check) => [check.name, check.status]))
}

const well = {
  credentials: 'ok',
  scopes: 'ok',
  subscription: 'ok',
  callback: 'ok',
  registration: 'ok',
  standing: 'ok',
  quality: 'ok',
  limit: 'ok',
  throughput: 'ok',
  last_inbound: 'warning',
}

const asFirm = (firm: Connected, method: string, path: string, body?: unknown) =>
  fetch(`${world.simulator.url}/v26.0/${path}`, {
    method,
    headers: {
      authorization: `Bearer ${firm.accessToken}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })

test('a number that is well: every check in order, with what is so and nothing to do', async () => {
  const firm = await connect()

  expect(await statesOf(firm)).toEqual(well)
  await world.customerOf(firm)
  const report = await examine(firm)
  expect(report).toMatchObject({
    account_id: firm.accountId,
    phone_number_id: firm.phoneNumberId,
    status: 'ok',
  })
  expect(report.checks.map((check: Check) => check.name)).toEqual(Object.keys(well))
  for (const check of report.checks) {
    expect(check.message).toMatch(/\.$/)
    expect(check.fix).toBeNull()
  }
})

describe('found at Meta and repaired by one call:', () => {
  test('an app that was unsubscribed: what comes in comes again', async () => {
    const firm = await connect()
    await asFirm(firm, 'DELETE', `${firm.wabaId}/subscribed_apps`)
    const write = (from: string) =>
      world.simulator.customerWrites(from, {
        phone_number_id: firm.phoneNumberId,
        type: 'text',
        text: { body: 'hello' },
      })
    const conversations = async () =>
      (await world.gateway.call('GET', '/api/whatsapp/conversations', { key: firm.key })).json.data
    write('16505550191')
    await world.hearMeta()
    expect(await conversations()).toHaveLength(0)
    expect(await statesOf(firm)).toEqual({ ...well, subscription: 'failed' })

    const { actions, doctor } = await repair(firm)

    expect(actions).toMatchObject([{ name: 'subscribe', status: 'done' }])
    expect(doctor.status).toBe('warning')
    expect(await statesOf(firm)).toEqual(well)
    write('16505550192')
    await world.hearMeta()
    expect(await conversations()).toHaveLength(1)
    expect((await auditOf(world.gateway, firm.id)).at(-1)).toMatchObject({
      action: 'account.repaired',
      subject: firm.accountId,
      details: { actions: ['subscribe done'] },
    })
  })

  test('a number that was deregistered: what waits goes out', async () => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    await asFirm(firm, 'POST', `${firm.phoneNumberId}/deregister`)
    const dead = await world.send(firm, customer)
    const waiting = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect(await world.read(firm, dead)).toMatchObject({ error: { provider: { code: 133010 } } })
    expect((await world.read(firm, waiting)).status).toBe('queued')
    expect(await statesOf(firm)).toMatchObject({ registration: 'failed', subscription: 'ok' })

    const { actions, doctor } = await repair(firm)

    expect(actions).toMatchObject([{ name: 'register', status: 'done' }])
    expect(doctor.status).toBe('ok')
    await world.gateway.sendDue()
    expect((await world.read(firm, waiting)).status).toBe('sent')
  })

  test('both at once', async () => {
    const firm = await connect()
    await asFirm(firm, 'DELETE', `${firm.wabaId}/subscribed_apps`)
    await asFirm(firm, 'POST', `${firm.phoneNumberId}/deregister`)

    await repair(firm)

    expect(await statesOf(firm)).toEqual(well)
  })

  test('messages that were sent elsewhere, by account or by number', async () => {
    const firm = await connect()
    const elsewhere = {
      override_callback_uri: 'https://elsewhere.example/hook',
      verify_token: 'theirs',
    }
    const account = world.simulator.accounts().find(({ waba_id }) => waba_id === firm.wabaId)
    account?.subscriptions.set('990000000000001', elsewhere)
    world.simulator.numberProfile(firm.phoneNumberId).override = elsewhere
    const { checks } = await examine(firm)
    expect(checks.find((check: Check) => check.name === 'callback')).toMatchObject({
      status: 'failed',
      message: 'Messages go to elsewhere.example instead of this gateway.',
    })

    const { actions } = await repair(firm)

    expect(actions).toMatchObject([
      { name: 'subscribe', status: 'done' },
      { name: 'clear_callback', status: 'done' },
    ])
    expect(await statesOf(firm)).toEqual(well)
  })
})

test('a number with a PIN of its own is registered with the PIN that is given, which is kept sealed', async () => {
  const firm = await connect()
  world.simulator.changeNumber(firm.phoneNumberId, {
    registered: false,
    status: 'DISCONNECTED',
    pin: '424242',
  })
  const { actions } = await repair(firm)
  expect(actions).toMatchObject([{ name: 'register', status: 'failed' }])
  expect(actions[0].message).toContain('doctor/register')

  const path = `/api/whatsapp/accounts/${firm.accountId}/doctor/register`
  const answer = await world.gateway.call('POST', path, { key: firm.key, body: { pin: '424242' } })

  expect(answer.json.actions).toMatchObject([{ name: 'register', status: 'done' }])
  world.simulator.changeNumber(firm.phoneNumberId, { registered: false, status: 'DISCONNECTED' })
  expect((await repair(firm)).actions).toMatchObject([{ name: 'register', status: 'done' }])
  expectNoPin(world.gateway.logText(), '424242')
})

describe('found, and told what a person must do:', () => {
  test('a dead token; the account says so from then on', async () => {
    const firm = await connect()
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'revoked' })

    const { status, checks } = await examine(firm)

    expect(status).toBe('failed')
    expect(checks[0]).toMatchObject({ name: 'credentials', status: 'failed' })
    expect(checks[0].fix).toContain('/api/integrations/meta/whatsapp/reconnect')
    expect(checks[2]).toMatchObject({ name: 'subscription', status: 'warning' })
    const accounts = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })
    expect(accounts.json.data[0].auth_status).toBe('needs_reauth')
    expect((await repair(firm)).actions).toEqual([])
  })

  test('a token that ends soon', async () => {
    const firm = await connect({ token_expires_in: 2 * 24 * 60 * 60 })
    expect(await statesOf(firm)).toEqual({ ...well, credentials: 'warning' })
  })

  test.each([
    ['whatsapp_business_messaging', 'warning'],
    ['whatsapp_business_management', 'failed'],
  ] as const)('only the permission %s', async (scope, status) => {
    const firm = await connect()
    world.simulator.changeToken({
      access_token: firm.accessToken,
      granular_scopes: [{ scope, target_ids: [firm.wabaId] }],
    })
    expect((await statesOf(firm)).scopes).toBe(status)
  })

  test.each([
    ['quality', { quality_rating: 'YELLOW' }],
    ['quality', { quality_rating: 'RED' }],
  ] as const)('%s %j', async (name, change) => {
    const firm = await connect()
    world.simulator.changeNumber(firm.phoneNumberId, change)
    expect(await statesOf(firm)).toEqual({ ...well, [name]: 'warning' })
  })

  test('an account that Meta blocks', async () => {
    const firm = await connect()
    world.simulator.changeAccount(firm.wabaId, { standing: 'locked' })
    expect((await statesOf(firm)).standing).toBe('failed')
  })

  test('a Meta that does not answer is not the account’s fault', async () => {
    const firm = await connect()
    world.fault({ fault: 'outage' })
    const states = await statesOf(firm)
    world.simulator.clearFaults()

    expect(new Set(Object.values(states))).toEqual(new Set(['warning']))
  })

  test('a token that no key opens', async () => {
    const firm = await connect()
    await world.gateway.db.query(sql`
      update whatsapp_accounts set access_token = 'v1.lost.AAAA' where tenant_id = ${firm.id}`)

    const { checks } = await examine(firm)
    expect(checks[0]).toMatchObject({ name: 'credentials', status: 'failed' })
    expect(checks[0].fix).toContain('ENCRYPTION_KEYS')
  })

  test('a token of another app', async () => {
    const tenant = await world.createFirm('By hand')
    await world.gateway.db.query(sql`
      update whatsapp_accounts set app_id = '4242' where tenant_id = ${tenant.id}`)
    const accounts = await world.gateway.call('GET', '/api/whatsapp/accounts', { key: tenant.key })
    const path = `/api/whatsapp/accounts/${accounts.json.data[0].id}/doctor`

    const { json } = await world.gateway.call('GET', path, { key: tenant.key })
    expect(json.checks[0]).toMatchObject({ name: 'credentials', status: 'warning' })
  })
})

test('what the doctor sees is shown on the account', async () => {
  const firm = await connect()
  world.simulator.changeNumber(firm.phoneNumberId, { throughput: 'HIGH', quality_rating: 'YELLOW' })
  await examine(firm)

  const { json } = await world.gateway.call('GET', `/api/admin/tenants/${firm.id}/accounts`, {
    key: operatorKey,
  })
  expect(json.data[0]).toMatchObject({
    throughput_level: 'high',
    standing: { quality: { rating: 'YELLOW' } },
  })
})
