import { beforeEach, describe, expect, test } from 'vitest'
import { createManualClock, type ManualClock, settled } from '../test/support/manual-clock.ts'
import type { AppError } from './errors.ts'
import {
  type BatchResult,
  createMicroBatch,
  type MicroBatch,
  type MicroBatchOptions,
} from './micro-batch.ts'

interface Run {
  items: string[]
  finish(results?: BatchResult<string>[]): Promise<void>
  fail(error: Error): Promise<void>
}

let clock: ManualClock
let runs: Run[]

function create(options: Partial<MicroBatchOptions<string, string>> = {}) {
  return createMicroBatch<string, string>({
    clock,
    maxInFlight: 1,
    fewItems: Number.POSITIVE_INFINITY,
    patienceMs: 25,
    maxItems: 100,
    weigh: (item) => item.length,
    maxWeight: 1000,
    maxWaitingItems: 100,
    maxWaitingWeight: 1000,
    deadlineMs: 4000,
    run: (items) =>
      new Promise((resolve, reject) => {
        runs.push({
          items,
          finish: (results) => {
            resolve(results ?? items.map((item) => ({ value: `${item}!` })))
            return settled()
          },
          fail: (error) => {
            reject(error)
            return settled()
          },
        })
      }),
    ...options,
  })
}

/** What became of a promise, as far as it is known. */
function watch(promise: Promise<unknown>) {
  const seen: { value?: unknown; error?: Error } = {}
  promise.then(
    (value) => {
      seen.value = value
    },
    (error) => {
      seen.error = error
    },
  )
  return seen
}

const submitAll = (batch: MicroBatch<string, string>, items: string[]) =>
  items.map((item) => watch(batch.submit(item)))
const itemsRun = () => runs.map((run) => run.items)
const codeOf = (seen: { error?: Error }) => (seen.error as AppError | undefined)?.code

beforeEach(() => {
  clock = createManualClock()
  runs = []
})

describe('what comes together', () => {
  test('in one turn shares one run, which starts when the turn is over', async () => {
    const batch = create()
    const seen = submitAll(batch, ['a', 'b', 'c'])
    expect(runs).toEqual([])

    clock.endTurn()

    expect(itemsRun()).toEqual([['a', 'b', 'c']])
    await runs[0]?.finish()
    expect(seen.map((one) => one.value)).toEqual(['a!', 'b!', 'c!'])
  })

  test('while all runs are under way makes up the next one', async () => {
    const batch = create()
    submitAll(batch, ['a'])
    clock.endTurn()
    submitAll(batch, ['b'])
    clock.endTurn()
    submitAll(batch, ['c'])
    clock.endTurn()
    expect(itemsRun()).toEqual([['a']])

    await runs[0]?.finish()
    clock.endTurn()

    expect(itemsRun()).toEqual([['a'], ['b', 'c']])
  })
})

describe('limits', () => {
  test('never more than maxInFlight runs are under way', async () => {
    const batch = create({ maxInFlight: 2, maxItems: 1 })
    submitAll(batch, ['a', 'b', 'c', 'd', 'e'])
    clock.endTurn()
    expect(itemsRun()).toEqual([['a'], ['b']])

    await runs[1]?.finish()
    clock.endTurn()
    expect(itemsRun()).toEqual([['a'], ['b'], ['c']])

    await runs[0]?.fail(new Error('no'))
    clock.endTurn()
    expect(itemsRun()).toEqual([['a'], ['b'], ['c'], ['d']])
  })

  test('a run has at most maxItems', () => {
    const batch = create({ maxItems: 2, maxInFlight: 9 })
    submitAll(batch, ['a', 'b', 'c', 'd', 'e'])
    clock.endTurn()
    expect(itemsRun()).toEqual([['a', 'b'], ['c', 'd'], ['e']])
  })

  test('a run weighs at most maxWeight, but one item always fits', () => {
    const batch = create({ maxWeight: 4, maxInFlight: 9 })
    submitAll(batch, ['aa', 'bb', 'c', 'dddddddd', 'ee', 'fff'])
    clock.endTurn()
    expect(itemsRun()).toEqual([['aa', 'bb'], ['c'], ['dddddddd'], ['ee'], ['fff']])
  })

  test('too many waiting are refused at once, those before them are not', async () => {
    const batch = create({ maxWaitingItems: 2 })
    const seen = submitAll(batch, ['a', 'b', 'c'])
    await settled()
    expect(seen.map(codeOf)).toEqual([undefined, undefined, 'OVERLOADED'])

    clock.endTurn()
    await runs[0]?.finish()
    expect(seen.map((one) => one.value)).toEqual(['a!', 'b!', undefined])
  })

  test('too much weight waiting is refused, and there is room again once it is under way', async () => {
    const batch = create({ maxWaitingWeight: 5 })
    const seen = submitAll(batch, ['aaa', 'bbb', 'cc'])
    await settled()
    expect(seen.map(codeOf)).toEqual([undefined, 'OVERLOADED', undefined])

    clock.endTurn()
    expect(itemsRun()).toEqual([['aaa', 'cc']])
    const later = watch(batch.submit('ddddd'))
    await settled()
    expect(later).toEqual({})
  })
})

