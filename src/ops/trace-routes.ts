// Where a message is on its way. Operators and tenants have the same routes; a tenant's see that tenant's messages only.
import { z } from 'zod'
import { listOf } from '../api/contract.ts'
import { messageTrace, tracedMessage, traceSearch } from '../api/contract-ops.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { findTraced, traceMessage } from './message-trace.ts'

const twins = [
  { base: '/api/admin/whatsapp', access: 'operator', prefix: 'admin.' },
  { base: '/api/whatsapp', access: 'tenant', prefix: '' },
] as const

export function traceRoutes({ db }: { db: Db }): Route[] {
  return twins.flatMap(({ base, access, prefix }) => [
    route({
      operationId: `${prefix}messages.find`,
      method: 'GET',
      path: `${base}/trace`,
      summary: 'Messages by an id, a reference, or whom they are from or for, the latest first',
      access,
      query: traceSearch,
      answer: listOf(tracedMessage),
      handle: ({ query, tenantId }) =>
        findTraced(db, access === 'operator' ? null : tenantId, query),
    }),
    route({
      operationId: `${prefix}messages.trace`,
      method: 'GET',
      path: `${base}/messages/:id/trace`,
      summary: 'Every step of a message, from the webhook to the ticks; nothing of what it says',
      access,
      params: z.object({ id: z.string() }),
      answer: messageTrace,
      errors: ['MESSAGE_NOT_FOUND'],
      handle: ({ params, tenantId }) =>
        traceMessage(db, access === 'operator' ? null : tenantId, params.id),
    }),
  ])
}
