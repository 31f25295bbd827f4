// What a look at an account found, as sentences for a person: what is so, and what to do about it. Pure.
import type { z } from 'zod'
import type { doctorReport } from '../../api/contract-connect.ts'
import type { GraphFailure, MetaNumber, SubscribedApp, Told } from '../../meta/graph-accounts.ts'
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

type Facts = Check['facts']
type Said = [finding: Check['finding'], message: string, facts?: Facts]

const checked = (
  name: Check['name'],
  status: Check['status'],
  [finding, message, facts = {}]: Said,
  fix: string | null,
  repairable = false,
): Check => ({ name, status, finding, facts, message, fix, repairable })

const ok = (name: Check['name'], said: Said) => checked(name, 'ok', said, null)
const warning = (name: Check['name'], said: Said, fix: string) =>
  checked(name, 'warning', said, fix)
const failed = (name: Check['name'], said: Said, fix: string, repairable = false) =>
  checked(name, 'failed', said, fix, repairable)

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
      ['token_sealed', 'The access token cannot be decrypted with the keys that are there.'],
      `Put the key it was sealed with back into ENCRYPTION_KEYS. Or: ${reconnect}`,
    )
  }
  if (token?.kind === 'told' && !token.info.isValid) {
    const said = token.info.error
    const message = said ?? 'Meta does not accept the access token.'
    return failed(name, ['token_refused', message, { said }], reconnect)
  }
  if (account.auth_status === 'needs_reauth') {
    const said = account.auth_last_error
    return failed(
      name,
      isAccessLost(account.told)
        ? ['access_lost', 'Meta says that our access was taken away.']
        : ['token_refused', said ?? 'Meta refused the access token.', { said }],
      reconnect,
    )
  }
  if (token === null) {
    return warning(
      name,
      [
        'token_of_other_app',
        'The access token belongs to another Meta app, so Meta does not tell us about it.',
      ],
      'Set META_APP_ID and META_APP_SECRET to that app, or reconnect the account with this one.',
    )
  }
  if (token.kind === 'unknown') {
    return notTold(name, token.failure)
  }
  const { expiresAt } = token.info
  if (isExpiringSoon(expiresAt, now, tokenWarningDays)) {
    const at = expiresAt?.toISOString() ?? null
    const message = `The access token ends on ${at?.slice(0, 10)}.`
    return warning(name, ['token_expires_soon', message, { at }], `Before then: ${reconnect}`)
  }
  const life = expiresAt ? `is good until ${expiresAt.toISOString().slice(0, 10)}` : 'has no end'
  const message = `Meta accepts the access token, which ${life}.`
  return ok(name, ['token_ok', message, { until: expiresAt?.toISOString() ?? null }])
}

function notTold(name: Check['name'], failure: GraphFailure): Check {
  // An error of Meta's own says as little about our app as no answer.
  if (failure.kind === 'unreachable' || failure.statusCode >= 500) {
    const code = failure.kind === 'unreachable' ? failure.code : failure.statusCode
    const message = `Meta could not be asked (${code}).`
    return warning(name, ['meta_unreachable', message, { code }], 'Try again in a moment.')
  }
  const code = failure.provider.code ?? failure.statusCode
  const message = `Meta did not tell about the access token (${code}).`
  const fix = 'Look at META_APP_ID and META_APP_SECRET.'
  return warning(name, ['token_not_told', message, { code }], fix)
}

function checkScopes({ token }: Evidence): Check {
  const name = 'scopes'
  if (token?.kind !== 'told' || !token.info.isValid) return notKnown(name)
  const { messaging, templates } = token.verdict
  const fix = `${reconnect} Leave every permission switched on.`
  if (messaging !== null) return failed(name, ['messaging_not_permitted', messaging], fix)
  if (templates !== null) {
    const message = `${templates} Messages go on; templates cannot be managed.`
    return warning(name, ['templates_not_permitted', message], fix)
  }
  return ok(name, [
    'permissions_ok',
    'Messages and templates: both permissions are there for this account.',
  ])
}

function notKnown(name: Check['name']): Check {
  return warning(
    name,
    ['not_known', 'Not known: Meta could not be asked.'],
    'See to the access token first, then look again.',
  )
}

