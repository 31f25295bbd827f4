// A run from beginning to end: place, load, torment, quiet, evidence, verdict. The seed decides everything that is decided here.
import { createWriteStream } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterFile, endFile } from '../../test/support/after-file.ts'
import { seeded } from '../../test/support/seeded.ts'
import { commitOf } from '../commit.ts'
import { type Edit, makeTree } from '../tree.ts'
import { drain } from './drain.ts'
import { type FaultKind, faultKinds } from './faults.ts'
import { openConversations, startLoad } from './load.ts'
import type { NemesisOptions } from './options.ts'
import { makePlace, type Place, slowNumbers } from './place.ts'
import { neverHappened, type Report, reportOn } from './report.ts'
import { torment } from './torment.ts'
import { judge, type Verdict } from './verdict.ts'

/** Runs, checks, and cleans up nothing: that is for whoever called (`endFile`). */
export async function runNemesis(options: NemesisOptions): Promise<Report> {
  const { seed, say } = options
  const commit = commitOf()
  say(
    `nemesis: seed ${seed}, commit ${commit}, ${options.minutes} min, ${options.webhooksPerSecond} webhooks/s, ${options.sendsPerSecond} sends/s, ${options.workers} workers, RECONCILE_SECONDS ${options.reconcileSeconds}`,
  )
  const kinds = kindsOf(options.faults)
  const program = await buildArmed(options.edits)
  const place = await makePlace({ ...options, program })
  await openConversations(place)
  const history = createWriteStream(join(place.folder, 'faults.log'))
  const notes: Record<string, number> = {}
  const load = startLoad(place, options)
  const run = {
    place,
    log: load.log,
    dice: seeded(seed),
    note: (what: string) => {
      notes[what] = (notes[what] ?? 0) + 1
    },
  }
  const forMs = options.minutes * 60_000
  const tormenting = torment(run, {
    ...options,
    kinds,
    forMs,
    say: (line) => {
      history.write(`${line}\n`)
      say(line)
    },
  })
  let isOver = false
  const measuring = options.beside?.(place, () => isOver)
  const { counts: faults, failures } = await tormenting
  isOver = true
  await measuring
  await place.postgres.startAgain()
  place.simulator.clearFaults()
  say('quiet')
  await load.stop()
  const drained = await drain(place, say)
  say(`drained in ${drained.seconds.toFixed(1)} s`)
  const verdict = await judge(place, load.log, drained)
  await new Promise<void>((resolve) => history.end(resolve))
  if (options.keep) await keepOutputs(place, verdict, options.keep)
  const report = reportOn({
    options,
    commit,
    place,
    log: load.log,
    drained,
    faults,
    notes,
    verdict,
  })
  report.violations.push(...failures.map((one) => `the torment: ${one}`))
  if (Object.values(faults).every((count) => count === 0))
    report.violations.push('the torment: no fault ever began, the run proves nothing')
  if (options.needsAll && !options.faults && options.minutes > 5)
    report.violations.push(...neverHappened(report))
  return report
}

/** Those with these names; what is no name of a kind is an error. */
export function kindsOf(names?: string[]): FaultKind[] {
  const unknown = names?.filter((name) => faultKinds.every((kind) => kind.name !== name)) ?? []
  if (unknown.length > 0) {
    const known = faultKinds.map(({ name }) => name).join(', ')
    throw new Error(`There is no fault "${unknown.join('", "')}". There are: ${known}.`)
  }
  return faultKinds.filter(({ name }) => names?.includes(name) ?? true)
}

async function buildArmed(edits: Edit[] = []): Promise<string> {
  const tree = await makeTree([slowNumbers, ...edits])
  afterFile(tree.remove)
  return tree.bundle()
}

async function keepOutputs({ folder }: Place, verdict: Verdict, target: string): Promise<void> {
  await cp(folder, target, {
    recursive: true,
    filter: (path) => path === folder || /\.(out|err|crashes|log)$/.test(path),
  })
  await writeFile(join(target, 'evidence.json'), JSON.stringify(verdict))
}

/** The whole of a program that runs: it ends with the seed, whatever came of it, because that is what somebody will look for. */
export async function endWithSeed(seed: string, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    console.error(error)
    return 1
  } finally {
    await endFile().catch((error) => console.error(error))
    console.log(`seed ${seed}`)
  }
}
