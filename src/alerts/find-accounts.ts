// Trouble with accounts: their access, what Meta thinks of them, and who else wants them.
import { holdOf, repliesOnlyUntil, type Told } from '../accounts/news.ts'
import { publicId } from '../ids.ts'
import {
  type AccountInTrouble,
  selectDisabledEndpoints,
  selectSignals,
  selectTroubledAccounts,
} from './condition-queries.ts'
import { amount } from './find-sends.ts'
import type { Finding, Look } from './model.ts'

const dayMs = 24 * 60 * 60 * 1000

/** Asked once by each of the three rules: accounts are few. */
function troubled({ db, now, limits }: Look): Promise<AccountInTrouble[]> {
  return selectTroubledAccounts(db, new Date(now.getTime() + limits.tokenWarningDays * dayMs))
}

export async function findLostAccess(look: Look): Promise<Finding[]> {
  const accounts = await troubled(look)
  return accounts
    .filter(({ needsReauth }) => needsReauth)
    .map(({ tenantId, phoneNumberId, updatedAt }) => ({
      tenantId,
      subject: phoneNumberId,
      since: updatedAt,
      count: 1,
      summary: `Meta no longer takes the access token of the number ${phoneNumberId}: its messages wait until somebody reconnects it.`,
    }))
}

export async function findExpiringTokens(look: Look): Promise<Finding[]> {
  const accounts = await troubled(look)
  const { now, limits } = look
  return accounts.flatMap(({ tenantId, phoneNumberId, needsReauth, expiresAt }) => {
    const leftMs = (expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime()
    if (needsReauth || expiresAt === null || leftMs >= limits.tokenWarningDays * dayMs) return []
    const days = Math.max(0, Math.floor(leftMs / dayMs))
    return {
      tenantId,
      subject: phoneNumberId,
      since: new Date(
        Math.min(now.getTime(), expiresAt.getTime() - limits.tokenWarningDays * dayMs),
      ),
      count: days,
      summary: `The access token of the number ${phoneNumberId} ends on ${expiresAt.toISOString()}, in ${amount(days, 'day')}.`,
    }
  })
}

export async function findRestricted(look: Look): Promise<Finding[]> {
  const { db, now } = look
  const answers = await selectSignals(db, 'account_restricted', now)
  const found = new Map<string, Finding>()
  for (const { tenantId, subject, count, firstAt, reason } of answers) {
    const summary = `Meta refuses messages of the number ${subject} because of its account (${reason}).`
    found.set(`${tenantId} ${subject}`, { tenantId, subject, since: firstAt, count, summary })
  }
  // What Meta says by itself tells more than what it answers to a message.
  for (const { tenantId, phoneNumberId, told } of await troubled(look)) {
    const [first, ...others] = restrictionsOf(told, now)
    if (!first) continue
    found.set(`${tenantId} ${phoneNumberId}`, {
      tenantId,
      subject: phoneNumberId,
      since: new Date(Math.min(now.getTime(), ...[first, ...others].map(({ at }) => at.getTime()))),
      count: others.length + 1,
      summary: `Meta restricts the number ${phoneNumberId}: ${[first, ...others].map(({ what }) => what).join('; ')}.`,
    })
  }
  return [...found.values()]
}

function restrictionsOf(told: Told, now: Date): { what: string; at: Date }[] {
  const found: { what: string; at: Date }[] = []
  const add = (subject: string, what: string) => {
    const at = new Date(told[subject]?.at ?? now)
    found.push({ what, at: Number.isNaN(at.getTime()) ? now : at })
  }
  if (told.quality?.rating === 'RED') add('quality', 'its quality is rated RED')
  if (told.ban?.state === 'SCHEDULE_FOR_DISABLE') add('ban', 'it is to be banned')
  const hold = holdOf(told, now)
  if (hold?.reason === 'banned') add('ban', 'it is banned')
  if (hold?.reason === 'review_rejected') add('review', 'its review was rejected')
  if (hold?.reason === 'restricted')
    add('restriction', `nothing may be sent${untilText(hold.until)}`)
  const repliesOnly = repliesOnlyUntil(told)
  if (repliesOnly !== null && repliesOnly > now) {
    add('restriction', 'it may answer, but not write first')
  }
  return found
}

function untilText(until: Date | null): string {
  return until === null ? '' : ` until ${until.toISOString()}`
}

export async function findClaimedNumbers({ db, now }: Look): Promise<Finding[]> {
  const signals = await selectSignals(db, 'number_claimed_twice', now)
  return signals.map(({ tenantId, subject, count, firstAt, reason }) => ({
    tenantId,
    subject,
    since: firstAt,
    count,
    summary:
      reason === 'owner'
        ? `Somebody else tried to connect the number ${subject}, which is connected here; it stays here.`
        : `The number ${subject} could not be connected here: it is connected elsewhere.`,
  }))
}

export async function findDisabledEndpoints({ db }: Look): Promise<Finding[]> {
  const endpoints = await selectDisabledEndpoints(db)
  return endpoints.map(({ tenantId, id, reason, disabledAt }) => ({
    tenantId,
    subject: publicId('ep', id),
    since: disabledAt,
    count: 1,
    summary: `The event endpoint ${publicId('ep', id)} was disabled (${reason === 'GONE' ? 'it answered that it is gone' : 'it took nothing for days'}): events wait for it to be resumed.`,
  }))
}
