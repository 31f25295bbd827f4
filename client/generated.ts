// What goes in and out of the API, and how it is called. Made by `npm run generate:client` from the API’s
// description: change that, not this.
import type { CallOptions, Pages, SendOptions, UploadedFile } from './model.ts'

/** What the API answers with when it refuses or fails. */
export type ErrorCode =
  | 'ACCOUNT_MISMATCH'
  | 'ACCOUNT_NOT_FOUND'
  | 'ACCOUNT_RESTRICTED'
  | 'ALERT_CHANNEL_FROM_ENVIRONMENT'
  | 'ALERT_CHANNEL_NOT_FOUND'
  | 'ALREADY_DECIDED'
  | 'APP_MISMATCH'
  | 'APP_REFUSED'
  | 'BACKLOG_FULL'
  | 'BUSY'
  | 'CLAIM_LOST'
  | 'CODE_EXPIRED'
  | 'CODE_INVALID'
  | 'CODE_MISSING'
  | 'CODE_USED'
  | 'CONFLICT'
  | 'CONSOLE_NOT_BUILT'
  | 'CONVERSATION_NOT_FOUND'
  | 'CSRF_TOKEN_WRONG'
  | 'DEAD_LETTER_NOT_FOUND'
  | 'DOCUMENTS_NOT_BUILT'
  | 'EMAIL_TAKEN'
  | 'EVENT_DELIVERY_NOT_FOUND'
  | 'EVENT_ENDPOINT_NOT_ACTIVE'
  | 'EVENT_ENDPOINT_NOT_FOUND'
  | 'FORBIDDEN'
  | 'HEADERS_TOO_LARGE'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INTERNAL'
  | 'INVALID_CURSOR'
  | 'INVALID_MEDIA'
  | 'INVALID_MESSAGE'
  | 'INVALID_REQUEST'
  | 'INVALID_SIGNATURE'
  | 'INVALID_TEMPLATE'
  | 'KEY_NOT_FOUND'
  | 'LINK_INVALID'
  | 'MEDIA_EXPIRED'
  | 'MEDIA_FAILED'
  | 'MEDIA_NOT_FOUND'
  | 'MEDIA_PENDING'
  | 'MEDIA_STORE_UNAVAILABLE'
  | 'MEDIA_TOO_LARGE'
  | 'MEDIA_TYPE_NOT_SUPPORTED'
  | 'MESSAGE_NOT_FAILED'
  | 'MESSAGE_NOT_FOUND'
  | 'META_REFUSED'
  | 'META_UNREACHABLE'
  | 'NOT_CANCELLABLE'
  | 'NOT_FOUND'
  | 'NOT_STORED'
  | 'NUMBER_CHOICE_NEEDED'
  | 'NUMBER_MISSING'
  | 'NUMBER_NOT_GRANTED'
  | 'NUMBER_TAKEN'
  | 'NUMBER_UNVERIFIED'
  | 'OUTCOME_KNOWN'
  | 'OVERLOADED'
  | 'OWN_ACCOUNT'
  | 'PAYLOAD_PRUNED'
  | 'PAYLOAD_TOO_LARGE'
  | 'PERSON_DISABLED'
  | 'PERSON_NOT_FOUND'
  | 'PIN_UNKNOWN'
  | 'PROCESSING_FAILED'
  | 'PROVIDER_RATE_LIMITED'
  | 'PROVIDER_UNREACHABLE'
  | 'RANGE_NOT_SATISFIABLE'
  | 'RATE_LIMITED'
  | 'REASON_REQUIRED'
  | 'RECIPIENT_SUPPRESSED'
  | 'REGISTER_FAILED'
  | 'REGISTER_LIMITED'
  | 'REQUEST_TIMEOUT'
  | 'SCOPES_MISSING'
  | 'SIGNUP_DENIED'
  | 'SIGNUP_NOT_CONFIGURED'
  | 'SIGN_IN_FAILED'
  | 'SIGN_IN_LOCKED'
  | 'SLUG_TAKEN'
  | 'STATE_EXPIRED'
  | 'STATE_FOREIGN'
  | 'STATE_INVALID'
  | 'STATE_MISSING'
  | 'STATE_USED'
  | 'STOPPING'
  | 'SUBSCRIBE_FAILED'
  | 'SUPPRESSION_NOT_FOUND'
  | 'TEMPLATE_ACCESS_DENIED'
  | 'TEMPLATE_DELETED'
  | 'TEMPLATE_DISABLED'
  | 'TEMPLATE_EXISTS'
  | 'TEMPLATE_LIMIT_REACHED'
  | 'TEMPLATE_NAME_BLOCKED'
  | 'TEMPLATE_NOT_APPROVED'
  | 'TEMPLATE_NOT_AT_META'
  | 'TEMPLATE_NOT_DELETABLE'
  | 'TEMPLATE_NOT_EDITABLE'
  | 'TEMPLATE_NOT_FOUND'
  | 'TEMPLATE_NOT_PAUSED'
  | 'TEMPLATE_NOT_SYNCED'
  | 'TEMPLATE_PARAMETERS'
  | 'TEMPLATE_PAUSED'
  | 'TEMPLATE_REFUSED'
  | 'TEMPLATE_REJECTED'
  | 'TEMPLATE_SYNC_RUNNING'
  | 'TENANT_NOT_FOUND'
  | 'TENANT_REQUIRED'
  | 'TENANT_SUSPENDED'
  | 'TIMED_OUT'
  | 'TOKEN_INVALID'
  | 'TOKEN_UNREADABLE'
  | 'TOO_MANY_ALERT_CHANNELS'
  | 'TOO_MANY_ENDPOINTS'
  | 'TOO_MANY_STREAMS'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNSUPPORTED_ENCODING'
  | 'UNSUPPORTED_MEDIA_TYPE'
  | 'VERIFICATION_FAILED'
  | 'WABA_NOT_GRANTED'
  | 'WHATSAPP_REAUTH_REQUIRED'
  | 'WINDOW_CLOSED'
  | 'WRONG_ORIGIN'
  | 'whatsapp_permanent_error'
  | 'whatsapp_retryable_error'

export type AcceptLink = {
  token: string
  password: string
}

export type Account = {
  id: string
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  app_id: string | null
  /** of sending messages */
  auth_status: 'ok' | 'needs_reauth'
  auth_last_error: string | null
  /** what answers messages by itself */
  responder: Responder
  /** what auto_reply says */
  auto_reply_text: string | null
  /** of managing templates */
  templates_auth_status: 'ok' | 'needs_reauth'
  templates_auth_last_error: string | null
  /** null: never, or not known yet */
  token_expires_at: string | null
  /** reconnect before it does */
  token_expires_soon: boolean
  /** when Meta last told about the token */
  token_checked_at: string | null
  throughput_level: 'standard' | 'high' | 'coexistence'
  /** why nothing is sent, by what Meta says of the account */
  hold: {
    reason: 'banned' | 'review_rejected' | 'restricted'
    /** null: until Meta says otherwise */
    until: string | null
  } | null
  /** until then contacts can be answered, but not written to first */
  replies_only_until: string | null
  /** what Meta said last, by subject: quality, limit, throughput, review, restriction, ban, violation, name, security, access, alert, username, status */
  standing: Record<string, {
    /** by Meta’s clock */
    at: string
    [more: string]: unknown
  }>
  /** RFC 3339, UTC */
  created_at: string
}

export type AccountChange = {
  responder?: Responder | undefined
  /** what auto_reply says */
  auto_reply_text?: string | null | undefined
  reason?: string | undefined
}

export type AccountEvent = {
  id: string
  /** Meta’s webhook field */
  field: string
  /** the field’s own word for what happened */
  event: string | null
  waba_id: string | null
  phone_number_id: string | null
  content: Record<string, unknown>
  /** by Meta’s clock */
  occurred_at: string
  /** RFC 3339, UTC */
  created_at: string
}

export type AccountInList = {
  id: string
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  app_id: string | null
  /** of sending messages */
  auth_status: 'ok' | 'needs_reauth'
  auth_last_error: string | null
  /** what answers messages by itself */
  responder: Responder
  /** what auto_reply says */
  auto_reply_text: string | null
  /** of managing templates */
  templates_auth_status: 'ok' | 'needs_reauth'
  templates_auth_last_error: string | null
  /** null: never, or not known yet */
  token_expires_at: string | null
  /** reconnect before it does */
  token_expires_soon: boolean
  /** when Meta last told about the token */
  token_checked_at: string | null
  throughput_level: 'standard' | 'high' | 'coexistence'
  /** why nothing is sent, by what Meta says of the account */
  hold: {
    reason: 'banned' | 'review_rejected' | 'restricted'
    /** null: until Meta says otherwise */
    until: string | null
  } | null
  /** until then contacts can be answered, but not written to first */
  replies_only_until: string | null
  /** what Meta said last, by subject: quality, limit, throughput, review, restriction, ban, violation, name, security, access, alert, username, status */
  standing: Record<string, {
    /** by Meta’s clock */
    at: string
    [more: string]: unknown
  }>
  /** RFC 3339, UTC */
  created_at: string
  /** messages that wait to be sent from it; counted up to 10,000 */
  waiting_count: number
  /** when a contact last wrote to it */
  last_inbound_at: string | null
  /** why nothing is sent, by how Meta’s answers fail */
  circuit: {
    /** host: all calls to Meta fail, not this number’s */
    scope: 'number' | 'host'
    /** RFC 3339, UTC */
    opened_at: string
    /** from then on one call finds out whether Meta is back */
    trial_at: string
  } | null
  /** until then Meta wants nothing from it */
  throttled_until: string | null
}

export type AccountNotice = {
  /** aev_… */
  account_event_id: string
  phone_number_id: string | null
  waba_id: string | null
  /** Meta’s webhook field */
  field: string
  /** the field’s own word for what happened */
  event: string | null
  /** RFC 3339, UTC */
  occurred_at: string
  [more: string]: unknown
}

export type AccountReference = {
  account_id: string
}

export type Accounting = {
  total: {
    /** items; equals messages + statuses + notices + duplicates + ignored + dead */
    received: number
    messages: number
    statuses: number
    notices: number
    duplicates: number
    /** by reason */
    ignored: Record<string, number>
    dead: number
    adds_up: boolean
    /** webhooks whose items are not counted yet */
    pending: number
    webhooks: {
      done: number
      failed: number
      pending: number
    }
  }
  tenants: {
    /** null: nobody’s */
    tenant_id: string | null
    /** items; equals messages + statuses + notices + duplicates + ignored + dead */
    received: number
    messages: number
    statuses: number
    notices: number
    duplicates: number
    /** by reason */
    ignored: Record<string, number>
    dead: number
    adds_up: boolean
    /** webhooks whose items are not counted yet */
    pending: number
  }[]
}

export type Alert = {
  /** the same from firing to resolved */
  id: string
  /** null: it concerns the operator */
  tenant_id: string | null
  rule: string
  /** which number, endpoint or channel */
  subject: string | null
  state: 'firing' | 'resolved'
  severity: 'critical' | 'error' | 'warning'
  /** when the trouble began */
  since: string
  /** RFC 3339, UTC */
  fired_at: string
  resolved_at: string | null
  /** how much; what of is in the summary */
  count: number
  summary: string
}

export type AlertChannel = {
  id: string
  kind: 'slack' | 'pagerduty' | 'webhook'
  description: string
  /** only a hint; the whole is never shown again */
  target: string
  /** environment: SLACK_WEBHOOK_URL or PAGERDUTY_ROUTING_KEY */
  origin: 'api' | 'environment'
  failing_since: string | null
  last_error: string | null
  last_success_at: string | null
  /** RFC 3339, UTC */
  created_at: string
}

export type AlertChannelWithSecret = {
  id: string
  kind: 'slack' | 'pagerduty' | 'webhook'
  description: string
  /** only a hint; the whole is never shown again */
  target: string
  /** environment: SLACK_WEBHOOK_URL or PAGERDUTY_ROUTING_KEY */
  origin: 'api' | 'environment'
  failing_since: string | null
  last_error: string | null
  last_success_at: string | null
  /** RFC 3339, UTC */
  created_at: string
  /** webhook: whsec_…, signs as Standard Webhooks says; shown this once */
  secret: string | null
}

export type ApiKey = {
  id: string
  name: string
  /** how the key begins, to recognise it by */
  key_start: string
  /** RFC 3339, UTC */
  created_at: string
  revoked_at: string | null
  /** to a few minutes; null: never, or not since this is kept */
  last_used_at: string | null
}

export type AuditAct = {
  /** RFC 3339, UTC */
  at: string
  /** an operator’s name, a key’s id, or who else */
  actor: string
  action: string
  subject: string
  reason: string | null
  details: Record<string, unknown>
  tenant_id: string | null
  /** in the tenant’s chain, or the operators’ */
  position: number
  /** SHA-256 over this act and the hash before it, hex */
  hash: string
  /** of a person or a key; not part of what is hashed */
  actor_name: string | null
  /** of a person, key, tenant or number, as it is now */
  subject_name: string | null
}

export type AuditVerification = {
  /** verified in this part */
  rows: number
  /** of all the chains that are meant, by their own count */
  total_rows: number
  /** chains that came to their end in this part, and that end: keep it elsewhere */
  whole: {
    tenant_id: string | null
    position: number
    hash: string
  }[]
  broken: {
    /** null: of the operators’ chain */
    tenant_id: string | null
    /** the first broken row; null: the chain itself */
    position: number | null
    problem: 'chain_missing' | 'chain_changed' | 'row_missing' | 'row_inserted' | 'row_out_of_place' | 'content_changed' | 'tail_cut' | 'end_changed'
    message: string
  }[]
  /** after of the next part; null: this was the last */
  next: string | null
}

export type CancelledMessage = {
  id: string
  status: 'cancelled'
}

