// What a request says beside Meta's message: ours alone, none of it goes to Meta but the callback data.
import { z } from 'zod'
import { metaId, moment } from '../../api/contract.ts'
import { AppError } from '../../errors.ts'
import { refuse, text, wamid } from './limits.ts'
import { template } from './template.ts'

/** What Meta takes as `biz_opaque_callback_data`. */
export const maxCallbackData = 512
/** Our attempt's id goes there too, in front of the tenant's own value: a prefix, a UUID and a separator take 41,
 *  and the rest is kept for what may have to stand beside them one day. */
const keptForUs = 112
export const maxOwnCallbackData = maxCallbackData - keptForUs

const day = 24 * 60 * 60 * 1000
/** Further ahead nobody knows whether the template, the number or the wish will still be there. */
export const maxAheadMs = 365 * day

/** In UTC, so that equal moments are equal texts. */
const utcMoment = moment.transform((said, ctx) => {
  const at = Date.parse(said)
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  refuse(ctx, [], 'must be a moment, as in RFC 3339')
  return z.NEVER
})

export const envelope = {
  messaging_product: z.literal('whatsapp').optional(),
  recipient_type: z.enum(['individual', 'group']).default('individual'),
  to: z
    .string()
    .optional()
    .describe('phone number with its country code: digits, a + and separators; of a group, its id'),
  recipient: z.string().optional().describe('business-scoped user id; ignored when there is `to`'),
  context: z.strictObject({ message_id: wamid }).optional().describe('the message this answers'),
  recipient_identity_key_hash: text(256).optional(),
  biz_opaque_callback_data: text(maxOwnCallbackData)
    .optional()
    .describe('given back with every status of the message'),
}

export const options = {
  phone_number_id: metaId.optional().describe('may be left out by a tenant that has one number'),
  fallback_template: template
    .optional()
    .describe('sent instead when the 24-hour window is closed by then'),
  send_at: utcMoment.optional().describe('RFC 3339; not before then, at most a year ahead'),
  expires_at: utcMoment.optional().describe('RFC 3339; not sent after then'),
  client_reference: text(255).optional().describe('yours, to find the message by'),
  delivery: z
    .enum(['at_least_once', 'at_most_once'])
    .default('at_least_once')
    .describe(
      'what to do when nobody can tell whether Meta has the message: try again, or ask you',
    ),
}

interface Times {
  send_at?: string | undefined
  expires_at?: string | undefined
}

export function checkOrder({ send_at, expires_at }: Times, ctx: z.RefinementCtx): void {
  if (send_at === undefined || expires_at === undefined) return
  if (Date.parse(expires_at) <= Date.parse(send_at)) {
    refuse(ctx, ['expires_at'], 'must be after send_at')
  }
}

/** What a schema cannot know: the present. A `send_at` that has passed means now. */
export function checkTimes({ send_at, expires_at }: Times, now: Date): void {
  const latest = now.getTime() + maxAheadMs
  if (send_at !== undefined && Date.parse(send_at) > latest) {
    throw badTime('send_at', 'must be at most a year ahead')
  }
  // A year of waiting and a year of trying.
  if (expires_at !== undefined && Date.parse(expires_at) > latest + maxAheadMs) {
    throw badTime('expires_at', 'must be at most two years ahead')
  }
  if (expires_at !== undefined && Date.parse(expires_at) <= now.getTime()) {
    throw badTime('expires_at', 'must not have passed already')
  }
}

function badTime(field: string, problem: string): AppError {
  return new AppError('INVALID_MESSAGE', 400, `${field}: ${problem}`, {
    details: { fields: [{ field, problem }] },
  })
}
