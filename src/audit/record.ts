// One audit row, in the transaction of the act it tells of. Rows form a hash chain: each holds the hash of the one before.
import { createHash } from 'node:crypto'
import { sql, type Tx } from '../db/connect.ts'

export interface Act {
  /** Null for an act that concerns no single tenant. */
  tenantId: string | null
  at: Date
  /** Who: the name of an operator key, an API key's id, a person. */
  actor: string
  /** What, as noun.verb: `tenant.created`. */
  action: string
  /** On what: the public id of the thing. */
  subject: string
  reason?: string
  details?: Record<string, unknown>
}

/** The first link of every chain hangs on this. */
export const firstHash = Buffer.alloc(32)

export async function recordAct(tx: Tx, act: Act): Promise<void> {
  const chain = act.tenantId ?? 'operators'
  await tx.query(sql`
    insert into audit_chains (chain, tenant_id, position, hash)
    values (${chain}, ${act.tenantId}, 0, ${firstHash})
    on conflict do nothing`)
  // The row lock makes acts of one chain queue up, so that no two rows follow the same one.
  const [end] = await tx.query(sql<{ position: string; hash: Buffer }>`
    select position, hash
    from audit_chains
    where chain = ${chain}
    for update`)
  if (!end) throw new Error('bug: the audit chain row vanished')
  const position = Number(end.position) + 1
  const hash = hashAct(end.hash, chain, position, act)
  await tx.query(sql`
    insert into audit_log
      (chain, position, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash)
    values
      (${chain}, ${position}, ${act.tenantId}, ${act.at}, ${act.actor}, ${act.action}, ${act.subject},
       ${act.reason ?? null}, ${JSON.stringify(act.details ?? {})}, ${end.hash}, ${hash})`)
  await tx.query(sql`
    update audit_chains
    set position = ${position}, hash = ${hash}
    where chain = ${chain}`)
}

export function hashAct(previous: Buffer, chain: string, position: number, act: Act): Buffer {
  const told = JSON.stringify([
    chain,
    position,
    act.tenantId,
    act.at.toISOString(),
    act.actor,
    act.action,
    act.subject,
    act.reason ?? null,
    // As they will be read back: a Date is a string by then.
    sortKeys(JSON.parse(JSON.stringify(act.details ?? {}))),
  ])
  return createHash('sha256').update(previous).update(told).digest()
}

/** jsonb does not keep the order of keys, so the hash must not depend on it. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sortKeys(inner)]),
  )
}
