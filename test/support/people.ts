// People who can sign in, put straight into the database: no test but those about signing in waits for scrypt.
import { createHash } from 'node:crypto'
import type { PersonRole } from '../../src/api/contract-people.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { publicId } from '../../src/ids.ts'
import { createPasswords } from '../../src/people/passwords.ts'
import { cookieWith } from '../../src/people/sessions.ts'
import { systemClock, systemRandom } from '../../src/time-and-chance.ts'

const random = systemRandom(systemClock)
export const password = 'correct horse battery staple'

/** Cheap: what is tested here is not how long guessing takes. */
let hashing: Promise<string> | undefined
const passwordHash = () => {
  hashing ??= createPasswords(random, { N: 2, r: 1, p: 1 }).hash(password)
  return hashing
}

export interface SeededPerson {
  id: string
  email: string
  /** Of a link that was made for them. */
  linkToken: string
  /** What their browser sends from the console's page, to a gateway that it calls by this host. */
  headers(host: string): Record<string, string>
}

export async function seedPerson(
  db: Db,
  {
    role,
    tenantId,
    name = 'A person',
  }: { role: PersonRole; tenantId: string | null; name?: string },
): Promise<SeededPerson> {
  const uuid = random.uuid()
  const email = `${uuid}@firm.example`
  const token = random.bytes(32).toString('base64url')
  const linkToken = random.bytes(32).toString('base64url')
  await db.query(sql`
    insert into people
      (id, tenant_id, email, name, role, password_hash, password_changed_at, created_at, updated_at)
    values (${uuid}, ${tenantId}, ${email}, ${name}, ${role}, ${await passwordHash()}, now(), now(), now())`)
  // Some gateways of the tests live an hour ahead.
  await db.query(sql`
    insert into sessions (id, token_hash, person_id, created_at, last_seen_at)
    values (${random.uuid()}, ${sha256(token)}, ${uuid}, now(), now() + interval '1 hour')`)
  const link = { uuid, tokenHash: sha256(linkToken) }
  links.push(link)
  // Its own alone: two who are seeded at once would both put the other's.
  await putLinks(db, [link])
  return {
    id: publicId('usr', uuid),
    email,
    linkToken,
    headers: (host) => ({
      cookie: cookieWith(token).split(';')[0] ?? '',
      'x-csrf-token': sha256(`csrf ${token}`).toString('base64url'),
      origin: `http://${host}`,
    }),
  }
}

interface PersonLink {
  uuid: string
  tokenHash: Buffer
}

const links: PersonLink[] = []

async function putLinks(db: Db, put: PersonLink[]): Promise<void> {
  await db.query(sql`
    insert into person_links (person_id, token_hash, created_at, expires_at)
    select id, token_hash, now(), now() + interval '1 day'
    from unnest(${put.map(({ uuid }) => uuid)}::uuid[], ${put.map((one) => one.tokenHash)}::bytea[])
      as link (id, token_hash)
    join people using (id)
    on conflict (person_id) do update set token_hash = excluded.token_hash
    where person_links.token_hash <> excluded.token_hash`)
}

/** Whatever they did about their passwords, links and sessions is undone. */
export async function restorePeople(db: Db): Promise<void> {
  await putLinks(db, links)
  await db.query(sql`delete from sign_in_failures`)
  await db.query(sql`update sessions set ended_at = null where ended_at is not null`)
  const hash = await passwordHash()
  await db.query(sql`
    update people set password_hash = ${hash}, disabled_at = null
    where password_hash is distinct from ${hash} or disabled_at is not null`)
}

const sha256 = (text: string) => createHash('sha256').update(text).digest()
