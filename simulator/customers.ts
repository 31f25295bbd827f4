// What a customer can write, and how the simulator completes it into what Meta would report.
import { z } from 'zod'
import { digitsOf, isBusinessScopedUserId, makeDigits } from './identifiers.ts'
import { parseInput, RequestError } from './request-error.ts'
import type { Random } from './time-and-chance.ts'
import type { Person } from './webhooks/payloads.ts'

const text = z
  .union([z.string(), z.looseObject({ body: z.string() })], 'must be a string or {body}')
  .transform((value) => (typeof value === 'string' ? { body: value } : value))

const media = z
  .looseObject({
    id: z.string().optional(),
    mime_type: z.string().optional(),
    sha256: z.string().optional(),
  })
  .default({})

const reply = z.looseObject({ id: z.string(), title: z.string() })

const contents = {
  text,
  image: media,
  audio: media,
  video: media,
  document: media,
  sticker: media,
  location: z.looseObject({ latitude: z.number(), longitude: z.number() }),
  contacts: z.array(z.looseObject({})).min(1),
  reaction: z.looseObject({ message_id: z.string(), emoji: z.string().optional() }),
  interactive: z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('button_reply'), button_reply: reply }),
    z.looseObject({ type: z.literal('list_reply'), list_reply: reply }),
    z.looseObject({
      type: z.literal('nfm_reply'),
      nfm_reply: z.looseObject({ response_json: z.string() }),
    }),
    z.looseObject({
      type: z.literal('call_permission_reply'),
      call_permission_reply: z.looseObject({ response: z.string() }),
    }),
  ]),
  order: z.looseObject({
    catalog_id: z.string(),
    product_items: z.array(z.looseObject({ product_retailer_id: z.string() })).min(1),
  }),
  button: z.looseObject({ payload: z.string().optional(), text: z.string() }),
  edit: z.looseObject({
    original_message_id: z.string(),
    message: z.looseObject({ type: z.string() }),
  }),
  revoke: z.looseObject({ original_message_id: z.string() }),
}

type MessageType = keyof typeof contents

const contextSchema = z
  .looseObject({
    id: z.string().optional(),
    from: z.string().optional(),
    forwarded: z.boolean().optional(),
    frequently_forwarded: z.boolean().optional(),
  })
  .refine(
    ({ id, forwarded, frequently_forwarded }) => Boolean(id ?? forwarded ?? frequently_forwarded),
    'must have an id, or be forwarded',
  )

const messageSchema = z.looseObject({
  phone_number_id: z.string(),
  type: z.enum(Object.keys(contents) as [MessageType, ...MessageType[]]),
  name: z.string().optional(),
  user_id: z.string().refine(isBusinessScopedUserId, 'must look like US.13491208655302').optional(),
  username: z.string().optional(),
  /** What the customer replies to, asks about, or forwards. */
  context: contextSchema.optional(),
  /** The advertisement that brought the customer here. */
  referral: z.looseObject({}).optional(),
  group_id: z.string().optional(),
})

export type CustomerMessage = z.input<typeof messageSchema>

export function readCustomerMessage(input: unknown) {
  const message = parseInput(messageSchema, input)
  const content = parseInput(contents[message.type], message[message.type], [message.type])
  const { referral, group_id } = message
  const extra = {
    ...(referral === undefined ? {} : { referral }),
    ...(group_id === undefined ? {} : { group_id }),
  }
  return { ...message, content, extra }
}

export type ReadCustomerMessage = ReturnType<typeof readCustomerMessage>

/** For whom nobody has named. */
export const madeUpName = (id: string) => `Customer ${id.slice(-4)}`

/** `id` is a phone number, or a business-scoped user id for a customer who shows no number. */
export function readCustomer(id: string, message: ReadCustomerMessage): Person {
  const username = message.username === undefined ? {} : { username: message.username }
  const name = message.name ?? madeUpName(id)
  if (isBusinessScopedUserId(id)) return { user_id: id, name, ...username }
  if (!/^\+?\d{5,20}$/.test(id)) {
    throw new RequestError(
      400,
      'INVALID_REQUEST',
      'wa_id: must be 5 to 20 digits, or a business-scoped user id such as US.13491208655302',
    )
  }
  const userId = message.user_id === undefined ? {} : { user_id: message.user_id }
  return { wa_id: digitsOf(id), ...userId, name, ...username }
}

const mediaDefaults: Partial<Record<MessageType, object>> = {
  image: { mime_type: 'image/jpeg' },
  audio: { mime_type: 'audio/ogg; codecs=opus', voice: true },
  video: { mime_type: 'video/mp4' },
  document: { mime_type: 'application/pdf', filename: 'document.pdf' },
  sticker: { mime_type: 'image/webp', animated: false },
}

/** Media a person did not describe gets an id and a hash, so that `{"type": "image"}` is enough. */
export function completeContent(message: ReadCustomerMessage, random: Random): unknown {
  const defaults = mediaDefaults[message.type]
  if (defaults === undefined) return message.content
  return {
    ...defaults,
    sha256: random.bytes(32).toString('base64'),
    id: makeDigits(16, random),
    ...message.content,
  }
}
