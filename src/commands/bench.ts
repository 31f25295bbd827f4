// `estafet bench …`: measures, prints ratios, and writes them down. Needs no database of yours: it starts its own.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isFromSource } from '../../bench/child.ts'
import { clearAwayAtOnce } from '../../bench/folders.ts'
import { renderPage, tableText } from '../../bench/page.ts'
import { type Published, type ScenarioName, scenarios } from '../../bench/published.ts'
import { targetLines } from '../../bench/report.ts'
import { AppError } from '../errors.ts'
import { packageRoot } from '../package-root.ts'
import { systemClock } from '../time-and-chance.ts'
import { type ScenarioOptions, scenarioOf } from './bench-scenarios.ts'
import { print, type TableOptions } from './manage.ts'
import { durationText, withProgress } from './progress.ts'
import { Interrupted, untilStopped } from './signals.ts'

const resultsFolder = 'bench/results'
const documents = 'docs'

type OneOptions = ScenarioOptions & TableOptions & { out?: string }

const benchOf = (name: ScenarioName) => async (options: OneOptions) => {
  const report = await measure(name, options, untilToldToStop(), await commitIn(packageRoot))
  const file = options.out ?? join(await resultsPlace(options.quick), `${name}.json`)
  await keep(file, report)
  print(options, report, `${reportText(report)}\n\nWritten to ${file}`)
}

export const benchIngestCommand = benchOf('ingest')
export const benchInboundCommand = benchOf('inbound')
export const benchOutboxCommand = benchOf('outbox')
export const benchWeatherCommand = benchOf('weather')
export const benchHealthCommand = benchOf('health')
export const benchCostCommand = benchOf('cost')

interface AllOptions extends TableOptions {
  quick?: boolean
  rounds?: string
  out?: string
  renderOnly?: boolean
}

export async function benchAllCommand(options: AllOptions): Promise<void> {
  const folder = options.out ?? (await resultsPlace(options.quick && !options.renderOnly))
  if (!options.renderOnly) {
    const stopped = untilToldToStop()
    // Before the first result is written: what was measured had no changes, what is kept then does.
    const commit = await commitIn(packageRoot)
    if (options.quick && !options.json) process.stderr.write(`Results go to ${folder}\n`)
    for (const name of scenarios) {
      // Each is kept as soon as it is there: the next one may fail, or be stopped.
      await keep(join(folder, `${name}.json`), await measure(name, options, stopped, commit))
    }
  }
  const results = await readResults(folder)
  // What was measured elsewhere, or in a hurry, is not what the documents tell.
  const pageFolder = folder === resultsFolder ? documents : folder
  const files = renderPage(results)
  for (const [path, text] of files) await writeText(join(pageFolder, path), text)
  const text = [...results.map(reportText), `Written to ${join(pageFolder, 'speed.md')}`]
  print(options, { results, files: [...files.keys()] }, text.join('\n\n'))
}

/** Quick figures do not take the place of those that took their time. */
async function resultsPlace(quick: boolean | undefined): Promise<string> {
  return quick ? mkdtemp(join(tmpdir(), 'estafet-bench-results-')) : resultsFolder
}

/** A second signal ends the process there and then; what a run would have taken down is taken down first. */
function untilToldToStop(): Promise<NodeJS.Signals> {
  const stopped = untilStopped()
  void stopped.then(() => {
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      process.once(name, () => {
        clearAwayAtOnce()
        // Nobody listens any more: this time it ends the process.
        process.kill(process.pid, name)
      })
  })
  return stopped
}

async function measure(
  name: ScenarioName,
  options: ScenarioOptions & TableOptions,
  stopped: Promise<NodeJS.Signals>,
  commit: string | null,
): Promise<Published> {
  const clock = systemClock
  const at = clock.now().toISOString()
  const startMs = clock.monotonicMs()
  const report = await withProgress(`bench ${name}`, options, async (progress) => {
    let signal: NodeJS.Signals | undefined
    let said = 0
    void stopped.then((one) => {
      signal = one
      progress.say('Stopping after this measurement; once more, and it ends at once.')
    })
    const { steps, run } = scenarioOf(name, options, (line) => {
      // Thrown where the run goes on, so that it takes down what it has started.
      if (signal) throw new Interrupted(signal)
      progress.say(line)
      progress.at(++said, steps)
    })
    if (isFromSource)
      progress.say('From source, tsx slows the code down. For figures, build and run dist.')
    progress.at(0, steps)
    return run()
  })
  const tookSeconds = Math.round((clock.monotonicMs() - startMs) / 1000)
  return { ...report, at, commit, tookSeconds }
}

/** Null outside a checkout: installed as a package, the repository around it is somebody else's. */
export async function commitIn(root: string): Promise<string | null> {
  const git = async (...args: string[]) =>
    (await promisify(execFile)('git', args, { cwd: root })).stdout.trim()
  try {
    const checkout = await realpath(await git('rev-parse', '--show-toplevel'))
    if (checkout !== (await realpath(root))) return null
    return await git('describe', '--always', '--dirty', '--exclude=*')
  } catch {
    return null
  }
}

function reportText(report: Published): string {
  const took = report.tookSeconds === undefined ? [] : [`in ${durationText(report.tookSeconds)}`]
  return [
    [`bench ${report.bench}`, ...took].join(' '),
    '',
    tableText(report),
    '',
    ...(report.targets.length > 0 ? [targetLines(report.targets)] : []),
    ...report.notes,
  ].join('\n')
}

/** Of all scenarios: a page without one of them would tell of fewer targets than were set. */
async function readResults(folder: string): Promise<Published[]> {
  const files = scenarios.map((name) => join(folder, `${name}.json`))
  const found = await Promise.all(
    files.map((file) => readFile(file, 'utf8').catch(() => undefined)),
  )
  const missing = files.filter((_, index) => found[index] === undefined)
  if (missing.length > 0)
    throw new AppError(
      'INVALID_REQUEST',
      400,
      `There is no page without ${missing.join(', ')}: \`bench all\` measures everything, \`bench <name> --out <file>\` one of them.`,
    )
  return found.flatMap((text) => (text === undefined ? [] : [JSON.parse(text)]))
}

const keep = (file: string, report: Published) =>
  writeText(file, `${JSON.stringify(report, null, 2)}\n`)

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}
