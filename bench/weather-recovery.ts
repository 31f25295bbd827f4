// In `bench weather`: Meta is down while messages wait, and then it is back.
import { performance } from 'node:perf_hooks'
import { sql } from '../src/db/connect.ts'
import { pause, round } from './measure.ts'
import { settleDown } from './outbox-contender.ts'
import { jobsFor } from './outbox-world.ts'
import { calmDown, groupsOf, type WeatherPlace } from './weather-place.ts'

export interface Recovery {
  callsWhileDown: number
  /** Of the fastest number: the most POSTs in any second over its limit. */
  overshoot: number
  /** Of the slowest number: messages a second after the outage over its limit. */
  rate: number
  drainSeconds: number
  /** The time until everything was sent, over what it must take. */
  wait: number
}

export interface RecoveryOptions {
  backlog: number
  rate: number
  outageSeconds: number
  halfOpenSeconds: number
}

/** A recovery that takes longer than this is none. */
const patienceMs = 300_000

export async function measureRecovery(
  place: WeatherPlace,
  { backlog, rate, outageSeconds, halfOpenSeconds }: RecoveryOptions,
): Promise<Recovery> {
  const { ours, db, world, simulator } = place
  const { recovering } = groupsOf(world)
  await calmDown(place, recovering, { rate, cap: 10 })
  await ours.fill(jobsFor(recovering, backlog * recovering.length))
  await settleDown(db)
  await simulator.fault({ fault: 'outage' })

  let calls = 0
  const acceptedMs = new Map<string, number[]>(recovering.map(({ number }) => [number, []]))
  const { graph } = ours.runtime
  const working = await ours.workWith({
    ...graph,
    send: async (number, body) => {
      calls++
      const postedMs = performance.now()
      const answer = await graph.send(number, body)
      if (answer.kind === 'accepted') acceptedMs.get(number.phoneNumberId)?.push(postedMs)
      return answer
    },
  })
  try {
    await until(async () => (await openCircuits(place)) === recovering.length)
    await pause(outageSeconds * 1000)
    const callsWhileDown = calls
    await simulator.clear()
    const backMs = performance.now()
    await until(async () => (await ours.remaining()) === 0)
    const last = Math.max(...[...acceptedMs.values()].map((times) => times.at(-1) ?? 0))
    const rates = [...acceptedMs.values()].map((times) => rateOf(times) / rate)
    const most = await simulator.mostInAnySecond()
    const drainSeconds = (last - backMs) / 1000
    return {
      callsWhileDown,
      overshoot: round(
        Math.max(...recovering.map(({ number }) => most.get(number) ?? 0)) / rate,
        3,
      ),
      rate: round(Math.min(...rates), 3),
      drainSeconds: round(drainSeconds, 1),
      wait: round(drainSeconds / (halfOpenSeconds + backlog / rate), 2),
    }
  } finally {
    await working.stop()
    await db.query(sql`update tenants set max_concurrency = null`)
  }
}

/** Of the first three quarters: what failed in the outage waits for its time, after the others. The trial is left out. */
function rateOf([, ...all]: number[]): number {
  const times = all.slice(0, Math.ceil(all.length * 0.75))
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined || last <= first) return 0
  return ((times.length - 1) / (last - first)) * 1000
}

async function openCircuits({ db }: WeatherPlace): Promise<number> {
  const rows = await db.query(sql`select from send_numbers where circuit_open`)
  return rows.length
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const startedMs = performance.now()
  while (!(await isSo())) {
    if (performance.now() - startedMs > patienceMs) throw new Error('bug: nothing moves any more')
    await pause(50)
  }
}
