// Numbered SQL files, forward only: each in its own transaction, hashed, under one lock for all processes.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageRoot } from '../package-root.ts'
import { connect, DatabaseUnavailable, type Session, sql } from './connect.ts'
import { ensureRoles } from './roles.ts'

/** Any number that nothing else in this database locks. */
const migrationLock = 7_215_301

export interface Migration {
  name: string
  text: string
  sha256: string
}

interface Applied {
  name: string
  sha256: string
  breaking: boolean
}

/** Brings the schema up to date and returns the names of what was applied. Safe to call from many processes at once. */
export async function migrate(
  databaseUrl: string,
  folder?: string,
  onStep: (done: number, total: number, next: string) => void = () => undefined,
): Promise<string[]> {
  const migrations = await readMigrations(folder ?? join(packageRoot, 'migrations'))
  // Long enough for an index over millions of rows; a second process waits for the first one's lock meanwhile.
  const db = connect({
    url: databaseUrl,
    name: 'migrate',
    poolSize: 1,
    queryTimeoutMs: 3_600_000,
    connectTimeoutMs: 10_000,
  })
  try {
    return await db.session(async (session) => {
      await takeLock(session)
      // Closing the connection gives the lock back, also when the connection is broken.
      return await applyMissing(session, migrations, onStep)
    })
  } finally {
    await db.close()
  }
}

/** Asks again and again: a statement that waits for a lock holds a snapshot meanwhile, and `create index concurrently`
 *  in the process that has the lock would wait for that snapshot, each for the other. */
async function takeLock(session: Session): Promise<void> {
  for (;;) {
    const [row] = await session.query(
      sql<{ taken: boolean }>`select pg_try_advisory_lock(${migrationLock}) as taken`,
    )
    if (row?.taken) return
    await session.query(sql`select pg_sleep(0.05)`)
  }
}

async function readMigrations(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return { name, text, sha256: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

async function applyMissing(
  session: Session,
  migrations: Migration[],
  onStep: (done: number, total: number, next: string) => void,
): Promise<string[]> {
  await ensureRoles(session)
  await session.script(`
    create table if not exists schema_migrations (
      name text primary key,
      sha256 text not null,
      breaking boolean not null,
      applied_at timestamptz not null default now()
    )`)
  const applied = await session.query(
    sql<Applied>`
      select name, sha256, breaking
      from schema_migrations
      order by name`,
  )
  refuseForeignHistory(applied, migrations)
  const known = new Set(applied.map((row) => row.name))
  const missing = migrations.filter((migration) => !known.has(migration.name))
  for (const [done, migration] of missing.entries()) {
    onStep(done, missing.length, migration.name)
    await apply(session, migration)
  }
  return missing.map((migration) => migration.name)
}

function refuseForeignHistory(applied: Applied[], migrations: Migration[]): void {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const row of applied) {
    const migration = byName.get(row.name)
    if (migration && migration.sha256 !== row.sha256) {
      throw new Error(
        `Migration ${row.name} was changed after it was applied to this database. ` +
          'Restore the file as it was released; changes go into a new migration.',
      )
    }
    if (!migration && row.breaking) {
      throw new Error(
        `This database was migrated by a newer version (${row.name}), which this version cannot work with. Upgrade.`,
      )
    }
  }
}

async function apply(session: Session, migration: Migration): Promise<void> {
  const inTransaction = !migration.text.startsWith('-- no-transaction')
  try {
    if (inTransaction) await session.script('begin')
    for (const part of inTransaction ? [migration.text] : statementsIn(migration.text)) {
      await session.script(part)
    }
    await session.query(
      sql`
        insert into schema_migrations (name, sha256, breaking)
        values (${migration.name}, ${migration.sha256}, ${/^-- breaking/m.test(migration.text)})`,
    )
    // crash point: migrate.applied-before-commit
    if (inTransaction) await session.script('commit')
  } catch (error) {
    // Nothing is known of it, so nothing is said of it: whoever can wait for the database may try again.
    if (error instanceof DatabaseUnavailable) throw error
    if (inTransaction) await session.script('rollback').catch(() => undefined)
    throw new Error(`Migration ${migration.name} failed: ${(error as Error).message}`, {
      cause: error,
    })
  }
}

/** Sent together, statements share a transaction that nobody asked for. Each ends with a semicolon at a line's end. */
function statementsIn(text: string): string[] {
  return text.split(/;[ \t]*$/m).filter((statement) => statement.trim() !== '')
}
