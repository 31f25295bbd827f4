// Suppressing by hand, and lifting what is in force; both need a reason and are audited.

import { z } from 'zod'
import { fieldName } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import { identityKey, lockContacts, resolveContacts } from '../contacts/resolve.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId, uuidOf } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { endSuppressed, reportEnded } from '../outbox/end-suppressed.ts'
import { checkRecipient, normalRecipient } from '../outbox/message/recipient.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Scope } from './model.ts'
import {
  liftByHand,
  type SuppressionRow,
  selectNumbers,
  selectSuppression,
  selectSuppressionId,
  suppressByHand,
} from './queries.ts'
import { wholeSecond } from './refusals.ts'

export interface ConsentDesk {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
}

export interface Whom {
  phone_number_id?: string | undefined
  to?: string | undefined
  recipient?: string | undefined
  scope: Scope
}

interface By {
  actor: string
  reason: string
}

/** What is in force already stays as it is. */
export async function suppress(
  { db, clock, random, log, metrics }: ConsentDesk,
  tenantId: string,
  whom: Whom,
  { actor, reason }: By,
): Promise<SuppressionRow> {
  const now = clock.now()
  const identity = identityOf(tenantId, whom)
  const { row, ended } = await db.transaction(async (tx) => {
    const phoneNumberId = await chooseNumber(tx, tenantId, whom.phone_number_id ?? null)
    await lockContacts(tx, [tenantId], 'shared')
    const known = await resolveContacts([identity], { tx, mode: 'shared', newId: random.uuid, now })
    const contact = known.contacts.get(identityKey(identity))
    if (!contact) throw new Error('bug: somebody without a contact')
    const target = { tenantId, phoneNumberId, contactId: contact.id, scope: whom.scope }
    const word = {
      ...target,
      isActive: true,
      reason: 'operator' as const,
      at: wholeSecond(now),
      id: random.uuid(),
      eventId: null,
    }
    const made = await suppressByHand(
      tx,
      { ...word, rowId: random.uuid(), actor, note: reason },
      now,
    )
    const id = made ?? (await selectSuppressionId(tx, target))
    const shown = id && (await selectSuppression(tx, tenantId, id))
    if (!shown) throw new Error('bug: a suppression that was just made is not there')
    if (made === undefined) return { row: shown, ended: [] }
    await record(tx, tenantId, shown, 'suppression.made', { actor, reason }, now)
    return { row: shown, ended: await endSuppressed(tx, [target], random, now) }
  })
  reportEnded({ log, metrics }, ended)
  return row
}

/** What is lifted already stays as it is. */
export async function liftSuppression(
  { db, clock, random }: ConsentDesk,
  tenantId: string,
  publicSuppressionId: string,
  { actor, reason }: By,
): Promise<SuppressionRow> {
  const now = clock.now()
  return db.transaction(async (tx) => {
    const id = uuidOf('sup', publicSuppressionId)
    const lift = { changeId: random.uuid(), actor, note: reason }
    const isLifted = id !== undefined && (await liftByHand(tx, tenantId, id, lift, now))
    const row = id && (await selectSuppression(tx, tenantId, id))
    if (!row) throw notFound('SUPPRESSION_NOT_FOUND', 'suppression')
    if (isLifted) await record(tx, tenantId, row, 'suppression.lifted', { actor, reason }, now)
    return row
  })
}

function record(
  tx: Tx,
  tenantId: string,
  row: SuppressionRow,
  action: string,
  by: By,
  at: Date,
): Promise<void> {
  return recordAct(tx, {
    tenantId,
    at,
    ...by,
    action,
    subject: publicId('sup', row.id),
    details: {
      phone_number_id: row.phone_number_id,
      scope: row.scope,
      because: row.reason,
      since: row.since?.toISOString() ?? null,
    },
  })
}

const recipient = z
  .object({ to: z.string().optional(), recipient: z.string().optional() })
  .transform((given) => ({ ...given, recipient_type: 'individual' as const }))
  .superRefine(checkRecipient)
  .transform(normalRecipient)

/** The same forms as in a message to them. */
function identityOf(tenantId: string, whom: Whom) {
  const checked = recipient.safeParse(whom)
  if (!checked.success) {
    const fields = checked.error.issues.map(({ path, message }) => ({
      field: fieldName(path),
      problem: message,
    }))
    throw new AppError('INVALID_REQUEST', 400, `${fields[0]?.field}: ${fields[0]?.problem}`, {
      details: { fields },
    })
  }
  const { to, recipient: userId } = checked.data
  return {
    tenantId,
    kind: 'person' as const,
    waId: to ?? null,
    userId: to === undefined ? (userId ?? null) : null,
    name: null,
    username: null,
  }
}

async function chooseNumber(tx: Tx, tenantId: string, named: string | null): Promise<string> {
  const [number, another] = await selectNumbers(tx, tenantId, named)
  if (number === undefined) {
    throw notFound('ACCOUNT_NOT_FOUND', 'number: phone_number_id is not one of yours')
  }
  if (another === undefined) return number
  const problem = 'name it: you have more than one number'
  throw new AppError('INVALID_REQUEST', 400, `phone_number_id: ${problem}`, {
    details: { fields: [{ field: 'phone_number_id', problem }] },
  })
}
