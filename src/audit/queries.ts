import { sql, type Tx } from '../db/connect.ts'

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

/** One chain, the latest first. Its positions are the order things happened in, also where clocks disagree. */
export async function selectActsOfChain(
  tx: Tx,
  chain: string,
  after: AuditCursor | null,
  limit: number,
): Promise<ActRow[]> {
  return tx.query(sql<ActRow>`
    select chain, position, tenant_id, at, actor, action, subject, reason, details, hash
    from audit_log
    where chain = ${chain}
      and (${after?.position ?? null}::bigint is null or position < ${after?.position ?? null}::bigint)
    order by position desc
    limit ${limit}`)
}

/** Every chain, the latest first. */
export async function selectActs(
  tx: Tx,
  after: AuditCursor | null,
  limit: number,
): Promise<ActRow[]> {
  return tx.query(sql<ActRow>`
    select chain, position, tenant_id, at, actor, action, subject, reason, details, hash
    from audit_log
    where ${after?.at ?? null}::timestamptz is null
      or (at, chain, position)
        < (${after?.at ?? null}::timestamptz, ${after?.chain ?? null}::text, ${after?.position ?? null}::bigint)
    order by at desc, chain desc, position desc
    limit ${limit}`)
}

/** Every chain there is or should be: a tenant's begins when the tenant is made. */
export async function selectChains(db: Tx): Promise<string[]> {
  const rows = await db.query(sql<{ chain: string }>`
    select chain from audit_chains
    union
    select chain from audit_log
    union
    select id::text from tenants
    order by chain`)
  return rows.map((row) => row.chain)
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
