// graphile-worker and pg-boss in `bench outbox`: the same payloads and a handler that does nothing. Development
// dependencies, so they are loaded when they are there.
import { sql } from '../src/db/connect.ts'
import type { Contender } from './outbox-contender.ts'
import { type JobPayload, jobIdOf, payloadOf } from './outbox-world.ts'
import type { BenchDatabase } from './postgres.ts'

/** Batched fetch and batched completion: one sensible configuration each, not the outcome of a search. */
export const peerSettings = {
  'graphile-worker': { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0 },
  'pg-boss': { batchSize: 100, localConcurrency: 4, burstWhenBatchFull: true, notify: true },
}

export async function openGraphileWorker({ url, db }: BenchDatabase): Promise<Contender> {
  const { Logger, makeWorkerUtils, run } = await import('graphile-worker')
  // Silent, where ours writes its log: nothing to compare there.
  const logger = new Logger(() => () => undefined)
  const utils = await makeWorkerUtils({ connectionString: url, maxPoolSize: 16, logger })
  await utils.migrate()
  const addBulk: Contender['addBulk'] = async (jobs) => {
    for (let at = 0; at < jobs.length; at += 1000) {
      const specs = jobs.slice(at, at + 1000)
      await utils.addJobs(specs.map((job) => ({ identifier: 'send', payload: payloadOf(job) })))
    }
  }
  return {
    name: 'graphile-worker',
    add: async (job) => void (await utils.addJob('send', payloadOf(job))),
    addBulk,
    fill: addBulk,
    clear: () =>
      db.session((session) => session.script('truncate graphile_worker._private_jobs cascade')),
    remaining: async () => {
      const [row] = await db.query(sql<{ count: number }>`
        select count(*)::int as count from graphile_worker._private_jobs`)
      return row?.count ?? 0
    },
    work: async (onStart) => {
      const runner = await run({
        connectionString: url,
        maxPoolSize: 10,
        noHandleSignals: true,
        logger,
        parsedCronItems: [],
        preset: { worker: peerSettings['graphile-worker'] },
        taskList: { send: (payload) => onStart(jobIdOf(payload as JobPayload)) },
      })
      return { stop: () => runner.stop() }
    },
    close: async () => void (await utils.release()),
  }
}

export async function openPgBoss({ url, db }: BenchDatabase): Promise<Contender> {
  const { PgBoss } = await import('pg-boss')
  const { notify, ...work } = peerSettings['pg-boss']
  const boss = new PgBoss({ connectionString: url, max: 16, useListenNotify: true })
  let failure: Error | undefined
  boss.on('error', (error) => {
    failure ??= error
  })
  await boss.start()
  await boss.createQueue('send', { notify })
  const addBulk: Contender['addBulk'] = async (jobs) => {
    for (let at = 0; at < jobs.length; at += 1000) {
      await boss.insert(
        'send',
        jobs.slice(at, at + 1000).map((job) => ({ data: payloadOf(job) })),
      )
    }
  }
  return {
    name: 'pg-boss',
    add: async (job) => void (await boss.send('send', payloadOf(job))),
    addBulk,
    fill: addBulk,
    clear: () => boss.deleteAllJobs('send'),
    remaining: async () => {
      if (failure) throw failure
      const [row] = await db.query(sql<{ count: number }>`
        select count(*)::int as count from pgboss.job where name = 'send' and state < 'completed'`)
      return row?.count ?? 0
    },
    work: async (onStart) => {
      await boss.work<JobPayload>(
        'send',
        { ...work, pollingIntervalSeconds: 0.5 },
        async (jobs) => {
          for (const job of jobs) onStart(jobIdOf(job.data))
        },
      )
      return { stop: () => boss.offWork('send', { wait: true }) }
    },
    close: () => boss.stop({ graceful: false }),
  }
}
