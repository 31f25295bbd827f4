import { expect, test } from 'vitest'
import { deadLetterReason } from '../api/contract-dead-letters.ts'
import { failedWithoutReasonRow, notSentRow, statusRows } from '../meta/outcome-fallbacks.ts'
import { codeRows } from '../meta/outcome-table.ts'
import type { LetterKind } from './queries.ts'
import { filterOfReason, reasonOf } from './reasons.ts'

const known = [...codeRows, ...statusRows, notSentRow, failedWithoutReasonRow].map(
  ({ name }) => name,
)

test('every code of Meta’s table has a class that says what to do', () => {
  const unsaid = known.filter((name) => reasonOf('outbound', name) === 'refused')
  expect([...new Set(unsaid)].toSorted()).toEqual(['FAILED', 'REFUSED'])
})

test('what came in is told by its kind, whatever its code', () => {
  for (const code of ['WINDOW_CLOSED', 'MALFORMED', '42P01']) {
    expect(reasonOf('inbound', code)).toBe('processing')
    expect(reasonOf('malformed', code)).toBe('malformed')
    expect(reasonOf('unroutable', code)).toBe('unroutable')
    expect(reasonOf('unknown', code)).toBe('unknown')
  }
})

test('as a filter each class finds what it is said of, and nothing else', () => {
  const kinds: LetterKind[] = ['outbound', 'inbound', 'malformed', 'unroutable', 'unknown']
  for (const kind of kinds) {
    for (const code of [...known, 'NEW_TO_US']) {
      const found = deadLetterReason.options.filter((reason) => {
        const filter = filterOfReason(reason)
        return (
          filter.kinds.includes(kind) &&
          (filter.codes?.includes(code) ?? true) &&
          !filter.notCodes?.includes(code)
        )
      })
      expect(found, `${kind} ${code}`).toEqual([reasonOf(kind, code)])
    }
  }
})
