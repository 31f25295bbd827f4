// Sign-up without a browser: what `start`, `callback` and `reconnect` promise.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { expectNone } from '../support/canaries.ts'
import { operatorKey } from '../support/gateway.ts'
import { seedPerson } from '../support/people.ts'
import { type Sending, startSending } from '../support/sending.ts'
import {
  accountsOf,
  auditOf,
  base,
  callback,
  codeFor,
  createMetaAccount,
  expectNoPin,
  idsOf,
  reconnect,
  signUp,
  start,
} from '../support/signup.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

const createTenant = (name = 'Firm') => world.gateway.createTenant(name)

describe('a sign-up', () => {
  test('connects the number: subscribed, registered, its token sealed, ready to send and receive', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)

    const answer = await signUp(world, firm, meta)

    expect(answer.status).toBe(200)
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(/^acc_/),
      waba_id: meta.wabaId,
      phone_number_id: meta.phoneNumberId,
      display_phone_number: meta.displayPhoneNumber,
      app_id: '990000000000001',
      auth_status: 'ok',
      token_expires_at: null,
      throughput_level: 'standard',
      hold: null,
      standing: {
        quality: { rating: 'GREEN' },
        limit: { tier: 'TIER_2K' },
        access: { event: 'CONNECTED' },
      },
    })
    expect(await accountsOf(world.gateway, firm)).toMatchObject([answer.json])
    const profile = world.simulator.numberProfile(meta.phoneNumberId)
    expect(profile).toMatchObject({ registered: true, status: 'CONNECTED' })
    expect(profile.pin).toMatch(/^\d{6}$/)
    const customer = '16505550171'
    world.simulator.customerWrites(customer, {
      phone_number_id: meta.phoneNumberId,
      type: 'text',
      text: { body: 'hello' },
    })
    await world.hearMeta()
    const sent = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: firm.key,
      body: { to: `+${customer}`, type: 'text', text: { body: 'Good morning' } },
    })
    await world.gateway.sendDue()
    expect((await world.read({ ...firm } as never, sent.json.message_id)).status).toBe('sent')
  })

  test('that a person began in the console ends with that person', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const [ana, ben] = await Promise.all(
      [1, 2].map(() => seedPerson(world.gateway.db, { role: 'admin', tenantId: firm.id })),
    )
    const browserOf = (person: typeof ana) => person?.headers(new URL(world.gateway.url).host) ?? {}
    const begin = () => world.gateway.call('POST', `${base}/start`, { headers: browserOf(ana) })
    const end = async (headers: Record<string, string>) => {
      const { state } = (await begin()).json
      return callback(world, { state, code: codeFor(world, meta), ...idsOf(meta) }, { headers })
    }
    for (const headers of [{}, browserOf(ben)]) {
      const answer = await end(headers)
      expect([answer.status, answer.json.error.code]).toEqual([400, 'STATE_FOREIGN'])
    }
    expect((await end(browserOf(ana))).status).toBe(200)
  })

  test('is audited from start to end, and neither token nor state nor pin is anywhere', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)
    const code = codeFor(world, meta)
    const { json } = await callback(world, { state, code, ...idsOf(meta) })
    const token = world.simulator
      .tokens()
      .find(({ grants }) => grants.some(({ target_ids }) => target_ids?.includes(meta.wabaId)))

    expect(await auditOf(world.gateway, firm.id)).toMatchObject([
      { action: 'tenant.created' },
      { action: 'api_key.created' },
      { action: 'signup.started', actor: expect.stringMatching(/^key_/) },
      {
        action: 'account.connected',
        actor: expect.stringMatching(/^key_/),
        subject: json.id,
        details: { phone_number_id: meta.phoneNumberId, waba_id: meta.wabaId },
      },
    ])
    const [dump] = await world.gateway.db.query(sql<{ text: string }>`
      select (select string_agg(to_jsonb(a)::text, ' ') from whatsapp_accounts a)
        || (select string_agg(to_jsonb(s)::text, ' ') from signup_states s)
        || (select string_agg(to_jsonb(l)::text, ' ') from audit_log l) as text`)
    const pin = world.simulator.numberProfile(meta.phoneNumberId).pin ?? ''
    expect(dump?.text).toContain(meta.phoneNumberId)
    for (const text of [dump?.text, world.gateway.logText()]) {
      expectNone(text, token?.access_token ?? '', state, code)
      expectNoPin(text, pin)
    }
  })

  test('needs no ids from the browser when there is one number', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    const { state } = await start(world, firm)

    const answer = await callback(world, { state, code: codeFor(world, meta) })

    expect(answer.json).toMatchObject({ phone_number_id: meta.phoneNumberId })
  })

  test('of a second number is told from the first, which is connected already', async () => {
    const firm = await createTenant()
    const first = createMetaAccount(world)
    await signUp(world, firm, first)
    const second = createMetaAccount(world, { wabaId: first.wabaId })
    const { state } = await start(world, firm)

    const answer = await callback(world, { state, code: codeFor(world, first) })

    expect(answer.json).toMatchObject({ phone_number_id: second.phoneNumberId })
  })

  test('of a number that stays on a phone is slower, and registers nothing', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    world.simulator.changeNumber(meta.phoneNumberId, { coexistence: true, status: 'CONNECTED' })

    const answer = await signUp(world, firm, meta)

    expect(answer.json).toMatchObject({ throughput_level: 'coexistence' })
    expect(world.simulator.numberProfile(meta.phoneNumberId).registrationsAt).toEqual([])
  })

  test('of a number that is registered already does not register it again: Meta counts that', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world, { isRegistered: true })

    expect((await signUp(world, firm, meta)).status).toBe(200)
    expect(world.simulator.numberProfile(meta.phoneNumberId).registrationsAt).toEqual([])
  })

  test('with a token that ends is shown with its end', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)

    const { json } = await signUp(world, firm, meta, { token_expires_in: 3 * 24 * 60 * 60 })

    expect(json.token_expires_at).toMatch(/^\d{4}-/)
    expect(json.token_expires_soon).toBe(true)
  })

  test('by the operator for a tenant is audited under the operator’s name', async () => {
    const firm = await createTenant()
    const answer = await world.gateway.call('POST', `${base}/start`, {
      key: operatorKey,
      headers: { 'x-tenant-id': firm.id },
    })
    expect(answer.json).toMatchObject({
      url: `${world.gateway.url}/connect/whatsapp?state=${answer.json.state}`,
    })
    expect((await auditOf(world.gateway, firm.id)).at(-1)).toMatchObject({ actor: 'alice' })
  })
})

