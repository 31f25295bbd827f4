// `npm run test:repeat -- 10`: runs the whole suite that often, each time with another seed and other order of files, while a second
// process keeps a core busy. A test that depends on chance or on a quiet machine fails here before it fails elsewhere.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../test/support/seeded.ts'

const help = `Usage: npm run test:repeat -- [times] [options] [part of a path …]

Runs the tests that often (default 10), each run with its own seed and file order, beside a process that keeps a core busy.

  --seed <n>   decides the seeds of all runs (default: random); a failed run prints the seed that repeats it alone
  --quiet      no busy process beside the runs
  --help       this text

Ends with 1 when a run failed; its whole output stays in a file that is named.
`

interface Run {
  seed: number
  seconds: number
  isGreen: boolean
  output: string
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(randomInt(2 ** 31)) },
    quiet: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
/** Keeps a core busy until the process that started it has ended. */
const untilOrphaned = 'const parent = process.ppid; while (process.ppid === parent) {}'
let running: ChildProcess | undefined
/** Set by a signal: how this process ends once the run that it stopped has ended. */
let interrupted: number | undefined

function startVitest(paths: string[], seed: number, output: number): ChildProcess {
  const vitest = join('node_modules', 'vitest', 'vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', ...paths], {
    // biome-ignore lint/style/noProcessEnv: the runs get the environment that `npm test` would get, and their seed.
    env: { ...process.env, SEED: String(seed) },
    stdio: ['ignore', output, output],
  })
  running = child
  return child
}

async function runOnce(folder: string, seed: number, paths: string[]): Promise<Run> {
  const output = join(folder, `seed-${seed}.log`)
  const file = openSync(output, 'w')
  const startedMs = performance.now()
  const child = startVitest(paths, seed, file)
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  closeSync(file)
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  return { seed, seconds, isGreen: code === 0, output }
}

/** Returns the lines that name the failed tests and their errors. */
async function failuresIn(output: string): Promise<string[]> {
  const text = await readFile(output, 'utf8')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours.
  const plain = text.replace(/\x1b\[[\d;]*m/g, '')
  return plain.split('\n').filter((line) => /^ FAIL |^(\w*Error|Caused by): /.test(line))
}

async function main(): Promise<number> {
  const [given, ...paths] = positionals
  const times = Number(given ?? 10)
  const seedOfAll = Number(options.seed)
  if (options.help || !Number.isSafeInteger(times) || times < 1 || !Number.isFinite(seedOfAll)) {
    console.error(help)
    return options.help ? 0 : 2
  }
  const random = seeded(seedOfAll)
  const folder = await mkdtemp(join(tmpdir(), 'estafet-repeat-'))
  const busy = options.quiet ? undefined : spawn(process.execPath, ['-e', untilOrphaned])
  busy?.unref()
  console.log(`${times} runs, --seed ${seedOfAll}, output in ${folder}`)
  let failed = 0
  for (let count = 1; count <= times; count++) {
    const { seed, seconds, isGreen, output } = await runOnce(
      folder,
      Math.floor(random() * 2 ** 31),
      paths,
    )
    if (interrupted !== undefined) return interrupted
    console.log(`run ${count}: ${isGreen ? 'green' : 'RED'}, ${seconds} s, SEED=${seed}`)
    if (isGreen) continue
    failed++
    for (const line of await failuresIn(output)) console.log(`  ${line}`)
    console.log(`  the whole output: ${output}`)
  }
  console.log(`${times - failed} runs green, ${failed} red`)
  return failed === 0 ? 0 : 1
}

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 })) {
  process.once(signal, () => {
    interrupted = code
    running?.kill(signal as NodeJS.Signals)
  })
}
process.exitCode = await main()
