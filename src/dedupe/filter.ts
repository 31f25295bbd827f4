// A store outside, as a filter in front of Postgres. Everything here must be safe to forget: a mark that is lost sends the
// question on to Postgres, a mark that stayed behind (its process died) never stands in for an effect that did not happen.
import type { Dedupe, Stored } from './dedupe.ts'
import { createDoor, type DoorOptions } from './door.ts'
import type { Keys } from './keys.ts'
import type { Marks } from './marks.ts'

export interface FilterOptions extends DoorOptions {
  store: 'redis' | 'firestore'
  keys: Keys
  /** Loads the client's code, once it is needed; what it returns connects. */
  load: () => Promise<() => Promise<Marks>>
}

/** After the store failed: what was claimed is given back for so long. Nothing more is claimed meanwhile. */
const laterMs = 5_000
/** The least wait for another attempt's mark: it may end at any moment. */
const pendingMs = 250

export function createFilter(options: FilterOptions): Dedupe {
  const { store, keys, metrics } = options
  const reach = createReach(options)
  const onTheirWay = new Set<Promise<void>>()
  const count = (direction: 'inbound' | 'outbound', outcome: string, times = 1) =>
    metrics.dedupeMarks.inc({ direction, outcome }, times)

  /** Nobody waits for it: unconfirmed, the next one asks Postgres. */
  function confirm(committed: string[]): void {
    if (committed.length === 0) return
    const task = reach
      .ask((marks) => marks.confirm(committed))
      .catch(() => undefined)
      .finally(() => onTheirWay.delete(task))
    onTheirWay.add(task)
  }

  return {
    store,
    async markIfNew(items, nameOf, commit) {
      const named = await keys.inbound(items.map(nameOf))
      const marks = await reach
        .ask((marks) => marks.markIfNew(named))
        .catch((error) => {
          count('inbound', 'unavailable', items.length)
          throw error
        })
      for (const mark of marks) count('inbound', mark)
      const results: Stored[] = items.map(() => ({ value: 'duplicate' }))
      const unknown = [...items.keys()].filter((index) => marks[index] !== 'done')
      if (unknown.length === 0) return results
      const stored = await commit(unknown.map((index) => items[index] as (typeof items)[number]))
      const committed: string[] = []
      unknown.forEach((index, place) => {
        const result = stored[place] ?? { error: new Error('bug: a commit lost a result') }
        results[index] = result
        if ('value' in result) committed.push(named[index] as string)
      })
      confirm(committed)
      return results
    },

    async postOnce({ name, attempt }, post) {
      const key = keys.outbound(name)
      const begun = await reach
        .ask((marks) => marks.begin(key, attempt))
        .catch(() => ({ state: 'unavailable' as const }))
      count('outbound', begun.state)
      if (begun.state === 'sent') return begun
      if (begun.state === 'unavailable') return { ...begun, retryAfterMs: laterMs }
      if (begun.state === 'pending') {
        return { state: 'pending', retryAfterMs: Math.max(pendingMs, begun.leftMs) }
      }
      const { value, proof } = await post()
      // A mark that cannot be ended runs out by itself; Postgres gets the result either way.
      await reach
        .ask((marks) =>
          proof === null
            ? marks.finishFailed(begun.place, attempt)
            : marks.finishSent(begun.place, attempt, proof()),
        )
        .catch(() => undefined)
      return { state: 'posted', value }
    },

    isThere: async () => reach.isOpen() || (await reach.problems()).length === 0,
    problems: reach.problems,
    idle: async () => {
      while (onTheirWay.size > 0) await Promise.all(onTheirWay)
    },
    async close() {
      await Promise.all(onTheirWay)
      await reach.close()
    },
  }
}

/** Loading, connecting and the door: how a question gets to the store. */
function createReach(options: FilterOptions) {
  const door = createDoor(options)
  let loading: ReturnType<FilterOptions['load']> | undefined
  let opening: Promise<Marks> | undefined
  let looking: Promise<string[]> | undefined

  /** Loading takes a second of CPU time, once, and is not the store's fault; connecting is. */
  async function ask<T>(
    work: (marks: Marks) => Promise<T>,
    way: 'pass' | 'knock' = 'pass',
  ): Promise<T> {
    loading ??= options.load()
    const connect = await loading
    return door[way](async () => {
      opening ??= connect().catch((error) => {
        opening = undefined
        throw error
      })
      return work(await opening)
    })
  }

  return {
    ask,
    isOpen: door.isOpen,
    /** Those who ask at the same time share one look: anybody may ask. */
    problems(): Promise<string[]> {
      looking ??= ask((marks) => marks.check(), 'knock')
        .then(() => [])
        .catch(() => [`the dedupe store (${options.store}) does not answer`])
        .finally(() => {
          looking = undefined
        })
      return looking
    },
    async close() {
      const marks = await opening?.catch(() => undefined)
      await marks?.close()
    },
  }
}
