// One line per attempt, and the counters behind it.
import { publicId } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import { codeLabelOf } from '../meta/outcomes.ts'
import type { Metrics } from '../metrics.ts'
import { reportEnded } from './end-suppressed.ts'
import { reportDuplicate } from './evidence.ts'
import { failureFields, type HeardFailure } from './heed-status.ts'
import { isRetried } from './retry-policy.ts'
import { inboxBehind } from './send.ts'
import type { Settled } from './settle.ts'

export function reportSettled(
  { log, metrics }: { log: Log; metrics: Metrics },
  settled: Settled,
): void {
  const { send, outcome, decision, isOurs, isNewReauth, durationMs, deadLetterId, isPosted } =
    settled
  const fields: LogFields = {
    direction: 'outbound',
    event_type: 'outbound_message',
    tenant_id: send.tenantId,
    phone_number_id: send.phoneNumberId,
    message_id: publicId('msg', send.messageId),
    correlation_id: send.correlationId,
    wamid: outcome.wamid,
    attempts: send.attempts + 1,
    statusCode: outcome.statusCode,
    provider_code: outcome.provider?.code ?? null,
    error_code: outcome.errorCode,
    error_message: outcome.provider?.message ?? null,
    kind: outcome.class,
    state: isOurs ? decision.state : 'lost',
    duration_ms: Math.round(durationMs),
  }
  metrics.sends.inc({
    class: isPosted ? outcome.class : 'not_posted',
    code: codeLabelOf(outcome.provider?.code ?? null),
  })
  countTrouble(metrics, settled)
  if (isPosted) {
    metrics.sendSeconds.observe(durationMs / 1000)
    metrics.recent.observe('send', durationMs, send.phoneNumberId)
  }
  if (isOurs && decision.state === 'done') {
    metrics.recent.observe('send_accepted', 0, send.phoneNumberId)
  }
  log[outcome.class === 'accepted' ? 'info' : 'warn']('outbound_send', fields)
  if (isOurs && 'holdUntil' in decision && decision.holdUntil !== null) {
    metrics.holds.inc({ reason: outcome.class })
    // Somebody should look at these: no waiting of ours repairs them.
    const isForAPerson = outcome.class === 'spam_limited' || outcome.class === 'account'
    log[isForAPerson ? 'error' : 'warn']('number_held', { ...fields, reason: outcome.class })
  }
  if (isNewReauth) log.error('reauth_required', fields)
  if (isOurs && decision.state === 'failed' && deadLetterId !== null) {
    metrics.recent.observe('send_refused', 0, send.phoneNumberId)
    metrics.deadLetters.inc({ kind: decision.letter })
    log.error('dead_lettered', {
      ...fields,
      kind: decision.letter,
      dead_letter_id: publicId('dlq', deadLetterId),
    })
  }
  for (const failure of settled.failures) reportFailure({ log, metrics }, failure)
  for (const duplicate of settled.duplicates) reportDuplicate({ log, metrics }, duplicate)
  reportEnded({ log, metrics }, settled.ended)
}

const limitedClasses: string[] = ['rate_limited', 'spam_limited', 'pair_limited']

function countTrouble(metrics: Metrics, settled: Settled): void {
  const { send, outcome, decision, isOurs, isPosted, isAgain } = settled
  if (isPosted && limitedClasses.includes(outcome.class)) {
    metrics.rateLimits.inc({ scope: outcome.scope })
  }
  if (isPosted && outcome.class === 'unknown') metrics.reconciliations.inc({ outcome: 'ambiguous' })
  if (isAgain) metrics.reconciliations.inc({ outcome: 'sent_again' })
  if (!isOurs) return
  if (outcome.errorCode === inboxBehind) metrics.reconciliations.inc({ outcome: 'postponed' })
  if (!isPosted && outcome.wamid !== null) metrics.reconciliations.inc({ outcome: 'proven' })
  if (decision.state === 'pending' && decision.failures === 1) {
    metrics.retries.inc({ queue: 'outbox' })
  }
  if (decision.state !== 'failed') return
  if (decision.letter === 'unknown') metrics.reconciliations.inc({ outcome: 'given_up' })
  const isLast = send.delivery === 'at_least_once' && outcome.errorCode !== 'RECIPIENT_SUPPRESSED'
  if (isRetried(outcome) && isLast) metrics.retriesExhausted.inc({ queue: 'outbox' })
}

export function reportFailure(
  { log, metrics }: { log: Log; metrics: Metrics },
  failure: HeardFailure,
): void {
  const fields = failureFields(failure)
  if (failure.isNewReauth) log.error('reauth_required', fields)
  if (failure.deadLetterId === null) return
  metrics.deadLetters.inc({ kind: 'outbound' })
  log.error('dead_lettered', fields)
}
