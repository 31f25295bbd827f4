// The short part of `npm run test:fuzz`: webhooks with anything in them changed, over HTTP, against the built program.
import { beforeAll, expect, test } from 'vitest'
import { committedSeed } from '../../test/runner/seed.ts'
import { seed } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { resource } from '../../test/support/resources.ts'
import { grammarKind } from './grammar.ts'
import type { GrammarPlace } from './model.ts'
import { openForGrammar } from './place.ts'
import { missedBy, runKind, type StallOptions, toldOf } from './run.ts'

let place: GrammarPlace
/** In time on the processor: however much else the machine has to do. */
let stall: StallOptions

beforeAll(async () => {
  const database = await createTestDb()
  const opened = await openForGrammar({
    database,
    program: (await resource('programs')).program,
    checkOneIn: 1,
  })
  place = opened
  stall = { limitMs: 1_000, take: opened.gateway.takeStall }
})

test(`800 deliveries: each is answered as it must be, and every good sibling arrives once (SEED=${seed})`, async () => {
  const kind = grammarKind(place, 'short')
  const result = await runKind(kind, { seed, cases: { count: 800 }, stall })

  expect(toldOf(result)).toEqual([])
  expect(missedBy(kind, result)).toEqual([])
  expect([...kind.counts().keys()]).toEqual(expect.arrayContaining(['200', '401', '403', '415']))
})

test('what is not stored, not answered or not as it must be is found', async () => {
  // A gateway that says yes to everything, and forgets one delivery in three.
  let deliveries = 0
  const forgetful: GrammarPlace = {
    ...place,
    ask: async (request) => {
      if (++deliveries % 3 > 0) return place.ask(request)
      return { status: 200, headers: new Headers(), text: '', json: { received: true } }
    },
  }
  const failing: GrammarPlace = {
    ...place,
    ask: async () => ({ status: 500, headers: new Headers(), text: '', json: {} }),
  }
  const problemsOf = async (broken: GrammarPlace, tag: string) => {
    const kind = { ...grammarKind(broken, tag), smaller: () => [] }
    // Among sixty deliveries of another seed there may be none with a wrong signature.
    const { failures } = await runKind(kind, { seed: committedSeed, cases: { count: 60 } })
    return failures.map(({ problem }) => problem)
  }

  const forgotten = await problemsOf(forgetful, 'forgotten')
  expect(forgotten).toContain('a good sibling is there 0 times')
  expect(forgotten).toContain('answered 200, allowed is 401')
  expect(await problemsOf(failing, 'failed')).toContain('answered 500, allowed is 200')
})
