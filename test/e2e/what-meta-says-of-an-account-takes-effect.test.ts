// Webhooks about accounts: shown on the account, and acted on. The latest by Meta's time wins, in whatever order they come.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { expectNone } from '../support/canaries.ts'
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

async function connect(): Promise<Connected> {
  const tenant = await world.gateway.createTenant('Firm')
  const meta = createMetaAccount(world)
  const { json } = await signUp(world, tenant, meta)
  return { ...tenant, ...meta, accountId: json.id, accessToken: '' }
}

const accountOf = async (firm: Connected) => (await accountsOf(world.gateway, firm))[0]

const linesOf = (event: string, { id }: Connected) =>
  world.gateway
    .logText()
    .split('\n')
    .filter((line) => line.includes(`"event":"${event}"`) && line.includes(id))

/** Minutes after now, by Meta's clock; the same again is a repeat. */
async function say(
  firm: Connected,
  field: string,
  value: Record<string, unknown>,
  minutes = 1,
): Promise<void> {
  const time = Math.floor(world.clock.now().getTime() / 1000) + minutes * 60
  await world.gateway.deliver({
    object: 'whatsapp_business_account',
    entry: [{ id: firm.wabaId, time, changes: [{ field, value }] }],
  })
  await world.gateway.drain()
}

const digits = ({ displayPhoneNumber }: Connected) => displayPhoneNumber.replace(/\D/g, '')

async function holdOf({ id, phoneNumberId }: Connected): Promise<string | undefined> {
  const [row] = await world.gateway.db.query(sql<{ until: string }>`
    select hold_until::text as until
    from send_numbers
    where tenant_id = ${id} and phone_number_id = ${phoneNumberId}`)
  return row?.until
}

describe('shown on the account:', () => {
  test.each([
    [
      'phone_number_quality_update',
      { event: 'FLAGGED', current_limit: 'TIER_2K', old_limit: 'TIER_10K' },
      { quality: { rating: 'RED' }, limit: { tier: 'TIER_2K' } },
    ],
    [
      'phone_number_quality_update',
      { event: 'DOWNGRADE', current_limit: 'TIER_250', old_limit: 'TIER_2K' },
      { limit: { tier: 'TIER_250' } },
    ],
    [
      'business_capability_update',
      { max_daily_conversations_per_business: 2000, max_phone_numbers_per_waba: 25 },
      { limit: { tier: '2000' } },
    ],
    [
      'business_capability_update',
      { max_daily_conversation_per_phone: -1 },
      { limit: { tier: 'TIER_UNLIMITED' } },
    ],
    ['account_review_update', { decision: 'APPROVED' }, { review: { decision: 'APPROVED' } }],
    [
      'account_update',
      { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'SCAM' } },
      { violation: { type: 'SCAM' } },
    ],
    [
      'account_update',
      {
        event: 'DISABLED_UPDATE',
        ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: 'soon' },
      },
      { ban: { state: 'SCHEDULE_FOR_DISABLE', date: 'soon' } },
    ],
    [
      'phone_number_name_update',
      { decision: 'REJECTED', requested_verified_name: 'Joe', rejection_reason: 'NAME_FORMAT' },
      { name: { decision: 'REJECTED', name: 'Joe', reason: 'NAME_FORMAT' } },
    ],
    [
      'security',
      { event: 'PIN_RESET_REQUEST', requester: '61555822100001' },
      { security: { event: 'PIN_RESET_REQUEST' } },
    ],
    [
      'account_alerts',
      {
        alert_info: {
          alert_severity: 'WARNING',
          alert_status: 'ACTIVE',
          alert_type: 'X',
          alert_description: 'Y.',
        },
      },
      { alert: { severity: 'WARNING', status: 'ACTIVE', type: 'X', description: 'Y.' } },
    ],
    [
      'business_username_update',
      { username: 'setefolhas', status: 'approved' },
      { username: { username: 'setefolhas', status: 'approved' } },
    ],
    [
      'account_update',
      { event: 'ACCOUNT_RECONNECTED' },
      { access: { event: 'ACCOUNT_RECONNECTED' } },
    ],
  ])('%s %j', async (field, value, standing) => {
    const firm = await connect()
    const about = field.startsWith('account') || field === 'business_capability_update'
    await say(firm, field, about ? value : { ...value, display_phone_number: digits(firm) })

    expect(await accountOf(firm)).toMatchObject({ auth_status: 'ok', hold: null, standing })
    expect(linesOf('account_changed', firm).length).toBeGreaterThan(0)
    expectNone(JSON.stringify(await accountOf(firm)), '61555822100001')
  })

  test('a throughput upgrade changes the rate, but not of a number that is on a phone too', async () => {
    const [firm, coexisting] = [await connect(), await connect()]
    await world.gateway.db.query(sql`
      update whatsapp_accounts set throughput_level = 'coexistence' where tenant_id = ${coexisting.id}`)
    for (const one of [firm, coexisting]) {
      await say(one, 'phone_number_quality_update', {
        display_phone_number: digits(one),
        event: 'THROUGHPUT_UPGRADE',
        current_limit: 'TIER_UNLIMITED',
      })
    }

    expect(await accountOf(firm)).toMatchObject({ throughput_level: 'high' })
    expect(await accountOf(coexisting)).toMatchObject({ throughput_level: 'coexistence' })
  })

  test('of the number it names alone', async () => {
    const firm = await connect()
    const second = createMetaAccount(world, { wabaId: firm.wabaId })
    await signUp(world, firm, second)
    await say(firm, 'phone_number_quality_update', {
      display_phone_number: second.displayPhoneNumber.replace(/\D/g, ''),
      event: 'FLAGGED',
      current_limit: 'TIER_2K',
    })

    const rating = async ({ phoneNumberId }: MetaAccount) =>
      (await accountsOf(world.gateway, firm)).find(
        (one: { phone_number_id: string }) => one.phone_number_id === phoneNumberId,
      ).standing.quality.rating
    expect([await rating(firm), await rating(second)]).toEqual(['GREEN', 'RED'])
  })
})