export type ChangedAccount = {
  /** acc_… */
  account_id: string
  phone_number_id: string
  waba_id: string
  changed: string[]
  auth_status: string
  templates_auth_status: string
  [more: string]: unknown
}

export type Colleague = {
  id: string
  name: string
  role: 'operator' | 'admin' | 'agent'
}

export type ContactsContent = {
  name: {
    formatted_name: string
    first_name?: string | undefined
    last_name?: string | undefined
    middle_name?: string | undefined
    suffix?: string | undefined
    prefix?: string | undefined
  }
  phones?: {
    phone?: string | undefined
    type?: string | undefined
    wa_id?: string | undefined
    user_id?: string | undefined
  }[] | undefined
  emails?: {
    email?: string | undefined
    type?: string | undefined
  }[] | undefined
  urls?: {
    url?: string | undefined
    type?: string | undefined
  }[] | undefined
  addresses?: {
    street?: string | undefined
    city?: string | undefined
    state?: string | undefined
    zip?: string | undefined
    country?: string | undefined
    country_code?: string | undefined
    type?: string | undefined
  }[] | undefined
  org?: {
    company?: string | undefined
    department?: string | undefined
    title?: string | undefined
  } | undefined
  birthday?: string | undefined
}[]

export type Conversation = {
  /** of a conversation that became one with another: the other’s */
  id: string
  phone_number_id: string
  contact: {
    /** phone-number id; null when Meta does not tell */
    wa_id: string | null
    /** business-scoped user id */
    user_id: string | null
    name: string | null
    username: string | null
    kind: 'person' | 'group'
  }
  /** what the contact wants no more of from this number */
  suppressions: {
    id: string
    scope: SuppressionScope
    reason: SuppressionReason
    /** RFC 3339, UTC */
    since: string
  }[]
  contact_wa_id: string
  contact_user_id: string | null
  contact_name: string | null
  status: 'open' | 'closed'
  unread_count: number
  /** RFC 3339, UTC */
  last_message_at: string
  /** until then any message may be sent; afterwards only templates */
  window_expires_at: string | null
  /** usr_…, one of the tenant’s people; or a uuid of the application’s own */
  assigned_user_id: string | null
  /** the same, with a name */
  assignee: {
    id: string
    name: string
  } | null
  /** the latest that is no reaction and no change of an earlier one */
  last_message: {
    id: string
    /** Meta’s */
    type: string
    direction: 'inbound' | 'outbound'
    status: MessageStatus
    /** how it begins; null when it has no words */
    text: string | null
    /** deleted by its sender */
    revoked: boolean
    /** RFC 3339, UTC */
    at: string
  } | null
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
}

export type ConversationChange = {
  status?: 'open' | 'closed' | undefined
  /** usr_… or its uuid, one of the tenant’s people; any other uuid: somebody of the application’s; null: nobody */
  assigned_user_id?: string | null | undefined
}

export type ConversationCounts = {
  /** counted up to 1000: that is “999+” */
  open: number
  /** counted up to 1000: that is “999+” */
  closed: number
  /** open and assigned to whoever is signed in; null for keys */
  mine: number | null
  /** open and nobody’s */
  unassigned: number
  /** open, unread, and nobody’s or assigned to whoever is signed in */
  waiting: number
}

export type ConversationRead = {
  id: string
  unread_count: 0
  /** whether the contact sees it as read; after failed, call again */
  meta: 'marked' | 'nothing_to_mark' | 'failed'
  /** the message that was marked, and all before it */
  message_id: string | null
  /** why, after failed */
  error: {
    code: string
    message: string
    provider: {
      code: number | null
      subcode: number | null
      message: string | null
      fbtrace_id: string | null
    } | null
  } | null
}

export type DeadLetter = {
  id: string
  /** null: nobody owns it; only operators see it */
  tenant_id: string | null
  kind: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
  /** resolved: Meta turned out to have the message, or somebody marked it sent */
  state: 'open' | 'requeued' | 'discarded' | 'resolved'
  reason: DeadLetterReason
  error_code: string
  /** Meta’s, of the last answer that had one */
  provider_code: number | null
  error_message: string
  /** where in the webhook; empty: the webhook as a whole */
  item_path: string
  phone_number_id: string | null
  waba_id: string | null
  /** of what was to be sent */
  message_id: string | null
  message_type: string | null
  conversation_id: string | null
  /** whom it was for */
  contact: {
    name: string | null
    wa_id: string | null
  } | null
  /** how often it was tried to be sent; null for what came in */
  attempts: number | null
  /** true: an attempt got no answer, so Meta may have it. Requeued, it may arrive twice */
  may_arrive_twice: boolean
  correlation_id: string | null
  raw_bytes: number
  /** RFC 3339, UTC */
  created_at: string
  decided_at: string | null
  decided_by: string | null
  decision_reason: string | null
}

export type DeadLetterBulkAnswer = {
  dry_run: boolean
  /** how many open ones the filter or the ids name */
  matched: number
  /** at most 1000 a call */
  decided: number
  /** call again while this is not 0 */
  remaining: number
  /** the matched ones */
  by_kind: Record<string, number>
  /** of those to be requeued: an attempt got no answer, so Meta may have it already */
  may_arrive_twice: number
  /** start_at of the next call, when the same pace is to go on; null: nothing was sent */
  next_start_at: string | null
  skipped: {
    /** cannot be requeued, only discarded */
    payload_pruned: number
    /** need not be requeued: the message went through after all, or is on its way */
    message_not_failed: number
    /** cannot be marked sent: it is known that Meta does not have the message */
    outcome_known: number
    /** of ids */
    already_decided: number
    /** of ids */
    not_found: number
  }
}

export type DeadLetterBulkDiscard = {
  ids?: string[] | undefined
  /** empty: every open one. Either this or ids */
  filter?: DeadLetterFilter | undefined
  /** why; kept in the audit */
  reason: string
  /** only counts */
  dry_run?: boolean | undefined
}

export type DeadLetterBulkRequeue = {
  ids?: string[] | undefined
  /** empty: every open one. Either this or ids */
  filter?: DeadLetterFilter | undefined
  /** why; kept in the audit */
  reason: string
  /** only counts */
  dry_run?: boolean | undefined
  /** how many messages become due a second; what came in is processed as it can be */
  per_second?: number | undefined
  /** when the first message is due; next_start_at of the call before keeps the pace */
  start_at?: string | undefined
}

export type DeadLetterCounts = {
  total: number
  groups: {
    kind: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
    reason: DeadLetterReason
    error_code: string
    count: number
    /** RFC 3339, UTC */
    newest_at: string
  }[]
}

export type DeadLetterDecision = {
  /** why; kept in the audit */
  reason: string
}

export type DeadLetterFilter = {
  tenant_id?: string | undefined
  kind?: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown' | undefined
  /** outbound: what was to be sent, kind unknown too */
  direction?: 'inbound' | 'outbound' | undefined
  reason?: DeadLetterReason | undefined
  error_code?: string | undefined
  phone_number_id?: string | undefined
  /** an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number */
  q?: string | undefined
  /** of what was to be sent: msg_… */
  message_id?: string | undefined
  /** RFC 3339 */
  created_before?: string | undefined
  /** RFC 3339 */
  created_after?: string | undefined
}

export type DeadLetterInspection = {
  id: string
  /** null: nobody owns it; only operators see it */
  tenant_id: string | null
  kind: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
  /** resolved: Meta turned out to have the message, or somebody marked it sent */
  state: 'open' | 'requeued' | 'discarded' | 'resolved'
  reason: DeadLetterReason
  error_code: string
  /** Meta’s, of the last answer that had one */
  provider_code: number | null
  error_message: string
  /** where in the webhook; empty: the webhook as a whole */
  item_path: string
  phone_number_id: string | null
  waba_id: string | null
  /** of what was to be sent */
  message_id: string | null
  message_type: string | null
  conversation_id: string | null
  /** whom it was for */
  contact: {
    name: string | null
    wa_id: string | null
  } | null
  /** how often its webhook was processed, or it was tried to be sent */
  attempts: number
  /** true: an attempt got no answer, so Meta may have it. Requeued, it may arrive twice */
  may_arrive_twice: boolean
  correlation_id: string | null
  raw_bytes: number
  /** RFC 3339, UTC */
  created_at: string
  decided_at: string | null
  decided_by: string | null
  decision_reason: string | null
  /** what could not be applied, as it came, or what was to be posted */
  raw: string
  /** hex when it is not text */
  raw_encoding: 'utf-8' | 'hex'
  /** every error at this place or of this message, the earliest first; the last ones may be of later letters */
  errors: {
    dead_letter_id: string
    /** RFC 3339, UTC */
    at: string
    kind: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown'
    code: string
    message: string
    /** resolved: Meta turned out to have the message, or somebody marked it sent */
    state: 'open' | 'requeued' | 'discarded' | 'resolved'
    decided_at: string | null
    decided_by: string | null
    decision_reason: string | null
  }[]
  /** the webhook it came in */
  event: {
    status: 'pending' | 'processing' | 'done' | 'failed'
    attempts: number
    attempts_allowed: number
    last_error: string | null
    /** RFC 3339, UTC */
    received_at: string
    processed_at: string | null
    /** its bytes are no longer kept; it cannot be requeued */
    is_pruned: boolean
  } | null
  /** the message that was to be sent */
  outbound: {
    message: {
      id: string
      conversation_id: string | null
      status: string
      /** how often Meta was asked, in all */
      attempts: number
      error: Record<string, unknown> | null
    }
    delivery: 'at_least_once' | 'at_most_once'
    expires_at: string | null
    fallback_template: Record<string, unknown> | null
    /** every one, the earliest first */
    attempts: {
      /** the letter that it ended in: each time the message was queued has its own */
      dead_letter_id: string | null
      /** RFC 3339, UTC */
      started_at: string
      /** null: under way */
      finished_at: string | null
      /** the class of the outcome: accepted, permanent, transient, unknown …; not_posted: Meta was not asked */
      outcome: string | null
      wamid: string | null
      /** of Meta’s HTTP answer */
      status_code: number | null
      /** Meta’s error code */
      provider_code: number | null
      provider_subcode: number | null
      /** Meta’s words, or ours where it said nothing */
      error_message: string | null
      fbtrace_id: string | null
    }[]
  } | null
  /** who looked at it and who decided, the latest first; this look is the first of them */
  trail: {
    /** RFC 3339, UTC */
    at: string
    actor: string
    action: string
    reason: string | null
  }[]
}

/** a class of error codes; refused: Meta gave no reason that we know */
export type DeadLetterReason = 'window' | 'template' | 'media' | 'content' | 'recipient' | 'consent' | 'account' | 'limits' | 'expired' | 'tries' | 'refused' | 'unknown' | 'processing' | 'malformed' | 'unroutable'

export type DoctorReport = {
  account_id: string
  phone_number_id: string
  /** the worst of the checks */
  status: 'ok' | 'warning' | 'failed'
  /** RFC 3339, UTC */
  checked_at: string
  checks: {
    name: 'credentials' | 'scopes' | 'subscription' | 'callback' | 'registration' | 'standing' | 'quality' | 'limit' | 'throughput' | 'last_inbound'
    status: 'ok' | 'warning' | 'failed'
    /** what was found, in a word that stays the same */
    finding: 'token_ok' | 'token_expires_soon' | 'token_refused' | 'access_lost' | 'token_sealed' | 'token_of_other_app' | 'token_not_told' | 'meta_unreachable' | 'not_known' | 'permissions_ok' | 'messaging_not_permitted' | 'templates_not_permitted' | 'subscribed' | 'not_subscribed' | 'callback_ok' | 'no_callback' | 'callback_elsewhere' | 'registered' | 'not_registered' | 'number_not_shown' | 'phone_disconnected' | 'standing_ok' | 'banned' | 'review_rejected' | 'restricted' | 'sending_blocked' | 'replies_only' | 'sending_limited' | 'quality_high' | 'quality_medium' | 'quality_low' | 'quality_none' | 'limit_known' | 'limit_not_told' | 'throughput_known' | 'inbound_seen' | 'inbound_never'
    /** what the finding’s sentence names: times, hosts, Meta’s words */
    facts: Record<string, string | number | null>
    /** what was found, in a sentence */
    message: string
    /** what to do about it, in a sentence */
    fix: string | null
    /** POST …/doctor/repair can do it */
    repairable: boolean
  }[]
}

export type ErrorBody = {
  error: {
    code: string
    message: string
    details: Record<string, unknown>
    request_id: string
  }
}

export type EstafetEvent = {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'message.received'
  data: WrittenMessage
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'message.echoed'
  data: WrittenMessage
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'message.status'
  data: {
    /** msg_… */
    message_id: string
    /** conv_… */
    conversation_id: string | null
    phone_number_id: string
    status: MessageStatus
    client_reference: string | null
    [more: string]: unknown
  }
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'conversation.updated'
  data: {
    /** conv_… */
    conversation_id: string
    phone_number_id: string
    changed: string[]
    status: 'open' | 'closed'
    assigned_user_id: string | null
    merged_into: string | null
    [more: string]: unknown
  }
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'account.updated'
  data: ChangedAccount | AccountNotice
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'template.updated'
  data: AccountNotice
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'dead_letter.created'
  data: {
    /** dlq_… */
    dead_letter_id: string
    kind: string
    error_code: string
    phone_number_id: string | null
    message_id: string | null
    [more: string]: unknown
  }
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'event_endpoint.disabled'
  data: {
    event_endpoint_id: string
    reason: string
    [more: string]: unknown
  }
  [more: string]: unknown
} | {
  /** evt_…; the same whenever it is told again */
  id: string
  version: 1
  /** when it was recorded */
  timestamp: string
  tenant_id: string
  type: 'event_endpoint.test'
  data: {
    event_endpoint_id: string
    [more: string]: unknown
  }
  [more: string]: unknown
}

