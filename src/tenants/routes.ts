import { z } from 'zod'
import {
  apiKey,
  listOf,
  listQuery,
  newApiKey,
  newTenant,
  shownApiKey,
  tenant,
  tenantChange,
  tenantId,
} from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { createTenant } from './create.ts'
import { createApiKey } from './keys.ts'
import {
  type ApiKeyRow,
  lockTenant,
  revokeApiKey,
  selectApiKeys,
  selectTenant,
  selectTenants,
  type TenantRow,
  updateTenant,
} from './queries.ts'

interface TenantRoutesOptions {
  db: Db
  clock: Clock
  random: Random
  /** In the transaction that changed it. */
  onChanged: (tx: Tx, tenantId: string) => Promise<void>
}

const ofTenant = z.object({ id: tenantId })
const base = '/api/admin/tenants'

export function tenantRoutes({ db, clock, random, onChanged }: TenantRoutesOptions): Route[] {
  return [
    route({
      operationId: 'admin.tenants.create',
      method: 'POST',
      path: base,
      summary: 'Create a tenant',
      access: 'operator',
      body: newTenant,
      answer: tenant,
      status: 201,
      errors: ['SLUG_TAKEN'],
      handle: async ({ body, actor }) =>
        showTenant(await createTenant(db, body, { actor, clock, random })),
    }),
    route({
      operationId: 'admin.tenants.list',
      method: 'GET',
      path: base,
      summary: 'List tenants',
      access: 'operator',
      query: listQuery,
      answer: listOf(tenant),
      handle: async ({ query }) => {
        const rows = await selectTenants(db, decodeCursor(query.after), query.limit + 1)
        return pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }), showTenant)
      },
    }),
    route({
      operationId: 'admin.tenants.get',
      method: 'GET',
      path: `${base}/:id`,
      summary: 'Show a tenant',
      access: 'operator',
      params: ofTenant,
      answer: tenant,
      errors: ['TENANT_NOT_FOUND'],
      handle: async ({ params }) => {
        const row = await selectTenant(db, params.id)
        if (!row) throw tenantNotFound()
        return showTenant(row)
      },
    }),
    route({
      operationId: 'admin.tenants.update',
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Change a tenant: its limits, or suspend it',
      access: 'operator',
      params: ofTenant,
      body: tenantChange,
      answer: tenant,
      errors: ['TENANT_NOT_FOUND'],
      handle: ({ params, body: { reason, ...body }, actor }) =>
        db.transaction(async (tx) => {
          const before = await lockTenant(tx, params.id)
          if (!before) throw tenantNotFound()
          const change = Object.fromEntries(
            Object.entries(body).filter(([, value]) => value !== undefined),
          )
          const after = { ...before, ...change } as TenantRow
          const at = clock.now()
          await updateTenant(tx, after, at)
          await recordAct(tx, {
            tenantId: after.id,
            at,
            actor,
            action: 'tenant.changed',
            subject: after.id,
            ...(reason !== undefined && { reason }),
            details: change,
          })
          // Last: the queue's lock comes after the audit chain's, as in a requeue.
          await onChanged(tx, after.id)
          return showTenant(after)
        }),
    }),
    ...keyRoutes({ db, clock, random }),
  ]
}

function keyRoutes({ db, clock, random }: Omit<TenantRoutesOptions, 'onChanged'>): Route[] {
  return [
    route({
      operationId: 'admin.tenants.apiKeys.create',
      method: 'POST',
      path: `${base}/:id/api-keys`,
      summary: 'Make an API key for a tenant; it is shown once',
      access: 'operator',
      params: ofTenant,
      body: newApiKey,
      answer: shownApiKey,
      status: 201,
      errors: ['TENANT_NOT_FOUND'],
      handle: ({ params, body, actor }) =>
        db.transaction(async (tx) => {
          if (!(await lockTenant(tx, params.id))) throw tenantNotFound()
          return createApiKey(tx, params.id, body.name, { actor, clock, random })
        }),
    }),
    route({
      operationId: 'admin.tenants.apiKeys.list',
      method: 'GET',
      path: `${base}/:id/api-keys`,
      summary: 'List a tenant’s API keys',
      access: 'operator',
      params: ofTenant,
      query: listQuery,
      answer: listOf(apiKey),
      errors: ['TENANT_NOT_FOUND'],
      handle: async ({ params, query }) => {
        if (!(await selectTenant(db, params.id))) throw tenantNotFound()
        const rows = await selectApiKeys(db, params.id, decodeCursor(query.after), query.limit + 1)
        return pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }), showKey)
      },
    }),
    route({
      operationId: 'admin.tenants.apiKeys.revoke',
      method: 'DELETE',
      path: `${base}/:id/api-keys/:keyId`,
      summary: 'Revoke an API key',
      access: 'operator',
      params: ofTenant.extend({ keyId: z.string() }),
      answer: z.null(),
      status: 204,
      errors: ['KEY_NOT_FOUND'],
      handle: ({ params, actor }) =>
        db.transaction(async (tx) => {
          const uuid = uuidOf('key', params.keyId)
          const at = clock.now()
          if (!uuid || !(await revokeApiKey(tx, params.id, uuid, at))) {
            throw notFound('KEY_NOT_FOUND', 'key, or it is revoked already')
          }
          const act = {
            tenantId: params.id,
            at,
            actor,
            action: 'api_key.revoked',
            subject: params.keyId,
          }
          await recordAct(tx, act)
          return null
        }),
    }),
  ]
}

function tenantNotFound() {
  return notFound('TENANT_NOT_FOUND', 'tenant')
}

function showTenant(row: TenantRow) {
  return { ...row, created_at: row.created_at.toISOString() }
}

function showKey(row: ApiKeyRow) {
  return {
    ...row,
    id: publicId('key', row.id),
    created_at: row.created_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
  }
}
