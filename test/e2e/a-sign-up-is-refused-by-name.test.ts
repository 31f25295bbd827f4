// Every way in which a sign-up is refused: its own code, nothing written, and audited.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNone } from '../support/canaries.ts'
import type { TestTenant } from '../support/gateway.ts'
import { type Sending, startSending } from '../support/sending.ts'
import {
  accountsOf,
  auditOf,
  callback,
  codeFor,
  createMetaAccount,
  expectNoPin,
  idsOf,
  signUp,
  start,
} from '../support/signup.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

const createTenant = (name = 'Firm') => world.gateway.createTenant(name)

describe('a refusal has its own code, writes nothing, and is audited:', () => {
  /** Refused with this, and nothing came of it. */
  async function expectRefused(
    firm: TestTenant,
    answer: Awaited<ReturnType<typeof callback>>,
    status: number,
    code: string,
  ): Promise<void> {
    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    expect(answer.json.error.message).toMatch(/[.]$/)
    expect(await accountsOf(world.gateway, firm)).toEqual([])
    expect((await auditOf(world.gateway, firm.id)).at(-1)).toMatchObject({
      action: 'signup.refused',
      details: { code },
    })
  }
  const forged = Buffer.alloc(32, 7).toString('base64url')

  test.each([
    ['no state', {}, 'STATE_MISSING'],
    ['an empty state', { state: '' }, 'STATE_MISSING'],
    ['a forged state', { state: forged }, 'STATE_INVALID'],
    ['a state of another form', { state: `${forged}'; drop table` }, 'STATE_INVALID'],
  ])('%s', async (_what, query, code) => {
    // The limit of what strangers can have audited is not what is looked at here.
    world.clock.advance(10_000)
    const answer = await callback(world, { code: 'AQ', ...query })

    expect([answer.status, answer.json.error.code]).toEqual([400, code])
    expect((await auditOf(world.gateway, null)).at(-1)).toMatchObject({
      actor: 'nobody',
      action: 'signup.refused',
      details: { code },
    })
  })

  test('strangers cannot fill the audit log', async () => {
    const before = (await auditOf(world.gateway, null)).length
    for (let count = 0; count < 20; count++) await callback(world, { state: forged, code: 'AQ' })
    expect((await auditOf(world.gateway, null)).length - before).toBeLessThan(5)
  })

  test('an expired state', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)
    world.clock.advance(10 * 60 * 1000)

    const answer = await callback(world, { state, code: codeFor(world, meta), ...idsOf(meta) })

    await expectRefused(firm, answer, 400, 'STATE_EXPIRED')
  })

  test('a state that was used, also of two tabs at once', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)
    const tab = () => callback(world, { state, code: codeFor(world, meta), ...idsOf(meta) })
    const answers = await Promise.all([tab(), tab(), tab()])

    const codes = answers.map((answer) => answer.json.error?.code ?? answer.status).toSorted()
    expect(codes).toEqual([200, 'STATE_USED', 'STATE_USED'])
    expect((await tab()).json.error.code).toBe('STATE_USED')
    expect(await accountsOf(world.gateway, firm)).toHaveLength(1)
  })

  test('a state of another tenant, which stays good for that one', async () => {
    const [firm, other] = [await createTenant(), await createTenant('Other')]
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)
    const query = () => ({ state, code: codeFor(world, meta), ...idsOf(meta) })

    const answer = await callback(world, query(), { key: other.key })

    await expectRefused(firm, answer, 400, 'STATE_FOREIGN')
    expect((await auditOf(world.gateway, firm.id)).at(-1)?.actor).toBe('nobody')
    expect(await accountsOf(world.gateway, other)).toEqual([])
    expect((await callback(world, query(), { key: firm.key })).status).toBe(200)
  })

  test('a person who did not agree; the same link can be tried again', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)

    const answer = await callback(world, { state, error: 'access_denied' })

    await expectRefused(firm, answer, 400, 'SIGNUP_DENIED')
    const code = codeFor(world, meta)
    expect((await callback(world, { state, code })).status).toBe(200)
  })

  test('no code', async () => {
    const firm = await createTenant()
    const { state } = await start(world, firm)

    await expectRefused(firm, await callback(world, { state }), 400, 'CODE_MISSING')
  })

  test('a code that was used', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const code = codeFor(world, meta)
    await callback(world, { state: (await start(world, await createTenant())).state, code })
    const { state } = await start(world, firm)

    await expectRefused(firm, await callback(world, { state, code }), 400, 'CODE_USED')
  })

  test('a code that is older than 30 seconds', async () => {
    const firm = await createTenant()
    const { state } = await start(world, firm)
    const match = { endpoint: 'oauth' }
    world.fault({ fault: 'error', code: 100, subcode: 36007, http_status: 400, match, count: 1 })

    await expectRefused(firm, await callback(world, { state, code: 'AQ' }), 400, 'CODE_EXPIRED')
  })

  test('an app that Meta does not know', async () => {
    const firm = await createTenant()
    const { state } = await start(world, firm)
    const match = { endpoint: 'oauth' }
    world.fault({ fault: 'error', code: 101, http_status: 400, match, count: 1 })

    await expectRefused(firm, await callback(world, { state, code: 'AQ' }), 502, 'APP_REFUSED')
  })

  test('a code of another app, and one that is none', async () => {
    world.simulator.registerApp({ app_id: '4242', app_secret: 'another-secret' })
    const meta = createMetaAccount(world)
    for (const code of [codeFor(world, meta, { app_id: '4242' }), 'AQ-nonsense']) {
      const firm = await createTenant()
      const { state } = await start(world, firm)
      await expectRefused(firm, await callback(world, { state, code }), 400, 'CODE_INVALID')
    }
  })

  test('a token of another app', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)
    world.fault({
      fault: 'error',
      code: 100,
      http_status: 400,
      match: { endpoint: 'debug_token' },
      count: 1,
    })

    const answer = await callback(world, { state, code: codeFor(world, meta) })

    await expectRefused(firm, answer, 400, 'APP_MISMATCH')
  })

  test.each([
    ['messages', ['whatsapp_business_management'], 'whatsapp_business_messaging'],
    ['templates', ['whatsapp_business_messaging'], 'whatsapp_business_management'],
  ] as const)('no permission for %s', async (_what, scopes, missing) => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)

    const answer = await signUp(world, firm, meta, { scopes: [...scopes] })

    await expectRefused(firm, answer, 400, 'SCOPES_MISSING')
    expect(answer.json.error.details.missing).toEqual([missing])
  })

  test('an account that the token is not for, whatever the browser says', async () => {
    const firm = await createTenant()
    const [granted, foreign] = [createMetaAccount(world), createMetaAccount(world)]
    const { state } = await start(world, firm)

    const answer = await callback(world, {
      state,
      code: codeFor(world, granted),
      ...idsOf(foreign),
    })

    await expectRefused(firm, answer, 400, 'WABA_NOT_GRANTED')
    const asked = world.simulator.ledger().requests.filter((one) => one.waba_id === foreign.wabaId)
    expect(asked).toEqual([])
  })

  test('a number of another account', async () => {
    const firm = await createTenant()
    const [granted, foreign] = [createMetaAccount(world), createMetaAccount(world)]
    const { state } = await start(world, firm)

    const answer = await callback(world, {
      state,
      code: codeFor(world, granted),
      waba_id: granted.wabaId,
      phone_number_id: foreign.phoneNumberId,
    })

    await expectRefused(firm, answer, 400, 'NUMBER_NOT_GRANTED')
  })

  test('several numbers and none named', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    createMetaAccount(world, { wabaId: meta.wabaId })
    const { state } = await start(world, firm)

    const answer = await callback(world, { state, code: codeFor(world, meta) })

    await expectRefused(firm, answer, 400, 'NUMBER_CHOICE_NEEDED')
  })

  test('an account without a number', async () => {
    const firm = await createTenant()
    world.simulator.registerAccount({ waba_id: 'waba-without-numbers' })
    const { state } = await start(world, firm)

    const code = codeFor(world, { wabaId: 'waba-without-numbers' })

    await expectRefused(firm, await callback(world, { state, code }), 400, 'NUMBER_MISSING')
  })

  test('a number of another tenant: never moved, nothing done at Meta, and both are told', async () => {
    const [owner, firm] = [await createTenant('Owner'), await createTenant()]
    const meta = createMetaAccount(world)
    const { json: account } = await signUp(world, owner, meta)
    const requests = () =>
      world.simulator.ledger().requests.filter(({ method }) => method !== 'GET').length
    const before = requests()

    const answer = await signUp(world, firm, meta)

    await expectRefused(firm, answer, 409, 'NUMBER_TAKEN')
    expectNone(answer.text, owner.id)
    expect(requests()).toBe(before)
    expect(await accountsOf(world.gateway, owner)).toMatchObject([account])
    expect((await auditOf(world.gateway, owner.id)).at(-1)).toEqual({
      actor: 'nobody',
      action: 'account.claimed_elsewhere',
      subject: account.id,
      details: { phone_number_id: meta.phoneNumberId },
    })
  })

  test('a number that two tenants sign up at once goes to one of them', async () => {
    const firms = [await createTenant('One'), await createTenant('Two')]
    const meta = createMetaAccount(world)

    const answers = await Promise.all(firms.map((firm) => signUp(world, firm, meta)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  })

  test.each([
    ['subscribed_apps', 'SUBSCRIBE_FAILED', 502],
    ['register', 'REGISTER_FAILED', 502],
    ['phone_numbers', 'META_REFUSED', 502],
    ['debug_token', 'META_REFUSED', 502],
    ['oauth', 'META_UNREACHABLE', 502],
  ])(
    '%s fails at Meta: nothing is half-done, and the next sign-up works',
    async (endpoint, code, status) => {
      const firm = await createTenant()
      const meta = createMetaAccount(world)
      world.fault({ fault: 'error', code: 131000, http_status: 500, match: { endpoint }, count: 1 })

      const answer = await signUp(world, firm, meta)

      await expectRefused(firm, answer, status, code)
      world.simulator.clearFaults()
      expect((await signUp(world, firm, meta)).status).toBe(200)
    },
  )

  test('Meta does not answer', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    world.fault({ fault: 'reset', match: { endpoint: 'register' }, count: 1 })

    const answer = await signUp(world, firm, meta)

    await expectRefused(firm, answer, 502, 'META_UNREACHABLE')
    world.simulator.clearFaults()
  })

  test('a number with a PIN of its own', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    world.simulator.changeNumber(meta.phoneNumberId, { pin: '000001' })

    const answer = await signUp(world, firm, meta)

    await expectRefused(firm, answer, 400, 'PIN_UNKNOWN')
    expect(answer.json.error.details.provider).toMatchObject({ code: 133005 })
    expectNoPin(answer.text, '000001')
  })

  test('a number that is not verified', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    world.simulator.changeNumber(meta.phoneNumberId, { code_verification_status: 'NOT_VERIFIED' })

    await expectRefused(firm, await signUp(world, firm, meta), 400, 'NUMBER_UNVERIFIED')
  })
})