export type EventDelivery = {
  event_id: string
  event_type: string | null
  status: 'pending' | 'running' | 'done' | 'failed'
  /** failed ones */
  attempts: number
  next_attempt_at: string | null
  last_error: string | null
  /** what the last attempt was answered */
  status_code: number | null
  /** how long that took */
  duration_ms: number | null
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
}

export type EventDeliveryWithAttempts = {
  event_id: string
  event_type: string | null
  status: 'pending' | 'running' | 'done' | 'failed'
  /** failed ones */
  attempts: number
  next_attempt_at: string | null
  last_error: string | null
  /** what the last attempt was answered */
  status_code: number | null
  /** how long that took */
  duration_ms: number | null
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
  /** the body that is posted */
  event: Record<string, unknown> | null
  attempt_log: {
    /** RFC 3339, UTC */
    started_at: string
    finished_at: string | null
    status_code: number | null
    error_code: string | null
    duration_ms: number | null
    /** what a refusal said, the first 500 characters */
    answer: string | null
  }[]
}

export type EventEndpoint = {
  id: string
  url: string
  description: string
  events: string[]
  /** disabled: by us, after days of failure or a 410; set it to active to go on */
  status: 'active' | 'paused' | 'disabled'
  disabled_reason: 'FAILING' | 'GONE' | null
  disabled_at: string | null
  responder_for: string[]
  /** until then the secret before signs too */
  old_secret_until: string | null
  failing_since: string | null
  last_success_at: string | null
  /** events that wait for it; counted up to 1000 */
  pending_count: number
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
}

export type EventEndpointChange = {
  /** https; called with POST */
  url?: string | undefined
  /** event types, or "*" for all, those to come too */
  events?: ('*' | 'message.received' | 'message.echoed' | 'message.status' | 'conversation.updated' | 'account.updated' | 'template.updated' | 'dead_letter.created' | 'event_endpoint.disabled')[] | undefined
  description?: string | undefined
  /** what waits is kept while paused */
  status?: 'active' | 'paused' | undefined
  /** accounts (acc_…) whose http responder this endpoint is: messages in its answer to message.received are sent */
  responder_for?: string[] | undefined
}

export type EventEndpointWithSecret = {
  id: string
  url: string
  description: string
  events: string[]
  /** disabled: by us, after days of failure or a 410; set it to active to go on */
  status: 'active' | 'paused' | 'disabled'
  disabled_reason: 'FAILING' | 'GONE' | null
  disabled_at: string | null
  responder_for: string[]
  /** until then the secret before signs too */
  old_secret_until: string | null
  failing_since: string | null
  last_success_at: string | null
  /** events that wait for it; counted up to 1000 */
  pending_count: number
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
  /** whsec_…; shown this once */
  secret: string
}

export type EventReplay = {
  /** events of this time or later */
  from?: string | undefined
  /** events before this time */
  to?: string | undefined
  event_ids?: string[] | undefined
  /** only those that were given up */
  only_failed?: boolean | undefined
  /** only counts */
  dry_run?: boolean | undefined
  /** next of the answer before */
  after?: string | undefined
}

export type Health = {
  status: 'ok' | 'degraded' | 'down'
  reasons: string[]
  /** the reasons, for programs */
  troubles: {
    code: 'blocked' | 'webhook_waits' | 'webhook_retried' | 'send_waits' | 'meta_unreachable' | 'numbers_failing' | 'reauth_needed' | 'dead_letters' | 'not_counted'
    /** of numbers, accounts or tenants; 1 where nothing is counted */
    count: number
    /** how long it has lasted, where that is the trouble */
    seconds: number | null
  }[]
  webhook_events_pending_count: number
  outbox_pending_count: number
  outbox_failed_count: number
  dlq_count: number
  /** of webhooks to process and messages that could leave now */
  oldest_pending_seconds: number | null
  /** of those that nobody has decided on */
  oldest_dead_letter_seconds: number | null
  /** webhooks: runnable, processing, retry_wait */
  events_by_state: Record<string, {
    count: number
    oldest_seconds: number
  }>
  /** runnable, in_flight, behind (an earlier one to the same contact), scheduled, retry_wait, throttled, circuit_open, parked; unknown and dead: open dead letters */
  sends_by_state: Record<string, {
    count: number
    oldest_seconds: number
  }>
  /** accepted by Meta / decided: what waits, or was cancelled, is neither */
  send_success_rate_last_1h: number | null
  sends_accepted_last_1h: number
  /** accepted by Meta, or given up for good */
  sends_decided_last_1h: number
  /** last 5 minutes, all processes */
  webhook_ack_p95_ms: number | null
  /** from its receipt on */
  inbound_processing_p95_ms: number | null
  /** one call to Meta */
  send_p95_ms: number | null
  oldest_webhook_seconds: number
  dead_letters_by_kind: Record<string, number>
  /** now, or when a long backlog was last counted */
  counted_at: string
  circuits_open: {
    scope: 'number' | 'host'
    tenant_id: string | null
    phone_number_id: string | null
    display_phone_number: string | null
    /** RFC 3339, UTC */
    opened_at: string
    /** from then on one call finds out whether Meta is back */
    trial_at: string
    /** in the breaker’s window, when it opened; 0: no longer known */
    calls: number
    /** of these */
    failures: number
  }[]
  accounts_needing_reauth: {
    account_id: string
    tenant_id: string
    phone_number_id: string
    display_phone_number: string
  }[]
  /** connected */
  numbers_count: number
  /** whether anything has ever come in */
  has_received: boolean
  tenants: {
    tenant_id: string
    webhook_events_pending_count: number
    outbox_pending_count: number
    outbox_failed_count: number
    dlq_count: number
    /** of webhooks to process and messages that could leave now */
    oldest_pending_seconds: number | null
    /** of those that nobody has decided on */
    oldest_dead_letter_seconds: number | null
    /** webhooks: runnable, processing, retry_wait */
    events_by_state: Record<string, {
      count: number
      oldest_seconds: number
    }>
    /** runnable, in_flight, behind (an earlier one to the same contact), scheduled, retry_wait, throttled, circuit_open, parked; unknown and dead: open dead letters */
    sends_by_state: Record<string, {
      count: number
      oldest_seconds: number
    }>
  }[]
}

export type History = {
  range: '1h' | '6h' | '24h' | '7d'
  step_seconds: number
  /** beyond these an alert fires */
  limits: {
    /** BACKLOG_ALERT_SECONDS */
    oldest_pending_seconds: number
    /** of one tenant: DLQ_ALERT_THRESHOLD */
    dlq_count: number
  }
  /** all steps of the range, the oldest first */
  points: {
    /** when the step begins */
    at: string
    /** how many of the step are known; 0: nobody looked */
    minutes: number
    webhook_ack_p95_ms: number | null
    inbound_processing_p95_ms: number | null
    send_p95_ms: number | null
    /** the most at once; so are those below */
    outbox_pending_count: number | null
    webhook_events_pending_count: number | null
    oldest_pending_seconds: number | null
    dlq_count: number | null
    sends_accepted: number | null
    sends_decided: number | null
  }[]
  /** of the last hour, whatever the range; without those that decided nothing */
  tenants: {
    tenant_id: string
    sends_accepted: number
    sends_decided: number
    send_p95_ms: number | null
    /** accepted, by five minutes */
    sends: number[]
  }[]
}

export type InboundTask = {
  event_id: string
  inbound_event_id: string
  correlation_id: string
}

export type InboundTaskAnswer = {
  status: 'finished' | 'not_due' | 'unknown'
  next_at: string | null
}

export type InteractiveContent = {
  type: 'button'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    buttons: {
      type: 'reply'
      reply: {
        id: string
        title: string
      }
    }[]
  }
} | {
  type: 'list'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    button: string
    sections: {
      title?: string | undefined
      rows: {
        id: string
        title: string
        description?: string | undefined
      }[]
    }[]
  }
} | {
  type: 'cta_url'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'cta_url'
    parameters: {
      display_text: string
      url: string
    }
  }
} | {
  type: 'location_request_message'
  body: {
    text: string
  }
  action: {
    name: 'send_location'
  }
} | {
  type: 'flow'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'flow'
    parameters: {
      flow_message_version: '3'
      flow_id?: string | undefined
      flow_name?: string | undefined
      flow_cta: string
      flow_token?: string | undefined
      mode?: 'draft' | 'published' | undefined
      flow_action?: 'navigate' | 'data_exchange' | undefined
      flow_action_payload?: {
        screen?: string | undefined
        data?: Record<string, unknown> | undefined
      } | undefined
    }
  }
} | {
  type: 'product'
  body?: {
    text: string
  } | undefined
  footer?: {
    text: string
  } | undefined
  action: {
    catalog_id: string
    product_retailer_id: string
  }
} | {
  type: 'product_list'
  header: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  }
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    catalog_id: string
    sections: {
      title?: string | undefined
      product_items: {
        product_retailer_id: string
      }[]
    }[]
  }
} | {
  type: 'catalog_message'
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'catalog_message'
    parameters?: {
      thumbnail_product_retailer_id: string
    } | undefined
  }
} | {
  type: 'carousel'
  body: {
    text: string
  }
  action: {
    cards: {
      card_index: number
      type?: 'cta_url' | 'product' | undefined
      header?: {
        type: 'image'
        image: {
          id?: string | undefined
          link?: string | undefined
        }
      } | {
        type: 'video'
        video: {
          id?: string | undefined
          link?: string | undefined
        }
      } | undefined
      body?: {
        text: string
      } | undefined
      action: {
        name?: 'cta_url' | undefined
        parameters?: {
          display_text: string
          url: string
        } | undefined
        buttons?: {
          type: 'quick_reply'
          quick_reply: {
            id: string
            title: string
          }
        }[] | undefined
        catalog_id?: string | undefined
        product_retailer_id?: string | undefined
      }
    }[]
  }
} | {
  type: 'address_message'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'address_message'
    parameters: {
      country: string
      values?: Record<string, unknown> | undefined
      saved_addresses?: {
        id: string
        [more: string]: unknown
      }[] | undefined
      validation_errors?: Record<string, unknown> | undefined
      [more: string]: unknown
    }
  }
} | {
  type: 'call_permission_request'
  body?: {
    text: string
  } | undefined
  action: {
    name: 'call_permission_request'
  }
} | {
  type: 'voice_call'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'voice_call'
    parameters?: {
      display_text?: string | undefined
      ttl_minutes?: number | undefined
      payload?: string | undefined
    } | undefined
  }
} | {
  type: 'order_details'
  header?: {
    type: 'text'
    text: string
    sub_text?: string | undefined
  } | {
    type: 'image'
    image: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'video'
    video: {
      id?: string | undefined
      link?: string | undefined
    }
  } | {
    type: 'document'
    document: {
      id?: string | undefined
      link?: string | undefined
      filename?: string | undefined
    }
  } | undefined
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'review_and_pay'
    parameters: {
      reference_id: string
      [more: string]: unknown
    }
  }
} | {
  type: 'order_status'
  body: {
    text: string
  }
  footer?: {
    text: string
  } | undefined
  action: {
    name: 'review_order'
    parameters: {
      reference_id: string
      [more: string]: unknown
    }
  }
}

export type InvitedPerson = {
  person: Person
  link: PersonLink
}

export type LinkOwner = {
  name: string
  email: string
  purpose: 'invitation' | 'new_password'
}

export type LinkToken = {
  token: string
}

export type ListedPerson = {
  id: string
  tenant_id: string | null
  email: string
  name: string
  role: 'operator' | 'admin' | 'agent'
  status: 'invited' | 'active' | 'disabled'
  /** RFC 3339, UTC */
  created_at: string
  /** null: not lately; told to about a minute */
  last_seen_at: string | null
}

export type MediaForm = {
  /** the file, with its Content-Type; Meta’s types and sizes apply */
  file: string
  /** its type (image/jpeg) or kind (image), where the part does not say it */
  type?: string | undefined
  /** as Meta’s own endpoint has it */
  messaging_product?: 'whatsapp' | undefined
}

export type Message = {
  id: string
  conversation_id: string | null
  phone_number_id: string
  direction: 'inbound' | 'outbound'
  /** echo: sent from the business’s own phone; history: from before the connection */
  origin: 'live' | 'echo' | 'history'
  /** who wrote it, in a group */
  sender: {
    /** phone-number id; null when Meta does not tell */
    wa_id: string | null
    /** business-scoped user id */
    user_id: string | null
    name: string | null
  } | null
  /** Meta’s */
  type: string
  /** the Cloud API’s message object without its envelope; after an edit, as edited */
  content: Record<string, unknown>
  /** how far its file got; null when it has none that we keep */
  media: 'pending' | 'stored' | 'expired' | 'failed' | null
  /** GET /api/whatsapp/meta/media/{id} gives the file */
  media_id: string | null
  /** why there is no file, or not yet */
  media_error: string | null
  /** the file’s size, once it is here */
  media_bytes: number | null
  status: MessageStatus
  wamid: string | null
  reply_to_wamid: string | null
  /** what it answers, reacts to, edits or takes back, where we have that */
  refers_to: {
    id: string
    direction: 'inbound' | 'outbound'
    type: string
    content: Record<string, unknown>
  } | null
  /** a template message as the contact sees it, where the mirror has the template */
  rendered: RenderedTemplate | null
  /** who wrote it in the console; a name of null: an operator */
  sent_by: {
    id: string
    name: string | null
  } | null
  /** why a queued message has not left yet; null: it is about to */
  waits_for: {
    reason: WaitReason
    /** null: nobody can say */
    until: string | null
    /** what the last attempt came to */
    error_code: string | null
  } | null
  /** of its story: what estafet trace takes */
  correlation_id: string
  attempts: number
  client_reference: string | null
  error: Record<string, unknown> | null
  /** made by the account’s responder */
  automatic: boolean
  /** the latest of each person; a removed one is gone */
  reactions: {
    emoji: string
    /** a contact’s id, or “business” */
    from: string
    /** RFC 3339, UTC */
    at: string
  }[]
  edited_at: string | null
  /** what an edited message said at first */
  original_content: Record<string, unknown> | null
  /** deleted by its sender; the content is kept here */
  revoked_at: string | null
  /** when it was learnt that Meta has it twice: an answer was lost, and no status came in time */
  duplicate_confirmed_at: string | null
  /** by Meta’s clock */
  occurred_at: string
  /** RFC 3339, UTC */
  created_at: string
  timeline: {
    status: string
    /** RFC 3339, UTC */
    at: string
  }[]
  /** every attempt to send it, the earliest first */
  sends: {
    /** RFC 3339, UTC */
    started_at: string
    /** null: under way */
    finished_at: string | null
    /** accepted, permanent, transient, unknown …; not_posted: Meta was not asked */
    outcome: string | null
    /** of Meta’s HTTP answer */
    status_code: number | null
    /** Meta’s error code */
    provider_code: number | null
    /** Meta’s words, or ours where it said nothing */
    error_message: string | null
  }[]
}

