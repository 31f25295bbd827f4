import { createServer } from 'node:net'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createTestDatabase, testPatience } from '../../test/support/database.ts'
import { patienceMs } from '../../test/support/program.ts'
import {
  type ConnectOptions,
  connect,
  DatabaseUnavailable,
  type Db,
  isContention,
  isStatementError,
  listen,
  type Sql,
  sql,
  sqlState,
  type Tx,
} from './connect.ts'

let url: string
/** Looks on, and ends other sessions. */
let outside: Db
const opened: Db[] = []

beforeAll(async () => {
  url = await createTestDatabase(null)
  outside = connect({ url, name: 'outside', poolSize: 2, ...testPatience })
  await outside.session((session) => session.script('create table notes (id int primary key)'))
})

afterAll(() => outside.close())

beforeEach(async () => {
  await outside.query(sql`truncate notes`)
})

afterEach(async () => {
  for (const db of opened.splice(0)) await db.close()
})

function open(options: Partial<ConnectOptions> = {}): Db {
  const db = connect({ url, name: 'test', poolSize: 1, ...testPatience, ...options })
  opened.push(db)
  return db
}

const insertNote = (id: number) => sql`insert into notes (id) values (${id})`

async function notes(): Promise<number[]> {
  const rows = await outside.query(sql<{ id: number }>`select id from notes order by id`)
  return rows.map(({ id }) => id)
}

async function backendOf(tx: Tx): Promise<number> {
  const [row] = await tx.query(sql<{ pid: number }>`select pg_backend_pid() as pid`)
  return (row as { pid: number }).pid
}

/** A privileged port: no other process takes it during the test, as it could take one that was just free. */
const unusedPort = 1

/** Returns once the session is gone. */
async function terminate(pid: number): Promise<void> {
  await outside.query(sql`select pg_terminate_backend(${pid}, 10000)`)
}

