import { z } from 'zod'
import {
  account,
  accountChange,
  accountEvent,
  accountEventsQuery,
  listOf,
  listQuery,
  newAccount,
  tenantId,
} from '../api/contract.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Route, route } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import { isTenant } from '../tenants/resolve.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { changeAccount } from './change.ts'
import { connectAccount, type OnConnected } from './connect.ts'
import {
  type AccountEventRow,
  type AccountRow,
  deleteAccount,
  selectAccountEvents,
  selectAccounts,
} from './queries.ts'
import { showAccount } from './show.ts'
import type { Vault } from './vault.ts'

interface AccountRoutesOptions {
  db: Db
  clock: Clock
  random: Random
  vault: Vault
  appId: string | null
  onConnected: OnConnected
  /** In the transaction that disconnects it, last. */
  onDisconnected: (tx: Tx, tenantId: string, phoneNumberId: string) => Promise<void>
  tokenWarningDays: number
}

const ofTenant = z.object({ id: tenantId })
const base = '/api/admin/tenants/:id/accounts'

export function accountRoutes(options: AccountRoutesOptions): Route[] {
  const { db, clock } = options
  const show = (row: AccountRow) => showAccount(row, clock.now(), options.tokenWarningDays)
  return [
    route({
      method: 'POST',
      path: base,
      summary: 'Connect a number with an access token; does not call Meta',
      access: 'operator',
      params: ofTenant,
      body: newAccount,
      answer: account,
      status: 201,
      handle: async ({ params, body, actor }) =>
        show(await connectAccount(db, params.id, body, { ...options, actor })),
    }),
    route({
      method: 'GET',
      path: base,
      summary: 'List a tenant’s accounts',
      access: 'operator',
      params: ofTenant,
      query: listQuery,
      answer: listOf(account),
      handle: async ({ params, query }) => {
        if (!(await isTenant(db, params.id))) throw notFound('TENANT_NOT_FOUND', 'tenant')
        const rows = await selectAccounts(db, params.id, decodeCursor(query.after), query.limit + 1)
        return pageOf(rows, query.limit, cursorOf, show)
      },
    }),
    route({
      method: 'PATCH',
      path: `${base}/:accountId`,
      summary: 'Choose what answers an account’s messages by itself',
      access: 'operator',
      params: ofTenant.extend({ accountId: z.string() }),
      body: accountChange,
      answer: account,
      handle: async ({ params, body, actor }) => {
        const by = { actor, at: clock.now() }
        return show(await changeAccount(db, params.id, params.accountId, body, by))
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:accountId`,
      summary: 'Disconnect an account; its conversations stay',
      access: 'operator',
      params: ofTenant.extend({ accountId: z.string() }),
      answer: z.null(),
      status: 204,
      handle: ({ params, actor }) =>
        db.transaction(async (tx) => {
          const uuid = uuidOf('acc', params.accountId)
          const number = uuid && (await deleteAccount(tx, params.id, uuid))
          if (!number) throw notFound('ACCOUNT_NOT_FOUND', 'account')
          await recordAct(tx, {
            tenantId: params.id,
            at: clock.now(),
            actor,
            action: 'account.disconnected',
            subject: params.accountId,
            details: { phone_number_id: number },
          })
          await options.onDisconnected(tx, params.id, number)
          return null
        }),
    }),
    ...ownRoutes(db, clock, show),
  ]
}

/** What a tenant sees of its own accounts. */
function ownRoutes(
  db: Db,
  clock: Clock,
  show: (row: AccountRow) => ReturnType<typeof showAccount>,
): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/whatsapp/accounts',
      summary: 'List your accounts',
      access: 'tenant',
      query: listQuery,
      answer: listOf(account),
      handle: async ({ tenantId, query }) => {
        const rows = await db.tenantTransaction(tenantId, (tx) =>
          selectAccounts(tx, tenantId, decodeCursor(query.after), query.limit + 1),
        )
        return pageOf(rows, query.limit, cursorOf, show)
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/whatsapp/accounts/:id',
      summary: 'Choose what answers your account’s messages by itself',
      access: 'tenant',
      params: z.object({ id: z.string() }),
      body: accountChange,
      answer: account,
      handle: async ({ tenantId, params, body, actor }) => {
        const by = { actor, at: clock.now() }
        return show(await changeAccount(db, tenantId, params.id, body, by))
      },
    }),
    route({
      method: 'GET',
      path: '/api/whatsapp/account-events',
      summary: 'What Meta said about your accounts, numbers, templates and contacts, latest first',
      access: 'tenant',
      query: accountEventsQuery,
      answer: listOf(accountEvent),
      handle: async ({ tenantId, query }) => {
        const { field = null, after, limit } = query
        const rows = await db.tenantTransaction(tenantId, (tx) =>
          selectAccountEvents(tx, tenantId, field, decodeCursor(after), limit + 1),
        )
        return pageOf(rows, limit, (row) => ({ at: row.occurred_at, id: row.id }), showAccountEvent)
      },
    }),
  ]
}

const cursorOf = (row: AccountRow) => ({ at: row.created_at, id: row.id })

function showAccountEvent(row: AccountEventRow) {
  return {
    ...row,
    id: publicId('aev', row.id),
    occurred_at: row.occurred_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }
}
