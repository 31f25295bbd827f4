import { sql, type Tx } from '../db/connect.ts'
import { type IdPrefix, isUuid, uuidOf } from '../ids.ts'

/** Where a page ended. */
export interface AuditCursor {
  at: Date
  chain: string
  position: number
}

export interface ActRow {
  chain: string
  position: string
  tenant_id: string | null
  at: Date
  actor: string
  action: string
  subject: string
  reason: string | null
  details: Record<string, unknown>
  hash: Buffer
}

export interface ActWishes {
  action: string | null
  actor: string | null
  subject: string | null
  from: Date | null
  to: Date | null
}

/** One chain, the latest first. Its positions are the order things happened in, also where clocks disagree. */
export async function selectActsOfChain(
  tx: Tx,
  chain: string,
  { action, actor, subject, from, to }: ActWishes,
  after: AuditCursor | null,
  limit: number,
): Promise<ActRow[]> {
  return tx.query(sql<ActRow>`
    select chain, position, tenant_id, at, actor, action, subject, reason, details, hash
    from audit_log
    where chain = ${chain}
      and (${after?.position ?? null}::bigint is null or position < ${after?.position ?? null}::bigint)
      and (${action}::text is null or action = ${action} or (right(${action}, 1) = '.' and starts_with(action, ${action})))
      and (${actor}::text is null or actor = ${actor})
      and (${subject}::text is null or subject = ${subject})
      and (${from}::timestamptz is null or at >= ${from})
      and (${to}::timestamptz is null or at < ${to})
    order by position desc
    limit ${limit}`)
}

/** The pattern is there for the index, which knows dead letters only. */
export async function selectActsOnLetter(
  tx: Tx,
  chain: string,
  letterId: string,
  limit: number,
): Promise<Pick<ActRow, 'at' | 'actor' | 'action' | 'reason'>[]> {
  return tx.query(sql<Pick<ActRow, 'at' | 'actor' | 'action' | 'reason'>>`
    select at, actor, action, reason
    from audit_log
    where subject = ${letterId} and subject like 'dlq\\_%' and chain = ${chain}
    order by position desc
    limit ${limit}`)
}

/** Every chain, the latest first. */
export async function selectActs(
  tx: Tx,
  { action, actor, subject, from, to }: ActWishes,
  after: AuditCursor | null,
  limit: number,
): Promise<ActRow[]> {
  return tx.query(sql<ActRow>`
    select chain, position, tenant_id, at, actor, action, subject, reason, details, hash
    from audit_log
    where (${after?.at ?? null}::timestamptz is null
        or (at, chain, position)
          < (${after?.at ?? null}::timestamptz, ${after?.chain ?? null}::text, ${after?.position ?? null}::bigint))
      and (${action}::text is null or action = ${action} or (right(${action}, 1) = '.' and starts_with(action, ${action})))
      and (${actor}::text is null or actor = ${actor})
      and (${subject}::text is null or subject = ${subject})
      and (${from}::timestamptz is null or at >= ${from})
      and (${to}::timestamptz is null or at < ${to})
    order by at desc, chain desc, position desc
    limit ${limit}`)
}

/** What those are called who acted or were acted on. `tenantId`: as this tenant may know them, operators too. */
export async function selectNames(
  db: Tx,
  tenantId: string | null,
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const uuids = (prefix: IdPrefix) => ids.flatMap((id) => uuidOf(prefix, id) ?? [])
  return db.query(sql<{ id: string; name: string }>`
    select 'usr_' || replace(id::text, '-', '') as id, name
    from people
    where id = any(${uuids('usr')}::uuid[]) and (${tenantId}::uuid is null or tenant_id = ${tenantId} or tenant_id is null)
    union all
    select 'key_' || replace(id::text, '-', ''), name
    from api_keys
    where id = any(${uuids('key')}::uuid[]) and (${tenantId}::uuid is null or tenant_id = ${tenantId})
    union all
    select 'acc_' || replace(id::text, '-', ''), display_phone_number
    from whatsapp_accounts
    where id = any(${uuids('acc')}::uuid[]) and (${tenantId}::uuid is null or tenant_id = ${tenantId})
    union all
    select id::text, name
    from tenants
    where id = any(${ids.filter(isUuid)}::uuid[]) and (${tenantId}::uuid is null or id = ${tenantId})`)
}

/** Every chain there is or should be, from this one on: a tenant's begins when the tenant is made. */
export async function selectChains(
  db: Tx,
  first = '',
  limit: number | null = null,
): Promise<string[]> {
  // From chain to chain: a look at every row of the log would take as long as verifying it.
  const rows = await db.query(sql<{ chain: string }>`
    with recursive logged as (
      (select chain from audit_log where chain >= ${first} order by chain limit 1)
      union all
      select (select l.chain from audit_log l where l.chain > logged.chain order by l.chain limit 1)
      from logged
      where logged.chain is not null)
    select chain from logged where chain is not null
    union
    select chain from audit_chains where chain >= ${first}
    union
    select id::text from tenants where id::text >= ${first}
    order by chain
    limit ${limit}`)
  return rows.map((row) => row.chain)
}

/** By their own count, of every chain or one. */
export async function countChainRows(db: Tx, chain: string | null): Promise<number> {
  const [row] = await db.query(sql<{ rows: string }>`
    select coalesce(sum(position), 0) as rows
    from audit_chains
    where ${chain}::text is null or chain = ${chain}`)
  return Number(row?.rows ?? 0)
}

export async function selectHashAt(
  db: Tx,
  chain: string,
  position: number,
): Promise<Buffer | undefined> {
  const [row] = await db.query(sql<{ hash: Buffer }>`
    select hash
    from audit_log
    where chain = ${chain} and position = ${position}`)
  return row?.hash
}

export interface ChainEnd {
  tenant_id: string | null
  position: string
  hash: Buffer
}

export async function selectChainEnd(db: Tx, chain: string): Promise<ChainEnd | undefined> {
  const [row] = await db.query(sql<ChainEnd>`
    select tenant_id, position, hash
    from audit_chains
    where chain = ${chain}`)
  return row
}

export interface ChainRow extends ActRow {
  previous_hash: Buffer
  /** We write whole milliseconds; what is finer, or infinite, is not ours. */
  is_our_time: boolean
}

export async function selectChainRows(
  db: Tx,
  chain: string,
  afterPosition: number | null,
  lastPosition: number,
  limit: number,
): Promise<ChainRow[]> {
  return db.query(sql<ChainRow>`
    select chain, position, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash,
      isfinite(at) and at = date_trunc('milliseconds', at) as is_our_time
    from audit_log
    where chain = ${chain}
      and (${afterPosition}::bigint is null or position > ${afterPosition}::bigint)
      and position <= ${lastPosition}
    order by position
    limit ${limit}`)
}

/** The first row after the chain's end. One statement, so that rows written meanwhile come with their new end. */
export async function selectPositionPastEnd(db: Tx, chain: string): Promise<number | undefined> {
  const [row] = await db.query(sql<{ position: string }>`
    select l.position
    from audit_chains c
    join audit_log l on l.chain = c.chain and l.position > c.position
    where c.chain = ${chain}
    order by l.position
    limit 1`)
  return row && Number(row.position)
}
