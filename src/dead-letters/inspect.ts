// One dead letter with everything that helps to decide. It shows what a customer wrote, so looking is written down.
import { isUtf8 } from 'node:buffer'
import { listActsOn } from '../audit/list.ts'
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import { publicId, uuidOf } from '../ids.ts'
import { type EventState, readEventState } from '../inbox/reopen.ts'
import { letterNotFound } from './decision.ts'
import { readOutbound } from './inspect-outbound.ts'
import { inScope } from './list.ts'
import { type ErrorRow, type Scope, selectLetter, selectLettersOfPlace } from './queries.ts'
import { showLetter } from './show.ts'

export async function inspectLetter(
  db: Db,
  publicLetterId: string,
  by: { scope: Scope; actor: string; at: Date },
) {
  const id = uuidOf('dlq', publicLetterId)
  if (!id) throw letterNotFound()
  const { letter, errors, outbound, trail } = await inScope(db, by.scope, async (tx) => {
    const letter = await selectLetter(tx, by.scope, id)
    if (!letter) throw letterNotFound()
    await recordAct(tx, {
      tenantId: letter.tenant_id,
      at: by.at,
      actor: by.actor,
      action: 'dead_letter.inspected',
      subject: publicLetterId,
      details: { kind: letter.kind, correlation_id: letter.correlation_id },
    })
    const trail = await listActsOn(tx, letter.tenant_id, publicLetterId)
    const sending = await readOutbound(tx, letter)
    if (sending) return { letter, trail, ...sending }
    const errors =
      letter.event_id === null
        ? [letter]
        : await selectLettersOfPlace(tx, by.scope, letter.event_id, letter.item_path)
    return { letter, trail, errors, outbound: null }
  })
  // A tenant cannot read events at all: one may hold several tenants' items. That its letter points here was checked
  // above, by the database; what is read is how the event is doing, nothing of what it says.
  const event = letter.event_id === null ? undefined : await readEventState(db, letter.event_id)
  return {
    ...showLetter(letter),
    ...showRaw(letter.raw),
    attempts: letter.attempts ?? event?.attempt ?? 0,
    errors: errors.map(showError),
    event: event ? showEvent(event) : null,
    outbound,
    trail,
  }
}

/** As text when it is text. NUL is valid UTF-8, but terminals and consoles stumble over it. */
function showRaw(raw: Buffer) {
  const isText = isUtf8(raw) && !raw.includes(0)
  return isText
    ? { raw: raw.toString('utf8'), raw_encoding: 'utf-8' as const }
    : { raw: raw.toString('hex'), raw_encoding: 'hex' as const }
}

function showError(row: ErrorRow) {
  return {
    dead_letter_id: publicId('dlq', row.id),
    at: row.created_at.toISOString(),
    kind: row.kind,
    code: row.error_code,
    message: row.error_message,
    state: row.state,
    decided_at: row.decided_at?.toISOString() ?? null,
    decided_by: row.decided_by,
    decision_reason: row.decision_reason,
  }
}

function showEvent({ attempt, next_run_at: _, ...event }: EventState) {
  return {
    ...event,
    attempts: attempt,
    received_at: event.received_at.toISOString(),
    processed_at: event.processed_at?.toISOString() ?? null,
  }
}
