// The messages field on demand: every message type, any status, account-level errors.
import { statusFailure } from '../faults/error-catalogue.ts'
import { digitsOf, makeDigits, makeWamid, phoneInside } from '../identifiers.ts'
import { RequestError } from '../request-error.ts'
import type { Random } from '../time-and-chance.ts'
import type { BuiltEvent, EventContext } from './event-context.ts'
import { freshNumber, freshUserId, userIdOf } from './identity.ts'
import { contactOf, errorsUpdate, inboundUpdate, statusUpdate, webhookError } from './payloads.ts'
import type { Update } from './updates.ts'

export const plainMessageTypes = [
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contacts',
  'reaction',
  'button',
  'order',
  'edit',
  'revoke',
  'ephemeral',
  'unsupported',
] as const

const media = (random: Random, mime_type: string, more: object = {}) => ({
  ...more,
  mime_type,
  sha256: random.bytes(32).toString('base64'),
  id: makeDigits(16, random),
})

function contentOf(type: string, { random, person, wabaId }: EventContext): unknown {
  const earlier = () => makeWamid('outbound', phoneInside(person.wa_id ?? wabaId), random)
  switch (type as (typeof plainMessageTypes)[number]) {
    case 'text':
      return { body: 'Hello' }
    case 'image':
      return media(random, 'image/jpeg')
    case 'video':
      return media(random, 'video/mp4')
    case 'audio':
      return media(random, 'audio/ogg; codecs=opus', { voice: true })
    case 'document':
      return media(random, 'application/pdf', { filename: 'document.pdf' })
    case 'sticker':
      return media(random, 'image/webp', { animated: false })
    case 'location':
      return { latitude: 38.711, longitude: -9.136, name: 'Viveiro Sete Folhas' }
    case 'contacts':
      return [{ name: { formatted_name: 'Otis B. Lane' }, phones: [{ phone: '+1 555-010-0142' }] }]
    case 'reaction':
      return { message_id: earlier(), emoji: '👍' }
    case 'button':
      return { payload: 'yes', text: 'Yes' }
    case 'order':
      return {
        catalog_id: '194836987003835',
        product_items: [
          { product_retailer_id: 'planter-blue', quantity: 2, item_price: 12.5, currency: 'EUR' },
        ],
      }
    case 'edit':
      return {
        original_message_id: earlier(),
        message: { type: 'text', text: { body: 'Two planters, not three' } },
      }
    case 'revoke':
      return { original_message_id: earlier() }
    case 'unsupported':
      return { type: 'unknown' }
    case 'ephemeral':
      return {}
    default:
      return undefined
  }
}

const interactiveReplies: Record<string, object> = {
  button_reply: { id: 'yes', title: 'Yes' },
  list_reply: { id: 'slot-1', title: '09:30', description: 'Tuesday' },
  nfm_reply: { name: 'flow', body: 'Sent', response_json: '{"flow_token":"token","slot":"09:30"}' },
  call_permission_reply: { response: 'accept', response_source: 'user_action' },
}

function interactiveContent({ input }: EventContext): object {
  const kind = input.interactive ?? 'button_reply'
  const known = interactiveReplies[kind]
  if (known === undefined) throw unknownKind('interactive', Object.keys(interactiveReplies))
  return { type: kind, [kind]: known }
}

const systemTypes = ['user_changed_number', 'user_changed_user_id', 'customer_identity_changed']

interface SystemMessage {
  content: object
  extra?: object
  /** Whether the webhook names the person as a contact, and as the sender. */
  named: boolean
  isFromThem: boolean
}

function systemMessage(context: EventContext): SystemMessage {
  const { input, person, random, wabaId, nowSeconds } = context
  const type = input.system ?? 'user_changed_number'
  if (type === 'user_changed_number') {
    const next = freshNumber(person.wa_id ?? '', random)
    const body = `User ${person.name} changed from ${person.wa_id} to ${next}`
    return { content: { body, wa_id: next, type }, named: false, isFromThem: true }
  }
  if (type === 'user_changed_user_id') {
    const before = person.user_id ?? userIdOf(person.wa_id ?? '', wabaId)
    const next = freshUserId(before, random)
    const body = `User ${person.name} changed from ${before} to ${next}`
    return { content: { body, user_id: next, type }, named: false, isFromThem: false }
  }
  if (type !== 'customer_identity_changed') throw unknownKind('system', systemTypes)
  return {
    content: { body: 'User identity changed', type },
    extra: {
      identity: {
        acknowledged: false,
        created_timestamp: String(nowSeconds),
        hash: random.bytes(8).toString('base64'),
      },
    },
    named: true,
    isFromThem: true,
  }
}

