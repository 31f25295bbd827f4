// The nouns of this folder: a rule, what it finds, what is told of it, and to whom.
import type { Tx } from '../db/connect.ts'

export type Severity = 'critical' | 'error' | 'warning'

/** A trouble as it is now. */
export interface Finding {
  /** Whom it concerns; null: the operator. */
  tenantId: string | null
  /** Which number, endpoint or channel; '' when there is but one of it. */
  subject: string
  since: Date
  /** How much. */
  count: number
  /** One sentence: what happened, and how much. No person's number, name or words. */
  summary: string
  /** It is not what it takes to fire any more, but too much to call it over. */
  isLingering?: boolean
}

/** What rules look at. */
export interface Look {
  db: Tx
  now: Date
  limits: Limits
}

export interface Limits {
  deadLetters: number
  tokenWarningDays: number
  backlogSeconds: number
  backlogWaitingSeconds: number
}

export interface AlertRule {
  name: string
  /** A tenant's goes to that tenant's channels, or, where it has none, to the operator's; the operator's to the operator's.
   *  Both: what concerns one tenant is that tenant's, what concerns all or nobody the operator's. */
  scope: 'tenant' | 'operator' | 'both'
  severity: Severity
  fires: string
  resolves: string
  /** How long it must be over before that is told. */
  quietSeconds: number
  /** Where in the console something can be done about it. */
  act: `/console/${'dead-letters' | 'accounts' | 'overview' | 'events' | 'alerts'}`
  find(look: Look): Promise<Finding[]>
}

export type NotificationEvent = 'fired' | 'repeated' | 'resolved'

/** What is told, whatever the channel makes of it. */
export interface AlertMessage {
  /** alt_…, the same from firing to resolved. */
  alert_id: string
  rule: string
  state: 'firing' | 'resolved'
  severity: Severity
  tenant: { id: string; name: string } | null
  subject: string | null
  summary: string
  count: number
  since: string
  fired_at: string
  resolved_at: string | null
  /** Where to act; a path where PUBLIC_URL is not set. */
  link: string
  runbook: string
}

export type ChannelKind = 'slack' | 'pagerduty' | 'webhook'

/** Whose channels, and who asks. Null: the operator's. */
export interface By {
  tenantId: string | null
  actor: string
}
