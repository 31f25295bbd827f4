// The port: what has come in before, what has gone out before. Postgres decides both, in the transaction of the effect; an
// outside store is a filter in front of it. Losing the filter costs time and changes nothing; while it does not answer,
// nothing is taken in and nothing is sent.
import type { BatchResult } from '../micro-batch.ts'

export type Stored = BatchResult<'stored' | 'duplicate'>

export interface Dedupe {
  store: 'postgres' | 'redis' | 'firestore'
  /**
   * Inbound. Marks what is new, hands `commit` everything that is not known to be committed, and says of the rest that it
   * is a duplicate. A mark becomes final only after the commit: whoever dies in between leaves a mark that stops nobody.
   * Rejects with `DedupeUnavailable`, before anything is committed.
   */
  markIfNew<Item>(
    items: Item[],
    nameOf: (item: Item) => string,
    commit: (items: Item[]) => Promise<Stored[]>,
  ): Promise<Stored[]>
  /**
   * Outbound. Runs `post` with the key marked `pending`, which ends as `sent` or `failed`. Only whom Postgres gave the row
   * may call this; that alone makes sure that there is one. Never rejects because of the store.
   */
  postOnce<Value>(turn: Turn, post: () => Promise<Posted<Value>>): Promise<Turned<Value>>
  /** Whether there is a point in taking up sends. Asks the store only after it failed. */
  isThere(): Promise<boolean>
  /** Asks the store now. Empty: it answers. */
  problems(): Promise<string[]>
  /** Resolves when no mark is on its way. */
  idle(): Promise<void>
  close(): Promise<void>
}

export interface Turn {
  /** Names the row for good: never another message's, whatever is restored from a backup. */
  name: string
  attempt: string
}

export interface Posted<Value> {
  value: Value
  /** What Meta called it, sealed, when Meta took it: for whoever finds the row unsettled. Null: not taken, as far as is known. */
  proof: (() => string) | null
}

export type Turned<Value> =
  | { state: 'posted'; value: Value }
  /** By an earlier attempt, whose result never reached Postgres. */
  | { state: 'sent'; proof: string }
  /** Another attempt is at it, or was until it died. */
  | { state: 'pending'; retryAfterMs: number }
  | { state: 'unavailable'; retryAfterMs: number }

export class DedupeUnavailable extends Error {
  readonly code = 'DEDUPE_UNAVAILABLE'
  constructor(cause?: unknown) {
    super('The dedupe store does not answer.', { cause })
    this.name = 'DedupeUnavailableError'
  }
}
