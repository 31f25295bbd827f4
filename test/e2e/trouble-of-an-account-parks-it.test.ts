// A token that Meta no longer takes, an account in trouble, a suspended tenant: what waits for them waits in its order,
// and everybody else goes on.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { accountHoldMs } from '../../src/outbox/decide.ts'
import { releaseAccount } from '../../src/outbox/release.ts'
import { expectNone } from '../support/canaries.ts'
import { operatorKey } from '../support/gateway.ts'
import { type Firm, type Sending, sendRowOf, startSending } from '../support/sending.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

/** Numbered, so that the ledger can tell their order. */
async function sendMany(firm: Firm, customers: string[]): Promise<string[]> {
  const ids: string[] = []
  for (const [index, customer] of customers.entries()) {
    ids.push(await world.send(firm, customer, { text: { body: `message ${index}` } }))
  }
  return ids
}

const postsOf = ({ phoneNumberId }: Firm) => world.simulator.ledger(phoneNumberId).requests.length

async function expectAllSentInOrder(firm: Firm, ids: string[]): Promise<void> {
  for (const id of ids) expect((await world.read(firm, id)).status).toBe('sent')
  const orders = world.simulator
    .orderPerRecipient('text.body')
    .filter((order) => order.phone_number_id === firm.phoneNumberId)
  expect(orders.flatMap((order) => order.accepted)).toHaveLength(ids.length)
  for (const order of orders) expect(order.violations).toEqual([])
}

const accountOf = async ({ key, phoneNumberId }: Firm) =>
  (await world.gateway.call('GET', '/api/whatsapp/accounts', { key })).json.data.find(
    (account: { phone_number_id: string }) => account.phone_number_id === phoneNumberId,
  )

const release = ({ id, phoneNumberId }: Firm) =>
  world.gateway.runtime.db.work.transaction((tx) =>
    releaseAccount(tx, id, phoneNumberId, world.clock.now()),
  )

