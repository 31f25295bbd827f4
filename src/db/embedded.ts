// Starts the Postgres that comes with the npm package, for `estafet dev` and for tests, where nobody set a
// DATABASE_URL. It is a real server on real files: what is committed survives a crash.
//
// - It listens on 127.0.0.1 only, on a port chosen at each start, and asks everybody for a password that only the
//   user of this process can read. It has no Unix socket, unless the settings name
//   a place for one: nothing in /tmp, and no limit on the path's length.
// - It runs in its own process group, so Ctrl-C reaches us first and we stop it in order. If we are killed it lives
//   on, and the next start with the same directory adopts it.
// - A data directory has one owner: a second start is refused for as long as the first process lives.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, open, readFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { resolve } from 'node:path'
import { type Clock, type Random, sleep, stayingAlive, systemRandom } from '../time-and-chance.ts'
import { type Binaries, findBinaries } from './embedded-binaries.ts'
import {
  type Cluster,
  clusterIn,
  clusterOwner,
  createCluster,
  databaseName,
  directoryArgument,
  failure,
  findPostmaster,
  type Postmaster,
  readPassword,
  resetPassword,
  rotateLog,
} from './embedded-cluster.ts'
import { takeOwnership } from './embedded-owner.ts'
import {
  type Account,
  accountFor,
  isStillRunning,
  type RunningProcess,
  runningProcess,
  serverEnvironment,
  signal,
} from './embedded-process.ts'

export interface EmbeddedPostgresOptions {
  /** Made if missing. Everything Postgres needs to come back is in it. */
  dataDir: string
  clock: Clock
  random?: Random
  /** A free one is chosen when absent. */
  port?: number
  /** Server settings, given as `-c name=value`. Durability is on unless these turn it off. */
  settings?: Record<string, string>
  log?: (line: string) => void
  /** Called when the server ends without having been told to. */
  onUnexpectedEnd?: (how: string) => void
}

export interface EmbeddedPostgres {
  /**
   * Connects to the database `estafet` as the superuser. Migrations need one to make roles; row-level security does
   * not bind a superuser, so the gateway does `set role` before it touches a tenant's rows.
   */
  url: string
  /** The same server's `postgres` database, from which others can be created and dropped. */
  adminUrl: string
  dataDir: string
  port: number
  pid: number
  /** True when it was already running, left behind by a process that was killed. */
  adopted: boolean
  /** Ends all sessions, writes everything down, and resolves when the server is gone. May be called twice. */
  stop(): Promise<void>
  /** Kills it without a chance to clean up, as a power cut would. For tests. */
  crash(): Promise<void>
}

// After a crash Postgres replays its write-ahead log before it is ready.
const startTimeoutMs = 120_000
// Left-over backends of a killed postmaster hold its shared memory until they notice; then a start is refused.
// On a busy machine half a minute was too short.
const leftoversTimeoutMs = 120_000
const fastStopMs = 30_000
const immediateStopMs = 10_000
const pollMs = 10

interface Context {
  cluster: Cluster
  account: Account
  binaries: Binaries
  clock: Clock
  random: Random
  port: number | undefined
  settings: Record<string, string>
  log: (line: string) => void
  onUnexpectedEnd: (how: string) => void
}

export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const cluster = clusterIn(resolve(options.dataDir))
  const random = options.random ?? systemRandom(options.clock)
  await mkdir(cluster.dataDir, { recursive: true, mode: 0o700 })
  const release = await takeOwnership(cluster.dataDir, random)
  return stayingAlive(async () => {
    try {
      const account = accountFor(await clusterOwner(cluster))
      const context: Context = {
        cluster,
        account,
        binaries: await findBinaries(account),
        clock: options.clock,
        random,
        port: options.port,
        settings: options.settings ?? {},
        log: options.log ?? (() => {}),
        onUnexpectedEnd: options.onUnexpectedEnd ?? (() => {}),
      }
      const server = (await adopt(context)) ?? (await startNew(context))
      const password = await readPassword(cluster)
      if (!password) throw new Error('bug: a running cluster without a password')
      return handleOn(server, password, context, release)
    } catch (error) {
      await release()
      throw error
    }
  })
}