export type MessageInList = {
  id: string
  conversation_id: string | null
  phone_number_id: string
  direction: 'inbound' | 'outbound'
  /** echo: sent from the business’s own phone; history: from before the connection */
  origin: 'live' | 'echo' | 'history'
  /** who wrote it, in a group */
  sender: {
    /** phone-number id; null when Meta does not tell */
    wa_id: string | null
    /** business-scoped user id */
    user_id: string | null
    name: string | null
  } | null
  /** Meta’s */
  type: string
  /** the Cloud API’s message object without its envelope; after an edit, as edited */
  content: Record<string, unknown>
  /** how far its file got; null when it has none that we keep */
  media: 'pending' | 'stored' | 'expired' | 'failed' | null
  /** GET /api/whatsapp/meta/media/{id} gives the file */
  media_id: string | null
  /** why there is no file, or not yet */
  media_error: string | null
  /** the file’s size, once it is here */
  media_bytes: number | null
  status: MessageStatus
  wamid: string | null
  reply_to_wamid: string | null
  /** what it answers, reacts to, edits or takes back, where we have that */
  refers_to: {
    id: string
    direction: 'inbound' | 'outbound'
    type: string
    content: Record<string, unknown>
  } | null
  /** a template message as the contact sees it, where the mirror has the template */
  rendered: RenderedTemplate | null
  /** who wrote it in the console; a name of null: an operator */
  sent_by: {
    id: string
    name: string | null
  } | null
  /** why a queued message has not left yet; null: it is about to */
  waits_for: {
    reason: WaitReason
    /** null: nobody can say */
    until: string | null
    /** what the last attempt came to */
    error_code: string | null
  } | null
  /** of its story: what estafet trace takes */
  correlation_id: string
  attempts: number
  client_reference: string | null
  error: Record<string, unknown> | null
  /** made by the account’s responder */
  automatic: boolean
  /** the latest of each person; a removed one is gone */
  reactions: {
    emoji: string
    /** a contact’s id, or “business” */
    from: string
    /** RFC 3339, UTC */
    at: string
  }[]
  edited_at: string | null
  /** what an edited message said at first */
  original_content: Record<string, unknown> | null
  /** deleted by its sender; the content is kept here */
  revoked_at: string | null
  /** when it was learnt that Meta has it twice: an answer was lost, and no status came in time */
  duplicate_confirmed_at: string | null
  /** by Meta’s clock */
  occurred_at: string
  /** RFC 3339, UTC */
  created_at: string
  timeline: {
    status: string
    /** RFC 3339, UTC */
    at: string
  }[]
}

export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'read' | 'played' | 'failed' | 'unknown' | 'cancelled' | 'received'

export type MessageTrace = {
  message: TracedMessage
  /** the same story, where traces are collected */
  trace_id: string
  /** the earliest first; nothing of what anybody wrote */
  steps: {
    /** RFC 3339, UTC */
    at: string
    step: 'webhook_received' | 'webhook_processed' | 'message_received' | 'message_queued' | 'queued_again' | 'attempt' | 'status' | 'cancelled' | 'dead_letter' | 'decided' | 'told'
    /** which message of the story */
    message_id?: string | undefined
    /** of attempt and told; null: under way */
    ended_at?: string | null | undefined
    /** of webhook_processed */
    attempts?: number | undefined
    /** of attempt: its class; null: under way */
    outcome?: string | null | undefined
    /** of status: what Meta reports; of decided: the decision */
    status?: string | undefined
    /** of status: when, by Meta’s clock */
    happened_at?: string | undefined
    /** of an HTTP answer */
    status_code?: number | null | undefined
    /** Meta’s error code */
    provider_code?: number | null | undefined
    /** our code for what went wrong */
    code?: string | null | undefined
    /** Meta’s words, or ours where it said nothing */
    said?: string | null | undefined
    fbtrace_id?: string | null | undefined
    wamid?: string | null | undefined
    dead_letter_id?: string | undefined
    /** of decided */
    by?: string | null | undefined
    /** of decided */
    reason?: string | null | undefined
    /** of told */
    endpoint_id?: string | undefined
    endpoint_url?: string | null | undefined
    /** of told: evt_… */
    event_id?: string | undefined
    event_type?: string | undefined
  }[]
  /** it is to be sent, and not yet */
  waiting: {
    /** null: for its account */
    until: string | null
    code: string | null
  } | null
}

export type NewAccount = {
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  access_token: string
  app_id?: string | undefined
}

export type NewAlertChannel = {
  kind: 'slack' | 'pagerduty' | 'webhook'
  /** slack: the incoming webhook’s https URL; pagerduty: the routing key of an Events API v2 integration; webhook: an https URL that takes POST */
  target: string
  description?: string | undefined
}

export type NewApiKey = {
  name: string
}

export type NewColleague = {
  email: string
  name: string
  role: 'admin' | 'agent'
}

export type NewEventEndpoint = {
  /** https; called with POST */
  url: string
  /** event types, or "*" for all, those to come too */
  events?: ('*' | 'message.received' | 'message.echoed' | 'message.status' | 'conversation.updated' | 'account.updated' | 'template.updated' | 'dead_letter.created' | 'event_endpoint.disabled')[] | undefined
  description?: string | undefined
  /** accounts (acc_…) whose http responder this endpoint is: messages in its answer to message.received are sent */
  responder_for?: string[] | undefined
}

export type NewPerson = {
  email: string
  name: string
  role: 'operator' | 'admin' | 'agent'
  /** Of an admin or agent; operators have none */
  tenant_id?: string | undefined
}

export type NewSuppression = {
  /** may be left out when you have one number */
  phone_number_id?: string | undefined
  /** a phone number with its country code */
  to?: string | undefined
  /** or else a business-scoped user id */
  recipient?: string | undefined
  scope?: SuppressionScope | undefined
  /** why; kept in the audit */
  reason: string
}

export type NewTemplate = {
  /** acc_…; or name the number instead */
  account_id?: string | undefined
  /** may be left out when all your numbers are in one WhatsApp Business Account */
  phone_number_id?: string | undefined
  name: string
  language: string
  category: string
  parameter_format?: string | undefined
  /** as in Meta’s reference: HEADER, BODY, FOOTER, BUTTONS, CAROUSEL, LIMITED_TIME_OFFER */
  components: {
    type: string
    [more: string]: unknown
  }[]
  /** Meta may choose another category instead of refusing */
  allow_category_change?: boolean | undefined
  /** seconds in which Meta tries to deliver; -1 is 30 days, except for marketing */
  message_send_ttl_seconds?: number | undefined
}

export type NewTemplatePreviewRequest = {
  /** as in a message: template.components */
  components: Record<string, unknown>[]
  /** what is not given shows its example */
  with_examples?: boolean | undefined
  template: TemplateDefinition
}

export type NewTemplateSample = {
  /** med_…, uploaded before: a JPEG, PNG, MP4 or PDF */
  media_id: string
  /** acc_… */
  account_id?: string | undefined
  phone_number_id?: string | undefined
}

export type NewTenant = {
  name: string
  slug?: string | undefined
  max_concurrency?: number | null | undefined
  max_queued?: number | null | undefined
  retry_policy?: 'standard' | 'patient' | null | undefined
}

export type NumberPin = {
  pin: string
}

export type OutboundTask = {
  outbox_id: string | number
  idempotency_key: string
  correlation_id: string
}

export type OutboundTaskAnswer = {
  status: 'sent' | 'finished' | 'running' | 'not_due' | 'unknown'
  reason: 'cap' | 'order' | 'pace' | 'breaker' | 'back_off' | 'hold' | 'suspended' | 'reauth' | 'fallback' | null
  next_at: string | null
}

