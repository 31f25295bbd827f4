// Two firms with everything in them that a route can name, and a good request for every route of the API. A route that
// is new here fails the tests that walk all routes until it is told what to ask of it.
import { z } from 'zod'
import type { Simulator } from '../../simulator/server.ts'
import type { Route } from '../../src/api/route.ts'
import { readConfig } from '../../src/config.ts'
import { sql } from '../../src/db/connect.ts'
import { apiRoutes } from '../../src/gateway.ts'
import { uuidOf } from '../../src/ids.ts'
import { createRuntime } from '../../src/runtime.ts'
import { createCounter } from './after-file.ts'
import {
  accessTokenOf,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
  testSecrets,
} from './gateway.ts'
import { fileForm, jpegBytes } from './media.ts'
import { payload, textMessage } from './payloads.ts'
import { password, restorePeople, type SeededPerson, seedPerson } from './people.ts'
import { registerNumber, startQuietSimulator } from './sending.ts'

/** A gateway with a Meta behind it: some routes ask it before they answer. */
export interface World extends TestGateway {
  simulator: Simulator
}

export async function startWorld(options: TestGatewayOptions = {}): Promise<World> {
  const simulator = await startQuietSimulator()
  // Nothing is approved, refused or told by itself: what a route answers depends on the route alone.
  simulator.setGraphSettings({ template_review: { mode: 'manual' } })
  const environment = {
    META_GRAPH_URL: simulator.url,
    INTERNAL_TASK_TOKEN: internalToken,
    ...options.environment,
  }
  return { ...(await startTestGateway({ ...options, environment })), simulator }
}

/** Every route as declared, without a database behind it: to make test cases of. */
export function declaredRoutes(): Route[] {
  const config = readConfig(testSecrets, { mode: 'dev' })
  return apiRoutes(createRuntime({ config, databaseUrl: 'postgres://127.0.0.1:1/nowhere' }))
}

export const routeName = ({ method, path }: Route) => `${method} ${path}`

export interface Firm {
  id: string
  key: string
  phoneNumberId: string
  /** An admin of it. */
  person: SeededPerson
  /** What their browser sends. */
  browser: Record<string, string>
  /** What stands in for a parameter, by the word before it in the path. */
  ids: Record<string, string>
  /** Text that only this firm's answers may contain. */
  marks: string[]
}

/** A tenant with two accounts, and at least two of everything that a list shows; `name` is one word. */
export async function createFirm(gateway: World, name: string): Promise<Firm> {
  const number = { waba_id: `waba-of-${name}`, phone_number_id: `number-of-${name}` }
  const { id, key } = await gateway.createTenant(name, number)
  const asOperator = (method: string, path: string, body?: unknown) =>
    gateway.call(method, `/api/admin/tenants/${id}${path}`, { key: operatorKey, body })
  await asOperator('POST', '/accounts', {
    ...number,
    phone_number_id: `second-number-of-${name}`,
    display_phone_number: '+1 555-0101',
    access_token: 'token',
  })
  const contacts = ['16505550143', '16505550144'].map((wa_id) => ({
    wa_id,
    profile: { name: `Contact-of-${name}` },
  }))
  const messages = contacts.flatMap(({ wa_id }) =>
    [1, 2].map((count) =>
      textMessage(`wamid.${name}.${wa_id}.${count}`, `Text-of-${name}`, { from: wa_id }),
    ),
  )
  const nameless = [1, 2].map((count) => ({ text: { body: `Text-of-${name} ${count}` } }))
  await gateway.deliver(payload({ number, messages: [...messages, ...nameless], contacts }))
  const preferences = {
    metadata: { phone_number_id: number.phone_number_id },
    user_preferences: ['stop', 'resume'].map((value) => ({ wa_id: '16505550143', value })),
  }
  await gateway.deliver({
    entry: [{ id: number.waba_id, changes: [{ field: 'user_preferences', value: preferences }] }],
  })
  await gateway.drain()
  await parkLetters(gateway, id, number.phone_number_id)

  const first = async (path: string) => (await gateway.call('GET', path, { key })).json.data[0].id
  const conversation = await first('/api/whatsapp/conversations')
  const sent = await gateway.call('POST', '/api/whatsapp/meta/send', {
    key,
    body: {
      phone_number_id: number.phone_number_id,
      to: '16505550143',
      template: {
        name: `text_of_${name.toLowerCase().replaceAll(/\W/g, '_')}`,
        language: { code: 'en' },
      },
      type: 'template',
    },
  })
  registerNumber(gateway.simulator, {
    wabaId: number.waba_id,
    phoneNumberId: number.phone_number_id,
    accessToken: accessTokenOf(name),
  })
  pauseTemplate(gateway, number.waba_id, name)
  await gateway.call('POST', '/api/whatsapp/meta/templates/sync', { key })
  const uploaded = await gateway.call('POST', '/api/whatsapp/meta/media', {
    key,
    body: fileForm(jpegBytes, 'image/jpeg'),
  })
  const keys = await asOperator('GET', '/api-keys')
  const person = await hireTwo(gateway, id)
  const ids = {
    ...(await createTargets(gateway, key, name)),
    tenants: id,
    'api-keys': keys.json.data[0].id,
    accounts: await first('/api/whatsapp/accounts'),
    people: person.id,
    conversations: conversation,
    messages: sent.json.message_id,
    media: uploaded.json.media_id,
    dlq: await first('/api/whatsapp/dlq'),
    suppressions: await suppressTwo(gateway, key, number.phone_number_id),
    templates: await first('/api/whatsapp/meta/templates?status=PAUSED'),
  }
  const words = [`number-of-${name}`, `waba-of-${name}`, `Contact-of-${name}`, `Text-of-${name}`]
  return {
    id,
    key,
    phoneNumberId: number.phone_number_id,
    person,
    browser: person.headers(new URL(gateway.url).host),
    ids,
    marks: [...Object.values(ids), ...words, `wamid.${name}.`],
  }
}

