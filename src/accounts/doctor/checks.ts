// What a look at an account found, as sentences for a person: what is so, and what to do about it. Pure.
import type { z } from 'zod'
import type { doctorReport } from '../../api/contract-connect.ts'
import type { MetaNumber, SubscribedApp, Told } from '../../meta/graph-accounts.ts'
import type { TokenFinding } from '../check-token.ts'
import { holdOf, isAccessLost } from '../news.ts'
import type { AccountRow } from '../queries.ts'
import { isExpiringSoon } from '../show.ts'
import { isRegistered } from '../signup/grant.ts'

export type Report = z.output<typeof doctorReport>
export type Check = Report['checks'][number]

export interface Evidence {
  tenantId: string
  account: AccountRow
  /** Null: it cannot be looked at in the name of our app. */
  token: TokenFinding | null
  /** Null: there was no token to ask with. */
  apps: Told<SubscribedApp[]> | null
  number: Told<MetaNumber> | null
  lastInboundAt: Date | null
  appId: string | null
  publicUrl: string | undefined
  now: Date
  tokenWarningDays: number
}

const reconnect =
  'Reconnect the account: POST /api/integrations/meta/whatsapp/reconnect gives the page for it.'

const ok = (name: Check['name'], message: string): Check => ({
  name,
  status: 'ok',
  message,
  fix: null,
  repairable: false,
})
const warning = (name: Check['name'], message: string, fix: string): Check => ({
  name,
  status: 'warning',
  message,
  fix,
  repairable: false,
})
const failed = (name: Check['name'], message: string, fix: string, repairable = false): Check => ({
  name,
  status: 'failed',
  message,
  fix,
  repairable,
})

export function checksOf(evidence: Evidence): Check[] {
  return [
    checkCredentials(evidence),
    checkScopes(evidence),
    checkSubscription(evidence),
    checkCallback(evidence),
    checkRegistration(evidence),
    checkStanding(evidence),
    ...checkNumber(evidence),
    checkLastInbound(evidence),
  ]
}

export function worstOf(checks: Check[]): Check['status'] {
  const found = (status: Check['status']) => checks.some((check) => check.status === status)
  return found('failed') ? 'failed' : found('warning') ? 'warning' : 'ok'
}

function checkCredentials({ account, token, now, tokenWarningDays }: Evidence): Check {
  const name = 'credentials'
  if (token?.kind === 'sealed') {
    return failed(
      name,
      'The access token cannot be decrypted with the keys that are there.',
      `Put the key it was sealed with back into ENCRYPTION_KEYS. Or: ${reconnect}`,
    )
  }
  if (token?.kind === 'told' && !token.info.isValid) {
    return failed(name, token.info.error ?? 'Meta does not accept the access token.', reconnect)
  }
  if (account.auth_status === 'needs_reauth') {
    const reason = isAccessLost(account.told)
      ? 'Meta says that our access was taken away.'
      : (account.auth_last_error ?? 'Meta refused the access token.')
    return failed(name, reason, reconnect)
  }
  if (token === null) {
    return warning(
      name,
      'The access token belongs to another Meta app, so Meta does not tell us about it.',
      'Set META_APP_ID and META_APP_SECRET to that app, or reconnect the account with this one.',
    )
  }
  if (token.kind === 'unknown') {
    const { failure } = token
    return failure.kind === 'unreachable'
      ? warning(name, `Meta could not be asked (${failure.code}).`, 'Try again in a moment.')
      : warning(
          name,
          `Meta did not tell about the access token (${failure.provider.code ?? failure.statusCode}).`,
          'Look at META_APP_ID and META_APP_SECRET.',
        )
  }
  const { expiresAt } = token.info
  if (isExpiringSoon(expiresAt, now, tokenWarningDays)) {
    const day = expiresAt?.toISOString().slice(0, 10)
    return warning(name, `The access token ends on ${day}.`, `Before then: ${reconnect}`)
  }
  const life = expiresAt ? `is good until ${expiresAt.toISOString().slice(0, 10)}` : 'has no end'
  return ok(name, `Meta accepts the access token, which ${life}.`)
}

function checkScopes({ token }: Evidence): Check {
  const name = 'scopes'
  if (token?.kind !== 'told' || !token.info.isValid) return notKnown(name)
  const { messaging, templates } = token.verdict
  const fix = `${reconnect} Leave every permission switched on.`
  if (messaging !== null) return failed(name, messaging, fix)
  if (templates !== null) {
    return warning(name, `${templates} Messages go on; templates cannot be managed.`, fix)
  }
  return ok(name, 'Messages and templates: both permissions are there for this account.')
}

function notKnown(name: Check['name']): Check {
  return warning(
    name,
    'Not known: Meta could not be asked.',
    'See to the access token first, then look again.',
  )
}

function checkSubscription({ apps, appId }: Evidence): Check {
  const name = 'subscription'
  if (apps?.kind !== 'told' || appId === null) return notKnown(name)
  if (apps.value.some(({ id }) => id === appId)) {
    return ok(name, 'Our app is subscribed to the WhatsApp account.')
  }
  return failed(
    name,
    'Our app is not subscribed to the WhatsApp account, so nothing comes in.',
    'Repair it: POST …/doctor/repair subscribes the app.',
    true,
  )
}

const webhookPaths = ['/api/webhooks/meta/whatsapp', '/webhooks/whatsapp']

