// Every code that an answer of ours can carry, by what it is about. A code without a row here does not compile.
import { connectingErrors } from './errors-connecting.ts'
import { type ErrorRow, later, never, whenTold } from './errors-row.ts'

/** Said by every route. */
const general = {
  INVALID_REQUEST: never(
    400,
    'Something in the address, the query, a header or the body is not as it should be. `details.fields` names each field with its problem. Malformed HTTP has its own status, from 400 to 499.',
    'Correct the field that is named.',
  ),
  UNAUTHORIZED: never(
    401,
    'No key, an unknown or revoked one, or a session that is over.',
    'Send `Authorization: Bearer <key>` with a valid key, or sign in again.',
  ),
  FORBIDDEN: never(
    403,
    'The key or the person is known, and may not do this.',
    'Use an operator key for `/api/admin/**`; ask an admin for what agents may not do.',
  ),
  TENANT_REQUIRED: never(
    400,
    'An operator calls a tenant’s route without saying for which tenant.',
    'Name it in the header `X-Tenant-Id`.',
  ),
  TENANT_NOT_FOUND: never(
    404,
    'There is no tenant of this id.',
    'List them at `/api/admin/tenants`.',
  ),
  NOT_FOUND: never(404, 'There is nothing at this address.', 'Look it up in the API reference.'),
  INVALID_CURSOR: never(
    400,
    'The `after` of a list is not one that this list gave.',
    'Begin again without it; use `paging.next` as it is.',
  ),
  CONFLICT: later(
    409,
    'The same thing is being changed by somebody else right now.',
    'Read it again, then repeat the change.',
  ),
  RATE_LIMITED: whenTold(
    429,
    'More calls with this key, or from this address, than `API_RATE_LIMIT_PER_SECOND` allows.',
    'Wait for `Retry-After` seconds.',
  ),
  PAYLOAD_TOO_LARGE: never(
    413,
    'The body is over 256 KiB; of a webhook, over 4 MiB.',
    'Send less at once; upload files as media.',
  ),
  UNSUPPORTED_MEDIA_TYPE: never(
    415,
    'The body is not of the type that the route reads.',
    'Send `application/json`, or a form (`multipart/form-data`) where a file goes up.',
  ),
  HEADERS_TOO_LARGE: never(431, 'The headers are over 16 KiB.', 'Send fewer or shorter ones.'),
  REQUEST_TIMEOUT: later(
    408,
    'The request did not arrive whole within half a minute.',
    'Send it again over a better line.',
  ),
  UNAVAILABLE: whenTold(
    503,
    'The database is away or busy, or the process is stopping. Nothing half-done is left.',
    'Try again after `Retry-After`; send with an `Idempotency-Key` so that a repeat is harmless.',
  ),
  OVERLOADED: later(
    503,
    'More waits to be stored than there is room for.',
    'Try again in a moment; if it lasts, look at the database.',
  ),
  TIMED_OUT: later(503, 'The database did not answer in time.', 'Try again in a moment.'),
  STOPPING: later(503, 'This process is stopping.', 'Try again; another one answers.'),
  INTERNAL: later(
    500,
    'A defect of ours. The log line of the same `request_id` says more.',
    'Report it with the `request_id`; a repeat with an `Idempotency-Key` is harmless.',
  ),
} as const satisfies Record<string, ErrorRow>

