// Signing in with a password. Whoever guesses waits longer and longer, and learns nothing, not even who is known here.
import { createHash } from 'node:crypto'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Clock } from '../time-and-chance.ts'
import type { PersonRow } from './model.ts'
import type { Passwords } from './passwords.ts'
import {
  countTry,
  forgetFailures,
  giveBackTry,
  lockPasswordHash,
  lockSignIn,
  selectLock,
  selectPersonByEmail,
} from './queries.ts'
import type { OpenedSession, Sessions } from './sessions.ts'

export interface SignInOptions {
  db: Db
  clock: Clock
  passwords: Passwords
  sessions: Sessions
}

/** So many are free: people mistype. */
const freeTries = 5
const firstLockMs = 30_000
const longestLockMs = 15 * 60_000
const forgottenAfterMs = 24 * 3_600_000

export async function signInWith(
  options: SignInOptions,
  { email, password }: { email: string; password: string },
): Promise<{ person: PersonRow; session: OpenedSession }> {
  const { db, clock, sessions } = options
  const known = await selectPersonByEmail(db, email)
  await checkPassword(options, { email, password, known })
  if (!known || known.disabled_at) throw refused()
  return db.transaction(async (tx) => {
    await expectUnchanged(tx, known)
    await forgetTries(tx, email)
    const session = await sessions.open(tx, known.id)
    await recordAct(tx, { ...actOf(known), at: clock.now(), action: 'person.signed_in' })
    return { person: known, session }
  })
}

type Known = PersonRow & { password_hash: string | null }

/** Counts the try first: those made at once are all counted. Throws unless it is right. */
export async function checkPassword(
  { db, clock, passwords }: Pick<SignInOptions, 'db' | 'clock' | 'passwords'>,
  { email, password, known }: { email: string; password: string; known: Known | undefined },
): Promise<void> {
  const emailHash = hashOf(email)
  await db.transaction(async (tx) => {
    const now = clock.now()
    const forgottenBefore = new Date(now.getTime() - forgottenAfterMs)
    const tried = await countTry(tx, emailHash, now, forgottenBefore)
    if (!tried) throw locked(now, await selectLock(tx, emailHash))
    if (tried.failures <= freeTries) return
    const waitMs = Math.min(longestLockMs, firstLockMs * 2 ** (tried.failures - freeTries - 1))
    await lockSignIn(tx, emailHash, new Date(now.getTime() + waitMs))
    if (known && tried.failures === freeTries + 1) {
      await recordAct(tx, { ...actOf(known), at: now, action: 'person.locked_out' })
    }
  })
  const isRight = await passwords
    .verify(password, known?.password_hash ?? null)
    .catch(async (error: unknown) => {
      // Too busy to look: whoever keeps us so must not lock everybody else out as well.
      await giveBackTry(db, emailHash)
      throw error
    })
  if (!isRight) throw refused()
}

/** Changed or taken away while it was checked: then it is not the password any more. */
export async function expectUnchanged(tx: Tx, known: Known): Promise<void> {
  const hash = await lockPasswordHash(tx, known.id)
  if (hash === null || hash !== known.password_hash) throw refused()
}

export function forgetTries(tx: Tx, email: string): Promise<void> {
  return forgetFailures(tx, hashOf(email))
}

const hashOf = (email: string) => createHash('sha256').update(email).digest()

function actOf({ id, tenant_id }: PersonRow) {
  const subject = publicId('usr', id)
  return { tenantId: tenant_id, actor: subject, subject }
}

function refused(): AppError {
  return new AppError('SIGN_IN_FAILED', 401, 'The e-mail address or the password is wrong.')
}

function locked(now: Date, until: Date | undefined): AppError {
  const seconds = Math.max(1, Math.ceil(((until ?? now).getTime() - now.getTime()) / 1000))
  return new AppError(
    'SIGN_IN_LOCKED',
    429,
    'Too many wrong passwords for this address. Wait a little, or ask for a new password.',
    { details: { retry_after_seconds: seconds }, headers: { 'retry-after': String(seconds) } },
  )
}
