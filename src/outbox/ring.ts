// Calls for sends, where nobody looks for them by himself (dispatch/cloud-tasks.ts): after each commit that gave a tenant
// something to send, or a row a time to wait for. What is to be sent is the claim's to decide, as ever.
import type { Db } from '../db/connect.ts'
import type { Dispatch, Ring } from '../dispatch/queue.ts'
import type { RowKey } from '../queue/engine.ts'
import type { Random } from '../time-and-chance.ts'
import {
  type DueTenant,
  type RungSend,
  ringLater,
  ringNext,
  selectDueTenants,
  selectWaiting,
  type WaitingSend,
} from './ring-queries.ts'

export interface SendBell {
  /** These were queued just now; those for later are called for then. */
  queued(messages: QueuedSend[]): Promise<void>
  /** Something of this tenant ended or was put off: there may be room, and the next in line. */
  settled(tenantId: string, waiting: RowKey[]): Promise<void>
  /** Taken back from the dead. */
  takenBack(rows: RowKey[]): Promise<void>
  /** What keeps this row from being sent; it is called for again when that is over. Undefined: there is none. */
  putOff(row: RowKey): Promise<WaitingSend | undefined>
}

export interface QueuedSend {
  tenantId: string
  messageId: string
  isForLater: boolean
}

export interface RingTerms {
  db: Db
  defaultCap: number
  /** A ring that has not come so long after its time is lost. */
  patienceSeconds: number
}

export interface SendBellOptions extends RingTerms {
  random: Random
  dispatch: Pick<Dispatch, 'wake' | 'isPushed'>
}

/** So many of a number have a task of their own at once, whatever its tenant's cap. */
const atLeast = 20
const tenantsAtOnce = 50
/** As many as can be made in the time of a sweep. The rest is the next one's: what is marked and not made counts as lost. */
const mostAtOnce = 2_000
/** What was put off together does not come back together. */
const spreadSeconds = 10

export function createSendBell(options: SendBellOptions): SendBell {
  const { db, random, dispatch } = options
  const later = (rows: RowKey[]) =>
    rows.length === 0
      ? Promise.resolve([])
      : ringLater(db, rows, dispatch.isPushed, spreadSeconds * random.fraction())
  const call = async (find: () => Promise<Ring[]>) => void (await dispatch.wake('outbox', find))

  return {
    queued: (messages) =>
      call(async () => {
        const tenantIds = [...new Set(messages.map(({ tenantId }) => tenantId))]
        const forLater = messages.filter(({ isForLater }) => isForLater)
        const rows = forLater.length > 0 ? await selectWaiting(db, forLater) : []
        return [...(await next(options, tenantIds, atLeast)), ...ringsOf(await later(rows))]
      }),
    settled: (tenantId, waiting) =>
      call(async () => [...ringsOf(await later(waiting)), ...(await next(options, [tenantId], 0))]),
    takenBack: (rows) =>
      call(async () => {
        const tenantIds = [...new Set(rows.map(({ tenantId }) => tenantId))]
        return [...ringsOf(await later(rows)), ...(await next(options, tenantIds, 0))]
      }),
    async putOff(row) {
      const [found] = await later([row])
      if (found) await call(async () => ringsOf([found]))
      return found
    },
  }
}

async function next(terms: RingTerms, tenantIds: string[], least: number): Promise<Ring[]> {
  const rung = await ringNext(terms.db, tenantIds, { ...terms, atLeast: least })
  return rung.map(ringOf)
}

/** Whoever is due and has no ring coming: after a loss, a release, anything. */
export async function findDueSends(terms: RingTerms): Promise<Ring[]> {
  const rings: Ring[] = []
  let after: DueTenant | null = null
  for (;;) {
    const page: DueTenant[] = await selectDueTenants(terms.db, after, tenantsAtOnce)
    const tenantIds = page.map(({ tenantId }) => tenantId)
    if (page.length > 0) rings.push(...(await next(terms, tenantIds, atLeast)))
    after = page.at(-1) ?? null
    if (page.length < tenantsAtOnce || rings.length >= mostAtOnce) return rings
  }
}

function ringsOf(waiting: WaitingSend[]): Ring[] {
  return waiting.flatMap((one) => (one.ring === null ? [] : ringOf({ ...one, ring: one.ring })))
}

function ringOf({ tenantId, id, ring, rungFor, correlationId }: RungSend): Ring {
  return {
    queue: 'outbox',
    id,
    number: ring,
    owner: tenantId,
    at: rungFor,
    correlationId,
    body: {
      outbox_id: id,
      idempotency_key: idempotencyKeyOf(tenantId, id),
      correlation_id: correlationId,
    },
  }
}

/** The same for every attempt at a row; one that is queued again is another row. */
export function idempotencyKeyOf(tenantId: string, id: string): string {
  return `${tenantId}:${id}`
}
