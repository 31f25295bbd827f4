// Links with which a person chooses a password: an invitation, or a new one for who forgot theirs. Handed over by whoever
// made them; good once, and the latest one only.
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { PersonRow } from './model.ts'
import type { Passwords } from './passwords.ts'
import {
  endSessions,
  lockPerson,
  putLink,
  selectLinkOwner,
  takeLink,
  updatePassword,
} from './queries.ts'
import { digest, type OpenedSession, type Sessions } from './sessions.ts'

const dayMs = 24 * 3_600_000
const invitationMs = 7 * dayMs
const newPasswordMs = dayMs

export interface MadeLink {
  purpose: 'invitation' | 'new_password'
  token: string
  expiresAt: Date
}

export const purposeFor = ({ password_changed_at }: PersonRow): MadeLink['purpose'] =>
  password_changed_at === null ? 'invitation' : 'new_password'

export async function makeLink(
  tx: Tx,
  person: PersonRow,
  { actor, clock, random }: { actor: string; clock: Clock; random: Random },
): Promise<MadeLink> {
  const token = random.bytes(32).toString('base64url')
  const now = clock.now()
  const purpose = purposeFor(person)
  const lasts = purpose === 'invitation' ? invitationMs : newPasswordMs
  const expiresAt = new Date(now.getTime() + lasts)
  await putLink(tx, { personId: person.id, tokenHash: digest(token), now, expiresAt })
  await recordAct(tx, {
    tenantId: person.tenant_id,
    at: now,
    actor,
    action: 'person.link_made',
    subject: publicId('usr', person.id),
    details: { purpose },
  })
  return { purpose, token, expiresAt }
}

export async function readLink(db: Db, token: string, now: Date): Promise<PersonRow> {
  const owner = await selectLinkOwner(db, digest(token), now)
  if (!owner) throw linkGone()
  return owner
}

export interface AcceptOptions {
  db: Db
  clock: Clock
  passwords: Passwords
  sessions: Sessions
}

/** The link is used up in the commit that sets the password, ends all sessions and opens one. */
export async function acceptLinkWith(
  { db, clock, passwords, sessions }: AcceptOptions,
  { token, password }: { token: string; password: string },
): Promise<{ person: PersonRow; session: OpenedSession }> {
  // Before the slow part: a link that is not there costs nothing.
  await readLink(db, token, clock.now())
  const hash = await passwords.hash(password)
  return db.transaction(async (tx) => {
    const now = clock.now()
    const personId = await takeLink(tx, digest(token), now)
    const person = personId && (await lockPerson(tx, null, personId))
    if (!person || person.disabled_at) throw linkGone()
    await updatePassword(tx, person.id, hash, now)
    await endSessions(tx, person.id, now)
    const session = await sessions.open(tx, person.id)
    const subject = publicId('usr', person.id)
    await recordAct(tx, {
      tenantId: person.tenant_id,
      at: now,
      actor: subject,
      action: 'person.password_set',
      subject,
      details: { by: purposeFor(person) },
    })
    return { person: { ...person, password_changed_at: now }, session }
  })
}

function linkGone(): AppError {
  return new AppError(
    'LINK_INVALID',
    410,
    'This link was used, replaced by a newer one, or is too old. Ask for a new one.',
  )
}
