import { readFileSync } from 'node:fs'
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
      expect(Object.keys(noticedBy)).not.toEqual([])
      const isThere = ([file, title]: [string, string]) =>
        readFileSync(join(packageRoot, file), 'utf8').includes(title)
      expect(Object.entries(noticedBy).filter((one) => !isThere(one))).toEqual([])
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
        name: '/tree/a.test.ts',
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
  const noticedBy = { 'a.test.ts': 'guards' }
  const message = 'AssertionError: 1 instead of 2'

  test('is red when the test fails that is there to notice, which is named first', () => {
    const report = file('failed', [
      ['passed', 'a'],
      ['failed', 'b'],
      ['failed', 'c guards it'],
    ])
    const failed = ['c guards it', 'b'].map((test) => ({ test, message }))
    expect(judge(report, noticedBy)).toEqual({ verdict: 'red', failed })
  })

  test('is missed when only others fail, or not all that are there to notice', () => {
    const others = file('failed', [
      ['passed', 'c guards it'],
      ['failed', 'b'],
    ])
    expect(judge(others, noticedBy).verdict).toBe('missed')
    const half = file('failed', [
      ['passed', 'a'],
      ['failed', 'c guards it'],
    ])
    expect(judge(half, { ...noticedBy, 'b.test.ts': 'guards' }).verdict).toBe('missed')
  })

  test('is green when nothing fails: the safeguard is not guarded', () => {
    expect(judge(file('passed', [['passed', 'c guards it']]), noticedBy).verdict).toBe('green')
  })

  test('is broken when the tests could not run, or none passed: that says nothing of the safeguard', () => {
    expect(judge(file('failed', []), noticedBy).verdict).toBe('broken')
    expect(judge({ testResults: [] }, noticedBy).verdict).toBe('broken')
    expect(judge(file('failed', [['failed', 'c guards it']]), noticedBy).verdict).toBe('broken')
  })
})