describe('when the last commit fails', () => {
  test('nothing is stored, and the next sign-up finds the number as it left it', async () => {
    const firm = await createTenant()
    const meta = createMetaAccount(world)
    await refuseInserts(meta.phoneNumberId)

    expect((await signUp(world, firm, meta)).status).toBe(500)
    expect(await accountsOf(world.gateway, firm)).toEqual([])
    const { pin } = world.simulator.numberProfile(meta.phoneNumberId)
    expect(pin).toMatch(/^\d{6}$/)

    await allowInserts()
    // Lost with the commit, and yet known: it is needed again.
    world.simulator.changeNumber(meta.phoneNumberId, { registered: false, status: 'DISCONNECTED' })
    expect((await signUp(world, firm, meta)).status).toBe(200)
  })

  const refuseInserts = async (phoneNumberId: string) => {
    await world.gateway.db.session((session) =>
      session.script(`
        create function refuse_one() returns trigger language plpgsql as $$ begin
          if new.phone_number_id = '${phoneNumberId}' then raise 'refused by the test'; end if;
          return new;
        end $$;
        create trigger refuse_one before insert on whatsapp_accounts
          for each row execute function refuse_one()`),
    )
  }
  const allowInserts = () =>
    world.gateway.db.session((session) =>
      session.script('drop trigger refuse_one on whatsapp_accounts; drop function refuse_one'),
    )
})