/** The first of two. */
async function hireTwo({ db }: TestGateway, tenantId: string): Promise<SeededPerson> {
  await seedPerson(db, { role: 'agent', tenantId })
  return seedPerson(db, { role: 'admin', tenantId })
}

/** The first of two. */
async function suppressTwo(gateway: TestGateway, key: string, phoneNumberId: string) {
  const ids: string[] = []
  for (const to of ['16505550145', '16505550146']) {
    const body = { phone_number_id: phoneNumberId, to, reason: 'why' }
    const made = await gateway.call('POST', '/api/whatsapp/suppressions', { key, body })
    ids.push(made.json.id)
  }
  return ids[0] ?? ''
}

/** Its dead letters are from now on about messages of which nobody knows whether Meta has them: every decision is possible. */
async function parkLetters({ db }: TestGateway, tenantId: string, phoneNumberId: string) {
  const letters = await db.query(sql<{ id: string }>`
    select id from dead_letters where tenant_id = ${tenantId}`)
  for (const letter of letters) {
    await db.query(sql`
      with message as (
        insert into whatsapp_messages
          (id, tenant_id, phone_number_id, direction, type, status, content, occurred_at, created_at, correlation_id)
        values (gen_random_uuid(), ${tenantId}, ${phoneNumberId}, 'outbound', 'text', 'unknown', '{}', now(), now(),
          gen_random_uuid())
        returning id, correlation_id
      ),
      send as (
        insert into whatsapp_send_outbox
          (tenant_id, phone_number_id, message_id, status, next_run_at, lane, due_at, lane_head, payload, correlation_id)
        select ${tenantId}, ${phoneNumberId}, id, 'failed', now(), 'nobody', now(), false, '{}', correlation_id
        from message
        returning id, message_id
      ),
      attempt as (
        insert into send_attempts (id, tenant_id, outbox_id, worker_id, finished_at, outcome)
        select gen_random_uuid(), ${tenantId}, id, 0, now(), 'unknown' from send
      )
      update dead_letters d
      set kind = 'unknown', event_id = null, item_path = '', outbox_id = send.id, message_id = send.message_id
      from send
      where d.id = ${letter.id}`)
  }
}

/** A template that can be read, edited, unpaused and deleted. */
function pauseTemplate({ simulator }: World, wabaId: string, firm: string): void {
  const name = 'paused_notice'
  const known = simulator.templates(wabaId).find((one) => one.name === name)
  if (known) return void simulator.changeTemplate(known.id, { status: 'PAUSED' })
  simulator.seedTemplate({
    waba_id: wabaId,
    name,
    status: 'PAUSED',
    components: [{ type: 'BODY', text: `Text-of-${firm} for you` }],
  })
}

