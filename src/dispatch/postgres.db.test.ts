// The loop that drives the queues, on a clock that stands still: whatever happens here was rung for, or polled for.
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { createManualClock, type ManualClock, settled } from '../../test/support/manual-clock.ts'
import { patienceMs } from '../../test/support/program.ts'
import { DatabaseUnavailable, type Db, listen, sql } from '../db/connect.ts'
import { createLog } from '../log.ts'
import { systemRandom } from '../time-and-chance.ts'
import { createPostgresDispatch, type Polling, startPolling } from './postgres.ts'
import type { Queue } from './queue.ts'

let database: { url: string; db: Db }
let clock: ManualClock
let logText: string
let polling: Polling | undefined

beforeAll(async () => {
  database = await createTestDb()
})

beforeEach(() => {
  clock = createManualClock()
  logText = ''
})

afterEach(async () => {
  await polling?.stop()
  polling = undefined
  // A backend stays for a moment when its client has gone; the next test would take it for its own, and ring too early.
  await until(async () => !(await isListening()))
})

/** A queue with nothing in it, until a test puts something there. */
function createFakeQueue(name: Queue['name'] = 'inbox') {
  const queue = {
    name,
    looks: 0,
    due: 0,
    taken: 0,
    /** What a look does besides; may throw or wait. */
    during: async () => {},
    async runDue() {
      queue.looks++
      await queue.during()
      const taken = queue.due
      queue.due = 0
      queue.taken += taken
      return taken
    },
  }
  return queue
}

function start(queues: Queue[], concurrency = 1): void {
  const destination = {
    write: (line: string) => {
      logText += line
    },
  }
  polling = startPolling({
    queues,
    databaseUrl: database.url,
    clock,
    random: systemRandom(clock),
    log: createLog({ level: 'debug', hashKey: Buffer.alloc(32), clock, destination }),
    concurrency,
  })
}

const until = (condition: () => unknown) =>
  vi.waitFor(async () => expect(await condition()).toBeTruthy(), {
    timeout: patienceMs,
    interval: 5,
  })

