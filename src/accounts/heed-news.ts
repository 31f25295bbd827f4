// Acts on what Meta's webhooks say of accounts, in the transaction that records them. The latest by Meta's time wins.
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { holdOf, type News, newsOf, repliesOnlyUntil, type Told } from './news.ts'
import { requireReauth } from './reauth.ts'
import type { NewAccountEvent } from './record-event.ts'
import { type About, lockNumbersAbout, type ToldRow, updateTold } from './told-queries.ts'

export interface HeedableEvent {
  row: NewAccountEvent
  displayPhoneNumber: string | undefined
}

/** What becomes of a number's sends. The queue's lock comes last, so the caller applies these at the end. */
export interface NumberHold {
  tenantId: string
  phoneNumberId: string
  until: Date | 'parked' | null
}

/** For the log. */
export interface Heeded {
  eventId: string
  tenantId: string
  accountId: string
  phoneNumberId: string
  subject: string
  needsReauth: boolean
}

export interface Effects {
  holds: NumberHold[]
  heeded: Heeded[]
}

export async function heedNews(tx: Tx, events: HeedableEvent[], now: Date): Promise<Effects> {
  const effects: Effects = { holds: [], heeded: [] }
  // In one order, so that two batches about the same accounts do not wait for each other in a ring.
  const sorted = events
    .map((event) => ({ event, news: newsOf(event.row.field, event.row.content) }))
    .filter(({ news }) => news.length > 0)
    .sort((a, b) => keyOf(a.event).localeCompare(keyOf(b.event)))
  for (const { event, news } of sorted) {
    for (const number of await lockNumbersAbout(tx, aboutOf(event))) {
      for (const one of news) await heedOne(tx, event, number, one, effects, now)
    }
  }
  return effects
}

function keyOf({ row }: HeedableEvent): string {
  return `${row.tenantId} ${row.wabaId} ${row.phoneNumberId} ${row.occurredAt.toISOString()}`
}

function aboutOf({ row, displayPhoneNumber }: HeedableEvent): About {
  // One account update names its number under another key.
  const named = displayPhoneNumber ?? row.content.phone_number
  return {
    tenantId: row.tenantId,
    wabaId: row.wabaId,
    phoneNumberId: row.phoneNumberId,
    displayDigits: typeof named === 'string' ? named.replace(/\D/g, '') : null,
  }
}

async function heedOne(
  tx: Tx,
  { row }: HeedableEvent,
  number: ToldRow,
  news: News,
  effects: Effects,
  now: Date,
): Promise<void> {
  const before = number.told[news.subject]
  if (before && Date.parse(before.at) > row.occurredAt.getTime()) return
  const { tenantId, eventId } = row
  const phoneNumberId = number.phone_number_id
  const was = holdOf(number.told, now)
  number.told = {
    ...number.told,
    [news.subject]: { ...news.said, at: row.occurredAt.toISOString() },
  }
  await updateTold(tx, { tenantId, id: number.id }, changeOf(number.told, news, now), now)
  const needsReauth =
    news.accessLost !== undefined &&
    (await requireReauth(tx, tenantId, phoneNumberId, news.accessLost, now)) === 'new'
  if (news.accessLost !== undefined) number.auth_status = 'needs_reauth'
  const accountId = publicId('acc', number.id)
  effects.heeded.push({
    eventId,
    tenantId,
    accountId,
    phoneNumberId,
    subject: news.subject,
    needsReauth,
  })
  const hold = holdOf(number.told, now)
  if (number.auth_status === 'needs_reauth') {
    effects.holds.push({ tenantId, phoneNumberId, until: 'parked' })
  } else if (hold) {
    // What was held for longer, or for another reason, is let go of first: the newest word counts.
    effects.holds.push({ tenantId, phoneNumberId, until: null })
    effects.holds.push({ tenantId, phoneNumberId, until: hold.until ?? 'parked' })
  } else if (was) {
    effects.holds.push({ tenantId, phoneNumberId, until: null })
  }
}

function changeOf(told: Told, news: News, now: Date) {
  return {
    told,
    throughputLevel: news.throughputLevel ?? null,
    repliesOnlyUntil: repliesOnlyUntil(told),
    // Meta is asked about the token whenever something happened to our access.
    checkTokenAt: news.subject === 'access' ? now : null,
  }
}
