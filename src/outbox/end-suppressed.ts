// Somebody wants no more messages: what waits for them ends, in the transaction that keeps their word. To be called last in
// it: it locks the tenants' queues until the commit, so that whatever is accepted later sees the word (enqueue.ts), and
// what was claimed before is looked at once more before it is posted (send.ts).
import type { Suppressed } from '../consent/model.ts'
import type { Tx } from '../db/connect.ts'
import { buryOutbound } from '../dead-letters/bury.ts'
import { publicId } from '../ids.ts'
import type { Log, LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Random } from '../time-and-chance.ts'
import { endWaiting } from './queue-queries.ts'
import { endMessages } from './send-queries.ts'

export const suppressedAdvice =
  'The contact opted out of this, or is blocked: it can be sent after they write again, resume, or the suppression is lifted.'

export interface EndedSend {
  deadLetterId: string
  tenantId: string
  phoneNumberId: string
  messageId: string
  correlationId: string
}

export async function endSuppressed(
  tx: Tx,
  suppressed: Suppressed[],
  random: Random,
  now: Date,
): Promise<EndedSend[]> {
  if (suppressed.length === 0) return []
  const rows = await endWaiting(tx, suppressed)
  if (rows.length === 0) return []
  const letters = rows.map((row) => ({ ...row, deadLetterId: random.uuid() }))
  const error = { code: 'RECIPIENT_SUPPRESSED', message: suppressedAdvice, provider: null }
  await endMessages(
    tx,
    letters.map(({ tenantId, messageId, id }) => ({
      tenantId,
      messageId,
      outboxId: id,
      posts: 0,
      status: 'failed',
      wamid: null,
      error,
    })),
    now,
  )
  await buryOutbound(
    tx,
    letters.map(({ deadLetterId, id, payload, ...row }) => ({
      ...row,
      id: deadLetterId,
      kind: 'outbound',
      outboxId: id,
      errorCode: error.code,
      errorMessage: error.message,
      raw: Buffer.from(JSON.stringify(payload)),
      createdAt: now,
    })),
  )
  return letters.map(({ id: _, payload: __, ...ended }) => ended)
}

export function endedFields(ended: EndedSend): LogFields {
  return {
    direction: 'outbound',
    event_type: 'outbound_message',
    tenant_id: ended.tenantId,
    phone_number_id: ended.phoneNumberId,
    message_id: publicId('msg', ended.messageId),
    dead_letter_id: publicId('dlq', ended.deadLetterId),
    correlation_id: ended.correlationId,
    error_code: 'RECIPIENT_SUPPRESSED',
    kind: 'outbound',
  }
}

/** After the commit. */
export function reportEnded(
  { log, metrics }: { log: Log; metrics: Metrics },
  ended: EndedSend[],
): void {
  for (const one of ended) {
    metrics.deadLetters.inc({ kind: 'outbound' })
    log.warn('dead_lettered', endedFields(one))
  }
}
