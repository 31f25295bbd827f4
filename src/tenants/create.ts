import { recordAct } from '../audit/record.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { insertTenant, type TenantRow } from './queries.ts'

export interface NewTenant {
  name: string
  slug?: string | undefined
  max_concurrency?: number | null | undefined
  max_queued?: number | null | undefined
  retry_policy?: 'standard' | 'patient' | null | undefined
}

export async function createTenant(
  db: Db,
  input: NewTenant,
  by: { actor: string; clock: Clock; random: Random },
): Promise<TenantRow> {
  const id = by.random.uuid()
  const createdAt = by.clock.now()
  return db.transaction(async (tx) => {
    const row = await insertTenant(tx, {
      id,
      name: input.name,
      slug: input.slug ?? slugFor(input.name, id),
      status: 'active',
      max_concurrency: input.max_concurrency ?? null,
      max_queued: input.max_queued ?? null,
      retry_policy: input.retry_policy ?? null,
      stop_words: null,
      created_at: createdAt,
    })
    if (!row) {
      throw new AppError('SLUG_TAKEN', 409, 'slug: another tenant has it', {
        details: { fields: [{ field: 'slug', problem: 'another tenant has it' }] },
      })
    }
    await recordAct(tx, {
      tenantId: id,
      at: createdAt,
      actor: by.actor,
      action: 'tenant.created',
      subject: id,
      details: { name: row.name, slug: row.slug },
    })
    return row
  })
}

/** Readable, and with the end of the id, so that two tenants of one name do not collide. */
function slugFor(name: string, id: string): string {
  const readable = name
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-+|-+$/g, '')
  return `${readable || 'tenant'}-${id.slice(-6)}`
}
