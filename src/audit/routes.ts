// The audit over HTTP: reading it, and checking part by part that it is whole.
import type { z } from 'zod'
import { listOf } from '../api/contract.ts'
import {
  auditAct,
  auditQuery,
  auditVerification,
  auditVerificationQuery,
} from '../api/contract-audit.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { listActs } from './list.ts'
import { verifyPart } from './verify-part.ts'

export function auditRoutes({ db }: { db: Db }): Route[] {
  return [
    ...auditRoutesAt(db, '/api/admin/audit', 'operator', 'Who did what, the latest first'),
    ...auditRoutesAt(db, '/api/whatsapp/audit', 'tenant', 'Who did what with this tenant’s things'),
  ]
}

function auditRoutesAt(
  db: Db,
  path: string,
  access: 'operator' | 'tenant',
  summary: string,
): Route[] {
  const prefix = access === 'operator' ? 'admin.' : ''
  const scopeOf = (tenantId: string) => (access === 'tenant' ? tenantId : null)
  return [
    route({
      operationId: `${prefix}audit.list`,
      method: 'GET',
      path,
      summary,
      access,
      query: auditQuery,
      answer: listOf(auditAct),
      handle: ({ query, tenantId }) =>
        listActs(db, { ...wishesIn(query), scope: scopeOf(tenantId) }),
    }),
    route({
      operationId: `${prefix}audit.verify`,
      method: 'GET',
      path: `${path}/verification`,
      summary: 'Whether the audit is as it was written, some thousand rows a call',
      access,
      query: auditVerificationQuery,
      answer: auditVerification,
      errors: ['TENANT_NOT_FOUND', 'INVALID_CURSOR'],
      handle: ({ query: { after, tenant_id = null }, tenantId }) =>
        verifyPart(db, { scope: scopeOf(tenantId), tenantId: tenant_id, after }),
    }),
  ]
}

function wishesIn({ tenant_id, from, to, ...query }: z.output<typeof auditQuery>) {
  return {
    ...query,
    tenantId: tenant_id ?? null,
    from: from === undefined ? null : new Date(from),
    to: to === undefined ? null : new Date(to),
  }
}
