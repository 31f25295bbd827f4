// What Meta reports after it accepted a message: told in the log and counted, once, whichever way it came. And what it says
// of a token that is not the account's any more says nothing of the account.
import { beforeAll, describe, expect, test } from 'vitest'
import { tokenOwner } from '../../src/accounts/vault.ts'
import { sql } from '../../src/db/connect.ts'
import { releaseAccount } from '../../src/outbox/release.ts'
import { operatorKey } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, sendRowOf, startSending } from '../support/sending.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

const linesOf = (event: string, { id }: Firm) =>
  world.gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"${event}"`) && line.includes(id))
    .map((line) => JSON.parse(line))

const deadCount = async () => {
  const { text } = await world.gateway.call('GET', '/metrics', { key: operatorKey })
  return Number(/^estafet_dead_letters_total\{kind="outbound"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

const accountOf = async ({ key }: Firm) =>
  (await world.gateway.call('GET', '/api/whatsapp/accounts', { key })).json.data[0]

const isHeld = async ({ id }: Firm) => {
  const [row] = await world.gateway.db.query(sql<{ held: boolean }>`
    select hold_until > now() as held from send_numbers where tenant_id = ${id}`)
  return row?.held
}

/** The account gets another token, which is good at Meta. */
async function reconnect(firm: Firm): Promise<void> {
  const { db, vault } = world.gateway.runtime
  await db.work.transaction(async (tx) => {
    const [account] = await tx.query(sql<{ id: string }>`
      select id from whatsapp_accounts where tenant_id = ${firm.id}`)
    const sealed = vault.seal(firm.accessToken, tokenOwner(firm.id, account?.id ?? ''))
    await tx.query(sql`
      update whatsapp_accounts set access_token = ${sealed} where tenant_id = ${firm.id}`)
    await releaseAccount(tx, firm.id, firm.phoneNumberId, world.clock.now())
  })
}

describe('a failure that Meta reports later', () => {
  test('is logged and counted as a dead letter, once, however often it comes', async () => {
    const firm = await world.createFirm('Firm A')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'fail', code: 131026, match: { recipient: customer } })
    world.fault({ fault: 'duplicate', times: 2, match: { kind: 'status' } })
    const before = await deadCount()
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()
    world.simulator.clearFaults()

    expect(linesOf('dead_lettered', firm)).toEqual([
      expect.objectContaining({
        level: 'error',
        direction: 'outbound',
        kind: 'outbound',
        message_id: id,
        error_code: 'UNDELIVERABLE',
        provider_code: 131026,
        phone_number_id: firm.phoneNumberId,
        dead_letter_id: expect.stringMatching(/^dlq_/),
        wamid: expect.stringMatching(/^h_/),
      }),
    ])
    expect((await deadCount()) - before).toBe(1)
  })

  test('the same when it came before the answer to the send', async () => {
    const firm = await world.createFirm('Firm B')
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ when: 'after_accepting', match })
    world.fault({ fault: 'fail', code: 131026, match })
    const before = await deadCount()
    await world.send(firm, customer)
    const sending = world.gateway.sendDue()
    await until('Meta has it', () => world.acceptedFor(customer).length > 0)
    await world.hearMeta()
    world.simulator.letGo()
    await sending

    expect(linesOf('dead_lettered', firm)).toHaveLength(1)
    expect((await deadCount()) - before).toBe(1)
  })

  test('about the token: that the account needs reauth is told once', async () => {
    const firm = await world.createFirm('Firm C')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'fail', code: 190, match: { recipient: customer } })
    await world.send(firm, customer)
    await world.gateway.sendDue()
    await world.hearMeta()

    expect((await accountOf(firm)).auth_status).toBe('needs_reauth')
    expect(linesOf('reauth_required', firm)).toHaveLength(1)
    expect(linesOf('dead_lettered', firm)).toHaveLength(1)
    expect(await isHeld(firm)).toBe(true)
  })
})

describe('what is said of an earlier token', () => {
  test('in an answer: the account stays as it is, and the message goes out with the new one', async () => {
    const firm = await world.createFirm('Firm D')
    const customer = await world.customerOf(firm)
    const match = { recipient: customer }
    world.simulator.hold({ match, count: 1 })
    world.fault({ fault: 'token', match, count: 1 })
    const id = await world.send(firm, customer)
    const sending = world.gateway.sendDue()
    await until('Meta was asked', () => world.postsTo(customer).length > 0)
    await reconnect(firm)
    world.simulator.letGo()
    await sending

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok', auth_last_error: null })
    expect(linesOf('reauth_required', firm)).toEqual([])
    expect(await isHeld(firm)).toBe(false)
    await world.gateway.sendDue()
    expect(world.postsTo(customer)).toHaveLength(2)
    expect((await world.read(firm, id)).status).toBe('sent')
  })

  test('in a status: the message is dead, the account is not', async () => {
    const firm = await world.createFirm('Firm E')
    const customer = await world.customerOf(firm)
    world.fault({ fault: 'fail', code: 190, match: { recipient: customer } })
    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    await reconnect(firm)
    await world.hearMeta()

    expect((await world.read(firm, id)).status).toBe('failed')
    expect((await sendRowOf(world.gateway.db, id)).status).toBe('done')
    expect((await accountOf(firm)).auth_status).toBe('ok')
    expect(linesOf('reauth_required', firm)).toEqual([])
    expect(await isHeld(firm)).toBe(false)
  })

  test('a token that is set anew, or good again, is dated by itself', async () => {
    const firm = await world.createFirm('Firm F')
    const { db } = world.gateway
    const setAt = async () => {
      const [row] = await db.query(sql<{ at: string }>`
        select token_set_at::text as at from whatsapp_accounts where tenant_id = ${firm.id}`)
      return row?.at
    }
    const first = await setAt()
    await db.query(sql`
      update whatsapp_accounts set auth_status = 'needs_reauth' where tenant_id = ${firm.id}`)
    expect(await setAt()).toBe(first)
    await db.query(sql`
      update whatsapp_accounts set auth_status = 'ok' where tenant_id = ${firm.id}`)
    const second = await setAt()
    expect(second).not.toBe(first)
    await db.query(sql`
      update whatsapp_accounts set access_token = 'another' where tenant_id = ${firm.id}`)
    expect(await setAt()).not.toBe(second)
  })
})
