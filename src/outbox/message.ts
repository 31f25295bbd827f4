// The body of POST /api/whatsapp/meta/send: Meta's own message object, plus what we are to do with it.
import { z } from 'zod'
import { contacts } from './message/contacts.ts'
import { interactive } from './message/interactive.ts'
import { text, wamid } from './message/limits.ts'
import { audio, document, image, location, sticker, video } from './message/media.ts'
import { checkOrder, envelope, options } from './message/options.ts'
import { checkRecipient, normalRecipient } from './message/recipient.ts'
import { template } from './message/template.ts'

const textContent = z.strictObject({ body: text(4096), preview_url: z.boolean().optional() })

const reaction = z.strictObject({
  message_id: wamid,
  emoji: text(32, 0).describe('empty: the reaction is taken back'),
})

const common = { ...envelope, ...options }

// Strict at the top and, but for places that say why, below: a field that is misspelt must not be dropped in silence.
const message = z.discriminatedUnion(
  'type',
  [
    // Meta's default too.
    z.strictObject({ type: z.literal('text').default('text'), text: textContent, ...common }),
    z.strictObject({ type: z.literal('image'), image, ...common }),
    z.strictObject({ type: z.literal('audio'), audio, ...common }),
    z.strictObject({ type: z.literal('video'), video, ...common }),
    z.strictObject({ type: z.literal('document'), document, ...common }),
    z.strictObject({ type: z.literal('sticker'), sticker, ...common }),
    z.strictObject({ type: z.literal('location'), location, ...common }),
    z.strictObject({ type: z.literal('contacts'), contacts, ...common }),
    z.strictObject({ type: z.literal('reaction'), reaction, ...common }),
    z.strictObject({ type: z.literal('interactive'), interactive, ...common }),
    z.strictObject({ type: z.literal('template'), template, ...common }),
  ],
  {
    error: (issue) =>
      issue.code === 'invalid_union'
        ? 'one of text, image, audio, video, document, sticker, location, contacts, reaction, interactive, template'
        : undefined,
  },
)

export const sendRequest = message
  .superRefine((request, ctx) => {
    checkRecipient(request, ctx)
    checkOrder(request, ctx)
  })
  .transform(normalRecipient)
  .meta({ id: 'OutgoingMessage' })

/** Checked and normalised; plain JSON, so that it can be stored and read back. `to` (digits, or a group's id) or
 *  `recipient`, never both. */
export type SendRequest = z.output<typeof sendRequest>

export interface DescribedContent {
  /** Meta's. */
  type: string
  /** As inbound messages are stored: the type's object under its own name, and `context` as a webhook writes it. */
  content: Record<string, unknown>
  /** The wamid this answers. */
  replyTo: string | null
  isTemplate: boolean
}

/** The object that is POSTed to Meta. `callbackData` goes in place of the tenant's own, which it carries inside. */
export function toMeta(request: SendRequest, callbackData?: string): Record<string, unknown> {
  const { type, recipient_type, to, recipient, context } = request
  const opaque = callbackData ?? request.biz_opaque_callback_data
  const identity = request.recipient_identity_key_hash
  return {
    messaging_product: 'whatsapp',
    recipient_type,
    // Without the + Meta would put the sender's own country code in front.
    ...(to === undefined ? { recipient } : { to: recipient_type === 'group' ? to : `+${to}` }),
    type,
    [type]: contentOf(request),
    ...(context && { context }),
    ...(identity !== undefined && { recipient_identity_key_hash: identity }),
    ...(opaque !== undefined && { biz_opaque_callback_data: opaque }),
  }
}

export function describeContent(request: SendRequest): DescribedContent {
  const { type, context } = request
  return {
    type,
    content: {
      [type]: contentOf(request),
      ...(context && { context: { id: context.message_id } }),
    },
    replyTo: context?.message_id ?? null,
    isTemplate: isTemplate(request),
  }
}

/** Templates may be sent when the 24-hour window is closed. */
export function isTemplate(request: SendRequest): boolean {
  return request.type === 'template'
}

/** The template that it is, or else falls back to. */
export function templateIn(request: SendRequest) {
  return request.type === 'template' ? request.template : request.fallback_template
}

/** The same request with its `fallback_template` for a message; null when it has none. */
export function fallbackOf(request: SendRequest): SendRequest | null {
  const { fallback_template: substitute, ...rest } = request
  if (!substitute) return null
  const { [request.type]: _replaced, ...kept } = rest as Record<string, unknown>
  return { ...kept, type: 'template', template: substitute } as unknown as SendRequest
}

function contentOf(request: SendRequest): unknown {
  return (request as unknown as Record<string, unknown>)[request.type]
}
