// One Postgres for the whole run, with a migrated template that every test file clones (about 30 ms each), and one build of
// the program: started from its sources it takes 2 s of CPU time, from the build 0.7 s, a hundred times in a run.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { connect, sql } from '../../src/db/connect.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { packageRoot } from '../../src/package-root.ts'
import { systemClock } from '../../src/time-and-chance.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's `postgres` database, from which test databases are made. */
    adminUrl: string
    /** The program, built from these sources. */
    program: string
  }
}

export const templateDatabase = 'estafet_template'

async function build(): Promise<string> {
  const outDir = join(packageRoot, 'dist', 'tests')
  await rm(outDir, { recursive: true, force: true })
  const compiler = join(packageRoot, 'node_modules', '.bin', 'tsc')
  const project = ['--project', 'tsconfig.build.json', '--outDir', outDir]
  await promisify(execFile)(compiler, project, { cwd: packageRoot })
  return join(outDir, 'src', 'cli.js')
}

export async function setup(project: TestProject) {
  project.provide('program', await build())
  const dataDir = await mkdtemp(join(tmpdir(), 'estafet-test-'))
  // No test pulls the plug of this server; those that do start their own, with fsync on.
  const postgres = await startEmbeddedPostgres({
    dataDir,
    clock: systemClock,
    settings: { fsync: 'off', max_connections: '300' },
  })
  const stop = async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  try {
    await makeTemplate(postgres.adminUrl)
  } catch (error) {
    await stop()
    throw error
  }
  project.provide('adminUrl', postgres.adminUrl)
  return stop
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = connect({
    url: adminUrl,
    name: 'test',
    poolSize: 1,
    queryTimeoutMs: 30_000,
  })
  await admin.session((session) => session.script(`create database ${templateDatabase}`))
  const templateUrl = new URL(adminUrl)
  templateUrl.pathname = `/${templateDatabase}`
  await migrate(templateUrl.href)
  await admin.query(
    sql`update pg_database set datallowconn = false where datname = ${templateDatabase}`,
  )
  await admin.close()
}
