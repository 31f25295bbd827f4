// The contract's part on conversations; apart from contract.ts only for length.
import { z } from 'zod'
import {
  contactIds,
  flag,
  listQuery,
  messageStatus,
  storableText,
  suppressionReason,
  suppressionScope,
  time,
} from './contract.ts'

export const conversation = z
  .object({
    id: z.string().describe('of a conversation that became one with another: the other’s'),
    phone_number_id: z.string(),
    contact: z.object({
      ...contactIds,
      username: z.string().nullable(),
      kind: z.enum(['person', 'group']),
    }),
    suppressions: z
      .array(
        z.object({
          id: z.string(),
          scope: suppressionScope,
          reason: suppressionReason,
          since: time,
        }),
      )
      .describe('what the contact wants no more of from this number'),
    contact_wa_id: z.string(),
    contact_user_id: z.string().nullable(),
    contact_name: z.string().nullable(),
    status: z.enum(['open', 'closed']),
    unread_count: z.number().int(),
    last_message_at: time,
    window_expires_at: time
      .nullable()
      .describe('until then any message may be sent; afterwards only templates'),
    assigned_user_id: z
      .string()
      .nullable()
      .describe('usr_…, one of the tenant’s people; or a uuid of the application’s own'),
    assignee: z
      .object({ id: z.string(), name: z.string() })
      .nullable()
      .describe('the same, with a name'),
    last_message: z
      .object({
        id: z.string(),
        type: z.string().describe('Meta’s'),
        direction: z.enum(['inbound', 'outbound']),
        status: messageStatus,
        text: z.string().nullable().describe('how it begins; null when it has no words'),
        revoked: z.boolean().describe('deleted by its sender'),
        at: time,
      })
      .nullable()
      .describe('the latest that is no reaction and no change of an earlier one'),
    created_at: time,
    updated_at: time,
  })
  .meta({ id: 'Conversation' })

/** A person as the API names them, or by the bare uuid. */
const personId = z
  .string()
  .toLowerCase()
  .regex(/^(usr_[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, 'a person’s id: usr_…')

export const conversationsQuery = listQuery.extend({
  status: z.enum(['open', 'closed']).optional(),
  phone_number_id: storableText(128).optional(),
  assigned_user_id: personId
    .or(z.enum(['me', 'none']))
    .optional()
    .describe('usr_… or its uuid; me: whoever is signed in; none: nobody’s'),
  unread: flag.optional().describe('those with unread messages only, or those without'),
  q: storableText(200)
    .optional()
    .describe(
      'part of the contact’s name, username or ids, or of one of the tenant’s latest 10 000 messages; ' +
        'upper and lower case are the same',
    ),
})

const upTo999 = z.number().int().min(0).max(1000).describe('counted up to 1000: that is “999+”')

export const conversationCounts = z
  .object({
    open: upTo999,
    closed: upTo999,
    mine: upTo999.nullable().describe('open and assigned to whoever is signed in; null for keys'),
    unassigned: upTo999.describe('open and nobody’s'),
    waiting: upTo999.describe('open, unread, and nobody’s or assigned to whoever is signed in'),
  })
  .meta({ id: 'ConversationCounts' })

export const conversationChange = z
  .strictObject({
    status: z.enum(['open', 'closed']).optional(),
    assigned_user_id: personId
      .nullable()
      .optional()
      .describe(
        'usr_… or its uuid, one of the tenant’s people; any other uuid: somebody of the application’s; null: nobody',
      ),
  })
  .refine((change) => Object.keys(change).length > 0, 'names nothing to change')
  .meta({ id: 'ConversationChange' })

export const conversationRead = z
  .object({
    id: z.string(),
    unread_count: z.literal(0),
    meta: z
      .enum(['marked', 'nothing_to_mark', 'failed'])
      .describe('whether the contact sees it as read; after failed, call again'),
    message_id: z.string().nullable().describe('the message that was marked, and all before it'),
    error: z
      .object({
        code: z.string(),
        message: z.string(),
        provider: z
          .object({
            code: z.number().nullable(),
            subcode: z.number().nullable(),
            message: z.string().nullable(),
            fbtrace_id: z.string().nullable(),
          })
          .nullable(),
      })
      .nullable()
      .describe('why, after failed'),
  })
  .meta({ id: 'ConversationRead' })
