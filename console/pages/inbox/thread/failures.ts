// Why a message did not arrive: from Meta's codes and our own names to one of the texts in failure-words.ts, with what
// can be done about it. Pure.
import type { MessageInList } from '../../../api/types.ts'
import type { failureWords } from './failure-words.ts'
import { isRecord, numberIn, recordIn, textIn } from './json.ts'

export type FailureKind = keyof (typeof failureWords)['en']
export type Action = 'again' | 'template' | 'replace' | 'reconnect' | 'sync' | 'payment' | 'none'

export interface Failure {
  kind: FailureKind
  actions: Action[]
  /** Meta's code, or our own name for it where Meta said nothing. */
  code: string
  /** Meta's own words. */
  said: string | undefined
  metaTrace: string | undefined
}

interface Meaning {
  actions: Action[]
  /** Meta's codes. */
  codes: readonly number[]
  /** Our own names, for what has no code, or one that is in no list here. */
  names?: readonly string[]
}

const meanings: Record<FailureKind, Meaning> = {
  windowClosed: { actions: ['template'], codes: [131047], names: ['WINDOW_CLOSED'] },
  notReached: { actions: ['again'], codes: [131026], names: ['UNDELIVERABLE'] },
  tooManyToOne: { actions: ['again'], codes: [131056], names: ['PAIR_RATE_LIMITED'] },
  accessLost: {
    actions: ['reconnect'],
    codes: [0, 102, 104, 190],
    names: ['TOKEN_INVALID', 'WHATSAPP_REAUTH_REQUIRED'],
  },
  permissionLost: {
    actions: ['reconnect'],
    codes: [10, 131005],
    names: ['PERMISSION_MISSING', 'NUMBER_NOT_ACCESSIBLE'],
  },
  templateMissing: {
    actions: ['template', 'sync'],
    codes: [132001],
    names: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_DELETED'],
  },
  templateNotApproved: {
    actions: ['template', 'sync'],
    codes: [],
    names: ['TEMPLATE_NOT_APPROVED', 'TEMPLATE_REJECTED'],
  },
  templateParameters: {
    actions: ['template'],
    codes: [132000, 132008, 132012, 132018],
    names: ['TEMPLATE_PARAMETERS'],
  },
  templateTooLong: { actions: ['template'], codes: [132005] },
  templatePolicy: { actions: ['template'], codes: [132007] },
  templatePaused: { actions: ['template', 'sync'], codes: [132015], names: ['TEMPLATE_PAUSED'] },
  templateDisabled: {
    actions: ['template', 'sync'],
    codes: [132016],
    names: ['TEMPLATE_DISABLED', 'TEMPLATE_NOT_USABLE'],
  },
  fileRefused: { actions: ['replace', 'again'], codes: [131053], names: ['MEDIA_NOT_USABLE'] },
  fileNotFetched: { actions: ['replace', 'again'], codes: [131052, 131014] },
  fileGone: { actions: ['replace'], codes: [], names: ['MEDIA_NOT_AVAILABLE', 'MEDIA_NOT_READY'] },
  kindNotTaken: {
    actions: ['none'],
    codes: [131051, 131055, 131060],
    names: ['TYPE_NOT_SUPPORTED'],
  },
  marketingHeld: { actions: ['none'], codes: [131049], names: ['MARKETING_NOT_DELIVERED'] },
  experiment: { actions: ['again'], codes: [130472] },
  marketingStopped: { actions: ['none'], codes: [131050], names: ['RECIPIENT_STOPPED_MARKETING'] },
  blockedByUs: { actions: ['none'], codes: [130403], names: ['RECIPIENT_BLOCKED_BY_BUSINESS'] },
  suppressed: { actions: ['none'], codes: [], names: ['RECIPIENT_SUPPRESSED'] },
  spamLimited: { actions: ['again'], codes: [131048], names: ['SPAM_LIMITED'] },
  tooFast: {
    actions: ['again'],
    codes: [4, 17, 130429, 80007, 131208],
    names: ['RATE_LIMITED', 'APP_RATE_LIMITED', 'WABA_RATE_LIMITED'],
  },
  accountLocked: {
    actions: ['none'],
    codes: [131031],
    names: ['ACCOUNT_RESTRICTED', 'ACCOUNT_NOT_HEALTHY'],
  },
  accountBlocked: { actions: ['none'], codes: [368, 131064] },
  payment: { actions: ['payment', 'again'], codes: [131042, 131044], names: ['PAYMENT_PROBLEM'] },
  notRegistered: {
    actions: ['reconnect'],
    codes: [131045, 133010],
    names: ['NUMBER_NOT_REGISTERED', 'NUMBER_DELETED', 'DISPLAY_NAME_NOT_APPROVED'],
  },
  toOurselves: { actions: ['none'], codes: [131021] },
  notInTestList: { actions: ['none'], codes: [131030], names: ['RECIPIENT_NOT_ALLOWED'] },
  wrongParameter: {
    actions: ['none'],
    codes: [100, 131008, 131009],
    names: ['INVALID_PARAMETER', 'INVALID_MESSAGE'],
  },
  country: { actions: ['none'], codes: [130497], names: ['COUNTRY_RESTRICTED'] },
  identityChanged: { actions: ['again'], codes: [137000], names: ['IDENTITY_CHANGED'] },
  metaTrouble: {
    actions: ['again'],
    codes: [1, 2, 131000, 131016],
    names: ['META_TROUBLE', 'NOT_SENT'],
  },
  maintenance: {
    actions: ['again'],
    codes: [131057],
    names: ['NUMBER_IN_MAINTENANCE', 'TEMPLATE_SYNCING'],
  },
  expired: { actions: ['again'], codes: [], names: ['EXPIRED'] },
  numberGone: { actions: ['reconnect'], codes: [], names: ['ACCOUNT_NOT_FOUND'] },
  ourKeys: { actions: ['none'], codes: [], names: ['TOKEN_UNREADABLE', 'DEDUPE_UNAVAILABLE'] },
  notKnown: { actions: ['none'], codes: [], names: ['OUTCOME_UNKNOWN'] },
  refused: { actions: ['again'], codes: [], names: ['REFUSED', 'FAILED'] },
}

