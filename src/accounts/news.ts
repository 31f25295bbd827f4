// What Meta's webhooks about an account mean for it. Pure: from a field and its content to what is shown and what is done.
import { isObject, type JsonObject } from '../meta/json.ts'

/** What Meta said last about one subject, and when by its own clock. */
export type Said = JsonObject & { at: string }
/** By subject. */
export type Told = Record<string, Said>

export type ThroughputLevel = 'standard' | 'high' | 'coexistence'

export interface News {
  subject: string
  /** Kept and shown under the subject. */
  said: JsonObject
  throughputLevel?: ThroughputLevel
  /** We may no longer act for this account: only a person at Meta can change that. */
  accessLost?: string
}

/** Nothing to show or do where it is empty: it is kept among the account's events like everything else. */
export function newsOf(field: string, content: JsonObject): News[] {
  switch (field) {
    case 'phone_number_quality_update':
      return qualityNews(content)
    case 'business_capability_update':
      return limitNews(
        content.max_daily_conversations_per_business ?? content.max_daily_conversation_per_phone,
      )
    case 'account_review_update':
      return [{ subject: 'review', said: { decision: wordOf(content.decision) } }]
    case 'account_update':
      return accountNews(content)
    case 'phone_number_name_update':
      return [
        {
          subject: 'name',
          said: {
            decision: wordOf(content.decision),
            name: wordOf(content.requested_verified_name),
            reason: wordOf(content.rejection_reason),
          },
        },
      ]
    case 'security':
      // Who asked is a person of the business: kept with the event, not shown here.
      return [{ subject: 'security', said: { event: wordOf(content.event) } }]
    case 'account_alerts':
      return [{ subject: 'alert', said: alertOf(content) }]
    case 'business_username_update':
    case 'business_username_updates':
      return [
        {
          subject: 'username',
          said: { username: wordOf(content.username), status: wordOf(content.status) },
        },
      ]
    default:
      return []
  }
}

function qualityNews(content: JsonObject): News[] {
  const event = wordOf(content.event)
  const limit = limitNews(content.max_daily_conversations_per_business ?? content.current_limit)
  switch (event) {
    case 'THROUGHPUT_UPGRADE':
      return [
        { subject: 'throughput', said: { level: 'HIGH' }, throughputLevel: 'high' },
        ...limitNews(content.max_daily_conversations_per_business),
      ]
    case 'FLAGGED':
      return [{ subject: 'quality', said: { rating: 'RED', event } }, ...limit]
    case 'UNFLAGGED':
      // Better than red; which of the others is not said.
      return [{ subject: 'quality', said: { rating: 'UNKNOWN', event } }, ...limit]
    default:
      return limit
  }
}

function limitNews(limit: unknown): News[] {
  if (typeof limit === 'number') {
    return [{ subject: 'limit', said: { tier: limit < 0 ? 'TIER_UNLIMITED' : String(limit) } }]
  }
  const tier = wordOf(limit)
  return tier === null ? [] : [{ subject: 'limit', said: { tier } }]
}

/** Why we may not act for the account any more, by Meta's word for it. */
const lostAccess: Record<string, string> = {
  PARTNER_REMOVED: 'The business removed us from its WhatsApp account.',
  PARTNER_APP_UNINSTALLED: 'The business uninstalled our app.',
  ACCOUNT_DELETED: 'The WhatsApp account was deleted at Meta.',
  ACCOUNT_OFFBOARDED: 'The number was taken off the Cloud API.',
}
const partnerEvents = ['PARTNER_ADDED', 'PARTNER_APP_INSTALLED', 'ACCOUNT_RECONNECTED']

function accountNews(content: JsonObject): News[] {
  const event = wordOf(content.event) ?? ''
  const accessLost = Object.hasOwn(lostAccess, event) ? lostAccess[event] : undefined
  if (accessLost !== undefined) return [{ subject: 'access', said: { event }, accessLost }]
  if (partnerEvents.includes(event)) return [{ subject: 'access', said: { event } }]
  switch (event) {
    case 'ACCOUNT_VIOLATION': {
      const info = isObject(content.violation_info) ? content.violation_info : {}
      return [{ subject: 'violation', said: { type: wordOf(info.violation_type) } }]
    }
    case 'ACCOUNT_RESTRICTION':
      return [{ subject: 'restriction', said: { restrictions: restrictionsIn(content) } }]
    case 'DISABLED_UPDATE': {
      const info = isObject(content.ban_info) ? content.ban_info : {}
      const said = { state: wordOf(info.waba_ban_state), date: wordOf(info.waba_ban_date) }
      return [{ subject: 'ban', said }]
    }
    default:
      return []
  }
}

function restrictionsIn(content: JsonObject) {
  const list = Array.isArray(content.restriction_info) ? content.restriction_info : []
  return list
    .filter(isObject)
    .slice(0, 50)
    .map(({ restriction_type, expiration }) => ({
      type: wordOf(restriction_type),
      until: timeText(expiration),
    }))
}

function alertOf(content: JsonObject): JsonObject {
  const info = isObject(content.alert_info) ? content.alert_info : content
  return {
    severity: wordOf(info.alert_severity),
    status: wordOf(info.alert_status),
    type: wordOf(info.alert_type),
    description: wordOf(info.alert_description),
  }
}

function wordOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : null
}

/** Of the year 9999. Postgres does not read what JavaScript writes for later ones, and milliseconds are as late as that. */
const lastSecond = 253_402_300_799

function timeText(said: unknown): string | null {
  const seconds = typeof said === 'string' && /^\d{1,12}$/.test(said) ? Number(said) : said
  if (typeof seconds !== 'number' || !(seconds > 0 && seconds <= lastSecond)) return null
  return new Date(seconds * 1000).toISOString()
}

export interface Hold {
  reason: 'banned' | 'review_rejected' | 'restricted'
  /** Null: until Meta says otherwise. */
  until: Date | null
}

/** Why nothing of this number should be sent, going by what Meta said last. */
export function holdOf(told: Told, now: Date): Hold | null {
  if (told.ban?.state === 'DISABLE') return { reason: 'banned', until: null }
  if (told.review?.decision === 'REJECTED') return { reason: 'review_rejected', until: null }
  const until = restrictedUntil(told, /CUSTOMER_INITIATED|USER_INITIATED/)
  if (until === undefined || (until !== null && until <= now)) return null
  return { reason: 'restricted', until }
}

/** A restriction that Meta gave no end. */
const farAway = new Date('9999-12-31T23:59:59Z')

/** Until when the business may answer but not write first; null: it may. */
export function repliesOnlyUntil(told: Told): Date | null {
  const until = restrictedUntil(told, /BIZ_INITIATED|BUSINESS_INITIATED/)
  return until === undefined ? null : (until ?? farAway)
}

/** Null: without an end. */
function restrictedUntil(told: Told, kind: RegExp): Date | null | undefined {
  const list = told.restriction?.restrictions
  const times = (Array.isArray(list) ? list : [])
    .filter(isObject)
    .filter(({ type }) => typeof type === 'string' && kind.test(type) && /MESSAGING/.test(type))
    .map(({ until }) => (typeof until === 'string' ? new Date(until) : null))
  if (times.length === 0) return undefined
  if (times.includes(null)) return null
  return new Date(Math.max(...times.map((time) => time?.getTime() ?? 0)))
}

/** Whether only a new sign-up can help, whatever the token still says of itself. */
export function isAccessLost(told: Told): boolean {
  const event = told.access?.event
  return (
    event === 'PARTNER_REMOVED' || event === 'ACCOUNT_DELETED' || event === 'ACCOUNT_OFFBOARDED'
  )
}