async function createTargets(gateway: TestGateway, key: string, name: string) {
  const channels = await createChannels(gateway, key, name)
  return { ...channels, ...(await createEndpoints(gateway, key, name)) }
}

/** Channels that nobody serves, and what was wrong. */
async function createChannels(gateway: TestGateway, key: string, name: string) {
  const base = '/api/whatsapp/alert-channels'
  const create = (target: string) =>
    gateway.call('POST', base, { key, body: { kind: 'webhook', target, description: target } })
  const { json } = await create(`http://127.0.0.1:9/Text-of-${name}`)
  for (const more of ['second', 'third']) await create(`http://127.0.0.1:9/Text-of-${name}/${more}`)
  for (const count of [1, 2]) {
    await gateway.db.query(sql`
      insert into alerts (id, tenant_id, rule, subject, severity, since, fired_at, notified_at, count, summary)
      select gen_random_uuid(), tenant_id, 'reauth_needed', ${`${name}-${count}`}, 'critical', at, at, at, 1,
        ${`Text-of-${name}`}
      from alert_channels
      -- As the product writes it: cursors know milliseconds.
      cross join date_trunc('milliseconds', now()) as at
      where id = ${uuidOf('ach', json.id)}`)
  }
  // The operator may have ten, and has one for each firm: the oldest make room.
  await gateway.db.query(sql`
    delete from alert_channels
    where id in (
      select id from alert_channels where tenant_id is null order by created_at desc, id desc offset 5)`)
  const body = { kind: 'webhook', target: 'http://127.0.0.1:9/', description: 'the operator’s' }
  const operators = await gateway.call('POST', '/api/admin/alert-channels', {
    key: operatorKey,
    body,
  })
  return { 'alert-channels': json.id, 'admin/alert-channels': operators.json.id }
}

/** Endpoints that nobody serves, and what waits for the first of them. */
async function createEndpoints(gateway: TestGateway, key: string, name: string) {
  const base = '/api/whatsapp/event-endpoints'
  const create = (url: string) => gateway.call('POST', base, { key, body: { url, events: ['*'] } })
  const { json: first } = await create(`http://127.0.0.1:9/Text-of-${name}`)
  for (const more of ['second', 'third']) await create(`http://127.0.0.1:9/Text-of-${name}/${more}`)
  for (const _ of [1, 2]) await gateway.call('POST', `${base}/${first.id}/test`, { key })
  await gateway.db.query(sql`select events_route(1000, 1000)`)
  const { json } = await gateway.call('GET', `${base}/${first.id}/deliveries`, { key })
  await keepEndpoints(gateway)
  return { 'event-endpoints': first.id, deliveries: json.data[0].event_id }
}

/** A route's address with this firm's ids in it. */
export function pathFor({ path }: Route, { ids }: Pick<Firm, 'ids'>): string {
  return path.replace(/((?:admin\/)?[\w-]+)\/:\w+/g, (_, word: string) => {
    // Of what the operator has too, it has its own.
    const id = ids[word] ?? ids[word.replace('admin/', '')]
    if (id === undefined) throw new Error(`test/support/world.ts: what is the id of ${word}?`)
    return `${word}/${id}`
  })
}

const nextTemplate = createCounter()
const nextPerson = createCounter()

/** What lets into the internal endpoints of a world. */
export const internalToken = 'internal-token-for-tests'

