import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { Scope, Suppressed, SuppressionReason, Word } from './model.ts'

/** Keeps what is later than what is known, and returns those. A stop word before something the contact wrote is over. */
export async function upsertWords(
  tx: Tx,
  words: (Word & { rowId: string })[],
  now: Date,
): Promise<(Suppressed & { isActive: boolean })[]> {
  return tx.query(sql<Suppressed & { isActive: boolean }>`
    insert into whatsapp_suppressions as s
      (id, tenant_id, phone_number_id, contact_id, scope, is_active, changed_at, change_id, since, reason, lifted_at,
       lifted_by, event_id, created_at, updated_at)
    select id, tenant_id, phone_number_id, contact_id, scope, is_active, at, change_id, case when is_active then at end,
      reason, case when not is_active then at end, case when not is_active then 'contact' end, event_id,
      ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${words.map((word) => word.rowId)}::uuid[],
      ${words.map((word) => word.tenantId)}::uuid[],
      ${words.map((word) => word.phoneNumberId)}::text[],
      ${words.map((word) => word.contactId)}::uuid[],
      ${words.map((word) => word.scope)}::text[],
      ${words.map((word) => word.isActive)}::boolean[],
      ${words.map((word) => word.at)}::timestamptz[],
      ${words.map((word) => word.id)}::uuid[],
      ${words.map((word) => word.reason)}::text[],
      ${words.map((word) => word.eventId)}::uuid[])
      as word (id, tenant_id, phone_number_id, contact_id, scope, is_active, at, change_id, reason, event_id)
    where scope = 'marketing' or not has_written_since(tenant_id, phone_number_id, contact_id, at, change_id)
    order by tenant_id, phone_number_id, contact_id, scope
    on conflict (tenant_id, phone_number_id, contact_id, scope) do update
    set is_active = excluded.is_active, changed_at = excluded.changed_at, change_id = excluded.change_id,
      since = case when s.is_active or not excluded.is_active then s.since else excluded.since end,
      reason = case when s.is_active or not excluded.is_active then s.reason else excluded.reason end,
      set_by = case when s.is_active or not excluded.is_active then s.set_by end,
      note = case when s.is_active or not excluded.is_active then s.note end,
      lifted_at = excluded.lifted_at, lifted_by = excluded.lifted_by, lift_note = null,
      event_id = excluded.event_id, updated_at = excluded.updated_at
    where (excluded.changed_at, excluded.change_id) > (s.changed_at, s.change_id)
    returning tenant_id as "tenantId", phone_number_id as "phoneNumberId", contact_id as "contactId", scope,
      is_active as "isActive"`)
}

