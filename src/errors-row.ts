// What is said of an error code: in docs/errors.md, and by the type of `code` in errors.ts.

export interface ErrorRow {
  /** Of the HTTP answer. */
  status: number | readonly number[]
  /** Whether the very same request may succeed later. `wait`: after Retry-After, or a moment. */
  again: 'no' | 'wait'
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
  again: 'wait',
  meaning,
  remedy,
})
