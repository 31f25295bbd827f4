// Who gets nothing more, over HTTP: listed, suppressed by hand, lifted. Operators name the tenant as everywhere.
import { z } from 'zod'
import { listOf } from '../api/contract.ts'
import {
  newSuppression,
  stopWords,
  suppression,
  suppressionLift,
  suppressionsQuery,
} from '../api/contract-consent.ts'
import { type Route, route } from '../api/route.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { listSuppressions, showSuppression } from './list.ts'
import { wordsInForce } from './stop-words.ts'
import { type ConsentDesk, liftSuppression, suppress } from './suppress.ts'

const base = '/api/whatsapp/suppressions'

export interface SuppressionRoutesOptions extends ConsentDesk {
  /** For tenants without words of their own. */
  usualStopWords: readonly string[]
  ownStopWords(tenantId: string): Promise<string[] | null>
}

export function suppressionRoutes(desk: SuppressionRoutesOptions): Route[] {
  return [
    route({
      operationId: 'stopWords.get',
      method: 'GET',
      path: '/api/whatsapp/stop-words',
      summary: 'The words that end all messages to whoever writes nothing else',
      access: 'tenant',
      answer: stopWords,
      handle: async ({ tenantId }) => {
        const own = await desk.ownStopWords(tenantId)
        return {
          words: [...wordsInForce(own ?? desk.usualStopWords)],
          source: own === null ? ('installation' as const) : ('tenant' as const),
        }
      },
    }),
    route({
      operationId: 'suppressions.list',
      method: 'GET',
      path: base,
      summary: 'Contacts who opted out or are blocked, the latest change first',
      access: 'tenant',
      query: suppressionsQuery,
      answer: listOf(suppression),
      handle: ({ tenantId, query }) => listSuppressions(desk.db, tenantId, query),
    }),
    route({
      operationId: 'suppressions.create',
      method: 'POST',
      path: base,
      summary: 'Send a contact nothing more, or no marketing; what waits for them ends',
      access: 'tenant',
      body: newSuppression,
      answer: suppression,
      errors: ['REASON_REQUIRED', 'ACCOUNT_NOT_FOUND'],
      handle: async ({ tenantId, actor, body: { reason, ...whom } }) => {
        const by = { actor, reason: givenReason(reason) }
        return showSuppression(await suppress(desk, tenantId, whom, by))
      },
    }),
    route({
      operationId: 'suppressions.lift',
      method: 'POST',
      path: `${base}/:id/lift`,
      summary: 'Lift a suppression: the contact may be written to again',
      access: 'tenant',
      params: z.object({ id: z.string() }),
      body: suppressionLift,
      answer: suppression,
      errors: ['REASON_REQUIRED', 'SUPPRESSION_NOT_FOUND'],
      handle: async ({ tenantId, actor, params, body }) => {
        const by = { actor, reason: givenReason(body.reason) }
        return showSuppression(await liftSuppression(desk, tenantId, params.id, by))
      },
    }),
  ]
}
