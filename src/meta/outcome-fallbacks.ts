// What is seen where no code of Meta's decides: HTTP statuses, silence, and a status that only says failed.
import type { OutcomeRow, StatusRow } from './outcome-row.ts'

/** Only where Meta gives no code, or one that is not in its documentation. */
export const statusRows: readonly StatusRow[] = [
  {
    name: 'TOKEN_INVALID',
    class: 'auth',
    scope: 'number',
    statuses: [401],
    advice: 'Meta does not take the access token: reconnect the account.',
  },
  {
    name: 'RATE_LIMITED',
    class: 'rate_limited',
    scope: 'number',
    statuses: [429],
    advice: 'Meta asks for fewer calls; sending is slowed down and goes on by itself.',
  },
  {
    // Said by a server that did not wait for, or does not yet want, the whole request.
    name: 'META_TROUBLE',
    class: 'transient',
    scope: 'message',
    statuses: [408, 425, 500, 501, 503, [505, 519]],
    advice: 'Meta has trouble; the message is tried again by itself.',
  },
  {
    // Whoever wrote it stands between Meta and us, and does not know what Meta did.
    name: 'OUTCOME_UNKNOWN',
    class: 'unknown',
    scope: 'message',
    statuses: [502, 504, [520, 599]],
    advice:
      'The answer was lost on its way, so Meta may have the message; it is looked for before another try.',
  },
  {
    name: 'REFUSED',
    class: 'permanent',
    scope: 'message',
    statuses: [[400, 499]],
    advice: 'Meta refuses the message without a reason that we know; see its own words.',
  },
  {
    // Also a redirect: we follow none, and cannot tell what stands behind it.
    name: 'OUTCOME_UNKNOWN',
    class: 'unknown',
    scope: 'message',
    statuses: [[100, 399]],
    advice:
      'The answer cannot be read, so Meta may have the message; it is looked for before another try.',
  },
]

export const notSentRow: OutcomeRow = {
  name: 'NOT_SENT',
  class: 'not_sent',
  scope: 'message',
  advice: 'Meta could not be reached, and nothing was sent; it is tried again by itself.',
}

export const lostAnswerRow: OutcomeRow = {
  name: 'OUTCOME_UNKNOWN',
  class: 'unknown',
  scope: 'message',
  advice:
    'The answer was lost on its way, so Meta may have the message; it is looked for before another try.',
}

export const acceptedRow: OutcomeRow = {
  name: 'ACCEPTED',
  class: 'accepted',
  scope: 'message',
  advice: 'Nothing: Meta has the message, and its statuses follow.',
}

/** A `failed` status that gives no code, or one that is not in Meta's documentation. */
export const failedWithoutReasonRow: OutcomeRow = {
  name: 'FAILED',
  class: 'permanent',
  scope: 'message',
  advice: 'Meta gave the message up without a reason that we know; see its own words.',
}
