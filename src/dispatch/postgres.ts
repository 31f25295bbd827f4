// Drives the queues of this process: NOTIFY wakes within milliseconds, a poll is the floor under it. Nothing is lost
// when every NOTIFY is: the rows are there, and the next poll finds them.
import { DatabaseUnavailable, type Db, type Listener, listen, sql } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import { type Clock, type Random, sleep } from '../time-and-chance.ts'
import type { Dispatch, Queue } from './queue.ts'

type Channel = Parameters<Dispatch['wake']>[0]

const channelOf = (queue: Channel) => `estafet_${queue}`

/** Waking: the first ring at once, those of the next 5 ms as one more; on a connection of its own, never inside the
 *  transaction that adds rows. */
export function createPostgresDispatch(db: Db, clock: Clock): Dispatch {
  /** The queues that were told just now, and whether they rang again since. */
  const resting = new Map<Channel, boolean>()
  function wake(queue: Channel): void {
    if (resting.has(queue)) return void resting.set(queue, true)
    resting.set(queue, false)
    // A lost wake only delays: the poll comes by.
    db.query(sql`select pg_notify(${channelOf(queue)}, '')`).catch(() => undefined)
    clock.after(5, () => {
      const rangAgain = resting.get(queue)
      resting.delete(queue)
      if (rangAgain) wake(queue)
    })
  }
  return {
    isPushed: false,
    wake: async (queue) => {
      wake(queue)
      return 0
    },
    close: async () => undefined,
  }
}

export interface PollOptions {
  queues: Queue[]
  databaseUrl: string
  clock: Clock
  random: Random
  log: Log
  /** How many batches of one queue run at the same time in this process. */
  concurrency: number
}

export interface Polling {
  /** Stops claiming and waits for what is under way. */
  stop(): Promise<void>
}

export function startPolling(options: PollOptions): Polling {
  const { clock, random, log } = options
  const stopping = new AbortController()
  const bells = new Map<string, () => void>()

  async function loop(queue: Queue, wait: () => Promise<void>): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      try {
        const taken = await queue.runDue()
        failures = 0
        if (taken > 0) continue
      } catch (error) {
        const level = error instanceof DatabaseUnavailable ? 'warn' : 'error'
        failures++
        if (isWorthALine(failures)) {
          log[level]('queue_run_failed', {
            queue: queue.name,
            count: failures,
            ...errorFields(error),
          })
        }
      }
      await wait()
    }
  }

  /** Waits for the bell or the poll. A bell that rang while the queue was being looked at ends the next wait at once. */
  function createWait(queue: Queue) {
    let bell = new AbortController()
    // Once is enough, and each abort costs a stack trace.
    const ring = () => {
      if (!bell.signal.aborted) bell.abort()
    }
    bells.set(channelOf(queue.name), ring)
    queue.onFreed?.(ring)
    return async () => {
      // Stopping rings too. (AbortSignal.any of a lasting signal leaks on Node 20: some 30 MB a day at this pace.)
      if (!stopping.signal.aborted) {
        await sleep(clock, 250 + 250 * random.fraction(), bell.signal)
      }
      if (bell.signal.aborted) bell = new AbortController()
    }
  }

  async function keepListening(): Promise<void> {
    let failures = 0
    while (!stopping.signal.aborted) {
      let listener: Listener | undefined
      const lost = new AbortController()
      try {
        listener = await listen(
          options.databaseUrl,
          [...bells.keys()],
          (channel) => bells.get(channel)?.(),
          () => lost.abort(),
        )
        failures = 0
        await aborted(AbortSignal.any([stopping.signal, lost.signal]))
      } catch (error) {
        failures++
        if (isWorthALine(failures))
          log.warn('listen_failed', { count: failures, ...errorFields(error) })
      }
      await listener?.close()
      await sleep(clock, 1_000, stopping.signal)
    }
  }

  const running = options.queues.flatMap((queue) => {
    const wait = createWait(queue)
    return Array.from({ length: options.concurrency }, () => loop(queue, wait))
  })
  running.push(keepListening())

  return {
    async stop() {
      stopping.abort()
      for (const ring of bells.values()) ring()
      await Promise.all(running)
    },
  }
}

/** The 1st, 2nd, 4th, 8th … failure in a row: an outage is told, and does not fill the disk. */
function isWorthALine(failures: number): boolean {
  return Number.isInteger(Math.log2(failures))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
