// Keys: a tenant's (`est_…`, kept as a digest) and the operators' (from the configuration).
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Credentials } from '../api/credentials.ts'
import type { PersonPrincipal, Principal } from '../api/route.ts'
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { insertApiKey, noteKeyUse, selectKeyOwner } from './queries.ts'

/** Makes a key for a tenant, which must exist. The key itself is returned this once and kept nowhere. */
export async function createApiKey(
  tx: Tx,
  tenantId: string,
  name: string,
  by: { actor: string; clock: Clock; random: Random },
): Promise<{ id: string; name: string; key: string }> {
  const key = `est_${by.random.bytes(32).toString('base64url')}`
  const uuid = by.random.uuid()
  const createdAt = by.clock.now()
  await insertApiKey(tx, {
    id: uuid,
    tenantId,
    name,
    keyHash: digest(key),
    keyStart: key.slice(0, 8),
    createdAt,
  })
  const id = publicId('key', uuid)
  await recordAct(tx, {
    tenantId,
    at: createdAt,
    actor: by.actor,
    action: 'api_key.created',
    subject: id,
    details: { name },
  })
  return { id, name, key }
}

/** Used this recently needs no new note of it: not every call is a write. */
const noteEveryMs = 5 * 60_000

export interface OperatorKey {
  name: string
  key: string
}

/** Who the bearer of an Authorization header is, or of the console's cookie where there is none. One answer for every way
 *  of being nobody. */
export function createAuthenticate(
  db: Db,
  clock: Clock,
  operatorKeys: OperatorKey[],
  findPerson: (
    cookies: string | undefined,
    isIdle: boolean,
  ) => Promise<PersonPrincipal | undefined>,
) {
  const operators = operatorKeys.map(({ name, key }) => ({ name, hash: digest(key) }))
  return async (
    { headers: { authorization, cookie } }: Credentials,
    isIdle = false,
  ): Promise<Principal> => {
    if (authorization === undefined) {
      const person = await findPerson(cookie, isIdle)
      if (!person) throw unauthorized()
      return person
    }
    const key = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1]
    if (key === undefined) throw unauthorized()
    const hash = digest(key)
    // Digests are compared, so lengths are equal; every one is, so that time does not tell which came close.
    const operator = operators.filter((one) => timingSafeEqual(one.hash, hash))[0]
    if (operator) return { kind: 'operator', name: operator.name }
    const owner = key.startsWith('est_') ? await selectKeyOwner(db, hash) : undefined
    if (!owner) throw unauthorized()
    const now = clock.now()
    const notedBefore = new Date(now.getTime() - noteEveryMs)
    if (!owner.lastUsedAt || owner.lastUsedAt < notedBefore) {
      await noteKeyUse(db, owner, now, notedBefore)
    }
    return {
      kind: 'tenant',
      tenantId: owner.tenantId,
      keyId: publicId('key', owner.keyId),
    }
  }
}

function unauthorized(): AppError {
  return new AppError(
    'UNAUTHORIZED',
    401,
    'Send a valid key as "Authorization: Bearer …", or sign in to the console.',
    {
      headers: { 'www-authenticate': 'Bearer' },
    },
  )
}

function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}
