// The lease of a process on everything it claimed from one queue: one row, one heartbeat. Lost, it is lost for all that was claimed under it.
import type { Db } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { registerWorker, removeWorker, renewWorker } from './workers.ts'

export interface Lease {
  workerId: string
  /** On this machine's monotonic clock, counted from before the database was asked. */
  isHeld(): boolean
}

export interface LeaseKeeper {
  /** The lease there is, or a new one. */
  take(): Promise<Lease>
  /** The lease there is, if any. */
  current(): Lease | undefined
  /** The database says that it is gone. */
  lose(lease: Lease): void
  stop(): Promise<void>
}

export interface LeaseOptions {
  db: Db
  clock: Clock
  log: Log
  /** The first word of its log lines. */
  word: 'outbound' | 'delivery'
  leaseSeconds: number
  /** Called after every heartbeat, from the first lease on, unless the last call is not over. */
  onBeat: (beats: number) => Promise<void>
}

/** What a POST that begins now may need of it. */
const marginMs = 2_000

export function createLeaseKeeper(options: LeaseOptions): LeaseKeeper {
  const { db, clock, log, word, leaseSeconds } = options
  const stopping = new AbortController()
  let current: (Lease & { untilMs: number }) | undefined
  let beating: Promise<void> | undefined
  let taking: Promise<Lease> | undefined

  /** Who asks meanwhile gets the same one: only one is kept alive. */
  async function take(): Promise<Lease> {
    if (current?.isHeld()) return current
    taking ??= register().finally(() => {
      taking = undefined
    })
    return taking
  }

  async function register(): Promise<Lease> {
    const askedMs = clock.monotonicMs()
    const workerId = await registerWorker(db, leaseSeconds)
    const lease = {
      workerId,
      untilMs: askedMs + leaseSeconds * 1000 - marginMs,
      isHeld: () => lease.untilMs > clock.monotonicMs(),
    }
    // crash point: lease.registered
    current = lease
    beating ??= beat()
    return lease
  }

  async function renew(): Promise<void> {
    const lease = current
    if (!lease) return
    const askedMs = clock.monotonicMs()
    if (await renewWorker(db, lease.workerId, leaseSeconds)) {
      // crash point: lease.renewed
      lease.untilMs = askedMs + leaseSeconds * 1000 - marginMs
    } else {
      log.warn(`${word}_lease_lost`)
      lose(lease)
    }
  }

  function lose(lease: Lease): void {
    if (current?.workerId !== lease.workerId) return
    current.untilMs = Number.NEGATIVE_INFINITY
    current = undefined
  }

  async function beat(): Promise<void> {
    let beats = 0
    let minding: Promise<void> | undefined
    for (;;) {
      await sleep(clock, (leaseSeconds * 1000) / 3, stopping.signal)
      if (stopping.signal.aborted) break
      try {
        await renew()
      } catch (error) {
        noteFailure(error)
        continue
      }
      // However long it takes: the next beat does not wait for it.
      minding ??= options
        .onBeat(++beats)
        .catch(noteFailure)
        .finally(() => {
          minding = undefined
        })
    }
    await minding
  }

  const noteFailure = (error: unknown) => log.warn(`${word}_heartbeat_failed`, errorFields(error))

  return {
    take,
    current: () => (current?.isHeld() ? current : undefined),
    lose,
    async stop() {
      stopping.abort()
      await beating
      if (current) await removeWorker(db, current.workerId).catch(() => undefined)
    },
  }
}
