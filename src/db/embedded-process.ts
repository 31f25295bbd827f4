// Processes as the embedded Postgres needs to see them: run one as another account, tell a live one from a
// zombie, and tell a process from a later one that was given the same id.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Postgres refuses to run as root, so root hands it to another account. `undefined`: run as ourselves. */
export type Account = { uid: number; gid: number } | undefined

// Not the caller's environment: PGPORT, PGDATESTYLE, LANG and the like would change what Postgres does.
export const serverEnvironment = { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

const bootIdFile = '/proc/sys/kernel/random/boot_id'
export const hasProc = existsSync(bootIdFile)

const adviceToRoot = 'Run as an ordinary user, or set DATABASE_URL to a Postgres of your own.'

interface RunOptions {
  account: Account
  cwd: string
  input?: string
}

interface RunResult {
  code: number | null
  output: string
}

/** Runs to the end and returns what it printed; `code` is null when it could not run or died of a signal. */
export function run(command: string, args: string[], options: RunOptions): Promise<RunResult> {
  return new Promise<RunResult>((resolve) => {
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
    }
    const child = spawn(command, args, {
      ...options.account,
      cwd: options.cwd,
      env: serverEnvironment,
      windowsHide: true,
    })
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    // A child that dies before reading its input breaks the pipe; its exit code tells the story.
    child.stdin.on('error', () => {})
    child.on('error', (error) => resolve({ code: null, output: output + error.message }))
    child.on('close', (code) => resolve({ code, output }))
    child.stdin.end(options.input ?? '')
  }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EPERM' || !options.account) throw cause
    throw new Error(
      `Postgres does not run as root, and this root may not become uid ${options.account.uid}. ${adviceToRoot}`,
      { cause },
    )
  })
}

/**
 * What distinguishes this process from every other one that ever had its id, or `undefined` when it is gone.
 * A zombie is gone: nobody may ever reap an orphan when the init of a container is not a real one.
 * The empty string means "alive, and this machine cannot say more".
 */
export function processIdentity(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined
  }
  if (hasProc) return linuxIdentity(pid)
  if (process.platform === 'win32') return ''
  const listed = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const line = listed.stdout?.trim() ?? ''
  return line.startsWith('Z') ? undefined : line.replace(/^\S+\s*/, '')
}

function linuxIdentity(pid: number): string | undefined {
  let stat: string
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    // Either it died just now or /proc hides other users' processes (hidepid).
    return existsSync('/proc/1/stat') ? undefined : ''
  }
  // The command name, in parentheses, may itself hold spaces and parentheses; the state is the field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${readFileSync(bootIdFile, 'utf8').trim()}:${fields[19]}`
}

export interface RunningProcess {
  pid: number
  identity: string | undefined
}

export function runningProcess(pid: number): RunningProcess {
  return { pid, identity: processIdentity(pid) }
}

/** False as soon as its id belongs to another process. */
export function isStillRunning({ pid, identity }: RunningProcess): boolean {
  return identity !== undefined && processIdentity(pid) === identity
}

/** Windows has no signals; there pg_ctl passes them on through Postgres' own pipe. */
export function signal(pid: number, name: 'INT' | 'QUIT' | 'KILL', pgCtl: string): void {
  if (process.platform === 'win32' && name !== 'KILL') {
    spawnSync(pgCtl, ['kill', name, String(pid)], { stdio: 'ignore' })
    return
  }
  try {
    process.kill(pid, `SIG${name}`)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** The account root hands Postgres to: the owner of an existing cluster, otherwise `nobody`. */
export function accountFor(clusterOwner: number | undefined): Account {
  if (process.getuid?.() !== 0) return undefined
  for (const line of readFileSync('/etc/passwd', 'utf8').split('\n')) {
    const [name, , uid, gid] = line.split(':')
    const isWanted = clusterOwner ? Number(uid) === clusterOwner : name === 'nobody'
    if (isWanted) return { uid: Number(uid), gid: Number(gid) }
  }
  const who = clusterOwner ? `uid ${clusterOwner}` : 'user `nobody`'
  throw new Error(`Postgres does not run as root, and /etc/passwd has no ${who}. ${adviceToRoot}`)
}