/** Good bodies, by the route. */
const bodies: Record<string, (firm: Firm) => unknown> = {
  'POST /internal/process_inbound': () => ({
    event_id: '00000000-0000-4000-8000-000000000000',
    inbound_event_id: 'of-nobody',
    correlation_id: '00000000-0000-4000-8000-000000000001',
  }),
  'POST /internal/process_outbound': () => ({
    outbox_id: '1',
    idempotency_key: 'of-nobody',
    correlation_id: '00000000-0000-4000-8000-000000000001',
  }),
  'POST /api/admin/tenants': () => ({ name: 'New' }),
  'PATCH /api/admin/tenants/:id': () => ({ name: 'Changed', max_concurrency: 3 }),
  'POST /api/admin/tenants/:id/api-keys': () => ({ name: 'new' }),
  'POST /api/admin/tenants/:id/accounts': (firm) => ({
    waba_id: 'waba-new',
    phone_number_id: `new-number-of-${firm.id}`,
    display_phone_number: '+1 555-0102',
    access_token: 'token',
  }),
  'POST /api/admin/people': (firm) => ({
    email: `new-${nextPerson()}@firm.example`,
    name: 'New',
    role: 'agent',
    tenant_id: firm.id,
  }),
  'PATCH /api/admin/people/:id': () => ({ name: 'Renamed' }),
  'POST /api/whatsapp/people': () => ({
    email: `new-${nextPerson()}@firm.example`,
    name: 'New',
    role: 'agent',
  }),
  'PATCH /api/whatsapp/people/:id': () => ({ name: 'Renamed' }),
  'POST /api/console/sign-in': ({ person }) => ({ email: person.email, password }),
  'POST /api/console/link': ({ person }) => ({ token: person.linkToken }),
  'POST /api/console/link/accept': ({ person }) => ({ token: person.linkToken, password }),
  'POST /api/console/password': () => ({ current_password: password, password }),
  'PATCH /api/admin/tenants/:id/accounts/:accountId': () => ({ responder: 'echo' }),
  'PATCH /api/whatsapp/accounts/:id': () => ({ responder: 'off', auto_reply_text: 'Thank you' }),
  'POST /api/whatsapp/suppressions': (firm) => ({
    phone_number_id: firm.phoneNumberId,
    to: '16505550147',
    reason: 'why',
  }),
  'POST /api/whatsapp/suppressions/:id/lift': () => ({ reason: 'why' }),
  'POST /api/whatsapp/meta/send': (firm) => ({
    phone_number_id: firm.phoneNumberId,
    to: '16505550143',
    text: { body: 'Good morning' },
    // Whoever is written to here has been silent for long.
    fallback_template: { name: 'hello_world', language: { code: 'en_US' } },
  }),
  'POST /api/whatsapp/meta/templates': (firm) => ({
    phone_number_id: firm.phoneNumberId,
    // Meta does not take a name twice.
    name: `notice_${nextTemplate()}`,
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Good morning' }],
  }),
  'PATCH /api/whatsapp/meta/templates/:id': () => ({
    components: [{ type: 'BODY', text: 'Good evening' }],
  }),
  'POST /api/whatsapp/meta/templates/:id/preview': () => ({ components: [{ type: 'body' }] }),
  'POST /api/whatsapp/meta/templates/preview': () => ({
    template: { category: 'UTILITY', components: [{ type: 'BODY', text: 'Good morning' }] },
    components: [],
  }),
  'POST /api/whatsapp/meta/templates/samples': (firm) => ({ media_id: firm.ids.media }),
  'POST /api/integrations/meta/whatsapp/reconnect': (firm) => ({ account_id: firm.ids.accounts }),
  'POST /api/whatsapp/accounts/:id/doctor/register': () => ({ pin: '123456' }),
  'POST /api/whatsapp/meta/media': () => fileForm(jpegBytes, 'image/jpeg'),
  'POST /api/whatsapp/event-endpoints': () => ({ url: 'http://127.0.0.1:9/', events: ['*'] }),
  ...Object.fromEntries(
    ['/api/admin/tenants/:id', '/api/admin', '/api/whatsapp'].map((base) => [
      `POST ${base}/alert-channels`,
      () => ({ kind: 'slack', target: 'http://127.0.0.1:9/' }),
    ]),
  ),
  'PATCH /api/whatsapp/event-endpoints/:id': () => ({ description: 'changed' }),
  'POST /api/whatsapp/event-endpoints/:id/replay': () => ({ from: '2000-01-01T00:00:00Z' }),
  'PATCH /api/whatsapp/conversations/:id': () => ({ status: 'closed', assigned_user_id: null }),
  ...Object.fromEntries(
    ['/api/admin/whatsapp/dlq', '/api/whatsapp/dlq'].flatMap((base) =>
      ['requeue', 'discard', 'mark-sent'].flatMap((verb) => [
        [`POST ${base}/:id/${verb}`, () => ({ reason: 'why' })],
        [`POST ${base}/${verb}`, (firm: Firm) => ({ ids: [firm.ids.dlq], reason: 'why' })],
      ]),
    ),
  ),
  'POST /api/admin/whatsapp/events/replay': (firm) => ({
    from: '2000-01-01T00:00:00Z',
    to: '3000-01-01T00:00:00Z',
    tenant_id: firm.id,
    reason: 'why',
    dry_run: false,
  }),
}

