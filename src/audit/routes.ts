import { listOf } from '../api/contract.ts'
import { auditAct, auditQuery } from '../api/contract-dead-letters.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { listActs } from './list.ts'

export function auditRoutes({ db }: { db: Db }): Route[] {
  return [
    auditRoute(db, '/api/admin/audit', 'operator', 'Who did what, the latest first'),
    auditRoute(db, '/api/whatsapp/audit', 'tenant', 'Who did what with this tenant’s things'),
  ]
}

function auditRoute(db: Db, path: string, access: 'operator' | 'tenant', summary: string): Route {
  return route({
    method: 'GET',
    path,
    summary,
    access,
    query: auditQuery,
    answer: listOf(auditAct),
    handle: ({ query, tenantId }) =>
      listActs(db, {
        scope: access === 'tenant' ? tenantId : null,
        tenantId: query.tenant_id ?? null,
        after: query.after,
        limit: query.limit,
      }),
  })
}
