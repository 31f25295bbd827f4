// The moment at which a claimed send may be posted, kept to the millisecond: only so is the pace at Meta's end what the
// database gave out, whatever happened between the claim and the POST.
import type { Tx } from '../db/connect.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { createDatabaseTime, type DatabaseTime } from './database-time.ts'
import type { ClaimedSend } from './model.ts'
import { isFree, takeSlot } from './weather-queries.ts'

/** The gap between two slots allows for 50: ten of them are the way to Meta. */
export const mostLateMs = 40
/** Who waits longer looks again, this long before its moment, whether its number was held meanwhile. */
export const shortMs = 20

export interface Slots {
  isFree(): Promise<boolean>
  /** Another moment, at least so far ahead; null when the number is held. */
  take(leadMs: number): Promise<number | null>
}

export interface Turns {
  /** What a claim told of the database's time. */
  noteClaim(sends: ClaimedSend[], askedMs: number): void
  /** Waits for its moment; false when its number may not send any more. */
  await(send: ClaimedSend): Promise<boolean>
}

export function createTurns({ db, clock }: { db: Tx; clock: Clock }): Turns {
  const time = createDatabaseTime()
  return {
    noteClaim([first], askedMs) {
      if (first) time.note(first.claimedMs, askedMs, clock.monotonicMs())
    },
    // Who cannot ask does not go: it is given back once the database is there again.
    await: ({ slotMs, tenantId, phoneNumberId }) =>
      awaitSlot(clock, time, slotMs, {
        isFree: () => isFree(db, tenantId, phoneNumberId),
        take: async (leadMs) => {
          const askedMs = clock.monotonicMs()
          const slot = await takeSlot(db, tenantId, phoneNumberId, leadMs)
          if (slot === undefined) return null
          time.note(slot.saidMs, askedMs, clock.monotonicMs())
          return slot.slotMs
        },
      }).catch(() => false),
  }
}

export async function awaitSlot(
  clock: Clock,
  time: DatabaseTime,
  slotMs: number | null,
  slots: Slots,
): Promise<boolean> {
  /** How long before its moment it must ask, to have the answer in time: the longer, the longer answers take. */
  let leadMs = shortMs
  async function timed<T>(ask: () => Promise<T>): Promise<T> {
    const askedMs = clock.monotonicMs()
    const answer = await ask()
    leadMs = Math.min(3_000, Math.max(leadMs, 1.5 * (clock.monotonicMs() - askedMs)))
    return answer
  }
  let next = slotMs
  while (next !== null) {
    const { fromMs, toMs } = time.here(next)
    if (toMs - clock.monotonicMs() > leadMs) {
      await sleep(clock, toMs - clock.monotonicMs() - leadMs)
      if (!(await timed(slots.isFree))) return false
    }
    const restMs = toMs - clock.monotonicMs()
    if (restMs > 0) await sleep(clock, restMs)
    if (clock.monotonicMs() - fromMs <= mostLateMs) return true
    next = await timed(() => slots.take(leadMs))
    if (next === null) return false
  }
  return true
}
