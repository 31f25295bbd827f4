// The database a command works on: the one it was told, or the embedded one.
import type { Config } from '../config.ts'
import { DatabaseUnavailable } from '../db/connect.ts'
import { runningEmbeddedUrl, startEmbeddedPostgres } from '../db/embedded.ts'
import { migrate } from '../db/migrate.ts'
import { errorFields, type Log } from '../log.ts'
import { type Clock, sleep, stayingAlive } from '../time-and-chance.ts'

export interface OpenDatabase {
  url: string
  close(): Promise<void>
}

/** Starts the embedded Postgres unless DATABASE_URL names another. */
export async function openDatabase(config: Config, clock: Clock): Promise<OpenDatabase> {
  if (config.databaseUrl !== undefined)
    return { url: config.databaseUrl, close: async () => undefined }
  const postgres = await startEmbeddedPostgres({
    dataDir: config.dataDir,
    clock,
    // Nothing can be stored any more: end loudly, and let whoever started us start us again. What was acknowledged is kept.
    onUnexpectedEnd: (how) => {
      throw new Error(`the embedded Postgres ended by itself (${how}); start again`)
    },
  })
  return { url: postgres.url, close: postgres.stop }
}

/** For commands that run beside a gateway: uses the embedded Postgres that is up, or starts it for as long as needed. */
export async function joinDatabase(config: Config, clock: Clock): Promise<OpenDatabase> {
  const running = config.databaseUrl ?? (await runningEmbeddedUrl(config.dataDir))
  if (running !== undefined) return { url: running, close: async () => undefined }
  return openDatabase(config, clock)
}

/** Gateway and database are often started together, so a database that is not there yet is waited for; whoever is told to
 *  stop meanwhile tries no more, and has no database then. */
export function migrateWhenReachable(
  url: string,
  clock: Clock,
  log: Log,
  stopping: AbortSignal,
): Promise<boolean> {
  return stayingAlive(() => migrateOrWait(url, clock, log, stopping))
}

/** Tries are counted, not time: one that hung on a connection without an answer has not been patient, only unlucky. */
const triesToMigrate = 60

async function migrateOrWait(
  url: string,
  clock: Clock,
  log: Log,
  stopping: AbortSignal,
): Promise<boolean> {
  for (let tries = 1; !stopping.aborted; tries++) {
    try {
      const applied = await migrate(url)
      for (const name of applied) log.info('migrated', { name: name.replace('.sql', '') })
      return true
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) throw error
      if (tries === triesToMigrate && !stopping.aborted) throw error
      log.warn('database_unavailable', { delay_ms: 1_000, ...errorFields(error) })
      await sleep(clock, 1_000, stopping)
    }
  }
  return false
}
