// Every way a sign-up can end without a connected number: a stable code, and what the person at the browser can do.
import { AppError } from '../../errors.ts'
import type { GraphFailure } from '../../meta/graph-accounts.ts'

const again = 'Start again from your application.'

const refusals = {
  STATE_MISSING: [400, `state: this address only works as the end of a sign-up. ${again}`],
  STATE_INVALID: [400, `state: nobody started this sign-up here. ${again}`],
  STATE_EXPIRED: [400, `state: this sign-up was started more than 10 minutes ago. ${again}`],
  STATE_USED: [400, `state: this sign-up was finished, or tried, before. ${again}`],
  STATE_FOREIGN: [400, 'state: somebody else started this sign-up. Start one of your own.'],
  CODE_MISSING: [400, 'code: Meta gave none. Go through the sign-up once more.'],
  SIGNUP_DENIED: [400, 'The sign-up was cancelled at Meta. Go through it once more and agree.'],
  CODE_EXPIRED: [400, `code: it lives 30 seconds and they had passed. ${again}`],
  CODE_USED: [400, `code: it was used before. ${again}`],
  CODE_INVALID: [400, `code: Meta does not know it, or made it for another app. ${again}`],
  APP_REFUSED: [
    502,
    'Meta does not accept this gateway’s app. The operator must look at META_APP_ID and META_APP_SECRET.',
  ],
  META_UNREACHABLE: [502, `Meta did not answer. Wait a moment. ${again}`],
  META_REFUSED: [502, `Meta refused a step of the connection. ${again}`],
  TOKEN_INVALID: [400, `Meta’s access token is not valid. ${again}`],
  APP_MISMATCH: [400, `The access was given to another app than this gateway’s. ${again}`],
  SCOPES_MISSING: [
    400,
    'Not all permissions were given. Start again and leave every permission that is asked for switched on.',
  ],
  WABA_NOT_GRANTED: [
    400,
    'waba_id: the access that was given does not include this WhatsApp account. Start again and choose it.',
  ],
  NUMBER_NOT_GRANTED: [
    400,
    `phone_number_id: it is not a number of the WhatsApp account that was chosen. ${again}`,
  ],
  NUMBER_MISSING: [
    400,
    'The WhatsApp account has no number yet. Add one in WhatsApp Manager, or start again and add it there.',
  ],
  NUMBER_CHOICE_NEEDED: [
    400,
    'The WhatsApp account has several numbers, and none was named. Start again and use the pop-up window, which tells us the one you choose.',
  ],
  ACCOUNT_MISMATCH: [
    400,
    'Another number was chosen than the one to be reconnected. Start again and choose that one.',
  ],
  NUMBER_TAKEN: [
    409,
    'This number is connected elsewhere. It must be disconnected there before it can be connected here.',
  ],
  SUBSCRIBE_FAILED: [502, `Meta does not deliver this account’s messages to us yet. ${again}`],
  NUMBER_UNVERIFIED: [
    400,
    'The number is not verified yet. Enter Meta’s code for it in WhatsApp Manager and start again.',
  ],
  PIN_UNKNOWN: [
    400,
    'The number has a two-step verification PIN that we do not know. Turn two-step verification off in WhatsApp Manager and start again.',
  ],
  REGISTER_LIMITED: [
    409,
    'Meta does not let this number be registered again so soon. Wait as long as Meta says and start again.',
  ],
  REGISTER_FAILED: [502, `Meta did not register the number. ${again}`],
} as const satisfies Record<string, readonly [number, string]>

export type Refusal = keyof typeof refusals

export function refuse(code: Refusal, details?: Record<string, unknown>): AppError {
  const [status, message] = refusals[code]
  return new AppError(code, status, message, details && { details })
}

/** Meta's own words stand apart. */
export function refuseFor(code: Refusal, failure: GraphFailure): AppError {
  if (failure.kind === 'unreachable') return refuse('META_UNREACHABLE', { reason: failure.code })
  return refuse(code, { provider: failure.provider })
}

/** Why a code was not exchanged. */
export function refuseExchange(failure: GraphFailure): AppError {
  if (failure.kind === 'unreachable' || failure.statusCode >= 500) {
    return refuseFor('META_UNREACHABLE', failure)
  }
  const { code, subcode } = failure.provider
  if (code === 100 && subcode === 36007) return refuseFor('CODE_EXPIRED', failure)
  if (code === 100 && subcode === 36009) return refuseFor('CODE_USED', failure)
  // 1 and 101: app id or secret are not right.
  if (code === 1 || code === 101) return refuseFor('APP_REFUSED', failure)
  return refuseFor('CODE_INVALID', failure)
}

export function refuseRegister(failure: GraphFailure): AppError {
  const code = failure.kind === 'refused' ? failure.provider.code : null
  switch (code) {
    case 133005:
      return refuseFor('PIN_UNKNOWN', failure)
    case 133006:
      return refuseFor('NUMBER_UNVERIFIED', failure)
    case 133008:
    case 133009:
    case 133016:
      return refuseFor('REGISTER_LIMITED', failure)
    default:
      return refuseFor('REGISTER_FAILED', failure)
  }
}