/** Taps are answers to a message of the business. */
function isReply(type: string): boolean {
  return type === 'interactive' || type === 'button'
}

function quotedIn(context: EventContext): { from: string; id: string } {
  const { person, random } = context
  return {
    from: digitsOf(context.number().display_phone_number),
    id: makeWamid('outbound', phoneInside(person.wa_id ?? '0'), random),
  }
}

const unsupportedCodes: Record<number, { title: string; details: string }> = {
  131051: { title: 'Message type unknown', details: 'Message type is currently not supported.' },
  131052: { title: 'Media file too big', details: 'Max file size we currently support: 100 MB.' },
  131060: {
    title: 'This message is unavailable',
    details: 'The message is currently unavailable.',
  },
}

function unsupportedErrors({ input }: EventContext): object {
  const code = input.error_code ?? 131051
  const words = unsupportedCodes[code] ?? statusFailure({ code })
  return { errors: [webhookError({ code, ...words })] }
}

/** Types this simulator does not know can be tried as well: with the content that the caller gives. */
function messageUpdate(context: EventContext): Update {
  const { input, person, random, nowSeconds } = context
  const number = context.number()
  const type = input.type ?? 'text'
  const system = type === 'system' ? systemMessage(context) : undefined
  const content =
    system?.content ??
    (type === 'interactive' ? interactiveContent(context) : contentOf(type, context))
  const isList = Array.isArray(content) || (content === undefined && input.content === undefined)
  const from = system === undefined || system.isFromThem ? person : { name: person.name }
  return inboundUpdate(
    number,
    from,
    {
      wamid: input.wamid ?? makeWamid('inbound', phoneInside(person.wa_id ?? '0'), random),
      timestamp: String(nowSeconds),
      type,
      content: isList ? content : { ...(content as object), ...input.content },
      ...(isReply(type) ? { context: quotedIn(context) } : {}),
      extra: {
        ...system?.extra,
        ...(type === 'unsupported' ? unsupportedErrors(context) : {}),
        ...input.message,
      },
    },
    { contacts: system?.named ?? true },
  )
}

function statusOf(context: EventContext): Update {
  const { input, person, random, nowSeconds } = context
  const status = input.status ?? (input.error_code === undefined ? 'delivered' : 'failed')
  const code = input.error_code ?? 131026
  const { wa_id, user_id } = person
  const update = statusUpdate(
    context.number(),
    {
      wamid: input.wamid ?? makeWamid('outbound', phoneInside(wa_id ?? '0'), random),
      type: 'text',
      recipient: {
        input: wa_id ?? user_id ?? '',
        ...(wa_id === undefined ? {} : { wa_id }),
        ...(user_id === undefined ? {} : { user_id }),
      },
    },
    {
      status,
      timestamp: String(nowSeconds),
      ...(status === 'failed' ? { error: statusFailure({ code }) } : {}),
    },
  )
  const [plain] = update.value.statuses as object[]
  const contacts = wa_id === undefined ? { contacts: [contactOf(person)] } : {}
  const conversation = input.conversation ? { conversation: conversationOf(context, status) } : {}
  return {
    ...update,
    value: {
      ...update.value,
      ...contacts,
      statuses: [{ ...plain, ...conversation, ...input.content }],
    },
  }
}

/** Only `sent` says when the conversation ends. */
function conversationOf({ random, nowSeconds }: EventContext, status: string): object {
  return {
    id: random.bytes(16).toString('hex'),
    ...(status === 'sent' ? { expiration_timestamp: String(nowSeconds + 86_400) } : {}),
    origin: { type: 'service' },
  }
}

export function buildMessages(context: EventContext): BuiltEvent {
  const { type, error_code: code = 130429 } = context.input
  if (type === 'errors') {
    return { value: errorsUpdate(context.number(), statusFailure({ code })).value, timed: false }
  }
  const { value, item } = type === 'status' ? statusOf(context) : messageUpdate(context)
  return {
    value,
    timed: false,
    kind: item.kind === 'status' ? 'status' : 'message',
    ...(item.wamid === null ? {} : { wamid: item.wamid }),
    ...(item.status === null ? {} : { status: item.status }),
  }
}

function unknownKind(key: string, known: string[]): RequestError {
  return new RequestError(400, 'INVALID_REQUEST', `${key}: must be one of ${known.join(', ')}`)
}
