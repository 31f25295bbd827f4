// What `estafet bench` can measure: how its options become a run.
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
}

type Say = (line: string) => void

export interface Scenario {
  /** How many lines it will say. */
  steps: number
  run(): Promise<Report>
}

/** Ready to run; wrong options are refused before anything starts. */
export function scenarioOf(name: ScenarioName, options: ScenarioOptions, say: Say): Scenario {
  const rounds = oneNumber('--rounds', options.rounds ?? (options.quick ? '1' : '3'))
  return makers[name](options, { rounds, say })
}

type Maker = (options: ScenarioOptions, common: { rounds: number; say: Say }) => Scenario

const ingest: Maker = ({ quick, ...options }, common) => {
  const given = {
    ...common,
    seconds: oneNumber('--seconds', options.seconds ?? (quick ? '1' : '5')),
    connections: numbers('--connections', options.connections ?? (quick ? '64' : '8,64,256')),
    // 140 µs of CPU time per request fell to 100 over the first 60 000.
    requestsToWarmUp: quick ? 5_000 : 60_000,
    pgbench: findPgbench(),
  }
  return { steps: ingestSteps(given), run: () => benchIngest(given) }
}

const inbound: Maker = ({ quick, ...options }, common) => {
  const sizes = options.sizes ?? (quick ? '1000,10000' : '10000,100000,1000000')
  const given = {
    ...common,
    sizes: numbers('--sizes', sizes),
    events: oneNumber('--events', options.events ?? (quick ? '100' : '2000')),
    samples: quick ? 20 : 300,
  }
  return { steps: inboundSteps(given), run: () => benchInbound(given) }
}

const outbox: Maker = ({ quick, ...options }, common) => {
  const jobs = oneNumber('--jobs', options.jobs ?? (quick ? '3000' : '30000'))
  const pending = options.pending ?? (quick ? '1000,10000' : '10000,100000,1000000')
  const given = {
    ...common,
    jobs,
    singles: Math.ceil(jobs / 10),
    bulk: Math.ceil(jobs / 3),
    samples: quick ? 30 : 250,
    backlog: quick ? 5_000 : 50_000,
    pending: numbers('--pending', pending),
    deepLane: quick ? 2_000 : 200_000,
    claims: quick ? 10 : 40,
    httpSends: Math.ceil(jobs / 3),
  }
  return { steps: outboxSteps(given), run: () => benchOutbox(given) }
}

const weather: Maker = ({ quick, ...options }, common) => {
  const given = {
    ...common,
    seconds: oneNumber('--seconds', options.seconds ?? (quick ? '5' : '20')),
    perSecond: 60,
    backlog: quick ? 60 : 200,
    rate: 20,
    outageSeconds: quick ? 3 : 10,
  }
  return { steps: weatherSteps(given), run: () => benchWeather(given) }
}

const health: Maker = ({ quick, ...options }, common) => {
  const given = {
    ...common,
    samples: oneNumber('--samples', options.samples ?? (quick ? '50' : '300')),
    rows: oneNumber('--rows', options.rows ?? (quick ? '20000' : '1000000')),
    tenants: 100,
  }
  return { steps: healthSteps(given), run: () => benchHealth(given) }
}

const makers: Record<ScenarioName, Maker> = { ingest, inbound, outbox, weather, health }

function numbers(option: string, text: string): number[] {
  return text.split(',').map((part) => oneNumber(option, part))
}

function oneNumber(option: string, text: string): number {
  const number = Number(text)
  if (!/^\d{1,7}(\.\d)?$/.test(text) || number === 0)
    throw new AppError('INVALID_REQUEST', 400, `${option}: a number above 0, or a list of them`)
  return number
}
