// What the console asks about accounts: what waits and what holds it up, what Meta said of one of them, which words stop
// messages, what sign-up still needs, the doctor's findings as words that stay the same, and a page in four languages.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { holdAccount } from '../../src/outbox/release.ts'
import { expectNone } from '../support/canaries.ts'
import { operatorKey, startTestGateway } from '../support/gateway.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'
import { accountsOf, base, createMetaAccount, signUp, start } from '../support/signup.ts'

let world: Sending

beforeAll(async () => {
  world = await startSending()
})

const get = async ({ key }: { key: string }, path: string) =>
  (await world.gateway.call('GET', path, { key })).json

const hold = ({ id, phoneNumberId }: Firm, until: Date | 'parked') =>
  world.gateway.db.transaction((tx) => holdAccount(tx, id, phoneNumberId, until))

describe('a list of accounts tells of each', () => {
  test('what waits for it, and when somebody last wrote to it; not of the other', async () => {
    const firm = await world.createFirm('Two numbers')
    const other = await world.addNumber(firm)
    const customer = await world.customerOf(firm)
    await hold(firm, 'parked')
    await world.send(firm, customer)
    await world.send(firm, customer)

    const accounts = await accountsOf(world.gateway, firm)
    const of = ({ phoneNumberId }: Firm) =>
      accounts.find((one: { phone_number_id: string }) => one.phone_number_id === phoneNumberId)
    expect(of(firm)).toMatchObject({
      waiting_count: 2,
      last_inbound_at: expect.any(String),
      circuit: null,
      throttled_until: null,
    })
    expect(of(other)).toMatchObject({ waiting_count: 0, last_inbound_at: null })
    const path = `/api/admin/tenants/${firm.id}/accounts`
    const { json } = await world.gateway.call('GET', path, { key: operatorKey })
    expect(json.data).toEqual(accounts)
  })

  test('that Meta wants nothing of it for a while, and that its circuit is open', async () => {
    const firm = await world.createFirm('In weather')
    const until = new Date(Date.now() + 3_600_000)
    await hold(firm, until)
    expect(await accountsOf(world.gateway, firm)).toMatchObject([
      { throttled_until: until.toISOString(), circuit: null },
    ])
    await world.gateway.db.query(sql`
      update send_numbers
      set circuit_open = true, opened_at = now(), trial_at = now() + interval '1 minute'
      where tenant_id = ${firm.id}`)
    expect(await accountsOf(world.gateway, firm)).toMatchObject([
      { circuit: { scope: 'number', opened_at: expect.any(String), trial_at: expect.any(String) } },
    ])
  })
})

test('what Meta said is asked for by account: its number’s and its own, without templates and people', async () => {
  const firm = await world.createFirm('Told of')
  const other = await world.addNumber(firm)
  const tell = (field: string, number: string | null, value: object) =>
    world.gateway.deliver({
      entry: [
        {
          id: firm.wabaId,
          changes: [
            {
              field,
              value: { ...(number && { metadata: { phone_number_id: number } }), ...value },
            },
          ],
        },
      ],
    })
  await tell('account_review_update', null, { decision: 'APPROVED' })
  await tell('account_alerts', firm.phoneNumberId, { alert_type: 'OBA' })
  await tell('account_alerts', other.phoneNumberId, { alert_type: 'OTHER' })
  await tell('message_template_status_update', null, { event: 'APPROVED' })
  await tell('user_preferences', firm.phoneNumberId, {
    user_preferences: [{ wa_id: '16505550177', value: 'stop' }],
  })
  await world.gateway.drain()

  const accounts = await accountsOf(world.gateway, firm)
  const id = accounts.find(
    (one: { phone_number_id: string }) => one.phone_number_id === firm.phoneNumberId,
  ).id
  const said = await get(firm, `/api/whatsapp/account-events?account_id=${id}`)
  expect(said.data.map(({ field }: { field: string }) => field).toSorted()).toEqual([
    'account_alerts',
    'account_review_update',
  ])
  expect((await get(firm, '/api/whatsapp/account-events')).data).toHaveLength(5)
  const stranger = await world.createFirm('Stranger')
  for (const named of [id, `acc_${'0'.repeat(32)}`]) {
    const answer = await get(stranger, `/api/whatsapp/account-events?account_id=${named}`)
    expect(answer.error.code).toBe('ACCOUNT_NOT_FOUND')
  }
})

