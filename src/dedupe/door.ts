// The one way to an outside store. Nobody waits long; after a failure nobody waits at all, but for one look after a moment.
// So a store that is away costs every webhook a quick 500 and piles nothing up.
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import { DedupeUnavailable } from './dedupe.ts'

export interface DoorOptions {
  store: string
  clock: Clock
  log: Log
  metrics: Metrics
  patienceMs: number
}

export interface Door {
  /** Rejects with `DedupeUnavailable` when the work does, or takes too long, or would be in vain. */
  pass<T>(work: () => Promise<T>): Promise<T>
  /** The same, also while others are turned away. */
  knock<T>(work: () => Promise<T>): Promise<T>
  isOpen(): boolean
}

const retryMs = 500

export function createDoor({ store, clock, log, metrics, patienceMs }: DoorOptions): Door {
  let isOpen = true
  let mayTry = true

  function fail(error: unknown): DedupeUnavailable {
    if (isOpen) {
      log.error('dedupe_store_unavailable', { name: store, ...errorFields(error) })
      isOpen = false
    }
    metrics.dedupeStoreReady.set(0)
    mayTry = false
    clock.after(retryMs, () => {
      mayTry = true
    })
    return new DedupeUnavailable(error)
  }

  async function knock<T>(work: () => Promise<T>): Promise<T> {
    // One look at a time, while it is not known whether there is a point.
    mayTry = isOpen
    let value: T
    try {
      value = await within(clock, patienceMs, work())
    } catch (error) {
      throw fail(error)
    }
    if (!isOpen) log.info('dedupe_store_back', { name: store })
    metrics.dedupeStoreReady.set(1)
    isOpen = true
    mayTry = true
    return value
  }

  return {
    pass: (work) => (isOpen || mayTry ? knock(work) : Promise.reject(new DedupeUnavailable())),
    knock,
    isOpen: () => isOpen,
  }
}

/** For what has no limit of its own. */
export function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => reject(new Error(`no answer within ${ms} ms`)))
    work.then(resolve, reject).finally(cancel)
  })
}
