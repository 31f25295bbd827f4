// People are invited, changed and shut out; whoever loses something is signed out everywhere in the same commit.
import type { PersonRole } from '../api/contract-people.ts'
import { recordAct } from '../audit/record.ts'
import type { Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { PersonRow } from './model.ts'
import {
  deleteLink,
  endSessions,
  insertPerson,
  lockPerson,
  updatePassword,
  updatePerson,
} from './queries.ts'

export interface By {
  actor: string
  clock: Clock
  random: Random
}

export interface NewPerson {
  email: string
  name: string
  role: PersonRole
  tenantId: string | null
}

export async function createPerson(tx: Tx, given: NewPerson, by: By): Promise<PersonRow> {
  if ((given.role === 'operator') !== (given.tenantId === null)) {
    const problem =
      given.role === 'operator' ? 'operators belong to no tenant' : 'needed for this role'
    throw new AppError('INVALID_REQUEST', 400, `tenant_id: ${problem}`, {
      details: { fields: [{ field: 'tenant_id', problem }] },
    })
  }
  const now = by.clock.now()
  const row = await insertPerson(tx, {
    id: by.random.uuid(),
    tenant_id: given.tenantId,
    email: given.email,
    name: given.name,
    role: given.role,
    password_changed_at: null,
    disabled_at: null,
    created_at: now,
  })
  if (!row) {
    const problem = 'somebody signs in with this address already'
    throw new AppError('EMAIL_TAKEN', 409, `email: ${problem}`, {
      details: { fields: [{ field: 'email', problem }] },
    })
  }
  await recordAct(tx, {
    tenantId: row.tenant_id,
    at: now,
    actor: by.actor,
    action: 'person.invited',
    subject: publicId('usr', row.id),
    details: { role: row.role },
  })
  return row
}

/** Where nobody is there to choose one: for people who were made up. */
export async function givePassword(
  tx: Tx,
  { id, tenant_id: tenantId }: PersonRow,
  hash: string,
  { actor, clock }: Omit<By, 'random'>,
): Promise<void> {
  const at = clock.now()
  await updatePassword(tx, id, hash, at)
  await recordAct(tx, {
    tenantId,
    at,
    actor,
    action: 'person.password_set',
    subject: publicId('usr', id),
    details: { by: actor },
  })
}

export interface PersonChange {
  name?: string | undefined
  role?: PersonRole | undefined
  status?: 'active' | 'disabled' | undefined
}

/** `tenantId`: of this tenant's people only. */
export async function changePerson(
  tx: Tx,
  { tenantId, id }: { tenantId: string | null; id: string },
  change: PersonChange,
  { actor, clock }: Omit<By, 'random'>,
): Promise<PersonRow> {
  const before = await lockPerson(tx, tenantId, id)
  if (!before) throw personNotFound()
  const subject = publicId('usr', id)
  const { name = before.name, role = before.role, status } = change
  if (actor === subject && (role !== before.role || status === 'disabled')) {
    throw new AppError('OWN_ACCOUNT', 409, 'Somebody else must change your role or shut you out.')
  }
  if ((role === 'operator') !== (before.role === 'operator')) {
    const problem = 'operators and people of tenants do not become each other; invite them anew'
    throw new AppError('INVALID_REQUEST', 400, `role: ${problem}`, {
      details: { fields: [{ field: 'role', problem }] },
    })
  }
  const now = clock.now()
  const disabledAt =
    status === undefined
      ? before.disabled_at
      : status === 'disabled'
        ? (before.disabled_at ?? now)
        : null
  const after = { ...before, name, role, disabled_at: disabledAt }
  await updatePerson(tx, after, now)
  if (role !== before.role || (disabledAt && !before.disabled_at)) {
    await endSessions(tx, id, now)
  }
  if (disabledAt) await deleteLink(tx, id)
  await recordAct(tx, {
    tenantId: before.tenant_id,
    at: now,
    actor,
    action: 'person.changed',
    subject,
    details: {
      ...(role !== before.role && { role }),
      ...(status !== undefined && { status }),
      ...(name !== before.name && { renamed: true }),
    },
  })
  return after
}

export async function signOutEverywhere(
  tx: Tx,
  { tenantId, id }: { tenantId: string | null; id: string },
  { actor, clock }: Omit<By, 'random'>,
): Promise<number> {
  const person = await lockPerson(tx, tenantId, id)
  if (!person) throw personNotFound()
  const now = clock.now()
  const sessions = await endSessions(tx, id, now)
  await recordAct(tx, {
    tenantId: person.tenant_id,
    at: now,
    actor,
    action: 'person.signed_out_everywhere',
    subject: publicId('usr', id),
    details: { sessions },
  })
  return sessions
}

export function personNotFound(): AppError {
  return notFound('PERSON_NOT_FOUND', 'person')
}
