import { z } from 'zod'
import { listOf, listQuery, message, messageInList, messagesQuery } from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import type { Db, Tx } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import { findConversation } from './find.ts'
import {
  type MessageRow,
  type SendRow,
  selectMessage,
  selectMessages,
  selectMessagesByReference,
  selectMessagesOfConversation,
  selectSends,
} from './read-queries.ts'
import { prepareMessages, type ShowMessage, type WaitsOf } from './show-message.ts'

const withId = z.object({ id: z.string() })
const base = '/api/whatsapp'

interface Reading {
  db: Db
  waitsOf: WaitsOf
}

type Select = (tx: Tx) => Promise<MessageRow[]>

export function messageRoutes({ db, waitsOf }: Reading): Route[] {
  const read = (tenantId: string, select: Select) => readMessages({ db, waitsOf }, tenantId, select)
  return [
    route({
      operationId: 'messages.list',
      method: 'GET',
      path: `${base}/messages`,
      summary: 'Messages as they were recorded, the latest first',
      access: 'agent',
      query: messagesQuery,
      answer: listOf(messageInList),
      handle: async ({ tenantId, query }) => {
        const { client_reference, status = null, limit } = query
        const after = decodeCursor(query.after)
        const { rows, show } = await read(tenantId, (tx) =>
          client_reference === undefined
            ? selectMessages(tx, tenantId, status, after, limit + 1)
            : selectMessagesByReference(tx, tenantId, client_reference, status, after, limit + 1),
        )
        return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), show)
      },
    }),
    route({
      operationId: 'messages.get',
      method: 'GET',
      path: `${base}/messages/:id`,
      summary: 'A message with its timeline',
      description: 'Of what was sent also every attempt, and of what waits, for what.',
      access: 'agent',
      params: withId,
      answer: message,
      errors: ['MESSAGE_NOT_FOUND'],
      handle: async ({ tenantId, params }) => {
        const uuid = uuidOf('msg', params.id)
        const { rows, show } = await read(tenantId, async (tx) => {
          const row = uuid && (await selectMessage(tx, tenantId, uuid))
          if (!row) throw notFound('MESSAGE_NOT_FOUND', 'message')
          return [row]
        })
        const row = rows[0] as MessageRow
        const sends =
          row.direction === 'inbound'
            ? []
            : await db.tenantTransaction(tenantId, (tx) => selectSends(tx, tenantId, row.id))
        return { ...show(row), sends: sends.map(showSend) }
      },
    }),
    route({
      operationId: 'conversations.messages',
      method: 'GET',
      path: `${base}/conversations/:id/messages`,
      summary: 'The messages of a conversation, the latest first',
      access: 'agent',
      params: withId,
      query: listQuery,
      answer: listOf(messageInList),
      errors: ['CONVERSATION_NOT_FOUND'],
      handle: async ({ tenantId, params, query: { after, limit } }) => {
        const cursor = decodeCursor(after)
        const { rows, show } = await read(tenantId, async (tx) => {
          const { id } = await findConversation(tx, tenantId, params.id)
          return selectMessagesOfConversation(tx, tenantId, id, cursor, limit + 1)
        })
        return pageOf(rows, limit, (row) => ({ at: row.occurred_at, id: row.id }), show)
      },
    }),
  ]
}

function showSend({ started_at, finished_at, ...send }: SendRow) {
  return {
    ...send,
    started_at: started_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  }
}

/** What waits to be sent also says why; that is asked for apart, under another role. */
async function readMessages(
  { db, waitsOf }: Reading,
  tenantId: string,
  select: Select,
): Promise<{ rows: MessageRow[]; show: ShowMessage }> {
  const { rows, show } = await db.tenantTransaction(tenantId, async (tx) => {
    const rows = await select(tx)
    return { rows, show: await prepareMessages(tx, tenantId, rows) }
  })
  const queued = rows.filter((row) => row.direction === 'outbound' && row.status === 'queued')
  const waits = await waitsOf(
    db,
    tenantId,
    queued.map((row) => row.id),
  )
  return {
    rows,
    show: (row) => {
      const wait = waits.get(row.id)
      if (!wait) return show(row)
      const { reason, until, error_code } = wait
      return {
        ...show(row),
        waits_for: { reason, until: until?.toISOString() ?? null, error_code },
      }
    },
  }
}
