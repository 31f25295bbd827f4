import { z } from 'zod'
import {
  account,
  accountChange,
  accountEvent,
  listOf,
  listQuery,
  newAccount,
  ownNumber,
  tenantId,
} from '../api/contract.ts'
import { accountHistoryQuery, accountInList } from '../api/contract-connect.ts'
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
  selectAccount,
  selectAccountEvents,
  selectAccounts,
} from './queries.ts'
import { showAccount } from './show.ts'
import type { Vault } from './vault.ts'

type Listed = z.output<typeof accountInList>
/** What is not the account's own: it comes from those who send and receive. */
export type Figures = Pick<
  Listed,
  'waiting_count' | 'circuit' | 'throttled_until' | 'last_inbound_at'
>

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
  /** By number, for every number that is asked about. */
  figuresOf: (tenantId: string, phoneNumberIds: string[]) => Promise<Map<string, Figures>>
}

const ofTenant = z.object({ id: tenantId })
const base = '/api/admin/tenants/:id/accounts'

export function accountRoutes(options: AccountRoutesOptions): Route[] {
  const { db, clock } = options
  const show = (row: AccountRow) => showAccount(row, clock.now(), options.tokenWarningDays)
  const showAll = async (tenantId: string, rows: AccountRow[], limit: number) => {
    const numbers = rows.map((row) => row.phone_number_id)
    const figures = await options.figuresOf(tenantId, numbers)
    return pageOf(rows, limit, cursorOf, (row) => {
      const own = figures.get(row.phone_number_id)
      if (!own) throw new Error('bug: a number without figures')
      return { ...show(row), ...own }
    })
  }
  return [
    route({
      operationId: 'admin.tenants.accounts.connect',
      method: 'POST',
      path: base,
      summary: 'Connect a number with an access token; does not call Meta',
      access: 'operator',
      params: ofTenant,
      body: newAccount,
      answer: account,
      status: 201,
      errors: ['TENANT_NOT_FOUND', 'NUMBER_TAKEN'],
      handle: async ({ params, body, actor }) =>
        show(await connectAccount(db, params.id, body, { ...options, actor })),
    }),
    route({
      operationId: 'admin.tenants.accounts.list',
      method: 'GET',
      path: base,
      summary: 'List a tenant’s accounts',
      access: 'operator',
      params: ofTenant,
      query: listQuery,
      answer: listOf(accountInList),
      errors: ['TENANT_NOT_FOUND'],
      handle: async ({ params, query }) => {
        if (!(await isTenant(db, params.id))) throw notFound('TENANT_NOT_FOUND', 'tenant')
        const rows = await selectAccounts(db, params.id, decodeCursor(query.after), query.limit + 1)
        return showAll(params.id, rows, query.limit)
      },
    }),
    route({
      operationId: 'admin.tenants.accounts.update',
      method: 'PATCH',
      path: `${base}/:accountId`,
      summary: 'Choose what answers an account’s messages by itself',
      access: 'operator',
      params: ofTenant.extend({ accountId: z.string() }),
      body: accountChange,
      answer: account,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async ({ params, body, actor }) => {
        const by = { actor, at: clock.now() }
        return show(await changeAccount(db, params.id, params.accountId, body, by))
      },
    }),
    route({
      operationId: 'admin.tenants.accounts.disconnect',
      method: 'DELETE',
      path: `${base}/:accountId`,
      summary: 'Disconnect an account; its conversations stay',
      access: 'operator',
      params: ofTenant.extend({ accountId: z.string() }),
      answer: z.null(),
      status: 204,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: ({ params, actor }) => disconnect(options, params, actor),
    }),
    ...ownRoutes(db, clock, { show, showAll }),
  ]
}

async function disconnect(
  { db, clock, onDisconnected }: AccountRoutesOptions,
  { id: tenantId, accountId }: { id: string; accountId: string },
  actor: string,
): Promise<null> {
  return db.transaction(async (tx) => {
    const uuid = uuidOf('acc', accountId)
    const number = uuid && (await deleteAccount(tx, tenantId, uuid))
    if (!number) throw notFound('ACCOUNT_NOT_FOUND', 'account')
    await recordAct(tx, {
      tenantId,
      at: clock.now(),
      actor,
      action: 'account.disconnected',
      subject: accountId,
      details: { phone_number_id: number },
    })
    await onDisconnected(tx, tenantId, number)
    return null
  })
}

interface Showing {
  show(row: AccountRow): ReturnType<typeof showAccount>
  showAll(
    tenantId: string,
    rows: AccountRow[],
    limit: number,
  ): Promise<{ data: Listed[]; paging: { next: string | null } }>
}

/** What a tenant sees of its own accounts. */
function ownRoutes(db: Db, clock: Clock, { show, showAll }: Showing): Route[] {
  return [
    route({
      operationId: 'accounts.list',
      method: 'GET',
      path: '/api/whatsapp/accounts',
      summary: 'List your accounts',
      access: 'tenant',
      query: listQuery,
      answer: listOf(accountInList),
      handle: async ({ tenantId, query }) => {
        const rows = await db.tenantTransaction(tenantId, (tx) =>
          selectAccounts(tx, tenantId, decodeCursor(query.after), query.limit + 1),
        )
        return showAll(tenantId, rows, query.limit)
      },
    }),
    route({
      operationId: 'numbers.list',
      method: 'GET',
      path: '/api/whatsapp/numbers',
      summary: 'List the numbers that contacts write to',
      access: 'agent',
      query: listQuery,
      answer: listOf(ownNumber),
      handle: async ({ tenantId, query }) => {
        const rows = await db.tenantTransaction(tenantId, (tx) =>
          selectAccounts(tx, tenantId, decodeCursor(query.after), query.limit + 1),
        )
        return pageOf(
          rows,
          query.limit,
          cursorOf,
          ({ phone_number_id, display_phone_number, auth_status }) => ({
            phone_number_id,
            display_phone_number,
            auth_status,
          }),
        )
      },
    }),
    route({
      operationId: 'accounts.update',
      method: 'PATCH',
      path: '/api/whatsapp/accounts/:id',
      summary: 'Choose what answers your account’s messages by itself',
      access: 'tenant',
      params: z.object({ id: z.string() }),
      body: accountChange,
      answer: account,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async ({ tenantId, params, body, actor }) => {
        const by = { actor, at: clock.now() }
        return show(await changeAccount(db, tenantId, params.id, body, by))
      },
    }),
    route({
      operationId: 'accountEvents.list',
      method: 'GET',
      path: '/api/whatsapp/account-events',
      summary: 'What Meta said about your accounts, numbers, templates and contacts, latest first',
      access: 'tenant',
      query: accountHistoryQuery,
      answer: listOf(accountEvent),
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async ({ tenantId, query }) => {
        const { field = null, account_id, after, limit } = query
        const rows = await db.tenantTransaction(tenantId, async (tx) => {
          const uuid = account_id === undefined ? null : uuidOf('acc', account_id)
          const about = uuid ? await selectAccount(tx, tenantId, uuid) : null
          if (about === undefined || uuid === undefined) {
            throw notFound('ACCOUNT_NOT_FOUND', 'account')
          }
          const filter = { field, about }
          return selectAccountEvents(tx, tenantId, filter, decodeCursor(after), limit + 1)
        })
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
