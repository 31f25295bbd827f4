import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { resource } from '../../test/support/resources.ts'
import { systemClock } from '../time-and-chance.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded.ts'
import { clusterIn, failure } from './embedded-cluster.ts'
import { accountFor } from './embedded-process.ts'

const { build } = await resource('programs')

const isRoot = process.getuid?.() === 0
const isLinux = process.platform === 'linux'
const linuxHint = isLinux ? '' : ' (no /proc here; Linux enables it)'
const settings = { fsync: 'off' }

let scratch: string
let dataDir: string
const running = new Set<EmbeddedPostgres>()
const children = new Set<ChildProcess>()

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'estafet-embedded-'))
  // An ordinary user's process has its temporary files here too.
  await chmod(scratch, 0o1777)
})

afterEach(async () => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  for (const server of running) await server.stop()
  running.clear()
  const left = processesUnder(scratch)
  // A backend that computes for ever would outlive the run of the tests.
  for (const { pid } of left) process.kill(pid, 'SIGKILL')
  expect(left).toEqual([])
})

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true })
})

let directories = 0
/** `dataDir` does not exist yet. */
function givenNothing(): void {
  directories += 1
  dataDir = join(scratch, `data ${directories}`)
}

/** `dataDir` was used before. Shared by the tests, because making a cluster takes a second. */
async function givenCluster(): Promise<void> {
  dataDir = join(scratch, 'shared data')
  if (!existsSync(dataDir)) await (await start()).stop()
}

async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}) {
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock, settings, ...options })
  running.add(server)
  return server
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  // A server that is killed takes its sessions with it; that is the point of some tests here.
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** What the last start said so far: each one moves the log of the one before out of the way first. */
function logText(): string {
  try {
    return readFileSync(join(dataDir, 'postgres.log'), 'utf8')
  } catch {
    // There is none yet, or a start is moving it at this moment.
    return ''
  }
}

function processesUnder(directory: string): { pid: number; command: string }[] {
  if (!isLinux) return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${directory}/`)
      } catch {
        return false
      }
    })
    .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return 'ended meanwhile'
  }
}

/** Another process of ours that starts the same data directory, prints its server's pid, and stays. */
function spawnOwner(account?: {
  uid: number
  gid: number
}): ChildProcess & { firstLine: Promise<string> } {
  // As it is built: to load it from the sources takes longer than to start it.
  const built = (name: string) => JSON.stringify(pathToFileURL(join(dirname(build), name)).href)
  const program = `
    import { startEmbeddedPostgres } from ${built('db/embedded.js')}
    import { systemClock } from ${built('time-and-chance.js')}
    const options = { dataDir: ${JSON.stringify(dataDir)}, clock: systemClock, settings: ${JSON.stringify(settings)} }
    const server = await startEmbeddedPostgres(options)
    console.log(server.pid)
    process.stdin.resume().on('end', () => server.stop())
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    ...account,
    cwd: join(import.meta.dirname, '..', '..'),
    env: { PATH: '/usr/bin:/bin', TMPDIR: scratch },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  children.add(child)
  let output = ''
  const firstLine = new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk
      if (output.includes('\n')) resolve(output.trim())
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', () => reject(new Error(output)))
  })
  firstLine.catch(() => {})
  return Object.assign(child, { firstLine })
}

function until(condition: () => boolean | Promise<boolean>): Promise<unknown> {
  return vi.waitUntil(condition, { timeout: 50_000, interval: 5 })
}

function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => child.once('exit', () => resolve()))
}

async function killed(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL')
  await ended(child)
}

