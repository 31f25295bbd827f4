// A Postgres of the bench's own: real files in a temporary directory, fsync on, removed at the end.
import { connect, type Db, sql } from '../src/db/connect.ts'
import { startEmbeddedPostgres } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { systemClock } from '../src/time-and-chance.ts'
import { createFolder, noteServer, removeFolder } from './folders.ts'
import { pause } from './measure.ts'

/** What a small production server has; all else is as Postgres comes, durability above all. */
export const postgresSettings = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  max_connections: '300',
  random_page_cost: '1.1',
}

export interface BenchPostgres {
  pid: number
  version: string
  /** A migrated database of its own. */
  createDatabase(name: string): Promise<BenchDatabase>
  stop(): Promise<void>
}

export interface BenchDatabase {
  name: string
  url: string
  db: Db
}

const template = 'migrated'

/** Other settings are for tests, which measure nothing. */
export async function startBenchPostgres(
  settings: Record<string, string> = postgresSettings,
): Promise<BenchPostgres> {
  const dataDir = await createFolder('bench')
  const server = await startEmbeddedPostgres({
    dataDir,
    clock: systemClock,
    settings,
  }).catch(async (error) => {
    await removeFolder(dataDir)
    throw error
  })
  const forgetServer = noteServer(server.pid)
  const open = (url: string) =>
    connect({
      ...{ url, name: 'bench', poolSize: 2 },
      // A machine that stands still for seconds costs a figure, not the whole bench.
      ...{ queryTimeoutMs: 1_800_000, connectTimeoutMs: 60_000 },
    })
  const admin = open(server.adminUrl)
  const opened: Db[] = []
  const [row] = await admin.query(sql<{ version: string }>`
    select split_part(current_setting('server_version'), ' ', 1) as version`)
  const urlOf = (name: string) => Object.assign(new URL(server.adminUrl), { pathname: name }).href
  // Migrated once, then copied.
  await admin.session((session) => session.script(`create database ${template}`))
  await migrate(urlOf(template))
  return {
    pid: server.pid,
    version: row?.version ?? 'unknown',
    async createDatabase(name) {
      await admin.session((session) =>
        session.script(`create database ${name} template ${template}`),
      )
      const url = urlOf(name)
      const db = open(url)
      opened.push(db)
      return { name, url, db }
    },
    async stop() {
      for (const db of opened) await db.close()
      await untilAlone(admin)
      await admin.close()
      await server.stop()
      forgetServer()
      await removeFolder(dataDir)
    },
  }
}

/** Peers give their connections back before these are closed, and one that the server closes would be an error of theirs. */
async function untilAlone(admin: Db): Promise<void> {
  const deadline = performance.now() + 5_000
  while (performance.now() < deadline) {
    const others = await admin.query(sql`
      select from pg_stat_activity
      where backend_type = 'client backend' and application_name <> 'estafet bench'`)
    if (others.length === 0) return
    await pause(10)
  }
}