const endpointTables = ['event_endpoints', 'event_queues', 'event_deliveries', 'alert_channels']

/** A copy of every endpoint that there is by now. */
async function keepEndpoints({ db }: TestGateway): Promise<void> {
  await db.session(async (session) => {
    await session.script('drop schema if exists kept cascade; create schema kept')
    for (const name of endpointTables)
      await session.script(`create table kept.${name} as table ${name}`)
  })
}

/** Asked some hundred times in a run of the tests: all at once, and only what is not as it was. */
const undoing = [
  `update dead_letters
  set state = 'open', decided_at = null, decided_by = null, decision_reason = null
  where state <> 'open'`,
  'delete from whatsapp_send_outbox where parent_id is not null',
  `update whatsapp_messages m
  set status = 'unknown'
  from dead_letters d
  where d.tenant_id = m.tenant_id and d.message_id = m.id and m.status <> 'unknown'`,
  `update whatsapp_send_outbox set status = 'pending', lane_head = true where last_error = 'CANCELLED'`,
  `update whatsapp_messages set status = 'queued' where status = 'cancelled'`,
  `update whatsapp_suppressions set is_active = true where reason = 'operator' and not is_active`,
  ...endpointTables.map(
    (name) =>
      `insert into ${name} overriding system value table kept.${name} on conflict do nothing`,
  ),
].join(';\n')

/** A dead letter is decided on once, a message cancelled once, a suppression lifted, a paused template unpaused, an
 *  endpoint deleted once. This undoes it all, for whoever wants to ask twice. */
export async function undecide(world: World): Promise<void> {
  const { db, simulator } = world
  await db.session((session) => session.script(undoing))
  const paused = await db.query(sql<{ waba_id: string }>`
    update whatsapp_templates
    set status = 'PAUSED', status_at = 'epoch', gone_at = null
    where name = 'paused_notice' and (status <> 'PAUSED' or gone_at is not null)
    returning waba_id`)
  for (const { waba_id } of paused) {
    pauseTemplate(world, waba_id, waba_id.replace('waba-of-', ''))
    const known = simulator.templates(waba_id).find(({ name }) => name === 'paused_notice')
    await db.query(sql`
      update whatsapp_templates
      set meta_id = ${known?.id}
      where waba_id = ${waba_id} and name = 'paused_notice'`)
  }
  await restorePeople(db)
}

export function bodyFor(route: Route, firm: Firm): Record<string, unknown> | undefined {
  if (!route.body && !route.form) return undefined
  const body = bodies[routeName(route)]
  if (!body) throw new Error(`test/support/world.ts: what is a good body of ${routeName(route)}?`)
  return body(firm) as Record<string, unknown>
}

/** How this firm, its admin or the operator, whoever is needed, would call the route. */
export function goodCall(route: Route, firm: Firm) {
  const path = pathFor(route, firm)
  const body = bodyFor(route, firm)
  if (route.access === 'page' || route.access === 'person') {
    return { path, body, headers: firm.browser }
  }
  if (route.access === 'internal') {
    return { path, body, headers: { 'x-internal-token': internalToken } }
  }
  return { path, body, key: route.access === 'operator' ? operatorKey : firm.key, headers: {} }
}

/** Of a tenant's data. */
export const isTenants = ({ access }: Route) => access === 'tenant' || access === 'agent'

/** The names of a body's or a query's fields, the optional ones too. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  return Object.keys(jsonSchemaOf(schema).properties ?? {})
}

export function requiredOf(schema: z.ZodType | undefined): string[] {
  return jsonSchemaOf(schema).required ?? []
}

export function jsonSchemaOf(schema: z.ZodType | undefined): z.core.JSONSchema.BaseSchema {
  if (!schema) return {}
  const { $defs = {}, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  // What has a name stands among the definitions.
  const inlined = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inlined)
    if (typeof node !== 'object' || node === null) return node
    const { $ref, ...own } = node as { $ref?: string }
    const named = $ref === undefined ? {} : $defs[$ref.replace('#/$defs/', '')]
    const entries = Object.entries({ ...named, ...own })
    return Object.fromEntries(entries.map(([name, one]) => [name, inlined(one)]))
  }
  return inlined(rest) as z.core.JSONSchema.BaseSchema
}
