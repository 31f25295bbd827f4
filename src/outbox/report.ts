// One line per attempt, and the counters behind it.
import { publicId } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Settled } from './settle.ts'

export function reportSettled(
  { log, metrics }: { log: Log; metrics: Metrics },
  { send, outcome, decision, isOurs, isNewReauth, durationMs, deadLetterId, isPosted }: Settled,
): void {
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
}
