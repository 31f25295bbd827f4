// `estafet bench …`: prints ratios and writes them down. Needs no database of yours: it starts its own.
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isFromSource } from '../../bench/child.ts'
import { benchHealth } from '../../bench/health.ts'
import { healthTable } from '../../bench/health-report.ts'
import { benchInbound } from '../../bench/inbound.ts'
import { inboundTable } from '../../bench/inbound-report.ts'
import { benchIngest } from '../../bench/ingest.ts'
import { ingestTable } from '../../bench/ingest-report.ts'
import { benchOutbox } from '../../bench/outbox.ts'
import { outboxTable } from '../../bench/outbox-report.ts'
import { findPgbench } from '../../bench/pgbench.ts'
import { type Target, targetLines } from '../../bench/report.ts'
import { benchWeather } from '../../bench/weather.ts'
import { weatherTable } from '../../bench/weather-report.ts'
import { AppError } from '../errors.ts'

interface Common {
  quick?: boolean
  rounds?: string
  out: string
}

const say = (line: string) => void process.stdout.write(`${line}\n`)

export async function benchIngestCommand(
  options: Common & { seconds?: string; connections?: string },
): Promise<void> {
  warnFromSource()
  const { quick } = options
  const report = await benchIngest({
    rounds: oneNumber('--rounds', options.rounds ?? (quick ? '1' : '3')),
    seconds: oneNumber('--seconds', options.seconds ?? (quick ? '1' : '5')),
    connections: numbers('--connections', options.connections ?? (quick ? '64' : '8,64,256')),
    // 140 µs of CPU time per request fell to 100 over the first 60 000.
    requestsToWarmUp: quick ? 5_000 : 60_000,
    pgbench: findPgbench(),
    say,
  })
  await publish(options.out, report, ingestTable(report))
}

export async function benchInboundCommand(
  options: Common & { sizes?: string; events?: string },
): Promise<void> {
  warnFromSource()
  const { quick } = options
  const sizes = options.sizes ?? (quick ? '1000,10000' : '10000,100000,1000000')
  const report = await benchInbound({
    rounds: oneNumber('--rounds', options.rounds ?? (quick ? '1' : '3')),
    sizes: numbers('--sizes', sizes),
    events: oneNumber('--events', options.events ?? (quick ? '100' : '2000')),
    samples: quick ? 20 : 300,
    say,
  })
  await publish(options.out, report, inboundTable(report))
}

export async function benchOutboxCommand(
  options: Common & { jobs?: string; pending?: string },
): Promise<void> {
  warnFromSource()
  const { quick } = options
  const jobs = oneNumber('--jobs', options.jobs ?? (quick ? '3000' : '30000'))
  const pending = options.pending ?? (quick ? '1000,10000' : '10000,100000,1000000')
  const report = await benchOutbox({
    rounds: oneNumber('--rounds', options.rounds ?? (quick ? '1' : '3')),
    jobs,
    singles: Math.ceil(jobs / 10),
    bulk: Math.ceil(jobs / 3),
    samples: quick ? 30 : 250,
    backlog: quick ? 5_000 : 50_000,
    pending: numbers('--pending', pending),
    deepLane: quick ? 2_000 : 200_000,
    claims: quick ? 10 : 40,
    httpSends: Math.ceil(jobs / 3),
    say,
  })
  await publish(options.out, report, outboxTable(report))
}

export async function benchWeatherCommand(options: Common & { seconds?: string }): Promise<void> {
  warnFromSource()
  const { quick } = options
  const report = await benchWeather({
    rounds: oneNumber('--rounds', options.rounds ?? (quick ? '1' : '3')),
    seconds: oneNumber('--seconds', options.seconds ?? (quick ? '5' : '20')),
    perSecond: 60,
    backlog: quick ? 60 : 200,
    rate: 20,
    outageSeconds: quick ? 3 : 10,
    say,
  })
  await publish(options.out, report, weatherTable(report))
}

export async function benchHealthCommand(
  options: Common & { rows?: string; samples?: string },
): Promise<void> {
  warnFromSource()
  const { quick } = options
  const report = await benchHealth({
    rounds: oneNumber('--rounds', options.rounds ?? (quick ? '1' : '3')),
    samples: oneNumber('--samples', options.samples ?? (quick ? '50' : '300')),
    rows: oneNumber('--rows', options.rows ?? (quick ? '20000' : '1000000')),
    tenants: 100,
    say,
  })
  await publish(options.out, report, healthTable(report))
}

function warnFromSource(): void {
  if (isFromSource) say('From source, tsx slows the code down. For figures, build and run dist.\n')
}

async function publish(
  file: string,
  report: { targets: Target[]; notes: string[] },
  table: string,
): Promise<void> {
  say(['', table, '', targetLines(report.targets), ...report.notes].join('\n'))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`)
  say(`\nWritten to ${file}`)
}

function numbers(option: string, text: string): number[] {
  return text.split(',').map((part) => oneNumber(option, part))
}

function oneNumber(option: string, text: string): number {
  const number = Number(text)
  if (!/^\d{1,7}(\.\d)?$/.test(text) || number === 0)
    throw new AppError('INVALID_REQUEST', 400, `${option}: a number above 0, or a list of them`)
  return number
}
