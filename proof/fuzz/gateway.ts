// A gateway in a process of its own, watched while it is fuzzed: what it logs, how long its event loop was busy, how much memory
// it has; and a database that can be put back to where it was.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type Db, sql } from '../../src/db/connect.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { operatorKey, testSecrets } from '../../test/support/gateway.ts'
import { logLine } from '../../test/support/log-lines.ts'
import { until } from '../../test/support/program.ts'

export interface WatchedGateway {
  url: string
  /** What should not have been logged since the last call, and whether it still runs. */
  troubles(): string[]
  /** The longest that its event loop was busy without a break since the last call, in time on the processor. */
  takeStall(): Promise<number>
  memoryMb(): Promise<number>
}

export interface WatchOptions {
  program: string
  environment: Record<string, string>
  /** Of so many log lines one is held against the contract's form; every line about a failure of ours is. */
  checkOneIn: number
}

const patienceMs = 120_000

/** What no input may cause. Of other errors a slow machine is cause enough. */
const failures = /"event":"(?:unhandled_rejection|uncaught_exception|api_request_failed)"/

export async function watchGateway(options: WatchOptions): Promise<WatchedGateway> {
  const child = spawn(process.execPath, [...stallWatch, options.program, 'start'], {
    env: {
      PATH: '/usr/bin:/bin',
      TMPDIR: tmpdir(),
      DATA_DIR: createTestFolder(),
      ...testSecrets,
      HOST: '127.0.0.1',
      PORT: '0',
      ALLOW_UNSAFE_DB: '1',
      // Nobody is to be slowed down here.
      API_RATE_LIMIT_PER_SECOND: '1000000',
      ...options.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const troubles: string[] = []
  let url: string | undefined
  let isOver = false
  let lines = 0
  createInterface({ input: child.stdout as Readable }).on('line', (line) => {
    if (url === undefined) url = startedAt(line)
    const isBad = failures.test(line)
    if (isBad || lines++ % options.checkOneIn === 0) troubles.push(...problemsOf(line, isBad))
  })
  createInterface({ input: child.stderr as Readable }).on('line', (line) => {
    // What it says to whoever started it.
    if (!line.startsWith('Estafet listens')) troubles.push(`stderr: ${line}`)
  })
  const exited = new Promise<void>((resolve) => {
    child.once('close', (code, signal) => {
      isOver = true
      troubles.push(`the gateway ended (${code ?? signal})`)
      resolve()
    })
  })
  afterFile(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await until('the gateway listens', () => url ?? (isOver && troubles.join('\n')), patienceMs)
  if (url === undefined) throw new Error(troubles.join('\n'))
  const base: string = url
  return {
    url: base,
    troubles: () => troubles.splice(0),
    takeStall: () => askStall(child),
    memoryMb: () => memoryOf(base),
  }
}

function startedAt(line: string): string | undefined {
  return line.includes('"event":"started"') ? JSON.parse(line).url : undefined
}

function problemsOf(line: string, isBad: boolean): string[] {
  // Not everything that is said on the way to a start is a line of the log.
  if (!line.startsWith('{')) return []
  const read = logLine.safeParse(JSON.parse(line))
  const form = read.success ? [] : [`a log line that does not fit: ${line}`]
  return isBad ? [...form, `logged: ${line}`] : form
}

/** For whoever is to be asked how long its event loop was busy. */
export const stallWatch = ['--import', new URL('stall-watch.mjs', import.meta.url).href]

/** 0 where it is gone: then that is what is wrong with it. */
export async function askStall(child: ChildProcess): Promise<number> {
  if (!child.connected) return 0
  const over = new AbortController()
  const { signal } = over
  const answer = once(child, 'message', { signal })
  child.send('longest?', () => undefined)
  const gone = once(child, 'disconnect', { signal }).then(() => [{ longestMs: 0 }])
  const [{ longestMs }] = await Promise.race([answer, gone])
  // Asked thousands of times, it would be listened to as often.
  over.abort()
  return longestMs
}

async function memoryOf(url: string): Promise<number> {
  const headers = { authorization: `Bearer ${operatorKey}` }
  const text = await (await fetch(`${url}/metrics`, { headers })).text()
  const [, bytes] = /^process_resident_memory_bytes(?:\{[^}]*\})? (\S+)$/m.exec(text) ?? []
  return Number(bytes) / 2 ** 20
}

/** Keeps a copy of every row that there is now; what it gives puts them all back. */
export async function keepRows(db: Db): Promise<() => Promise<void>> {
  const tables = await db.query(sql<{ name: string; columns: string }>`
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relnamespace = 'public'::regnamespace
      and c.relkind in ('r', 'p') and not c.relispartition and a.attgenerated = ''
    group by c.relname`)
  const copies = tables.map(({ name }) => `create table kept.${name} as table public.${name};`)
  const returns = tables.map(
    ({ name, columns }) =>
      `insert into public.${name} (${columns}) overriding system value select ${columns} from kept.${name};`,
  )
  const restore = `
    begin;
    set local session_replication_role = replica;
    truncate ${tables.map(({ name }) => `public.${name}`).join(', ')};
    ${returns.join('\n')}
    commit;`
  await db.session((session) =>
    session.script(`drop schema if exists kept cascade; create schema kept; ${copies.join('\n')}`),
  )
  return async () => {
    for (let tries = 1; ; tries++) {
      try {
        return await db.session((session) => session.script(restore))
      } catch (error) {
        // The gateway goes on meanwhile: it may hold what is to be emptied, and wait for us in turn.
        if (tries === 10) throw error
        await db.session((session) => session.script('rollback'))
      }
    }
  }
}
