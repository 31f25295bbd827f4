// How often a gateway may ask to come later before a run takes it for a finding.
import { expect, test } from 'vitest'
import { bytesKind } from './bytes.ts'
import { askPatiently, type FuzzAnswer, later, laterAllowed } from './http.ts'
import { missedBy } from './run.ts'

const answer = (status: number, headers: Record<string, string> = {}): FuzzAnswer => ({
  ...{ status, headers: new Headers(headers), text: '', json: undefined },
})

test('whoever is asked to come later comes again, and each time counts', async () => {
  const answers = [answer(503, { 'retry-after': '1' }), answer(500, { 'retry-after': '1' })]
  const counts = new Map<string, number>()
  const request = { method: 'GET', path: '/', headers: {} }
  const ask = async () => answers.shift() ?? answer(200)

  expect(await askPatiently(ask, request, counts)).toMatchObject({ status: 200 })
  expect(counts.get(later)).toBe(2)
  // Without a word about later it is an answer like any other.
  expect(await askPatiently(async () => answer(500), request, counts)).toMatchObject({
    status: 500,
  })
  expect(counts.get(later)).toBe(2)
})

test('a run has missed something that was put off too often, or came to no case at all', () => {
  const kindOf = (times: number) => ({ ...bytesKind([]), counts: () => new Map([[later, times]]) })
  const of = { ran: 10, made: 10, tookMs: 1, failures: [] }

  expect(missedBy(kindOf(5), of)).toEqual([])
  expect(missedBy(kindOf(6), of)).toEqual(['it asked to come later 6 times, not 5'])
  expect(missedBy(kindOf(0), { ...of, made: 0 })).toEqual(['no case was made'])
})

test('a few times are allowed in any run, more only in a long one', () => {
  expect([0, 10_000, 100_000, 1_000_000].map(laterAllowed)).toEqual([5, 5, 10, 100])
})
