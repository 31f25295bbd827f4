import type { Cursor } from '../api/paging.ts'
import { sql, type Tx } from '../db/connect.ts'
import type { ListedPersonRow, PersonRow, SessionRow } from './model.ts'

/** Undefined when the address is taken. */
export async function insertPerson(tx: Tx, person: PersonRow): Promise<PersonRow | undefined> {
  const [row] = await tx.query(sql<PersonRow>`
    insert into people (id, tenant_id, email, name, role, created_at, updated_at)
    values (${person.id}, ${person.tenant_id}, ${person.email}, ${person.name}, ${person.role}, ${person.created_at},
      ${person.created_at})
    on conflict (email) do nothing
    returning id, tenant_id, email, name, role, password_changed_at, disabled_at, created_at`)
  return row
}

/** `tenantId`: of this tenant only; null: of all, operators too. */
export async function selectPeople(
  tx: Tx,
  tenantId: string | null,
  after: Cursor | null,
  limit: number,
  sought = '',
): Promise<ListedPersonRow[]> {
  return tx.query(sql<ListedPersonRow>`
    select id, tenant_id, email, name, role, password_changed_at, disabled_at, created_at,
      (select max(last_seen_at) from sessions where person_id = people.id) as last_seen_at
    from people
    where (${tenantId}::uuid is null or tenant_id = ${tenantId})
      and (${sought} = '' or position(lower(${sought}) in lower(name || ' ' || email)) > 0)
      and (${after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${after?.at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${limit}`)
}

export async function selectPerson(tx: Tx, id: string): Promise<PersonRow | undefined> {
  const [row] = await tx.query(sql<PersonRow>`
    select id, tenant_id, email, name, role, password_changed_at, disabled_at, created_at
    from people
    where id = ${id}`)
  return row
}

export async function lockPerson(
  tx: Tx,
  tenantId: string | null,
  id: string,
): Promise<PersonRow | undefined> {
  const [row] = await tx.query(sql<PersonRow>`
    select id, tenant_id, email, name, role, password_changed_at, disabled_at, created_at
    from people
    where id = ${id} and (${tenantId}::uuid is null or tenant_id = ${tenantId})
    for no key update`)
  return row
}

export async function selectPersonByEmail(
  tx: Tx,
  email: string,
): Promise<(PersonRow & { password_hash: string | null }) | undefined> {
  const [row] = await tx.query(sql<PersonRow & { password_hash: string | null }>`
    select id, tenant_id, email, name, role, password_changed_at, disabled_at, created_at, password_hash
    from people
    where email = ${email}`)
  return row
}

/** Whoever sets another password or shuts the person out meanwhile waits, or was first. Null: there is none, or not any more. */
export async function lockPasswordHash(tx: Tx, id: string): Promise<string | null> {
  const [row] = await tx.query(sql<{ password_hash: string | null }>`
    select password_hash
    from people
    where id = ${id} and disabled_at is null
    for no key update`)
  return row?.password_hash ?? null
}

export async function updatePerson(tx: Tx, person: PersonRow, now: Date): Promise<void> {
  await tx.query(sql`
    update people
    set name = ${person.name}, role = ${person.role}, disabled_at = ${person.disabled_at}, updated_at = ${now}
    where id = ${person.id}`)
}

export async function updatePassword(tx: Tx, id: string, hash: string, now: Date): Promise<void> {
  await tx.query(sql`
    update people
    set password_hash = ${hash}, password_changed_at = ${now}, updated_at = ${now}
    where id = ${id}`)
}

