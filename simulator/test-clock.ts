// Time in the tests' hands, and a way to wait for what takes real time: sockets.
import type { Scene } from './test-support.ts'
import type { Clock } from './time-and-chance.ts'

export interface ManualClock extends Clock {
  /** Moves on to the next timer that is due within `ms`, or by all of `ms`. True: a timer rang. */
  step(until: number): boolean
  /** Goes back to where it began, for the next test. Its timers stay: whatever set them calls them off. */
  startAnew(): void
}

export const startOfTime = new Date('2026-11-15T12:00:00.000Z')

export function manualClock(start = startOfTime): ManualClock {
  let nowMs = start.getTime()
  let count = 0
  const timers = new Map<number, { at: number; task: () => void }>()
  return {
    now: () => new Date(nowMs),
    after(ms, task) {
      const id = count++
      timers.set(id, { at: nowMs + ms, task })
      return () => void timers.delete(id)
    },
    step(until) {
      const next = [...timers].filter(([, { at }]) => at <= until).sort(byTime)[0]
      if (next === undefined) {
        nowMs = until
        return false
      }
      const [id, { at, task }] = next
      timers.delete(id)
      nowMs = Math.max(nowMs, at)
      task()
      return true
    },
    startAnew() {
      nowMs = start.getTime()
    },
  }
}

type Timer = [number, { at: number }]
const byTime = ([idA, a]: Timer, [idB, b]: Timer) => a.at - b.at || idA - idB

/** Lets time pass without waiting for what the timers started. */
export function advance(clock: ManualClock, ms: number): void {
  const until = clock.now().getTime() + ms
  let rang = true
  while (rang) rang = clock.step(until)
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** For what happens outside of any clock. The test's own time limit ends a wait in vain. */
export async function eventually<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const seen = await look()
    if (seen) return seen
    await nextTurn()
  }
}

/** Every webhook that left has been answered, and what follows from the answers has happened. */
export async function quiet({ simulator }: Scene): Promise<void> {
  for (let calmTurns = 0; calmTurns < 5; ) {
    await nextTurn()
    calmTurns = simulator.webhooksInFlight() === 0 ? calmTurns + 1 : 0
  }
}

/** Lets time pass; at every timer it waits until the webhooks that it caused are answered. */
export async function pass(scene: Scene, clock: ManualClock, ms: number): Promise<void> {
  await quiet(scene)
  const until = clock.now().getTime() + ms
  while (clock.step(until)) await quiet(scene)
}