/** The address of the server that another process of ours runs in this directory, if one does. */
export async function runningEmbeddedUrl(dataDir: string): Promise<string | undefined> {
  const cluster = clusterIn(resolve(dataDir))
  const found = await findPostmaster(cluster)
  const password = await readPassword(cluster)
  return found?.isReady && password ? urlFor(found.port, password, databaseName) : undefined
}

function urlFor(port: number, password: string, database: string): string {
  return `postgres://postgres:${password}@127.0.0.1:${port}/${database}`
}

interface Server extends RunningProcess {
  port: number
  child?: ChildProcess
}

function handleOn(
  server: Server,
  password: string,
  context: Context,
  release: () => Promise<void>,
): EmbeddedPostgres {
  const { pid, port } = server
  let ended: Promise<void> | undefined
  const end = (how: () => Promise<void>) => {
    ended ??= stayingAlive(how).then(release)
    return ended
  }
  server.child?.once('exit', (code, signalName) => {
    if (ended !== undefined) return
    const how = signalName ?? `exit code ${code}`
    context.log(`Postgres (pid ${pid}) ended by itself: ${how}`)
    context.onUnexpectedEnd(how)
  })
  return {
    url: urlFor(port, password, databaseName),
    adminUrl: urlFor(port, password, 'postgres'),
    dataDir: context.cluster.dataDir,
    port,
    pid,
    adopted: server.child === undefined,
    stop: () => end(() => stopServer(server, context)),
    crash: () =>
      end(async () => {
        await endWith('KILL', server, immediateStopMs, context)
      }),
  }
}

/** Takes over the server a killed process of ours left running, if it is what would be started now. */
async function adopt(context: Context): Promise<Server | undefined> {
  const { cluster, clock, log } = context
  const deadline = clock.monotonicMs() + startTimeoutMs
  for (;;) {
    const found = await findPostmaster(cluster)
    if (!found) return undefined
    const fits = isAsWanted(found, context) && (await readPassword(cluster)) !== undefined
    if (fits && found.isReady && (await answers(found.port))) {
      log(`adopted the Postgres that was left running in ${cluster.dataDir} (pid ${found.pid})`)
      return found
    }
    // Being ready it is in our way; not being ready it starts or stops, and will be ready or gone.
    if (found.isReady || clock.monotonicMs() > deadline) {
      log(`stopping the Postgres that was left running in ${cluster.dataDir} (pid ${found.pid})`)
      await stopServer(found, context)
    }
    await sleep(clock, pollMs)
  }
}

/** Same arguments, so same settings: one that was started with fsync off is not what the next one counts on. */
function isAsWanted(found: Postmaster, context: Context): boolean {
  const port = context.port ?? found.port
  const quoted = serverArguments(port, context).map((argument) => ` "${argument}"`)
  return found.commandLine.trimEnd().endsWith(quoted.join(''))
}

