// I8 from outside: everything a run leaves outside of its database, searched for what must be in none of it.
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { hashForLog, logHashKey } from '../../src/log.ts'
import { type Canary, canary, expectNone, findLeaks } from '../support/canaries.ts'
import { seed } from '../support/chance.ts'
import { type Collector, startCollector } from '../support/collector.ts'
import { createTestDb } from '../support/database.ts'
import { type FaultProxy, startDatabaseProxy } from '../support/fault-proxy.ts'
import { bytesOf, signatureOf, testSecrets } from '../support/gateway.ts'
import { checkLogLines } from '../support/log-lines.ts'
import { payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { driveSends, startMeta } from '../support/personal-sends.ts'
import { type GatewayProgram, type Reply, startGatewayProgram, until } from '../support/program.ts'

const secret = (what: string) => canary(what, seed).text
const phone = secret('phone number')
const name = secret('name')
const body = secret('body')
const token = secret('access token')
const appSecret = secret('app secret')
const verifyToken = secret('verify token')
const adminKey = secret('operator key')
const ring = canary('encryption key', seed).text.padEnd(32, 'k').slice(0, 32)
const userId = secret('user id')
const everything: Canary[] = [
  ...['phone number', 'name', 'body', 'access token', 'app secret', 'verify token'],
  ...[
    'operator key',
    'encryption key',
    'user id',
    'unknown key',
    'stranger’s input',
    'reason',
    'collector token',
  ],
].map((what) => canary(what, seed))

// Meta's own ids hold the customer's number.
const wamid = `wamid.${Buffer.from(`\x1c\x1d${phone}\x15\x02\0`).toString('base64')}`
const number = { waba_id: '215589313241560', phone_number_id: '441785372350001' }
const contacts = [{ profile: { name: `${name} Öhman` }, wa_id: phone }]
const message = (id: string, text = `please call, ${body}`) =>
  payload({ number, contacts, messages: [textMessage(id, text, { from: phone })] })

let gateway: GatewayProgram
let proxy: FaultProxy
let collector: Collector
let tenantKey: string
const refusals: string[] = []

/** What a run leaves outside of its database. */
interface Artefact {
  text: string
  /** It must be there, or searching it proves nothing. */
  holds: string
  /** What an operator wrote or asked for may be told to operators. */
  exempt?: string[]
}
const artefacts = new Map<string, Artefact>()
const readArtefact = (name: string): Artefact => {
  const found = artefacts.get(name)
  if (!found) throw new Error(`the run left no ${name}`)
  return found
}
/** Each of these is kept by the run below: another one is another line here and a `keep` there. */
const artefactNames = ['output', 'refusals', 'metrics', 'health', 'accounting', 'trace'] as const
const keep = (name: (typeof artefactNames)[number], artefact: Artefact) => {
  artefacts.set(name, artefact)
}

/** Keeps what was refused: errors go to logs and screens of others, and are told apart from data by their status. */
async function ask(asked: Promise<Reply>): Promise<Reply> {
  const reply = await asked
  if (reply.status >= 400) refusals.push(reply.text, JSON.stringify([...reply.headers]))
  return reply
}

const deliver = (what: unknown, headers?: Record<string, string>) => {
  const raw = bytesOf(what)
  return ask(
    gateway.deliver(raw, headers ?? { 'x-hub-signature-256': signatureOf(raw, appSecret) }),
  )
}

beforeAll(async () => {
  const { url, db } = await createTestDb()
  // A message the database refuses, so that its error holds the row. (In `detail`, which must not be looked at.)
  await db.session((session) =>
    session.script(
      `alter table whatsapp_messages add constraint poison check (content::text not like '%poison%')`,
    ),
  )
  const front = await startDatabaseProxy(url)
  proxy = front.proxy
  const simulator = await startMeta(appSecret)
  collector = await startCollector()
  const environment = {
    DATABASE_URL: front.url,
    LOG_LEVEL: 'debug',
    META_APP_SECRET: appSecret,
    META_GRAPH_URL: simulator.url,
    META_VERIFY_TOKEN: verifyToken,
    ADMIN_API_KEY: `alice:${adminKey}`,
    ENCRYPTION_KEYS: `k1:${Buffer.from(ring).toString('base64')}`,
    RECONCILE_SECONDS: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-token=${secret('collector token')}`,
    METRICS_TENANTS: '5',
  }
  gateway = await startGatewayProgram(environment)
  everything.push({ what: 'database password', text: decodeURIComponent(new URL(url).password) })
  await connectTenant()

  await goodTraffic()
  await badWebhooks()
  await badRequests()
  const traced = await driveSends({
    ...{ simulator, gateway, db, ask, deliver, number, tenantKey, adminKey, phone, name, body },
    ...{ token, reason: secret('reason') },
    environment: { ...testSecrets, ...environment, ALLOW_UNSAFE_DB: '1' },
  })
  await until('all is processed', async () => {
    const rows = await db.query(
      sql`select from whatsapp_webhook_events where status in ('pending', 'processing')`,
    )
    return rows.length === 0
  })
  const ofOperator = async (path: string) =>
    (await gateway.call('GET', path, { key: adminKey })).text
  keep('metrics', { text: await ofOperator('/metrics'), holds: 'estafet_tenant_waiting{tenant="' })
  keep('health', {
    text: await ofOperator('/api/admin/whatsapp/health'),
    holds: 'account(s) need to be reconnected',
  })
  keep('accounting', { text: await ofOperator('/api/admin/whatsapp/accounting'), holds: 'adds_up' })
  // By `estafet trace`, which tells an operator ids and times.
  keep('trace', {
    text: traced.replaceAll(/wamid\.[A-Za-z0-9+/=_-]+/g, ''),
    holds: 'attempt ended: accepted',
    exempt: ['reason'],
  })
  await databaseFaults()
  await until('every step was exported', () => exportedSteps().length >= 7)
  await gateway.end('SIGTERM')
  keep('output', { text: gateway.stdout() + gateway.stderr(), holds: 'webhook_received' })
  keep('refusals', { text: refusals.join('\n'), holds: 'INVALID_SIGNATURE' })
})

function exportedSteps(): string[] {
  return [...new Set(collector.spans().map(({ name }) => name))].sort()
}

async function connectTenant(): Promise<void> {
  const asOperator = (path: string, what: unknown) =>
    ask(gateway.call('POST', `/api/admin/tenants${path}`, { key: adminKey, body: what }))
  const { id } = (await asOperator('', { name: 'Firm A' })).json
  tenantKey = (await asOperator(`/${id}/api-keys`, { name: 'test' })).json.key
  everything.push({ what: 'tenant key', text: tenantKey.slice('est_'.length) })
  const account = { ...number, display_phone_number: '+1 555-0100', access_token: token }
  const statuses = [
    await asOperator(`/${id}/accounts`, account),
    await asOperator(`/${id}/accounts`, account),
    await asOperator(`/${id}/accounts`, { ...account, waba_id: '', access_token: [token] }),
    await asOperator(`/${id}/accounts`, { ...account, display_phone_number: phone.repeat(9) }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([201, 409, 400, 400])
}

async function goodTraffic(): Promise<void> {
  const { from: _, ...fromUser } = textMessage(`${wamid}u`, body, { from_user_id: `US.${userId}` })
  const deliveries = [
    message(wamid),
    message(wamid),
    payload({ number, statuses: [statusUpdate(wamid, 'read', { recipient_id: phone })] }),
    payload({ number, messages: [fromUser] }),
    payload({ number: { ...number, waba_id: '1' }, messages: [textMessage(`${wamid}w`, body)] }),
  ]
  for (const delivery of deliveries) expect((await deliver(delivery)).status).toBe(200)
  const query = `hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${verifyToken}`
  const handshake = await gateway.call('GET', `/webhooks/whatsapp?${query}`)
  expect([handshake.status, handshake.text]).toEqual([200, '1158201444'])
}

async function badWebhooks(): Promise<void> {
  const good = JSON.stringify(message(`${wamid}m`))
  const stored = [
    good.slice(0, -20),
    `<html>${phone} ${name}</html>`,
    `from=%2B${phone}&body=${body}`,
    JSON.stringify([phone, name, body]),
    { object: body, entry: [{ id: phone, changes: name }] },
    payload({ number, messages: [{ from: phone, id: wamid, text: { body } }] }),
    payload({ number, contacts: body as never, messages: [{ id: phone, type: body }] }),
    payload({
      number: { ...number, phone_number_id: '999' },
      messages: [textMessage(wamid, body)],
    }),
    message(`${wamid}p`, `poison ${body}`),
  ]
  for (const delivery of stored) expect((await deliver(delivery)).status).toBe(200)
  const raw = bytesOf(good)
  const wrong = { 'x-hub-signature-256': signatureOf(raw, `${appSecret}x`) }
  expect((await deliver(raw, wrong)).status).toBe(401)
  expect((await deliver(raw, {})).status).toBe(401)
  expect((await deliver(raw, { 'x-hub-signature-256': `sha256=${appSecret}` })).status).toBe(401)
  // By its length alone; a client that goes on sending may not get to read the answer.
  const head = [
    'POST /webhooks/whatsapp HTTP/1.1',
    `Host: ${phone}`,
    'Content-Length: 9000000',
    'Connection: close',
    `X-Hub-Signature-256: ${signatureOf(raw)}`,
  ]
  const tooLarge = await bareRequest(`${head.join('\r\n')}\r\n\r\n${good}`)
  expect(tooLarge).toContain('HTTP/1.1 413')
  refusals.push(tooLarge)
  const query = `hub.mode=subscribe&hub.challenge=${phone}&hub.verify_token=${verifyToken}x`
  expect((await ask(gateway.call('GET', `/webhooks/whatsapp?${query}`))).status).toBe(403)
}

async function badRequests(): Promise<void> {
  const stranger = secret('stranger’s input')
  const key = tenantKey
  const statuses = [
    await gateway.call('GET', '/api/whatsapp/conversations', { key: secret('unknown key') }),
    await gateway.call('GET', '/api/whatsapp/accounts', { key: `est_${secret('unknown key')}` }),
    await gateway.call('GET', `/api/whatsapp/messages/${stranger}`, { key }),
    await gateway.call('GET', `/api/whatsapp/messages/msg_${wamid}`, { key }),
    await gateway.call('GET', `/api/whatsapp/conversations?after=${stranger}`, { key }),
    await gateway.call('GET', `/api/whatsapp/conversations?limit=${phone}`, { key }),
    await gateway.call('GET', `/nowhere/${stranger}?q=${phone}`, { key }),
    await gateway.call('GET', `/api/whatsapp/messages/%zz${stranger}`, { key }),
    await gateway.call('GET', `/api/whatsapp/messages/${stranger.repeat(40)}`, { key }),
    await gateway.call('GET', '/api/admin/whatsapp/health', { key }),
    await gateway.call('GET', '/metrics', { key: stranger }),
    await gateway.call('GET', '/api/whatsapp/accounts', {
      key: adminKey,
      headers: { 'x-tenant-id': stranger },
    }),
    ...(await Promise.all(
      [
        { name: [stranger] },
        { name: '', other: phone },
        { slug: `${stranger} ${phone}` },
        [stranger],
      ].map((what) => gateway.call('POST', '/api/admin/tenants', { key: adminKey, body: what })),
    )),
    await gateway.call('POST', '/api/admin/tenants', {
      key: adminKey,
      body: `{"name": "${stranger}`,
    }),
    await gateway.call('POST', '/api/admin/tenants', {
      key: adminKey,
      body: stranger,
      headers: { 'content-type': `text/${stranger}` },
    }),
  ]
  for (const reply of statuses) await ask(Promise.resolve(reply))
  expect(statuses.map(({ status }) => status).filter((status) => status < 400)).toEqual([])
  refusals.push(await bareRequest(`GET /${stranger} SMTP/9\r\n${phone}\r\n\r\n`))
}

/** What is answered to these bytes, up to the end of the connection. */
async function bareRequest(text: string): Promise<string> {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (part) => {
    answer += part
  })
  socket.write(text)
  await once(socket, 'close')
  return answer
}