describe('the latest by Meta’s time wins', () => {
  const quality = (firm: Connected, event: string) => ({
    display_phone_number: digits(firm),
    event,
    current_limit: 'TIER_2K',
  })

  test('whatever comes first', async () => {
    const firm = await connect()
    await say(firm, 'phone_number_quality_update', quality(firm, 'UNFLAGGED'), 10)
    await say(firm, 'phone_number_quality_update', quality(firm, 'FLAGGED'), 5)

    expect((await accountOf(firm)).standing.quality).toMatchObject({ event: 'UNFLAGGED' })
  })

  test('and the same again has no second effect', async () => {
    const firm = await connect()
    await say(
      firm,
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } },
      1,
    )
    await say(
      firm,
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
      2,
    )
    await say(
      firm,
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } },
      1,
    )

    expect(await accountOf(firm)).toMatchObject({ hold: null })
    expect(await holdOf(firm)).toBe('-infinity')
  })

  test('a removal from before the connection does not end it', async () => {
    const firm = await connect()
    await say(firm, 'account_update', { event: 'PARTNER_REMOVED' }, -5)

    expect(await accountOf(firm)).toMatchObject({
      auth_status: 'ok',
      standing: { access: { event: 'CONNECTED' } },
    })
  })
})

describe('nothing is sent while Meta does not let the account:', () => {
  const ban = (state: string) => ({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: state } })

  test.each([
    ['account_update', ban('DISABLE'), ban('REINSTATE'), 'banned'],
    [
      'account_review_update',
      { decision: 'REJECTED' },
      { decision: 'APPROVED' },
      'review_rejected',
    ],
  ])(
    '%s %j, until it is taken back; then all goes out in order',
    async (field, bad, good, reason) => {
      const firm = await connect()
      const customer = await world.customerOf(firm)
      await say(firm, field, bad, 1)
      const ids: string[] = []
      for (const body of ['message 0', 'message 1']) {
        ids.push(await world.send(firm, customer, { text: { body } }))
      }
      await world.sendWhatWaits()
      expect(world.postsTo(customer)).toHaveLength(0)
      expect(await accountOf(firm)).toMatchObject({
        auth_status: 'ok',
        hold: { reason, until: null },
      })

      await say(firm, field, good, 2)
      await world.gateway.sendDue()
      for (const id of ids) expect((await world.read(firm, id)).status).toBe('sent')
    },
  )

  test('a reconnect does not end a ban', async () => {
    const firm = await connect()
    await say(firm, 'account_update', ban('DISABLE'))
    const { state } = await reconnect(world, firm, firm.accountId)
    await callback(world, { state, code: codeFor(world, firm) })

    expect(await holdOf(firm)).toBe('infinity')
  })

  const restriction = (minutes: number, ...types: string[]) => ({
    event: 'ACCOUNT_RESTRICTION',
    restriction_info: types.map((restriction_type) => ({
      restriction_type,
      expiration: Math.floor(world.clock.now().getTime() / 1000) + minutes * 60,
    })),
  })

  test('a restriction of everything holds the number until it ends', async () => {
    const firm = await connect()
    const types = ['RESTRICTED_BIZ_INITIATED_MESSAGING', 'RESTRICTED_CUSTOMER_INITIATED_MESSAGING']
    await say(firm, 'account_update', restriction(60, ...types))

    const { hold } = await accountOf(firm)
    expect(hold).toMatchObject({ reason: 'restricted' })
    expect(Date.parse((await holdOf(firm)) ?? '')).toBe(Date.parse(hold.until))
  })

  test('a restriction of writing first lets answers through and refuses the rest by name', async () => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    await say(firm, 'account_update', restriction(60, 'RESTRICTED_BIZ_INITIATED_MESSAGING'))

    const id = await world.send(firm, customer)
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
    const refused = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: {
        to: '+16505550999',
        type: 'template',
        template: { name: 'order_update', language: { code: 'en_US' } },
      },
    })
    const { replies_only_until } = await accountOf(firm)
    expect([refused.status, refused.json.error.code]).toEqual([409, 'ACCOUNT_RESTRICTED'])
    expect(refused.json.error.details.restricted_until).toBe(replies_only_until)
  })
})

describe('a webhook that our access is gone', () => {
  test.each([
    'PARTNER_REMOVED',
    'PARTNER_APP_UNINSTALLED',
    'ACCOUNT_DELETED',
    'ACCOUNT_OFFBOARDED',
  ])('%s parks the account at once; a reconnect sets it free', async (event) => {
    const firm = await connect()
    const customer = await world.customerOf(firm)
    const id = await world.send(firm, customer)
    world.simulator.sendEvent({
      field: 'account_update',
      phone_number_id: firm.phoneNumberId,
      event,
    })
    await world.hearMeta()
    await world.gateway.sendDue()

    expect(await accountOf(firm)).toMatchObject({
      auth_status: 'needs_reauth',
      standing: { access: { event } },
    })
    expect(world.postsTo(customer)).toHaveLength(0)
    expect(linesOf('reauth_required', firm)).toHaveLength(1)

    const { state } = await reconnect(world, firm, firm.accountId)
    const again = await callback(world, { state, code: codeFor(world, firm) })
    expect(again.json).toMatchObject({ auth_status: 'ok' })
    await world.gateway.sendDue()
    expect((await world.read(firm, id)).status).toBe('sent')
  })
})
