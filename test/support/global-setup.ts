// Of the `system` project: makes what the test files share, each thing when the first file asks for it (resources.ts).
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { chmod, mkdtemp, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { packageRoot } from '../../src/package-root.ts'
import { bare, gatewaySettings, patienceMs } from './program.ts'
import type { Resources } from './resources.ts'
import { makeConsole, makePrograms } from './shared-builds.ts'
import { connectAsAdmin, startSharedPostgres, templateDatabase } from './shared-postgres.ts'

export async function setup(project: TestProject) {
  const temporary = await makeTemporaryFolder()
  let postmaster: number | undefined
  const postgres = shared(async () => {
    const started = await startSharedPostgres(temporary)
    postmaster = started.pid
    return started
  })
  // Ctrl-C ends vitest without the teardown below.
  const abandon = () => {
    if (postmaster !== undefined) killIfThere(postmaster)
    rmSync(temporary, { recursive: true, force: true })
  }
  process.once('exit', abandon)
  const programs = shared(async () => {
    // At once: neither needs the other, and each leaves a core idle for a part of its time.
    const [made, { adminUrl }] = await Promise.all([makePrograms(), postgres.get()])
    await compileBeforehand(made.program, adminUrl)
    return made
  })
  const console = shared(makeConsole)
  const makers: { [Name in keyof Resources]: () => Promise<Resources[Name]> } = {
    postgres: async () => ({ adminUrl: (await postgres.get()).adminUrl }),
    programs: programs.get,
    console: console.get,
  }
  // While vitest watches, the sources change between two runs.
  project.onTestsRerun(() => {
    programs.forget()
    console.forget()
  })
  const server = await serve(makers)
  project.provide('resources', server.url)
  return async () => {
    process.off('exit', abandon)
    server.close()
    // No test needs the database's files any more, so Postgres need not write them.
    if (postgres.isAsked()) await postgres.get().then((one) => one.crash(), ignore)
    await rm(temporary, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

const ignore = () => undefined

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended before.
  }
}

interface Shared<T> {
  get(): Promise<T>
  isAsked(): boolean
  /** It is made again when it is next asked for. */
  forget(): void
}

function shared<T>(make: () => Promise<T>): Shared<T> {
  let made: Promise<T> | undefined
  return {
    get: () => {
      made ??= make().catch((error) => {
        made = undefined
        throw error
      })
      return made
    },
    isAsked: () => made !== undefined,
    forget() {
      made = undefined
    },
  }
}

async function serve(makers: Record<string, () => Promise<unknown>>) {
  const server = createServer((request, response) => {
    const make = makers[request.url?.slice(1) ?? '']
    Promise.resolve(make?.()).then(
      (made) => response.writeHead(made ? 200 : 404).end(JSON.stringify(made ?? null)),
      (error: Error) => response.writeHead(500).end(error.stack),
    )
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close().closeAllConnections(),
  }
}

const memory = '/dev/shm'
const prefix = 'estafet-tests-'

/** A run that was killed left its folder; the folder's name says which process it was. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = Number(/^estafet-tests-(\d+)-/.exec(name)?.[1])
    if (!pid || isRunning(pid)) continue
    await rm(join(parent, name), { recursive: true, force: true }).catch(ignore)
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether half a gigabyte does not matter there, and programs may be started from there. */
async function hasPlentyOfMemory(): Promise<boolean> {
  const { bavail, bsize } = await statfs(memory).catch(() => ({ bavail: 0, bsize: 0 }))
  if (Math.min(bavail * bsize, process.availableMemory()) < 4 * 1024 ** 3) return false
  const folder = await mkdtemp(join(memory, `${prefix}${process.pid}-`)).catch(ignore)
  if (folder === undefined) return false
  const program = join(folder, 'program')
  await writeFile(program, '#!/bin/sh\n', { mode: 0o755 })
  const { status } = spawnSync(program)
  await rm(folder, { recursive: true })
  return status === 0
}

/** Everything temporary of this run is in this folder, that of browsers and killed processes too, and goes with it. It is in memory
 *  unless TMPDIR names another place: to make and remove the files of hundreds of databases on a disk costs a quarter of the CPU
 *  time of tests that have one each. */
async function makeTemporaryFolder(): Promise<string> {
  const parents = tmpdir() === '/tmp' ? [memory, '/tmp'] : [tmpdir()]
  for (const parent of parents) await removeAbandoned(parent)
  const isFast = parents.includes(memory) && (await hasPlentyOfMemory())
  const folder = await mkdtemp(join(isFast ? memory : tmpdir(), `${prefix}${process.pid}-`))
  // As the one around it: Postgres does not run as root.
  await chmod(folder, 0o1777)
  // biome-ignore lint/style/noProcessEnv: the processes of the tests are to use it, not the gateway's settings.
  process.env.TMPDIR = folder
  return folder
}

/** V8 leaves behind what it compiled for the first `start` that ends: start-bundle.cjs. */
async function compileBeforehand(program: string, adminUrl: string): Promise<void> {
  const isDone = await stat(join(dirname(program), 'bundle.cache')).catch(() => undefined)
  if (isDone) return
  const name = 'estafet_first'
  const admin = connectAsAdmin(adminUrl)
  await admin.session((session) => session.script(`drop database if exists ${name} with (force)`))
  await admin.session((session) =>
    session.script(`create database ${name} template ${templateDatabase} strategy file_copy`),
  )
  const url = new URL(adminUrl)
  url.pathname = `/${name}`
  const child = spawn(process.execPath, [program, 'start'], {
    cwd: packageRoot,
    env: { ...bare, ...gatewaySettings, TMPDIR: tmpdir(), DATABASE_URL: url.href },
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
  await admin.session((session) => session.script(`drop database ${name} with (force)`))
  await admin.close()
  if (code !== 0) throw new Error(`the program ended with ${code}:\n${printed}`)
}