export type OutgoingMessage = {
  type?: 'text' | undefined
  text: {
    body: string
    preview_url?: boolean | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'image'
  image: {
    id?: string | undefined
    link?: string | undefined
    caption?: string | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'audio'
  audio: {
    id?: string | undefined
    link?: string | undefined
    /** shown as a recorded note */
    voice?: boolean | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'video'
  video: {
    id?: string | undefined
    link?: string | undefined
    caption?: string | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'document'
  document: {
    id?: string | undefined
    link?: string | undefined
    caption?: string | undefined
    filename?: string | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'sticker'
  sticker: {
    id?: string | undefined
    link?: string | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'location'
  location: {
    latitude: number | string
    longitude: number | string
    name?: string | undefined
    address?: string | undefined
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'contacts'
  contacts: ContactsContent
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'reaction'
  reaction: {
    message_id: string
    /** empty: the reaction is taken back */
    emoji: string
  }
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'interactive'
  interactive: InteractiveContent
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
} | {
  type: 'template'
  template: TemplateContent
  messaging_product?: 'whatsapp' | undefined
  recipient_type?: 'individual' | 'group' | undefined
  /** phone number with its country code: digits, a + and separators; of a group, its id */
  to?: string | undefined
  /** business-scoped user id; ignored when there is `to` */
  recipient?: string | undefined
  /** the message this answers */
  context?: {
    message_id: string
  } | undefined
  recipient_identity_key_hash?: string | undefined
  /** given back with every status of the message */
  biz_opaque_callback_data?: string | undefined
  /** may be left out by a tenant that has one number */
  phone_number_id?: string | undefined
  /** sent instead when the 24-hour window is closed by then */
  fallback_template?: TemplateContent | undefined
  /** RFC 3339; not before then, at most a year ahead */
  send_at?: string | undefined
  /** RFC 3339; not sent after then */
  expires_at?: string | undefined
  /** yours, to find the message by */
  client_reference?: string | undefined
  /** what to do when nobody can tell whether Meta has the message: try again, or ask you */
  delivery?: 'at_least_once' | 'at_most_once' | undefined
}

export type OwnNumber = {
  phone_number_id: string
  display_phone_number: string
  /** of sending messages */
  auth_status: 'ok' | 'needs_reauth'
}

export type Paging = {
  /** after of the next page; null: this was the last */
  next: string | null
}

export type PasswordChange = {
  current_password: string
  password: string
}

export type Person = {
  id: string
  tenant_id: string | null
  email: string
  name: string
  role: 'operator' | 'admin' | 'agent'
  status: 'invited' | 'active' | 'disabled'
  /** RFC 3339, UTC */
  created_at: string
}

export type PersonChange = {
  name?: string | undefined
  role?: 'operator' | 'admin' | 'agent' | undefined
  status?: 'active' | 'disabled' | undefined
}

export type PersonLink = {
  purpose: 'invitation' | 'new_password'
  url: string
  /** RFC 3339, UTC */
  expires_at: string
}

export type QueuedMessage = {
  message_id: string
  conversation_id: string
  status: 'queued'
}

export type RenderedTemplate = {
  header: {
    format: string
    text: string | null
    media: Record<string, unknown> | null
  } | null
  body: string
  buttons: {
    type: string
    text: string | null
    url: string | null
    phone_number: string | null
    /** what a quick reply sends back */
    payload: string | null
    /** what a tap copies */
    code: string | null
  }[]
  footer: string | null
  cards: {
    header: {
      format: string
      text: string | null
      media: Record<string, unknown> | null
    } | null
    body: string
    buttons: {
      type: string
      text: string | null
      url: string | null
      phone_number: string | null
      /** what a quick reply sends back */
      payload: string | null
      /** what a tap copies */
      code: string | null
    }[]
  }[]
}

export type RepairReport = {
  /** what was tried; empty when nothing could be repaired */
  actions: {
    name: 'subscribe' | 'clear_callback' | 'register' | 'release'
    status: 'done' | 'failed'
    problem: 'pin_unknown' | 'refused' | 'unreachable' | null
    /** Meta’s own words, where it refused */
    said: string | null
    message: string
  }[]
  /** how things are afterwards */
  doctor: DoctorReport
}

export type ReplayAnswer = {
  dry_run: boolean
  /** webhooks that were processed in this period */
  matched: number
  /** of these, how many still have their bytes */
  replayable: number
  /** of these, how many have not */
  pruned: number
  /** webhooks of this period that are still to be processed, and will be */
  waiting: number
  /** put back into processing by this call, at most 10,000 */
  replayed: number
  /** there are more: call again with this as after */
  next: string | null
}

export type ReplayRequest = {
  /** received at this time or later */
  from: string
  /** received before this time */
  to: string
  tenant_id?: string | undefined
  phone_number_id?: string | undefined
  /** why; kept in the audit */
  reason: string
  /** only counts, unless false */
  dry_run?: boolean | undefined
  /** next of the answer before */
  after?: string | undefined
}

export type ReplayedEvents = {
  /** in a dry run: how many would be */
  replayed: number
  /** it stopped at 10000 */
  has_more: boolean
  /** there are more: call again with this as after */
  next: string | null
}

export type Responder = 'off' | 'echo' | 'auto_reply'

export type ShownApiKey = {
  id: string
  name: string
  /** shown this once; only its digest is kept */
  key: string
}

export type SignIn = {
  email: string
  password: string
}

export type SignedIn = {
  person: Person
  tenant: {
    id: string
    name: string
  } | null
  /** To be sent as X-CSRF-Token with everything but GET */
  csrf_token: string
  /** When to sign in again at the latest */
  expires_at: string
  /** Where Meta is played, under `dev` */
  simulator_url?: string | undefined
}

export type SignedOut = {
  /** how many there were */
  sessions: number
}

export type SignupSettings = {
  /** settings that the operator must make before a number can be connected */
  missing: ('META_APP_ID' | 'META_APP_SECRET' | 'META_CONFIG_ID')[]
}

export type SignupStart = {
  /** the page to open in a browser; with &lang= en, es, pt or id */
  url: string
  /** names it, and opens nothing */
  id: string
  /** single use; also the callback’s */
  state: string
  /** RFC 3339, UTC */
  expires_at: string
}

export type StopWords = {
  /** a message that is nothing but one of these ends all messages to its sender */
  words: string[]
  /** the tenant’s own, or STOP_WORDS for those that have none */
  source: 'tenant' | 'installation'
}

export type Suppression = {
  id: string
  /** from which number */
  phone_number_id: string
  contact: {
    wa_id: string | null
    user_id: string | null
    name: string | null
    username: string | null
  }
  scope: SuppressionScope
  state: 'active' | 'lifted'
  reason: SuppressionReason
  /** by Meta’s clock, where it told */
  since: string
  /** who did it by hand */
  set_by: string | null
  /** their reason */
  note: string | null
  lifted_at: string | null
  /** contact: they wrote again, or resumed; else who did it */
  lifted_by: string | null
  /** their reason */
  lift_note: string | null
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
}

export type SuppressionLift = {
  /** why; kept in the audit */
  reason: string
}

/** stopped in WhatsApp; refused by Meta (131050); a stop word; blocked at Meta (130403); by hand */
export type SuppressionReason = 'user_preferences' | 'marketing_refused' | 'stop_word' | 'blocked' | 'operator'

/** marketing: templates of that category */
export type SuppressionScope = 'marketing' | 'everything'

export type SweepAnswer = {
  jobs: {
    name: string
    count: number | null
    is_failed: boolean
  }[]
  is_complete: boolean
  duration_ms: number
}

export type Template = {
  id: string
  /** all numbers in it share the template */
  waba_id: string
  meta_id: string | null
  name: string
  language: string
  /** MARKETING, UTILITY or AUTHENTICATION */
  category: string | null
  /** what Meta has announced that it will become */
  next_category: {
    category: string
    at: string | null
  } | null
  /** Meta’s: APPROVED, PENDING, REJECTED, PAUSED, DISABLED … */
  status: string
  /** why, in Meta’s words */
  status_detail: string | null
  rejection_reason: string | null
  is_sendable: boolean
  /** GREEN, YELLOW, RED or UNKNOWN */
  quality: string | null
  parameter_format: 'POSITIONAL' | 'NAMED' | null
  /** null until the first sync after a webhook told of it */
  components: Record<string, unknown>[] | null
  message_send_ttl_seconds: number | null
  /** when Meta last listed or showed it */
  synced_at: string | null
  /** since when Meta does not have it any more */
  gone_at: string | null
  /** RFC 3339, UTC */
  created_at: string
  /** RFC 3339, UTC */
  updated_at: string
}

export type TemplateChange = {
  category?: string | undefined
  /** as in Meta’s reference: HEADER, BODY, FOOTER, BUTTONS, CAROUSEL, LIMITED_TIME_OFFER */
  components?: {
    type: string
    [more: string]: unknown
  }[] | undefined
  /** seconds in which Meta tries to deliver; -1 is 30 days, except for marketing */
  message_send_ttl_seconds?: number | undefined
}

export type TemplateContent = {
  name: string
  language: {
    code: string
    policy?: 'deterministic' | undefined
  }
  components?: {
    type: string
    sub_type?: string | undefined
    index?: number | string | undefined
    parameters?: {
      type: string
      parameter_name?: string | undefined
      text?: string | undefined
      currency?: {
        fallback_value: string
        code: string
        amount_1000: number
      } | undefined
      date_time?: {
        fallback_value: string
        [more: string]: unknown
      } | undefined
      image?: {
        id?: string | undefined
        link?: string | undefined
      } | undefined
      video?: {
        id?: string | undefined
        link?: string | undefined
      } | undefined
      document?: {
        id?: string | undefined
        link?: string | undefined
        filename?: string | undefined
      } | undefined
      location?: {
        latitude: number | string
        longitude: number | string
        name?: string | undefined
        address?: string | undefined
      } | undefined
      payload?: string | undefined
      coupon_code?: string | undefined
      limited_time_offer?: {
        expiration_time_ms: number
      } | undefined
      product?: {
        product_retailer_id: string
        catalog_id: string
      } | undefined
      action?: Record<string, unknown> | undefined
      ttl_minutes?: number | string | undefined
      order_status?: Record<string, unknown> | undefined
      tap_target_configuration?: unknown | undefined
      [more: string]: unknown
    }[] | undefined
    cards?: {
      card_index: number
      components: {
        type: string
        sub_type?: string | undefined
        index?: number | string | undefined
        parameters?: {
          type: string
          parameter_name?: string | undefined
          text?: string | undefined
          currency?: {
            fallback_value: string
            code: string
            amount_1000: number
          } | undefined
          date_time?: {
            fallback_value: string
            [more: string]: unknown
          } | undefined
          image?: {
            id?: string | undefined
            link?: string | undefined
          } | undefined
          video?: {
            id?: string | undefined
            link?: string | undefined
          } | undefined
          document?: {
            id?: string | undefined
            link?: string | undefined
            filename?: string | undefined
          } | undefined
          location?: {
            latitude: number | string
            longitude: number | string
            name?: string | undefined
            address?: string | undefined
          } | undefined
          payload?: string | undefined
          coupon_code?: string | undefined
          limited_time_offer?: {
            expiration_time_ms: number
          } | undefined
          product?: {
            product_retailer_id: string
            catalog_id: string
          } | undefined
          action?: Record<string, unknown> | undefined
          ttl_minutes?: number | string | undefined
          order_status?: Record<string, unknown> | undefined
          tap_target_configuration?: unknown | undefined
          [more: string]: unknown
        }[] | undefined
        [more: string]: unknown
      }[]
    }[] | undefined
    [more: string]: unknown
  }[] | undefined
}

export type TemplateDefinition = {
  category: string
  parameter_format?: string | undefined
  /** as in Meta’s reference: HEADER, BODY, FOOTER, BUTTONS, CAROUSEL, LIMITED_TIME_OFFER */
  components: {
    type: string
    [more: string]: unknown
  }[]
}

export type TemplateDeletion = {
  id: string
  name: string
  languages: string[]
  /** about: Meta keeps the name of a deleted template for 30 days */
  name_blocked_until: string | null
}

export type TemplatePreview = {
  header: {
    format: string
    text: string | null
    media: Record<string, unknown> | null
  } | null
  body: string
  buttons: {
    type: string
    text: string | null
    url: string | null
    phone_number: string | null
    /** what a quick reply sends back */
    payload: string | null
    /** what a tap copies */
    code: string | null
  }[]
  footer: string | null
  cards: {
    header: {
      format: string
      text: string | null
      media: Record<string, unknown> | null
    } | null
    body: string
    buttons: {
      type: string
      text: string | null
      url: string | null
      phone_number: string | null
      /** what a quick reply sends back */
      payload: string | null
      /** what a tap copies */
      code: string | null
    }[]
  }[]
  /** what does not fit: a message with these parameters would be refused */
  problems: {
    field: string
    problem: string
  }[]
}

export type TemplatePreviewRequest = {
  /** as in a message: template.components */
  components: Record<string, unknown>[]
  /** what is not given shows its example */
  with_examples?: boolean | undefined
}

export type TemplateSample = {
  /** for example.header_handle of a HEADER */
  handle: string
  /** of the HEADER it is good for */
  format: 'IMAGE' | 'VIDEO' | 'DOCUMENT'
}

export type TemplateSyncResult = {
  data: {
    waba_id: string
    listed: number
    added: number
    gone: number
    /** why it failed, where others did not */
    error: {
      code: string
      message: string
    } | null
  }[]
}

export type TemplateSyncState = {
  waba_id: string
  state: 'never' | 'waiting' | 'running'
  templates: number
  /** of the last complete listing */
  synced_at: string | null
  next_sync_at: string | null
  /** whether Meta lets our token manage templates; sending is another matter */
  access: 'ok' | 'denied'
  last_error: {
    code: string
    message: string
    /** RFC 3339, UTC */
    at: string
  } | null
}

export type Tenant = {
  id: string
  name: string
  slug: string
  status: 'active' | 'suspended'
  /** null: MAX_CONCURRENCY_PER_TENANT */
  max_concurrency: number | null
  /** null: MAX_QUEUED_PER_TENANT */
  max_queued: number | null
  /** null: RETRY_POLICY */
  retry_policy: 'standard' | 'patient' | null
  /** null: STOP_WORDS; empty: none */
  stop_words: string[] | null
  /** RFC 3339, UTC */
  created_at: string
}

export type TenantChange = {
  name?: string | undefined
  status?: 'active' | 'suspended' | undefined
  max_concurrency?: number | null | undefined
  max_queued?: number | null | undefined
  retry_policy?: 'standard' | 'patient' | null | undefined
  /** a message that is nothing but one of these ends all messages to its sender */
  stop_words?: string[] | null | undefined
  reason?: string | undefined
}

export type TenantHealth = {
  status: 'ok' | 'degraded' | 'down'
  reasons: string[]
  /** the reasons, for programs */
  troubles: {
    code: 'blocked' | 'webhook_waits' | 'webhook_retried' | 'send_waits' | 'meta_unreachable' | 'numbers_failing' | 'reauth_needed' | 'dead_letters' | 'not_counted'
    /** of numbers, accounts or tenants; 1 where nothing is counted */
    count: number
    /** how long it has lasted, where that is the trouble */
    seconds: number | null
  }[]
  webhook_events_pending_count: number
  outbox_pending_count: number
  outbox_failed_count: number
  dlq_count: number
  /** of webhooks to process and messages that could leave now */
  oldest_pending_seconds: number | null
  /** of those that nobody has decided on */
  oldest_dead_letter_seconds: number | null
  /** webhooks: runnable, processing, retry_wait */
  events_by_state: Record<string, {
    count: number
    oldest_seconds: number
  }>
  /** runnable, in_flight, behind (an earlier one to the same contact), scheduled, retry_wait, throttled, circuit_open, parked; unknown and dead: open dead letters */
  sends_by_state: Record<string, {
    count: number
    oldest_seconds: number
  }>
  /** accepted by Meta / decided: what waits, or was cancelled, is neither */
  send_success_rate_last_1h: number | null
  sends_accepted_last_1h: number
  /** accepted by Meta, or given up for good */
  sends_decided_last_1h: number
  /** last 5 minutes, all processes */
  webhook_ack_p95_ms: number | null
  /** from its receipt on */
  inbound_processing_p95_ms: number | null
  /** one call to Meta */
  send_p95_ms: number | null
  oldest_webhook_seconds: number
  dead_letters_by_kind: Record<string, number>
  /** now, or when a long backlog was last counted */
  counted_at: string
  circuits_open: {
    scope: 'number' | 'host'
    tenant_id: string | null
    phone_number_id: string | null
    display_phone_number: string | null
    /** RFC 3339, UTC */
    opened_at: string
    /** from then on one call finds out whether Meta is back */
    trial_at: string
    /** in the breaker’s window, when it opened; 0: no longer known */
    calls: number
    /** of these */
    failures: number
  }[]
  accounts_needing_reauth: {
    account_id: string
    tenant_id: string
    phone_number_id: string
    display_phone_number: string
  }[]
  /** connected */
  numbers_count: number
  /** whether anything has ever come in */
  has_received: boolean
}

export type TenantHistory = {
  range: '1h' | '6h' | '24h' | '7d'
  step_seconds: number
  /** beyond these an alert fires */
  limits: {
    /** BACKLOG_ALERT_SECONDS */
    oldest_pending_seconds: number
    /** of one tenant: DLQ_ALERT_THRESHOLD */
    dlq_count: number
  }
  /** all steps of the range, the oldest first */
  points: {
    /** when the step begins */
    at: string
    /** how many of the step are known; 0: nobody looked */
    minutes: number
    webhook_ack_p95_ms: number | null
    inbound_processing_p95_ms: number | null
    send_p95_ms: number | null
    /** the most at once; so are those below */
    outbox_pending_count: number | null
    webhook_events_pending_count: number | null
    oldest_pending_seconds: number | null
    dlq_count: number | null
    sends_accepted: number | null
    sends_decided: number | null
  }[]
}

export type TestedAlertChannel = {
  delivered: boolean
  /** what the target answered; null: nothing */
  status_code: number | null
  error_code: string | null
  /** what the target said, the first 500 characters */
  answer: string | null
}

export type TestedEndpoint = {
  /** its delivery shows what came of it */
  event_id: string
}

export type Trace = {
  event_id: string
  attempt: number
  /** first message id, else first status, else a digest */
  inbound_event_id: string
  correlation_id: string
  /** what took the webhook up */
  task_name: string
  /** RFC 3339, UTC */
  started_at: string
  finished_at: string | null
  /** lost: its worker died or was overtaken; null: under way */
  outcome: 'done' | 'failed' | 'retried' | 'lost' | null
  outbound_enqueue_status: 'none' | 'enqueued' | 'failed'
  error: string | null
}

export type TracedMessage = {
  message_id: string
  tenant_id: string
  direction: 'inbound' | 'outbound'
  type: string
  status: string
  wamid: string | null
  client_reference: string | null
  conversation_id: string | null
  contact: {
    name: string | null
    wa_id: string | null
  } | null
  phone_number_id: string
  /** RFC 3339, UTC */
  created_at: string
}

export type UploadedMedia = {
  /** use it as `id` in a message, or to get the file back */
  media_id: string
}

/** being sent; the tenant is suspended; its account waits to be reconnected, or is held by Meta; Meta does not answer; Meta asked for fewer calls; between two attempts; for later; behind an earlier one to the same contact */
export type WaitReason = 'in_flight' | 'suspended' | 'reconnect' | 'held' | 'circuit_open' | 'throttled' | 'retry_wait' | 'scheduled' | 'behind'

export type WrittenMessage = {
  /** msg_… */
  message_id: string
  /** conv_… */
  conversation_id: string | null
  phone_number_id: string
  /** Meta’s */
  message_type: string
  /** by Meta’s clock */
  occurred_at: string
  [more: string]: unknown
}

export interface AccountEventsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  field?: string | undefined
  /** only what is about this account and its number, without templates and contacts */
  account_id?: string | undefined
}

export interface AccountsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminAccountingGetQuery {
  /** received at this time or later */
  from?: string | undefined
  /** received before this time */
  to?: string | undefined
  tenant_id?: string | undefined
}

export interface AdminAlertChannelsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminAlertsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  state?: 'firing' | 'resolved' | undefined
  tenant_id?: string | undefined
}

export interface AdminAuditListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  tenant_id?: string | undefined
  /** `dead_letter.requeued`, or all of one kind: `dead_letter.` */
  action?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  /** RFC 3339 */
  from?: string | undefined
  /** before this moment */
  to?: string | undefined
}

export interface AdminAuditVerifyQuery {
  tenant_id?: string | undefined
  /** next of the part before */
  after?: string | undefined
}

export interface AdminDeadLettersCountsQuery {
  tenant_id?: string | undefined
  /** decided: all that are not open */
  state?: 'open' | 'requeued' | 'discarded' | 'resolved' | 'decided' | undefined
  /** an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number */
  q?: string | undefined
  /** RFC 3339 */
  created_before?: string | undefined
  /** RFC 3339 */
  created_after?: string | undefined
}

export interface AdminDeadLettersListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  tenant_id?: string | undefined
  kind?: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown' | undefined
  /** outbound: what was to be sent, kind unknown too */
  direction?: 'inbound' | 'outbound' | undefined
  reason?: DeadLetterReason | undefined
  error_code?: string | undefined
  phone_number_id?: string | undefined
  /** an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number */
  q?: string | undefined
  /** of what was to be sent: msg_… */
  message_id?: string | undefined
  /** RFC 3339 */
  created_before?: string | undefined
  /** RFC 3339 */
  created_after?: string | undefined
  /** decided: all that are not open */
  state?: 'open' | 'requeued' | 'discarded' | 'resolved' | 'decided' | undefined
}

export interface AdminHealthHistoryQuery {
  range?: '1h' | '6h' | '24h' | '7d' | undefined
}

export interface AdminMessagesFindQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  /** an id: of a message (ours, Meta’s or your client_reference), a conversation, a dead letter, an event, a webhook or a trace; or part of a contact’s name or number */
  q?: string | undefined
}

export interface AdminPeopleListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  /** part of the name or the e-mail address */
  q?: string | undefined
  tenant_id?: string | undefined
}

export interface AdminTenantsAccountsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminTenantsAlertChannelsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminTenantsApiKeysListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminTenantsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AdminTracesListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  inbound_event_id?: string | undefined
  correlation_id?: string | undefined
}

