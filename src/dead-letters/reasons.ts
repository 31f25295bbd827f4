// What letters died of, in a few classes that people can act on. Which kind of letter and which code is which.
import type { z } from 'zod'
import type { deadLetterReason } from '../api/contract-dead-letters.ts'
import type { LetterKind } from './queries.ts'

export type LetterReason = z.output<typeof deadLetterReason>

/** Of what was to be sent; a code that is not here is `refused`. */
const codes: Partial<Record<LetterReason, readonly string[]>> = {
  window: ['WINDOW_CLOSED'],
  template: [
    'TEMPLATE_INVALID',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_PARAMETERS',
    'TEMPLATE_PAUSED',
    'TEMPLATE_NOT_USABLE',
  ],
  media: ['MEDIA_NOT_USABLE'],
  content: [
    'INVALID_PARAMETER',
    'TYPE_NOT_SUPPORTED',
    'GROUP_REFUSED',
    'CALLING_REFUSED',
    'LOGIN_CODE_INVALID',
  ],
  recipient: [
    'UNDELIVERABLE',
    'RECIPIENT_BLOCKED_BY_BUSINESS',
    'RECIPIENT_NOT_ALLOWED',
    'MARKETING_NOT_DELIVERED',
    'COUNTRY_RESTRICTED',
    'IDENTITY_CHANGED',
  ],
  consent: ['RECIPIENT_SUPPRESSED', 'RECIPIENT_STOPPED_MARKETING'],
  account: [
    'TOKEN_INVALID',
    'PERMISSION_MISSING',
    'NUMBER_NOT_ACCESSIBLE',
    'CAPABILITY_MISSING',
    'ACCOUNT_RESTRICTED',
    'PAYMENT_PROBLEM',
    'NUMBER_NOT_REGISTERED',
    'NUMBER_DELETED',
    'DISPLAY_NAME_NOT_APPROVED',
    'ACCOUNT_NOT_HEALTHY',
    'ACCOUNT_NOT_FOUND',
    'CONFIGURATION_NEEDED',
    'TOKEN_UNREADABLE',
  ],
  limits: [
    'APP_RATE_LIMITED',
    'WABA_RATE_LIMITED',
    'RATE_LIMITED',
    'REGISTRATION_RATE_LIMITED',
    'FLOW_RATE_LIMITED',
    'SPAM_LIMITED',
    'PAIR_RATE_LIMITED',
  ],
  expired: ['EXPIRED'],
  tries: [
    'META_TROUBLE',
    'NUMBER_IN_MAINTENANCE',
    'TEMPLATE_SYNCING',
    'NOT_SENT',
    'OUTCOME_UNKNOWN',
    'SEND_UNDER_WAY',
    'DEDUPE_UNAVAILABLE',
    'INBOX_BEHIND',
  ],
}

const named = Object.entries(codes) as [LetterReason, readonly string[]][]
const reasonOfCode = new Map(named.flatMap(([reason, list]) => list.map((code) => [code, reason])))

/** Kinds that are reasons by themselves, whatever their code says. */
const ofKind: Partial<Record<LetterKind, LetterReason>> = {
  unknown: 'unknown',
  inbound: 'processing',
  malformed: 'malformed',
  unroutable: 'unroutable',
}

export function reasonOf(kind: LetterKind, code: string): LetterReason {
  return ofKind[kind] ?? reasonOfCode.get(code) ?? 'refused'
}

/** The same as a filter. */
export function filterOfReason(reason: LetterReason): {
  kinds: LetterKind[]
  codes: string[] | null
  notCodes: string[] | null
} {
  const kinds = (Object.keys(ofKind) as LetterKind[]).filter((kind) => ofKind[kind] === reason)
  if (kinds.length > 0) return { kinds, codes: null, notCodes: null }
  return reason === 'refused'
    ? { kinds: ['outbound'], codes: null, notCodes: [...reasonOfCode.keys()] }
    : { kinds: ['outbound'], codes: [...(codes[reason] ?? [])], notCodes: null }
}
