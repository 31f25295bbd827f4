import { beforeAll, expect, test } from 'vitest'
import { createTestDb } from '../../test/support/database.ts'
import { type Db, sql } from '../db/connect.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { bury, type DeadLetter } from './bury.ts'

const random = systemRandom(systemClock)
let db: Db

beforeAll(async () => {
  db = (await createTestDb()).db
})

function letterAt(eventId: string, itemPath: string): DeadLetter {
  return {
    id: random.uuid(),
    tenantId: null,
    kind: 'malformed',
    eventId,
    itemPath,
    phoneNumberId: null,
    wabaId: null,
    errorCode: 'MALFORMED',
    errorMessage: 'for a test',
    raw: Buffer.from('{}'),
    correlationId: random.uuid(),
    createdAt: systemClock.now(),
  }
}

const buryOne = (letter: DeadLetter) => db.transaction((tx) => bury(tx, [letter]))

async function decide(letter: DeadLetter, state: 'requeued' | 'discarded') {
  await db.query(sql`
    update dead_letters
    set state = ${state}, decided_at = now(), decided_by = 'test', decision_reason = 'test'
    where id = ${letter.id}`)
}

test('a place has one open letter, however often its event is processed', async () => {
  const event = random.uuid()
  const first = letterAt(event, 'entry[0]')

  expect(await buryOne(first)).toEqual([first.id])
  expect(await buryOne(letterAt(event, 'entry[0]'))).toEqual([])
  const elsewhere = letterAt(event, 'entry[1]')
  expect(await buryOne(elsewhere)).toEqual([elsewhere.id])
})

test('twins in one batch are one letter', async () => {
  const event = random.uuid()
  const twins = [letterAt(event, 'entry[0]'), letterAt(event, 'entry[0]')]

  expect(await db.transaction((tx) => bury(tx, twins))).toEqual([twins[0]?.id])
})

test('a requeued place gets a new letter, a discarded one does not', async () => {
  const event = random.uuid()
  const [requeued, discarded] = [letterAt(event, 'entry[0]'), letterAt(event, 'entry[1]')]
  await db.transaction((tx) => bury(tx, [requeued, discarded]))
  await decide(requeued, 'requeued')
  await decide(discarded, 'discarded')

  const again = letterAt(event, 'entry[0]')
  const made = await db.transaction((tx) => bury(tx, [again, letterAt(event, 'entry[1]')]))

  expect(made).toEqual([again.id])
})

test('an event that fails as a whole is heard of, though somebody discarded it before', async () => {
  const event = random.uuid()
  const before = letterAt(event, '')
  await buryOne(before)
  await decide(before, 'discarded')

  const after = letterAt(event, '')

  expect(await buryOne(after)).toEqual([after.id])
})

test('two workers that bury the same place at once make one letter', async () => {
  const event = random.uuid()

  const made = await Promise.all(
    Array.from({ length: 4 }, () => buryOne(letterAt(event, 'entry[0]'))),
  )

  expect(made.flat()).toHaveLength(1)
})
