import { describe, expect, test } from 'vitest'
import type { OutcomeClass } from '../meta/outcome-row.ts'
import { verdictOf } from './weather.ts'

describe('what counts as a failure of Meta', () => {
  const verdicts: Record<OutcomeClass, string> = {
    accepted: 'answered',
    not_sent: 'unreachable',
    transient: 'failed',
    unknown: 'failed',
    rate_limited: 'answered',
    spam_limited: 'answered',
    pair_limited: 'answered',
    account: 'answered',
    auth: 'answered',
    permanent: 'answered',
    recipient: 'answered',
  }
  test.each(Object.entries(verdicts))('%s: %s', (name, verdict) => {
    expect(verdictOf({ class: name as OutcomeClass })).toBe(verdict)
  })
})
