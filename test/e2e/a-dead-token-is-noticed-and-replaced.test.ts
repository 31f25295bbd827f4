// The life of a token: ok → needs_reauth → ok. Noticed by a send and by asking Meta now and then; what waits
// meanwhile goes out in its order once a person has signed in again, and what comes in never stops.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTokenWatch } from '../../src/accounts/watch-tokens.ts'
import { accountKeeping } from '../../src/gateway.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { operatorKey, type TestTenant } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'
import {
  accountsOf,
  callback,
  codeFor,
  createMetaAccount,
  type MetaAccount,
  reconnect,
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
  const tenant: TestTenant = await world.gateway.createTenant('Firm')
  const meta = createMetaAccount(world)
  const { json } = await signUp(world, tenant, meta, more)
  return { ...tenant, ...meta, accountId: json.id, accessToken: tokenOf(meta) }
}

/** The newest that Meta gave out for the account. */
function tokenOf({ wabaId }: MetaAccount): string {
  const tokens = world.simulator
    .tokens()
    .filter(({ grants }) => grants.some(({ target_ids }) => target_ids?.includes(wabaId)))
  return tokens.at(-1)?.access_token ?? ''
}

const accountOf = async (firm: Connected) => (await accountsOf(world.gateway, firm))[0]

async function signInAgain(firm: Connected) {
  const { state } = await reconnect(world, firm, firm.accountId)
  return callback(world, { state, code: codeFor(world, firm) })
}

function watch() {
  const keeping = accountKeeping(world.gateway.runtime)
  const { app } = keeping
  if (!app) throw new Error('no app')
  return createTokenWatch({ ...keeping, app })
}

/** Lets everything come due, and asks. */
function askMeta(): Promise<number> {
  world.clock.advance(360 * 60 * 1000)
  return watch().runOnce()
}

const linesOf = (event: string, { id }: Connected) =>
  world.gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(id))

describe('a token that is revoked in the middle of a burst', () => {
  test('costs at most the calls under way; all is delivered in order after a reconnect, none twice', async () => {
    const firm = await connect()
    const customers = []
    for (let count = 0; count < 4; count++) customers.push(await world.customerOf(firm))
    const ids: string[] = []
    for (let count = 0; count < 24; count++) {
      const to = customers[count % customers.length] ?? ''
      ids.push(await world.send(firm, to, { text: { body: `message ${count}` } }))
    }
    const posts = () => world.simulator.ledger(firm.phoneNumberId).requests
    const isRefused = ({ status }: { status: number | null }) => status === 401
    // Meta takes eight, and then nothing more from this token.
    world.fault({ fault: 'token', match: { phone_number_id: firm.phoneNumberId }, skip: 8 })

    await world.gateway.sendDue()
    await world.sendWhatWaits()

    expect(posts().filter(isRefused).length).toBeLessThanOrEqual(2)
    expect(await accountOf(firm)).toMatchObject({ auth_status: 'needs_reauth' })
    expect(linesOf('reauth_required', firm)).toHaveLength(1)
    const states = await Promise.all(ids.map((id) => world.read(firm, id)))
    expect(states.filter(({ status }) => status === 'failed')).toEqual([])
    expect(states.filter(({ status }) => status === 'queued').length).toBe(16)
    // What comes in goes on.
    const stranger = await world.customerOf(firm)
    const heard = await world.gateway.call('GET', `/api/whatsapp/conversations?q=${stranger}`, {
      key: firm.key,
    })
    expect(heard.json.data).toHaveLength(1)

    world.simulator.clearFaults()
    expect((await signInAgain(firm)).json).toMatchObject({
      auth_status: 'ok',
      auth_last_error: null,
    })
    await world.gateway.sendDue()
    await world.hearMeta()

    for (const id of ids) expect((await world.read(firm, id)).status).toBe('read')
    const orders = world.simulator
      .orderPerRecipient('text.body')
      .filter((order) => order.phone_number_id === firm.phoneNumberId)
    expect(orders.flatMap((order) => order.accepted)).toHaveLength(24)
    for (const order of orders) expect(order.violations).toEqual([])
  })

  test('an answer about the old token that comes after the reconnect changes nothing', async () => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'revoked' })
    // The answer is on its way for as long as it takes to sign in again.
    world.simulator.hold({
      match: { phone_number_id: firm.phoneNumberId, endpoint: 'messages' },
      count: 1,
    })
    const sending = world.gateway.sendDue()
    await until('Meta has the call', () => world.postsTo(customer).length === 1)
    expect((await signInAgain(firm)).status).toBe(200)
    world.simulator.letGo()
    await sending
    await world.gateway.sendDue()

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok' })
    expect((await world.read(firm, id)).status).toBe('sent')
  })
})

