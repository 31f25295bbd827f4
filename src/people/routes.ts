// Who may sign in: managed by operators, and by each tenant's admins for their own.
import { z } from 'zod'
import { listOf, listQuery, storableText, tenantId } from '../api/contract.ts'
import {
  colleague,
  invitedPerson,
  listedPerson,
  newColleague,
  newPerson,
  person,
  personChange,
  personLink,
  signedOut,
} from '../api/contract-people.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import { type Call, type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { uuidOf } from '../ids.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { makeLink } from './links.ts'
import {
  changePerson,
  createPerson,
  type NewPerson,
  personNotFound,
  signOutEverywhere,
} from './manage.ts'
import { lockPerson, selectPeople } from './queries.ts'
import { showLink, showListed, showPerson } from './show.ts'

export interface PeopleRoutesOptions {
  db: Db
  clock: Clock
  random: Random
  publicUrl: string | undefined
  isTenant(id: string): Promise<boolean>
}

const ofPerson = z.object({ id: z.string() })
const peopleQuery = listQuery.extend({
  q: storableText(100).optional().describe('part of the name or the e-mail address'),
})

export function peopleRoutes(options: PeopleRoutesOptions): Route[] {
  const { db } = options
  return [
    route({
      operationId: 'admin.people.list',
      method: 'GET',
      path: '/api/admin/people',
      summary: 'List who may sign in to the console',
      access: 'operator',
      query: peopleQuery.extend({ tenant_id: tenantId.optional() }),
      answer: listOf(listedPerson),
      handle: ({ query }) => list(db, query.tenant_id ?? null, query),
    }),
    route({
      operationId: 'admin.people.invite',
      method: 'POST',
      path: '/api/admin/people',
      summary: 'Invite somebody; the link is shown once and is good for 7 days',
      access: 'operator',
      body: newPerson,
      answer: invitedPerson,
      status: 201,
      errors: ['TENANT_NOT_FOUND', 'EMAIL_TAKEN'],
      handle: async (call) => {
        const { tenant_id: tenantId = null, ...given } = call.body
        if (tenantId !== null && !(await options.isTenant(tenantId))) {
          throw notFound('TENANT_NOT_FOUND', 'tenant')
        }
        return invite(options, call, { ...given, tenantId })
      },
    }),
    ...changingRoutes(options, '/api/admin/people', 'operator'),
    route({
      operationId: 'people.list',
      method: 'GET',
      path: '/api/whatsapp/people',
      summary: 'List who may sign in to the console for this tenant',
      access: 'tenant',
      query: peopleQuery,
      answer: listOf(listedPerson),
      handle: ({ query, tenantId }) => list(db, tenantId, query),
    }),
    route({
      operationId: 'people.invite',
      method: 'POST',
      path: '/api/whatsapp/people',
      summary: 'Invite a colleague; the link is shown once and is good for 7 days',
      access: 'tenant',
      body: newColleague,
      answer: invitedPerson,
      status: 201,
      errors: ['EMAIL_TAKEN'],
      handle: (call) => invite(options, call, { ...call.body, tenantId: call.tenantId }),
    }),
    ...changingRoutes(options, '/api/whatsapp/people', 'tenant'),
    route({
      operationId: 'colleagues.list',
      method: 'GET',
      path: '/api/whatsapp/colleagues',
      summary: 'List to whom a conversation can be assigned',
      access: 'agent',
      query: listQuery,
      answer: listOf(colleague),
      handle: async ({ query, tenantId }) => {
        const { data, paging } = await list(db, tenantId, query)
        const active = data.filter(({ status }) => status !== 'disabled')
        return { data: active.map(({ id, name, role }) => ({ id, name, role })), paging }
      },
    }),
  ]
}

function changingRoutes(
  { db, clock, random, publicUrl }: PeopleRoutesOptions,
  base: string,
  access: 'operator' | 'tenant',
): Route[] {
  const prefix = access === 'operator' ? 'admin.' : ''
  const named = (call: { params: { id: string }; tenantId: string }) => {
    const id = uuidOf('usr', call.params.id)
    if (!id) throw personNotFound()
    return { id, tenantId: access === 'tenant' ? call.tenantId : null }
  }
  return [
    route({
      operationId: `${prefix}people.update`,
      method: 'PATCH',
      path: `${base}/:id`,
      summary: 'Change a person’s name or role, shut them out or let them in again',
      access,
      params: ofPerson,
      body: personChange,
      answer: person,
      errors: ['PERSON_NOT_FOUND', 'OWN_ACCOUNT'],
      handle: (call) =>
        db.transaction(async (tx) =>
          showPerson(await changePerson(tx, named(call), call.body, { actor: call.actor, clock })),
        ),
    }),
    route({
      operationId: `${prefix}people.createLink`,
      method: 'POST',
      path: `${base}/:id/link`,
      summary: 'Make a link with which the person chooses a password; earlier links end',
      access,
      params: ofPerson,
      answer: personLink,
      status: 201,
      errors: ['PERSON_NOT_FOUND', 'PERSON_DISABLED'],
      handle: (call) =>
        db.transaction(async (tx) => {
          const { id, tenantId } = named(call)
          const row = await lockPerson(tx, tenantId, id)
          if (!row) throw personNotFound()
          if (row.disabled_at) {
            throw new AppError(
              'PERSON_DISABLED',
              409,
              'This person is shut out. Let them in first.',
            )
          }
          const link = await makeLink(tx, row, { actor: call.actor, clock, random })
          return showLink(link, publicUrl ?? call.origin)
        }),
    }),
    route({
      operationId: `${prefix}people.signOut`,
      method: 'POST',
      path: `${base}/:id/sign-out`,
      summary: 'Sign a person out everywhere',
      access,
      params: ofPerson,
      answer: signedOut,
      errors: ['PERSON_NOT_FOUND'],
      handle: (call) =>
        db.transaction(async (tx) => ({
          sessions: await signOutEverywhere(tx, named(call), { actor: call.actor, clock }),
        })),
    }),
  ]
}

async function list(
  db: Db,
  tenantId: string | null,
  { after, limit, q }: { after?: string | undefined; limit: number; q?: string | undefined },
) {
  const rows = await selectPeople(db, tenantId, decodeCursor(after), limit + 1, q)
  return pageOf(rows, limit, (row) => ({ at: row.created_at, id: row.id }), showListed)
}

function invite(
  { db, clock, random, publicUrl }: PeopleRoutesOptions,
  { actor, origin }: Pick<Call<unknown, unknown, unknown>, 'actor' | 'origin'>,
  given: NewPerson,
) {
  return db.transaction(async (tx) => {
    const row = await createPerson(tx, given, { actor, clock, random })
    const link = await makeLink(tx, row, { actor, clock, random })
    return { person: showPerson(row), link: showLink(link, publicUrl ?? origin) }
  })
}
