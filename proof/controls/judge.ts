// What a run of tests without a safeguard says: red is what it should be.

/** What Vitest's reporter `json` writes, as far as it matters here. */
export interface Report {
  testResults: {
    status: string
    message: string
    assertionResults: { status: string; fullName: string; failureMessages: string[] }[]
  }[]
}

export interface Judgement {
  /** Broken: the tests did not run at all, which says nothing. */
  verdict: 'red' | 'green' | 'broken'
  failed: { test: string; message: string }[]
}

export function judge({ testResults }: Report): Judgement {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const failed = tests
    .filter(({ status }) => status === 'failed')
    .map(({ fullName, failureMessages }) => ({
      test: fullName,
      message: failureMessages[0]?.split('\n')[0] ?? '',
    }))
  if (failed.length > 0) return { verdict: 'red', failed }
  const unread = testResults.filter(({ status, assertionResults: { length } }) => {
    return status === 'failed' && length === 0
  })
  if (tests.length === 0 || unread.length > 0) {
    return { verdict: 'broken', failed: unread.map(({ message }) => ({ test: '', message })) }
  }
  return { verdict: 'green', failed: [] }
}
