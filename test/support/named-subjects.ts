// Every field of every tenant's route that can name something of a firm, and good calls that name it.
import { expect } from 'vitest'
import type { Route } from '../../src/api/route.ts'
import { sql } from '../../src/db/connect.ts'
import { mediaKinds } from '../../src/media/kinds.ts'
import type { Answer } from './gateway.ts'
import { interactiveMessages, plainMessages } from './messages-to-send.ts'
import {
  bodyFor,
  declaredRoutes,
  type Firm,
  fieldsOf,
  isTenants,
  jsonSchemaOf,
  pathFor,
  routeName,
  type World,
} from './world.ts'

export interface NamedFirm extends Firm {
  /** A message that has a dead letter. */
  deadMessage: string
}

/** What else can be named: the message of a dead letter, a reference, somebody with a conversation, an event. */
export async function addSubjects(gateway: World, firm: Firm): Promise<NamedFirm> {
  const { id, key, ids, phoneNumberId } = firm
  const { json } = await gateway.call('GET', '/api/whatsapp/dlq', { key })
  const template = { name: 'hello_world', language: { code: 'en_US' } }
  const body = { to: '16505550143', phone_number_id: phoneNumberId, type: 'template', template }
  const sent = await gateway.call('POST', '/api/whatsapp/meta/send', {
    key,
    body: { ...body, client_reference: referenceOf(id) },
  })
  expect(sent.status).toBe(202)
  const conversation = `/api/whatsapp/conversations/${ids.conversations}`
  const assigned = { key, body: { assigned_user_id: ids.people } }
  expect((await gateway.call('PATCH', conversation, assigned)).status).toBe(200)
  // Only what was told once can be told again.
  await gateway.db.query(sql`
    update event_deliveries set status = 'done', lane_head = false where tenant_id = ${id}`)
  return { ...firm, deadMessage: json.data[0].message_id }
}

/** Every field that takes a text of any kind, deeply; with the word before where its own says little: `image.id`. */
function namesIn(schema: unknown, name = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { type, enum: choices, const: only, properties, ...rest } = schema as Record<string, object>
  const isText = [type].flat().includes('string' as never) && !choices && only === undefined
  const { items, anyOf, oneOf, allOf, additionalProperties } = rest
  const inner = [items, anyOf, oneOf, allOf, additionalProperties].flatMap((one) => one ?? [])
  const before = name.split('.').at(-1)
  return [
    ...(isText && name !== '' ? [name] : []),
    ...inner.flatMap((one) => namesIn(one, name)),
    ...Object.entries(properties ?? {}).flatMap(([field, one]) =>
      namesIn(one, ['id', 'message_id'].includes(field) && before ? `${before}.${field}` : field),
    ),
  ]
}

/** What a field can name of a firm. */
export const subjects: Record<string, (firm: NamedFirm) => unknown> = {
  phone_number_id: ({ phoneNumberId }) => phoneNumberId,
  tenant_id: ({ id }) => id,
  account_id: ({ ids }) => ids.accounts,
  assigned_user_id: ({ ids }) => ids.people,
  media_id: ({ ids }) => ids.media,
  message_id: ({ deadMessage }) => deadMessage,
  'filter.message_id': ({ deadMessage }) => deadMessage,
  ids: ({ ids }) => [ids.dlq],
  event_ids: ({ ids }) => [ids.deliveries],
  responder_for: ({ ids }) => [ids.accounts],
  subject: ({ ids }) => ids['event-endpoints'],
  actor: ({ ids }) => ids['api-keys'],
  client_reference: ({ id }) => referenceOf(id),
  ...Object.fromEntries(mediaKinds.map((kind) => [`${kind}.id`, ({ ids }: Firm) => ids.media])),
}
/** The caller's own words, or Meta's: nothing of ours is looked up by them. What is searched for (`q`) and where a page begins
 *  (`after`) have tests of their own. */
