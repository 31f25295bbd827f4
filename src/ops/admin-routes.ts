// What operators ask when something is to be explained or done again: accounting, traces, replay.

import { listOf } from '../api/contract.ts'
import {
  accounting,
  accountingQuery,
  replayAnswer,
  replayRequest,
  trace,
  tracesQuery,
} from '../api/contract-ops.ts'
import { type Route, route } from '../api/route.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { readAccounting } from './accounting.ts'
import { type Replayer, replayEvents } from './replay.ts'
import { listTraces } from './traces.ts'

const base = '/api/admin/whatsapp'

export function opsRoutes(replayer: Replayer): Route[] {
  const { db } = replayer
  return [
    route({
      operationId: 'admin.accounting.get',
      method: 'GET',
      path: `${base}/accounting`,
      summary: 'Where everything went that was received, per tenant and in total',
      access: 'operator',
      query: accountingQuery,
      answer: accounting,
      handle: ({ query: { from, to, tenant_id } }) =>
        readAccounting(db, { from: dateOf(from), to: dateOf(to) }, tenant_id ?? null),
    }),
    route({
      operationId: 'admin.traces.list',
      method: 'GET',
      path: `${base}/traces`,
      summary: 'Attempts at processing deliveries, the latest first',
      access: 'operator',
      query: tracesQuery,
      answer: listOf(trace),
      handle: ({ query }) => listTraces(db, query),
    }),
    route({
      operationId: 'admin.events.replay',
      method: 'POST',
      path: `${base}/events/replay`,
      summary:
        'Process stored deliveries again; nothing is applied twice. Counts only, unless dry_run is false',
      access: 'operator',
      body: replayRequest,
      answer: replayAnswer,
      errors: ['REASON_REQUIRED', 'INVALID_CURSOR'],
      handle: ({ body, actor, requestId }) =>
        replayEvents(replayer, {
          from: new Date(body.from),
          to: new Date(body.to),
          tenantId: body.tenant_id ?? null,
          phoneNumberId: body.phone_number_id ?? null,
          reason: givenReason(body.reason),
          isDryRun: body.dry_run,
          after: body.after,
          actor,
          requestId,
        }),
    }),
  ]
}

function dateOf(text: string | undefined): Date | null {
  return text === undefined ? null : new Date(text)
}
