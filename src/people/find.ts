// People, for whoever asks from outside this folder.
import type { Tx } from '../db/connect.ts'
import type { PersonRow } from './model.ts'
import { selectPersonByEmail } from './queries.ts'

export function findPersonByEmail(db: Tx, email: string): Promise<PersonRow | undefined> {
  return selectPersonByEmail(db, email)
}