/** Messages out, and the conversations they belong to. */
const sending = {
  INVALID_MESSAGE: never(
    400,
    'The message is not one that Meta would take. `details.fields` names each field with its problem.',
    'Correct the field that is named.',
  ),
  ACCOUNT_NOT_FOUND: never(
    404,
    'The number or account is not one of this tenant’s, or is no longer connected.',
    'See `GET /api/whatsapp/accounts`; connect the number.',
  ),
  WHATSAPP_REAUTH_REQUIRED: never(
    409,
    'Meta no longer takes the account’s access token.',
    'Reconnect the account: `details.reconnect_url`.',
  ),
  ACCOUNT_RESTRICTED: never(
    409,
    'Meta has restricted the account: until `details.restricted_until` it may only answer people who wrote in the last 24 hours.',
    'Wait until then, or appeal at Meta.',
  ),
  WINDOW_CLOSED: never(
    422,
    'The contact has not written in the 24 hours before, so that Meta takes only a template.',
    'Send a template, or give a `fallback_template`.',
  ),
  RECIPIENT_SUPPRESSED: never(
    409,
    'The contact opted out of what is being sent, or is blocked.',
    'Do not send it. An opt-out can be lifted when the contact asks for it.',
  ),
  TENANT_SUSPENDED: never(
    403,
    'The tenant is suspended: nothing is accepted for sending.',
    'An operator sets its `status` to `active` again.',
  ),
  IDEMPOTENCY_KEY_REUSED: never(
    422,
    'This `Idempotency-Key` was used for another body in the last 48 hours.',
    'Use a new key for a new message.',
  ),
  BACKLOG_FULL: whenTold(
    429,
    'As many messages of this tenant wait as may (`MAX_QUEUED_PER_TENANT`, or its own `max_queued`).',
    'Send more slowly; see in health why they wait.',
  ),
  NOT_CANCELLABLE: never(
    409,
    'The message is no longer queued, is on its way, or may have reached Meta: the answer to an attempt was lost.',
    'See its status: what may have reached Meta is found out, and may be sent again.',
  ),
  MESSAGE_NOT_FOUND: never(404, 'This tenant has no such message.', 'Check the id, `msg_…`.'),
  CONVERSATION_NOT_FOUND: never(
    404,
    'This tenant has no such conversation.',
    'Check the id, `conv_…`.',
  ),
  SUPPRESSION_NOT_FOUND: never(404, 'This tenant has no such opt-out.', 'Check the id, `sup_…`.'),
  TEMPLATE_PARAMETERS: never(
    422,
    'The values do not fit the template; `details.fields` says which.',
    'Compare their number, order, form and length with the template.',
  ),
  TEMPLATE_PAUSED: never(
    422,
    'Meta has paused the template for its quality.',
    'Use another one meanwhile; schedule it with `send_at`.',
  ),
  TEMPLATE_DISABLED: never(422, 'Meta has disabled the template.', 'Use another one.'),
  TEMPLATE_REJECTED: never(422, 'Meta rejected the template.', 'Change it and submit it again.'),
  TEMPLATE_NOT_APPROVED: never(
    422,
    'Meta has not approved the template yet, or is about to delete it.',
    'Wait for its approval, or use another one.',
  ),
  TEMPLATE_DELETED: never(422, 'The template was deleted at Meta.', 'Use another one.'),
} as const satisfies Record<string, ErrorRow>

const files = {
  INVALID_MEDIA: never(
    400,
    'The form is not one with exactly one file, or the file is empty or broken.',
    'Send one part named `file`.',
  ),
  MEDIA_TYPE_NOT_SUPPORTED: never(
    415,
    'Meta takes no files of this type, or the bytes are of another type than is said.',
    'Convert the file.',
  ),
  MEDIA_TOO_LARGE: never(
    413,
    'The file is larger than Meta takes of its kind: `details.max_bytes`.',
    'Send a smaller one.',
  ),
  MEDIA_STORE_UNAVAILABLE: whenTold(
    503,
    'The file store does not answer. Nothing was kept.',
    'Try again in a moment; the operator looks at `MEDIA_STORE`.',
  ),
  MEDIA_NOT_FOUND: never(404, 'This tenant has no such file.', 'Check the id, `med_…`.'),
  MEDIA_PENDING: whenTold(
    409,
    'The file is still being fetched from Meta.',
    'Ask again after `Retry-After`, or wait for the event.',
  ),
  MEDIA_FAILED: never(
    410,
    'The file could not be fetched from Meta and never will be.',
    'Ask the contact to send it again.',
  ),
  MEDIA_EXPIRED: never(
    410,
    'The file was removed after `MEDIA_RETENTION_DAYS`.',
    'Keep files of your own that you need for longer.',
  ),
  RANGE_NOT_SATISFIABLE: never(416, 'The file has no such bytes.', 'Ask for a range within it.'),
} as const satisfies Record<string, ErrorRow>

