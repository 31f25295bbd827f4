// What the emulated Cloud Tasks was asked and what it did about it, oldest first.
export interface Creation {
  queue: string
  task: string
  at: string
  /** `dropped`: accepted and then lost, on purpose. */
  outcome: 'created' | 'dropped' | 'already_exists' | 'refused' | 'answer_lost'
}

export interface Dispatch {
  queue: string
  task: string
  /** Counts from 1. */
  attempt: number
  /** A second delivery of the same attempt, on purpose. */
  copy: boolean
  url: string
  body: string
  at: string
  ended_at: string | null
  /** Of the answer; null while there is none. */
  status: number | null
  error: string | null
}

export interface TaskLedger {
  creations: Creation[]
  dispatches: Dispatch[]
  /** Tasks that ended without a success: out of attempts. */
  abandoned: string[]
}

/** Enough for the largest test; the oldest go first after that. */
const capacity = 100_000

export function remember<Entry>(list: Entry[], entry: Entry): Entry {
  list.push(entry)
  if (list.length > capacity) list.splice(0, capacity / 10)
  return entry
}
