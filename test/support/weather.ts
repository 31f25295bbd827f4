// Calls to Meta as the queue hears of them, without a Meta: claimed, posted in thought, and settled with a verdict.
import { type Db, sql } from '../../src/db/connect.ts'
import type { ClaimedSend } from '../../src/outbox/model.ts'
import {
  type Call,
  type Circuit,
  noteCalls,
  type WeatherChange,
} from '../../src/outbox/weather-queries.ts'
import { createCounter } from './after-file.ts'
import { type QueueHand, queueHand } from './queue.ts'

/** The contract's defaults. */
export const circuit: Circuit = {
  failureRatio: 0.5,
  windowSeconds: 60,
  minCalls: 10,
  halfOpenSeconds: 300,
}

export interface WeatherHand extends QueueHand {
  /** Sends one more on this number, to somebody else each time, and hears this of it. Fails when it is not claimed. */
  call(tenantId: string, phoneNumberId: string, verdict: Call['verdict']): Promise<WeatherChange[]>
  /** Settles what was claimed. */
  hear(sends: ClaimedSend[], more: Partial<Call>): Promise<WeatherChange[]>
}

const nextPerson = createCounter()

export async function weatherHand(db: Db): Promise<WeatherHand> {
  const hand = await queueHand(db)
  const hear: WeatherHand['hear'] = (sends, more) =>
    db.transaction(async (tx) => {
      await tx.query(sql`
        select send_settle(
          ${sends.map((send) => send.tenantId)}::uuid[], ${sends.map((send) => send.id)}::bigint[],
          ${sends.map((send) => send.attemptId)}::uuid[], ${sends.map(() => 'done')}::text[],
          ${sends.map(() => 0)}::int[], ${sends.map(() => null)}::text[], ${sends.map(() => null)}::timestamptz[])`)
      return noteCalls(
        tx,
        sends.map((send) => ({
          tenantId: send.tenantId,
          phoneNumberId: send.phoneNumberId,
          attemptId: send.attemptId,
          verdict: 'answered',
          throttledUntil: null,
          limitedPair: null,
          ...more,
        })),
        circuit,
      )
    })
  return {
    ...hand,
    hear,
    async call(tenantId, phoneNumberId, verdict) {
      await hand.add(tenantId, [`person-${nextPerson()}`], { phoneNumberId })
      const claimed = await hand.claim()
      if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} instead of one`)
      return hear(claimed, { verdict })
    },
  }
}