const kinds = Object.entries(meanings) as [FailureKind, Meaning][]
const byCode = new Map(kinds.flatMap(([kind, { codes }]) => codes.map((code) => [code, kind])))
const byName = new Map(kinds.flatMap(([kind, { names = [] }]) => names.map((name) => [name, kind])))

/** Every code of Meta's that has a text of its own. */
export const knownCodes: readonly number[] = [...byCode.keys()]

export function kindOf(code: number | undefined, name: string | undefined): FailureKind {
  if (name === 'NUMBER_NOT_ACCESSIBLE') return 'permissionLost'
  return (
    (code === undefined ? undefined : byCode.get(code)) ??
    (name === undefined ? undefined : byName.get(name)) ??
    'refused'
  )
}

/** `error` as the gateway writes it, or as Meta does for what was not sent by us. */
export function failureOf({ error, status }: Pick<MessageInList, 'error' | 'status'>): Failure {
  const given = recordIn(error)
  const provider = isRecord(given.provider) ? given.provider : given
  const code = numberIn(provider.code)
  const name =
    typeof given.code === 'string' && code === undefined ? given.code : textIn(given.code)
  const kind = status === 'unknown' ? 'notKnown' : kindOf(code, name)
  const told =
    textIn(recordIn(provider.error_data).details) ??
    textIn(provider.message) ??
    textIn(provider.title)
  return {
    kind,
    actions: meanings[kind].actions,
    code: String(code ?? name ?? status),
    // Our own advice is what the text says already.
    said: isRecord(given.provider) || typeof given.code === 'number' ? told : undefined,
    metaTrace: textIn(provider.fbtrace_id),
  }
}