test('the words that stop messages: the installation’s, a tenant’s own, none', async () => {
  const firm = await world.createFirm('Quiet')
  const usual = await get(firm, '/api/whatsapp/stop-words')
  expect(usual).toMatchObject({ source: 'installation' })
  expect(usual.words).toContain('berhenti')
  const change = (stop_words: string[]) =>
    world.gateway.call('PATCH', `/api/admin/tenants/${firm.id}`, {
      key: operatorKey,
      body: { stop_words },
    })
  await change(['Basta ya'])
  expect(await get(firm, '/api/whatsapp/stop-words')).toEqual({
    words: ['Basta ya'],
    source: 'tenant',
  })
  await change(['off'])
  expect((await get(firm, '/api/whatsapp/stop-words')).words).toEqual([])
})

test('what sign-up still needs is named before anybody tries it', async () => {
  expect(await get(await world.createFirm('Ready'), base)).toEqual({ missing: [] })
  // Nothing is asked of Meta here.
  const gateway = await startTestGateway({
    environment: { META_APP_ID: '', META_GRAPH_URL: 'https://graph.facebook.com' },
  })
  const { key } = await gateway.createTenant('Not ready')
  const missing = ['META_APP_ID', 'META_CONFIG_ID']
  expect((await gateway.call('GET', base, { key })).json).toEqual({ missing })
  const refused = await gateway.call('POST', `${base}/start`, { key })
  expect(refused.json.error).toMatchObject({ code: 'SIGNUP_NOT_CONFIGURED', details: { missing } })
})

test('the doctor’s findings are words that stay the same, with what their sentences name', async () => {
  const tenant = await world.gateway.createTenant('Patient')
  const meta = createMetaAccount(world)
  const { json: account } = await signUp(world, tenant, meta)
  const path = `/api/whatsapp/accounts/${account.id}/doctor`
  const well = await get(tenant, path)
  const findings = Object.fromEntries(
    well.checks.map(({ name, finding }: { name: string; finding: string }) => [name, finding]),
  )
  expect(findings).toEqual({
    credentials: 'token_ok',
    scopes: 'permissions_ok',
    subscription: 'subscribed',
    callback: 'callback_ok',
    registration: 'registered',
    standing: 'standing_ok',
    quality: 'quality_high',
    limit: 'limit_known',
    throughput: 'throughput_known',
    last_inbound: 'inbound_never',
  })
  expect(well.checks).toContainEqual(
    expect.objectContaining({ name: 'throughput', facts: { per_second: 80 } }),
  )
  world.simulator.changeNumber(meta.phoneNumberId, {
    registered: false,
    status: 'DISCONNECTED',
    pin: '424242',
  })
  const { json } = await world.gateway.call('POST', `${path}/repair`, { key: tenant.key })
  expect(json.actions).toMatchObject([{ name: 'register', problem: 'pin_unknown' }])
  expect(json.doctor.checks).toContainEqual(
    expect.objectContaining({ finding: 'not_registered', facts: { status: 'DISCONNECTED' } }),
  )
})

describe('the sign-up page', () => {
  async function read(url: string, accepted = 'en') {
    const answer = await fetch(url, {
      headers: { accept: 'text/html', 'accept-language': accepted },
    })
    return {
      policy: answer.headers.get('content-security-policy') ?? '',
      text: await answer.text(),
    }
  }

  test('speaks the language that is asked for, else the browser’s; its policy is the same in all', async () => {
    const { url } = await start(world, await world.createFirm('Speaks'))
    const english = await read(url)
    expect(english.text).toContain('<html lang="en"')
    expect(english.policy).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+ \S+; /,
    )
    expect(english.policy).not.toContain('unsafe')
    for (const [asked, accepted, words] of [
      ['&lang=es', 'en', 'Conecte un número a'],
      ['&lang=pt', 'en', 'Conecte um número a'],
      ['&lang=id', 'en', 'Hubungkan nomor ke'],
      ['', 'pt-BR,pt;q=0.9,en;q=0.8', 'Conecte um número a'],
      ['&lang=tlh', 'fr, es-MX;q=0.7', 'Conecte un número a'],
      ['&lang=<b>', 'de', 'Connect a number to'],
    ] as const) {
      const page = await read(url + asked, accepted)
      expect(page.text, asked).toContain(words)
      expect(page.policy).toBe(english.policy)
    }
  })

  test('says a refusal in that language too, and names the sign-up without its state', async () => {
    const { url, id, state } = await start(world, await world.createFirm('Refused'))
    expect(id).toMatch(/^[0-9a-f]{16}$/)
    expectNone(state, id)
    await fetch(`${world.gateway.url}${base}/callback?state=${state}&code=none`)
    const over = await read(`${url}&lang=es`)
    expect(over.text).toContain('Esta conexión ya se terminó o se intentó.')
    expect(over.text).toContain(`data-id="${id}"`)
    expectNone(over.text, state)
    expect(over.policy).toMatch(
      /^default-src 'none'; style-src 'sha256-\S+'; script-src 'sha256-\S+; base-uri 'none'/,
    )
  })
})
