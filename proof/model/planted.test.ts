// A model that finds nothing proves nothing: every bug that is planted in it must be found, and its story be short.
import { expect, test } from 'vitest'
import type { ProfileName } from './history.ts'
import { type Bug, bugs } from './planted.ts'
import { checkHistories } from './properties.ts'

/** Its own: how many histories it takes to come by a planted bug depends on the seed, and says nothing about the product. */
const seed = 20261116

/** Where it shows; how many histories it may take. */
const places: Record<Bug, ProfileName> = {
  'a settlement needs no fence': 'deep',
  'an ambiguous send is sent again at once': 'deep',
  'silence counts while the inbox is behind': 'deep',
  'a denial is believed whatever lies unread': 'deep',
  'at_most_once is forgotten after a crash': 'deep',
  'the last status wins': 'ladder',
  'an early status is dropped': 'ladder',
  'an open circuit lets everyone try': 'weather',
  'a hold is not looked at': 'weather',
  'the cap does not count what runs': 'outbox',
  'a lane has no order': 'outbox',
  'a requeue revives the dead row': 'outbox',
  'an opt-out is not looked at again': 'outbox',
  'a lost lease still posts': 'outbox',
  'a late slot is used all the same': 'weather',
  'the next in the lane is not woken': 'outbox',
  'reconnecting wakes nobody': 'outbox',
  'a failed attempt ends the row': 'deep',
  'a known claim is given back': 'deep',
}

test.each(bugs)('it finds that %s', (bug) => {
  const profile = places[bug]
  const failure = checkHistories({ profile, histories: 20_000, seed, counts: new Map(), bug })
  expect(failure?.what).toMatch(/^Violation: /)
  expect(failure?.commands.length).toBeLessThan(50)
  // The same again, from what a failure prints.
  const path = failure?.path
  const again = checkHistories({ profile, histories: 20_000, seed, path, counts: new Map(), bug })
  expect(again?.what).toBe(failure?.what)
  expect(again?.commands).toEqual(failure?.commands)
})
