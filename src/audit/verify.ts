// Walks the hash chains and names the first row of each that is not as it was written. What it cannot see: a chain
// that somebody with the database's own rights computed anew from some row on. Keeping the ends it reports (`hash`)
// somewhere else closes that, for a later run must come by them.
import type { auditProblems } from '../api/contract-audit.ts'
import type { Db, Tx } from '../db/connect.ts'
import {
  type ChainEnd,
  type ChainRow,
  selectChainEnd,
  selectChainRows,
  selectChains,
  selectHashAt,
  selectPositionPastEnd,
} from './queries.ts'
import { firstHash, hashAct, operatorsChain } from './record.ts'

export type Problem = (typeof auditProblems)[number]

export interface Break {
  chain: string
  /** Null when the chain as a whole is meant. */
  position: number | null
  problem: Problem
  message: string
}

export interface Verification {
  rows: number
  /** Where each sound chain ends. */
  chains: { chain: string; position: number; hash: string }[]
  /** The first broken row of each chain that has one. */
  broken: Break[]
}

const batchRows = 1000

/** Verifies every chain, or one tenant's. Reads in batches, so it can run beside a busy gateway. */
export async function verifyAudit(
  db: Db,
  tenantId: string | null,
  onChain: (done: number, total: number) => void = () => undefined,
): Promise<Verification> {
  const chains = tenantId === null ? await selectChains(db) : [tenantId]
  const result: Verification = { rows: 0, chains: [], broken: [] }
  for (const [done, chain] of chains.entries()) {
    onChain(done, chains.length)
    const { rows, broken, end } = await walkChain(db, chain, 0)
    result.rows += rows
    if (broken) result.broken.push({ chain, ...broken })
    else if (end) result.chains.push({ chain, ...end })
  }
  return result
}

export type Found = Omit<Break, 'chain'>

export interface Walked {
  /** Verified in this walk. */
  rows: number
  broken?: Found
  /** Where the chain ends; missing when it is broken, or longer than the walk was to be. */
  end?: { position: number; hash: string }
}

/** Walks on behind `from`, which an earlier walk came to (0: from the beginning), over `maxRows` or a batch more. */
export async function walkChain(
  db: Tx,
  chain: string,
  from: number,
  maxRows = Number.POSITIVE_INFINITY,
): Promise<Walked> {
  // The end first: rows that are added from here on are the next run's.
  const end = await selectChainEnd(db, chain)
  if (!end) {
    const message = 'the chain’s own row, which says where it ends, is gone'
    return { rows: 0, broken: found('chain_missing', null, message) }
  }
  if (end.tenant_id !== (chain === operatorsChain ? null : chain)) {
    const message = 'the chain’s own row names another tenant'
    return { rows: 0, broken: found('chain_changed', null, message) }
  }
  let previous = from === 0 ? firstHash : await selectHashAt(db, chain, from)
  if (!previous) {
    const message = `row ${from} was deleted while the chain was verified`
    return { rows: 0, broken: found('row_missing', from, message) }
  }
  const lastPosition = Number(end.position)
  let rows = 0
  for (;;) {
    const after = from + rows === 0 ? null : from + rows
    const batch = await selectChainRows(db, chain, after, lastPosition, batchRows)
    for (const row of batch) {
      const broken = breakAt(row, from + rows + 1, previous)
      if (broken) return { rows, broken }
      rows++
      previous = row.hash
    }
    if (batch.length < batchRows) break
    if (rows >= maxRows) return { rows }
  }
  const broken = await breakAtEnd(db, chain, end, from + rows, previous)
  if (broken) return { rows, broken }
  return { rows, end: { position: lastPosition, hash: end.hash.toString('hex') } }
}

/** What is wrong with a row that should stand at `expected` and follow the row with the hash `previous`. */
function breakAt(row: ChainRow, expected: number, previous: Buffer): Found | undefined {
  const position = Number(row.position)
  if (position > expected) {
    const upTo = position - 1 > expected ? ` to ${position - 1}` : ''
    return found('row_missing', expected, `row ${expected}${upTo} was deleted`)
  }
  if (position < expected) {
    return found('row_inserted', position, `row ${position} was inserted: no row is written there`)
  }
  if (!row.previous_hash.equals(previous)) {
    const message = `row ${position} does not follow the row before it: rows were reordered, replaced or rewritten`
    return found('row_out_of_place', position, message)
  }
  const isDate = row.is_our_time && !Number.isNaN(row.at.getTime())
  const act = { ...row, tenantId: row.tenant_id }
  if (!isDate || !row.hash.equals(hashAct(previous, row.chain, position, act))) {
    return found('content_changed', position, `row ${position} was changed after it was written`)
  }
  return undefined
}

async function breakAtEnd(
  db: Tx,
  chain: string,
  end: ChainEnd,
  rows: number,
  lastHash: Buffer,
): Promise<Found | undefined> {
  const lastPosition = Number(end.position)
  if (rows < lastPosition) {
    const message = `the end was cut off: the chain has ${lastPosition} rows by its own count, row ${rows + 1} is the first that is gone`
    return found('tail_cut', rows + 1, message)
  }
  if (!lastHash.equals(end.hash)) {
    const message = `row ${lastPosition} is not the one the chain ended with: it was replaced, or the chain’s own row was changed`
    return found('end_changed', lastPosition, message)
  }
  const past = await selectPositionPastEnd(db, chain)
  if (past === undefined) return undefined
  return found('row_inserted', past, `row ${past} was inserted: the chain ends before it`)
}

function found(problem: Problem, position: number | null, message: string): Found {
  return { problem, position, message }
}
