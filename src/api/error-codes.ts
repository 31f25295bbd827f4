// Every code that the HTTP API answers with: its status, and what it means to whoever gets it. Routes declare theirs by name.

/** `[status, meaning]`, and whether the answer says in Retry-After when to ask again. */
type Entry = readonly [status: number, meaning: string, retryAfter?: 'retry-after']

export const errorCodes = {
  // Of any request.
  INVALID_REQUEST: [400, 'Something in the request is wrong; details.fields says where.'],
  INVALID_CURSOR: [400, 'after is no cursor of this list: start again without it.'],
  TENANT_REQUIRED: [400, 'An operator must name the tenant in X-Tenant-Id.'],
  UNAUTHORIZED: [401, 'The key or the session is missing, wrong or over.'],
  FORBIDDEN: [403, 'This caller may not do that.'],
  WRONG_ORIGIN: [403, 'Only with a session: the call does not come from the console’s own page.'],
  CSRF_TOKEN_WRONG: [403, 'Only with a session: X-CSRF-Token is missing or old.'],
  NOT_FOUND: [404, 'There is nothing at this address.'],
  TENANT_NOT_FOUND: [404, 'There is no such tenant.'],
  HEADERS_TOO_LARGE: [431, 'The headers are too large.'],
  REQUEST_TIMEOUT: [408, 'The body did not arrive within 30 seconds.'],
  PAYLOAD_TOO_LARGE: [413, 'The body is too large.'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'The body is of another type than this operation takes.'],
  RATE_LIMITED: [429, 'Too many requests from this caller; nothing was done.', 'retry-after'],
  INTERNAL: [500, 'Something went wrong here; the operator finds it by request_id.'],
  UNAVAILABLE: [503, 'The database is unavailable or busy: try again.', 'retry-after'],

  // Sending.
  INVALID_MESSAGE: [400, 'The message is wrong; details.fields says where.'],
  TENANT_SUSPENDED: [403, 'The tenant is suspended: nothing is sent for it.'],
  ACCOUNT_NOT_FOUND: [404, 'The tenant has no such account or number.'],
  MESSAGE_NOT_FOUND: [404, 'There is no such message.'],
  WHATSAPP_REAUTH_REQUIRED: [409, 'The account lost its access at Meta and must be reconnected.'],
  ACCOUNT_RESTRICTED: [409, 'Meta lets this account only answer, until details.restricted_until.'],
  RECIPIENT_SUPPRESSED: [409, 'The contact opted out of this, or blocked the number.'],
  NOT_CANCELLABLE: [409, 'The message waits no longer, so it cannot be taken back.'],
  WINDOW_CLOSED: [422, 'The contact has not written for 24 hours: only a template can be sent.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'The Idempotency-Key was used for another message.'],
  TEMPLATE_PARAMETERS: [422, 'The parameters do not fit the template; details.fields says where.'],
  TEMPLATE_PAUSED: [422, 'Meta has paused the template.'],
  TEMPLATE_DISABLED: [422, 'Meta has disabled the template for good.'],
  TEMPLATE_REJECTED: [422, 'Meta has rejected the template.'],
  TEMPLATE_NOT_APPROVED: [422, 'Meta has not approved the template.'],
  TEMPLATE_DELETED: [422, 'The template was deleted at Meta.'],
  BACKLOG_FULL: [429, 'As many messages wait as this tenant may have.', 'retry-after'],
  OVERLOADED: [503, 'Too much waits to be stored: try again.'],
  TIMED_OUT: [503, 'The database did not answer in time: try again with the same Idempotency-Key.'],

  // Conversations and consent.
  CONVERSATION_NOT_FOUND: [404, 'There is no such conversation.'],
  PERSON_NOT_FOUND: [404, 'There is no such person.'],
  CONFLICT: [409, 'The conversation is changing right now: try again.'],
  PERSON_DISABLED: [409, 'The person is shut out.'],
  SUPPRESSION_NOT_FOUND: [404, 'There is no such suppression.'],
  REASON_REQUIRED: [400, 'Say why, in reason: it is kept in the audit.'],

  // Templates.
  INVALID_TEMPLATE: [400, 'The template is wrong; details.fields says where.'],
  TEMPLATE_NOT_FOUND: [404, 'There is no such template.'],
  TEMPLATE_NOT_SYNCED: [409, 'Not all of the template is known here yet: sync first.'],
  TEMPLATE_SYNC_RUNNING: [409, 'The templates are being synced right now.'],
  TEMPLATE_ACCESS_DENIED: [409, 'Meta does not let this account’s token manage templates.'],
  TEMPLATE_LIMIT_REACHED: [409, 'The account has as many templates as Meta allows.'],
  TEMPLATE_NAME_BLOCKED: [409, 'Meta keeps the name of a deleted template for 30 days.'],
  TEMPLATE_EXISTS: [409, 'There is a template of this name in this language already.'],
  TEMPLATE_NOT_DELETABLE: [409, 'Meta does not delete this template now.'],
  TEMPLATE_NOT_PAUSED: [409, 'Only a paused template can be unpaused.'],
  TEMPLATE_NOT_EDITABLE: [409, 'Meta does not take this edit now.'],
  TEMPLATE_NOT_AT_META: [409, 'Meta no longer has this template.'],
  TEMPLATE_REFUSED: [422, 'Meta refuses this; details.provider has its own words.'],
  PROVIDER_RATE_LIMITED: [429, 'Meta limits how often templates are managed.', 'retry-after'],
  TOKEN_UNREADABLE: [500, 'The account’s token cannot be decrypted: the operator must look.'],
  PROVIDER_UNREACHABLE: [502, 'Meta could not be reached, or did not say what it did.'],

  // Files.
  INVALID_MEDIA: [400, 'The form is wrong; details.fields says where.'],
  MEDIA_NOT_FOUND: [404, 'There is no such file.'],
  MEDIA_PENDING: [409, 'The file is still being fetched from Meta.', 'retry-after'],
  MEDIA_FAILED: [410, 'The file could not be fetched from Meta.'],
  MEDIA_EXPIRED: [410, 'The file is no longer kept.'],
  MEDIA_TOO_LARGE: [413, 'The file is larger than Meta takes; details.max_bytes is the limit.'],
  MEDIA_TYPE_NOT_SUPPORTED: [415, 'Meta does not take files of this type.'],
  RANGE_NOT_SATISFIABLE: [416, 'The file has no such bytes.'],
  MEDIA_STORE_UNAVAILABLE: [503, 'Files can be neither stored nor read now.', 'retry-after'],

  // Dead letters and looking back.
  DEAD_LETTER_NOT_FOUND: [404, 'There is no such dead letter.'],
  ALREADY_DECIDED: [409, 'Somebody has decided on this dead letter before.'],
  OUTCOME_KNOWN: [409, 'It is known whether Meta has the message: it cannot be marked sent.'],
  PAYLOAD_PRUNED: [409, 'The webhook is no longer kept: it can only be discarded.'],
  MESSAGE_NOT_FAILED: [409, 'There is nothing to send again: the message went through, or will.'],

  // Events and alerts.
  EVENT_ENDPOINT_NOT_FOUND: [404, 'There is no such event endpoint.'],
  EVENT_DELIVERY_NOT_FOUND: [404, 'There is no such delivery.'],
  TOO_MANY_ENDPOINTS: [409, 'The tenant has as many endpoints as it may.'],
  EVENT_ENDPOINT_NOT_ACTIVE: [409, 'The endpoint is paused or disabled.'],
  TOO_MANY_STREAMS: [429, 'The tenant has too many open streams here.', 'retry-after'],
  ALERT_CHANNEL_NOT_FOUND: [404, 'There is no such alert channel.'],
  TOO_MANY_ALERT_CHANNELS: [409, 'There are as many alert channels as there may be.'],
  ALERT_CHANNEL_FROM_ENVIRONMENT: [409, 'The channel is set in the environment of the gateway.'],

  // Tenants and people.
  KEY_NOT_FOUND: [404, 'There is no such key, or it is revoked already.'],
  SLUG_TAKEN: [409, 'Another tenant has this slug.'],
  NUMBER_TAKEN: [409, 'The number is connected elsewhere.'],
  EMAIL_TAKEN: [409, 'Somebody has this e-mail address already.'],
  OWN_ACCOUNT: [409, 'Somebody else must change your role or shut you out.'],
  SIGN_IN_FAILED: [401, 'The e-mail address or the password is wrong.'],
  SIGN_IN_LOCKED: [429, 'Too many wrong passwords for this address.', 'retry-after'],
  LINK_INVALID: [410, 'The link is wrong, used or too old.'],
  BUSY: [503, 'Too many people sign in at once.', 'retry-after'],

  // Connecting a number by sign-up.
  SIGNUP_NOT_CONFIGURED: [503, 'The operator has not set up the Meta app.'],
  STATE_MISSING: [400, 'The address is only the end of a sign-up.'],
  STATE_INVALID: [400, 'Nobody started this sign-up here.'],
  STATE_EXPIRED: [400, 'The sign-up was started more than 10 minutes ago.'],
  STATE_USED: [400, 'The sign-up was finished, or tried, before.'],
  STATE_FOREIGN: [400, 'Somebody else started this sign-up.'],
  CODE_MISSING: [400, 'Meta gave no code.'],
  SIGNUP_DENIED: [400, 'The sign-up was cancelled at Meta.'],
  CODE_EXPIRED: [400, 'Meta’s code lives 30 seconds, and they had passed.'],
  CODE_USED: [400, 'Meta’s code was used before.'],
  CODE_INVALID: [400, 'Meta does not know the code.'],
  APP_REFUSED: [502, 'Meta does not accept this gateway’s app.'],
  META_UNREACHABLE: [502, 'Meta did not answer.'],
  META_REFUSED: [502, 'Meta refused a step of the connection.'],
  TOKEN_INVALID: [400, 'Meta’s access token is not valid.'],
  APP_MISMATCH: [400, 'The access was given to another app.'],
  SCOPES_MISSING: [400, 'Not all permissions were given.'],
  WABA_NOT_GRANTED: [400, 'The access does not include this WhatsApp account.'],
  NUMBER_NOT_GRANTED: [400, 'It is not a number of the WhatsApp account that was chosen.'],
  NUMBER_MISSING: [400, 'The WhatsApp account has no number yet.'],
  NUMBER_CHOICE_NEEDED: [400, 'The WhatsApp account has several numbers, and none was named.'],
  ACCOUNT_MISMATCH: [400, 'Another number was chosen than the one to be reconnected.'],
  SUBSCRIBE_FAILED: [502, 'Meta does not deliver this account’s messages here yet.'],
  NUMBER_UNVERIFIED: [400, 'The number is not verified yet.'],
  PIN_UNKNOWN: [400, 'The number has a two-step verification PIN that is not known here.'],
  REGISTER_LIMITED: [409, 'Meta does not let this number be registered again so soon.'],
  REGISTER_FAILED: [502, 'Meta did not register the number.'],

  // Webhooks, tasks and the console’s page.
  VERIFICATION_FAILED: [403, 'hub.mode or hub.verify_token is not right.'],
  INVALID_SIGNATURE: [401, 'X-Hub-Signature-256 is missing or does not match; nothing is stored.'],
  UNSUPPORTED_ENCODING: [415, 'The body is compressed: the signature is over what was signed.'],
  NOT_STORED: [500, 'The delivery could not be stored: send it again.', 'retry-after'],
  PROCESSING_FAILED: [503, 'It could not be processed this time; it is called for again.'],
  CLAIM_LOST: [503, 'Another process has taken it over.'],
  STOPPING: [503, 'This process is stopping: try again.'],
  whatsapp_retryable_error: [503, 'This attempt failed and the next one is scheduled.'],
  whatsapp_permanent_error: [400, 'It was found out that the message can never be sent.'],
  CONSOLE_NOT_BUILT: [404, 'The console is not built here.'],
} as const satisfies Record<string, Entry>

export type ErrorCode = keyof typeof errorCodes

/** A code with its usual status, or with the one it has here. */
export type DeclaredError = ErrorCode | { code: ErrorCode; status: number }

export interface KnownError {
  code: ErrorCode
  status: number
  meaning: string
  hasRetryAfter: boolean
}

export function knownError(declared: DeclaredError): KnownError {
  const code = typeof declared === 'string' ? declared : declared.code
  const [usualStatus, meaning, retryAfter]: Entry = errorCodes[code]
  const status = typeof declared === 'string' ? usualStatus : declared.status
  return { code, status, meaning, hasRetryAfter: retryAfter !== undefined }
}

/** What Meta may answer to whoever manages templates, in our words. */
export const templateErrors = [
  'ACCOUNT_NOT_FOUND',
  'TEMPLATE_ACCESS_DENIED',
  'TEMPLATE_REFUSED',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_UNREACHABLE',
  'TOKEN_UNREADABLE',
] as const satisfies ErrorCode[]
