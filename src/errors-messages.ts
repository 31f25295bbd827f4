// Codes that a message, a file or a dead letter carries as `error.code` or `error_code`, beside those of Meta's answers
// (meta/outcome-table.ts). What an answer of the API can carry is in errors-table.ts.

interface CodeRow {
  meaning: string
  /** What happens by itself, or what a person does. */
  next: string
}

/** Given to a message, or the dead letter of one, by the gateway itself. */
export const messageCodes = {
  WINDOW_CLOSED: {
    meaning: 'The 24 hours after the contact’s last message were over when it was to be sent.',
    next: 'Send a template; with a `fallback_template` that happens by itself.',
  },
  EXPIRED: {
    meaning: 'It could not be sent before its `expires_at`.',
    next: 'Send a new one if it still matters.',
  },
  RECIPIENT_SUPPRESSED: {
    meaning: 'The contact opted out, or was blocked, before it was sent.',
    next: 'Nothing: it is not sent.',
  },
  ACCOUNT_NOT_FOUND: {
    meaning: 'The number is no longer connected.',
    next: 'Connect it again, then requeue.',
  },
  TOKEN_INVALID: {
    meaning: 'The account waits to be reconnected.',
    next: 'Reconnect it; what waits goes out by itself, in order.',
  },
  TOKEN_UNREADABLE: {
    meaning: 'No key in `ENCRYPTION_KEYS` opens the account’s token.',
    next: 'The operator adds the key, or the account is reconnected.',
  },
  TEMPLATE_PAUSED: {
    meaning: 'Meta paused the template since the message was accepted.',
    next: 'Use another one; requeue when it is approved again.',
  },
  TEMPLATE_DISABLED: { meaning: 'Meta disabled the template since.', next: 'Use another one.' },
  TEMPLATE_REJECTED: { meaning: 'Meta rejected the template since.', next: 'Use another one.' },
  TEMPLATE_NOT_APPROVED: {
    meaning: 'The template is not, or no longer, approved.',
    next: 'Use another one; requeue when it is approved.',
  },
  TEMPLATE_DELETED: { meaning: 'The template was deleted since.', next: 'Use another one.' },
  MEDIA_NOT_AVAILABLE: {
    meaning: 'The file that it names is no longer there.',
    next: 'Upload it again and send a new message.',
  },
  MEDIA_NOT_READY: {
    meaning: 'The file could not be read from the store.',
    next: 'It is tried again by itself.',
  },
  NOT_SENT: {
    meaning: 'Something of ours was in the way before Meta was asked.',
    next: 'It is tried again by itself.',
  },
  NUMBER_HELD: {
    meaning: 'Its number was held between the claim and the call.',
    next: 'It is sent by itself when that is over.',
  },
  SEND_UNDER_WAY: {
    meaning: 'The dedupe store knows of an attempt whose end it has not seen.',
    next: 'It is tried again by itself.',
  },
  DEDUPE_UNAVAILABLE: {
    meaning: 'The dedupe store does not answer.',
    next: 'It is tried again by itself; the operator brings the store back.',
  },
  INBOX_BEHIND: {
    meaning:
      'An answer was lost, or Meta had trouble, and our own webhooks have not told for long enough what became of it.',
    next: 'It waits for them by itself.',
  },
} as const satisfies Record<string, CodeRow>

/** Of dead letters of what came in; of kind `inbound`, else the failure's own code. */
export const inboundCodes = {
  MALFORMED: {
    meaning: 'A signed delivery, or an item of one, cannot be read.',
    next: 'Look at its bytes; requeue after an update that reads it, or discard.',
  },
  UNROUTABLE: {
    meaning: 'No connected account has this number or WhatsApp Business Account.',
    next: 'Connect it, then requeue.',
  },
  RETRIES_EXHAUSTED: {
    meaning: 'It failed at every try to process it.',
    next: 'Mend the cause that the log names, then requeue. Nothing is applied twice.',
  },
} as const satisfies Record<string, CodeRow>

/** Of files that contacts sent, while they are fetched from Meta. */
export const fileCodes = {
  TOO_LARGE: { meaning: 'It is larger than Meta’s own limit.', next: 'Nothing: it is given up.' },
  GONE_AT_META: {
    meaning: 'Meta says that it does not have it.',
    next: 'Asked again for a while.',
  },
  EXPIRED_AT_META: {
    meaning: 'Meta no longer keeps it.',
    next: 'Ask the contact to send it again.',
  },
  ACCOUNT_NOT_FOUND: { meaning: 'Its number is not connected.', next: 'Waits for the account.' },
  ACCOUNT_NEEDS_REAUTH: { meaning: 'Its account waits to be reconnected.', next: 'Reconnect it.' },
  ACCESS_REFUSED: {
    meaning: 'Meta does not take the token for it.',
    next: 'Reconnect the account.',
  },
  TOKEN_UNREADABLE: {
    meaning: 'No key in `ENCRYPTION_KEYS` opens the account’s token.',
    next: 'The operator adds the key.',
  },
  NOT_REACHED: { meaning: 'Meta could not be reached.', next: 'Tried again by itself.' },
  HOST_NOT_METAS: { meaning: 'The address is not one of Meta’s hosts.', next: 'Never followed.' },
  TARGET_REFUSED: {
    meaning: 'The address is not on the public internet.',
    next: 'Never followed.',
  },
  DOWNLOAD_REFUSED: { meaning: 'Meta’s file host refused.', next: 'Tried again by itself.' },
  REDIRECT_REFUSED: { meaning: 'Meta’s file host redirected.', next: 'Never followed.' },
  DOWNLOAD_BROKEN: { meaning: 'The download broke off.', next: 'Tried again by itself.' },
  SIZE_DIFFERS: { meaning: 'It has another size than Meta said.', next: 'Tried again by itself.' },
  HASH_DIFFERS: { meaning: 'Its digest is not what Meta said.', next: 'Tried again by itself.' },
  STORE_UNAVAILABLE: {
    meaning: 'The file store does not answer.',
    next: 'Tried again by itself; look at `MEDIA_STORE`.',
  },
  FETCH_BROKEN: { meaning: 'A defect of ours; the log says more.', next: 'Tried again by itself.' },
} as const satisfies Record<string, CodeRow>

/** Of attempts to tell an event endpoint or an alert channel; else the HTTP status, or the system's word for it. */
export const deliveryCodes = {
  TARGET_REFUSED: {
    meaning: 'The address is not on the public internet (`ALLOW_PRIVATE_TARGETS`).',
    next: 'Change the address.',
  },
  SECRET_UNREADABLE: {
    meaning: 'No key in `ENCRYPTION_KEYS` opens its secret.',
    next: 'The operator adds the key.',
  },
  NOT_CONFIGURED: {
    meaning: 'The environment variable of this channel is gone.',
    next: 'Set it again, or remove the channel.',
  },
  ANSWER_TOO_LARGE: { meaning: 'The answer was longer than is read.', next: 'Answer with less.' },
} as const satisfies Record<string, CodeRow>

export type MessageCode = keyof typeof messageCodes
export type FileCode = keyof typeof fileCodes
