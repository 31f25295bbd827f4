// One claimed delivery → at most one signed POST → what came of it. Before: worker.ts. After: settle.ts.
import type { Vault } from '../accounts/vault.ts'
import type { Clock } from '../time-and-chance.ts'
import { spanIds } from '../tracing/span-ids.ts'
import type { Traces } from '../tracing/traces.ts'
import { envelopeOf } from './envelope.ts'
import type { ClaimedDelivery, PostOutcome } from './model.ts'
import type { Poster } from './post.ts'
import type { Answer, Responder } from './respond.ts'
import { secretOwner, signedHeaders } from './sign.ts'

export interface Deliverer {
  clock: Clock
  vault: Vault
  poster: Poster
  responder: Responder
  traces?: Traces | undefined
}

export interface DeliveryResult {
  delivery: ClaimedDelivery
  outcome: PostOutcome
  /** What an http responder wants to be sent. */
  answer: Answer | null
  /** On the monotonic clock: when the call was over. */
  endedMs: number
  durationMs: number
}

/** Undefined when the lease was lost: another may be delivering it. */
export async function deliverOne(
  { clock, vault, poster, responder, traces }: Deliverer,
  delivery: ClaimedDelivery,
  isHeld: () => boolean,
): Promise<DeliveryResult | undefined> {
  const startedMs = clock.monotonicMs()
  const result = (
    outcome: PostOutcome,
    answer: Answer | null = null,
    endedMs = clock.monotonicMs(),
  ) => ({ delivery, outcome, answer, endedMs, durationMs: endedMs - startedMs })
  const { url, type, data, createdAt, eventId: id, tenantId } = delivery
  if (url === null || type === null || data === null || createdAt === null) {
    return result(nothingSaid('REMOVED'))
  }
  const envelope = envelopeOf({ id, tenantId, type, data, createdAt })
  const body = JSON.stringify(envelope)
  const secrets = openSecrets(vault, delivery, clock.now())
  if (!secrets) return result(nothingSaid('SECRET_UNREADABLE'))
  if (!isHeld()) return undefined
  const headers = {
    ...signedHeaders(secrets, envelope.id, clock.now(), body),
    ...traceHeader(traces, delivery),
  }
  // crash point: events.before-post
  const outcome = await poster.post({
    url,
    headers,
    body,
    asks: delivery.asks,
    hearsRefusals: true,
  })
  // crash point: events.after-post
  const endedMs = clock.monotonicMs()
  if (outcome.body === null || outcome.errorCode !== null) return result(outcome, null, endedMs)
  const answer = await responder.read(delivery, outcome.body)
  if (answer === 'unavailable') return result(nothingSaid('UNAVAILABLE'), null, endedMs)
  return result(outcome, answer, endedMs)
}

/** So that the application's own spans can stand under ours. */
function traceHeader(
  traces: Traces | undefined,
  { correlationId, attemptId }: ClaimedDelivery,
): Record<string, string> {
  if (!traces || correlationId === null) return {}
  return { traceparent: traces.traceparent(correlationId, spanIds.deliver(attemptId)) }
}

/** The new one first. Undefined when none of our keys opens it, which nobody but the operator can change. */
function openSecrets(vault: Vault, delivery: ClaimedDelivery, now: Date): string[] | undefined {
  const { secret, oldSecret, oldSecretUntil } = delivery
  const isOldValid = oldSecretUntil !== null && oldSecretUntil > now
  const sealed = [secret, isOldValid ? oldSecret : null].filter((one) => one !== null)
  const owner = secretOwner(delivery.tenantId, delivery.endpointId)
  try {
    return sealed.map((one) => vault.open(one, owner))
  } catch {
    return undefined
  }
}

function nothingSaid(errorCode: string): PostOutcome {
  return { statusCode: null, errorCode, retryAfterSeconds: null, body: null }
}
