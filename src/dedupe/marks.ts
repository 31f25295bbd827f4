// What an outside store has to be able to do, one key at a time: redis.ts, firestore.ts. What it means: filter.ts.

/** `new`: marked by this call. `pending`: marked by another one, whose commit nobody has heard of. */
export type Mark = 'new' | 'pending' | 'done'

export type Begun =
  /** `place` is where it ends. */
  | { state: 'begun'; place: string }
  | { state: 'sent'; proof: string }
  /** Another attempt holds it, for so long. */
  | { state: 'pending'; leftMs: number }

export interface MarkTimes {
  /** How long a mark of something inbound waits for its commit. */
  commitMs: number
  /** How long an attempt to send may take; a mark older than that is taken over. */
  postMs: number
  /** How long marks that are final live. */
  keepMs: number
}

export interface Marks {
  /** In one round trip, as far as keys are new; the same key twice is `new` once. */
  markIfNew(keys: string[]): Promise<Mark[]>
  confirm(keys: string[]): Promise<void>
  /** Atomic: of many at once one begins. The same attempt may begin again. */
  begin(key: string, attempt: string): Promise<Begun>
  /** Whoever holds it by now: that Meta has it is a fact. */
  finishSent(place: string, attempt: string, proof: string): Promise<void>
  /** Only what this attempt holds. */
  finishFailed(place: string, attempt: string): Promise<void>
  check(): Promise<void>
  close(): Promise<void>
}
