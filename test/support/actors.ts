// Transactions that do nothing of their own accord: each statement, and each commit, waits for the schedule's word, so that
// every way in which two of them can overlap is tried.
import { type Db, sql } from '../../src/db/connect.ts'
import { settled } from './manual-clock.ts'

export interface Actor {
  /** Lets it do one more statement; returns when that is done, or waits for a lock. */
  step(): Promise<void>
  isDone(): boolean
  finished: Promise<void>
}

export async function createActor(db: Db, work: (db: Db) => Promise<unknown>): Promise<Actor> {
  let state: 'paused' | 'running' | 'done' = 'running'
  let resume = () => {}
  let pid = 0
  const pause = () =>
    new Promise<void>((resolve) => {
      state = 'paused'
      resume = resolve
    })
  const isBlocked = async () => {
    const [row] = await db.query(
      sql<{ blocked: boolean }>`select cardinality(pg_blocking_pids(${pid})) > 0 as blocked`,
    )
    return row?.blocked === true
  }
  const rest = async () => {
    for (;;) {
      await settled()
      if (state !== 'running' || (await isBlocked())) return
    }
  }
  const paused: Db = {
    ...db,
    query: async (statement) => {
      await pause()
      return db.query(statement)
    },
    transaction: (inside) =>
      db.transaction(async (tx) => {
        const [row] = await tx.query(sql<{ pid: number }>`select pg_backend_pid() as pid`)
        pid = row?.pid ?? 0
        const result = await inside({
          query: async (statement) => {
            await pause()
            return tx.query(statement)
          },
        })
        await pause()
        return result
      }),
  }
  const finished = work(paused)
    .then(() => undefined)
    .finally(() => {
      state = 'done'
    })
  await rest()
  return {
    step: async () => {
      if (state === 'paused') {
        state = 'running'
        resume()
      }
      await rest()
    },
    isDone: () => state === 'done',
    finished,
  }
}

export async function finishAll(actors: Actor[]): Promise<void> {
  while (actors.some((actor) => !actor.isDone())) {
    for (const actor of actors) await actor.step()
  }
  await Promise.all(actors.map((actor) => actor.finished))
}
