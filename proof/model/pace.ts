// The pace at Meta's end: the product's own waiting for a moment (awaitSlot) and its reckoning of the database's time, for
// many workers at once on one virtual clock, with slow answers and standstills; moments are given out as Postgres does.
import { createDatabaseTime } from '../../src/outbox/database-time.ts'
import { awaitSlot } from '../../src/outbox/slot.ts'
import type { Clock } from '../../src/time-and-chance.ts'
import { Violation } from './ghost.ts'
import { createState } from './history.ts'
import { numberOf, type State } from './state.ts'
import { gapOf, takeSlot } from './weather-steps.ts'

/** Ours and the database's are this far apart. */
const apartMs = 1_234_567

interface Timer {
  at: number
  task: () => void
}

class VirtualClock implements Clock {
  #nowMs = 0
  #timers: Timer[] = []
  now = () => new Date(this.#nowMs)
  monotonicMs = () => this.#nowMs
  after = (ms: number, task: () => void) => {
    const timer = { at: this.#nowMs + Math.max(0, ms), task }
    this.#timers.push(timer)
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer)
    }
  }
  afterThisTurn = (task: () => void) => task()

  /** Goes from timer to timer until there is none. */
  async run(): Promise<void> {
    for (;;) {
      // Whatever only waits for promises gets on.
      for (let turn = 0; turn < 12; turn++) await undefined
      const next = this.#timers.reduce<Timer | undefined>(
        (first, one) => (first && first.at <= one.at ? first : one),
        undefined,
      )
      if (!next) return
      this.#timers = this.#timers.filter((one) => one !== next)
      this.#nowMs = Math.max(this.#nowMs, next.at)
      next.task()
    }
  }
}

/** Throws where more were posted within a second than the limit allows. Returns how many were posted. */
export async function runPace(rate: number, sends: number, dice: () => number): Promise<number> {
  const state = stateOf(rate)
  const clock = new VirtualClock()
  const posts: number[] = []
  const pause = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve))
  const tell = () => {
    state.now = clock.monotonicMs() + apartMs
    return state.now
  }
  const time = createDatabaseTime()
  /** Now and then a process stands still, and wakes up late. */
  const after: Clock['after'] = (ms, task) =>
    clock.after(ms + (dice() < 0.05 ? dice() * 120 : 0), task)
  const shaky: Clock = {
    now: clock.now,
    monotonicMs: clock.monotonicMs,
    afterThisTurn: clock.afterThisTurn,
    after,
  }
  /** An answer of the database takes its time, there and back: up to 20 ms, what its time is known by (database-time.ts). */
  async function ask<Answer>(question: () => Answer): Promise<Answer> {
    const askedMs = clock.monotonicMs()
    await pause(dice() * 10)
    const saidMs = tell()
    const answer = question()
    await pause(dice() * 10)
    time.note(saidMs, askedMs, clock.monotonicMs())
    return answer
  }
  for (let index = 0; index < sends; index++) {
    void (async () => {
      await pause(dice() * 3_000)
      const slot = await ask(() => takeSlot(state, 0, 0))
      if (dice() < 0.2) await pause(dice() * 400)
      const slots = {
        isFree: () => ask(() => true),
        take: (leadMs: number) => ask(() => takeSlot(state, 0, leadMs)),
      }
      if (await awaitSlot(shaky, time, slot, slots)) posts.push(clock.monotonicMs())
    })()
  }
  await clock.run()
  posts.sort((a, b) => a - b)
  for (const [index, at] of posts.entries()) {
    const first = posts[index - rate]
    if (first !== undefined && at - first < 1000)
      throw new Violation(
        `${rate + 1} POSTs within ${(at - first).toFixed(1)} ms where ${rate} a second are allowed`,
      )
  }
  if (posts.length !== sends) throw new Violation(`${posts.length} of ${sends} were posted`)
  return posts.length
}

function stateOf(rate: number): State {
  const number = { tenant: 0, waba: 0, rate }
  const circuit = { failureRatio: 1, windowSeconds: 60, minCalls: 1, halfOpenSeconds: 1 }
  const tenants = [{ cap: 1, retryPolicy: null }]
  const settings = {
    circuit,
    reconcileSeconds: 0,
    leaseSeconds: 0,
    tenants,
    numbers: [number],
    contacts: 1,
  }
  const state = createState(settings, new Map())
  if (gapOf(numberOf(state, 0), 0) <= 0) throw new Error('bug: a pace without a gap')
  return state
}
