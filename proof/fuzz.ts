// `npm run test:fuzz`: as many cases of bad input as asked, against a real gateway and everything that reads.
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { migrate } from '../src/db/migrate.ts'
import { packageRoot } from '../src/package-root.ts'
import { endFile } from '../test/support/after-file.ts'
import { bundleProgram } from '../test/support/bundle-program.ts'
import { startOwnPostgres } from '../test/support/program.ts'
import { hasty } from '../test/support/shared-postgres.ts'
import { commitOf } from './commit.ts'
import { bytesKind } from './fuzz/bytes.ts'
import type { WatchedGateway } from './fuzz/gateway.ts'
import { grammarKind } from './fuzz/grammar.ts'
import { type Failure, type Kind, kindNames, written } from './fuzz/kind.ts'
import { openForGrammar, openForRoutes } from './fuzz/place.ts'
import { runProperties } from './fuzz/properties.ts'
import { routesKind } from './fuzz/routes.ts'
import { missedBy, runKind } from './fuzz/run.ts'
import { endWhenInterrupted } from './interrupt.ts'
import { numberOf, wholeNumberOf } from './numbers.ts'

const help = `npm run test:fuzz -- [flags]

  --cases N     how many in all (default 100000): 35 % webhooks over HTTP, 40 % in process, 25 % routes; before them the
                properties that stand beside the code, with a thousandth of N times the cases of npm test
  --seed S      decides everything (default: by chance)
  --only KIND   grammar, bytes or routes: all cases are then of this kind; or properties
  --case K      only this case of the kind that --only names
  --minutes M   begin nothing more after so long; each kind has a share of it as of the cases, and of what others leave,
                but begins with a few thousand cases in any case; the properties have 15 %, or all of it when they run alone
  --stall MS    how long the event loop may be busy without a break, in time on the processor, beside what it takes to read a
                body as JSON (default 500; npm test allows 1000). The aim is 100, but the largest delivery that is taken, and a
                collection of garbage, need more.

Ends with 1 when anything was found, when a kind came to no case or not to every route, when the time ended before every file
of properties was finished, or when the gateway asked to come later more often than once in 10000 cases (five times are allowed in
any case); with 2 when a flag is not understood. A case is (seed, kind, number).`

type Name = Kind<unknown>['name']
const shares: Record<Name, number> = { bytes: 0.4, grammar: 0.35, routes: 0.25 }
/** Of the time, before the kinds divide what is left. */
const propertiesShare = 0.15

const { values: flags } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    only: { type: 'string' },
    case: { type: 'string' },
    minutes: { type: 'string', default: '100000' },
    stall: { type: 'string', default: '500' },
    help: { type: 'boolean', default: false },
  },
})

const seed = wholeNumberOf('seed', flags.seed)
const cases = wholeNumberOf('cases', flags.cases, 1)
const minutes = numberOf('minutes', flags.minutes)
const limitMs = numberOf('stall', flags.stall)
const single = flags.case === undefined ? undefined : wholeNumberOf('case', flags.case)

/** More would only hide the first. */
const maxTold = 40
let told = 0

async function tell(failure: Failure): Promise<void> {
  const { kind, number, problem } = failure
  if (told++ >= maxTold) return
  const file = join(tmpdir(), `estafet-fuzz-${seed}-${kind}-${number}.json`)
  await writeFile(file, written({ problem, case: failure.case }))
  console.log(`\n${kind} case ${number}: ${problem.slice(0, 600)}`)
  console.log(`  ${written(failure.case).slice(0, 400)}\n  the whole case: ${file}`)
}

async function databaseOfOwn() {
  const postgres = await startOwnPostgres(hasty)
  await migrate(postgres.url)
  return postgres
}

async function buildProgram(): Promise<string> {
  const outDir = join(packageRoot, 'dist', 'fuzz')
  await mkdir(outDir, { recursive: true })
  return bundleProgram(join(packageRoot, 'src', 'cli.ts'), outDir)
}

interface Opened {
  kind: Kind<unknown>
  gateway?: WatchedGateway
}

