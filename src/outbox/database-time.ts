// What the database's clock says, in moments of this process's own: every answer that names a time narrows it down. So a
// moment that the database gave out can be kept to a few milliseconds, however slow its answers are.

export interface DatabaseTime {
  /** The database named this time (in milliseconds) in an answer that was asked for and heard at these moments. */
  note(saidMs: number, askedMs: number, heardMs: number): void
  /** The earliest and the latest that this time of the database can be here. */
  here(databaseMs: number): { fromMs: number; toMs: number }
}

/** How far two clocks drift apart: 200 ppm is a bad one. */
const driftPerMs = 0.0002
/** A database whose every answer takes longer is believed to answer in the middle of that. */
const widestMs = 20

export function createDatabaseTime(): DatabaseTime {
  /** Theirs minus ours is between these, as of `atMs`. */
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  let atMs = 0
  return {
    note(saidMs, askedMs, heardMs) {
      const drift = Math.max(0, heardMs - atMs) * driftPerMs
      const narrowed = [
        Math.max(low - drift, saidMs - heardMs),
        Math.min(high + drift, saidMs - askedMs),
      ] as const
      // Somebody set the clock: what was known is of no use.
      const isPossible = narrowed[0] <= narrowed[1]
      low = isPossible ? narrowed[0] : saidMs - heardMs
      high = isPossible ? narrowed[1] : saidMs - askedMs
      atMs = heardMs
    },
    here(databaseMs) {
      const middle = (low + high) / 2
      const half = Math.min((high - low) / 2, widestMs / 2)
      return { fromMs: databaseMs - middle - half, toMs: databaseMs - middle + half }
    },
  }
}
