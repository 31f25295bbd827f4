// What `bench outbox` asks of every queue that it compares.
import type { Job } from './outbox-world.ts'

export type ContenderName = 'ours' | 'graphile-worker' | 'pg-boss'

export interface Contender {
  name: ContenderName
  /** What one call accepts, committed when it resolves. */
  add(job: Job): Promise<void>
  /** A thousand at a time, as its users would. */
  addBulk(jobs: Job[]): Promise<void>
  /** A thousand at a time, as fast as it can be done; wakes the worker. */
  fill(jobs: Job[]): Promise<void>
  /** Empties the queue, and what was kept of it. */
  clear(): Promise<void>
  /** How many are not done yet. */
  remaining(): Promise<number>
  /** Works until stopped; `onStart` is told of each job as it reaches the sender. */
  work(onStart: (jobId: number) => void): Promise<Working>
  close(): Promise<void>
}

export interface Working {
  /** Resolves when all that was started is settled. */
  stop(): Promise<void>
}

/** Plans and pages as they are after a while of running, and no checkpoint due. */
export async function settleDown(db: {
  session<T>(work: (session: { script(text: string): Promise<void> }) => Promise<T>): Promise<T>
}): Promise<void> {
  await db.session(async (session) => {
    await session.script('vacuum analyze')
    await session.script('checkpoint')
  })
}
