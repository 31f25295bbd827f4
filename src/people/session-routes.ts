// Signing in and out, and what a signed-in person does about themselves.
import { z } from 'zod'
import {
  acceptLink,
  linkOwner,
  linkToken,
  passwordChange,
  signedIn,
  signIn,
} from '../api/contract-people.ts'
import { type Call, type PersonPrincipal, type Route, route } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import type { Clock } from '../time-and-chance.ts'
import { acceptLinkWith, purposeFor, readLink } from './links.ts'
import { personNotFound, signOutEverywhere } from './manage.ts'
import type { PersonRow } from './model.ts'
import type { Passwords } from './passwords.ts'
import {
  deleteLink,
  endSession,
  endSessions,
  selectPerson,
  selectPersonByEmail,
  updatePassword,
} from './queries.ts'
import { cookieGone, cookieWith, type OpenedSession, type Sessions } from './sessions.ts'
import { showPerson } from './show.ts'
import { checkPassword, expectUnchanged, forgetTries, signInWith } from './sign-in.ts'

export interface SessionRoutesOptions {
  db: Db
  clock: Clock
  passwords: Passwords
  sessions: Sessions
  nameOfTenant(id: string): Promise<string | undefined>
  simulatorUrl: string | undefined
}

const base = '/api/console'

export function sessionRoutes(options: SessionRoutesOptions): Route[] {
  return [...arriving(options), ...being(options), ...leaving(options)]
}

function arriving(options: SessionRoutesOptions): Route[] {
  const { db, clock } = options
  const welcome = (
    call: Pick<Call<unknown, unknown, unknown>, 'setHeader'>,
    { person, session }: { person: PersonRow; session: OpenedSession },
  ) => {
    call.setHeader('set-cookie', cookieWith(session.token))
    return show(options, person, session)
  }
  return [
    route({
      operationId: 'console.signIn',
      method: 'POST',
      path: `${base}/sign-in`,
      summary: 'Sign in to the console; the answer sets its cookie',
      access: 'page',
      body: signIn,
      answer: signedIn,
      errors: ['SIGN_IN_FAILED', 'SIGN_IN_LOCKED', 'BUSY'],
      handle: async (call) => welcome(call, await signInWith(options, call.body)),
    }),
    route({
      operationId: 'console.readLink',
      method: 'POST',
      path: `${base}/link`,
      summary: 'Whose link this is, before a password is chosen',
      access: 'page',
      body: linkToken,
      answer: linkOwner,
      errors: ['LINK_INVALID'],
      handle: async ({ body }) => {
        const row = await readLink(db, body.token, clock.now())
        return { name: row.name, email: row.email, purpose: purposeFor(row) }
      },
    }),
    route({
      operationId: 'console.acceptLink',
      method: 'POST',
      path: `${base}/link/accept`,
      summary: 'Choose a password with a link, and be signed in',
      access: 'page',
      body: acceptLink,
      answer: signedIn,
      errors: ['LINK_INVALID', 'BUSY'],
      handle: async (call) => welcome(call, await acceptLinkWith(options, call.body)),
    }),
  ]
}

function being(options: SessionRoutesOptions): Route[] {
  return [
    route({
      operationId: 'console.me',
      method: 'GET',
      path: `${base}/me`,
      summary: 'Who is signed in',
      access: 'person',
      answer: signedIn,
      errors: ['PERSON_NOT_FOUND'],
      handle: async (call) => {
        const me = signedInBy(call)
        return show(options, await known(options.db, me), me)
      },
    }),
    route({
      operationId: 'console.changePassword',
      method: 'POST',
      path: `${base}/password`,
      summary: 'Change one’s own password; other sessions end',
      access: 'person',
      body: passwordChange,
      answer: z.null(),
      status: 204,
      errors: ['PERSON_NOT_FOUND', 'SIGN_IN_FAILED', 'SIGN_IN_LOCKED', 'BUSY'],
      handle: async (call) => {
        await changePassword(options, signedInBy(call), call.actor, call.body)
        return null
      },
    }),
  ]
}

function leaving({ db, clock }: SessionRoutesOptions): Route[] {
  return [
    route({
      operationId: 'console.signOut',
      method: 'POST',
      path: `${base}/sign-out`,
      summary: 'Sign out here',
      access: 'person',
      answer: z.null(),
      status: 204,
      handle: async (call) => {
        await endSession(db, signedInBy(call).sessionId, clock.now())
        call.setHeader('set-cookie', cookieGone)
        return null
      },
    }),
    route({
      operationId: 'console.signOutEverywhere',
      method: 'POST',
      path: `${base}/sign-out-everywhere`,
      summary: 'Sign out here and everywhere else',
      access: 'person',
      answer: z.null(),
      status: 204,
      errors: ['PERSON_NOT_FOUND'],
      handle: async (call) => {
        const id = signedInBy(call).personId
        await db.transaction((tx) =>
          signOutEverywhere(tx, { tenantId: null, id }, { actor: call.actor, clock }),
        )
        call.setHeader('set-cookie', cookieGone)
        return null
      },
    }),
  ]
}

/** Guessing costs a stolen session as much as anybody. */
async function changePassword(
  options: SessionRoutesOptions,
  me: PersonPrincipal,
  actor: string,
  given: z.output<typeof passwordChange>,
): Promise<void> {
  const { db, clock, passwords } = options
  const { email } = await known(db, me)
  const before = await selectPersonByEmail(db, email)
  if (!before) throw personNotFound()
  await checkPassword(options, { email, password: given.current_password, known: before })
  const hash = await passwords.hash(given.password)
  await db.transaction(async (tx) => {
    const now = clock.now()
    await expectUnchanged(tx, before)
    await updatePassword(tx, me.personId, hash, now)
    await forgetTries(tx, email)
    // Whoever has a link from before would undo it.
    await deleteLink(tx, me.personId)
    await endSessions(tx, me.personId, now, me.sessionId)
    await recordAct(tx, {
      tenantId: me.tenantId,
      at: now,
      actor,
      action: 'person.password_set',
      subject: actor,
      details: { by: 'person' },
    })
  })
}

async function show(
  { nameOfTenant, simulatorUrl }: SessionRoutesOptions,
  person: PersonRow,
  { csrfToken, expiresAt }: Pick<OpenedSession, 'csrfToken' | 'expiresAt'>,
) {
  const { tenant_id: id } = person
  return {
    person: showPerson(person),
    tenant: id === null ? null : { id, name: (await nameOfTenant(id)) ?? '' },
    csrf_token: csrfToken,
    expires_at: expiresAt.toISOString(),
    ...(simulatorUrl !== undefined && { simulator_url: simulatorUrl }),
  }
}

async function known(db: Db, { personId }: PersonPrincipal): Promise<PersonRow> {
  const row = await selectPerson(db, personId)
  if (!row) throw personNotFound()
  return row
}

function signedInBy({ person }: Pick<Call<unknown, unknown, unknown>, 'person'>): PersonPrincipal {
  if (!person) throw new Error('bug: a route for people let nobody in')
  return person
}
