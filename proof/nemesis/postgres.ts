// A Postgres of the run's own: real files, durability on, to be killed and started again at will.
import { connect, type Db } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { testPatience } from '../../test/support/database.ts'

export interface ShakyPostgres {
  url: string
  port: number
  /** Looks at the database from outside and past all faults, as its superuser. */
  db: Db
  /** `kill`: SIGKILL of the postmaster; `immediate`: all backends leave at once, nothing is written down. */
  end(how: 'kill' | 'immediate'): Promise<void>
  /** On the same files and the same port as before; at once where it never ended. */
  startAgain(): Promise<void>
}

/** When something was committed is asked afterwards (checks/pace.ts, checks/consent.ts). */
const settings = {
  ...{ max_connections: '250', shared_buffers: '64MB', track_commit_timestamp: 'on' },
}

export async function startShakyPostgres(dataDir: string): Promise<ShakyPostgres> {
  const start = (port?: number) =>
    startEmbeddedPostgres({ dataDir, clock: systemClock, settings, ...(port && { port }) })
  let server: EmbeddedPostgres = await start()
  let isThere = true
  afterFile(() => server.stop())
  const { url, port } = server
  await migrate(url)
  const db = connect({ url, name: 'proof', poolSize: 3, ...testPatience })
  afterFile(() => db.close())
  return {
    url,
    port,
    db,
    async end(how) {
      if (!isThere) return
      isThere = false
      if (how === 'immediate') process.kill(server.pid, 'SIGQUIT')
      await server.crash()
    },
    async startAgain() {
      if (isThere) return
      server = await start(port)
      isThere = true
    },
  }
}
