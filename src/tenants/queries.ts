import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'

export interface TenantRow {
  id: string
  name: string
  slug: string
  status: 'active' | 'suspended'
  max_concurrency: number | null
  max_queued: number | null
  retry_policy: 'standard' | 'patient' | null
  /** Null: the gateway's own. */
  stop_words: string[] | null
  created_at: Date
}

/** Undefined when the slug is taken. */
export async function insertTenant(tx: Tx, tenant: TenantRow): Promise<TenantRow | undefined> {
  const [row] = await tx.query(sql<TenantRow>`
    insert into tenants (id, name, slug, status, max_concurrency, max_queued, retry_policy, created_at, updated_at)
    values (${tenant.id}, ${tenant.name}, ${tenant.slug}, ${tenant.status}, ${tenant.max_concurrency},
      ${tenant.max_queued}, ${tenant.retry_policy}, ${tenant.created_at}, ${tenant.created_at})
    on conflict (slug) do nothing
    returning id, name, slug, status, max_concurrency, max_queued, retry_policy, stop_words, created_at`)
  return row
}

export async function selectTenants(
  tx: Tx,
  after: Cursor | null,
  limit: number,
): Promise<TenantRow[]> {
  return tx.query(sql<TenantRow>`
    select id, name, slug, status, max_concurrency, max_queued, retry_policy, stop_words, created_at
    from tenants
    where ${after?.at ?? null}::timestamptz is null
      or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid)
    order by created_at desc, id desc
    limit ${limit}`)
}

export async function selectTenant(tx: Tx, id: string): Promise<TenantRow | undefined> {
  const [row] = await tx.query(sql<TenantRow>`
    select id, name, slug, status, max_concurrency, max_queued, retry_policy, stop_words, created_at
    from tenants
    where id = ${id}`)
  return row
}

/** Takes the row's lock, so that a change is made from what is there and not from what was read earlier. */
export async function lockTenant(tx: Tx, id: string): Promise<TenantRow | undefined> {
  const [row] = await tx.query(sql<TenantRow>`
    select id, name, slug, status, max_concurrency, max_queued, retry_policy, stop_words, created_at
    from tenants
    where id = ${id}
    for no key update`)
  return row
}

export async function updateTenant(tx: Tx, tenant: TenantRow, now: Date): Promise<void> {
  await tx.query(sql`
    update tenants
    set name = ${tenant.name}, status = ${tenant.status}, max_concurrency = ${tenant.max_concurrency},
      max_queued = ${tenant.max_queued}, retry_policy = ${tenant.retry_policy}, stop_words = ${tenant.stop_words}::text[],
      updated_at = ${now}
    where id = ${tenant.id}`)
}

export interface ApiKeyRow {
  id: string
  name: string
  key_start: string
  created_at: Date
  revoked_at: Date | null
  last_used_at: Date | null
}

export async function insertApiKey(
  tx: Tx,
  key: {
    id: string
    tenantId: string
    name: string
    keyHash: Buffer
    keyStart: string
    createdAt: Date
  },
): Promise<void> {
  await tx.query(sql`
    insert into api_keys (id, tenant_id, name, key_hash, key_start, created_at)
    values (${key.id}, ${key.tenantId}, ${key.name}, ${key.keyHash}, ${key.keyStart}, ${key.createdAt})`)
}

export async function selectApiKeys(
  tx: Tx,
  tenantId: string,
  after: Cursor | null,
  limit: number,
): Promise<ApiKeyRow[]> {
  return tx.query(sql<ApiKeyRow>`
    select id, name, key_start, created_at, revoked_at, last_used_at
    from api_keys
    where tenant_id = ${tenantId}
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

/** Whether there was such a key that was not revoked yet. */
export async function revokeApiKey(
  tx: Tx,
  tenantId: string,
  id: string,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update api_keys
    set revoked_at = ${now}
    where tenant_id = ${tenantId} and id = ${id} and revoked_at is null
    returning id`)
  return rows.length > 0
}

export interface KeyOwner {
  keyId: string
  tenantId: string
  lastUsedAt: Date | null
}

export async function selectKeyOwner(db: Tx, keyHash: Buffer): Promise<KeyOwner | undefined> {
  const [row] = await db.query(sql<KeyOwner>`
    select id as "keyId", tenant_id as "tenantId", last_used_at as "lastUsedAt"
    from api_keys
    where key_hash = ${keyHash} and revoked_at is null`)
  return row
}

/** Of many who use it at once one notes it, and nobody waits for that one. */
export async function noteKeyUse(
  db: Tx,
  { keyId, tenantId }: KeyOwner,
  now: Date,
  notedBefore: Date,
): Promise<void> {
  await db.query(sql`
    update api_keys
    set last_used_at = ${now}
    where id in (
      select id
      from api_keys
      where tenant_id = ${tenantId} and id = ${keyId} and (last_used_at is null or last_used_at < ${notedBefore})
      for no key update skip locked)`)
}

export async function selectTenantIdBySlug(db: Tx, slug: string): Promise<string | undefined> {
  const [row] = await db.query(sql<{ id: string }>`
    select id
    from tenants
    where slug = ${slug}`)
  return row?.id
}