function checkSubscription({ apps, appId }: Evidence): Check {
  const name = 'subscription'
  if (apps?.kind !== 'told' || appId === null) return notKnown(name)
  if (apps.value.some(({ id }) => id === appId)) {
    return ok(name, ['subscribed', 'Our app is subscribed to the WhatsApp account.'])
  }
  return failed(
    name,
    ['not_subscribed', 'Our app is not subscribed to the WhatsApp account, so nothing comes in.'],
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
      ['no_callback', 'The Meta app has no callback URL, so nothing comes in.', { ours }],
      `Set ${ours} in the app’s dashboard (WhatsApp, Configuration) and subscribe it to messages.`,
    )
  }
  if (isOurs(inForce, publicUrl)) return ok(name, ['callback_ok', 'Webhooks come to this gateway.'])
  const isOverride = callbacks.number !== null || callbacks.account !== null
  const host = hostOf(inForce)
  const message = `Messages go to ${host} instead of this gateway.`
  return failed(
    name,
    ['callback_elsewhere', message, { host, ours }],
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
      [
        'number_not_shown',
        'Meta does not show us this number: it was deleted, or moved to another account.',
      ],
      reconnect,
    )
  }
  if (number?.kind !== 'told') return notKnown(name)
  if (isRegistered(number.value)) {
    return ok(name, ['registered', 'The number is registered with the Cloud API.'])
  }
  if (number.value.isOnBusinessApp) {
    return failed(
      name,
      ['phone_disconnected', 'The WhatsApp Business app on the phone is disconnected.'],
      'Open the app on the phone and connect it again, or reconnect the account.',
    )
  }
  const { status } = number.value
  const message = `The number is not registered with the Cloud API (${status ?? 'no status'}), so nothing can be sent.`
  return failed(
    name,
    ['not_registered', message, { status }],
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
    const until = hold.until?.toISOString() ?? null
    const message = until === null ? why : `${why} Until ${until} nothing is sent.`
    return failed(name, [hold.reason, message, { until }], manager)
  }
  if (number?.kind !== 'told') return notKnown(name)
  const { canSend } = number.value
  if (canSend === 'BLOCKED' && isRegistered(number.value)) {
    return failed(name, ['sending_blocked', 'Meta does not let the account send.'], manager)
  }
  const limited = account.replies_only_until
  if (limited && limited > now) {
    const until = limited.toISOString()
    const message = `Until ${until} contacts can be answered, but not written to first.`
    return warning(name, ['replies_only', message, { until }], manager)
  }
  if (canSend === 'LIMITED') {
    return warning(name, ['sending_limited', 'Meta limits what the account can send.'], manager)
  }
  return ok(name, ['standing_ok', 'Meta has nothing against the account.'])
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
    checkLimit(messagingLimit),
    ok('throughput', [
      'throughput_known',
      `Up to ${speed} messages a second, in and out together.`,
      { per_second: speed },
    ]),
  ]
}

function checkQuality(rating: string | null): Check {
  const care = 'Write only to people who agreed to it, and make it easy to stop.'
  switch (rating) {
    case 'RED':
      return warning(
        'quality',
        ['quality_low', 'The quality is low: many recipients block or report.'],
        care,
      )
    case 'YELLOW':
      return warning(
        'quality',
        ['quality_medium', 'The quality is medium: some recipients block or report.'],
        care,
      )
    case 'GREEN':
      return ok('quality', ['quality_high', 'The quality is high.'])
    default:
      return ok('quality', ['quality_none', 'Meta has no quality rating yet.'])
  }
}

function checkLimit(tier: string | null): Check {
  if (tier === null) {
    const message = 'Meta does not tell the messaging limit.'
    return warning('limit', ['limit_not_told', message], 'Look again later.')
  }
  const size = /^TIER_(\d+)(K?)$/.exec(tier)
  const people = size && Number(size[1]) * (size[2] ? 1000 : 1)
  const message =
    people === null
      ? 'As many people as you like can be written to first'
      : `${people.toLocaleString('en')} people can be written to first in 24 hours`
  return ok('limit', ['limit_known', `${message} (${tier}).`, { people }])
}

function checkLastInbound({ lastInboundAt }: Evidence): Check {
  if (lastInboundAt) {
    const at = lastInboundAt.toISOString()
    return ok('last_inbound', ['inbound_seen', `A contact last wrote at ${at}.`, { at }])
  }
  return warning(
    'last_inbound',
    ['inbound_never', 'Nobody has written to this number yet.'],
    'Write to it from a phone: the message should show within seconds.',
  )
}
