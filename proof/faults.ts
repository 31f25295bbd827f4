// `npm run test:faults`: every crash point and every single fault, in full, and the end-to-end tests that are about faults.
// Prints its seed first and last, and a table of what died where and what held. Ends with 1 when anything did not hold, or was
// asked for and did not happen.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageRoot } from '../src/package-root.ts'
import { commitOf } from './commit.ts'
import { elsewhere } from './faults/elsewhere.ts'
import { type Found, heldByTests, type Line, type TestFile, tableOf } from './faults/table.ts'
import { troubles } from './faults/troubles.ts'
import { ways } from './faults/ways.ts'
import { numberOf, wholeNumberOf } from './numbers.ts'

const help = `Usage: npm run test:faults -- [options]

  --only <name>   one crash point, single fault, end-to-end test or nemesis (see --list); may be given several times
  --minutes <n>   of the nemesis at the end (10); npm run test:nemesis runs it alone, with more to choose
  --seed <n>      decides at which pass a process dies, and what is struck; another one in every run
  --list          names everything, and runs nothing
  --help          shows this`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

let running: ChildProcess | undefined

const known = [...Object.keys(ways), ...Object.keys(troubles), ...elsewhere, 'nemesis']
const isWanted = (name: string) => values.only.length === 0 || values.only.includes(name)
const points = Object.keys(ways).filter(isWanted)
const faults = Object.keys(troubles).filter(isWanted)
const tests = elsewhere.filter(isWanted)

if (values.help) console.log(help)
else if (values.list) console.log(known.join('\n'))
else process.exitCode = await run()

async function run(): Promise<number> {
  const unknown = values.only.filter((name) => !known.includes(name))
  if (unknown.length > 0) {
    console.error(`Nothing is called ${unknown.join(', ')}: see --list.`)
    return 2
  }
  wholeNumberOf('seed', values.seed)
  numberOf('minutes', values.minutes)
  const named = points.length + faults.length + tests.length
  const interruption = passOnInterrupts()
  console.log(`seed ${values.seed}, commit ${commitOf()}`)
  try {
    const isHeld = named === 0 || (await strike())
    if (interruption.code !== undefined) return interruption.code
    const isSurvived = !isWanted('nemesis') || (await unleash())
    return interruption.code ?? (isHeld && isSurvived ? 0 : 1)
  } finally {
    console.log(`seed ${values.seed}`)
  }
}

/** Whoever runs on our behalf cleans up after itself. */
function passOnInterrupts(): { code?: number } {
  const interruption: { code?: number } = {}
  const codes = { SIGINT: 130, SIGTERM: 143 } as const
  for (const [signal, code] of Object.entries(codes)) {
    process.once(signal, () => {
      interruption.code = code
      running?.kill(signal as keyof typeof codes)
    })
  }
  return interruption
}

function ended(child: ChildProcess): Promise<number | null> {
  running = child
  return new Promise((resolve) => child.once('close', resolve))
}

/** One after another. */
async function strike(): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'estafet-faults-'))
  const report = join(folder, 'report')
  const results = join(folder, 'results.json')
  const files = [...(points.length + faults.length > 0 ? ['proof/faults/'] : []), ...tests]
  const code = await vitest(files, results, {
    SEED: values.seed,
    FAULTS: [...points, ...faults].join('|'),
    FAULTS_REPORT: report,
  })
  const asked = { points, faults, tests }
  const isComplete = print(tableOf(asked, await linesOf(report), await filesIn(results)))
  await rm(folder, { recursive: true, force: true })
  return code === 0 && isComplete
}

/** All together. */
async function unleash(): Promise<boolean> {
  const args = ['--minutes', values.minutes, '--seed', values.seed]
  const program = ['--import', 'tsx', join(packageRoot, 'proof', 'nemesis.ts')]
  const child = spawn(process.execPath, [...program, ...args], {
    cwd: packageRoot,
    stdio: 'inherit',
  })
  return (await ended(child)) === 0
}

function vitest(
  files: string[],
  results: string,
  environment: Record<string, string>,
): Promise<number | null> {
  const program = join(packageRoot, 'node_modules', '.bin', 'vitest')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`]
  const child = spawn(program, ['run', ...files, ...reporters], {
    cwd: packageRoot,
    stdio: 'inherit',
    // biome-ignore lint/style/noProcessEnv: for vitest, not the gateway's settings.
    env: { ...process.env, ...environment },
  })
  return ended(child)
}

/** False when something that was asked for did not happen. */
function print({ sections, missing }: Found): boolean {
  for (const { head, rows } of sections) print4(head, rows)
  for (const line of missing) console.log(line)
  return missing.length === 0
}

function print4(head: string[], rows: string[][]): void {
  if (rows.length === 0) return
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)),
  )
  for (const row of [[], head, ...rows]) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}

async function linesOf(file: string): Promise<Line[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

/** What each test file held. */
async function filesIn(file: string): Promise<Map<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => '{"testResults":[]}')
  const { testResults } = JSON.parse(text) as { testResults: (TestFile & { name: string })[] }
  return new Map(
    testResults.map((one) => [one.name.slice(packageRoot.length + 1), heldByTests(one)]),
  )
}
