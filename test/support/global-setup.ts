// One Postgres for the whole run, with a migrated template that every test file clones (about 30 ms each), and one build of
// the program, which is started hundreds of times in a run.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { connect, sql } from '../../src/db/connect.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded.ts'
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

/** Unless it is there from `npm ci`, and nothing that it is made of has changed since. */
async function makeConsole(): Promise<void> {
  const page = await stat(join(packageRoot, 'dist', 'console', 'index.html')).catch(() => undefined)
  const sources = await readdir(join(packageRoot, 'console'), { recursive: true })
  const parts = ['package-lock.json', 'console', ...sources.map((name) => join('console', name))]
  const changed = await Promise.all(parts.map((part) => lstat(join(packageRoot, part))))
  if (page && changed.every(({ mtimeMs }) => mtimeMs < page.mtimeMs)) return
  await runInstalled('vite', ['build', 'console', '--logLevel', 'warn'])
}

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
  // Their files are in memory: no other process need read them for us.
  io_method: 'sync',
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

/** Through a socket in the file system a question costs a third less CPU time than through TCP, on both sides, and nobody but
 *  whom Postgres runs as, and root, may use it, so that nobody need hash a password. What needs a port finds one in the address
 *  all the same. */
async function startPostgres(
  folder: string,
): Promise<Pick<EmbeddedPostgres, 'adminUrl' | 'crash'>> {
  const dataDir = await mkdtemp(join(folder, 'estafet-test-'))
  const start = (settings: Record<string, string>) =>
    startEmbeddedPostgres({ dataDir, clock: systemClock, settings: { ...hasty, ...settings } })
  if (!(await canHoldSocket(folder))) return start({})
  const hba_file = join(folder, 'pg_hba.conf')
  await writeFile(hba_file, 'local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  await chmod(hba_file, 0o644)
  const { adminUrl, crash } = await start({
    hba_file,
    unix_socket_directories: folder,
    unix_socket_permissions: '0700',
    // What it shares goes with its files too, when it is killed in the end.
    dynamic_shared_memory_type: 'mmap',
  })
  return { adminUrl: adminUrl.replace('127.0.0.1', encodeURIComponent(folder)), crash }
}

/** The system's limit is about a hundred characters, with the name of the socket. Whom root hands Postgres to must be able to
 *  walk there. */
async function canHoldSocket(folder: string): Promise<boolean> {
  if (process.platform === 'win32' || folder.length > 80) return false
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above)) {
    if (((await stat(above)).mode & 0o001) === 0 && process.getuid?.() === 0) return false
  }
  return true
}

export async function setup(project: TestProject) {
  const temporary = await makeTemporaryFolder()
  const starting = startPostgres(temporary)
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
  templateUrl.pathname = `/${templateDatabase}`
  await migrate(templateUrl.href)
  await admin.query(
    sql`update pg_database set datallowconn = false where datname = ${templateDatabase}`,
  )
  await admin.close()
}
