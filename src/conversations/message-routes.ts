import { z } from 'zod'
import { listOf, listQuery, message, messageInList, messagesQuery } from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { findConversation } from './find.ts'
import {
  type MessageRow,
  selectMessage,
  selectMessages,
  selectMessagesByReference,
  selectMessagesOfConversation,
  selectTimeline,
} from './read-queries.ts'
import { prepareMessages } from './show-message.ts'

const withId = z.object({ id: z.string() })
const base = '/api/whatsapp'

export function messageRoutes({ db }: { db: Db }): Route[] {
  return [
    route({
      method: 'GET',
      path: `${base}/messages`,
      summary: 'Messages as they were recorded, the latest first',
      access: 'agent',
      query: messagesQuery,
      answer: listOf(messageInList),
      handle: ({ tenantId, query }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const { client_reference, status = null, limit } = query
          const after = decodeCursor(query.after)
          const rows =
            client_reference === undefined
              ? await selectMessages(tx, tenantId, status, after, limit + 1)
              : await selectMessagesByReference(
                  tx,
                  tenantId,
                  client_reference,
                  status,
                  after,
                  limit + 1,
                )
          const show = await prepareMessages(tx, tenantId, rows)
          return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), show)
        }),
    }),
    route({
      method: 'GET',
      path: `${base}/messages/:id`,
      summary: 'A message with its timeline',
      access: 'agent',
      params: withId,
      answer: message,
      handle: ({ tenantId, params }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const uuid = uuidOf('msg', params.id)
          const row = uuid && (await selectMessage(tx, tenantId, uuid))
          if (!row) throw notFound('MESSAGE_NOT_FOUND', 'message')
          const show = await prepareMessages(tx, tenantId, [row])
          const steps = row.wamid === null ? [] : await selectTimeline(tx, tenantId, row.wamid)
          return { ...show(row), timeline: timelineOf(row, steps) }
        }),
    }),
    route({
      method: 'GET',
      path: `${base}/conversations/:id/messages`,
      summary: 'The messages of a conversation, the latest first',
      access: 'agent',
      params: withId,
      query: listQuery,
      answer: listOf(messageInList),
      handle: ({ tenantId, params, query: { after, limit } }) =>
        db.tenantTransaction(tenantId, async (tx) => {
          const { id } = await findConversation(tx, tenantId, params.id)
          const cursor = decodeCursor(after)
          const rows = await selectMessagesOfConversation(tx, tenantId, id, cursor, limit + 1)
          const show = await prepareMessages(tx, tenantId, rows)
          return pageOf(rows, limit, (row) => ({ at: row.occurred_at, id: row.id }), show)
        }),
    }),
  ]
}

function timelineOf(row: MessageRow, steps: { status: string; at: Date }[]) {
  const start =
    row.direction === 'inbound'
      ? { status: 'received', at: row.occurred_at.toISOString() }
      : { status: 'queued', at: row.created_at.toISOString() }
  const told = new Set(steps.map((step) => step.status))
  const own = [
    { status: 'sent', at: row.accepted_at },
    // How it ended is what it shows, unless Meta said so itself.
    { status: row.status, at: row.ended_at },
  ]
  // What we know ourselves counts until Meta tells: its times are whole seconds, and its own.
  const reached = [
    ...own.flatMap(({ status, at }) => (at === null || told.has(status) ? [] : [{ status, at }])),
    ...steps.filter((step) => step.status !== start.status),
  ]
  return [start, ...reached.map(({ status, at }) => ({ status, at: at.toISOString() }))]
}
