import { describe, expect, test } from 'vitest'
import { failureWords } from './failure-words.ts'
import { failureOf, knownCodes } from './failures.ts'

const about = { name: 'Mara', firm: 'Quint', template: 'reminder' }
const refused = (code: number, name: string) => ({
  status: 'failed' as const,
  error: {
    code: name,
    message: 'advice',
    provider: { code, message: 'Meta’s words', fbtrace_id: 'Az8' },
  },
})

describe('every failure that people meet', () => {
  test.each([
    131047, 131026, 131056, 190, 132001, 131053, 131052, 131051, 131049, 131048, 130429, 131031,
    131042, 131045, 131021, 131030, 100, 10, 368, 130472, 132000, 132005, 132007, 132012, 132015,
    132016, 131050, 130403, 131000, 131016,
  ])('%i has a text of its own in every language', (code) => {
    expect(knownCodes).toContain(code)
    const { kind } = failureOf(refused(code, 'ANY'))
    const texts = Object.values(failureWords).map((words) => words[kind](about))
    expect(new Set(texts).size).toBe(4)
    for (const text of texts) expect(text.length).toBeGreaterThan(20)
  })

  test.each([
    ['WINDOW_CLOSED', 'windowClosed'],
    ['EXPIRED', 'expired'],
    ['RECIPIENT_SUPPRESSED', 'suppressed'],
    ['MEDIA_NOT_AVAILABLE', 'fileGone'],
    ['ACCOUNT_NOT_FOUND', 'numberGone'],
    ['A_NAME_OF_NEXT_YEAR', 'refused'],
  ])('%s, where Meta gave no code', (code, kind) => {
    const error = { code, message: 'advice', provider: null }
    expect(failureOf({ status: 'failed', error })).toMatchObject({ kind, code, said: undefined })
  })
})

test('a code that is in no list is told by our name for it', () => {
  expect(failureOf(refused(131208, 'RATE_LIMITED')).kind).toBe('tooFast')
  expect(failureOf(refused(999_999, 'META_TROUBLE')).kind).toBe('metaTrouble')
  expect(failureOf(refused(100, 'NUMBER_NOT_ACCESSIBLE')).kind).toBe('permissionLost')
})

test('Meta’s own words and trace are kept apart', () => {
  expect(failureOf(refused(131026, 'UNDELIVERABLE'))).toEqual({
    kind: 'notReached',
    actions: ['again'],
    code: '131026',
    said: 'Meta’s words',
    metaTrace: 'Az8',
  })
})

test('an error as Meta writes it, for what was not sent by us', () => {
  const error = {
    code: 131053,
    title: 'Media upload error',
    error_data: { details: 'Unsupported' },
  }
  expect(failureOf({ status: 'failed', error })).toMatchObject({
    kind: 'fileRefused',
    said: 'Unsupported',
  })
})

test('what nobody knows is told as that, whatever the error says', () => {
  const error = { code: 'OUTCOME_UNKNOWN', message: '', provider: null }
  expect(failureOf({ status: 'unknown', error }).kind).toBe('notKnown')
  expect(failureOf({ status: 'unknown', error: null })).toMatchObject({
    kind: 'notKnown',
    code: 'unknown',
  })
})
