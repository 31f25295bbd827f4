import { sql, type Tx } from '../db/connect.ts'
import type { ContactRow, Identity } from './model.ts'

/** Everybody who has one of these ids. */
export async function selectContacts(tx: Tx, identities: Identity[]): Promise<ContactRow[]> {
  const tenants = identities.map((identity) => identity.tenantId)
  return tx.query(sql<ContactRow>`
    select c.id, c.tenant_id as "tenantId", c.kind, c.wa_id as "waId", c.user_id as "userId", c.name, c.username
    from unnest(
      ${tenants}::uuid[],
      ${identities.map((identity) => identity.waId)}::text[]) as wanted (tenant_id, wa_id)
    join whatsapp_contacts c using (tenant_id, wa_id)
    union
    select c.id, c.tenant_id, c.kind, c.wa_id, c.user_id, c.name, c.username
    from unnest(
      ${tenants}::uuid[],
      ${identities.map((identity) => identity.userId)}::text[]) as wanted (tenant_id, user_id)
    join whatsapp_contacts c using (tenant_id, user_id)`)
}

/** Adds whom nobody knew. Somebody else may be adding the same ones: whoever is later adds nothing. */
export async function insertContacts(tx: Tx, contacts: ContactRow[], now: Date): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_contacts
      (id, tenant_id, kind, wa_id, user_id, name, username, created_at, updated_at)
    select id, tenant_id, kind, wa_id, user_id, name, username, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${contacts.map((contact) => contact.id)}::uuid[],
      ${contacts.map((contact) => contact.tenantId)}::uuid[],
      ${contacts.map((contact) => contact.kind)}::text[],
      ${contacts.map((contact) => contact.waId)}::text[],
      ${contacts.map((contact) => contact.userId)}::text[],
      ${contacts.map((contact) => contact.name)}::text[],
      ${contacts.map((contact) => contact.username)}::text[])
      as contact (id, tenant_id, kind, wa_id, user_id, name, username)
    order by tenant_id, wa_id, user_id
    on conflict do nothing`)
}

/** What people call themselves now. */
export async function updateNames(tx: Tx, contacts: ContactRow[], now: Date): Promise<void> {
  const sorted = [...contacts].sort((a, b) => (a.id < b.id ? -1 : 1))
  await tx.query(sql`
    update whatsapp_contacts c
    set name = coalesce(news.name, c.name), username = coalesce(news.username, c.username), updated_at = ${now}
    from unnest(
      ${sorted.map((contact) => contact.tenantId)}::uuid[],
      ${sorted.map((contact) => contact.id)}::uuid[],
      ${sorted.map((contact) => contact.name)}::text[],
      ${sorted.map((contact) => contact.username)}::text[]) as news (tenant_id, id, name, username)
    where c.tenant_id = news.tenant_id and c.id = news.id`)
}

export async function updateIds(tx: Tx, contact: ContactRow, now: Date): Promise<void> {
  await tx.query(sql`
    update whatsapp_contacts
    set wa_id = ${contact.waId}, user_id = ${contact.userId}, updated_at = ${now}
    where tenant_id = ${contact.tenantId} and id = ${contact.id}`)
}

export async function selectIsAlias(
  tx: Tx,
  tenantId: string,
  asked: string,
  meant: string,
): Promise<boolean> {
  const [row] = await tx.query(sql<{ known: boolean }>`
    select exists (
      select
      from whatsapp_contact_aliases a
      join whatsapp_contacts c on c.tenant_id = a.tenant_id and c.id = a.contact_id
      where a.tenant_id = ${tenantId} and a.wa_id = ${asked} and c.wa_id = ${meant}
    ) and not exists (
      select from whatsapp_contacts where tenant_id = ${tenantId} and wa_id = ${asked}
    ) as known`)
  return row?.known ?? false
}

export async function insertAlias(
  tx: Tx,
  tenantId: string,
  waId: string,
  contactId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    insert into whatsapp_contact_aliases (tenant_id, wa_id, contact_id, created_at)
    values (${tenantId}, ${waId}, ${contactId}, ${now})
    on conflict (tenant_id, wa_id) do update set contact_id = excluded.contact_id`)
}

/** The contact stays as a signpost, without the ids that now belong to the other one. */
export async function markMerged(
  tx: Tx,
  loser: ContactRow,
  winnerId: string,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update whatsapp_contacts
    set wa_id = null, user_id = null, merged_into = ${winnerId}, updated_at = ${now}
    where tenant_id = ${loser.tenantId} and id = ${loser.id}`)
  await tx.query(sql`
    update whatsapp_contact_aliases
    set contact_id = ${winnerId}
    where tenant_id = ${loser.tenantId} and contact_id = ${loser.id}`)
}

/** Shared by everybody who files something under a contact, exclusive for whoever changes who is who. */
export async function lockIdentities(
  tx: Tx,
  tenantIds: string[],
  mode: 'shared' | 'exclusive',
): Promise<void> {
  if (mode === 'exclusive') {
    await tx.query(sql`
      select pg_advisory_xact_lock(7215303, hashtext(tenant))
      from (select distinct unnest(${tenantIds}::text[]) as tenant order by 1) as tenants`)
  } else {
    await tx.query(sql`
      select pg_advisory_xact_lock_shared(7215303, hashtext(tenant))
      from (select distinct unnest(${tenantIds}::text[]) as tenant order by 1) as tenants`)
  }
}