const linesOf = (event: string, { id }: Firm) =>
  world.gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"${event}"`) && line.includes(id))

describe('an answer that the token is no good', () => {
  const answers = [
    ['401 with 190', { code: 190, http_status: 401 }],
    ['400 with 190', { code: 190, http_status: 400 }],
    ['403 with 10', { code: 10, http_status: 403 }],
    ['403 with 200', { code: 200, http_status: 403 }],
    ['403 with 131005', { code: 131005, http_status: 403 }],
    ['401 without a code', { http_status: 401, body: 'empty' as const }],
  ] as const

  test('and whose account is then disconnected: what was parked ends, instead of waiting for nobody', async () => {
    const firm = await world.createFirm('Firm Gone')
    const customer = await world.customerOf(firm)
    world.fault({
      fault: 'error',
      code: 190,
      http_status: 401,
      match: { phone_number_id: firm.phoneNumberId },
    })
    const ids = await sendMany(firm, [customer, customer])
    await world.gateway.sendDue()
    for (const id of ids) expect((await world.read(firm, id)).status).toBe('queued')

    const path = `/api/admin/tenants/${firm.id}/accounts/${(await accountOf(firm)).id}`
    expect((await world.gateway.call('DELETE', path, { key: operatorKey })).status).toBe(204)
    await world.gateway.sendDue()

    for (const id of ids) {
      expect(await world.read(firm, id)).toMatchObject({
        status: 'failed',
        error: { code: 'ACCOUNT_NOT_FOUND' },
      })
    }
  })

  test.each(answers)('%s parks the account; reconnected, it drains in order', async (_, answer) => {
    const firm = await world.createFirm('Firm A')
    const [ann, bob] = [await world.customerOf(firm), await world.customerOf(firm)]
    world.fault({ fault: 'error', ...answer, match: { phone_number_id: firm.phoneNumberId } })
    const ids = await sendMany(firm, [ann, ann, bob, ann, bob])
    await world.gateway.sendDue()

    // What was under way when the first answer came, and nothing after it.
    const asked = postsOf(firm)
    expect(asked).toBeLessThanOrEqual(2)
    await world.sendWhatWaits()
    expect(postsOf(firm)).toBe(asked)

    expect(await accountOf(firm)).toMatchObject({
      auth_status: 'needs_reauth',
      auth_last_error: expect.stringMatching(/./),
    })
    expect(linesOf('reauth_required', firm)).toHaveLength(1)
    for (const id of ids) {
      expect((await world.read(firm, id)).status).toBe('queued')
      expect(await sendRowOf(world.gateway.db, id)).toMatchObject({
        status: 'pending',
        attempts: 0,
      })
    }

    world.simulator.clearFaults()
    await release(firm)
    await world.gateway.sendDue()
    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok', auth_last_error: null })
    await expectAllSentInOrder(firm, ids)
  })

  test('new sends are refused meanwhile, and told where to reconnect', async () => {
    const firm = await world.createFirm('Firm B')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'token', match: { phone_number_id: firm.phoneNumberId } })
    await world.send(firm, customer)
    await world.gateway.sendDue()

    const refused = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: customer, type: 'text', text: { body: 'Good morning' } },
    })
    expect(refused.status).toBe(409)
    const { id } = await accountOf(firm)
    expect(refused.json.error).toMatchObject({
      code: 'WHATSAPP_REAUTH_REQUIRED',
      details: { reconnect_url: `${world.gateway.url}/console/accounts/${id}` },
    })
  })

  test('another number of the same tenant goes on', async () => {
    const firm = await world.createFirm('Firm C')
    const second = await world.addNumber(firm)
    const customer = await world.customerOf(firm)
    const other = await world.customerOf(second)
    world.fault({ fault: 'token', match: { phone_number_id: firm.phoneNumberId } })
    await world.send(firm, customer)
    await world.gateway.sendDue()
    const id = await world.send(second, other)
    await world.gateway.sendDue()

    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('the token is nowhere, though Meta repeats it in its answer', async () => {
    const firm = await world.createFirm('Firm D')
    const customer = await world.customerOf(firm)
    const title = `Malformed access token ${firm.accessToken}`
    const match = { phone_number_id: firm.phoneNumberId }
    world.fault({ fault: 'error', code: 190, http_status: 401, title, match })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()

    const { auth_last_error } = await accountOf(firm)
    expect(auth_last_error).toContain('Malformed access token')
    const attempts = await world.gateway.db.query(sql<{ error_message: string }>`
      select error_message from send_attempts where tenant_id = ${firm.id}`)
    const seen = [
      auth_last_error,
      JSON.stringify(attempts),
      JSON.stringify(await world.read(firm, id)),
      world.gateway.logText(),
    ]
    for (const text of seen) expectNone(text, firm.accessToken)
  })

  test('the same in a status: parked, and this one is dead', async () => {
    const firm = await world.createFirm('Firm E')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'fail', code: 190, match: { phone_number_id: firm.phoneNumberId } })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'needs_reauth' })
    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      error: { code: 'TOKEN_INVALID' },
    })
  })
})

describe('an answer that the account is in trouble', () => {
  test.each([368, 131031, 131042, 131045, 133010])(
    '%i: this one dies, the number waits',
    async (code) => {
      const firm = await world.createFirm('Firm F')
      const second = await world.addNumber(firm)
      const [ann, bob] = [await world.customerOf(firm), await world.customerOf(second)]
      const match = { phone_number_id: firm.phoneNumberId }
      world.fault({ fault: 'error', code, match, count: 1 })
      const [dead = '', ...waiting] = await sendMany(firm, [ann, ann, ann])
      await world.gateway.sendDue()
      await world.gateway.sendDue()

      expect(await world.read(firm, dead)).toMatchObject({
        status: 'failed',
        attempts: 1,
        error: { provider: { code } },
      })
      expect(postsOf(firm)).toBe(1)
      expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok' })
      const [held] = await world.gateway.db.query(sql<{ until: Date }>`
      select hold_until as until from send_numbers
      where tenant_id = ${firm.id} and phone_number_id = ${firm.phoneNumberId}`)
      expect(held?.until.getTime()).toBe(world.clock.now().getTime() + accountHoldMs)

      const elsewhere = await world.send(second, bob)
      // Whoever goes on sending is accepted, and waits too.
      waiting.push(await world.send(firm, ann, { text: { body: 'message 9' } }))
      await world.gateway.sendDue()
      expect((await world.read(firm, elsewhere)).status).toBe('sent')
      expect(postsOf(firm)).toBe(1)

      await release(firm)
      await world.gateway.sendDue()
      await expectAllSentInOrder(firm, waiting)
    },
  )
})

describe('a suspended tenant', () => {
  test('waits in its order; new sends are refused; active again, it drains', async () => {
    const firm = await world.createFirm('Firm G')
    const [ann, bob] = [await world.customerOf(firm), await world.customerOf(firm)]
    const ids = await sendMany(firm, [ann, bob, ann, ann])
    const change = (status: string) =>
      world.gateway.call('PATCH', `/api/admin/tenants/${firm.id}`, {
        key: operatorKey,
        body: { status },
      })

    await change('suspended')
    await world.sendWhatWaits()
    expect(postsOf(firm)).toBe(0)
    const refused = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: ann, type: 'text', text: { body: 'Good morning' } },
    })
    expect(refused.status).toBe(403)
    expect(refused.json.error.code).toBe('TENANT_SUSPENDED')

    await change('active')
    await world.gateway.sendDue()
    await expectAllSentInOrder(firm, ids)
  })
})