describe('an embedded Postgres', () => {
  it('keeps its data over a restart, and leaves no process behind', async () => {
    givenNothing()
    const first = await start()
    await query(first.url, 'drop table if exists kept; create table kept as select 7 as answer')
    await first.stop()
    await first.stop()
    expect(processesUnder(dataDir)).toEqual([])

    const second = await start()

    expect(second.adopted).toBe(false)
    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 7 }])
    expect(await query(second.url, 'select current_database() as name')).toEqual([
      { name: 'estafet' },
    ])
    expect(existsSync(join(dataDir, 'postgres.log.previous'))).toBe(true)
  })

  it('lets in nobody without the password, and listens to this machine only', async () => {
    await givenCluster()
    const server = await start()

    for (const password of ['', 'wrong']) {
      const url = Object.assign(new URL(server.url), { password })
      await expect(query(url.href, 'select 1')).rejects.toThrow(/password/)
    }
    const [shown] = await query(
      server.url,
      `select current_setting('listen_addresses') as tcp,
              current_setting('unix_socket_directories') as unix`,
    )
    expect(shown).toEqual({ tcp: '127.0.0.1', unix: '' })
    expect(statSync(join(dataDir, 'postgres-password')).mode & 0o777).toBe(0o600)
  })

  it('is as durable as Postgres is by default', async () => {
    await givenCluster()
    const server = await start({ settings: {} })

    const [shown] = await query(
      server.url,
      `select current_setting('fsync') as fsync,
              current_setting('synchronous_commit') as commit,
              current_setting('full_page_writes') as pages`,
    )

    expect(shown).toEqual({ fsync: 'on', commit: 'on', pages: 'on' })
  })

  it('comes back after its postmaster was killed, once the last backend has gone', async () => {
    await givenCluster()
    const first = await start()
    await query(first.url, 'drop table if exists kept; create table kept as select 7 as answer')
    // Ends by itself if this run is interrupted before it kills the backend.
    const busy = new pg.Client({ connectionString: first.url, statement_timeout: 120_000 })
    busy.on('error', () => {})
    await busy.connect()
    const [row] = (await busy.query('select pg_backend_pid() as pid')).rows
    // Computes without ever waiting, so it does not notice that its postmaster is gone; and writes nothing to the disk meanwhile.
    const endless = busy.query('do $$ begin loop perform 1; end loop; end $$').catch(() => {})
    await until(async () => {
      const active = `select 1 from pg_stat_activity where pid = ${row.pid} and state = 'active'`
      return (await query(first.url, active)).length === 1
    })
    await first.crash()

    const restart = start()
    await until(() => logText().includes('shared memory block'))
    process.kill(row.pid, 'SIGKILL')
    const second = await restart

    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 7 }])
    await endless
    await busy.end()
  })

  it('is adopted after the process that started it was killed', async () => {
    await givenCluster()
    const owner = spawnOwner()
    const pid = Number(await owner.firstLine)
    await killed(owner)

    const server = await start()

    expect(server).toMatchObject({ adopted: true, pid })
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    await server.stop()
    expect(processesUnder(dataDir)).toEqual([])
  })

  it('is replaced, not adopted, when it was started with other settings', async () => {
    await givenCluster()
    const owner = spawnOwner()
    const pid = Number(await owner.firstLine)
    await killed(owner)

    const server = await start({ settings: { ...settings, work_mem: '5MB' } })

    expect(server.adopted).toBe(false)
    expect(server.pid).not.toBe(pid)
    expect(await query(server.url, 'show work_mem')).toEqual([{ work_mem: '5MB' }])
  })

  it('is refused to a second process while its owner lives', async () => {
    await givenCluster()
    const owner = spawnOwner()
    await owner.firstLine

    await expect(start()).rejects.toThrow(
      `${dataDir} is already in use by another process (pid ${owner.pid})`,
    )

    owner.stdin?.end()
    await ended(owner)
    await start()
    await expect(start()).rejects.toThrow(`already in use by this process (pid ${process.pid})`)
  })

  it('goes to exactly one of several successors of a dead owner', async () => {
    await givenCluster()
    const dead = spawnSync(process.execPath, ['--version']).pid
    await writeFile(
      join(dataDir, 'postgres-owner.json'),
      JSON.stringify({ pid: dead, identity: 'x' }),
    )

    const outcomes = await Promise.allSettled([start(), start(), start(), start()])

    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ])
    expect(readdirSync(dataDir).filter((name) => name.startsWith('postgres-owner'))).toEqual([
      'postgres-owner.json',
    ])
  })

  it('makes its cluster anew when the first attempt was killed half-way', async () => {
    givenNothing()
    const owner = spawnOwner()
    const drafts = () =>
      existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name.includes('.new-')) : []
    await until(() => drafts().some((name) => existsSync(join(dataDir, name, 'PG_VERSION'))))
    await killed(owner)
    expect(drafts()).toHaveLength(1)

    const server = await start()

    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(drafts()).toEqual([])
    // The initdb whose parent was killed notices in its own time that its directory is gone.
    await until(() => processesUnder(dataDir).every(({ command }) => !command.includes('initdb')))
  })

  it('gets a new password when the file with the old one was lost', async () => {
    await givenCluster()
    const first = await start()
    await query(first.url, 'drop table if exists kept; create table kept as select 7 as answer')
    await first.stop()
    await rm(join(dataDir, 'postgres-password'))

    const second = await start()

    expect(await query(second.url, 'select answer from kept')).toEqual([{ answer: 7 }])
  })

  it.runIf(isLinux)(
    `is not fooled by a lock file with the id of an unrelated process${linuxHint}`,
    async () => {
      await givenCluster()
      const first = await start()
      await first.stop()
      const text = `${process.pid}\n${dataDir}\n0\n5432\n\n127.0.0.1\n\nready\n`
      await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), text)

      const second = await start()

      expect(second.adopted).toBe(false)
    },
  )

  it('uses the port it is given, or says that it is taken', async () => {
    await givenCluster()
    let port = 0
    let server: EmbeddedPostgres | undefined
    // Another process may take the port as soon as it is free; then the next one is tried.
    for (let tries = 1; server === undefined; tries++) {
      const blocker = createServer()
      await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve))
      port = (blocker.address() as { port: number }).port
      await expect(start({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is not available`)
      await new Promise((resolve) => blocker.close(resolve))
      server = await start({ port }).catch((error) => {
        if (tries === 3) throw error
        return undefined
      })
    }

    expect(new URL(server.url).port).toBe(String(port))
  })

  it('says what Postgres said when it does not start', async () => {
    await givenCluster()

    const refused = start({ settings: { shared_buffers: 'plenty' } })

    await expect(refused).rejects.toThrow(/invalid value for parameter "shared_buffers": "plenty"/)
    await start()
  })

  it('is ended by force when it does not stop', async () => {
    await givenCluster()
    let speed = 1
    const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() * speed }
    const lines: string[] = []
    const log = (line: string) => {
      lines.push(line)
      // What is killed needs its own time to be gone, on a busy machine too.
      if (line.includes('is slow to stop')) speed = 5
    }
    const server = await start({ clock, log })
    process.kill(server.pid, 'SIGSTOP')

    speed = 1000
    await server.stop()

    expect(lines.at(-1)).toContain('is slow to stop')
    await until(() => processesUnder(dataDir).length === 0)
  })

  it('says so when it ends without having been asked to', async () => {
    await givenCluster()
    const lines: string[] = []
    const server = await start({ log: (line) => lines.push(line) })

    process.kill(server.pid, 'SIGKILL')

    await until(() => lines.some((line) => line.includes('ended by itself: SIGKILL')))
    // The processes it leaves behind notice in their own time.
    await until(() => processesUnder(dataDir).length === 0)
  })

  it('names a full disk as the reason', () => {
    const said = 'initdb: error: could not write to file "x": No space left on device'

    const error = failure('initdb failed', clusterIn('/data'), said)

    expect(error.message).toContain('The disk that holds /data is full.')
    expect(error.message).toContain(said)
  })
})

const without = (isThere: boolean, what: string, command: string) =>
  isThere ? '' : ` (no ${what} here; \`${command}\` enables it)`
const rootHint = without(isRoot, 'root', 'sudo npm test')

describe.runIf(isRoot)(`an embedded Postgres started by root${rootHint}`, () => {
  const nobody = accountFor(undefined) as { uid: number; gid: number }
  const repositoryIsPublic = spawnSync('/bin/cat', [import.meta.filename], nobody).status === 0
  const publicHint = without(repositoryIsPublic, 'checkout that others may read', 'chmod o+rx')

  it('runs as nobody, in a directory whose parents only root may enter', async () => {
    const secret = await mkdtemp(join(scratch, 'only-root-'))
    await chmod(secret, 0o700)
    dataDir = join(secret, 'project', '.estafet')
    const first = await start()
    expect(statSync(`/proc/${first.pid}`).uid).toBe(nobody.uid)
    await query(first.url, 'create table kept as select generate_series(1, 100000) as n')
    await first.crash()

    const second = await start()

    expect(await query(second.url, 'select count(*)::int as n from kept')).toEqual([{ n: 100000 }])
    expect(statSync(secret).mode & 0o777).toBe(0o700)
    expect(statSync(dataDir).uid).toBe(0)
  })

  it.runIf(repositoryIsPublic)(
    `is also there for an ordinary user, and root runs it as that user${publicHint}`,
    async () => {
      const home = await mkdtemp(join(scratch, 'home-'))
      await chown(home, nobody.uid, nobody.gid)
      dataDir = join(home, 'data')
      const ordinary = spawnOwner(nobody)
      const pid = Number(await ordinary.firstLine)
      expect(statSync(`/proc/${pid}`).uid).toBe(nobody.uid)
      ordinary.stdin?.end()
      await ended(ordinary)
      expect(processesUnder(dataDir)).toEqual([])

      const server = await start()

      expect(statSync(`/proc/${server.pid}`).uid).toBe(nobody.uid)
      await server.stop()
      expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).toContain(
        'database system is shut down',
      )
    },
  )

  it.runIf(repositoryIsPublic)(
    `is not there for an ordinary user who does not own it${publicHint}`,
    async () => {
      givenNothing()
      await (await start()).stop()
      await chown(join(dataDir, 'postgres'), 12345, 12345)
      await chown(dataDir, nobody.uid, nobody.gid)

      const other = spawnOwner(nobody)

      await expect(other.firstLine).rejects.toThrow(
        /belongs to uid 12345, and this process runs as uid/,
      )
    },
  )
})
