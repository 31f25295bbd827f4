// The nouns of this folder.

/** `marketing`: templates of that category. `everything`: whatever it is. */
export type Scope = 'marketing' | 'everything'

/** Why somebody gets nothing more. */
export type SuppressionReason =
  /** They stopped marketing messages in WhatsApp. */
  | 'user_preferences'
  /** Meta did not deliver one because they had (131050). */
  | 'marketing_refused'
  | 'stop_word'
  /** Meta did not deliver one because the business has blocked them (130403). */
  | 'blocked'
  | 'operator'

/** Whom, from which number, and what. */
export interface Suppressed {
  tenantId: string
  phoneNumberId: string
  contactId: string
  scope: Scope
}

/** What somebody said about it. */
export interface Word extends Suppressed {
  isActive: boolean
  /** Null for the end of it. */
  reason: SuppressionReason | null
  /** By Meta's clock where it told, in whole seconds. */
  at: Date
  /** Names it; of two of one second, the one that came later is the greater. */
  id: string
  /** The webhook it came in. */
  eventId: string | null
}
