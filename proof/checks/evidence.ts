// What is known from outside when a run is over: Meta's ledger, the client's own log, and a dump of the database. The gateway
// is never asked whether it was right.
import type { LedgerView } from '../../simulator/ledger.ts'
import { type Verification, verifyAudit } from '../../src/audit/verify.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { gatewayActor } from '../../src/dead-letters/decision.ts'
import { type Reconciliation, reconcile } from '../../src/ops/reconcile.ts'

/** What a client did, and what it heard of it. */
export interface ClientLog {
  /** Messages that it handed in itself, as Meta does, and whether a delivery that held them was answered with 200. */
  webhooks: { wamid: string; isAcknowledged: boolean }[]
  /** What customers wrote, and who: so it has to be in their conversation. */
  written: { wamid: string; from: string; text: string }[]
  /** Texts that it wanted to be sent: no two are the same, and those to one recipient end in growing numbers. */
  sends: { text: string; phoneNumberId: string; to: string; isAccepted: boolean }[]
  /** Of which it heard that they were taken. */
  decisions: { letterId: string; state: 'requeued' | 'discarded' | 'resolved' }[]
  /** Calls that its application took, in their order. */
  events: { id: string }[]
}

export const emptyClientLog = (): ClientLog => ({
  webhooks: [],
  written: [],
  sends: [],
  decisions: [],
  events: [],
})

export interface Evidence {
  ledger: LedgerView
  client: ClientLog
  rows: Rows
  audit: Verification
  accounting: Reconciliation
  /** Whether what was cut off between Meta's acceptance and its answer may be there twice: where statuses come too late, or
   *  not at all. */
  mayDouble: boolean
}

export interface Rows {
  webhooks: { id: string; status: string }[]
  messages: MessageDump[]
  steps: { wamid: string; status: string; participant: string }[]
  sends: { id: string; messageId: string; status: string; parentId: string | null }[]
  attempts: AttemptDump[]
  letters: LetterDump[]
  /** Of all kinds, in the order in which they are told. */
  events: EventDump[]
  accounts: { id: string }[]
  deliveries: { eventId: string; status: string }[]
  media: { id: string; state: string }[]
  notifications: { id: string; status: string }[]
  /** What somebody decided, as the audit has it. */
  decisions: { letterId: string; action: string; isByPerson: boolean }[]
}

export interface AttemptDump {
  id: string
  messageId: string
  outcome: string | null
  /** Of Meta's answer; null where nobody wrote one down. */
  statusCode: number | null
  isDead: boolean
}

export interface MessageDump {
  id: string
  phoneNumberId: string
  /** Whose conversation it is in. */
  waId: string | null
  direction: 'inbound' | 'outbound'
  wamid: string | null
  status: string
  text: string | null
  isDuplicateConfirmed: boolean
  /** POSTs that were made, as applications are told. */
  attempts: number
}

export interface EventDump {
  id: string
  type: string
  lane: string
  position: string | null
  /** What it tells of, by the names that applications know; null where it is of another kind. */
  messageId: string | null
  status: string | null
  letterId: string | null
  accountId: string | null
  /** By an endpoint of its tenant. */
  isWanted: boolean
}

export interface LetterDump {
  id: string
  kind: string
  state: string
  eventId: string | null
  messageId: string | null
  errorCode: string
  raw: string
  /** Nobody's is told to nobody. */
  hasTenant: boolean
}

export async function gatherEvidence(
  db: Db,
  outside: { ledger: LedgerView; client: ClientLog; mayDouble?: boolean },
): Promise<Evidence> {
  return {
    mayDouble: false,
    ...outside,
    rows: await dump(db),
    audit: await verifyAudit(db, null),
    accounting: await reconcile(db),
  }
}

async function dump(db: Db): Promise<Rows> {
  return {
    webhooks: await db.query(sql`select id, status from whatsapp_webhook_events`),
    messages: await db.query(sql<MessageDump>`
      select m.id, m.phone_number_id as "phoneNumberId", c.contact_wa_id as "waId", m.direction, m.wamid, m.status,
        m.content #>> '{text,body}' as text, m.duplicate_confirmed_at is not null as "isDuplicateConfirmed", m.attempts
      from whatsapp_messages m
      left join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id`),
    steps: await db.query(sql`select wamid, status, participant from whatsapp_message_statuses`),
    sends: await db.query(sql`
      select id, message_id as "messageId", status, parent_id as "parentId" from whatsapp_send_outbox`),
    attempts: await db.query(sql`
      select a.id, o.message_id as "messageId", a.outcome, a.status_code as "statusCode",
        coalesce(a.error_message = 'the worker died', false) as "isDead"
      from send_attempts a
      join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id`),
    letters: await db.query(sql<LetterDump>`
      select 'dlq_' || replace(id::text, '-', '') as id, kind, state, event_id as "eventId", message_id as "messageId",
        error_code as "errorCode", encode(raw, 'escape') as raw, tenant_id is not null as "hasTenant"
      from dead_letters`),
    events: await db.query(sql<EventDump>`
      select id, type, lane, position::text, data ->> 'message_id' as "messageId", data ->> 'status' as status,
        data ->> 'dead_letter_id' as "letterId", data ->> 'account_id' as "accountId",
        only_endpoint is not null or exists (
          select
          from event_endpoints p
          where p.tenant_id = events.tenant_id and p.created_at < events.created_at
            and (events.type = any(p.events) or '*' = any(p.events))) as "isWanted"
      from events
      order by events.position`),
    accounts: await db.query(sql`select public_id('acc', id) as id from whatsapp_accounts`),
    deliveries: await db.query(sql`select event_id as "eventId", status from event_deliveries`),
    media: await db.query(sql`select id, state from whatsapp_media`),
    notifications: await db.query(sql`select id, status from alert_notifications`),
    decisions: await db.query(sql`
      select subject as "letterId", action, actor <> ${gatewayActor} as "isByPerson"
      from audit_log
      where action like 'dead_letter.%'
      order by chain, position`),
  }
}