/** Returns once a session other than our own waits for a lock. */
function untilSomebodyWaits(): Promise<unknown> {
  return vi.waitUntil(
    async () => {
      const waiting = await outside.query(sql`
        select 1
        from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
      return waiting.length > 0
    },
    { timeout: patienceMs, interval: 5 },
  )
}

describe('the sql tag', () => {
  test('numbers its parameters in order', async () => {
    const statement = sql`select ${'a'} as first, ${2}::int as second, ${null}::text as third`

    expect(statement).toMatchObject({
      text: 'select $1 as first, $2::int as second, $3::text as third',
      values: ['a', 2, null],
    })
    expect(await open().query(statement)).toEqual([{ first: 'a', second: 2, third: null }])
  })

  test('gives the same text the same name wherever it is written, and another text another', () => {
    const find = (id: number) => sql`select ${id}::int as id`

    expect(find(1).name).toBe(find(2).name)
    expect(sql`select ${'x'}::int as id`.name).toBe(find(1).name)
    expect(sql`select ${'x'}::text as id`.name).not.toBe(find(1).name)
    expect(find(1).values).not.toBe(find(1).values)
    // Postgres cuts longer names off.
    expect(find(1).name).toMatch(/^[\w-]{24}$/)
  })

  test('has each connection prepare a statement once', async () => {
    const db = open()
    const find = (id: number) => sql<{ id: number }>`select ${id}::int as id`

    expect([await db.query(find(1)), await db.query(find(2))]).toEqual([[{ id: 1 }], [{ id: 2 }]])

    const prepared = await db.query(sql`
      select name
      from pg_prepared_statements
      where name = ${find(0).name}`)
    expect(prepared).toEqual([{ name: find(0).name }])
  })

  test('sends values, never SQL', async () => {
    const hostile = "'; drop table notes; --"

    expect(await open().query(sql`select ${hostile} as told`)).toEqual([{ told: hostile }])
    expect(await notes()).toEqual([])
  })

  test('refuses a statement as a parameter', () => {
    expect(() => sql`select ${sql`1`}`).toThrow('sql inside sql')
  })
})

describe('a transaction', () => {
  test('commits what its work did, and returns what it returned', async () => {
    const returned = await open().transaction(async (tx) => {
      await tx.query(insertNote(1))
      expect(await notes()).toEqual([])
      return 'done'
    })

    expect(returned).toBe('done')
    expect(await notes()).toEqual([1])
  })

  test('rolls back when its work throws, and the connection goes on', async () => {
    const db = open()
    const pid = await backendOf(db)
    const mistake = new Error('a mistake of ours')

    const failing = db.transaction(async (tx) => {
      await tx.query(insertNote(1))
      throw mistake
    })

    await expect(failing).rejects.toBe(mistake)
    await db.transaction((tx) => tx.query(insertNote(2)))
    expect(await notes()).toEqual([2])
    expect(await backendOf(db)).toBe(pid)
  })

  test('rolls back when a statement is refused, and the connection goes on', async () => {
    const db = open()
    const pid = await backendOf(db)

    const failing = db.transaction(async (tx) => {
      await tx.query(insertNote(1))
      await tx.query(insertNote(1))
    })

    const error = await failing.catch((error) => error)
    expect([sqlState(error), isStatementError(error)]).toEqual(['23505', true])
    expect(await notes()).toEqual([])
    expect(await backendOf(db)).toBe(pid)
  })

  test('is no success when its work swallowed the error of a statement', async () => {
    const db = open()

    const pretending = db.transaction(async (tx) => {
      await tx.query(insertNote(1))
      await tx.query(insertNote(1)).catch(() => undefined)
      return 'done'
    })

    await expect(pretending).rejects.toThrow('bug: rolled back')
    expect(await notes()).toEqual([])
  })

  test('cannot be used after its end', async () => {
    const db = open()
    let kept: Tx | undefined
    await db.tenantTransaction('00000000-0000-7000-8000-000000000001', async (tx) => {
      kept = tx
    })

    await expect(kept?.query(insertNote(1))).rejects.toThrow('bug: a statement after its')
    expect(await notes()).toEqual([])
  })

  test('that a session leaves open does not reach the next user of the connection', async () => {
    const db = open()

    await db.session((session) => session.script('begin; insert into notes values (1)'))

    await db.query(insertNote(2))
    expect(await notes()).toEqual([2])
  })
})

describe('the database is unavailable', () => {
  test('when nobody listens', async () => {
    const db = open({ url: `postgres://somebody@127.0.0.1:${unusedPort}/x` })

    const error = await db.query(sql`select 1`).catch((error) => error)

    expect(error).toBeInstanceOf(DatabaseUnavailable)
    expect(error.cause).toMatchObject({ code: 'ECONNREFUSED' })
    await expect(db.transaction(async () => 1)).rejects.toThrow(DatabaseUnavailable)
  })

  test('when the session ends under a statement', async () => {
    const db = open()
    const pid = await backendOf(db)
    const locker = heldLock()
    await locker.taken

    const waiting = db.transaction((tx) => tx.query(insertNote(1)))
    await Promise.all([expect(waiting).rejects.toThrow(DatabaseUnavailable), terminateWaiting()])
    await locker.release()

    expect(await backendOf(db)).not.toBe(pid)
    expect(await notes()).toEqual([])
  })

  test('when the session ends between two statements of a transaction', async () => {
    const db = open()

    const interrupted = db.transaction(async (tx) => {
      await tx.query(insertNote(1))
      await terminate(await backendOf(tx))
      await tx.query(insertNote(2))
    })

    await expect(interrupted).rejects.toThrow(DatabaseUnavailable)
    await db.query(insertNote(3))
    expect(await notes()).toEqual([3])
  })

  test('when the session ends before the commit', async () => {
    const interrupted = open().transaction(async (tx) => {
      await tx.query(insertNote(1))
      await terminate(await backendOf(tx))
    })

    await expect(interrupted).rejects.toThrow(DatabaseUnavailable)
    expect(await notes()).toEqual([])
  })

  test('when the session ends while our work fails: the failure is what is told', async () => {
    const mistake = new Error('a mistake of ours')
    const interrupted = open().transaction(async (tx) => {
      await terminate(await backendOf(tx))
      throw mistake
    })

    await expect(interrupted).rejects.toBe(mistake)
  })

  test('when a statement takes longer than the limit, and its connection is not used again', async () => {
    const db = open({ queryTimeoutMs: 1_000 })
    // A busy machine may need more than that for anything at all.
    const backend = () =>
      vi.waitFor(() => db.session(backendOf), { timeout: patienceMs, interval: 50 })
    const pid = await backend()

    const interrupted = db.transaction(async (tx) => {
      await tx.query(insertNote(1))
      // Caught or not: what a transaction does after it lost a statement is not committed.
      await tx.query(sql`select pg_sleep(60)`).catch((error) => {
        expect(error).toBeInstanceOf(DatabaseUnavailable)
      })
      await tx.query(insertNote(2))
    })

    await expect(interrupted).rejects.toThrow(DatabaseUnavailable)
    expect(await backend()).not.toBe(pid)
    expect(await notes()).toEqual([])
  })

  test('when an idle connection was cut: the next statement gets a new one', async () => {
    const errors: Error[] = []
    const db = open({ onConnectionError: (error) => errors.push(error) })
    await terminate(await backendOf(db))
    await vi.waitUntil(() => errors.length > 0, { timeout: patienceMs, interval: 5 })

    expect(await db.query(sql`select 1 as one`)).toEqual([{ one: 1 }])
  })

  test('when the server takes its leave in the breath in which it welcomed us', async () => {
    // Both in one read: the error comes before anybody who asked for the connection can listen to it.
    const port = await welcomeAndFarewell()
    const db = open({ url: `postgres://somebody@127.0.0.1:${port}/x` })

    const error = await db.query(sql`select 1`).catch((error) => error)

    expect(error).toBeInstanceOf(DatabaseUnavailable)
  })

  test.each([
    ['53100', 'the disk is full'],
    ['57P03', 'it is starting'],
    ['25006', 'it became a standby'],
    ['25P03', 'it ended an idle transaction'],
  ])('when it says %s: %s', async (code) => {
    const db = open()
    const pid = await backendOf(db)

    await expect(db.query(raise(code))).rejects.toThrow(DatabaseUnavailable)

    expect(await backendOf(db)).not.toBe(pid)
  })

  function raise(code: string): Sql {
    const text = `do $$ begin raise exception using errcode = '${code}'; end $$`
    return sql(Object.assign([text], { raw: [text] }))
  }

  /** Somebody else's insert of note 1, not committed. */
  function heldLock() {
    let release = () => {}
    let tell = () => {}
    const taken = new Promise<void>((resolve) => {
      tell = resolve
    })
    const held = outside.transaction(async (tx) => {
      await tx.query(insertNote(1))
      tell()
      await new Promise<void>((resolve) => {
        release = resolve
      })
      throw new Error('rolled back')
    })
    const over = held.catch(() => undefined)
    return {
      taken,
      release: async () => {
        release()
        await over
      },
    }
  }

  async function terminateWaiting(): Promise<void> {
    await untilSomebodyWaits()
    await outside.query(sql`
      select pg_terminate_backend(pid, 10000)
      from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`)
  }
})

