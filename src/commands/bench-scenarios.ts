// What `estafet bench` can measure: how its options become a run.
import { benchCost, costSteps } from '../../bench/cost.ts'
import { defaults } from '../../bench/defaults.ts'
import { benchHealth, healthSteps } from '../../bench/health.ts'
import { benchInbound, inboundSteps } from '../../bench/inbound.ts'
import { benchIngest, ingestSteps } from '../../bench/ingest.ts'
import { benchOutbox, outboxSteps } from '../../bench/outbox.ts'
import { findPgbench } from '../../bench/pgbench.ts'
import type { Report, ScenarioName } from '../../bench/published.ts'
import { benchWeather, weatherSteps } from '../../bench/weather.ts'
import { AppError } from '../errors.ts'

export interface ScenarioOptions {
  quick?: boolean
  rounds?: string
  seconds?: string
  connections?: string
  sizes?: string
  events?: string
  jobs?: string
  pending?: string
  rows?: string
  samples?: string
  messages?: string
}

type Say = (line: string) => void

export interface Scenario {
  /** How many lines it will say. */
  steps: number
  run(): Promise<Report>
}

/** Ready to run; wrong options are refused before anything starts. */
export function scenarioOf(name: ScenarioName, options: ScenarioOptions, say: Say): Scenario {
  return makers[name](options, say)
}

type Maker = (options: ScenarioOptions, say: Say) => Scenario

function sizeOf<Size extends { rounds: number }>(
  { full, quick }: { full: Size; quick: Size },
  options: ScenarioOptions,
): Size {
  const size = options.quick ? quick : full
  return { ...size, rounds: oneNumber('--rounds', options.rounds, size.rounds) }
}

const ingest: Maker = (options, say) => {
  const size = sizeOf(defaults.ingest, options)
  const given = {
    ...{ ...size, say },
    seconds: oneNumber('--seconds', options.seconds, size.seconds),
    connections: numbers('--connections', options.connections, size.connections),
    // 140 µs of CPU time per request fell to 100 over the first 60 000.
    requestsToWarmUp: options.quick ? 5_000 : 60_000,
    pgbench: findPgbench(),
  }
  return { steps: ingestSteps(given), run: () => benchIngest(given) }
}

const inbound: Maker = (options, say) => {
  const size = sizeOf(defaults.inbound, options)
  const given = {
    ...{ ...size, say },
    sizes: numbers('--sizes', options.sizes, size.sizes),
    events: oneNumber('--events', options.events, size.events),
  }
  return { steps: inboundSteps(given), run: () => benchInbound(given) }
}

const outbox: Maker = (options, say) => {
  const size = sizeOf(defaults.outbox, options)
  const jobs = oneNumber('--jobs', options.jobs, size.jobs)
  const given = {
    ...{ ...size, say, jobs },
    singles: Math.ceil(jobs / 10),
    bulk: Math.ceil(jobs / 3),
    pending: numbers('--pending', options.pending, size.pending),
    httpSends: Math.ceil(jobs / 3),
  }
  return { steps: outboxSteps(given), run: () => benchOutbox(given) }
}

const weather: Maker = (options, say) => {
  const size = sizeOf(defaults.weather, options)
  const seconds = oneNumber('--seconds', options.seconds, size.seconds)
  const given = { ...size, say, seconds, perSecond: 60, rate: 20 }
  return { steps: weatherSteps(given), run: () => benchWeather(given) }
}

const health: Maker = (options, say) => {
  const size = sizeOf(defaults.health, options)
  const given = {
    ...{ ...size, say },
    samples: oneNumber('--samples', options.samples, size.samples),
    rows: oneNumber('--rows', options.rows, size.rows),
    tenants: 100,
  }
  return { steps: healthSteps(given), run: () => benchHealth(given) }
}

const cost: Maker = (options, say) => {
  const size = sizeOf(defaults.cost, options)
  const given = {
    ...{ ...size, say },
    messages: oneNumber('--messages', options.messages, size.messages),
  }
  return { steps: costSteps(given), run: () => benchCost(given) }
}

const makers: Record<ScenarioName, Maker> = { ingest, inbound, outbox, weather, health, cost }

function numbers(option: string, text: string | undefined, usual: number[]): number[] {
  return text?.split(',').map((part) => oneNumber(option, part, 0)) ?? usual
}

function oneNumber(option: string, text: string | undefined, usual: number): number {
  if (text === undefined) return usual
  const number = Number(text)
  if (!/^\d{1,7}(\.\d)?$/.test(text) || number === 0)
    throw new AppError('INVALID_REQUEST', 400, `${option}: a number above 0, or a list of them`)
  return number
}
