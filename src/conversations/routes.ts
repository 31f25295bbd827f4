import { z } from 'zod'
import {
  conversation,
  conversationsQuery,
  listOf,
  listQuery,
  message,
  messageInList,
} from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import { windowMs } from './model.ts'
import {
  type ConversationRow,
  type MessageRow,
  selectConversation,
  selectConversations,
  selectMessage,
  selectMessagesOfConversation,
  selectTimeline,
} from './queries.ts'

const withId = z.object({ id: z.string() })
const base = '/api/whatsapp'

export function conversationRoutes({ db }: { db: Db }): Route[] {
  return [...readMessages(db), ...readConversations(db)]
}

function readMessages(db: Db): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/messages/:id`,
      summary: 'A message with its timeline',
      access: 'tenant',
      params: withId,
      answer: message,
      handle: ({ tenantId, params }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const uuid = uuidOf('msg', params.id)
          const row = uuid && (await selectMessage(tx, tenantId, uuid))
          if (!row) throw notFound('MESSAGE_NOT_FOUND', 'message')
          const steps = row.wamid === null ? [] : await selectTimeline(tx, tenantId, row.wamid)
          return { ...showMessage(row), timeline: timelineOf(row, steps) }
        }),
    }),
    route({
      method: 'GET',
      path: `${base}/conversations/:id/messages`,
      summary: 'The messages of a conversation, the latest first',
      access: 'tenant',
      params: withId,
      query: listQuery,
      answer: listOf(messageInList),
      handle: ({ tenantId, params, query }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const uuid = uuidOf('conv', params.id)
          const known = uuid && (await selectConversation(tx, tenantId, uuid))
          if (!known) throw notFound('CONVERSATION_NOT_FOUND', 'conversation')
          const after = decodeCursor(query.after)
          const rows = await selectMessagesOfConversation(
            tx,
            tenantId,
            known.id,
            after,
            query.limit + 1,
          )
          return pageOf(
            rows,
            query.limit,
            (row) => ({ at: row.occurred_at, id: row.id }),
            showMessage,
          )
        }),
    }),
  ]
}

function readConversations(db: Db): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/conversations`,
      summary: 'Conversations, the latest first',
      access: 'tenant',
      query: conversationsQuery,
      answer: listOf(conversation),
      handle: async ({ tenantId, query }) => {
        const filter = {
          status: query.status ?? null,
          phoneNumberId: query.phone_number_id ?? null,
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
      path: `${base}/conversations/:id`,
      summary: 'A conversation',
      access: 'tenant',
      params: withId,
      answer: conversation,
      handle: ({ tenantId, params }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const uuid = uuidOf('conv', params.id)
          const row = uuid && (await selectConversation(tx, tenantId, uuid))
          if (!row) throw notFound('CONVERSATION_NOT_FOUND', 'conversation')
          return showConversation(row)
        }),
    }),
  ]
}

function timelineOf(row: MessageRow, steps: { status: string; at: Date }[]) {
  const start =
    row.direction === 'inbound'
      ? { status: 'received', at: row.occurred_at.toISOString() }
      : { status: 'queued', at: row.created_at.toISOString() }
  const reached = steps.filter((step) => step.status !== start.status)
  return [start, ...reached.map((step) => ({ status: step.status, at: step.at.toISOString() }))]
}

function showMessage(row: MessageRow) {
  return {
    ...row,
    id: publicId('msg', row.id),
    conversation_id: row.conversation_id === null ? null : publicId('conv', row.conversation_id),
    occurred_at: row.occurred_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}

function showConversation({ last_inbound_at, ...row }: ConversationRow) {
  return {
    ...row,
    id: publicId('conv', row.id),
    last_message_at: row.last_message_at.toISOString(),
    window_expires_at:
      last_inbound_at === null
        ? null
        : new Date(last_inbound_at.getTime() + windowMs).toISOString(),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