describe('contention', () => {
  test('is what a deadlock is', async () => {
    const db = open({ poolSize: 2 })
    await outside.query(sql`insert into notes select generate_series(1, 2)`)
    const lock = (id: number) => sql`select from notes where id = ${id} for update`
    const first = [deferred(), deferred()] as const

    const lockBoth = async (own: 0 | 1) =>
      db.transaction(async (tx) => {
        await tx.query(lock(own + 1))
        first[own].resolve()
        await first[own === 0 ? 1 : 0].promise
        await tx.query(lock(2 - own))
      })
    const outcomes = await Promise.allSettled([lockBoth(0), lockBoth(1)])

    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(lost.map((error) => [sqlState(error), isContention(error)])).toEqual([['40P01', true]])
  })

  test('is what a lock timeout is', async () => {
    const db = open({ poolSize: 2 })
    await outside.query(insertNote(1))

    const error = await db.transaction(async (tx) => {
      await tx.query(sql`select from notes for update`)
      return db
        .transaction(async (other) => {
          await other.query(sql`set local lock_timeout = '1ms'`)
          await other.query(sql`select from notes for update`)
        })
        .catch((error) => error)
    })

    expect([sqlState(error), isContention(error)]).toEqual(['55P03', true])
  })

  test('is what a statement is that the server stopped', async () => {
    const error = await open()
      .transaction(async (tx) => {
        await tx.query(sql`set local statement_timeout = '1ms'`)
        await tx.query(sql`select pg_sleep(60)`)
      })
      .catch((error) => error)

    expect([sqlState(error), isContention(error)]).toEqual(['57014', true])
  })

  test('is neither a refusal nor an outage', async () => {
    const refusal = await open()
      .query(sql`select 1 / 0`)
      .catch((error) => error)

    expect(isStatementError(refusal)).toBe(true)
    expect(isContention(refusal)).toBe(false)
    expect(isContention(new DatabaseUnavailable(refusal))).toBe(false)
  })
})

describe('a listener', () => {
  test('hears its channels, and says once when it no longer does', async () => {
    const heard: string[] = []
    const lost = vi.fn()
    await listen(url, ['Inbox', 'out"box'], (channel) => heard.push(channel), lost)

    await outside.query(
      sql`select pg_notify('Inbox', ''), pg_notify('other', ''), pg_notify('out"box', '')`,
    )
    await vi.waitUntil(() => heard.length === 2, { timeout: patienceMs, interval: 5 })
    expect(heard).toEqual(['Inbox', 'out"box'])
    expect(lost).not.toHaveBeenCalled()

    const [row] = await outside.query(
      sql<{
        pid: number
      }>`select pid from pg_stat_activity where datname = current_database() and application_name = 'estafet listen'`,
    )
    await terminate(row?.pid as number)
    await vi.waitUntil(() => lost.mock.calls.length > 0, { timeout: patienceMs, interval: 5 })
    expect(lost).toHaveBeenCalledOnce()
  })

  test('says nothing when it is closed', async () => {
    const lost = vi.fn()
    const listener = await listen(url, ['inbox'], () => {}, lost)

    await listener.close()

    expect(lost).not.toHaveBeenCalled()
  })

  test('rejects, and reports no loss, when it never listened', async () => {
    const lost = vi.fn()

    await expect(
      listen(`postgres://x@127.0.0.1:${unusedPort}/x`, ['inbox'], () => {}, lost),
    ).rejects.toThrow()

    expect(lost).not.toHaveBeenCalled()
  })
})

function deferred() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

/** Authentication passed, ready, and the goodbye of a server whose postmaster died: as one packet. */
async function welcomeAndFarewell(): Promise<number> {
  const message = (type: string, content: string) => {
    const bytes = Buffer.from(`${type}....${content}`, 'latin1')
    bytes.writeInt32BE(content.length + 4, 1)
    return bytes
  }
  const fields = 'SFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0'
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () =>
      socket.end(
        Buffer.concat([message('R', '\0\0\0\0'), message('Z', 'I'), message('E', fields)]),
      ),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as { port: number }).port
}
