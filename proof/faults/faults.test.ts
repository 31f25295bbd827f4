// Processes die at labelled places in the code, and databases, networks and Metas fail in their ways: nothing is lost, doubled
// or left behind. A handful here, by the seed; all of it with `npm run test:faults`.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { packageRoot } from '../../src/package-root.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { seed } from '../../test/support/chance.ts'
import { seeded, shuffled } from '../../test/support/seeded.ts'
import { findCrashPoints, makeTree, sourceFiles } from '../tree.ts'
import { elsewhere } from './elsewhere.ts'
import { live } from './life.ts'
import { migrateOnceMore } from './migration.ts'
import { type Stage, setStage } from './stage.ts'
import { suffer } from './suffer.ts'
import { heldByTests, tableOf } from './table.ts'
import { troubles } from './troubles.ts'
import { unlabelled } from './unlabelled.ts'
import { ways } from './ways.ts'

/* biome-ignore-start lint/style/noProcessEnv: set by proof/faults.ts for a run in full. */
/** `all`, or names of crash points and troubles, with a bar between them. */
const wanted = process.env.FAULTS?.split('|')
const report = process.env.FAULTS_REPORT
/* biome-ignore-end lint/style/noProcessEnv: see above */
const fewPoints = 2
/** The rest takes longer, or is seen in end-to-end tests. */
const fewTroubles = ['answers to commits get lost', 'it stands still past its leases']

const fraction = seeded(seed)
const choices = Object.entries(ways).map(([label, way]) => {
  return { label, way, pass: 1 + Math.floor(fraction() * (way.passes ?? 1)) }
})
const isWanted = (name: string) => wanted?.includes('all') || wanted?.includes(name)
const points = wanted
  ? choices.filter(({ label }) => isWanted(label))
  : shuffled(choices, fraction).slice(0, fewPoints)
const names = wanted ? Object.keys(troubles).filter(isWanted) : fewTroubles

test('every crash point of the sources is one of a kind, and it is known how to reach it', async () => {
  const labels = (await findCrashPoints()).map(({ label }) => label)

  expect(labels.filter((label, index) => labels.indexOf(label) !== index)).toEqual([])
  expect(labels.sort()).toEqual(Object.keys(ways).sort())
})

test('every file that commits has a crash point, or it is known why it needs none', async () => {
  const labelled = (await findCrashPoints()).map(({ file }) => file)
  const committing = (await sourceFiles()).filter((file) =>
    readFileSync(join(packageRoot, file), 'utf8').includes('.transaction('),
  )
  expect(committing.filter((file) => !labelled.includes(file)).sort()).toEqual(
    Object.keys(unlabelled).sort(),
  )
})

test('every end-to-end test that is run besides is there', () => {
  expect(elsewhere.filter((file) => !existsSync(join(packageRoot, file)))).toEqual([])
})

test('a run that leaves out what it was asked for says so', () => {
  const asked = { points: ['a.point'], faults: ['a fault'], tests: ['a.test.ts'] }
  const life = { label: 'a.point', pass: 1, deaths: 1, passed: ['a.point'], violations: [] }
  const fault = { name: 'a fault', violations: [] }
  const file = new Map([['a.test.ts', 'everything']])

  expect(tableOf(asked, [life, fault], file).missing).toEqual([])
  expect(tableOf(asked, [life, { ...fault, leftOut: 'no disk' }], file).missing).toEqual([])
  expect(tableOf(asked, [{ ...life, deaths: 0 }], new Map()).missing).toEqual([
    'never reached: a.point',
    'nothing is known: a fault',
    'did not run: a.test.ts',
  ])
})

test('a test file of which nothing ran held nothing', () => {
  const of = (...titles: string[]) => ({
    status: 'passed',
    assertionResults: titles.map((fullName) => ({
      fullName,
      status: fullName.startsWith('-') ? 'skipped' : 'passed',
    })),
  })
  const hint = '-with Redis (skipped: no redis-server) it holds'

  expect(heldByTests(of('one', 'two'))).toBe('everything')
  expect(heldByTests({ ...of('one'), status: 'failed' })).toBe('failed')
  expect(heldByTests(of())).toBe('did not run')
  expect(heldByTests(of('-one', '-two'))).toBe('did not run')
  expect(heldByTests(of(hint))).toBe('left out: no redis-server')
  expect(heldByTests(of('one', '-two'))).toBe('left out: 1 of 2 tests')
  expect(heldByTests(of('one', hint))).toBe('left out: 1 of 2 tests, no redis-server')
})

// Leases, probes and back-off run out in real time here, one after another.
const patient = { timeout: 480_000 }

describe(`nothing is lost, doubled or left behind when (SEED=${seed})`, patient, () => {
  let program: string
  let stage: Stage

  beforeAll(async () => {
    const tree = await makeTree()
    afterFile(tree.remove)
    program = await tree.bundle()
    stage = await setStage(program)
  }, patient.timeout)

  // A few side by side, because they wait more than they work.
  const side = wanted ? test : test.concurrent
  side.each(points)('a process dies at $label, pass $pass', async ({ label, way, pass }) => {
    const options = { stage, program, label, way, pass }
    const outcome = await (way.isMigration ? migrateOnceMore(options) : live(options))
    if (report !== undefined) appendFileSync(report, `${JSON.stringify(outcome)}\n`)

    expect(outcome.violations).toEqual([])
    expect(outcome.deaths).toBe(way.after === undefined ? 1 : 2)
  })

  side.each(names)('%s', async (name) => {
    const trouble = troubles[name]
    if (!trouble) throw new Error('bug: a trouble without a name')
    const suffered = await suffer({ stage, program, trouble, fraction })
    if (report !== undefined) appendFileSync(report, `${JSON.stringify({ name, ...suffered })}\n`)

    expect(suffered.violations).toEqual([])
  })
})
