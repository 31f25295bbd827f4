// What a run of tests without a safeguard says: red is what it should be.
import type { Safeguard } from '../safeguards/safeguard.ts'

/** What Vitest's reporter `json` writes, as far as it matters here. */
export interface Report {
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

export interface Judgement {
  /** Missed: not all of the tests failed that are there to notice, whatever else did. Broken: nothing passed, or a file was not
   *  read, which says nothing. */
  verdict: 'red' | 'missed' | 'green' | 'broken'
  /** Those that are there to notice before all others. */
  failed: { test: string; message: string }[]
}

export function judge({ testResults }: Report, noticedBy: Safeguard['noticedBy']): Judgement {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({ ...test, file: name })),
  )
  const failures = tests.filter(({ status }) => status === 'failed')
  const named = Object.entries(noticedBy).map(([file, title]) =>
    failures.filter((test) => test.file.endsWith(`/${file}`) && test.fullName.includes(title)),
  )
  const failed = [...new Set([...named.flat(), ...failures])].map(
    ({ fullName, failureMessages }) => ({
      test: fullName,
      message: failureMessages[0]?.split('\n')[0] ?? '',
    }),
  )
  const unread = testResults.filter(({ status, assertionResults: { length } }) => {
    return status === 'failed' && length === 0
  })
  if (unread.length > 0 || !tests.some(({ status }) => status === 'passed')) {
    const reasons = unread.map(({ message }) => ({ test: '', message }))
    return { verdict: 'broken', failed: [...reasons, ...failed] }
  }
  if (failed.length === 0) return { verdict: 'green', failed }
  return { verdict: named.every(({ length }) => length > 0) ? 'red' : 'missed', failed }
}