describe('reconnecting', () => {
  test('gives the same account a new token; another number is refused', async () => {
    const firm = await createTenant()
    const [meta, other] = [createMetaAccount(world), createMetaAccount(world)]
    const { json: account } = await signUp(world, firm, meta)

    const wrong = await reconnect(world, firm, account.id)
    const refused = await callback(world, {
      state: wrong.state,
      code: codeFor(world, other),
      ...idsOf(other),
    })
    expect([refused.status, refused.json.error.code]).toEqual([400, 'ACCOUNT_MISMATCH'])

    const right = await reconnect(world, firm, account.id)
    const answer = await callback(world, { state: right.state, code: codeFor(world, meta) })
    expect(answer.json).toMatchObject({ id: account.id, auth_status: 'ok' })
    expect((await auditOf(world.gateway, firm.id)).map(({ action }) => action)).toEqual([
      'tenant.created',
      'api_key.created',
      'signup.started',
      'account.connected',
      'reconnect.started',
      'signup.refused',
      'reconnect.started',
      'account.reconnected',
    ])
  })

  test('an account of another tenant is not there', async () => {
    const [firm, other] = [await createTenant(), await createTenant('Other')]
    const { json: account } = await signUp(world, firm, createMetaAccount(world))

    const answer = await world.gateway.call('POST', `${base}/reconnect`, {
      key: other.key,
      body: { account_id: account.id },
    })

    expect([answer.status, answer.json.error.code]).toEqual([404, 'ACCOUNT_NOT_FOUND'])
  })
})

test('news of a sign-up that is not finished yet is no dead letter', async () => {
  const answer = await world.gateway.deliver({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: 'portfolio-1',
        time: 1_788_303_478,
        changes: [
          {
            field: 'account_update',
            value: { event: 'PARTNER_ADDED', waba_info: { waba_id: 'not-yet-here' } },
          },
        ],
      },
    ],
  })
  expect(answer.status).toBe(200)
  await world.gateway.drain()
  const [letters] = await world.gateway.db.query(sql<{ count: number }>`
    select count(*)::int as count from dead_letters`)
  expect(letters?.count).toBe(0)
})

describe('the page for people', () => {
  const open = (path: string) =>
    fetch(`${world.gateway.url}${path}`, { headers: { accept: 'text/html' }, redirect: 'manual' })

  test('may load Meta’s SDK and nothing else, and is framed by nobody', async () => {
    const { state } = await start(world, await createTenant('Finch & <Sons>'))

    const page = await open(`/connect/whatsapp?state=${state}`)
    const policy = page.headers.get('content-security-policy') ?? ''

    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Finch &amp; &lt;Sons&gt;')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toMatch(new RegExp(`script-src 'sha256-\\S+' ${world.simulator.url};`))
    expect(policy).toContain("frame-ancestors 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    for (const other of ['/docs', '/openapi.json']) {
      const answer = await open(other)
      expect(answer.headers.get('content-security-policy') ?? '').not.toContain(world.simulator.url)
    }
  })

  test.each([
    ['/connect/whatsapp', 'STATE_MISSING'],
    ['/connect/whatsapp?state=forged', 'STATE_INVALID'],
    ['/connect/whatsapp/redirect?state=forged', 'STATE_INVALID'],
    [`${base}/callback?state=forged&code=x`, 'STATE_INVALID'],
  ])('%s says what to do', async (path, code) => {
    const page = await open(path)
    const text = await page.text()

    expect(page.status).toBe(400)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(text).toContain(code)
    expect(text).toContain('Start again from your application.')
  })
})

test('without a Meta app the operator is told what to set', async () => {
  const bare = await startSending({ META_APP_ID: '' }, { simulator: world.simulator })
  const firm = await bare.gateway.createTenant('Firm')

  const answer = await bare.gateway.call('POST', `${base}/start`, { key: firm.key })

  expect([answer.status, answer.json.error.code]).toEqual([503, 'SIGNUP_NOT_CONFIGURED'])
  expect(answer.json.error.message).toContain('META_APP_ID')
  expect((await callback(bare, { state: 'none', code: 'AQ' })).status).toBe(503)
})
