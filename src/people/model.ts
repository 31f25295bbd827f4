// Who signs in to the console, and what they may.
import type { PersonRole } from '../api/contract-people.ts'

export interface PersonRow {
  id: string
  tenant_id: string | null
  email: string
  name: string
  role: PersonRole
  password_changed_at: Date | null
  disabled_at: Date | null
  created_at: Date
}

export interface ListedPersonRow extends PersonRow {
  /** Null: no session of theirs is kept any more. */
  last_seen_at: Date | null
}

/** A session as it is asked about with every call. */
export interface SessionRow {
  id: string
  person_id: string
  role: PersonRole
  tenant_id: string | null
  created_at: Date
  last_seen_at: Date
}
