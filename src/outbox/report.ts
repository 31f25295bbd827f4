// One line per attempt, and the counters behind it.
import { publicId } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { reportEnded } from './end-suppressed.ts'
import { reportDuplicate } from './evidence.ts'
import { failureFields, type HeardFailure } from './heed-status.ts'
import type { Settled } from './settle.ts'

export function reportSettled(
  { log, metrics }: { log: Log; metrics: Metrics },
  settled: Settled,
): void {
  const { send, outcome, decision, isOurs, isNewReauth, durationMs, deadLetterId, isPosted } =
    settled
  const fields: LogFields = {
    direction: 'outbound',
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
  metrics.sends.inc({ outcome: isPosted ? outcome.class : 'not_posted' })
  if (isPosted) {
    metrics.sendSeconds.observe(durationMs / 1000)
    metrics.recent.observe('send', durationMs)
  }
  if (isOurs && decision.state === 'done') metrics.recent.observe('send_accepted', 0)
  log[outcome.class === 'accepted' ? 'info' : 'warn']('outbound_send', fields)
  if (isOurs && 'holdUntil' in decision && decision.holdUntil !== null) {
    metrics.holds.inc({ reason: outcome.class })
    // Somebody should look at these: no waiting of ours repairs them.
    const isForAPerson = outcome.class === 'spam_limited' || outcome.class === 'account'
    log[isForAPerson ? 'error' : 'warn']('number_held', { ...fields, reason: outcome.class })
  }
  if (isNewReauth) log.error('reauth_required', fields)
  if (isOurs && decision.state === 'failed') {
    metrics.recent.observe('send_refused', 0)
    metrics.deadLetters.inc({ kind: decision.letter })
    log.error('dead_lettered', {
      ...fields,
      kind: decision.letter,
      dead_letter_id: deadLetterId === null ? null : publicId('dlq', deadLetterId),
    })
  }
  for (const failure of settled.failures) reportFailure({ log, metrics }, failure)
  for (const duplicate of settled.duplicates) reportDuplicate({ log, metrics }, duplicate)
  reportEnded({ log, metrics }, settled.ended)
}

function reportFailure(
  { log, metrics }: { log: Log; metrics: Metrics },
  failure: HeardFailure,
): void {
  const fields = failureFields(failure)
  if (failure.isNewReauth) log.error('reauth_required', fields)
  if (failure.deadLetterId === null) return
  metrics.deadLetters.inc({ kind: 'outbound' })
  log.error('dead_lettered', fields)
}
