// Two firms with everything in them that a route can name, and a good request for every route of the API. A route that
// is new here fails the tests that walk all routes until it is told what to ask of it.
import { z } from 'zod'
import type { Route } from '../../src/api/route.ts'
import { readConfig } from '../../src/config.ts'
import { sql } from '../../src/db/connect.ts'
import { apiRoutes } from '../../src/gateway.ts'
import { createRuntime } from '../../src/runtime.ts'
import { operatorKey, type TestGateway, testSecrets } from './gateway.ts'
import { payload, textMessage } from './payloads.ts'

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
  /** What stands in for a parameter, by the word before it in the path. */
  ids: Record<string, string>
  /** Text that only this firm's answers may contain. */
  marks: string[]
}

/** A tenant with two accounts, and at least two of everything that a list shows; `name` is one word. */
export async function createFirm(gateway: TestGateway, name: string): Promise<Firm> {
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
  const message = sent.json.message_id
  const account = await first('/api/whatsapp/accounts')
  const letter = await first('/api/whatsapp/dlq')
  const keys = await asOperator('GET', '/api-keys')
  const ids = {
    tenants: id,
    'api-keys': keys.json.data[0].id,
    accounts: account,
    conversations: conversation,
    messages: message,
    dlq: letter,
  }
  const words = [`number-of-${name}`, `waba-of-${name}`, `Contact-of-${name}`, `Text-of-${name}`]
  return {
    id,
    key,
    phoneNumberId: number.phone_number_id,
    ids,
    marks: [...Object.values(ids), ...words, `wamid.${name}.`],
  }
}

/** A route's address with this firm's ids in it. */
export function pathFor({ path }: Route, { ids }: Pick<Firm, 'ids'>): string {
  return path.replace(/([\w-]+)\/:\w+/g, (_, word: string) => {
    const id = ids[word]
    if (id === undefined) throw new Error(`test/support/world.ts: what is the id of ${word}?`)
    return `${word}/${id}`
  })
}

/** Good bodies, by the route. */
const bodies: Record<string, (firm: Firm) => unknown> = {
  'POST /api/admin/tenants': () => ({ name: 'New' }),
  'PATCH /api/admin/tenants/:id': () => ({ name: 'Changed', max_concurrency: 3 }),
  'POST /api/admin/tenants/:id/api-keys': () => ({ name: 'new' }),
  'POST /api/admin/tenants/:id/accounts': (firm) => ({
    waba_id: 'waba-new',
    phone_number_id: `new-number-of-${firm.id}`,
    display_phone_number: '+1 555-0102',
    access_token: 'token',
  }),
  'POST /api/whatsapp/meta/send': (firm) => ({
    phone_number_id: firm.phoneNumberId,
    to: '16505550143',
    text: { body: 'Good morning' },
    // Whoever is written to here has been silent for long.
    fallback_template: { name: 'hello', language: { code: 'en' } },
  }),
  'PATCH /api/whatsapp/conversations/:id': () => ({ status: 'closed', assigned_user_id: null }),
  ...Object.fromEntries(
    ['/api/admin/whatsapp/dlq', '/api/whatsapp/dlq'].flatMap((base) =>
      ['requeue', 'discard'].flatMap((verb) => [
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

/** A dead letter is decided on once, a message cancelled once. This undoes both, for whoever wants to ask twice. */
export async function undecide({ db }: TestGateway): Promise<void> {
  await db.query(sql`
    update dead_letters
    set state = 'open', decided_at = null, decided_by = null, decision_reason = null`)
  await db.query(sql`
    update whatsapp_send_outbox
    set status = 'pending', lane_head = true
    where last_error = 'CANCELLED'`)
}

export function bodyFor(route: Route, firm: Firm): Record<string, unknown> | undefined {
  if (!route.body) return undefined
  const body = bodies[routeName(route)]
  if (!body) throw new Error(`test/support/world.ts: what is a good body of ${routeName(route)}?`)
  return body(firm) as Record<string, unknown>
}

/** How this firm, or the operator where one is needed, would call the route. */
export function goodCall(route: Route, firm: Firm) {
  const key = route.access === 'operator' ? operatorKey : firm.key
  return { path: pathFor(route, firm), key, body: bodyFor(route, firm) }
}

/** The names of a body's or a query's fields, the optional ones too. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  return Object.keys(jsonSchemaOf(schema).properties ?? {})
}

export function requiredOf(schema: z.ZodType | undefined): string[] {
  return jsonSchemaOf(schema).required ?? []
}

function jsonSchemaOf(schema: z.ZodType | undefined): z.core.JSONSchema.BaseSchema {
  return schema ? z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) : {}
}
