// What is said of an error code: in docs/errors.md, and by the type of `code` in errors.ts.

export interface ErrorRow {
  /** Of the HTTP answer. */
  status: number | readonly number[]
  /** Whether the very same request may succeed later: no, after a moment, or when the header Retry-After says. */
  again: 'no' | 'later' | 'retry-after'
  meaning: string
  remedy: string
}

export const never = (status: ErrorRow['status'], meaning: string, remedy: string): ErrorRow => ({
  status,
  again: 'no',
  meaning,
  remedy,
})

export const later = (status: ErrorRow['status'], meaning: string, remedy: string): ErrorRow => ({
  status,
  again: 'later',
  meaning,
  remedy,
})

export const whenTold = (
  status: ErrorRow['status'],
  meaning: string,
  remedy: string,
): ErrorRow => ({ status, again: 'retry-after', meaning, remedy })
