// Audit rows, in the transaction of the act they tell of. Rows form a hash chain: each holds the hash of the one before.
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

/** The chain of what concerns no single tenant; every other chain is named by its tenant's id. */
export const operatorsChain = 'operators'

export async function recordAct(tx: Tx, act: Act): Promise<void> {
  await recordActs(tx, [act])
}

/** Several acts at once: of one chain in the given order, and chains always in one order, so that no two wait in a ring. */
export async function recordActs(tx: Tx, acts: Act[]): Promise<void> {
  const chains = new Map<string, Act[]>()
  for (const act of acts) {
    const chain = act.tenantId ?? operatorsChain
    chains.set(chain, [...(chains.get(chain) ?? []), act])
  }
  for (const chain of [...chains.keys()].sort()) {
    await extendChain(tx, chain, (chains.get(chain) ?? []).map(keepable))
  }
}

async function extendChain(tx: Tx, chain: string, acts: KeptAct[]): Promise<void> {
  await tx.query(sql`
    insert into audit_chains (chain, tenant_id, position, hash)
    values (${chain}, ${acts[0]?.tenantId ?? null}, 0, ${firstHash})
    on conflict do nothing`)
  // The row lock makes acts of one chain queue up, so that no two rows follow the same one.
  const [end] = await tx.query(sql<{ position: string; hash: Buffer }>`
    select position, hash
    from audit_chains
    where chain = ${chain}
    for update`)
  if (!end) throw new Error('bug: the audit chain row vanished')
  let position = Number(end.position)
  let hash = end.hash
  const rows = acts.map((act) => {
    const previousHash = hash
    position++
    hash = hashAct(previousHash, chain, position, act)
    return { ...act, position, previousHash, hash }
  })
  await tx.query(sql`
    insert into audit_log
      (chain, position, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash)
    select ${chain}, position, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash
    from unnest(
      ${rows.map((row) => row.position)}::bigint[],
      ${rows.map((row) => row.tenantId)}::uuid[],
      ${rows.map((row) => row.at)}::timestamptz[],
      ${rows.map((row) => row.actor)}::text[],
      ${rows.map((row) => row.action)}::text[],
      ${rows.map((row) => row.subject)}::text[],
      ${rows.map((row) => row.reason)}::text[],
      ${rows.map((row) => JSON.stringify(row.details))}::jsonb[],
      ${rows.map((row) => row.previousHash)}::bytea[],
      ${rows.map((row) => row.hash)}::bytea[])
      as act (position, tenant_id, at, actor, action, subject, reason, details, previous_hash, hash)`)
  await tx.query(sql`
    update audit_chains
    set position = ${position}, hash = ${hash}
    where chain = ${chain}`)
}

/** An act as it comes back from the database: what is hashed must be what is kept, or the chain would seem broken. */
export interface KeptAct {
  tenantId: string | null
  at: Date
  actor: string
  action: string
  subject: string
  reason: string | null
  details: unknown
}

/** Text without what Postgres refuses (NUL) or the driver replaces (half a surrogate pair); details as JSON gives them back. */
function keepable(act: Act): KeptAct {
  return {
    tenantId: act.tenantId,
    at: act.at,
    actor: keepableText(act.actor),
    action: keepableText(act.action),
    subject: keepableText(act.subject),
    reason: act.reason === undefined ? null : keepableText(act.reason),
    details: JSON.parse(JSON.stringify(act.details ?? {}), (_key, value) => keepableValue(value)),
  }
}

function keepableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

function keepableValue(value: unknown): unknown {
  if (typeof value === 'string') return keepableText(value)
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [keepableText(key), inner]))
}

export function hashAct(previous: Buffer, chain: string, position: number, act: KeptAct): Buffer {
  const told = JSON.stringify([
    chain,
    position,
    act.tenantId,
    act.at.toISOString(),
    act.actor,
    act.action,
    act.subject,
    act.reason,
    sortKeys(act.details),
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