/** They wrote again: whatever stood between us is over. */
export async function liftWritten(tx: Tx, written: Word[], now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_suppressions s
    set is_active = false, changed_at = written.at, change_id = written.change_id, lifted_at = written.at,
      lifted_by = 'contact', lift_note = null, event_id = written.event_id, updated_at = ${now}
    from (
      select s.tenant_id, s.id, word.at, word.change_id, word.event_id
      from unnest(
        ${written.map((word) => word.tenantId)}::uuid[],
        ${written.map((word) => word.phoneNumberId)}::text[],
        ${written.map((word) => word.contactId)}::uuid[],
        ${written.map((word) => word.at)}::timestamptz[],
        ${written.map((word) => word.id)}::uuid[],
        ${written.map((word) => word.eventId)}::uuid[])
        as word (tenant_id, phone_number_id, contact_id, at, change_id, event_id)
      join whatsapp_suppressions s using (tenant_id, phone_number_id, contact_id)
      where s.scope = 'everything' and s.is_active
      order by s.tenant_id, s.phone_number_id, s.contact_id
      for no key update of s
    ) as written
    where s.tenant_id = written.tenant_id and s.id = written.id and s.is_active
      and (written.at, written.change_id) > (s.changed_at, s.change_id)`)
}

/** By message id; people only. */
export async function selectContactsOfMessages(
  tx: Tx,
  messages: { tenantId: string; messageId: string }[],
): Promise<Map<string, Omit<Suppressed, 'scope'>>> {
  const rows = await tx.query(sql<Omit<Suppressed, 'scope'> & { id: string }>`
    select m.id, c.tenant_id as "tenantId", c.phone_number_id as "phoneNumberId", c.contact_id as "contactId"
    from unnest(
      ${messages.map((message) => message.tenantId)}::uuid[],
      ${messages.map((message) => message.messageId)}::uuid[]) as wanted (tenant_id, id)
    join whatsapp_messages m using (tenant_id, id)
    join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    join whatsapp_contacts p on p.tenant_id = c.tenant_id and p.id = c.contact_id and p.kind = 'person'`)
  return new Map(rows.map(({ id, ...whom }) => [id, whom]))
}

/** By place in the list: whose message it was, else whom the status names. */
export async function selectContactsOfStatuses(
  tx: Tx,
  statuses: { tenantId: string; wamid: string; waId: string | null; userId: string | null }[],
): Promise<Map<number, string>> {
  const rows = await tx.query(sql<{ place: number; contact_id: string }>`
    select (wanted.place - 1)::int as place, p.id as contact_id
    from unnest(
      ${statuses.map((status) => status.tenantId)}::uuid[],
      ${statuses.map((status) => status.wamid)}::text[],
      ${statuses.map((status) => status.waId)}::text[],
      ${statuses.map((status) => status.userId)}::text[])
      with ordinality as wanted (tenant_id, wamid, wa_id, user_id, place)
    cross join lateral (
      select coalesce(
        (select c.contact_id
          from whatsapp_messages m
          join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
          where m.tenant_id = wanted.tenant_id and m.wamid = wanted.wamid),
        (select id from whatsapp_contacts where tenant_id = wanted.tenant_id and wa_id = wanted.wa_id),
        (select id from whatsapp_contacts where tenant_id = wanted.tenant_id and user_id = wanted.user_id)) as id
    ) as found
    join whatsapp_contacts p on p.tenant_id = wanted.tenant_id and p.id = found.id and p.kind = 'person'`)
  return new Map(rows.map((row) => [row.place, row.contact_id]))
}

export async function mergeSuppressions(
  tx: Tx,
  tenantId: string,
  winnerId: string,
  loserId: string,
  now: Date,
): Promise<void> {
  // Where both have a word, the later one stays.
  await tx.query(sql`
    delete from whatsapp_suppressions s
    using whatsapp_suppressions other
    where s.tenant_id = ${tenantId} and s.contact_id in (${winnerId}::uuid, ${loserId}::uuid)
      and other.tenant_id = ${tenantId} and other.contact_id in (${winnerId}::uuid, ${loserId}::uuid)
      and other.contact_id <> s.contact_id and other.phone_number_id = s.phone_number_id and other.scope = s.scope
      and (other.changed_at, other.change_id) > (s.changed_at, s.change_id)`)
  await tx.query(sql`
    update whatsapp_suppressions
    set contact_id = ${winnerId}, updated_at = ${now}
    where tenant_id = ${tenantId} and contact_id = ${loserId}`)
  // Under one name they said stop, under the other they wrote after it.
  await tx.query(sql`
    update whatsapp_suppressions s
    set is_active = false, lifted_at = ${now}, lifted_by = 'contact', lift_note = null, updated_at = ${now}
    where s.tenant_id = ${tenantId} and s.contact_id = ${winnerId} and s.is_active and s.scope = 'everything'
      and has_written_since(s.tenant_id, s.phone_number_id, s.contact_id, s.changed_at, s.change_id)`)
}

export async function selectActiveOf(
  tx: Tx,
  tenantId: string,
  contactId: string,
): Promise<Suppressed[]> {
  return tx.query(sql<Suppressed>`
    select tenant_id as "tenantId", phone_number_id as "phoneNumberId", contact_id as "contactId", scope
    from whatsapp_suppressions
    where tenant_id = ${tenantId} and contact_id = ${contactId} and is_active
    order by phone_number_id, scope`)
}

export interface SuppressionRow {
  id: string
  phone_number_id: string
  contact_id: string
  contact: {
    wa_id: string | null
    user_id: string | null
    name: string | null
    username: string | null
  }
  scope: Scope
  is_active: boolean
  since: Date | null
  reason: SuppressionReason | null
  set_by: string | null
  note: string | null
  lifted_at: Date | null
  lifted_by: string | null
  lift_note: string | null
  created_at: Date
  updated_at: Date
}

export interface SuppressionFilter {
  isActive: boolean | null
  scope: Scope | null
  reason: SuppressionReason | null
  phoneNumberId: string | null
  /** Part of a name or an id, as a pattern for `ilike`. */
  pattern: string | null
}

export async function selectSuppressions(
  tx: Tx,
  tenantId: string,
  filter: SuppressionFilter,
  after: Cursor | null,
  limit: number,
): Promise<SuppressionRow[]> {
  return tx.query(sql<SuppressionRow>`
    select s.id, s.phone_number_id, s.contact_id, s.scope, s.is_active, s.since, s.reason, s.set_by, s.note, s.lifted_at,
      s.lifted_by, s.lift_note, s.created_at, s.updated_at,
      jsonb_build_object('wa_id', p.wa_id, 'user_id', p.user_id, 'name', p.name, 'username', p.username) as contact
    from whatsapp_suppressions s
    join whatsapp_contacts p on p.tenant_id = s.tenant_id and p.id = s.contact_id
    where s.tenant_id = ${tenantId} and s.since is not null
      and (${filter.isActive}::boolean is null or s.is_active = ${filter.isActive})
      and (${filter.scope}::text is null or s.scope = ${filter.scope})
      and (${filter.reason}::text is null or s.reason = ${filter.reason})
      and (${filter.phoneNumberId}::text is null or s.phone_number_id = ${filter.phoneNumberId})
      and (${filter.pattern}::text is null or p.name ilike ${filter.pattern} or p.username ilike ${filter.pattern}
        or p.wa_id ilike ${filter.pattern} or p.user_id ilike ${filter.pattern})
      and (${after?.at ?? null}::timestamptz is null
        or (s.updated_at, s.id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by s.updated_at desc, s.id desc
    limit ${limit}`)
}

export async function selectSuppression(
  tx: Tx,
  tenantId: string,
  id: string,
): Promise<SuppressionRow | undefined> {
  const [row] = await tx.query(sql<SuppressionRow>`
    select s.id, s.phone_number_id, s.contact_id, s.scope, s.is_active, s.since, s.reason, s.set_by, s.note, s.lifted_at,
      s.lifted_by, s.lift_note, s.created_at, s.updated_at,
      jsonb_build_object('wa_id', p.wa_id, 'user_id', p.user_id, 'name', p.name, 'username', p.username) as contact
    from whatsapp_suppressions s
    join whatsapp_contacts p on p.tenant_id = s.tenant_id and p.id = s.contact_id
    where s.tenant_id = ${tenantId} and s.id = ${id} and s.since is not null`)
  return row
}

/** Undefined when it is in force already: then nothing changes. */
export async function suppressByHand(
  tx: Tx,
  word: Word & { rowId: string; actor: string; note: string },
  now: Date,
): Promise<string | undefined> {
  const [row] = await tx.query(sql<{ id: string }>`
    insert into whatsapp_suppressions as s
      (id, tenant_id, phone_number_id, contact_id, scope, is_active, changed_at, change_id, since, reason, set_by, note,
       created_at, updated_at)
    values (${word.rowId}, ${word.tenantId}, ${word.phoneNumberId}, ${word.contactId}, ${word.scope}, true, ${word.at},
      ${word.id}, ${word.at}, 'operator', ${word.actor}, ${word.note}, ${now}, ${now})
    on conflict (tenant_id, phone_number_id, contact_id, scope) do update
    set is_active = true, changed_at = greatest(s.changed_at, excluded.changed_at), change_id = excluded.change_id,
      since = excluded.since, reason = excluded.reason, set_by = excluded.set_by, note = excluded.note,
      lifted_at = null, lifted_by = null, lift_note = null, event_id = null, updated_at = excluded.updated_at
    where not s.is_active
    returning id`)
  return row?.id
}

export async function selectSuppressionId(
  tx: Tx,
  { tenantId, phoneNumberId, contactId, scope }: Suppressed,
): Promise<string | undefined> {
  const [row] = await tx.query(sql<{ id: string }>`
    select id
    from whatsapp_suppressions
    where tenant_id = ${tenantId} and phone_number_id = ${phoneNumberId} and contact_id = ${contactId}
      and scope = ${scope}`)
  return row?.id
}

/**
 * Whether it was in force. Its time stays as it is: what the contact says after the word that is lifted counts, though it
 * may have been said before the lifting.
 */
export async function liftByHand(
  tx: Tx,
  tenantId: string,
  id: string,
  lift: { changeId: string; actor: string; note: string },
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update whatsapp_suppressions
    set is_active = false, change_id = ${lift.changeId}, lifted_at = ${now}, lifted_by = ${lift.actor},
      lift_note = ${lift.note}, updated_at = ${now}
    where tenant_id = ${tenantId} and id = ${id} and is_active
    returning id`)
  return rows.length > 0
}

/** The number, or undefined when the tenant has no such number; the only one where none is named. Two at most. */
export async function selectNumbers(
  tx: Tx,
  tenantId: string,
  phoneNumberId: string | null,
): Promise<string[]> {
  const rows = await tx.query(sql<{ phone_number_id: string }>`
    select phone_number_id
    from whatsapp_accounts
    where tenant_id = ${tenantId} and (${phoneNumberId}::text is null or phone_number_id = ${phoneNumberId})
    order by phone_number_id
    limit 2`)
  return rows.map((row) => row.phone_number_id)
}