export interface AlertChannelsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface AlertsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  state?: 'firing' | 'resolved' | undefined
}

export interface AuditListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  tenant_id?: string | undefined
  /** `dead_letter.requeued`, or all of one kind: `dead_letter.` */
  action?: string | undefined
  actor?: string | undefined
  subject?: string | undefined
  /** RFC 3339 */
  from?: string | undefined
  /** before this moment */
  to?: string | undefined
}

export interface AuditVerifyQuery {
  tenant_id?: string | undefined
  /** next of the part before */
  after?: string | undefined
}

export interface ColleaguesListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface ConversationsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  status?: 'open' | 'closed' | undefined
  phone_number_id?: string | undefined
  /** usr_… or its uuid; me: whoever is signed in; none: nobody’s */
  assigned_user_id?: string | 'me' | 'none' | undefined
  /** those with unread messages only, or those without */
  unread?: boolean | undefined
  /** part of the contact’s name, username or ids, or of one of the tenant’s latest 10 000 messages; upper and lower case are the same */
  q?: string | undefined
}

export interface ConversationsMessagesQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface DeadLettersCountsQuery {
  tenant_id?: string | undefined
  /** decided: all that are not open */
  state?: 'open' | 'requeued' | 'discarded' | 'resolved' | 'decided' | undefined
  /** an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number */
  q?: string | undefined
  /** RFC 3339 */
  created_before?: string | undefined
  /** RFC 3339 */
  created_after?: string | undefined
}

export interface DeadLettersListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  tenant_id?: string | undefined
  kind?: 'outbound' | 'inbound' | 'malformed' | 'unroutable' | 'unknown' | undefined
  /** outbound: what was to be sent, kind unknown too */
  direction?: 'inbound' | 'outbound' | undefined
  reason?: DeadLetterReason | undefined
  error_code?: string | undefined
  phone_number_id?: string | undefined
  /** an id of the letter or its message (ours, Meta’s, or your client_reference), a code, ours or Meta’s, or part of the contact’s name or number */
  q?: string | undefined
  /** of what was to be sent: msg_… */
  message_id?: string | undefined
  /** RFC 3339 */
  created_before?: string | undefined
  /** RFC 3339 */
  created_after?: string | undefined
  /** decided: all that are not open */
  state?: 'open' | 'requeued' | 'discarded' | 'resolved' | 'decided' | undefined
}

export interface EventEndpointsDeliveriesQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  status?: 'pending' | 'running' | 'done' | 'failed' | undefined
}

export interface EventEndpointsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface EventEndpointsRotateSecretQuery {
  /** how long the old secret signs too */
  overlap_hours?: number | undefined
}

export interface EventsStreamQuery {
  /** the same, for whoever cannot set headers */
  last_event_id?: string | undefined
  /** a comma list of event types; all, unless said */
  types?: string | undefined
}

export interface HealthHistoryQuery {
  range?: '1h' | '6h' | '24h' | '7d' | undefined
}

export interface MessagesFindQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  /** an id: of a message (ours, Meta’s or your client_reference), a conversation, a dead letter, an event, a webhook or a trace; or part of a contact’s name or number */
  q?: string | undefined
}

export interface MessagesListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  client_reference?: string | undefined
  status?: MessageStatus | undefined
}

export interface NumbersListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
}

export interface PeopleListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  /** part of the name or the e-mail address */
  q?: string | undefined
}

export interface SuppressionsListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  state?: 'active' | 'lifted' | 'all' | undefined
  scope?: SuppressionScope | undefined
  reason?: SuppressionReason | undefined
  phone_number_id?: string | undefined
  /** part of the contact’s name, username or ids; upper and lower case are the same */
  q?: string | undefined
}

export interface TemplatesDeleteQuery {
  /** every template of this name */
  all_languages?: boolean | undefined
}

export interface TemplatesListQuery {
  limit?: number | undefined
  /** paging.next of the page before */
  after?: string | undefined
  /** acc_… */
  account_id?: string | undefined
  phone_number_id?: string | undefined
  name?: string | undefined
  language?: string | undefined
  status?: string | undefined
  category?: string | undefined
  /** those that Meta no longer has, instead */
  gone?: boolean | undefined
}

export interface TemplatesSyncQuery {
  /** acc_… */
  account_id?: string | undefined
  phone_number_id?: string | undefined
}

export interface StreamQuery {
  /** All, unless said. */
  types?: Exclude<EstafetEvent['type'], 'event_endpoint.test'>[] | undefined
  /** Begin after this event. */
  lastEventId?: string | undefined
  /** Told when `lastEventId` is no longer kept: the stream begins with the oldest event that is. */
  onReset?: (() => void) | undefined
}

