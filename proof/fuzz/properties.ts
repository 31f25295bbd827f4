// Runs the property tests that stand beside the code, with more cases and another seed than `npm test`; proof/fuzz.ts calls it. A
// counterexample becomes one of the property's `examples` in the commit that corrects the defect.
import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../../test/support/after-file.ts'

interface PropertiesOptions {
  seed: number
  /** How many times the cases of `npm test`. */
  factor: number
  /** When to stop, on the monotonic clock. */
  untilMs: number
  onFailure(failure: string): void
  /** Where `src`, `simulator` and the configuration of vitest are. */
  root?: string
}

/** What test/support/chance.ts reads from the environment. */
type Chance = Record<'SEED' | 'CASES', string>

interface Report {
  numPassedTests: number
  testResults: {
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

/** Returns how many tests ran, how many failures were told, and which files the time left unfinished. */
export async function runProperties(options: PropertiesOptions) {
  const { seed, factor, untilMs, onFailure, root = packageRoot } = options
  const chance: Chance = { SEED: String(seed), CASES: String(factor) }
  const end = new AbortController()
  let running: Promise<unknown> = Promise.resolve()
  afterFile(async () => {
    end.abort()
    await running
  })
  setTimeout(() => end.abort(), Math.min(untilMs - performance.now(), 2 ** 31 - 1)).unref()
  const total = { ran: 0, failed: 0, unfinished: [] as string[] }
  const tell = (failure: string) => {
    total.failed++
    onFailure(failure)
  }
  const files = await propertyFiles(root)
  // Without a path, vitest would run every test there is.
  if (files.length === 0) tell(`no file below ${root} states a property`)
  for (const file of files) {
    if (end.signal.aborted) {
      total.unfinished.push(file)
      continue
    }
    const run = runFile(file, root, chance, end.signal)
    running = run
    const { ran, problems, isFinished } = await run
    total.ran += ran
    if (!isFinished) total.unfinished.push(file)
    // A test that tries more cases takes longer than the time limit of `npm test`.
    const repeat = `SEED=${seed} CASES=${factor} npx vitest run ${file} --testTimeout=0`
    for (const problem of problems) tell(`${file}: ${problem}\n  To repeat: ${repeat}`)
  }
  return total
}

/** In a process of its own, so that what ends one file leaves the results of the others. */
async function runFile(file: string, root: string, chance: Chance, end: AbortSignal) {
  const folder = await mkdtemp(join(tmpdir(), 'estafet-properties-'))
  const report = join(folder, 'report.json')
  const vitest = join(packageRoot, 'node_modules/vitest/vitest.mjs')
  const reporters = ['--reporter=verbose', '--reporter=json', `--outputFile=${report}`]
  const child = spawn(process.execPath, [vitest, 'run', file, '--testTimeout=0', ...reporters], {
    cwd: root,
    // biome-ignore lint/style/noProcessEnv: vitest needs the environment of this process.
    env: { ...process.env, ...chance },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    signal: end,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-1_000_000)
    })
  }
  // The end of the time is such an error; the exit code tells of every other.
  child.on('error', () => undefined)
  child.once('exit', () => killGroup(child.pid))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  const text = await readFile(report, 'utf8').catch(() => '')
  await rm(folder, { recursive: true })
  const printed = stripVTControlCharacters(output).trim()
  // vitest ends with a signal's number when the time ends, and the report may then be incomplete.
  if (code === 0 || !end.aborted) return { ...read(text, code === 0, printed), isFinished: true }
  // The reporter marks a failed test as soon as it ends, long before there is a report.
  const first = printed.search(/^ *× /m)
  const problems = first < 0 ? [] : [told(printed.slice(first, first + maxTold))]
  return { ran: problems.length, problems, isFinished: false }
}

/** A worker that is in a loop outlives its vitest. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // No process of the group was left.
  }
}

const maxTold = 4_000
const told = (printed: string) => `vitest printed:\n${printed}`

function read(report: string, isGreen: boolean, printed: string) {
  const nothing = '{"numPassedTests":0,"testResults":[]}'
  const { numPassedTests, testResults }: Report = JSON.parse(report || nothing)
  const problems = testResults
    .flatMap((one) => one.assertionResults.filter(({ status }) => status === 'failed'))
    .map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages.join('\n')}`)
  const ran = numPassedTests + problems.length
  if (problems.length === 0 && (!isGreen || ran === 0)) {
    problems.push(told(printed.slice(-maxTold)))
  }
  return { ran, problems }
}

/** Every test file of the product that states a property. */
async function propertyFiles(root: string): Promise<string[]> {
  const files: string[] = []
  for (const folder of ['src', 'simulator']) {
    const names = await readdir(join(root, folder), { recursive: true })
    for (const name of names.filter((one) => one.endsWith('.test.ts')).sort()) {
      const text = await readFile(join(root, folder, name), 'utf8')
      if (/\bfc\.(assert|check)\(/.test(text)) files.push(join(folder, name))
    }
  }
  return files
}
