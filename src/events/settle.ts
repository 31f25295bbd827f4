// What came of attempts → rows, the endpoints' health, an http responder's messages: one transaction for all that ended
// together. Only who still holds a row changes it; what an attempt came to is written down in any case.
import type { Db, Tx } from '../db/connect.ts'
import type { EndedSend } from '../outbox/end-suppressed.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { type DeliveryDecision, decideDelivery } from './decide.ts'
import type { DeliveryResult } from './deliver.ts'
import { disableEndpoints } from './disable.ts'
import { excerptOf } from './excerpt.ts'
import {
  type EndpointHealth,
  endDeliveryAttempts,
  noteHealth,
  settleDeliveries,
} from './queue-queries.ts'
import type { Responder } from './respond.ts'

export interface DeliverySettler {
  db: Db
  clock: Clock
  random: Random
  /** After how many days without a success an endpoint is disabled. */
  disableDays: number
  responder: Responder
}

export interface SettledDelivery extends DeliveryResult {
  decision: DeliveryDecision
  /** False when the row was taken from us meanwhile. */
  isOurs: boolean
  /** The ids of messages that this answer put into the outbox. */
  replies: string[]
  /** Of what was put there together with it, what an opt-out ended at once. */
  ended: EndedSend[]
  /** Why the endpoint was disabled by this attempt. */
  disabled: 'FAILING' | 'GONE' | null
}

const dayMs = 24 * 60 * 60 * 1000

export async function settleDelivered(
  { db, clock, random, disableDays, responder }: DeliverySettler,
  results: DeliveryResult[],
): Promise<SettledDelivery[]> {
  const now = clock.now()
  const decided = results.map((result) => ({
    ...result,
    decision: decideDelivery(result.outcome, result.delivery.attempts, { random, now }),
  }))
  return db.transaction(async (tx) => {
    // First: the send queue's locks come before this queue's.
    const { queued, ended } = await responder.queue(tx, decided, now)
    const ours = await settleDeliveries(
      tx,
      decided.map(({ delivery, outcome, decision, answer }) => ({
        delivery,
        state: decision.state,
        failures: decision.failures,
        error: outcome.errorCode ?? answer?.problem ?? null,
        runAt: decision.runAt,
      })),
    )
    await endDeliveryAttempts(
      tx,
      decided.map(({ delivery, outcome, answer, durationMs }) => ({
        attemptId: delivery.attemptId,
        tenantId: delivery.tenantId,
        statusCode: outcome.statusCode,
        errorCode: outcome.errorCode ?? answer?.problem ?? null,
        durationMs: Math.round(durationMs),
        answer: outcome.errorCode === null ? null : excerptOf(outcome.body),
      })),
    )
    // Not of those that are lost, or were settled before without our hearing of it: they are counted elsewhere.
    const held = decided.filter(({ delivery }) => ours.has(delivery.id))
    const disabled = await judgeEndpoints(tx, held, disableDays, now)
    // crash point: events.settled-before-commit
    return decided.map((one) => ({
      ...one,
      isOurs: ours.has(one.delivery.id),
      replies: queued.get(one.delivery.id) ?? [],
      ended: ended.splice(0),
      disabled: disabled.get(keyOf(one.delivery)) ?? null,
    }))
  })
}

type Decided = DeliveryResult & { decision: DeliveryDecision }

function keyOf({ tenantId, endpointId }: { tenantId: string; endpointId: string }): string {
  return `${tenantId} ${endpointId}`
}

/** Those that are disabled by this, and why. */
async function judgeEndpoints(
  tx: Tx,
  decided: Decided[],
  disableDays: number,
  now: Date,
): Promise<Map<string, 'FAILING' | 'GONE'>> {
  const health = new Map<string, EndpointHealth>()
  const doomed = new Map<string, 'FAILING' | 'GONE'>()
  for (const { delivery, decision } of decided) {
    if (!decision.endpoint) continue
    const { isTaken, isDown, holdUntil, isGone } = decision.endpoint
    const { tenantId, endpointId } = delivery
    const known = health.get(keyOf(delivery))
    health.set(keyOf(delivery), {
      tenantId,
      endpointId,
      isTaken: isTaken || (known?.isTaken ?? false),
      failures: (known?.failures ?? 0) + (isTaken ? 0 : 1),
      isDown: isDown || (known?.isDown ?? false),
      holdUntil: latest(known?.holdUntil ?? null, holdUntil),
    })
    if (isGone) doomed.set(keyOf(delivery), 'GONE')
  }
  if (health.size === 0) return doomed
  const since = now.getTime() - disableDays * dayMs
  for (const one of await noteHealth(tx, [...health.values()], now)) {
    if (one.failingSince && one.failingSince.getTime() <= since && !doomed.has(keyOf(one))) {
      doomed.set(keyOf(one), 'FAILING')
    }
  }
  return disableEndpoints(tx, doomed, now)
}

function latest(a: Date | null, b: Date | null): Date | null {
  if (!a || !b) return a ?? b
  return a > b ? a : b
}