function checkCallback({ number, publicUrl }: Evidence): Check {
  const name = 'callback'
  if (number?.kind !== 'told') return notKnown(name)
  const { callbacks } = number.value
  const inForce = callbacks.number ?? callbacks.account ?? callbacks.app
  const ours = `${publicUrl ?? 'https://<this gateway>'}${webhookPaths[0]}`
  if (inForce === null) {
    return failed(
      name,
      'The Meta app has no callback URL, so nothing comes in.',
      `Set ${ours} in the app’s dashboard (WhatsApp, Configuration) and subscribe it to messages.`,
    )
  }
  if (isOurs(inForce, publicUrl)) return ok(name, 'Webhooks come to this gateway.')
  const isOverride = callbacks.number !== null || callbacks.account !== null
  return failed(
    name,
    `Messages go to ${hostOf(inForce)} instead of this gateway.`,
    isOverride
      ? 'Repair it: POST …/doctor/repair takes the override back.'
      : `Set ${ours} in the app’s dashboard (WhatsApp, Configuration).`,
    isOverride,
  )
}

function isOurs(url: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(url)) return false
  const { origin, pathname } = new URL(url)
  const path = pathname.replace(/\/$/, '')
  if (publicUrl !== undefined)
    return webhookPaths.some((one) => `${origin}${path}` === publicUrl + one)
  return webhookPaths.some((one) => path.endsWith(one))
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an address that is none'
}

function checkRegistration({ number }: Evidence): Check {
  const name = 'registration'
  if (number?.kind === 'refused' && number.provider.code === 100) {
    return failed(
      name,
      'Meta does not show us this number: it was deleted, or moved to another account.',
      reconnect,
    )
  }
  if (number?.kind !== 'told') return notKnown(name)
  if (isRegistered(number.value)) return ok(name, 'The number is registered with the Cloud API.')
  if (number.value.isOnBusinessApp) {
    return failed(
      name,
      'The WhatsApp Business app on the phone is disconnected.',
      'Open the app on the phone and connect it again, or reconnect the account.',
    )
  }
  return failed(
    name,
    `The number is not registered with the Cloud API (${number.value.status ?? 'no status'}), so nothing can be sent.`,
    'Repair it: POST …/doctor/repair registers it; with a PIN of your own, POST …/doctor/register.',
    true,
  )
}

function checkStanding({ account, number, now }: Evidence): Check {
  const name = 'standing'
  const manager = 'Look at the account in WhatsApp Manager and do what it asks for.'
  const hold = holdOf(account.told, now)
  if (hold) {
    const why = {
      banned: 'Meta disabled the WhatsApp account.',
      review_rejected: 'Meta’s review rejected the WhatsApp account.',
      restricted: 'Meta restricted the WhatsApp account.',
    }[hold.reason]
    const until = hold.until ? ` Until ${hold.until.toISOString()} nothing is sent.` : ''
    return failed(name, `${why}${until}`, manager)
  }
  if (number?.kind !== 'told') return notKnown(name)
  const { canSend } = number.value
  if (canSend === 'BLOCKED' && isRegistered(number.value)) {
    return failed(name, 'Meta does not let the account send.', manager)
  }
  const limited = account.replies_only_until
  if (limited && limited > now) {
    return warning(
      name,
      `Until ${limited.toISOString()} contacts can be answered, but not written to first.`,
      manager,
    )
  }
  if (canSend === 'LIMITED') {
    return warning(name, 'Meta limits what the account can send.', manager)
  }
  return ok(name, 'Meta has nothing against the account.')
}

/** What `GET /{phone-number-id}` tells of it. */
function checkNumber({ number }: Evidence): Check[] {
  if (number?.kind !== 'told') {
    return (['quality', 'limit', 'throughput'] as const).map(notKnown)
  }
  const { qualityRating, messagingLimit, throughputLevel, isOnBusinessApp } = number.value
  const speed = isOnBusinessApp ? 20 : throughputLevel === 'HIGH' ? 1000 : 80
  return [
    checkQuality(qualityRating),
    messagingLimit === null
      ? warning('limit', 'Meta does not tell the messaging limit.', 'Look again later.')
      : ok('limit', `${limitText(messagingLimit)} (${messagingLimit}).`),
    ok('throughput', `Up to ${speed} messages a second, in and out together.`),
  ]
}

function checkQuality(rating: string | null): Check {
  const care = 'Write only to people who agreed to it, and make it easy to stop.'
  switch (rating) {
    case 'RED':
      return warning('quality', 'The quality is low: many recipients block or report.', care)
    case 'YELLOW':
      return warning('quality', 'The quality is medium: some recipients block or report.', care)
    case 'GREEN':
      return ok('quality', 'The quality is high.')
    default:
      return ok('quality', 'Meta has no quality rating yet.')
  }
}

function limitText(tier: string): string {
  const size = /^TIER_(\d+)(K?)$/.exec(tier)
  if (!size) return 'As many people as you like can be written to first'
  const people = Number(size[1]) * (size[2] ? 1000 : 1)
  return `${people.toLocaleString('en')} people can be written to first in 24 hours`
}

function checkLastInbound({ lastInboundAt }: Evidence): Check {
  if (lastInboundAt)
    return ok('last_inbound', `A contact last wrote at ${lastInboundAt.toISOString()}.`)
  return warning(
    'last_inbound',
    'Nobody has written to this number yet.',
    'Write to it from a phone: the message should show within seconds.',
  )
}
