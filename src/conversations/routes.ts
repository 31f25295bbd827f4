import { z } from 'zod'
import { listOf } from '../api/contract.ts'
import {
  conversation,
  conversationChange,
  conversationCounts,
  conversationRead,
  conversationsQuery,
} from '../api/contract-conversations.ts'
import { pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import { changeConversation } from './change.ts'
import { findConversation } from './find.ts'
import { listConversations } from './list.ts'
import { countConversations, planAnew } from './list-queries.ts'
import { markConversationRead, type Reader } from './mark-read.ts'
import { prepareConversations, showConversation } from './show-conversation.ts'

const withId = z.object({ id: z.string() })
const base = '/api/whatsapp/conversations'

export function conversationRoutes(reader: Reader): Route[] {
  const { db, clock } = reader
  return [
    route({
      operationId: 'conversations.list',
      method: 'GET',
      path: base,
      summary: 'Conversations, the latest first',
      access: 'agent',
      query: conversationsQuery,
      answer: listOf(conversation),
      handle: ({ tenantId, query, person }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const rows = await listConversations(tx, tenantId, query, person?.personId)
          const show = await prepareConversations(tx, tenantId, rows.slice(0, query.limit))
          return pageOf(rows, query.limit, (row) => ({ at: row.last_message_at, id: row.id }), show)
        }),
    }),
    route({
      operationId: 'conversations.counts',
      method: 'GET',
      path: `${base}/counts`,
      summary: 'How many conversations there are of each kind',
      access: 'agent',
      answer: conversationCounts,
      handle: ({ tenantId, person }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          await planAnew(tx)
          const counts = await countConversations(tx, tenantId, person?.personId ?? null)
          return { ...counts, mine: person ? counts.mine : null }
        }),
    }),
    route({
      operationId: 'conversations.get',
      method: 'GET',
      path: `${base}/:id`,
      summary: 'A conversation',
      access: 'agent',
      params: withId,
      answer: conversation,
      errors: ['CONVERSATION_NOT_FOUND'],
      handle: ({ tenantId, params }) =>
        db.tenantTransaction(tenantId, async (tx) =>
          showConversation(tx, tenantId, await findConversation(tx, tenantId, params.id)),
        ),
    }),
    route({
      operationId: 'conversations.update',
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Close, reopen or assign a conversation',
      access: 'agent',
      params: withId,
      body: conversationChange,
      answer: conversation,
      errors: ['CONVERSATION_NOT_FOUND', 'PERSON_NOT_FOUND', 'PERSON_DISABLED', 'CONFLICT'],
      handle: ({ tenantId, params, body, actor }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const by = { actor, at: clock.now() }
          const row = await changeConversation(tx, tenantId, params.id, body, by)
          return showConversation(tx, tenantId, row)
        }),
    }),
    route({
      operationId: 'conversations.markRead',
      method: 'POST',
      path: `${base}/:id/read`,
      summary: 'Mark a conversation as read, here and at Meta',
      description: 'Where Meta does not take it, `meta` says `failed`, and it can be called again.',
      access: 'agent',
      params: withId,
      answer: conversationRead,
      errors: ['CONVERSATION_NOT_FOUND', 'CONFLICT'],
      handle: ({ tenantId, params }) => markConversationRead(reader, tenantId, params.id),
    }),
  ]
}
