import { z } from 'zod'
import {
  conversation,
  conversationChange,
  conversationRead,
  conversationsQuery,
  listOf,
} from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import { publicId } from '../ids.ts'
import { changeConversation } from './change.ts'
import { findConversation } from './find.ts'
import { markConversationRead, type Reader } from './mark-read.ts'
import { windowMs } from './model.ts'
import { type ConversationRow, selectConversations } from './read-queries.ts'

const withId = z.object({ id: z.string() })
const base = '/api/whatsapp/conversations'

export function conversationRoutes(reader: Reader): Route[] {
  const { db, clock } = reader
  return [
    route({
      method: 'GET',
      path: base,
      summary: 'Conversations, the latest first',
      access: 'agent',
      query: conversationsQuery,
      answer: listOf(conversation),
      handle: async ({ tenantId, query }) => {
        const filter = {
          status: query.status ?? null,
          phoneNumberId: query.phone_number_id ?? null,
          assignedUserId: query.assigned_user_id ?? null,
          pattern: query.q === undefined ? null : `%${query.q.replace(/[\\%_]/g, '\\$&')}%`,
        }
        const after = decodeCursor(query.after)
        const rows = await db.tenantTransaction(tenantId, (tx) =>
          selectConversations(tx, tenantId, filter, after, query.limit + 1),
        )
        return pageOf(
          rows,
          query.limit,
          (row) => ({ at: row.last_message_at, id: row.id }),
          showConversation,
        )
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:id`,
      summary: 'A conversation',
      access: 'agent',
      params: withId,
      answer: conversation,
      handle: async ({ tenantId, params }) =>
        showConversation(
          await db.tenantTransaction(tenantId, (tx) => findConversation(tx, tenantId, params.id)),
        ),
    }),
    route({
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Close, reopen or assign a conversation',
      access: 'agent',
      params: withId,
      body: conversationChange,
      answer: conversation,
      handle: async ({ tenantId, params, body, actor }) =>
        showConversation(
          await changeConversation(db, tenantId, params.id, body, { actor, at: clock.now() }),
        ),
    }),
    route({
      method: 'POST',
      path: `${base}/:id/read`,
      summary: 'Mark a conversation as read, here and at Meta',
      access: 'agent',
      params: withId,
      answer: conversationRead,
      handle: ({ tenantId, params }) => markConversationRead(reader, tenantId, params.id),
    }),
  ]
}

function showConversation({ last_inbound_at, ...row }: ConversationRow) {
  return {
    ...row,
    id: publicId('conv', row.id),
    suppressions: row.suppressions.map((one) => ({
      ...one,
      id: publicId('sup', one.id),
      since: new Date(one.since).toISOString(),
    })),
    last_message_at: row.last_message_at.toISOString(),
    window_expires_at:
      last_inbound_at === null
        ? null
        : new Date(last_inbound_at.getTime() + windowMs).toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
