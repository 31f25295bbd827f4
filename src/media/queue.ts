// The queue of files to fetch: claims what is due, works on a few at a time, and settles each if it is still ours.
import { requireReauth } from '../accounts/reauth.ts'
import { DatabaseUnavailable } from '../db/connect.ts'
import type { Queue } from '../dispatch/queue.ts'
import { publicId } from '../ids.ts'
import { errorFields, type Log, type LogFields } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { decideFetch, type FetchOutcome } from './decide-fetch.ts'
import { type Fetched, type Fetcher, fetchOne } from './fetch.ts'
import type { FetchEnd, FetchJob } from './model.ts'
import { claimFetches, selectMedia, settleFetch } from './queries.ts'
import { keyOf } from './store.ts'

export interface MediaQueueOptions extends Fetcher {
  clock: Clock
  log: Log
  metrics: Metrics
  /** What the queue takes for now: the database's clock (null), unless a test steers it. */
  queueNow?: () => Date | null
  leaseSeconds?: number
}

export interface MediaQueue extends Queue {
  /** Breaks off what is under way and gives it back. */
  stop(): Promise<void>
}

/** Files in flight in this process. */
const maxInFlight = 8

export function createMediaQueue(options: MediaQueueOptions): MediaQueue {
  // Longer than the longest attempt: a look-up, two minutes of download, and storing it.
  const { leaseSeconds = 240, queueNow = () => null } = options
  const stopping = new AbortController()
  const inFlight = new Set<Promise<void>>()
  /** Room that a claim under way may fill. */
  let reserved = 0
  let ring: () => void = () => undefined

  /** A slow file holds up no other: what is claimed is started, not waited for. */
  async function runDue(): Promise<number> {
    while (inFlight.size >= maxInFlight) await Promise.race(inFlight)
    const room = maxInFlight - inFlight.size - reserved
    if (stopping.signal.aborted || room <= 0) return 0
    reserved += room
    try {
      const jobs = await claimFetches(options.db, { limit: room, leaseSeconds, now: queueNow() })
      for (const job of jobs) start(job)
      return jobs.length
    } finally {
      reserved -= room
    }
  }

  function start(job: FetchJob): void {
    // crash point: media.claimed-before-work
    const task = workOn(options, job, stopping.signal, queueNow).finally(() => {
      inFlight.delete(task)
      ring()
    })
    inFlight.add(task)
  }

  const idle = async () => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  return {
    name: 'media',
    runDue,
    onFreed: (listener) => {
      ring = listener
    },
    idle,
    async stop() {
      stopping.abort()
      await idle()
    },
  }
}

/** Never throws: what cannot be settled comes due again when its lease is over. */
async function workOn(
  options: MediaQueueOptions,
  job: FetchJob,
  signal: AbortSignal,
  queueNow: () => Date | null,
): Promise<void> {
  const startedMs = options.clock.monotonicMs()
  try {
    const { outcome, tokenTrouble } = await attempt(options, job, signal)
    const end = decideFetch(job, outcome, options.random.fraction())
    const now = options.clock.now()
    if (tokenTrouble !== undefined) await tellOfToken(options, job, tokenTrouble, now)
    const isOurs = await settleFetch(options.db, job, end, queueNow(), now)
    // crash point: media.row-after-commit
    if (!isOurs && outcome.kind === 'stored') await removeStray(options, job)
    report(options, job, outcome, end, isOurs, options.clock.monotonicMs() - startedMs)
  } catch (error) {
    const level = error instanceof DatabaseUnavailable ? 'warn' : 'error'
    options.log[level]('media_fetch_broken', { ...fieldsOf(job), ...errorFields(error) })
  }
}

async function attempt(
  options: MediaQueueOptions,
  job: FetchJob,
  signal: AbortSignal,
): Promise<Fetched> {
  try {
    return await fetchOne(options, job, signal)
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw error
    // A token that none of our keys opens, a disk for the spool that is full: ours to mend, and the file waits for it.
    options.log.error('media_fetch_broken', { ...fieldsOf(job), ...errorFields(error) })
    return { outcome: { kind: 'trouble', error: 'FETCH_BROKEN' } }
  }
}

async function tellOfToken(
  { db, log }: MediaQueueOptions,
  job: FetchJob,
  { reason, tokenSetAt }: NonNullable<Fetched['tokenTrouble']>,
  now: Date,
): Promise<void> {
  const { tenantId, phoneNumberId } = job
  const reauth = await db.transaction((tx) =>
    requireReauth(tx, tenantId, phoneNumberId, reason, now, tokenSetAt),
  )
  if (reauth === 'new') log.error('reauth_required', fieldsOf(job))
}

/** Whoever took the file from us settled without it: then these bytes are nobody's. */
async function removeStray({ db, store, log }: MediaQueueOptions, job: FetchJob): Promise<void> {
  const [row] = await selectMedia(db, job.tenantId, [job.id])
  log.warn('media_claim_lost', fieldsOf(job))
  if (row === undefined || ['failed', 'expired', 'deleting'].includes(row.state)) {
    await store.delete(keyOf(job.tenantId, job.id))
  }
}

function fieldsOf(job: FetchJob): LogFields {
  return {
    direction: 'inbound',
    tenant_id: job.tenantId,
    phone_number_id: job.phoneNumberId,
    media_id: publicId('med', job.id),
    message_id: publicId('msg', job.messageId),
    correlation_id: job.correlationId,
    attempts: job.attempt,
    event_type: job.kind,
  }
}

function report(
  { log, metrics, clock }: MediaQueueOptions,
  job: FetchJob,
  outcome: FetchOutcome,
  end: FetchEnd,
  isOurs: boolean,
  durationMs: number,
): void {
  metrics.mediaFetches.inc({ outcome: isOurs ? outcome.kind : 'lost' })
  if (isOurs && end.failures > 0 && end.delaySeconds !== null)
    metrics.retries.inc({ queue: 'media' })
  if (outcome.kind === 'stored' && isOurs) {
    metrics.mediaFetchSeconds.observe(
      Math.max(0, clock.now().getTime() - job.createdAt.getTime()) / 1000,
    )
  }
  const isFine = outcome.kind === 'stored' || outcome.kind === 'released'
  const isLost = end.state !== job.state && end.state !== 'stored'
  log[isFine ? 'info' : isLost ? 'error' : 'warn']('media_fetch', {
    ...fieldsOf(job),
    kind: outcome.kind,
    state: isOurs ? end.state : 'lost',
    error_code: end.error,
    bytes: end.stored?.bytes ?? null,
    delay_ms: end.delaySeconds === null ? null : Math.round(end.delaySeconds * 1000),
    duration_ms: Math.round(durationMs),
  })
}
