import { describe, expect, test } from 'vitest'
import { newsOf } from './news.ts'

describe('the end of a restriction', () => {
  const untilOf = (expiration: unknown) => {
    const restriction_info = [
      { restriction_type: 'RESTRICTED_USER_INITIATED_MESSAGING', expiration },
    ]
    const [news] = newsOf('account_update', { event: 'ACCOUNT_RESTRICTION', restriction_info })
    const restrictions = (news?.said.restrictions ?? []) as { until: string | null }[]
    return restrictions[0]?.until
  }

  test('is told in seconds, as a number or as digits', () => {
    expect(untilOf(1788300037)).toBe('2026-09-01T22:00:37.000Z')
    expect(untilOf('1788300037')).toBe('2026-09-01T22:00:37.000Z')
  })

  test.each([
    ['milliseconds', 1788300037000],
    ['an object without a text', { toString: 1 }],
    ['a list', [1788300037]],
    ['nothing', null],
    ['no digits', ' 7'],
    ['no number', Number.NaN],
    ['before all times', -1],
  ])('is not known when it is %s', (_what, said) => {
    expect(untilOf(said)).toBeNull()
  })
})

test('a word that every object has is no news', () => {
  for (const event of ['constructor', 'toString', '__proto__']) {
    expect(newsOf('account_update', { event })).toEqual([])
  }
})
