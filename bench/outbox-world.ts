// Who sends what to whom in `bench outbox`: one busy tenant, many small ones, their people, and the jobs. All fictional.
import { randomUUID } from 'node:crypto'
import { tokenOwner, type Vault } from '../src/accounts/vault.ts'
import { type Db, sql } from '../src/db/connect.ts'

export interface Person {
  contactId: string
  conversationId: string
  waId: string
}

export interface BenchTenant {
  id: string
  number: string
  accountId: string
  people: Person[]
}

export interface World {
  busy: BenchTenant
  small: BenchTenant[]
}

/** One message to send; every contender carries the same payload. */
export interface Job {
  id: number
  tenant: BenchTenant
  person: Person
}

export interface JobPayload extends Record<string, unknown> {
  text: { body: string }
}

export interface WorldSize {
  smallTenants: number
  peopleOfSmall: number
  peopleOfBusy: number
}

/** At 30 000 jobs each person of the small ones is sent two. */
const usualSize: WorldSize = { smallTenants: 100, peopleOfSmall: 150, peopleOfBusy: 2_000 }
export const accessToken = 'bench-access-token-0001'

export function createWorld(size: WorldSize = usualSize): World {
  let people = 0
  const person = () => ({
    contactId: randomUUID(),
    conversationId: randomUUID(),
    waId: `1650${String(people++).padStart(7, '0')}`,
  })
  const tenant = (place: number, count: number) => ({
    id: randomUUID(),
    number: `44178537236${String(place).padStart(4, '0')}`,
    accountId: randomUUID(),
    people: Array.from({ length: count }, person),
  })
  return {
    busy: tenant(0, size.peopleOfBusy),
    small: Array.from({ length: size.smallTenants }, (_, index) =>
      tenant(index + 1, size.peopleOfSmall),
    ),
  }
}

/** `count` jobs, each for the next of the tenants and its next person. */
export function jobsFor(tenants: BenchTenant[], count: number, firstId = 0): Job[] {
  return Array.from({ length: count }, (_, index) => {
    const tenant = tenants[index % tenants.length]
    const person = tenant?.people[Math.floor(index / tenants.length) % tenant.people.length]
    if (!tenant || !person) throw new Error('bug: a world without people')
    return { id: firstId + index, tenant, person }
  })
}

export function payloadOf({ id, person }: Job): JobPayload {
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${person.waId}`,
    type: 'text',
    text: {
      body: `${id} is the number of your order. It leaves the shop in the harbour street this afternoon.`,
    },
  }
}

export function jobIdOf(payload: JobPayload): number {
  return Number.parseInt(payload.text.body, 10)
}

/** Tenants, numbers and people into a database; everybody wrote just now, so that every window is open. */
export async function settle(db: Db, vault: Vault, world: World): Promise<void> {
  const tenants = [world.busy, ...world.small]
  const ids = tenants.map((tenant) => tenant.id)
  const numbers = tenants.map((tenant) => tenant.number)
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    select id, 'Tenant ' || n, 'tenant-' || n, now(), now()
    from unnest(${ids}::uuid[]) with ordinality as t (id, n)`)
  const tokens = tenants.map(({ id, accountId }) =>
    vault.seal(accessToken, tokenOwner(id, accountId)),
  )
  await db.query(sql`
    insert into whatsapp_accounts
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
    select account, tenant, '215589313241560', number, '+1 555-0100', token, now(), now()
    from unnest(${tenants.map((tenant) => tenant.accountId)}::uuid[], ${ids}::uuid[], ${numbers}::text[],
      ${tokens}::text[]) as a (account, tenant, number, token)`)
  await db.query(sql`insert into send_tenants (tenant_id) select unnest(${ids}::uuid[])`)
  // Meta's pace is not what is measured.
  await db.query(sql`
    insert into send_numbers (tenant_id, phone_number_id, rate)
    select t, n, 'infinity' from unnest(${ids}::uuid[], ${numbers}::text[]) as x (t, n)`)
  for (const tenant of tenants) await insertPeople(db, tenant)
}

async function insertPeople(db: Db, { id, number, people }: BenchTenant): Promise<void> {
  const contacts = people.map((person) => person.contactId)
  const waIds = people.map((person) => person.waId)
  await db.query(sql`
    insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
    select contact, ${id}, wa_id, now(), now()
    from unnest(${contacts}::uuid[], ${waIds}::text[]) as p (contact, wa_id)`)
  await db.query(sql`
    insert into whatsapp_conversations
      (id, tenant_id, phone_number_id, contact_id, contact_wa_id, last_message_at, last_inbound_at, created_at, updated_at)
    select conversation, ${id}, ${number}, contact, wa_id, now(), now(), now(), now()
    from unnest(${people.map((person) => person.conversationId)}::uuid[], ${contacts}::uuid[], ${waIds}::text[])
      as p (conversation, contact, wa_id)`)
}
