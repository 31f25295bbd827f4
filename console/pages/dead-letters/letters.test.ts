import { describe, expect, test } from 'vitest'
import { deadLetterReason } from '../../../src/api/contract-dead-letters.ts'
import { reasonOf } from '../../../src/dead-letters/reasons.ts'
import { codeRows } from '../../../src/meta/outcome-table.ts'
import { codeWords } from './code-words.ts'
import type { BulkAnswer, Counts } from './letters.ts'
import { outcomesOf } from './outcomes.ts'
import { reasonWords } from './reason-words.ts'

test('every class has words, and no word is of a code that is not known', () => {
  expect(Object.keys(reasonWords.en).toSorted()).toEqual(deadLetterReason.options.toSorted())
  const known = [...codeRows.map(({ name }) => name), 'ACCOUNT_NOT_FOUND', 'NOT_SENT', 'FAILED']
  const said = Object.keys(codeWords.en).filter((code) => code !== 'RETRIES_EXHAUSTED')
  expect(said.filter((code) => !known.includes(code))).toEqual([])
})

test('what only some codes of a class mean is said for each of them', () => {
  const manifold = ['template', 'recipient', 'account'] as const
  const unsaid = codeRows.filter(
    ({ name }) =>
      manifold.some((reason) => reason === reasonOf('outbound', name)) && !(name in codeWords.en),
  )
  expect(unsaid.map(({ name }) => name)).toEqual([])
})

describe('a dry run', () => {
  const answer: BulkAnswer = {
    dry_run: true,
    matched: 9,
    decided: 0,
    remaining: 6,
    by_kind: { outbound: 4, unknown: 2, malformed: 3 },
    may_arrive_twice: 2,
    next_start_at: null,
    skipped: {
      payload_pruned: 2,
      message_not_failed: 1,
      outcome_known: 0,
      already_decided: 0,
      not_found: 0,
    },
  }
  const group = { kind: 'outbound', error_code: '', newest_at: '' } as const
  const groups: Counts['groups'] = [
    { ...group, reason: 'window', count: 3 },
    { ...group, reason: 'tries', count: 1 },
    { ...group, reason: 'window', count: 1 },
  ]

  test('says how many of what would happen, and what would not', () => {
    expect(outcomesOf('requeue', answer, groups)).toMatchObject([
      { what: 'messages', count: 5 },
      { what: 'webhooks', count: 1 },
      { what: 'again', count: 4, reasons: [{ reason: 'window', count: 4 }] },
      { what: 'twice', count: 2 },
      { what: 'pruned', count: 2 },
      { what: 'notFailed', count: 1 },
    ])
  })

  test('of discarding leaves nothing to fail', () => {
    const none = { ...answer.skipped, payload_pruned: 0, message_not_failed: 0 }
    expect(outcomesOf('discard', { ...answer, remaining: 9, skipped: none }, groups)).toEqual([
      { what: 'discarded', count: 9, tone: 'ok' },
    ])
  })
})
