// One thing that Meta has to tell, and how several of them become one POST.
import type { DeliveredItem } from '../ledger.ts'

export interface Update {
  /** A WABA id, for some fields a business portfolio id. */
  entryId: string
  /** Seconds. Account and template fields have it, messages do not. */
  time?: number
  field: string
  value: Record<string, unknown>
  item: DeliveredItem
  waba_id: string | null
  /** The customer it is about, if any. */
  recipient: string | null
}

interface Change {
  value: Record<string, unknown>
  field: string
}

interface Entry {
  id: string
  time?: number
  changes: Change[]
}

/** Meta's ceilings for one POST. */
export const maxUpdatesPerPost = 1000
export const maxBytesPerPost = 3 * 1024 * 1024

/**
 * One entry per account, in it one change per field, number and kind, in that the messages or
 * statuses side by side: every array that a receiver might take for a single value has several.
 */
export function envelope(updates: readonly Update[]) {
  const entries = new Map<string, Entry>()
  const openChanges = new Map<string, Change>()
  for (const update of updates) {
    const { entryId, field, item, time } = update
    const entry = entries.get(entryId) ?? {
      id: entryId,
      ...(time === undefined ? {} : { time }),
      changes: [],
    }
    entries.set(entryId, entry)
    const key = JSON.stringify([entryId, field, item.phone_number_id, item.kind])
    const open = openChanges.get(key)
    if (open !== undefined && item.kind !== 'event') {
      mergeLists(open.value, update.value)
      continue
    }
    const change = { value: { ...update.value }, field }
    openChanges.set(key, change)
    entry.changes.push(change)
  }
  return { object: 'whatsapp_business_account', entry: [...entries.values()] }
}

function mergeLists(into: Record<string, unknown>, from: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(from)) {
    if (!Array.isArray(value)) continue
    const before = Array.isArray(into[key]) ? into[key] : []
    const added = key === 'contacts' ? value.filter((each) => !includesEqual(before, each)) : value
    into[key] = [...before, ...added]
  }
}

function includesEqual(list: unknown[], value: unknown): boolean {
  const text = JSON.stringify(value)
  return list.some((each) => JSON.stringify(each) === text)
}