const templates = {
  INVALID_TEMPLATE: never(
    400,
    'The template is not one that Meta would take. `details.fields` names each field.',
    'Correct the field that is named.',
  ),
  TEMPLATE_NOT_FOUND: never(
    [404, 422],
    '404: this tenant has no such template. 422: a message names one that the account does not have in this language.',
    'Check name and language (`en` and `en_US` are two), or sync.',
  ),
  TEMPLATE_NOT_SYNCED: later(
    409,
    'What the template says is not known here yet.',
    'Sync the account’s templates, then repeat.',
  ),
  TEMPLATE_SYNC_RUNNING: later(409, 'A sync is under way.', 'Wait for it to end.'),
  TEMPLATE_EXISTS: never(
    409,
    'The account has a template of this name in this language.',
    'Edit that one, or choose another name.',
  ),
  TEMPLATE_NAME_BLOCKED: never(
    409,
    'A template of this name was deleted less than 30 days ago.',
    'Choose another name.',
  ),
  TEMPLATE_LIMIT_REACHED: never(
    409,
    'The account has as many templates as Meta allows.',
    'Delete some first.',
  ),
  TEMPLATE_NOT_EDITABLE: never(
    409,
    'Meta does not take this edit now: of its status, its category, or too many edits.',
    'See `details.editable_again_at`, or make another template.',
  ),
  TEMPLATE_NOT_DELETABLE: never(
    409,
    'Meta does not delete this template now; one that it has disabled, never.',
    'Leave it.',
  ),
  TEMPLATE_NOT_PAUSED: never(409, 'Only a paused template can be unpaused.', 'Nothing.'),
  TEMPLATE_NOT_AT_META: never(
    409,
    'Meta no longer has this template, or does not show it to this token.',
    'Sync, and look again.',
  ),
  TEMPLATE_ACCESS_DENIED: never(
    409,
    'The account’s token may not manage templates. Sending is not affected.',
    'Reconnect the account with `whatsapp_business_management`.',
  ),
  TEMPLATE_REFUSED: never(
    422,
    'Meta refuses the change; its own words are in the message and in `details.provider`.',
    'Do as they say.',
  ),
  PROVIDER_RATE_LIMITED: whenTold(
    429,
    'Meta limits how often templates are managed.',
    'Wait for `Retry-After`, or an hour.',
  ),
  PROVIDER_UNREACHABLE: later(
    502,
    'Meta could not be reached, or did not say whether it was done (`details.outcome: unknown`).',
    'Look at the list, which is synced in a moment, before you repeat a change.',
  ),
  TOKEN_UNREADABLE: never(
    500,
    'The account’s token was encrypted with a key that is not in `ENCRYPTION_KEYS`.',
    'The operator adds that key, or the account is reconnected.',
  ),
} as const satisfies Record<string, ErrorRow>

const deciding = {
  DEAD_LETTER_NOT_FOUND: never(404, 'There is no such dead letter.', 'Check the id, `dlq_…`.'),
  REASON_REQUIRED: never(
    400,
    'A decision without a reason.',
    'Say why in `reason`; it is kept in the audit.',
  ),
  ALREADY_DECIDED: never(
    409,
    'Somebody has decided on this dead letter before.',
    'Nothing: `details` says what became of it.',
  ),
  OUTCOME_KNOWN: never(
    409,
    'It is known what became of this message: it cannot be marked as sent.',
    'Requeue or discard it.',
  ),
  PAYLOAD_PRUNED: never(
    409,
    'What it was is no longer kept (`PAYLOAD_RETENTION_DAYS`), so it cannot be done again.',
    'Discard it.',
  ),
  MESSAGE_NOT_FAILED: never(
    409,
    'Its message has got further meanwhile: it need not be sent again.',
    'Nothing.',
  ),
} as const satisfies Record<string, ErrorRow>

const events = {
  EVENT_ENDPOINT_NOT_FOUND: never(404, 'There is no such event endpoint.', 'Check the id, `ep_…`.'),
  EVENT_DELIVERY_NOT_FOUND: never(404, 'There is no such delivery.', 'Check its id.'),
  EVENT_ENDPOINT_NOT_ACTIVE: never(
    409,
    'The endpoint is paused or was given up: nothing can be delivered to it.',
    'Resume it first.',
  ),
  TOO_MANY_ENDPOINTS: never(409, 'The tenant has as many endpoints as may be.', 'Delete one.'),
  TOO_MANY_STREAMS: whenTold(
    429,
    'The tenant has as many open streams as may be (`EVENT_STREAMS_PER_TENANT`).',
    'Close one, or read one stream in all processes.',
  ),
  ALERT_CHANNEL_NOT_FOUND: never(404, 'There is no such alert channel.', 'Check its id, `ach_…`.'),
  ALERT_CHANNEL_FROM_ENVIRONMENT: never(
    409,
    'This channel comes from an environment variable.',
    'Remove the variable and start again.',
  ),
  TOO_MANY_ALERT_CHANNELS: never(409, 'There are as many channels as may be.', 'Delete one.'),
} as const satisfies Record<string, ErrorRow>

export const errorGroups = {
  'Every call': general,
  Sending: sending,
  Files: files,
  Templates: templates,
  'Dead letters': deciding,
  'Events and alerts': events,
  ...connectingErrors,
} as const satisfies Record<string, Record<string, ErrorRow>>

type Groups = typeof errorGroups
export type ErrorCode = { [Name in keyof Groups]: keyof Groups[Name] }[keyof Groups]

export const errorRows: ReadonlyMap<string, ErrorRow> = new Map(
  Object.values(errorGroups).flatMap((group) => Object.entries<ErrorRow>(group)),
)
