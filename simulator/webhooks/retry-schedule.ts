// When an unanswered webhook is tried again: soon at first, then ever more rarely, for seven days.

const secondMs = 1000
const longestPauseMs = 12 * 3_600_000
const givesUpAfterMs = 7 * 24 * 3_600_000

/** Meta publishes no table; doubling pauses up to half a day fit what it says. */
export const sevenDaysOfRetries: readonly number[] = growingPauses()

function growingPauses(): number[] {
  const pauses: number[] = []
  let passedMs = 0
  for (let pauseMs = secondMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    if (passedMs + pauseMs > givesUpAfterMs) return pauses
    passedMs += pauseMs
    pauses.push(pauseMs)
  }
}
