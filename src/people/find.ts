// People, for whoever asks from outside this folder.
import type { Tx } from '../db/connect.ts'
import type { PersonRow } from './model.ts'
import { selectPeople, selectPersonByEmail } from './queries.ts'

const atMost = 1000

/** Of a tenant, or all. */
export function findPeople(db: Tx, tenantId: string | null): Promise<PersonRow[]> {
  return selectPeople(db, tenantId, null, atMost)
}

export function findPersonByEmail(db: Tx, email: string): Promise<PersonRow | undefined> {
  return selectPersonByEmail(db, email)
}
