// The lists of the ledger, filtered and a page at a time.
import type { LedgerList, LedgerView } from './ledger.ts'

/** Each for the lists that have such a key. */
export interface Filters {
  phone_number_id?: string | undefined
  recipient?: string | undefined
  wamid?: string | undefined
  endpoint?: string | undefined
  fault?: string | undefined
  state?: string | undefined
  status?: string | undefined
}

export interface PageRequest extends Filters {
  /** How many to leave out at the start. */
  offset?: number
  limit?: number
}

export interface LedgerPage {
  data: object[]
  total: number
  /** Where the next page begins; null after the last. */
  next_offset: number | null
  forgotten: number
}

const defaultLimit = 100

/** `phone_number_id` has been looked at already: it is about the whole ledger. */
export function pageOf(
  { forgotten, ...lists }: LedgerView,
  list: LedgerList,
  { offset = 0, limit = defaultLimit, phone_number_id: _seen, ...filters }: PageRequest,
): LedgerPage {
  const found = (lists[list] as object[]).filter(holds(filters))
  const data = found.slice(offset, offset + limit)
  const next = offset + data.length
  return {
    data: structuredClone(data),
    total: found.length,
    next_offset: next < found.length ? next : null,
    forgotten,
  }
}

/** Texts are compared as such, so that `status=200` finds the number too. */
export function holds(wanted: Filters) {
  return (entry: object): boolean =>
    Object.entries(wanted).every(([key, value]) => {
      if (value === undefined) return true
      const actual = Object.hasOwn(entry, key) ? (entry as Record<string, unknown>)[key] : undefined
      return key === 'recipient' ? names(actual, value) : String(actual) === value
    })
}

/** A recipient is a text in some lists and an object with several names in others. */
function names(recipient: unknown, wanted: string): boolean {
  return typeof recipient === 'object' && recipient !== null
    ? Object.values(recipient).includes(wanted)
    : recipient === wanted
}
