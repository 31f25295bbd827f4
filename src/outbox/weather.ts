// What Meta's answers say about the weather: which calls failed, who is to be slowed down, held, or left alone for a while.
// Called by settle.ts; the state is Postgres's (weather-queries.ts).
import { noteSignals } from '../alerts/signal.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Log, LogFields } from '../log.ts'
import type { Outcome } from '../meta/outcomes.ts'
import type { Metrics } from '../metrics.ts'
import { type Decision, decide, type Terms } from './decide.ts'
import type { SendResult } from './send.ts'
import { signalsOf } from './signals.ts'
import {
  type Call,
  type Circuit,
  holdShared,
  noteCalls,
  takeSlot,
  type WeatherChange,
} from './weather-queries.ts'

export type { Circuit, WeatherChange } from './weather-queries.ts'

export interface Weatherman {
  log: Log
  metrics: Metrics
  circuit: Circuit
}

type Decided = SendResult & { decision: Decision }

/** Rate, auth, account, permanent and recipient answers are answers: Meta is there. */
export function verdictOf(outcome: Pick<Outcome, 'class'>): Call['verdict'] {
  switch (outcome.class) {
    case 'not_sent':
      return 'unreachable'
    case 'transient':
    case 'unknown':
      return 'failed'
    default:
      return 'answered'
  }
}

/** Undefined when Meta was asked for nothing, not even to take a file: that says nothing about it. */
export function callOf(decided: Decided): Call | undefined {
  const { send, decision } = decided
  const outcome = decided.isPosted ? decided.outcome : decided.calledBefore
  if (!outcome) return undefined
  const isThrottled = outcome.class === 'rate_limited' && outcome.scope === 'number'
  return {
    tenantId: send.tenantId,
    phoneNumberId: send.phoneNumberId,
    attemptId: send.attemptId,
    verdict: verdictOf(outcome),
    throttledUntil: isThrottled && 'holdUntil' in decision ? decision.holdUntil : null,
    limitedPair:
      outcome.class === 'pair_limited'
        ? String(send.payload.to ?? send.payload.recipient ?? send.lane)
        : null,
  }
}

/** In the transaction that settles them. */
export async function settleWeather(
  tx: Tx,
  decided: Decided[],
  circuit: Circuit,
  now: Date,
): Promise<WeatherChange[]> {
  const calls = decided.flatMap((one) => callOf(one) ?? [])
  const signals = decided.flatMap(({ send, outcome, decision }) =>
    signalsOf(send, outcome, 'holdUntil' in decision ? decision.holdUntil : null),
  )
  await noteSignals(tx, signals, now)
  const changes = calls.length === 0 ? [] : await noteCalls(tx, calls, circuit)
  for (const { tenantId, phoneNumberId, change } of changes) {
    // A trial is posted when it can be, without a moment of its own: whoever comes after it keeps a distance all the same.
    if (change === 'closed' && tenantId !== null && phoneNumberId !== null)
      await takeSlot(tx, tenantId, phoneNumberId, 0)
  }
  return changes
}

/** Before they are settled: who shares a limit with one that was throttled is held first of all. */
export async function holdAllConcerned(
  db: Db,
  results: SendResult[],
  terms: Terms,
): Promise<WeatherChange[]> {
  const changes: WeatherChange[] = []
  for (const { send, outcome } of results) {
    const { scope } = outcome
    if (outcome.class !== 'rate_limited' || (scope !== 'waba' && scope !== 'app')) continue
    const decision = decide(send, outcome, terms)
    const until = 'holdUntil' in decision ? decision.holdUntil : null
    if (until === null) continue
    changes.push(...(await db.transaction((tx) => holdShared(tx, send, scope, until))))
  }
  return changes
}

/** After the commit: what changed, as a line each and as counters. */
export function reportWeather({ log, metrics }: Weatherman, changes: WeatherChange[]): void {
  for (const { tenantId, phoneNumberId, change } of changes) {
    const scope = tenantId === null ? 'host' : 'number'
    const fields: LogFields = {
      direction: 'outbound',
      kind: scope,
      tenant_id: tenantId,
      phone_number_id: phoneNumberId,
    }
    if (change === 'slowed') {
      metrics.slowDowns.inc()
      log.warn('number_slowed_down', fields)
      continue
    }
    metrics.circuitChanges.inc({ scope, change })
    if (change === 'opened') log.error('circuit_opened', fields)
    else if (change === 'closed') log.info('circuit_closed', fields)
    else log.warn('circuit_trial_failed', fields)
  }
}