describe('errors', () => {
  test('of one item are only its own', async () => {
    const batch = create()
    const seen = submitAll(batch, ['a', 'b', 'c'])
    clock.endTurn()

    await runs[0]?.finish([{ value: 'A' }, { error: new Error('only b') }, { value: 'C' }])

    expect(seen).toEqual([{ value: 'A' }, { error: new Error('only b') }, { value: 'C' }])
  })

  test('of a run are those of all its items, and the next run goes on', async () => {
    const batch = create()
    const seen = submitAll(batch, ['a', 'b'])
    clock.endTurn()
    const next = watch(batch.submit('c'))

    await runs[0]?.fail(new Error('away'))
    clock.endTurn()
    await runs[1]?.finish()

    expect(seen.map((one) => one.error?.message)).toEqual(['away', 'away'])
    expect(next.value).toBe('c!')
  })

  test('a run that throws before it began fails its items only', async () => {
    let calls = 0
    const batch = create({
      run: () => {
        if (++calls === 1) throw new Error('at once')
        return Promise.resolve([{ value: 'fine' }])
      },
    })
    const first = watch(batch.submit('a'))
    clock.endTurn()
    await settled()
    const second = watch(batch.submit('b'))
    clock.endTurn()
    await settled()

    expect(first.error?.message).toBe('at once')
    expect(second.value).toBe('fine')
  })

  test('a run that loses a result fails that item, rather than leaving it waiting', async () => {
    const batch = create()
    const seen = submitAll(batch, ['a', 'b'])
    clock.endTurn()
    await runs[0]?.finish([{ value: 'A' }])
    expect(seen[0]?.value).toBe('A')
    expect(seen[1]?.error?.message).toContain('bug')
  })
})

describe('the deadline', () => {
  test('ends the wait of an item under way; what it comes to later changes nothing', async () => {
    const batch = create()
    const seen = watch(batch.submit('a'))
    clock.endTurn()

    clock.advance(3999)
    await settled()
    expect(seen).toEqual({})
    clock.advance(1)
    await settled()

    expect(codeOf(seen)).toBe('TIMED_OUT')
    await runs[0]?.finish()
    expect(seen.value).toBeUndefined()
  })

  test('takes an item that still waits out of the queue, with its weight', async () => {
    const batch = create({ maxWaitingWeight: 3 })
    submitAll(batch, ['a'])
    clock.endTurn()
    clock.advance(1000)
    const waiting = watch(batch.submit('bbb'))
    clock.advance(4000)
    await settled()
    expect(codeOf(waiting)).toBe('TIMED_OUT')

    const next = watch(batch.submit('ccc'))
    await runs[0]?.finish()
    clock.endTurn()

    expect(itemsRun()).toEqual([['a'], ['ccc']])
    await runs[1]?.finish()
    expect(next.value).toBe('ccc!')
  })

  test('is each item’s own, on one timer, and leaves none behind', async () => {
    const batch = create()
    const first = watch(batch.submit('a'))
    clock.endTurn()
    clock.advance(1000)
    const second = watch(batch.submit('b'))
    // The deadline, and the patience with the run.
    expect(clock.timers()).toBeLessThanOrEqual(2)
    clock.advance(3000)
    await settled()
    expect(codeOf(first)).toBe('TIMED_OUT')
    expect(codeOf(second)).toBeUndefined()
    clock.advance(1000)
    await settled()
    expect(codeOf(second)).toBe('TIMED_OUT')
    await runs[0]?.finish()
    expect(clock.timers()).toBe(0)
  })
})

describe('idle', () => {
  test('is at once when nothing was ever submitted', async () => {
    await create().idle()
  })

  test('is when nothing waits and nothing is under way', async () => {
    const batch = create({ maxItems: 1 })
    submitAll(batch, ['a', 'b'])
    const idle = watch(batch.idle().then(() => 'idle'))
    clock.endTurn()
    await runs[0]?.finish()
    expect(idle.value).toBeUndefined()

    clock.endTurn()
    await runs[1]?.fail(new Error('counts as well'))

    expect(idle.value).toBe('idle')
    await batch.idle()
  })

  test('is also when the last item that waited ran out of time', async () => {
    const batch = create()
    submitAll(batch, ['a'])
    clock.endTurn()
    clock.advance(3000)
    const last = watch(batch.submit('b'))
    const idle = watch(batch.idle().then(() => 'idle'))

    // The run ends, and before the turn is over b gives up: nothing is left to do.
    await runs[0]?.finish()
    clock.advance(4000)
    clock.endTurn()
    await settled()

    expect(codeOf(last)).toBe('TIMED_OUT')
    expect(runs).toHaveLength(1)
    expect(idle.value).toBe('idle')
  })
})
