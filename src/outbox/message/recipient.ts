// Who a message goes to: a phone number, a business-scoped user id, or a group.
import type { z } from 'zod'
import { refuse } from './limits.ts'

/** E.164: fifteen digits at most, the country code first. The shortest in use, in the Pacific, have seven. */
const phoneNumber = /^[1-9]\d{6,14}$/

/** What people write between the digits. */
const separators = /[\s\-.()/\u2010-\u2013]/g

/** Country, for linked portfolios ENT, and up to 128 letters and digits. */
export const businessScopedUserId = /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128}$/

const groupId = /^[A-Za-z0-9+/=_-]{1,256}$/

interface Addressed {
  to?: string | undefined
  recipient?: string | undefined
  recipient_type: 'individual' | 'group'
}

export function phoneDigits(to: string): string {
  return to.replace(separators, '').replace(/^\+/, '')
}

export function checkRecipient(request: Addressed, ctx: z.RefinementCtx): void {
  const { to, recipient } = request
  if (request.recipient_type === 'group') {
    if (recipient !== undefined) refuse(ctx, ['recipient'], 'a group’s id goes in `to`')
    if (to === undefined) refuse(ctx, ['to'], 'required: the group’s id')
    else if (!groupId.test(to)) refuse(ctx, ['to'], 'must be a group’s id')
    return
  }
  if (to === undefined && recipient === undefined) {
    refuse(
      ctx,
      ['to'],
      'required: a phone number, or else a business-scoped user id in `recipient`',
    )
  }
  if (recipient !== undefined && !businessScopedUserId.test(recipient)) {
    const hint = phoneNumber.test(phoneDigits(recipient)) ? '; a phone number goes in `to`' : ''
    refuse(
      ctx,
      ['recipient'],
      `must be a business-scoped user id, such as US.13491208655302${hint}`,
    )
  }
  if (to !== undefined) checkPhone(to, ctx)
}

function checkPhone(to: string, ctx: z.RefinementCtx): void {
  if (businessScopedUserId.test(to.trim().toUpperCase())) {
    // Meta would answer 200 to it and deliver nothing.
    refuse(ctx, ['to'], 'a business-scoped user id goes in `recipient`')
    return
  }
  const digits = phoneDigits(to)
  if (phoneNumber.test(digits)) return
  const why = /^0/.test(digits)
    ? 'must begin with the country code, not with a zero'
    : 'must be a phone number with its country code: 7 to 15 digits, a + and separators if you like'
  refuse(ctx, ['to'], why)
}

/** What was checked, in the one form that is stored and compared. Both given: the phone number wins, as at Meta. */
export function normalRecipient<Request extends Addressed>(request: Request): Request {
  if (request.to === undefined) return request
  const { recipient: _ignored, ...rest } = request
  const to = request.recipient_type === 'group' ? request.to : phoneDigits(request.to)
  return { ...rest, to } as Request
}
