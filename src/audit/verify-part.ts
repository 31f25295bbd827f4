// Verifies a part of the way along the chains and says where to go on, so that no call takes long, however much there is.
import type { z } from 'zod'
import type { auditVerification } from '../api/contract-audit.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { countChainRows, selectChains } from './queries.ts'
import { operatorsChain } from './record.ts'
import { walkChain } from './verify.ts'

const rowsAPart = 5000
const chainsAPart = 100

interface PartQuery {
  /** Who is asking: a tenant, or an operator (null). */
  scope: string | null
  /** Whose chain; null: all that the asker may see. */
  tenantId: string | null
  after: string | undefined
}

type Part = z.output<typeof auditVerification>

export async function verifyPart(db: Db, { scope, tenantId, after }: PartQuery): Promise<Part> {
  const place = decodeVerified(after)
  const chain = tenantId ?? scope
  if (scope !== null && chain !== scope) throw notFound('TENANT_NOT_FOUND', 'tenant')
  if (place && chain !== null && place.chain !== chain) throw wrongPlace()
  const verify = (tx: Tx) => walkPart(tx, chain, place ?? { chain: chain ?? '', position: 0 })
  return scope === null ? verify(db) : db.tenantTransaction(scope, verify)
}

interface Place {
  chain: string
  /** Verified up to this row. */
  position: number
}

async function walkPart(db: Tx, only: string | null, from: Place): Promise<Part> {
  const some = await selectChains(db, from.chain, only === null ? chainsAPart + 1 : 1)
  if (only !== null && some[0] !== only) throw notFound('TENANT_NOT_FOUND', 'tenant')
  const part: Part = {
    rows: 0,
    total_rows: await countChainRows(db, only),
    whole: [],
    broken: [],
    next: null,
  }
  for (const [count, chain] of some.entries()) {
    const position = chain === from.chain ? from.position : 0
    if (count === chainsAPart || part.rows >= rowsAPart) {
      return { ...part, next: textOf({ chain, position }) }
    }
    const walked = await walkChain(db, chain, position, rowsAPart - part.rows)
    part.rows += walked.rows
    const tenant_id = chain === operatorsChain ? null : chain
    if (walked.broken) part.broken.push({ tenant_id, ...walked.broken })
    else if (walked.end) part.whole.push({ tenant_id, ...walked.end })
    else return { ...part, next: textOf({ chain, position: position + walked.rows }) }
  }
  return part
}

const textOf = ({ chain, position }: Place) =>
  Buffer.from(`${chain} ${position}`).toString('base64url')

export function decodeVerified(text: string | undefined): Place | undefined {
  if (text === undefined) return undefined
  const decoded = Buffer.from(text, 'base64url').toString('utf8')
  const [, chain, position] = /^(operators|[0-9a-f-]{36}) (\d{1,15})$/.exec(decoded) ?? []
  if (chain === undefined || position === undefined) throw wrongPlace()
  return { chain, position: Number(position) }
}

function wrongPlace(): AppError {
  const problem = 'not a cursor of this verification; start again without it'
  return new AppError('INVALID_CURSOR', 400, `after: ${problem}`, {
    details: { fields: [{ field: 'after', problem }] },
  })
}
