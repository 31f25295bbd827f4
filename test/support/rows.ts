// What processing left behind, read straight from the tables.
import { type Db, sql } from '../../src/db/connect.ts'

export interface EventState {
  id: string
  status: string
  attempt: number
  last_error: string | null
  raw: Buffer
  has_payload: boolean
  inbound_event_id: string
}

/** In the order they were received; those of the same millisecond by their names. */
export function eventRows(db: Db): Promise<EventState[]> {
  return db.query(sql<EventState>`
    select id, status, attempt, last_error, raw, payload is not null as has_payload, inbound_event_id
    from whatsapp_webhook_events
    order by received_at, inbound_event_id collate "C"`)
}

/** The event that holds exactly these bytes. */
export async function eventOf(db: Db, raw: Buffer): Promise<EventState> {
  const rows = (await eventRows(db)).filter((event) => event.raw.equals(raw))
  if (rows.length !== 1 || !rows[0]) throw new Error(`${rows.length} events hold these bytes`)
  return rows[0]
}

export interface LetterState {
  event_id: string
  tenant_id: string | null
  kind: string
  item_path: string
  error_code: string
  error_message: string
  raw: Buffer
}

export function letterRows(db: Db): Promise<LetterState[]> {
  return db.query(sql<LetterState>`
    select event_id, tenant_id, kind, item_path, error_code, error_message, raw
    from dead_letters
    order by event_id, item_path collate "C"`)
}

export async function lettersOf(db: Db, eventId: string): Promise<LetterState[]> {
  return (await letterRows(db)).filter((letter) => letter.event_id === eventId)
}

export interface MessageState {
  tenant_id: string
  wamid: string
  type: string
  event_id: string
  conversation_id: string | null
}

export function messageRows(db: Db): Promise<MessageState[]> {
  return db.query(sql<MessageState>`
    select tenant_id, wamid, type, event_id, conversation_id
    from whatsapp_messages
    order by wamid collate "C"`)
}

export async function wamidsOf(db: Db): Promise<string[]> {
  return (await messageRows(db)).map((row) => row.wamid)
}

export interface StepState {
  wamid: string
  status: string
  participant: string
  event_id: string
}

export function stepRows(db: Db): Promise<StepState[]> {
  return db.query(sql<StepState>`
    select wamid, status, participant, event_id
    from whatsapp_message_statuses
    order by wamid collate "C", status collate "C", participant collate "C"`)
}

/** As `wamid:status`, sorted. */
export async function stepsOf(db: Db): Promise<string[]> {
  return (await stepRows(db)).map((row) => `${row.wamid}:${row.status}`).sort()
}

/** As if time had passed: the keys are gone, what they guarded is not. */
export async function forgetDedupeKeys(db: Db): Promise<void> {
  await db.query(sql`delete from whatsapp_webhook_dedupe`)
}

/** As if retention had removed the stored deliveries too. */
export async function forgetEvents(db: Db): Promise<void> {
  await db.query(sql`delete from whatsapp_webhook_events`)
}