export interface Api {
  accountEvents: {
    /** What Meta said about your accounts, numbers, templates and contacts, latest first */
    list(query?: AccountEventsListQuery, options?: CallOptions): Pages<AccountEvent>
  }
  accounts: {
    doctor: {
      /** Look at an account from its token to its last inbound message, and say what to do */
      examine(id: string, options?: CallOptions): Promise<DoctorReport>
      /** The same with the number’s own two-step verification PIN */
      register(id: string, body: NumberPin, options?: CallOptions): Promise<RepairReport>
      /** Do what can be done without a person: subscribe the app, register the number */
      repair(id: string, options?: CallOptions): Promise<RepairReport>
    }
    /** List your accounts */
    list(query?: AccountsListQuery, options?: CallOptions): Pages<AccountInList>
    /** How far the local copy of an account’s templates is, and whether we may manage them */
    templateSync(id: string, options?: CallOptions): Promise<TemplateSyncState>
    /** Choose what answers your account’s messages by itself */
    update(id: string, body: AccountChange, options?: CallOptions): Promise<Account>
  }
  admin: {
    accounting: {
      /** Where everything went that was received, per tenant and in total */
      get(query?: AdminAccountingGetQuery, options?: CallOptions): Promise<Accounting>
    }
    alertChannels: {
      /** Add one of the operator’s alert channels; a webhook’s secret is shown once */
      create(body: NewAlertChannel, options?: CallOptions): Promise<AlertChannelWithSecret>
      /** Delete one of the operator’s alert channels, with what waits for it */
      delete(channelId: string, options?: CallOptions): Promise<void>
      /** List the operator’s alert channels, and how they fare */
      list(query?: AdminAlertChannelsListQuery, options?: CallOptions): Pages<AlertChannel>
      /** Call one of the operator’s alert channels now, and say what it answered */
      test(channelId: string, options?: CallOptions): Promise<TestedAlertChannel>
    }
    alerts: {
      /** What is wrong, and what lately was, the latest first */
      list(query?: AdminAlertsListQuery, options?: CallOptions): Pages<Alert>
    }
    audit: {
      /** Who did what, the latest first */
      list(query?: AdminAuditListQuery, options?: CallOptions): Pages<AuditAct>
      /** Whether the audit is as it was written, some thousand rows a call */
      verify(query?: AdminAuditVerifyQuery, options?: CallOptions): Promise<AuditVerification>
    }
    deadLetters: {
      /** How many dead letters there are of what */
      counts(query?: AdminDeadLettersCountsQuery, options?: CallOptions): Promise<DeadLetterCounts>
      /** Discard a dead letter */
      discard(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
      /** Discard many dead letters */
      discardMany(body: DeadLetterBulkDiscard, options?: CallOptions): Promise<DeadLetterBulkAnswer>
      /** A dead letter with its raw payload and every error; looking is audited */
      get(id: string, options?: CallOptions): Promise<DeadLetterInspection>
      /** Dead letters, the latest first */
      list(query?: AdminDeadLettersListQuery, options?: CallOptions): Pages<DeadLetter>
      /** Mark as sent, where Meta may have the message: many dead letters */
      markManySent(body: DeadLetterBulkDiscard, options?: CallOptions): Promise<DeadLetterBulkAnswer>
      /** Mark as sent, where Meta may have the message: a dead letter */
      markSent(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
      /** Process or send again a dead letter */
      requeue(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
      /** Process or send again many dead letters */
      requeueMany(body: DeadLetterBulkRequeue, options?: CallOptions): Promise<DeadLetterBulkAnswer>
    }
    events: {
      /** Process stored deliveries again; nothing is applied twice. Counts only, unless dry_run is false */
      replay(body: ReplayRequest, options?: CallOptions): Promise<ReplayAnswer>
    }
    health: {
      /** Backlog, failures and latency, in total and per tenant */
      get(options?: CallOptions): Promise<Health>
      /** Backlog, failures and latency over time; and the last hour per tenant */
      history(query?: AdminHealthHistoryQuery, options?: CallOptions): Promise<History>
    }
    messages: {
      /** Messages by an id, a reference, or whom they are from or for, the latest first */
      find(query?: AdminMessagesFindQuery, options?: CallOptions): Pages<TracedMessage>
      /** Every step of a message, from the webhook to the ticks; nothing of what it says */
      trace(id: string, options?: CallOptions): Promise<MessageTrace>
    }
    metrics: {
      /** Metrics for Prometheus */
      get(options?: CallOptions): Promise<string>
    }
    people: {
      /** Make a link with which the person chooses a password; earlier links end */
      createLink(id: string, options?: CallOptions): Promise<PersonLink>
      /** Invite somebody; the link is shown once and is good for 7 days */
      invite(body: NewPerson, options?: CallOptions): Promise<InvitedPerson>
      /** List who may sign in to the console */
      list(query?: AdminPeopleListQuery, options?: CallOptions): Pages<ListedPerson>
      /** Sign a person out everywhere */
      signOut(id: string, options?: CallOptions): Promise<SignedOut>
      /** Change a person’s name or role, shut them out or let them in again */
      update(id: string, body: PersonChange, options?: CallOptions): Promise<Person>
    }
    tenants: {
      accounts: {
        /** Connect a number with an access token; does not call Meta */
        connect(id: string, body: NewAccount, options?: CallOptions): Promise<Account>
        /** Disconnect an account; its conversations stay */
        disconnect(id: string, accountId: string, options?: CallOptions): Promise<void>
        /** List a tenant’s accounts */
        list(id: string, query?: AdminTenantsAccountsListQuery, options?: CallOptions): Pages<AccountInList>
        /** Choose what answers an account’s messages by itself */
        update(id: string, accountId: string, body: AccountChange, options?: CallOptions): Promise<Account>
      }
      alertChannels: {
        /** Add one of a tenant’s alert channels; a webhook’s secret is shown once */
        create(id: string, body: NewAlertChannel, options?: CallOptions): Promise<AlertChannelWithSecret>
        /** Delete one of a tenant’s alert channels, with what waits for it */
        delete(id: string, channelId: string, options?: CallOptions): Promise<void>
        /** List a tenant’s alert channels, and how they fare */
        list(id: string, query?: AdminTenantsAlertChannelsListQuery, options?: CallOptions): Pages<AlertChannel>
        /** Call one of a tenant’s alert channels now, and say what it answered */
        test(id: string, channelId: string, options?: CallOptions): Promise<TestedAlertChannel>
      }
      apiKeys: {
        /** Make an API key for a tenant; it is shown once */
        create(id: string, body: NewApiKey, options?: CallOptions): Promise<ShownApiKey>
        /** List a tenant’s API keys */
        list(id: string, query?: AdminTenantsApiKeysListQuery, options?: CallOptions): Pages<ApiKey>
        /** Revoke an API key */
        revoke(id: string, keyId: string, options?: CallOptions): Promise<void>
      }
      /** Create a tenant */
      create(body: NewTenant, options?: CallOptions): Promise<Tenant>
      /** Show a tenant */
      get(id: string, options?: CallOptions): Promise<Tenant>
      /** List tenants */
      list(query?: AdminTenantsListQuery, options?: CallOptions): Pages<Tenant>
      /** Change a tenant: its limits, or suspend it */
      update(id: string, body: TenantChange, options?: CallOptions): Promise<Tenant>
    }
    traces: {
      /** Attempts at processing deliveries, the latest first */
      list(query?: AdminTracesListQuery, options?: CallOptions): Pages<Trace>
    }
  }
  alertChannels: {
    /** Add one of your alert channels; a webhook’s secret is shown once */
    create(body: NewAlertChannel, options?: CallOptions): Promise<AlertChannelWithSecret>
    /** Delete one of your alert channels, with what waits for it */
    delete(channelId: string, options?: CallOptions): Promise<void>
    /** List your alert channels, and how they fare */
    list(query?: AlertChannelsListQuery, options?: CallOptions): Pages<AlertChannel>
    /** Call one of your alert channels now, and say what it answered */
    test(channelId: string, options?: CallOptions): Promise<TestedAlertChannel>
  }
  alerts: {
    /** What is wrong with your accounts and messages, and what lately was */
    list(query?: AlertsListQuery, options?: CallOptions): Pages<Alert>
  }
  audit: {
    /** Who did what with this tenant’s things */
    list(query?: AuditListQuery, options?: CallOptions): Pages<AuditAct>
    /** Whether the audit is as it was written, some thousand rows a call */
    verify(query?: AuditVerifyQuery, options?: CallOptions): Promise<AuditVerification>
  }
  colleagues: {
    /** List to whom a conversation can be assigned */
    list(query?: ColleaguesListQuery, options?: CallOptions): Pages<Colleague>
  }
  conversations: {
    /** How many conversations there are of each kind */
    counts(options?: CallOptions): Promise<ConversationCounts>
    /** A conversation */
    get(id: string, options?: CallOptions): Promise<Conversation>
    /** Conversations, the latest first */
    list(query?: ConversationsListQuery, options?: CallOptions): Pages<Conversation>
    /** Mark a conversation as read, here and at Meta */
    markRead(id: string, options?: CallOptions): Promise<ConversationRead>
    /** The messages of a conversation, the latest first */
    messages(id: string, query?: ConversationsMessagesQuery, options?: CallOptions): Pages<MessageInList>
    /** Close, reopen or assign a conversation */
    update(id: string, body: ConversationChange, options?: CallOptions): Promise<Conversation>
  }
  deadLetters: {
    /** How many dead letters there are of what */
    counts(query?: DeadLettersCountsQuery, options?: CallOptions): Promise<DeadLetterCounts>
    /** Discard a dead letter */
    discard(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
    /** Discard many dead letters */
    discardMany(body: DeadLetterBulkDiscard, options?: CallOptions): Promise<DeadLetterBulkAnswer>
    /** A dead letter with its raw payload and every error; looking is audited */
    get(id: string, options?: CallOptions): Promise<DeadLetterInspection>
    /** Dead letters, the latest first */
    list(query?: DeadLettersListQuery, options?: CallOptions): Pages<DeadLetter>
    /** Mark as sent, where Meta may have the message: many dead letters */
    markManySent(body: DeadLetterBulkDiscard, options?: CallOptions): Promise<DeadLetterBulkAnswer>
    /** Mark as sent, where Meta may have the message: a dead letter */
    markSent(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
    /** Process or send again a dead letter */
    requeue(id: string, body: DeadLetterDecision, options?: CallOptions): Promise<DeadLetter>
    /** Process or send again many dead letters */
    requeueMany(body: DeadLetterBulkRequeue, options?: CallOptions): Promise<DeadLetterBulkAnswer>
  }
  eventEndpoints: {
    /** Have events posted to your application, signed; the secret is shown once */
    create(body: NewEventEndpoint, options?: CallOptions): Promise<EventEndpointWithSecret>
    /** Delete an event endpoint, with what waits for it */
    delete(id: string, options?: CallOptions): Promise<void>
    /** What was and is to be delivered to an endpoint, the latest event first */
    deliveries(id: string, query?: EventEndpointsDeliveriesQuery, options?: CallOptions): Pages<EventDelivery>
    /** One delivery, with its body and every attempt */
    delivery(id: string, eventId: string, options?: CallOptions): Promise<EventDeliveryWithAttempts>
    /** An event endpoint, and how it fares */
    get(id: string, options?: CallOptions): Promise<EventEndpoint>
    /** List your event endpoints */
    list(query?: EventEndpointsListQuery, options?: CallOptions): Pages<EventEndpoint>
    /** Deliver events again, by time or id, in their old order */
    replay(id: string, body: EventReplay, options?: CallOptions): Promise<ReplayedEvents>
    /** A new secret, shown once; the old one signs too for a while */
    rotateSecret(id: string, query?: EventEndpointsRotateSecretQuery, options?: CallOptions): Promise<EventEndpointWithSecret>
    /** Deliver a test event to this endpoint */
    test(id: string, options?: CallOptions): Promise<TestedEndpoint>
    /** Change, pause or resume an event endpoint */
    update(id: string, body: EventEndpointChange, options?: CallOptions): Promise<EventEndpoint>
  }
  events: {
    /** Events as they happen, as server-sent events; resumes after Last-Event-ID */
    stream(query?: StreamQuery, options?: CallOptions): AsyncGenerator<EstafetEvent, void, void>
  }
  health: {
    /** Your backlog, failures and latency */
    get(options?: CallOptions): Promise<TenantHealth>
    /** Your backlog, failures and latency over time */
    history(query?: HealthHistoryQuery, options?: CallOptions): Promise<TenantHistory>
  }
  media: {
    /** A file that a contact sent or that was uploaded, as an attachment */
    download(id: string, options?: CallOptions): Promise<Response>
    /** Upload a file to send: Meta’s types and sizes, checked while it comes */
    upload(file: UploadedFile, options?: CallOptions): Promise<UploadedMedia>
  }
  messages: {
    /** Take back a message that still waits */
    cancel(id: string, options?: CallOptions): Promise<CancelledMessage>
    /** Messages by an id, a reference, or whom they are from or for, the latest first */
    find(query?: MessagesFindQuery, options?: CallOptions): Pages<TracedMessage>
    /** A message with its timeline */
    get(id: string, options?: CallOptions): Promise<Message>
    /** Messages as they were recorded, the latest first */
    list(query?: MessagesListQuery, options?: CallOptions): Pages<MessageInList>
    /** Send a message: the Cloud API’s own message object */
    send(body: OutgoingMessage, options?: SendOptions): Promise<QueuedMessage>
    /** Every step of a message, from the webhook to the ticks; nothing of what it says */
    trace(id: string, options?: CallOptions): Promise<MessageTrace>
  }
  numbers: {
    /** List the numbers that contacts write to */
    list(query?: NumbersListQuery, options?: CallOptions): Pages<OwnNumber>
  }
  people: {
    /** Make a link with which the person chooses a password; earlier links end */
    createLink(id: string, options?: CallOptions): Promise<PersonLink>
    /** Invite a colleague; the link is shown once and is good for 7 days */
    invite(body: NewColleague, options?: CallOptions): Promise<InvitedPerson>
    /** List who may sign in to the console for this tenant */
    list(query?: PeopleListQuery, options?: CallOptions): Pages<ListedPerson>
    /** Sign a person out everywhere */
    signOut(id: string, options?: CallOptions): Promise<SignedOut>
    /** Change a person’s name or role, shut them out or let them in again */
    update(id: string, body: PersonChange, options?: CallOptions): Promise<Person>
  }
  signup: {
    /** Begin reconnecting an account; what waits for it goes out afterwards */
    reconnect(body: AccountReference, options?: CallOptions): Promise<SignupStart>
    /** Whether numbers can be connected here, and which settings that still needs */
    settings(options?: CallOptions): Promise<SignupSettings>
    /** Begin connecting a number: a page to open in a browser, good once and for 10 minutes */
    start(options?: CallOptions): Promise<SignupStart>
  }
  stopWords: {
    /** The words that end all messages to whoever writes nothing else */
    get(options?: CallOptions): Promise<StopWords>
  }
  suppressions: {
    /** Send a contact nothing more, or no marketing; what waits for them ends */
    create(body: NewSuppression, options?: CallOptions): Promise<Suppression>
    /** Lift a suppression: the contact may be written to again */
    lift(id: string, body: SuppressionLift, options?: CallOptions): Promise<Suppression>
    /** Contacts who opted out or are blocked, the latest change first */
    list(query?: SuppressionsListQuery, options?: CallOptions): Pages<Suppression>
  }
  templates: {
    /** Create a template at Meta, for all numbers of the account. Meta reviews it */
    create(body: NewTemplate, options?: CallOptions): Promise<Template>
    /** Hand an uploaded file over to Meta as the sample of a template’s header */
    createSample(body: NewTemplateSample, options?: CallOptions): Promise<TemplateSample>
    /** Delete a template at Meta, in one language or in all */
    delete(id: string, query?: TemplatesDeleteQuery, options?: CallOptions): Promise<TemplateDeletion>
    /** One template */
    get(id: string, options?: CallOptions): Promise<Template>
    /** List your templates as Meta has them, with their status */
    list(query?: TemplatesListQuery, options?: CallOptions): Pages<Template>
    /** A template with parameters filled in, and what does not fit. Asks nobody */
    preview(id: string, body: TemplatePreviewRequest, options?: CallOptions): Promise<TemplatePreview>
    /** The same for a template that is not at Meta yet: checked as a new one would be */
    previewNew(body: NewTemplatePreviewRequest, options?: CallOptions): Promise<TemplatePreview>
    /** Ask Meta for all templates now: of one account, or of all */
    sync(query?: TemplatesSyncQuery, options?: CallOptions): Promise<TemplateSyncResult>
    /** Let a paused template be sent again */
    unpause(id: string, options?: CallOptions): Promise<Template>
    /** Edit a template at Meta: components are replaced as a whole. Meta reviews it again */
    update(id: string, body: TemplateChange, options?: CallOptions): Promise<Template>
  }
}

export interface Spec {
  method: string
  path: string
  /** What its argument besides ids becomes. */
  takes: 'query' | 'body' | 'form' | 'nothing'
  gives: 'page' | 'json' | 'nothing' | 'file' | 'text' | 'stream'
  /** It takes an Idempotency-Key. */
  isKeyed: boolean
}

export const operations: Record<string, Spec> = {
  'accountEvents.list': { method: 'GET', path: '/api/whatsapp/account-events', takes: 'query', gives: 'page', isKeyed: false },
  'accounts.doctor.examine': { method: 'GET', path: '/api/whatsapp/accounts/{id}/doctor', takes: 'nothing', gives: 'json', isKeyed: false },
  'accounts.doctor.register': { method: 'POST', path: '/api/whatsapp/accounts/{id}/doctor/register', takes: 'body', gives: 'json', isKeyed: false },
  'accounts.doctor.repair': { method: 'POST', path: '/api/whatsapp/accounts/{id}/doctor/repair', takes: 'nothing', gives: 'json', isKeyed: false },
  'accounts.list': { method: 'GET', path: '/api/whatsapp/accounts', takes: 'query', gives: 'page', isKeyed: false },
  'accounts.templateSync': { method: 'GET', path: '/api/whatsapp/accounts/{id}/template-sync', takes: 'nothing', gives: 'json', isKeyed: false },
  'accounts.update': { method: 'PATCH', path: '/api/whatsapp/accounts/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'admin.accounting.get': { method: 'GET', path: '/api/admin/whatsapp/accounting', takes: 'query', gives: 'json', isKeyed: false },
  'admin.alertChannels.create': { method: 'POST', path: '/api/admin/alert-channels', takes: 'body', gives: 'json', isKeyed: false },
  'admin.alertChannels.delete': { method: 'DELETE', path: '/api/admin/alert-channels/{channelId}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'admin.alertChannels.list': { method: 'GET', path: '/api/admin/alert-channels', takes: 'query', gives: 'page', isKeyed: false },
  'admin.alertChannels.test': { method: 'POST', path: '/api/admin/alert-channels/{channelId}/test', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.alerts.list': { method: 'GET', path: '/api/admin/whatsapp/alerts', takes: 'query', gives: 'page', isKeyed: false },
  'admin.audit.list': { method: 'GET', path: '/api/admin/audit', takes: 'query', gives: 'page', isKeyed: false },
  'admin.audit.verify': { method: 'GET', path: '/api/admin/audit/verification', takes: 'query', gives: 'json', isKeyed: false },
  'admin.deadLetters.counts': { method: 'GET', path: '/api/admin/whatsapp/dlq/counts', takes: 'query', gives: 'json', isKeyed: false },
  'admin.deadLetters.discard': { method: 'POST', path: '/api/admin/whatsapp/dlq/{id}/discard', takes: 'body', gives: 'json', isKeyed: false },
  'admin.deadLetters.discardMany': { method: 'POST', path: '/api/admin/whatsapp/dlq/discard', takes: 'body', gives: 'json', isKeyed: false },
  'admin.deadLetters.get': { method: 'GET', path: '/api/admin/whatsapp/dlq/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.deadLetters.list': { method: 'GET', path: '/api/admin/whatsapp/dlq', takes: 'query', gives: 'page', isKeyed: false },
  'admin.deadLetters.markManySent': { method: 'POST', path: '/api/admin/whatsapp/dlq/mark-sent', takes: 'body', gives: 'json', isKeyed: false },
  'admin.deadLetters.markSent': { method: 'POST', path: '/api/admin/whatsapp/dlq/{id}/mark-sent', takes: 'body', gives: 'json', isKeyed: false },
  'admin.deadLetters.requeue': { method: 'POST', path: '/api/admin/whatsapp/dlq/{id}/requeue', takes: 'body', gives: 'json', isKeyed: false },
  'admin.deadLetters.requeueMany': { method: 'POST', path: '/api/admin/whatsapp/dlq/requeue', takes: 'body', gives: 'json', isKeyed: false },
  'admin.events.replay': { method: 'POST', path: '/api/admin/whatsapp/events/replay', takes: 'body', gives: 'json', isKeyed: false },
  'admin.health.get': { method: 'GET', path: '/api/admin/whatsapp/health', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.health.history': { method: 'GET', path: '/api/admin/whatsapp/history', takes: 'query', gives: 'json', isKeyed: false },
  'admin.messages.find': { method: 'GET', path: '/api/admin/whatsapp/trace', takes: 'query', gives: 'page', isKeyed: false },
  'admin.messages.trace': { method: 'GET', path: '/api/admin/whatsapp/messages/{id}/trace', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.metrics.get': { method: 'GET', path: '/metrics', takes: 'nothing', gives: 'text', isKeyed: false },
  'admin.people.createLink': { method: 'POST', path: '/api/admin/people/{id}/link', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.people.invite': { method: 'POST', path: '/api/admin/people', takes: 'body', gives: 'json', isKeyed: false },
  'admin.people.list': { method: 'GET', path: '/api/admin/people', takes: 'query', gives: 'page', isKeyed: false },
  'admin.people.signOut': { method: 'POST', path: '/api/admin/people/{id}/sign-out', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.people.update': { method: 'PATCH', path: '/api/admin/people/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.accounts.connect': { method: 'POST', path: '/api/admin/tenants/{id}/accounts', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.accounts.disconnect': { method: 'DELETE', path: '/api/admin/tenants/{id}/accounts/{accountId}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'admin.tenants.accounts.list': { method: 'GET', path: '/api/admin/tenants/{id}/accounts', takes: 'query', gives: 'page', isKeyed: false },
  'admin.tenants.accounts.update': { method: 'PATCH', path: '/api/admin/tenants/{id}/accounts/{accountId}', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.alertChannels.create': { method: 'POST', path: '/api/admin/tenants/{id}/alert-channels', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.alertChannels.delete': { method: 'DELETE', path: '/api/admin/tenants/{id}/alert-channels/{channelId}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'admin.tenants.alertChannels.list': { method: 'GET', path: '/api/admin/tenants/{id}/alert-channels', takes: 'query', gives: 'page', isKeyed: false },
  'admin.tenants.alertChannels.test': { method: 'POST', path: '/api/admin/tenants/{id}/alert-channels/{channelId}/test', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.tenants.apiKeys.create': { method: 'POST', path: '/api/admin/tenants/{id}/api-keys', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.apiKeys.list': { method: 'GET', path: '/api/admin/tenants/{id}/api-keys', takes: 'query', gives: 'page', isKeyed: false },
  'admin.tenants.apiKeys.revoke': { method: 'DELETE', path: '/api/admin/tenants/{id}/api-keys/{keyId}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'admin.tenants.create': { method: 'POST', path: '/api/admin/tenants', takes: 'body', gives: 'json', isKeyed: false },
  'admin.tenants.get': { method: 'GET', path: '/api/admin/tenants/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'admin.tenants.list': { method: 'GET', path: '/api/admin/tenants', takes: 'query', gives: 'page', isKeyed: false },
  'admin.tenants.update': { method: 'PATCH', path: '/api/admin/tenants/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'admin.traces.list': { method: 'GET', path: '/api/admin/whatsapp/traces', takes: 'query', gives: 'page', isKeyed: false },
  'alertChannels.create': { method: 'POST', path: '/api/whatsapp/alert-channels', takes: 'body', gives: 'json', isKeyed: false },
  'alertChannels.delete': { method: 'DELETE', path: '/api/whatsapp/alert-channels/{channelId}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'alertChannels.list': { method: 'GET', path: '/api/whatsapp/alert-channels', takes: 'query', gives: 'page', isKeyed: false },
  'alertChannels.test': { method: 'POST', path: '/api/whatsapp/alert-channels/{channelId}/test', takes: 'nothing', gives: 'json', isKeyed: false },
  'alerts.list': { method: 'GET', path: '/api/whatsapp/alerts', takes: 'query', gives: 'page', isKeyed: false },
  'audit.list': { method: 'GET', path: '/api/whatsapp/audit', takes: 'query', gives: 'page', isKeyed: false },
  'audit.verify': { method: 'GET', path: '/api/whatsapp/audit/verification', takes: 'query', gives: 'json', isKeyed: false },
  'colleagues.list': { method: 'GET', path: '/api/whatsapp/colleagues', takes: 'query', gives: 'page', isKeyed: false },
  'conversations.counts': { method: 'GET', path: '/api/whatsapp/conversations/counts', takes: 'nothing', gives: 'json', isKeyed: false },
  'conversations.get': { method: 'GET', path: '/api/whatsapp/conversations/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'conversations.list': { method: 'GET', path: '/api/whatsapp/conversations', takes: 'query', gives: 'page', isKeyed: false },
  'conversations.markRead': { method: 'POST', path: '/api/whatsapp/conversations/{id}/read', takes: 'nothing', gives: 'json', isKeyed: false },
  'conversations.messages': { method: 'GET', path: '/api/whatsapp/conversations/{id}/messages', takes: 'query', gives: 'page', isKeyed: false },
  'conversations.update': { method: 'PATCH', path: '/api/whatsapp/conversations/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.counts': { method: 'GET', path: '/api/whatsapp/dlq/counts', takes: 'query', gives: 'json', isKeyed: false },
  'deadLetters.discard': { method: 'POST', path: '/api/whatsapp/dlq/{id}/discard', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.discardMany': { method: 'POST', path: '/api/whatsapp/dlq/discard', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.get': { method: 'GET', path: '/api/whatsapp/dlq/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'deadLetters.list': { method: 'GET', path: '/api/whatsapp/dlq', takes: 'query', gives: 'page', isKeyed: false },
  'deadLetters.markManySent': { method: 'POST', path: '/api/whatsapp/dlq/mark-sent', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.markSent': { method: 'POST', path: '/api/whatsapp/dlq/{id}/mark-sent', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.requeue': { method: 'POST', path: '/api/whatsapp/dlq/{id}/requeue', takes: 'body', gives: 'json', isKeyed: false },
  'deadLetters.requeueMany': { method: 'POST', path: '/api/whatsapp/dlq/requeue', takes: 'body', gives: 'json', isKeyed: false },
  'eventEndpoints.create': { method: 'POST', path: '/api/whatsapp/event-endpoints', takes: 'body', gives: 'json', isKeyed: false },
  'eventEndpoints.delete': { method: 'DELETE', path: '/api/whatsapp/event-endpoints/{id}', takes: 'nothing', gives: 'nothing', isKeyed: false },
  'eventEndpoints.deliveries': { method: 'GET', path: '/api/whatsapp/event-endpoints/{id}/deliveries', takes: 'query', gives: 'page', isKeyed: false },
  'eventEndpoints.delivery': { method: 'GET', path: '/api/whatsapp/event-endpoints/{id}/deliveries/{eventId}', takes: 'nothing', gives: 'json', isKeyed: false },
  'eventEndpoints.get': { method: 'GET', path: '/api/whatsapp/event-endpoints/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'eventEndpoints.list': { method: 'GET', path: '/api/whatsapp/event-endpoints', takes: 'query', gives: 'page', isKeyed: false },
  'eventEndpoints.replay': { method: 'POST', path: '/api/whatsapp/event-endpoints/{id}/replay', takes: 'body', gives: 'json', isKeyed: false },
  'eventEndpoints.rotateSecret': { method: 'POST', path: '/api/whatsapp/event-endpoints/{id}/rotate-secret', takes: 'query', gives: 'json', isKeyed: false },
  'eventEndpoints.test': { method: 'POST', path: '/api/whatsapp/event-endpoints/{id}/test', takes: 'nothing', gives: 'json', isKeyed: false },
  'eventEndpoints.update': { method: 'PATCH', path: '/api/whatsapp/event-endpoints/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'events.stream': { method: 'GET', path: '/api/whatsapp/events', takes: 'query', gives: 'stream', isKeyed: false },
  'health.get': { method: 'GET', path: '/api/whatsapp/health', takes: 'nothing', gives: 'json', isKeyed: false },
  'health.history': { method: 'GET', path: '/api/whatsapp/history', takes: 'query', gives: 'json', isKeyed: false },
  'media.download': { method: 'GET', path: '/api/whatsapp/meta/media/{id}', takes: 'nothing', gives: 'file', isKeyed: false },
  'media.upload': { method: 'POST', path: '/api/whatsapp/meta/media', takes: 'form', gives: 'json', isKeyed: false },
  'messages.cancel': { method: 'POST', path: '/api/whatsapp/messages/{id}/cancel', takes: 'nothing', gives: 'json', isKeyed: false },
  'messages.find': { method: 'GET', path: '/api/whatsapp/trace', takes: 'query', gives: 'page', isKeyed: false },
  'messages.get': { method: 'GET', path: '/api/whatsapp/messages/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'messages.list': { method: 'GET', path: '/api/whatsapp/messages', takes: 'query', gives: 'page', isKeyed: false },
  'messages.send': { method: 'POST', path: '/api/whatsapp/meta/send', takes: 'body', gives: 'json', isKeyed: true },
  'messages.trace': { method: 'GET', path: '/api/whatsapp/messages/{id}/trace', takes: 'nothing', gives: 'json', isKeyed: false },
  'numbers.list': { method: 'GET', path: '/api/whatsapp/numbers', takes: 'query', gives: 'page', isKeyed: false },
  'people.createLink': { method: 'POST', path: '/api/whatsapp/people/{id}/link', takes: 'nothing', gives: 'json', isKeyed: false },
  'people.invite': { method: 'POST', path: '/api/whatsapp/people', takes: 'body', gives: 'json', isKeyed: false },
  'people.list': { method: 'GET', path: '/api/whatsapp/people', takes: 'query', gives: 'page', isKeyed: false },
  'people.signOut': { method: 'POST', path: '/api/whatsapp/people/{id}/sign-out', takes: 'nothing', gives: 'json', isKeyed: false },
  'people.update': { method: 'PATCH', path: '/api/whatsapp/people/{id}', takes: 'body', gives: 'json', isKeyed: false },
  'signup.reconnect': { method: 'POST', path: '/api/integrations/meta/whatsapp/reconnect', takes: 'body', gives: 'json', isKeyed: false },
  'signup.settings': { method: 'GET', path: '/api/integrations/meta/whatsapp', takes: 'nothing', gives: 'json', isKeyed: false },
  'signup.start': { method: 'POST', path: '/api/integrations/meta/whatsapp/start', takes: 'nothing', gives: 'json', isKeyed: false },
  'stopWords.get': { method: 'GET', path: '/api/whatsapp/stop-words', takes: 'nothing', gives: 'json', isKeyed: false },
  'suppressions.create': { method: 'POST', path: '/api/whatsapp/suppressions', takes: 'body', gives: 'json', isKeyed: false },
  'suppressions.lift': { method: 'POST', path: '/api/whatsapp/suppressions/{id}/lift', takes: 'body', gives: 'json', isKeyed: false },
  'suppressions.list': { method: 'GET', path: '/api/whatsapp/suppressions', takes: 'query', gives: 'page', isKeyed: false },
  'templates.create': { method: 'POST', path: '/api/whatsapp/meta/templates', takes: 'body', gives: 'json', isKeyed: false },
  'templates.createSample': { method: 'POST', path: '/api/whatsapp/meta/templates/samples', takes: 'body', gives: 'json', isKeyed: false },
  'templates.delete': { method: 'DELETE', path: '/api/whatsapp/meta/templates/{id}', takes: 'query', gives: 'json', isKeyed: false },
  'templates.get': { method: 'GET', path: '/api/whatsapp/meta/templates/{id}', takes: 'nothing', gives: 'json', isKeyed: false },
  'templates.list': { method: 'GET', path: '/api/whatsapp/meta/templates', takes: 'query', gives: 'page', isKeyed: false },
  'templates.preview': { method: 'POST', path: '/api/whatsapp/meta/templates/{id}/preview', takes: 'body', gives: 'json', isKeyed: false },
  'templates.previewNew': { method: 'POST', path: '/api/whatsapp/meta/templates/preview', takes: 'body', gives: 'json', isKeyed: false },
  'templates.sync': { method: 'POST', path: '/api/whatsapp/meta/templates/sync', takes: 'query', gives: 'json', isKeyed: false },
  'templates.unpause': { method: 'POST', path: '/api/whatsapp/meta/templates/{id}/unpause', takes: 'nothing', gives: 'json', isKeyed: false },
  'templates.update': { method: 'PATCH', path: '/api/whatsapp/meta/templates/{id}', takes: 'body', gives: 'json', isKeyed: false },
}