/** The backends that listen, as process ids. */
async function listeners(): Promise<number[]> {
  const rows = await database.db.query(sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'estafet listen'
      and state = 'idle' and query like 'listen%'`)
  return rows.map((row) => row.pid)
}

const isListening = async () => (await listeners()).length > 0

/** Rings, and lets the 5 ms pass in which rings are gathered. */
function ring(queue: Queue['name']): void {
  void createPostgresDispatch(database.db, clock).wake(queue)
  clock.advance(5)
}

/** A promise that the test settles. */
function createGate() {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, passed }
}

describe('waking', () => {
  test('a ring makes the queue be looked at, without any poll', async () => {
    const queue = createFakeQueue()
    start([queue])
    await until(() => queue.looks === 1)
    await until(isListening)

    queue.due = 3
    ring('inbox')

    await until(() => queue.taken === 3)
  })

  test('a ring is for its queue only', async () => {
    const [inbox, outbox] = [createFakeQueue('inbox'), createFakeQueue('outbox')]
    start([inbox, outbox])
    await until(isListening)
    await until(() => inbox.looks === 1 && outbox.looks === 1)

    ring('outbox')
    await until(() => outbox.looks === 2)

    expect(inbox.looks).toBe(1)
  })

  test('a ring during a look is answered by another look', async () => {
    const [inbox, outbox] = [createFakeQueue('inbox'), createFakeQueue('outbox')]
    const gate = createGate()
    inbox.during = () => gate.passed
    start([inbox, outbox])
    await until(isListening)
    await until(() => outbox.looks === 1)

    ring('inbox')
    ring('outbox')
    // Notifications keep their order: when the second was heard, so was the first.
    await until(() => outbox.looks === 2)
    expect(inbox.looks).toBe(1)
    gate.open()

    await until(() => inbox.looks === 2)
  })

  test('the first ring is told at once, many within 5 ms as one more', async () => {
    const heard: string[] = []
    const witness = await listen(
      database.url,
      ['estafet_inbox', 'estafet_outbox'],
      (channel) => void heard.push(channel),
      () => {},
    )
    polling = { stop: witness.close }
    const dispatch = createPostgresDispatch(database.db, clock)

    for (let time = 0; time < 100; time++) void dispatch.wake('inbox')
    void dispatch.wake('outbox')
    await until(() => heard.length === 2)
    clock.advance(5)
    await until(() => heard.length === 3)
    clock.advance(5)
    clock.advance(5)
    void dispatch.wake('outbox')
    await until(() => heard.length === 4)

    expect(heard.sort()).toEqual([
      'estafet_inbox',
      'estafet_inbox',
      'estafet_outbox',
      'estafet_outbox',
    ])
  })

  test('a ring that cannot be sent is nobody’s error', async () => {
    const gone: Db = {
      ...database.db,
      query: () => Promise.reject(new DatabaseUnavailable(new Error('away'))),
    }
    void createPostgresDispatch(gone, clock).wake('inbox')
    clock.advance(5)
    await settled()
  })
})

describe('polling', () => {
  test('I8: with every ring lost, the next poll finds what is due', async () => {
    const queue = createFakeQueue()
    start([queue])
    await until(() => queue.looks === 1 && clock.timers() > 0)
    queue.due = 2

    clock.advance(500)

    await until(() => queue.taken === 2)
  })

  test('goes on without waiting while there is work', async () => {
    const queue = createFakeQueue()
    let rounds = 5
    queue.during = async () => {
      if (rounds-- > 0) queue.due = 1
    }
    start([queue])

    await until(() => queue.looks === 6)

    expect(queue.taken).toBe(5)
  })

  test('a queue that throws is looked at again, and the log says why', async () => {
    const queue = createFakeQueue()
    const errors = [new Error('a bug of ours'), new DatabaseUnavailable(new Error('away'))]
    queue.during = async () => {
      const error = errors.shift()
      if (error) throw error
    }
    queue.due = 1
    start([queue])

    for (const looks of [1, 2]) {
      await until(() => queue.looks === looks && clock.timers() > 0)
      await settled()
      clock.advance(500)
    }
    await until(() => queue.taken === 1)

    const lines = logText
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter((line) => line.event === 'queue_run_failed')
    expect(lines.map((line) => line.level)).toEqual(['error', 'warn'])
    expect(lines[0]).toMatchObject({ queue: 'inbox', error_message: 'a bug of ours' })
  })

  test('a queue that throws keeps no other queue from its work', async () => {
    const [bad, good] = [createFakeQueue('inbox'), createFakeQueue('outbox')]
    bad.during = () => Promise.reject(new Error('always'))
    good.due = 1
    start([bad, good])

    await until(() => good.taken === 1)
  })

  test('as many batches of a queue run at once as allowed', async () => {
    const queue = createFakeQueue()
    const gate = createGate()
    queue.during = () => gate.passed
    start([queue], 3)

    await until(() => queue.looks === 3)
    await settled()

    expect(queue.looks).toBe(3)
    gate.open()
  })
})

describe('stopping', () => {
  test('waits for the work under way, and takes no more', async () => {
    const queue = createFakeQueue()
    const gate = createGate()
    queue.due = 1
    queue.during = () => gate.passed
    start([queue])
    await until(() => queue.looks === 1)
    let isStopped = false

    const stopped = polling?.stop().then(() => {
      isStopped = true
    })
    await settled()
    expect(isStopped).toBe(false)
    gate.open()
    await stopped

    expect(queue.taken).toBe(1)
    expect(queue.looks).toBe(1)
  })

  test('ends the waits of every loop at once, however long they would have been', async () => {
    const queue = createFakeQueue()
    start([queue], 4)
    await until(() => queue.looks === 4)
    await until(isListening)

    await polling?.stop()

    expect(queue.looks).toBe(4)
    expect(clock.timers()).toBe(0)
    await until(async () => !(await isListening()))
  })

  test('also comes through while the database is away', async () => {
    const queue = createFakeQueue()
    const url = database.url
    database.url = 'postgres://nobody@127.0.0.1:1/none'
    start([queue])
    database.url = url
    await until(() => logText.includes('listen_failed'))

    await polling?.stop()
  })
})

describe('a listening connection that is cut', () => {
  test('is opened again, and rings are heard again', async () => {
    const queue = createFakeQueue()
    start([queue])
    await until(isListening)
    const [before] = await listeners()

    await database.db.query(sql`select pg_terminate_backend(${before})`)
    await until(async () => {
      // The pause before the next try is on the clock.
      clock.advance(1000)
      const [now] = await listeners()
      return now !== undefined && now !== before
    })
    await settled()
    const { looks } = queue
    ring('inbox')

    await until(() => queue.looks > looks)
  })
})