async function open(name: Name): Promise<Opened> {
  if (name === 'bytes') return { kind: bytesKind() as Kind<unknown> }
  const options = { database: await databaseOfOwn(), program: await buildProgram(), checkOneIn: 20 }
  if (name === 'grammar') {
    const place = await openForGrammar(options)
    return { kind: grammarKind(place, String(seed)) as Kind<unknown>, gateway: place.gateway }
  }
  const place = await openForRoutes(options)
  return { kind: routesKind(place) as Kind<unknown>, gateway: place.gateway }
}

/** How many ran, and how much was found. */
async function run(
  name: Name,
  count: number,
  untilMs: number,
): Promise<{ ran: number; found: number }> {
  const { kind, gateway } = await open(name)
  const beforeMb = await gateway?.memoryMb()
  // What its start cost is not the cases'.
  await gateway?.takeStall()
  let longestMs = 0
  const take = async () => {
    const ms = (await gateway?.takeStall()) ?? 0
    longestMs = Math.max(longestMs, ms)
    return ms
  }
  const result = await runKind(kind, {
    ...{ seed, untilMs, onFailure: tell },
    cases: single === undefined ? { count } : { only: single },
    stall: { limitMs, ...(gateway && { take }) },
  })
  const perSecond = Math.round((result.ran / result.tookMs) * 1000)
  const counts = [...kind.counts()].sort(([one], [other]) => one.localeCompare(other))
  console.log(
    `\n${name}: ${result.ran} cases in ${Math.round(result.tookMs / 1000)} s, ${perSecond} a second`,
  )
  console.log(`  ${counts.map(([what, times]) => `${what}: ${times}`).join(', ')}`)
  if (gateway && beforeMb !== undefined) {
    console.log(`  longest that the event loop was busy: ${Math.round(longestMs)} ms`)
    const afterMb = await gateway.memoryMb()
    console.log(`  memory: ${Math.round(beforeMb)} MB before, ${Math.round(afterMb)} MB after`)
  }
  const missed = missedBy(kind, result)
  for (const one of missed) console.log(`  MISSED: ${one}`)
  console.log(`  ${result.failures.length} failures`)
  return { ran: result.ran, found: result.failures.length + missed.length }
}

/** Returns how many failed, or were not finished. */
async function tryProperties(untilMs: number): Promise<number> {
  const factor = Math.max(1, Math.round(cases / 1000))
  const startedMs = performance.now()
  const onFailure = (failure: string) => console.log(`\n${failure}`)
  const result = await runProperties({ seed, factor, untilMs, onFailure })
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(`\nproperties: ${result.ran} tests with ${factor} times the cases in ${seconds} s`)
  for (const file of result.unfinished) {
    console.log(`  MISSED: the time ended before ${file} was finished`)
  }
  console.log(`  ${result.failed} failures`)
  return result.failed + result.unfinished.length
}

async function main(): Promise<number> {
  if (flags.help) {
    console.log(help)
    return 0
  }
  endWhenInterrupted(String(seed))
  console.log(`seed ${seed}, commit ${commitOf()}`)
  const names = kindNames.filter((name) => flags.only === undefined || flags.only === name)
  const isWithProperties = flags.only === undefined || flags.only === 'properties'
  if (names.length === 0 && !isWithProperties) {
    console.error(`There is no kind called ${flags.only}.`)
    return 2
  }
  const beginMs = performance.now()
  const endMs = beginMs + minutes * 60_000
  const propertiesMs = (endMs - beginMs) * (names.length === 0 ? 1 : propertiesShare)
  let failures = isWithProperties ? await tryProperties(beginMs + propertiesMs) : 0
  let ran = 0
  for (const [at, name] of names.entries()) {
    const share = flags.only === undefined ? shares[name] : 1
    const left = names.slice(at).reduce((sum, one) => sum + shares[one], 0)
    const startMs = performance.now()
    const untilMs = startMs + ((endMs - startMs) * shares[name]) / left
    const result = await run(name, Math.max(1, Math.round(cases * share)), untilMs)
    failures += result.found
    ran += result.ran
    // What one kind needed is in the way of the next.
    await endFile()
  }
  console.log(`\n${ran} cases, ${failures} failures`)
  return failures === 0 ? 0 : 1
}

try {
  process.exitCode = await main()
} finally {
  await endFile()
  if (!flags.help) console.log(`seed ${seed}`)
}