export const wordsOnly = [
  ...['wa_id', 'user_id', 'catalog_id', 'flow_id', 'reference_id', 'product_retailer_id'],
  ...['thumbnail_product_retailer_id', 'reply.id', 'rows.id', 'quick_reply.id'],
  ...['saved_addresses.id', 'context.message_id', 'reaction.message_id'],
  ...[
    'action',
    'address',
    'after',
    'auto_reply_text',
    'birthday',
    'biz_opaque_callback_data',
    'body',
  ],
  ...['button', 'caption', 'category', 'city', 'code', 'company', 'country'],
  ...[
    'country_code',
    'coupon_code',
    'created_after',
    'created_before',
    'department',
    'description',
    'display_text',
  ],
  ...['email', 'emoji', 'error_code', 'expires_at', 'fallback_value', 'field', 'filename'],
  ...['first_name', 'flow_cta', 'flow_name', 'flow_token', 'formatted_name', 'from', 'index'],
  ...['language', 'last_name', 'latitude', 'link', 'longitude', 'middle_name', 'name'],
  ...['parameter_format', 'parameter_name', 'payload', 'phone', 'pin', 'prefix', 'q'],
  ...[
    'reason',
    'recipient',
    'recipient_identity_key_hash',
    'screen',
    'send_at',
    'start_at',
    'state',
  ],
  ...['status', 'street', 'sub_text', 'sub_type', 'suffix', 'target', 'text'],
  ...['title', 'to', 'ttl_minutes', 'type', 'url', 'zip'],
]
const referenceOf = (id: string) => `reference-of-${id}`

export const naming = () =>
  declaredRoutes()
    .filter(isTenants)
    .flatMap((route) =>
      (['query', 'body'] as const).flatMap((part) => {
        const names = new Set(namesIn(jsonSchemaOf(route[part])))
        // What is sent may carry a reference of the sender's own.
        if (route.path === '/api/whatsapp/meta/send') names.delete('client_reference')
        return [...names]
          .filter((name) => !wordsOnly.includes(name))
          .map((name) => [routeName(route), name, part, route] as const)
      }),
    )

const withPicture = {
  name: 'autumn_promo',
  language: { code: 'en' },
  components: [
    { type: 'header', parameters: [{ type: 'image', image: { link: 'https://files.example/a' } }] },
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Mara' }] },
    { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'mara' }] },
  ],
}
const messages = [
  ...Object.values({ ...plainMessages, ...interactiveMessages }),
  { type: 'template', template: withPicture },
  { type: 'text', text: { body: 'Hello' }, fallback_template: withPicture },
]

/** Messages with a file of this kind, named by this id. */
const messagesNaming = (kind: string, id: unknown) =>
  messages
    .filter((message) => JSON.stringify(message).includes(`"${kind}":{`))
    .map((message) =>
      JSON.parse(JSON.stringify(message), (key, value) =>
        key === kind && typeof value === 'object' ? { id } : value,
      ),
    )

/** What a good body would have instead. */
const insteadOf: Record<string, string> = { account_id: 'phone_number_id', event_ids: 'from' }

interface Naming {
  gateway: World
  firm: Firm
  route: Route
  part: 'query' | 'body'
  name: string
}

/** Good calls of this firm that name `subject` in this field. */
export function callsNaming(
  { gateway, firm, route, part, name }: Naming,
  subject: unknown,
): (() => Promise<Answer>)[] {
  const path = pathFor(route, firm)
  const good = bodyFor(route, firm)
  const call = (at: string, body: unknown) => () =>
    gateway.call(route.method, at, { key: firm.key, body })
  if (part === 'query') return [call(`${path}?${name}=${subject}`, good)]
  const [kind = '', isFile] = name.split('.')
  if (isFile === 'id') {
    return messagesNaming(kind, subject).map((message) =>
      call(path, { ...good, text: undefined, ...message }),
    )
  }
  const rest = { ...good, [insteadOf[name] ?? 'ids']: undefined }
  if (fieldsOf(route.body).includes(name) || route.path.endsWith('/send')) {
    return [call(path, { ...rest, [name]: subject })]
  }
  return [call(path, { ...rest, filter: { [name.replace('filter.', '')]: subject } })]
}

/** The same subject, and nobody's. */
export const nobodys = (subject: unknown): unknown =>
  Array.isArray(subject)
    ? subject.map(nobodys)
    : String(subject).replace(/[0-9a-f-]{12}$|-of-\w+$/, (end) => end.replaceAll(/\w/g, '0'))
