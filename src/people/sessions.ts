// Sessions: a random token in a cookie, its digest in the database, so that every process knows who is signed in and one
// statement signs somebody out everywhere.
import { createHash } from 'node:crypto'
import type { PersonPrincipal } from '../api/route.ts'
import type { Db, Tx } from '../db/connect.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { insertSession, selectSession, touchSession } from './queries.ts'

export interface SessionsOptions {
  db: Db
  clock: Clock
  random: Random
  idleMinutes: number
  absoluteHours: number
}

export interface OpenedSession {
  id: string
  token: string
  csrfToken: string
  expiresAt: Date
}

export interface Sessions {
  open(tx: Tx, personId: string): Promise<OpenedSession>
  /** Who carries this token; undefined when nobody any more. `isIdle`: they did nothing, somebody only looks whether they
   *  are still signed in. */
  find(token: string, isIdle?: boolean): Promise<PersonPrincipal | undefined>
}

/** `__Host-`: set over a safe connection, for this host and no other, so that no neighbour can plant one. */
const cookieName = '__Host-estafet'
/** Seen this recently needs no new note of it: not every click is a write. */
const noteEveryMs = 60_000

export function createSessions(options: SessionsOptions): Sessions {
  const { db, clock, random } = options
  const idleMs = options.idleMinutes * 60_000
  const absoluteMs = options.absoluteHours * 3_600_000
  return {
    async open(tx, personId) {
      const token = random.bytes(32).toString('base64url')
      const [id, now] = [random.uuid(), clock.now()]
      await insertSession(tx, { id, tokenHash: digest(token), personId, now })
      return {
        id,
        token,
        csrfToken: csrfTokenOf(token),
        expiresAt: new Date(now.getTime() + absoluteMs),
      }
    },
    async find(token, isIdle = false) {
      const row = await selectSession(db, digest(token))
      if (!row) return undefined
      const nowMs = clock.now().getTime()
      const idleForMs = nowMs - row.last_seen_at.getTime()
      const expiresAt = new Date(row.created_at.getTime() + absoluteMs)
      if (idleForMs > idleMs || nowMs > expiresAt.getTime()) return undefined
      if (!isIdle && idleForMs > noteEveryMs) await touchSession(db, row.id, new Date(nowMs))
      return {
        kind: 'person',
        personId: row.person_id,
        sessionId: row.id,
        role: row.role,
        tenantId: row.tenant_id,
        csrfToken: csrfTokenOf(token),
        expiresAt,
      }
    },
  }
}

export function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Made from the token, so that there is nothing more to keep; the token cannot be had back from it. */
function csrfTokenOf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url')
}

export function tokenIn(cookies: string | undefined): string | undefined {
  for (const pair of (cookies ?? '').split(';')) {
    const [name, value] = pair.trim().split('=')
    if (name === cookieName && value !== undefined && /^[\w-]{43}$/.test(value)) return value
  }
  return undefined
}

/** For the browser's own session: it ends here, by idleness or age, not by what a browser remembers. */
export function cookieWith(token: string): string {
  return `${cookieName}=${token}; Path=/; Secure; HttpOnly; SameSite=Lax`
}

export const cookieGone = `${cookieName}=; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=0`
