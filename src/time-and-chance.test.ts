import { expect, test } from 'vitest'
import { systemClock, systemRandom } from './time-and-chance.ts'

const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('uuids are unique and sort in the order they were made, also many in one millisecond', () => {
  const random = systemRandom({ ...systemClock, now: () => new Date(1_800_000_000_000) })
  const made = Array.from({ length: 10_000 }, () => random.uuid())

  expect([...made].sort()).toEqual(made)
  expect(new Set(made).size).toBe(made.length)
  for (const uuid of made) expect(uuid).toMatch(shape)
})

test('a clock that is set back does not turn the order round', () => {
  let now = 1_800_000_000_000
  const random = systemRandom({ ...systemClock, now: () => new Date(now) })
  const before = random.uuid()
  now -= 60_000

  expect(random.uuid() > before).toBe(true)
})

test('a clock that is set back by more than a minute is believed: ids are searched by their time', () => {
  let now = 1_800_000_000_000
  const random = systemRandom({ ...systemClock, now: () => new Date(now) })
  random.uuid()
  now -= 60_001

  expect(Number.parseInt(random.uuid().replace('-', '').slice(0, 12), 16)).toBe(now)
})

test('what is made within a parent sorts after older parents, before younger ones, and by its index', () => {
  const random = systemRandom(systemClock)
  const [first, second] = [random.uuid(), random.uuid()]
  const made = [0, 1, 2, 999, 16_383].map((index) => random.uuidWithin(first, index))

  expect([...made].sort()).toEqual(made)
  for (const uuid of made) {
    expect(uuid).toMatch(shape)
    expect(uuid < random.uuidWithin(second, 0)).toBe(true)
  }
})
