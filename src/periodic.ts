// Everything that is done now and again, as one list: workers run it in loops, POST /internal/sweep runs one round of it. What
// is not in this list is done by nobody where there are no loops.
import { type TokenWatchOptions, tokenWatchJob } from './accounts/watch-tokens.ts'
import type { PeriodicJob } from './again-and-again.ts'
import { alertJob } from './alerts/evaluate.ts'
import type { Queue } from './dispatch/queue.ts'
import { inboxWatchJob } from './inbox/watch.ts'
import { mediaSweepJob } from './media/sweep.ts'
import { samplingJob } from './ops/backlog.ts'
import { historyJob } from './ops/history.ts'
import { type LatencySharing, latencyJob, tenantLatencyJob } from './ops/latency.ts'
import { retentionJob } from './ops/retention.ts'
import type { Runtime } from './runtime.ts'
import { resealJob } from './secrets/reseal.ts'
import { templateSyncJob } from './templates/keep-synced.ts'
import { longestBreakOf, type Workers } from './workers.ts'

/** Which processes run it as a loop. What runs in `every` one is about that process alone, and loops in every mode. */
type Loops = 'worker' | 'api' | 'every' | 'nobody'

export interface ListedJob extends PeriodicJob {
  loops: Loops
}

export interface PeriodicParts {
  workers: Workers
  latencies: LatencySharing
  /** Undefined where there is no app at Meta to ask as. */
  tokens: TokenWatchOptions | undefined
}

export function periodicJobs(
  runtime: Runtime,
  { workers, latencies, tokens }: PeriodicParts,
): ListedJob[] {
  const { config, clock, log, db, dispatch } = runtime
  const work = { ...runtime, db: db.work }
  return [
    ...queueJobs(runtime, workers),
    {
      loops: 'api',
      ...inboxWatchJob({ db: db.api, clock, longestBreak: longestBreakOf(dispatch) }),
    },
    { loops: 'every', ...latencyJob(latencies) },
    { loops: 'every', ...tenantLatencyJob(latencies) },
    { loops: 'worker', ...alertJob(workers.alerting) },
    { loops: 'worker', ...retentionJob({ db: db.work, clock, log, config }) },
    { loops: 'worker', ...samplingJob({ db: db.work, clock }) },
    { loops: 'worker', ...historyJob({ db: db.work, clock }) },
    { loops: 'worker', ...mediaSweepJob({ ...work, retentionDays: config.mediaRetentionDays }) },
    { loops: 'worker', ...templateSyncJob(work) },
    { loops: 'worker', ...resealJob(work) },
    ...(tokens ? [{ loops: 'worker' as const, ...tokenWatchJob({ ...tokens, db: db.work }) }] : []),
  ]
}

/** What workers do without being told: they poll, and mind their leases at every heartbeat. */
function queueJobs({ dispatch }: Runtime, workers: Workers): ListedJob[] {
  const { inbox, outbox, media, router, deliveries, alerting } = workers
  const job = (name: string, run: PeriodicJob['run']): ListedJob => ({
    name,
    loops: 'nobody',
    everyMs: 60_000,
    failed: 'sweep_failed',
    run,
  })
  return [
    job('leases', async () => {
      await outbox.tidy()
      await deliveries.tidy()
    }),
    // Where each row is called for, nobody else takes it up: then this finds those whose call was lost.
    ...(dispatch.isPushed
      ? [
          job('lost-inbound-tasks', () => dispatch.wake('inbox')),
          job('lost-outbound-tasks', () => dispatch.wake('outbox')),
        ]
      : [
          job('inbox', (signal) => drainUntil(inbox, signal)),
          job('outbox', (signal) => drainUntil(outbox, signal)),
        ]),
    job('media', (signal) => drainUntil(media, signal)),
    job('events', async (signal) => {
      const routed = await drainUntil(router, signal)
      return routed + (await drainUntil(deliveries, signal))
    }),
    job('deliveries', (signal) => drainUntil(deliveries, signal)),
    job('alerts', (signal) => drainUntil(alerting.queue, signal)),
  ]
}

/** Until nothing is due, or the time is up: what is under way then goes on, and ends or is taken back. */
async function drainUntil(queue: Queue, signal: AbortSignal): Promise<number> {
  let total = 0
  for (let wasIdle = false; !signal.aborted; ) {
    const taken = await queue.runDue()
    total += taken
    if (taken === 0 && wasIdle) break
    // What ends may make the next due: so it is looked once more.
    wasIdle = taken === 0
    if (wasIdle) await queue.idle?.()
  }
  return total
}
