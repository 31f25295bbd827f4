// One Postgres for the whole run, with a migrated template that every test file clones (about 30 ms each), and one build of
// the program, which is started hundreds of times in a run.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect, sql } from '../../src/db/connect.ts'
import { startEmbeddedPostgres } from '../../src/db/embedded.ts'
import { migrate } from '../../src/db/migrate.ts'
import { packageRoot } from '../../src/package-root.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { bundleProgram, runInstalled } from './bundle-program.ts'
import { testPatience } from './database.ts'
import { bare, gatewaySettings, patienceMs } from './program.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server's `postgres` database, from which test databases are made. */
    adminUrl: string
    /** The program, built from these sources, in one file. */
    program: string
    /** The same as `npm run build` leaves it, file by file. */
    build: string
  }
}

export const templateDatabase = 'estafet_template'

async function makePrograms(): Promise<{ program: string; build: string }> {
  const outDir = join(packageRoot, 'dist', 'tests')
  await rm(outDir, { recursive: true, force: true })
  const project = ['--project', 'tsconfig.build.json', '--outDir', outDir]
  // The types are checked by test/house.test.ts.
  await runInstalled('tsc', [...project, '--noCheck'])
  const build = join(outDir, 'src', 'cli.js')
  return { program: await bundleProgram(build, outDir), build }
}

const makeConsole = () => runInstalled('vite', ['build', 'console', '--logLevel', 'warn'])

/** No test pulls the plug of this server; those that do start their own, with fsync on. */
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
  max_connections: '300',
}

const memory = '/dev/shm'

/** Whether half a gigabyte does not matter there, and programs may be started from there. */
async function hasPlentyOfMemory(): Promise<boolean> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  if (Math.min(bavail * bsize, process.availableMemory()) < 4 * 1024 ** 3) return false
  const folder = await mkdtemp(join(memory, 'estafet-tests-')).catch(() => undefined)
  if (folder === undefined) return false
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  await rm(folder, { recursive: true })
  return status === 0
}

/** Everything temporary of this run is in here, that of browsers and of killed processes too, and goes with it. In memory,
 *  unless another place is named: to make and remove the files of hundreds of databases on a disk costs a quarter of the CPU
 *  time of tests that have one each. */
async function makeTemporaryFolder(): Promise<string> {
  const isFast = tmpdir() === '/tmp' && (await hasPlentyOfMemory())
  const folder = await mkdtemp(join(isFast ? memory : tmpdir(), 'estafet-tests-'))
  // As the one around it: Postgres does not run as root.
  await chmod(folder, 0o1777)
  // biome-ignore lint/style/noProcessEnv: the processes of the tests are to use it, not the gateway's settings.
  process.env.TMPDIR = folder
  return folder
}

export async function setup(project: TestProject) {
  const temporary = await makeTemporaryFolder()
  const dataDir = await mkdtemp(join(tmpdir(), 'estafet-test-'))
  const starting = startEmbeddedPostgres({ dataDir, clock: systemClock, settings: hasty })
  // At once: none needs another, and each leaves a core idle for a part of its time.
  const made = Promise.all([
    makePrograms(),
    starting.then(({ adminUrl }) => makeTemplate(adminUrl)),
    makeConsole(),
  ])
  const stop = async () => {
    // Nobody needs its files any more, so it need not write them.
    await starting.then(
      (postgres) => postgres.crash(),
      () => undefined,
    )
    await rm(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
  try {
    const [{ program, build }] = await made
    await compileBeforehand(program, (await starting).adminUrl)
    project.provide('program', program)
    project.provide('build', build)
    project.provide('adminUrl', (await starting).adminUrl)
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}

const connectAsAdmin = (url: string) => connect({ url, name: 'test', poolSize: 1, ...testPatience })

/** One start to its end leaves behind what V8 compiled for it: start-bundle.cjs. */
async function compileBeforehand(program: string, adminUrl: string): Promise<void> {
  const name = 'estafet_first'
  const admin = connectAsAdmin(adminUrl)
  await admin.session((session) =>
    session.script(`create database ${name} template ${templateDatabase} strategy file_copy`),
  )
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: packageRoot,
    env: { ...bare, ...gatewaySettings, DATABASE_URL: url.href },
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      const wasStarted = printed.includes('"started"')
      printed += text
      if (!wasStarted && printed.includes('"started"')) child.kill('SIGTERM')
    })
  }
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the program ended with ${code}:\n${printed}`)
  await admin.session((session) => session.script(`drop database ${name} with (force)`))
  await admin.close()
}

async function makeTemplate(adminUrl: string): Promise<void> {
  const admin = connectAsAdmin(adminUrl)
  await admin.session((session) => session.script(`create database ${templateDatabase}`))
  const templateUrl = new URL(adminUrl)
  // Thousands of connections: whoever opens one would hash the password four thousand times.
  await admin.session((session) =>
    session.script(
      `set scram_iterations = 1; alter role postgres password '${templateUrl.password}'`,
    ),
  )
  templateUrl.pathname = `/${templateDatabase}`
  await migrate(templateUrl.href)
  await admin.query(
    sql`update pg_database set datallowconn = false where datname = ${templateDatabase}`,
  )
  await admin.close()
}