test('one sign-in mends every number of the business account that waits', async () => {
  const firm = await connect()
  const second = createMetaAccount(world, { wabaId: firm.wabaId })
  await signUp(world, firm, second)
  for (const { access_token } of world.simulator.tokens()) {
    if (access_token === firm.accessToken || access_token === tokenOf(firm)) {
      world.simulator.changeToken({ access_token, state: 'revoked' })
    }
  }
  await askMeta()
  const states = async () =>
    (await accountsOf(world.gateway, firm)).map((one: { auth_status: string }) => one.auth_status)
  expect(await states()).toEqual(['needs_reauth', 'needs_reauth'])

  await signInAgain(firm)

  expect(await states()).toEqual(['ok', 'ok'])
})

describe('Meta is asked about tokens now and then', () => {
  // Nothing of the other tests is due then.
  beforeEach(() => askMeta())

  test('a dead one shows before a message needs it, is told once, and new sends are refused', async () => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'password_changed' })

    await askMeta()
    await askMeta()

    expect(await accountOf(firm)).toMatchObject({
      auth_status: 'needs_reauth',
      auth_last_error: expect.stringContaining('password'),
      templates_auth_status: 'needs_reauth',
    })
    expect(linesOf('reauth_required', firm)).toHaveLength(1)
    const refused = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: customer, type: 'text', text: { body: 'Good morning' } },
    })
    expect(refused.json.error.code).toBe('WHATSAPP_REAUTH_REQUIRED')
    expect(world.postsTo(customer)).toHaveLength(0)
  })

  test('what was parked goes out when the same token works again', async () => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    world.simulator.changeToken({ access_token: firm.accessToken, state: 'revoked' })
    await world.gateway.sendDue()
    expect(await accountOf(firm)).toMatchObject({ auth_status: 'needs_reauth' })

    world.simulator.changeToken({ access_token: firm.accessToken, state: 'valid' })
    await askMeta()
    await world.gateway.sendDue()

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok', auth_last_error: null })
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('a lost permission for templates stops no message, and the other way round', async () => {
    const [both, firm] = [await connect(), await connect()]
    const only = (
      scope: 'whatsapp_business_messaging' | 'whatsapp_business_management',
      of: Connected,
    ) =>
      world.simulator.changeToken({
        access_token: of.accessToken,
        granular_scopes: [{ scope, target_ids: [of.wabaId] }],
      })
    only('whatsapp_business_messaging', firm)
    only('whatsapp_business_management', both)

    await askMeta()

    expect(await accountOf(firm)).toMatchObject({
      auth_status: 'ok',
      templates_auth_status: 'needs_reauth',
      templates_auth_last_error: expect.stringContaining('whatsapp_business_management'),
    })
    expect(await accountOf(both)).toMatchObject({
      auth_status: 'needs_reauth',
      auth_last_error: expect.stringContaining('whatsapp_business_messaging'),
      templates_auth_status: 'ok',
    })
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('the end of a token is warned about days ahead: log, metric, account', async () => {
    // By the simulator's clock, which is the real one; the gateway's is far ahead of it by now.
    const daysAhead = (world.clock.now().getTime() - systemClock.now().getTime()) / 86_400_000
    const far = await connect({ token_expires_in: Math.round((daysAhead + 30) * 86_400) })
    const near = await connect({ token_expires_in: Math.round((daysAhead + 3) * 86_400) })
    await askMeta()

    expect(await accountOf(far)).toMatchObject({ token_expires_soon: false })
    expect(await accountOf(near)).toMatchObject({ auth_status: 'ok', token_expires_soon: true })
    expect(linesOf('token_expiring', far)).toEqual([])
    expect(linesOf('token_expiring', near).length).toBeGreaterThan(0)
    const metrics = await world.gateway.call('GET', '/metrics', { key: operatorKey })
    expect(metrics.text).toMatch(/estafet_accounts\{state="expiring"\} 1/)
  })

  test('when Meta cannot be asked, or not with this app, nothing changes', async () => {
    const firm = await connect()
    for (const fault of [
      { fault: 'error', code: 190, http_status: 401 },
      { fault: 'error', code: 131000, http_status: 500 },
      { fault: 'reset' },
    ] as const) {
      world.fault({ ...fault, match: { endpoint: 'debug_token' } })
      await askMeta()
      world.simulator.clearFaults()
    }

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok' })
  })

  test('two processes ask about each once', async () => {
    await connect()
    await connect()
    world.clock.advance(360 * 60 * 1000)
    const asked = () =>
      world.simulator.ledger().requests.filter(({ endpoint }) => endpoint === 'debug_token').length
    const before = asked()

    const counts = await Promise.all([watch().runOnce(), watch().runOnce(), watch().runOnce()])

    const total = counts.reduce((sum, count) => sum + count, 0)
    expect(asked() - before).toBe(total)
    expect(await watch().runOnce()).toBe(0)
  })
})