async function databaseFaults(): Promise<void> {
  proxy.loseAnswerTo(`${wamid}lost`)
  expect((await deliver(message(`${wamid}lost`))).status).toBe(500)
  proxy.refuseEverything()
  expect((await deliver(message(`${wamid}late`))).status).toBe(500)
  const readiness = await ask(gateway.call('GET', '/readyz'))
  expect(readiness.status).toBe(503)
  proxy.heal()
}

describe('nothing personal and no secret leaves by a side door', () => {
  test.each(artefactNames)(`I8: not in the %s (SEED=${seed})`, (name) => {
    const { text, holds, exempt = [] } = readArtefact(name)
    expect(text).toContain(holds)
    expect(
      findLeaks(
        everything.filter(({ what }) => !exempt.includes(what)),
        text,
      ),
    ).toEqual([])
    expectNone(text, wamid)
  })

  test('I8: not in what was exported to the collector', () => {
    expect(exportedSteps()).toEqual([
      'post',
      'process',
      'queue',
      'receive',
      'record',
      'send',
      'status',
    ])
    expect(collector.calls[0]?.headers['x-token']).toBe(secret('collector token'))
    expect(findLeaks(everything, collector.text())).toEqual([])
    expectNone(collector.text(), wamid)
  })

  test('many different requests were refused', () => {
    expect(refusals.length).toBeGreaterThan(20)
  })

  test('the database’s error about the poisoned row was met and logged', () => {
    expect(gateway.logged('dead_lettered')).toContainEqual(
      expect.objectContaining({ error_code: 'PG_23514' }),
    )
  })

  test.each([
    ['as it is', (text: string) => `"to ${text}."`],
    ['in base64', (text: string) => Buffer.from(text).toString('base64')],
    ['in base64 after one byte', (text: string) => Buffer.from(`a${text}`).toString('base64')],
    ['in base64 before others', (text: string) => Buffer.from(`ab${text}cd`).toString('base64')],
    ['in base64url', (text: string) => Buffer.from(`abcd${text}~~`).toString('base64url')],
    ['in hexadecimal', (text: string) => Buffer.from(`x${text}`).toString('hex').toUpperCase()],
    ['percent-encoded', (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&')],
  ])('the search finds each of them %s', (_form, write) => {
    for (const one of everything) {
      expect(findLeaks(everything, `{"x":"${write(one.text)}"}`)).toContainEqual(
        expect.objectContaining({ what: one.what }),
      )
    }
  })
})

describe('the log', () => {
  test('is one JSON object a line, each of the contract’s form', () => {
    const lines = gateway.stdout().trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.filter((line) => !line.startsWith('{'))).toEqual([])
    checkLogLines(gateway.stdout())
    expect(gateway.stderr()).toBe(`Estafet listens on ${gateway.url}\n`)
  })

  test('tells the way of a webhook by one event id and one correlation id', () => {
    const [received] = gateway.logged('webhook_received')
    const ofIt = (event: string) =>
      gateway.logged(event).filter(({ eventId }) => eventId === received?.eventId)
    const ids = { eventId: received?.eventId, correlation_id: received?.correlation_id }
    const hashKey = logHashKey(Buffer.from(ring))

    expect(received).toMatchObject({
      eventId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      correlation_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      direction: 'inbound',
      statusCode: 200,
      duration_ms: expect.any(Number),
      inbound_event_id: hashForLog(hashKey, wamid),
    })
    expect(ofIt('inbound_processing_started')).toEqual([
      expect.objectContaining({ ...ids, direction: 'inbound', attempts: 1 }),
    ])
    expect(ofIt('inbound_processing_finished')).toEqual([
      expect.objectContaining({
        ...ids,
        direction: 'inbound',
        tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        phone_number_id: number.phone_number_id,
        wamid: hashForLog(hashKey, wamid),
        event_type: 'inbound_message',
        attempts: 1,
        duration_ms: expect.any(Number),
      }),
    ])
  })

  test('says why a webhook was refused', () => {
    const codes = gateway.logged('webhook_rejected').map(({ error_code }) => error_code)
    expect(new Set(codes)).toEqual(
      new Set([
        'INVALID_SIGNATURE',
        'PAYLOAD_TOO_LARGE',
        'VERIFICATION_FAILED',
        ...codes.slice(-2),
      ]),
    )
    expect(gateway.logged('webhook_rejected').map(({ statusCode }) => statusCode)).toEqual([
      401, 401, 401, 413, 403, 500, 500,
    ])
  })
})
