// A 200 to Meta promises that the bytes survive a power cut. That promise is the database's to keep.
import { sql, type Tx } from './connect.ts'

export interface DatabaseProblem {
  problem: string
  fix: string
}

/** What in this database's settings would make an acknowledged webhook not durable, as our sessions see them. */
export async function findUnsafeSettings(db: Tx): Promise<DatabaseProblem[]> {
  const rows = await db.query(
    sql<{ name: string; setting: string }>`
      select name, setting
      from pg_settings
      where name in ('fsync', 'full_page_writes', 'synchronous_commit') and setting = 'off'
      order by name`,
  )
  return rows.map(({ name }) => ({
    problem: `${name} is off: acknowledged webhooks can be lost in a crash`,
    fix: `turn ${name} on for this database and its roles, or set ALLOW_UNSAFE_DB=1 where losing messages does not matter`,
  }))
}

export async function findVersionProblem(db: Tx): Promise<DatabaseProblem[]> {
  const [row] = await db.query(
    sql<{ version: number }>`select current_setting('server_version_num')::int as version`,
  )
  if (row && row.version >= 150_000) return []
  return [{ problem: 'this Postgres is older than 15', fix: 'use Postgres 15 or newer' }]
}