export async function insertSession(
  tx: Tx,
  session: { id: string; tokenHash: Buffer; personId: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into sessions (id, token_hash, person_id, created_at, last_seen_at)
    values (${session.id}, ${session.tokenHash}, ${session.personId}, ${session.now}, ${session.now})`)
}

export async function selectSession(tx: Tx, tokenHash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await tx.query(sql<SessionRow>`
    select s.id, s.person_id, p.role, p.tenant_id, s.created_at, s.last_seen_at
    from sessions s
    join people p on p.id = s.person_id
    where s.token_hash = ${tokenHash} and s.ended_at is null and p.disabled_at is null`)
  return row
}

export async function touchSession(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(sql`
    update sessions
    set last_seen_at = ${now}
    where id = ${id} and last_seen_at < ${now}`)
}

/** Ends all of a person's sessions but `except`; how many there were. */
export async function endSessions(
  tx: Tx,
  personId: string,
  now: Date,
  except: string | null = null,
): Promise<number> {
  const rows = await tx.query(sql`
    update sessions
    set ended_at = ${now}
    where person_id = ${personId} and ended_at is null and (${except}::uuid is null or id <> ${except})
    returning id`)
  return rows.length
}

export async function endSession(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query(sql`
    update sessions
    set ended_at = ${now}
    where id = ${id} and ended_at is null`)
}

/** In place of an earlier one: only the latest link works. */
export async function putLink(
  tx: Tx,
  link: { personId: string; tokenHash: Buffer; now: Date; expiresAt: Date },
): Promise<void> {
  await tx.query(sql`
    insert into person_links (person_id, token_hash, created_at, expires_at)
    values (${link.personId}, ${link.tokenHash}, ${link.now}, ${link.expiresAt})
    on conflict (person_id) do update
    set token_hash = excluded.token_hash, created_at = excluded.created_at, expires_at = excluded.expires_at`)
}

export async function selectLinkOwner(
  tx: Tx,
  tokenHash: Buffer,
  now: Date,
): Promise<PersonRow | undefined> {
  const [row] = await tx.query(sql<PersonRow>`
    select p.id, p.tenant_id, p.email, p.name, p.role, p.password_changed_at, p.disabled_at, p.created_at
    from person_links l
    join people p on p.id = l.person_id
    where l.token_hash = ${tokenHash} and l.expires_at > ${now} and p.disabled_at is null`)
  return row
}

/** Whose link it was. It is used up: of two who use it at once one gets it. */
export async function takeLink(tx: Tx, tokenHash: Buffer, now: Date): Promise<string | undefined> {
  const [row] = await tx.query(sql<{ person_id: string }>`
    delete from person_links
    where token_hash = ${tokenHash} and expires_at > ${now}
    returning person_id`)
  return row?.person_id
}

export async function deleteLink(tx: Tx, personId: string): Promise<void> {
  await tx.query(sql`
    delete from person_links
    where person_id = ${personId}`)
}

export interface FailureRow {
  failures: number
  locked_until: Date
}

/** Counts one more try, before it is known to be a wrong one: tries made at once are all counted. Nothing when locked. */
export async function countTry(
  tx: Tx,
  emailHash: Buffer,
  now: Date,
  forgottenBefore: Date,
): Promise<FailureRow | undefined> {
  const [row] = await tx.query(sql<FailureRow>`
    insert into sign_in_failures as f (email_hash, failures, locked_until, updated_at)
    values (${emailHash}, 1, '-infinity', ${now})
    on conflict (email_hash) do update
    set failures = case when f.updated_at < ${forgottenBefore} then 1 else f.failures + 1 end, updated_at = ${now}
    where f.locked_until <= ${now}
    returning failures, locked_until`)
  return row
}

/** It was counted, and then not looked at. */
export async function giveBackTry(tx: Tx, emailHash: Buffer): Promise<void> {
  await tx.query(sql`
    update sign_in_failures
    set failures = greatest(0, failures - 1)
    where email_hash = ${emailHash}`)
}

export async function selectLock(tx: Tx, emailHash: Buffer): Promise<Date | undefined> {
  const [row] = await tx.query(sql<{ locked_until: Date }>`
    select locked_until
    from sign_in_failures
    where email_hash = ${emailHash}`)
  return row?.locked_until
}

export async function lockSignIn(tx: Tx, emailHash: Buffer, until: Date): Promise<void> {
  await tx.query(sql`
    update sign_in_failures
    set locked_until = greatest(locked_until, ${until}::timestamptz)
    where email_hash = ${emailHash}`)
}

export async function forgetFailures(tx: Tx, emailHash: Buffer): Promise<void> {
  await tx.query(sql`
    delete from sign_in_failures
    where email_hash = ${emailHash}`)
}
