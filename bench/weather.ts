// `bench weather`: what bad weather for some numbers costs the others, and what happens after an outage. Real sends over
// HTTP to the simulator. The same load on the same numbers once in calm weather and once in bad; only ratios mean anything.
import { join } from 'node:path'
import { createFolder, removeFolder } from './folders.ts'
import { describeMachine } from './measure.ts'
import { startBenchSimulator } from './outbox-http.ts'
import { openOurs } from './outbox-ours.ts'
import { createWorld } from './outbox-world.ts'
import { postgresSettings, startBenchPostgres } from './postgres.ts'
import { measureDelays } from './weather-delays.ts'
import { measureRecovery } from './weather-recovery.ts'
import { summarizeWeather, type WeatherCell, type WeatherReport } from './weather-report.ts'
import { controlsOf } from './weather-simulator.ts'

export interface WeatherOptions {
  rounds: number
  /** How long each load lasts. */
  seconds: number
  /** Messages a second for healthy numbers, and as many for those that will have bad weather. */
  perSecond: number
  /** How many wait for each number when Meta is back, and how fast a number may be. */
  backlog: number
  rate: number
  outageSeconds: number
  say: (line: string) => void
}

/** Five minutes in production: nobody wants to wait for them here. */
const halfOpenSeconds = 5

const notes = [
  'delay: from the commit of a message to its POST. calm: every number is healthy. weather: of as many other numbers with the same load a third is answered after 2 s, a third throttled, a third answered with 500.',
  'recovery: all numbers at once are answered with 503 while their backlog waits; then Meta is back. overshoot: the most POSTs of a number in any second, by Meta’s ledger, over its limit. rate: messages a second of a number after the outage, until three quarters of its backlog are sent, over its limit. wait: from Meta’s return to the last message, over the half-open time and the backlog at the limit.',
  `The breaker’s trial comes after ${halfOpenSeconds} s instead of 300. Every tenant may have 2 in flight, as by default, and in the recovery 10.`,
]

/** How many lines a run says: for who shows how far it is. */
export function weatherSteps({ rounds }: WeatherOptions): number {
  return rounds
}

export async function benchWeather(
  options: WeatherOptions,
  startPostgres = startBenchPostgres,
): Promise<WeatherReport> {
  const { say, ...settings } = options
  const logs = await createFolder('bench-log')
  const postgres = await startPostgres()
  const world = createWorld()
  const simulator = await startBenchSimulator(world)
  try {
    const database = await postgres.createDatabase('weather')
    const ours = await openOurs(database, world, join(logs, 'ours.log'), simulator.url, {
      CIRCUIT_HALF_OPEN_SECONDS: String(halfOpenSeconds),
    })
    const place = { ours, db: database.db, world, simulator: controlsOf(simulator.url) }
    const cells: WeatherCell[] = []
    try {
      // V8 compiles and statements are planned: this pass is not counted.
      await measureDelays(place, { ...options, seconds: Math.min(2, options.seconds) }, 'calm')
      for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
        const order =
          roundNumber % 2 === 0 ? (['weather', 'calm'] as const) : (['calm', 'weather'] as const)
        const delays = {
          [order[0]]: await measureDelays(place, options, order[0]),
          [order[1]]: await measureDelays(place, options, order[1]),
        } as Pick<WeatherCell, 'calm' | 'weather'>
        const recovery = await measureRecovery(place, { ...options, halfOpenSeconds })
        const cell = { round: roundNumber, ...delays, recovery }
        cells.push(cell)
        say(lineOf(cell))
      }
    } finally {
      await ours.close()
    }
    return summarizeWeather({
      machine: describeMachine(postgres.version),
      settings: { ...settings, halfOpenSeconds, postgres: postgresSettings },
      cells,
      notes,
    })
  } finally {
    simulator.stop()
    await postgres.stop()
    await removeFolder(logs)
  }
}

function lineOf({ round, calm, weather, recovery }: WeatherCell): string {
  return [
    `round ${round}  calm ${calm.sentShare}  ${calm.delay.p50Ms} / ${calm.delay.p95Ms} ms  `,
    `weather ${weather.sentShare}  ${weather.delay.p50Ms} / ${weather.delay.p95Ms} ms  `,
    `recovery: ${recovery.callsWhileDown} calls while down, overshoot ${recovery.overshoot}, rate ${recovery.rate}, `,
    `wait ${recovery.wait}`,
  ].join('')
}
