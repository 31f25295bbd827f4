// One Postgres server for all test files of a run, with a migrated template that a file clones in about 30 ms.
import { chmod, mkdtemp, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { connect, type Db, type Session, sql } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { testPatience } from './database.ts'

export const templateDatabase = 'estafet_template'

/** For servers of which no test pulls the plug; tests that do start their own, with fsync on. */
export const hasty = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  checkpoint_timeout: '1h',
  // Hundreds of databases that live for seconds.
  autovacuum: 'off',
  jit: 'off',
  // The files are in memory: another process need not read them ahead.
  io_method: 'sync',
  max_connections: '300',
}

export interface SharedPostgres extends Pick<EmbeddedPostgres, 'adminUrl' | 'crash'> {
  /** Of its postmaster; a server that a person runs has none here. */
  pid?: number
}

/** A server that a person runs, as its superuser: each file's database is made there, and dropped. */
// biome-ignore lint/style/noProcessEnv: a person names it for one run of the tests.
const ownUrl = process.env.TEST_POSTGRES_URL

/** `folder`: where its files go. */
export async function startSharedPostgres(folder: string): Promise<SharedPostgres> {
  const postgres = ownUrl === undefined ? await startServer(folder) : givenServer(ownUrl)
  try {
    await makeTemplate(postgres.adminUrl)
  } catch (error) {
    await postgres.crash()
    throw error
  }
  return postgres
}

function givenServer(adminUrl: string): SharedPostgres {
  return {
    adminUrl,
    async crash() {
      const admin = connectAsAdmin(adminUrl)
      await admin.session((session) => dropTemplate(session))
      await admin.close()
    },
  }
}

/** A query through a socket in the file system costs a third less CPU time than through TCP, on both sides, and only root and the
 *  account of Postgres may use it, so no password is hashed. A test that needs a port finds one in the address all the same. */
async function startServer(folder: string): Promise<SharedPostgres> {
  const dataDir = await mkdtemp(join(folder, 'estafet-test-'))
  const start = (settings: Record<string, string>) =>
    startEmbeddedPostgres({ dataDir, clock: systemClock, settings: { ...hasty, ...settings } })
  if (!(await canHoldSocket(folder))) return start({})
  const hba_file = join(folder, 'pg_hba.conf')
  await writeFile(hba_file, 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  await chmod(hba_file, 0o644)
  const { adminUrl, crash, pid } = await start({
    hba_file,
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    // Shared memory goes with the files, too, when the server is killed in the end.
    dynamic_shared_memory_type: 'mmap',
  })
  return { adminUrl: adminUrl.replace('127.0.0.1', encodeURIComponent(folder)), crash, pid }
}

/** The system limits a socket's path to about a hundred characters. The account to which root hands Postgres must be able to enter
 *  the folder. */
async function canHoldSocket(folder: string): Promise<boolean> {
  if (process.platform === 'win32' || folder.length > 80) return false
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if (((await stat(above)).mode & 0o001) === 0 && process.getuid?.() === 0) return false
  }
  return true
}

export const connectAsAdmin = (url: string): Db =>
  connect({ url, name: 'test', poolSize: 1, ...testPatience })

/** A run that was killed may have left one on a server of one's own. */
const dropTemplate = (session: Session) =>
  session.script(`drop database if exists ${templateDatabase} with (force)`)

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = connectAsAdmin(adminUrl)
  await admin.session(async (session) => {
    await dropTemplate(session)
    await session.script(`create database ${templateDatabase}`)
  })
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = `/${templateDatabase}`
  await migrate(templateUrl.href)
  // A new session writes Postgres' cache of the catalogue into the database; without it the first session of every clone would.
  const warming = connectAsAdmin(templateUrl.href)
  await warming.query(sql`select 1`)
  await warming.close()
  await admin.query(
    sql`update pg_database set datallowconn = false where datname = ${templateDatabase}`,
  )
  await admin.close()
}
