// What a row of the outcome table says.

export type OutcomeClass =
  | 'accepted'
  /** No byte left us. */
  | 'not_sent'
  | 'rate_limited'
  /** Too many recipients complained: lifts after hours, not seconds. */
  | 'spam_limited'
  | 'pair_limited'
  /** The business must repair something at Meta; a token is not the trouble. */
  | 'account'
  | 'auth'
  | 'permanent'
  | 'recipient'
  | 'transient'
  /** Meta may or may not have it. */
  | 'unknown'

/** Who else would be answered the same: all of the app, the WABA or the number, this contact of the number, nobody. */
export type OutcomeScope = 'app' | 'waba' | 'number' | 'pair' | 'message'

export interface OutcomeRow {
  /** `error_code` in our API. Stable: programs compare it. */
  name: string
  class: OutcomeClass
  scope: OutcomeScope
  /** For a person: what to do. */
  advice: string
}

export interface CodeRow extends OutcomeRow {
  /** Meta's `error.code`; a pair is a range with both ends in it. */
  codes: readonly (number | readonly [number, number])[]
  /** Only with one of these `error_subcode`s; such a row goes before one without. */
  subcodes?: readonly (number | readonly [number, number])[]
}

export interface StatusRow extends OutcomeRow {
  /** HTTP statuses, for answers without a code that we know. */
  statuses: readonly (number | readonly [number, number])[]
}
