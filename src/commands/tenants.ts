// What is looked at and changed of a tenant: itself, its keys, its numbers.
import type { z } from 'zod'
import { accountNamed } from '../accounts/change.ts'
import type { account, apiKey, tenant as tenantShape } from '../api/contract.ts'
import type { accountInList } from '../api/contract-connect.ts'
import { callRoute } from './call-route.ts'
import { type PageOptions, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { oneLine, pageText, table } from './text.ts'

type Tenant = z.output<typeof tenantShape>
type Page<Row> = { data: Row[]; paging: { next: string | null } }

const base = '/api/admin/tenants/:id'

export async function tenantList(options: PageOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const query = { limit: options.limit, after: options.after }
    const page = await callRoute<Page<Tenant>>(runtime, 'GET', '/api/admin/tenants', { query })
    const rows = page.data.map((row) => [row.id, row.status, row.slug, row.name])
    const none = 'There are no tenants yet. Next: estafet tenant create <name>'
    const text = table(['ID', 'STATUS', 'SLUG', 'NAME'], rows)
    print(options, page, rows.length === 0 ? none : pageText(text, page))
  })
}

export async function tenantShow(name: string, options: TableOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const id = await tenantNamed(runtime, name)
    const tenant = await callRoute<Tenant>(runtime, 'GET', base, { params: { id } })
    print(options, tenant, tenantText(tenant))
  })
}

interface ChangeOptions extends TableOptions {
  name?: string
  maxConcurrency?: string
  maxQueued?: string
  retryPolicy?: string
  reason?: string
}

/** `default`: no longer a value of its own. */
const own = (text: string | undefined) => (text === 'default' ? null : text)
const number = (text: string | undefined) =>
  text === undefined || text === 'default' ? own(text) : Number(text)

export async function tenantChange(name: string, options: ChangeOptions): Promise<void> {
  await change(name, options, {
    name: options.name,
    max_concurrency: number(options.maxConcurrency),
    max_queued: number(options.maxQueued),
    retry_policy: own(options.retryPolicy),
  })
}

export const tenantSuspend = (name: string, options: ChangeOptions) =>
  change(name, options, { status: 'suspended' })

export const tenantResume = (name: string, options: ChangeOptions) =>
  change(name, options, { status: 'active' })

async function change(name: string, options: ChangeOptions, wish: Record<string, unknown>) {
  const told = Object.entries({ ...wish, reason: options.reason }).filter(
    ([, value]) => value !== undefined,
  )
  await withRuntime(async (runtime) => {
    const id = await tenantNamed(runtime, name)
    const given = { params: { id }, body: Object.fromEntries(told) }
    const tenant = await callRoute<Tenant>(runtime, 'PATCH', base, given)
    print(options, tenant, tenantText(tenant))
  })
}

function tenantText(tenant: Tenant): string {
  const facts = [
    ['id', tenant.id],
    ['name', tenant.name],
    ['slug', tenant.slug],
    ['status', tenant.status],
    ['in flight', tenant.max_concurrency ?? 'as configured'],
    ['queued', tenant.max_queued ?? 'as configured'],
    ['retries', tenant.retry_policy ?? 'as configured'],
    ['created', tenant.created_at],
  ]
  return facts
    .map(([name, value]) => `${String(name).padEnd(11)}${oneLine(String(value))}`)
    .join('\n')
}

export async function keyList(name: string, options: PageOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const page = await callRoute<Page<z.output<typeof apiKey>>>(
      runtime,
      'GET',
      `${base}/api-keys`,
      {
        params: { id: await tenantNamed(runtime, name) },
        query: { limit: options.limit, after: options.after },
      },
    )
    const rows = page.data.map((key) => [
      key.id,
      key.revoked_at === null ? 'active' : 'revoked',
      `${key.key_start}…`,
      key.last_used_at ?? 'never used',
      key.name,
    ])
    const heads = ['ID', 'STATE', 'BEGINS', 'USED', 'NAME']
    const none = `This tenant has no keys. Next: estafet key create ${name}`
    print(options, page, rows.length === 0 ? none : pageText(table(heads, rows), page))
  })
}

export async function keyRevoke(name: string, id: string, options: TableOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const params = { id: await tenantNamed(runtime, name), keyId: id }
    await callRoute(runtime, 'DELETE', `${base}/api-keys/:keyId`, { params })
    print(options, { revoked: id }, `Key ${id} is revoked: it opens nothing any more.`)
  })
}

type Account = z.output<typeof account> & z.output<typeof accountInList>

export async function accountList(name: string, options: PageOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const page = await callRoute<Page<Account>>(runtime, 'GET', `${base}/accounts`, {
      params: { id: await tenantNamed(runtime, name) },
      query: { limit: options.limit, after: options.after },
    })
    const rows = page.data.map((one) => [
      one.id,
      one.auth_status,
      one.display_phone_number,
      one.phone_number_id,
      String(one.waiting_count),
      one.last_inbound_at ?? 'never heard',
    ])
    const heads = ['ID', 'STATE', 'NUMBER', 'META', 'WAITING', 'HEARD']
    const none = `This tenant has no numbers. Next: estafet account link ${name}`
    print(options, page, rows.length === 0 ? none : pageText(table(heads, rows), page))
  })
}

export async function accountDisconnect(
  name: string,
  account: string,
  options: TableOptions,
): Promise<void> {
  await withRuntime(async (runtime) => {
    const id = await tenantNamed(runtime, name)
    const accountId = await accountNamed(runtime.db.api, id, account)
    await callRoute(runtime, 'DELETE', `${base}/accounts/:accountId`, { params: { id, accountId } })
    print(
      options,
      { disconnected: accountId },
      `${accountId} is disconnected; its conversations stay.`,
    )
  })
}
