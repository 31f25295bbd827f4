// Calls that arrive together share one round trip. There is no timer: a batch leaves at the end of the turn in which its
// first item came, while fewer than `maxInFlight` are under way; what comes meanwhile makes up the next batch.
import { AppError } from './errors.ts'
import type { Clock } from './time-and-chance.ts'

export type BatchResult<Out> = { value: Out } | { error: Error }

export interface MicroBatchOptions<In, Out> {
  clock: Clock
  /** One result per item, in the same order. Throwing fails them all. */
  run: (items: In[]) => Promise<BatchResult<Out>[]>
  maxInFlight: number
  maxItems: number
  /** An item's weight, and how much one batch and the whole queue may weigh. */
  weigh: (item: In) => number
  maxWeight: number
  maxWaitingWeight: number
  maxWaitingItems: number
  /** A caller never waits longer than this, whatever the database does. */
  deadlineMs: number
}

export interface MicroBatch<In, Out> {
  submit(item: In): Promise<Out>
  /** Resolves when nothing waits and nothing is under way. */
  idle(): Promise<void>
}

interface Waiting<In, Out> {
  item: In
  weight: number
  resolve: (value: Out) => void
  reject: (error: Error) => void
}

export function createMicroBatch<In, Out>(
  options: MicroBatchOptions<In, Out>,
): MicroBatch<In, Out> {
  let waiting: Waiting<In, Out>[] = []
  let waitingWeight = 0
  let inFlight = 0
  let scheduled = false
  const onIdle: (() => void)[] = []

  function schedule() {
    if (scheduled || waiting.length === 0 || inFlight >= options.maxInFlight) return
    scheduled = true
    options.clock.afterThisTurn(() => {
      scheduled = false
      while (waiting.length > 0 && inFlight < options.maxInFlight) void flush(takeBatch())
      tellIfIdle()
    })
  }

  function tellIfIdle() {
    if (inFlight > 0 || waiting.length > 0) return
    for (const resolve of onIdle.splice(0)) resolve()
  }

  function takeBatch(): Waiting<In, Out>[] {
    let weight = 0
    let count = 0
    for (const entry of waiting) {
      if (count === options.maxItems || (count > 0 && weight + entry.weight > options.maxWeight))
        break
      weight += entry.weight
      count++
    }
    waitingWeight -= weight
    const batch = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return batch
  }

  async function flush(batch: Waiting<In, Out>[]): Promise<void> {
    inFlight++
    try {
      const results = await options.run(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => {
        const result = results[index] ?? { error: new Error('bug: a batch lost a result') }
        if ('error' in result) entry.reject(result.error)
        else entry.resolve(result.value)
      })
    } catch (error) {
      for (const entry of batch) entry.reject(error as Error)
    } finally {
      inFlight--
      schedule()
      tellIfIdle()
    }
  }

  return {
    submit(item) {
      const weight = options.weigh(item)
      if (
        waiting.length >= options.maxWaitingItems ||
        waitingWeight + weight > options.maxWaitingWeight
      ) {
        return Promise.reject(new AppError('OVERLOADED', 503, 'Too much is waiting to be stored.'))
      }
      return new Promise<Out>((resolve, reject) => {
        const cancel = options.clock.after(options.deadlineMs, () => {
          // Its outcome is unknown to the caller from here on; when it still waits, it need not be done at all.
          const index = waiting.indexOf(entry)
          if (index >= 0) {
            waiting.splice(index, 1)
            waitingWeight -= entry.weight
          }
          reject(new AppError('TIMED_OUT', 503, 'The database did not answer in time.'))
        })
        const entry: Waiting<In, Out> = {
          item,
          weight,
          resolve: (value) => {
            cancel()
            resolve(value)
          },
          reject: (error) => {
            cancel()
            reject(error)
          },
        }
        waiting.push(entry)
        waitingWeight += weight
        schedule()
      })
    },
    idle: () =>
      inFlight === 0 && waiting.length === 0
        ? Promise.resolve()
        : new Promise((resolve) => onIdle.push(resolve)),
  }
}