function serverArguments(port: number, { cluster, account, settings }: Context): string[] {
  const fixed = { listen_addresses: '127.0.0.1', port: String(port) }
  const all = Object.entries({ unix_socket_directories: '', ...settings, ...fixed })
  return [
    ...['-D', directoryArgument(cluster.directory, account)],
    ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

async function startNew(context: Context): Promise<Server> {
  const { cluster, clock, settings } = context
  if ((await clusterOwner(cluster)) === undefined) {
    await createCluster(cluster, { ...context, sync: settings.fsync !== 'off' })
  } else if ((await readPassword(cluster)) === undefined) {
    await resetPassword(cluster, context)
  }
  await rotateLog(cluster)
  const deadline = clock.monotonicMs() + leftoversTimeoutMs
  for (;;) {
    const port = context.port ?? (await listenBriefly(0))
    if (context.port !== undefined) await refuseTakenPort(context.port)
    const attempt = await tryStart(port, context)
    if (!('said' in attempt)) {
      context.log(`Postgres is ready on 127.0.0.1:${port} (pid ${attempt.pid})`)
      return attempt
    }
    // Our own free port can be taken by somebody else between the choice and the start.
    const mayPass =
      /postmaster\.pid" already exists|shared memory block/.test(attempt.said) ||
      (context.port === undefined && attempt.said.includes('Address already in use'))
    if (!mayPass || clock.monotonicMs() > deadline) {
      throw failure('it did not start', cluster, attempt.said)
    }
    await sleep(clock, pollMs * 10)
  }
}

async function tryStart(port: number, context: Context): Promise<Server | { said: string }> {
  const { cluster, account, binaries, clock } = context
  const logFile = await open(cluster.logFile, 'a', 0o600)
  const { size: logStart } = await logFile.stat()
  const child = spawn(binaries.postgres, serverArguments(port, context), {
    ...account,
    cwd: cluster.directory,
    env: serverEnvironment,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', logFile.fd, logFile.fd],
  })
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', (code, signalName) => {
    ended = `it ended with ${signalName ?? `exit code ${code}`}`
  })
  const deadline = clock.monotonicMs() + startTimeoutMs
  let ready: Postmaster | undefined
  while (!ready && ended === undefined && clock.monotonicMs() < deadline) {
    await sleep(clock, pollMs)
    const found = await findPostmaster(cluster)
    if (found?.isReady && found.pid === child.pid) ready = found
  }
  await logFile.close()
  if (ready && ended === undefined) {
    child.unref()
    return { ...ready, child }
  }
  if (child.pid !== undefined) await stopServer(runningProcess(child.pid), context)
  const said = (await readFile(cluster.logFile)).subarray(logStart).toString()
  return { said: said + (ended ?? `it was not ready after ${startTimeoutMs / 1000} s`) }
}

async function stopServer(server: RunningProcess, context: Context): Promise<void> {
  if (await endWith('INT', server, fastStopMs, context)) return
  context.log(`Postgres (pid ${server.pid}) is slow to stop; ending it at once`)
  if (await endWith('QUIT', server, immediateStopMs, context)) return
  if (await endWith('KILL', server, immediateStopMs, context)) return
  throw new Error(`Postgres (pid ${server.pid}) does not end, not even by SIGKILL`)
}

async function endWith(
  name: 'INT' | 'QUIT' | 'KILL',
  server: RunningProcess,
  withinMs: number,
  { binaries, clock }: Context,
): Promise<boolean> {
  if (!isStillRunning(server)) return true
  signal(server.pid, name, binaries.pgCtl)
  const deadline = clock.monotonicMs() + withinMs
  while (isStillRunning(server)) {
    if (clock.monotonicMs() > deadline) return false
    await sleep(clock, pollMs)
  }
  return true
}

/** Asks for encryption, which any Postgres answers with one letter before it wants to know who is there. */
function answers(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 2000 })
    const finish = (answer: boolean) => {
      socket.destroy()
      done(answer)
    }
    socket.on('connect', () => socket.write(Buffer.from('0000000804d2162f', 'hex')))
    socket.on('data', (data) => finish(data[0] === 0x4e || data[0] === 0x53))
    for (const event of ['error', 'timeout', 'close']) socket.on(event, () => finish(false))
  })
}

async function refuseTakenPort(port: number): Promise<void> {
  try {
    await listenBriefly(port)
  } catch (cause) {
    throw new Error(
      `Port ${port} on 127.0.0.1 is not available for the embedded Postgres ` +
        `(${(cause as NodeJS.ErrnoException).code}). Choose another, or leave it out to have a free one chosen.`,
      { cause },
    )
  }
}

function listenBriefly(port: number): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : port))
    })
  })
}
