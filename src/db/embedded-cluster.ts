// The files of the embedded Postgres inside the data directory: where they are, how the cluster is made, and
// what its own files say about the server that runs on it.
import {
  chown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import type { Random } from '../time-and-chance.ts'
import type { Binaries } from './embedded-binaries.ts'
import {
  type Account,
  hasProc,
  type RunningProcess,
  run,
  runningProcess,
} from './embedded-process.ts'

export const databaseName = 'estafet'

const lastLinesShown = 15

export interface Cluster {
  dataDir: string
  /** Postgres' own directory. It appears by a rename once it is complete, so existing means initialized. */
  directory: string
  passwordFile: string
  logFile: string
}

export function clusterIn(dataDir: string): Cluster {
  return {
    dataDir,
    directory: join(dataDir, 'postgres'),
    passwordFile: join(dataDir, 'postgres-password'),
    logFile: join(dataDir, 'postgres.log'),
  }
}

/**
 * How to name `directory` to a Postgres that is started with it as its working directory. An account that was
 * handed the server by root may not be able to walk the path (`/root` has mode 700), but needs no path to what it
 * already stands in, and Postgres never leaves its data directory. So nothing has to be opened up or moved.
 */
export function directoryArgument(directory: string, account: Account): string {
  return account && hasProc ? '/proc/self/cwd' : directory
}

/** Who owns the cluster, or `undefined` when there is none yet. */
export async function clusterOwner(cluster: Cluster): Promise<number | undefined> {
  const found = await stat(cluster.directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const self = process.getuid?.()
  if (found && self !== undefined && self !== 0 && found.uid !== self) {
    throw new Error(
      `${cluster.directory} belongs to uid ${found.uid}, and this process runs as uid ${self}. ` +
        'Run as that user (or root), or choose another DATA_DIR.',
    )
  }
  return found?.uid
}

interface MakeOptions {
  account: Account
  binaries: Binaries
  random: Random
  /** Off leaves the new cluster to the mercy of a power cut: only for one that is thrown away. */
  sync: boolean
}

export async function createCluster(cluster: Cluster, options: MakeOptions): Promise<void> {
  await removeUnfinished(cluster)
  // A name of its own each time: an initdb that outlived the process that started it cannot write into this one.
  const draft = `${cluster.directory}.new-${options.random.uuid()}`
  try {
    await mkdir(draft, { mode: 0o700 })
    if (options.account) await chown(draft, options.account.uid, options.account.gid)
    await initialize(cluster, draft, options)
    await setUp(cluster, draft, options, `create database ${databaseName}\n`)
    await rename(draft, cluster.directory)
    await syncDirectory(cluster.dataDir)
  } catch (error) {
    await rm(draft, { recursive: true, force: true, maxRetries: 5 })
    throw error
  }
}

async function initialize(cluster: Cluster, draft: string, options: MakeOptions): Promise<void> {
  const { account, binaries } = options
  const initdb = await run(
    binaries.initdb,
    [
      ...['-D', directoryArgument(draft, account), '--username=postgres', '--encoding=UTF8'],
      // Sorts and folds the same on every machine, whatever its C library thinks of Unicode.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      // Replaced below: `initdb` wants the password in a file the other account can read, and we want none.
      ...['--auth=reject', options.sync ? '--sync-method=fsync' : '--no-sync'],
    ],
    { account, cwd: draft },
  )
  if (initdb.code !== 0) throw failure('initdb failed', cluster, initdb.output)
  await writeFile(join(draft, 'pg_hba.conf'), 'host all all 127.0.0.1/32 scram-sha-256\n', {
    flush: true,
  })
}

/** Gives the superuser a new password. The server must be down. */
export async function resetPassword(
  cluster: Cluster,
  options: Omit<MakeOptions, 'sync'>,
): Promise<void> {
  await setUp(cluster, cluster.directory, options, '')
}

/** Single-user mode needs neither a port nor a password, and runs before anybody else can connect. */
async function setUp(
  cluster: Cluster,
  directory: string,
  options: Omit<MakeOptions, 'sync'>,
  statements: string,
): Promise<void> {
  const { account, binaries, random } = options
  const password = random.bytes(24).toString('base64url')
  const result = await run(
    binaries.postgres,
    [
      ...['--single', '-D', directoryArgument(directory, account)],
      ...['-c', 'exit_on_error=on', '-c', 'log_statement=none', 'postgres'],
    ],
    {
      account,
      cwd: directory,
      input: `${statements}alter role postgres password '${password}'\n`,
    },
  )
  if (result.code !== 0) throw failure('setting up the database failed', cluster, result.output)
  const draft = `${cluster.passwordFile}.new`
  await rm(draft, { force: true })
  await writeFile(draft, password, { mode: 0o600, flag: 'wx', flush: true })
  await rename(draft, cluster.passwordFile)
}

export async function readPassword(cluster: Cluster): Promise<string | undefined> {
  try {
    return (await readFile(cluster.passwordFile, 'utf8')).trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function removeUnfinished(cluster: Cluster): Promise<void> {
  for (const name of await readdir(cluster.dataDir)) {
    if (!name.startsWith('postgres.new-')) continue
    await rm(join(cluster.dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  }
}

async function syncDirectory(directory: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(directory)
  await handle.sync()
  await handle.close()
}

export interface Postmaster extends RunningProcess {
  port: number
  isReady: boolean
  /** The quoted command line it was started with. */
  commandLine: string
}

/**
 * The server that runs on this cluster, as its own lock file tells. A lock file left by a dead one is removed
 * where that can be proved: Postgres itself only asks whether *some* process has that id, and would refuse to
 * start for as long as a zombie or an unrelated process does. (Backends that outlive their postmaster are still
 * noticed, by their shared memory.)
 */
export async function findPostmaster(cluster: Cluster): Promise<Postmaster | undefined> {
  const lockFile = join(cluster.directory, 'postmaster.pid')
  const text = await readFile(lockFile, 'utf8').catch(() => '')
  // Two lines are enough to know whose it is; before that it is being written this moment.
  const [pidLine, directory, , port, , , , status] = text.split('\n')
  if (!directory) return undefined
  // Negative in single-user mode.
  const server = runningProcess(Math.abs(Number(pidLine)))
  if (!(await runsOn(server, cluster))) {
    if (hasProc) await rm(lockFile, { force: true })
    return undefined
  }
  const optionsFile = join(cluster.directory, 'postmaster.opts')
  const commandLine = await readFile(optionsFile, 'utf8').catch(() => '')
  return { ...server, port: Number(port), isReady: status?.trim() === 'ready', commandLine }
}

async function runsOn({ pid, identity }: RunningProcess, cluster: Cluster): Promise<boolean> {
  if (identity === undefined) return false
  if (!hasProc) return true
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  if (!status.includes('(postgres)')) return false
  try {
    const [there, here] = await Promise.all([stat(`/proc/${pid}/cwd`), stat(cluster.directory)])
    return there.dev === here.dev && there.ino === here.ino
  } catch (error) {
    // Root without CAP_SYS_PTRACE, as in most containers, may not look. Then the name has to do.
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}

/** Keeps the log of the previous run beside the new one, so that it cannot grow for ever. */
export async function rotateLog(cluster: Cluster): Promise<void> {
  await rename(cluster.logFile, `${cluster.logFile}.previous`).catch((error) => {
    if (error.code !== 'ENOENT') throw error
  })
}

/** An error that ends with what Postgres itself said last. */
export function failure(what: string, cluster: Cluster, output: string): Error {
  const lines = output.trim().split('\n').slice(-lastLinesShown).join('\n')
  const hint = /no space left on device|check free disk space/i.test(output)
    ? ` The disk that holds ${cluster.dataDir} is full.`
    : ''
  return new Error(
    `The embedded Postgres in ${cluster.dataDir}: ${what}.${hint} It said:\n${lines}`,
  )
}
