// After too many wrong passwords: how long to wait, kept true while one waits.
import { ApiProblem } from '../../api/problem.ts'
import { useNow } from '../../parts/time.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { signInWords } from './words.ts'

const lockedUntil = new WeakMap<ApiProblem, number>()

/** When one may try again; undefined where that is not the trouble. */
export function lockOf(error: unknown): number | undefined {
  if (!(error instanceof ApiProblem) || error.code !== 'SIGN_IN_LOCKED') return undefined
  const known = lockedUntil.get(error)
  if (known !== undefined) return known
  const until = Date.now() + Number(error.details.retry_after_seconds) * 1000
  lockedUntil.set(error, until)
  return until
}

const minuteMs = 60_000

export function LockedOut({ until }: { until: number }) {
  const words = useWords(signInWords)
  const format = useFormat()
  const leftMs = until - useNow()
  // Rounded up: who waits as long as this says has waited long enough.
  const shown = leftMs > minuteMs ? Math.ceil(leftMs / minuteMs) * minuteMs : leftMs + 999
  return (
    <p className="hint bad" role="alert">
      {leftMs > 0 ? words.locked(format.length(shown)) : words.lockOver}
    </p>
  )
}
