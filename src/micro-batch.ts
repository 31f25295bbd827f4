// Calls that arrive together share one round trip. There is no timer: a batch leaves at the end of the turn in which its
// first item came, while little is under way; what comes meanwhile makes up the next batch.
import { AppError } from './errors.ts'
import type { Clock } from './time-and-chance.ts'

export type BatchResult<Out> = { value: Out } | { error: Error }

export interface MicroBatchOptions<In, Out> {
  clock: Clock
  /** One result per item, in the same order. Throwing fails them all. */
  run: (items: In[]) => Promise<BatchResult<Out>[]>
  maxInFlight: number
  /**
   * With this many items under way no further batch leaves: what waits becomes one larger batch, which costs less CPU
   * time per item than several small ones. A batch that takes longer than `patienceMs` no longer counts, so that one
   * stuck connection holds up nobody else.
   */
  fewItems: number
  patienceMs: number
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
  dueMs: number
  resolve: (value: Out) => void
  reject: (error: Error) => void
}

export function createMicroBatch<In, Out>(
  options: MicroBatchOptions<In, Out>,
): MicroBatch<In, Out> {
  let waiting: Waiting<In, Out>[] = []
  let waitingWeight = 0
  let scheduled = false
  const onIdle: (() => void)[] = []
  const deadlines = createDeadlines<Waiting<In, Out>>(options.clock, (entry) => {
    // Its outcome is unknown to the caller from here on; when it still waits, it need not be done at all.
    const index = waiting.indexOf(entry)
    if (index >= 0) {
      waiting.splice(index, 1)
      waitingWeight -= entry.weight
    }
    entry.reject(new AppError('TIMED_OUT', 503, 'The database did not answer in time.'))
  })

  const underWay = createUnderWay(options, schedule)
  const isIdle = () => waiting.length === 0 && underWay.isEmpty()
  const mayLeave = () => waiting.length > 0 && underWay.hasRoom()

  function schedule() {
    if (scheduled || !mayLeave()) return
    scheduled = true
    options.clock.afterThisTurn(() => {
      scheduled = false
      while (mayLeave()) void flush(takeBatch())
      tellIfIdle()
    })
  }

  function tellIfIdle() {
    if (!isIdle()) return
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
    const done = underWay.start(batch.length)
    try {
      const results = await options.run(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => {
        deadlines.remove(entry)
        const result = results[index] ?? { error: new Error('bug: a batch lost a result') }
        if ('error' in result) entry.reject(result.error)
        else entry.resolve(result.value)
      })
    } catch (error) {
      for (const entry of batch) {
        deadlines.remove(entry)
        entry.reject(error as Error)
      }
    } finally {
      done()
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
        const dueMs = options.clock.monotonicMs() + options.deadlineMs
        const entry: Waiting<In, Out> = { item, weight, dueMs, resolve, reject }
        waiting.push(entry)
        waitingWeight += weight
        deadlines.add(entry)
        schedule()
      })
    },
    idle: () => (isIdle() ? Promise.resolve() : new Promise((resolve) => onIdle.push(resolve))),
  }
}

/** One timer for all, at the earliest deadline: a timer per item costs more than the item's share of its batch's insert. */
function createDeadlines<Entry extends { dueMs: number }>(
  clock: Clock,
  onDue: (entry: Entry) => void,
) {
  // In the order of their deadlines, because that is the order in which they came.
  const entries = new Set<Entry>()
  let isSet = false

  function set() {
    const [first] = entries
    if (isSet || !first) return
    isSet = true
    clock.after(Math.max(0, first.dueMs - clock.monotonicMs()), () => {
      isSet = false
      const nowMs = clock.monotonicMs()
      for (const entry of entries) {
        if (entry.dueMs > nowMs) break
        entries.delete(entry)
        onDue(entry)
      }
      set()
    })
  }

  return {
    add(entry: Entry) {
      entries.add(entry)
      if (!isSet) set()
    },
    remove: (entry: Entry) => void entries.delete(entry),
  }
}

interface UnderWay {
  hasRoom(): boolean
  isEmpty(): boolean
  /** The returned function says that the batch is done. */
  start(items: number): () => void
}

function createUnderWay<In, Out>(
  { clock, maxInFlight, fewItems, patienceMs }: MicroBatchOptions<In, Out>,
  onRoom: () => void,
): UnderWay {
  let batches = 0
  let items = 0
  return {
    hasRoom: () => batches < maxInFlight && items < fewItems,
    isEmpty: () => batches === 0,
    start(count) {
      batches++
      items += count
      let counted = count
      const uncount = () => {
        items -= counted
        counted = 0
      }
      const cancel = clock.after(patienceMs, () => {
        uncount()
        onRoom()
      })
      return () => {
        cancel()
        uncount()
        batches--
      }
    },
  }
}
