import type { Tx } from '../db/connect.ts'
import { selectTenant, selectTenantIdBySlug } from './queries.ts'

export async function isTenant(tx: Tx, id: string): Promise<boolean> {
  return (await selectTenant(tx, id)) !== undefined
}

export async function nameOfTenant(tx: Tx, id: string): Promise<string | undefined> {
  return (await selectTenant(tx, id))?.name
}

/** Null: it has none of its own. */
export async function ownStopWords(tx: Tx, id: string): Promise<string[] | null> {
  return (await selectTenant(tx, id))?.stop_words ?? null
}

export async function findTenantBySlug(db: Tx, slug: string): Promise<string | undefined> {
  return selectTenantIdBySlug(db, slug)
}
