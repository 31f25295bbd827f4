import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageRoot } from '../src/package-root.ts'
import { judge } from './controls/judge.ts'
import { quickSetUp } from './controls/quick-set-up.ts'
import { safeguards } from './safeguards.ts'
import { type Edit, edited } from './tree.ts'

/** Throws where one does not fit. */
function applyAll(edits: Edit[]): void {
  const texts = new Map<string, string>()
  for (const edit of edits) {
    const text = texts.get(edit.file) ?? readFileSync(join(packageRoot, edit.file), 'utf8')
    texts.set(edit.file, edited(text, edit))
  }
}

describe.each(safeguards.map((safeguard) => [safeguard.name, safeguard] as const))(
  '%s',
  (_name, { edits, noticedBy }) => {
    test('can be left out of the sources as they are', () => {
      expect(edits.length).toBeGreaterThan(0)
      applyAll(edits)
    })

    test('has tests that are there to notice', () => {
      expect(noticedBy.length).toBeGreaterThan(0)
      for (const file of noticedBy) expect(existsSync(join(packageRoot, file)), file).toBe(true)
    })
  },
)

test('every safeguard has a name of its own', () => {
  expect(new Set(safeguards.map(({ name }) => name)).size).toBe(safeguards.length)
})

describe('a control', () => {
  test('leaves out of the set-up what it does not need', () => applyAll(quickSetUp))

  const file = (status: string, tests: [status: string, title: string][]) => ({
    testResults: [
      {
        status,
        message: status === 'failed' && tests.length === 0 ? 'Cannot find module' : '',
        assertionResults: tests.map(([status, fullName]) => ({
          status,
          fullName,
          failureMessages: status === 'failed' ? ['AssertionError: 1 instead of 2\n at …'] : [],
        })),
      },
    ],
  })

  test('is red when a test fails, and names it', () => {
    expect(
      judge(
        file('failed', [
          ['passed', 'a'],
          ['failed', 'b'],
        ]),
      ),
    ).toEqual({
      verdict: 'red',
      failed: [{ test: 'b', message: 'AssertionError: 1 instead of 2' }],
    })
  })

  test('is green when nothing fails: the safeguard is not guarded', () => {
    expect(judge(file('passed', [['passed', 'a']])).verdict).toBe('green')
  })

  test('is broken when the tests could not run: that says nothing of the safeguard', () => {
    expect(judge(file('failed', [])).verdict).toBe('broken')
    expect(judge({ testResults: [] }).verdict).toBe('broken')
  })
})
