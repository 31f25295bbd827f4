// The model tells the truth: the same commands change it and Postgres alike, seen after every one of them. In Postgres they are
// carried out by the product's own functions, at made times.
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import type { Db } from '../../src/db/connect.ts'
import { seed } from '../../test/support/chance.ts'
import { compareHistory, imagineHistory, startPair } from './compare.ts'
import type { ProfileName } from './history.ts'
import { startVirtualDb, type Tools } from './postgres-setup.ts'
import { profileNames, shareOf, wanted } from './report.ts'

let db: Db
let tools: Tools

beforeAll(async () => {
  ;({ db, tools } = await startVirtualDb())
})

// biome-ignore lint/style/noProcessEnv: set by proof/model.ts, for as many histories as asked.
const asked = Number(process.env.CONFORMANCE ?? 12)

const values = fc.noBias(
  fc.array(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 30, size: 'max' }),
)

/**
 * Of thousands that are cheap to imagine, the few that come by everything worth comparing, for one model always the same; each thing
 * twice, because Postgres may take another of two that are due at the same moment, and go another way from there.
 */
function tellingOnes(profile: ProfileName): { telling: [number[]][]; missing: string[] } {
  const times = new Map(wanted[profile].map((label) => [label, 2]))
  const telling: [number[]][] = []
  // What is rare comes late, and a change of the model makes other things rare. The rounds are the seeds: which histories are telling
  // must not depend on the run's seed.
  for (let round = 1; times.size > 0 && round <= 50; round++) {
    for (const list of fc.sample(values, { seed: round, numRuns: 1_000 })) {
      const counts = new Map<string, number>()
      imagineHistory(list, profile, counts)
      const found = [...times].filter(([label]) => counts.has(label))
      for (const [label, left] of found)
        if (left > 1) times.set(label, left - 1)
        else times.delete(label)
      if (found.length > 0) telling.push([list])
    }
  }
  return { telling, missing: [...times.keys()] }
}

test.each(profileNames.map((profile) => [profile, shareOf(profile, asked)] as const))(
  `%s: Postgres and the model agree after every command of what is worth comparing, and of %i other histories (SEED=${seed})`,
  async (profile, others) => {
    const counts = new Map<string, number>()
    const property = fc.asyncProperty(values, async (list) => {
      await compareHistory(db, tools, list, profile, counts)
    })
    const { telling: examples, missing } = tellingOnes(profile)
    expect(missing).toEqual([])
    const numRuns = examples.length + others
    // The story of a failure is told as it is: to shrink it would take minutes.
    await fc.assert(property, { examples, numRuns, endOnFailure: true })
    expect(counts.size).toBeGreaterThan(0)
  },
)

test('a claim that nobody heard of is given back, unspent, and one that is known is kept', async () => {
  const pair = await startPair(db, tools, 'outbox')
  const wanted = {
    kind: 'enqueue',
    number: 0,
    isOnce: false,
    hasFallback: false,
    delayMs: 0,
  } as const
  const giveBack = { kind: 'give back', worker: 0 } as const
  const statuses = async () => {
    const { rows, attempts } = await pair.run(giveBack)
    return { rows: rows.map((row) => (row as unknown[])[0]), attempts: attempts.length }
  }
  await pair.run({ ...wanted, contact: 0 })
  await pair.run({ kind: 'claim', worker: 0, limit: 100 })
  await pair.run({ ...wanted, contact: 1 })
  await pair.run({ kind: 'claim', worker: 0, limit: 100, isUnheard: true })

  expect(await statuses()).toEqual({ rows: ['running', 'running'], attempts: 2 })
  await pair.run({ kind: 'advance', ms: 16_000 })
  expect(await statuses()).toEqual({ rows: ['running', 'pending'], attempts: 1 })
})

test('a model with a bug is told from Postgres', async () => {
  const pair = await startPair(db, tools, 'deep')
  pair.state.bug = 'the last status wins'
  const number = 0
  await pair.run({
    kind: 'enqueue',
    number,
    contact: 0,
    isOnce: false,
    hasFallback: false,
    delayMs: 0,
  })
  await pair.run({ kind: 'claim', worker: 0, limit: 100 })
  await pair.run({ kind: 'look', attempt: 1, fraction: 0 })
  await pair.run({ kind: 'post', attempt: 1, answer: 0 })
  await pair.run({ kind: 'settle', attempt: 1, fraction: 0 })
  const event = { number, wamid: 'wamid.1', attempt: 1, code: null, isNamed: true }
  for (const status of ['read', 'sent'] as const)
    await pair.run({ kind: 'tell', event: { ...event, status } })
  await pair.run({ kind: 'process', index: 0, isCutShort: false })
  const last = pair.run({ kind: 'process', index: 0, isCutShort: false })
  await expect(last).rejects.toThrow('Postgres is not what the model says')
})
