// What Meta says about accounts, templates, numbers and people: kept once each, for those who act on it.
import { sql, type Tx } from '../db/connect.ts'

export interface NoticeName {
  tenantId: string
  dedupeKey: string
}

export interface NewAccountEvent extends NoticeName {
  id: string
  wabaId: string | null
  phoneNumberId: string | null
  field: string
  event: string | null
  content: Record<string, unknown>
  occurredAt: Date
  eventId: string
  correlationId: string
}

/** Returns the ids of those that were not there yet. */
export async function recordAccountEvents(
  tx: Tx,
  events: NewAccountEvent[],
  now: Date,
): Promise<Set<string>> {
  if (events.length === 0) return new Set()
  const rows = await tx.query(sql<{ id: string }>`
    insert into whatsapp_account_events
      (id, tenant_id, waba_id, phone_number_id, field, event, dedupe_key, content, occurred_at, created_at,
       event_id, correlation_id)
    select id, tenant_id, waba_id, phone_number_id, field, event, dedupe_key, content, occurred_at,
      ${now}::timestamptz, event_id, correlation_id
    from unnest(
      ${events.map((event) => event.id)}::uuid[],
      ${events.map((event) => event.tenantId)}::uuid[],
      ${events.map((event) => event.wabaId)}::text[],
      ${events.map((event) => event.phoneNumberId)}::text[],
      ${events.map((event) => event.field)}::text[],
      ${events.map((event) => event.event)}::text[],
      ${events.map((event) => event.dedupeKey)}::text[],
      ${events.map((event) => JSON.stringify(event.content))}::jsonb[],
      ${events.map((event) => event.occurredAt)}::timestamptz[],
      ${events.map((event) => event.eventId)}::uuid[],
      ${events.map((event) => event.correlationId)}::uuid[])
      as event (id, tenant_id, waba_id, phone_number_id, field, event, dedupe_key, content, occurred_at,
        event_id, correlation_id)
    order by tenant_id, dedupe_key
    on conflict (tenant_id, dedupe_key) do nothing
    returning id`)
  return new Set(rows.map((row) => row.id))
}

/** Whom they are about, known once the contacts are. */
export async function linkAccountEvents(
  tx: Tx,
  links: { tenantId: string; id: string; contactId: string }[],
): Promise<void> {
  if (links.length === 0) return
  await tx.query(sql`
    update whatsapp_account_events e
    set contact_id = link.contact_id
    from unnest(
      ${links.map((link) => link.tenantId)}::uuid[],
      ${links.map((link) => link.id)}::uuid[],
      ${links.map((link) => link.contactId)}::uuid[]) as link (tenant_id, id, contact_id)
    where e.tenant_id = link.tenant_id and e.id = link.id`)
}

/** Which webhook brought each of these, by `noticeKey`. */
export async function eventsOfNotices(tx: Tx, names: NoticeName[]): Promise<Map<string, string>> {
  const rows = await tx.query(sql<{ key: string; event_id: string }>`
    select e.tenant_id || ' ' || e.dedupe_key as key, e.event_id
    from unnest(
      ${names.map((name) => name.tenantId)}::uuid[],
      ${names.map((name) => name.dedupeKey)}::text[]) as wanted (tenant_id, dedupe_key)
    join whatsapp_account_events e using (tenant_id, dedupe_key)`)
  return new Map(rows.map((row) => [row.key, row.event_id]))
}

export function noticeKey(name: NoticeName): string {
  return `${name.tenantId} ${name.dedupeKey}`
}
