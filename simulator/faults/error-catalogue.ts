// Meta's error codes as a fault or a failed status names them: HTTP status, title and details.
import { describedCode } from '../whatsapp-errors.ts'

interface CataloguedError {
  status: number
  title: string
  details?: string
  subcode?: number
  transient?: boolean
}

/** Codes that no endpoint gives by itself; those that do have their words in whatsapp-errors.ts. */
const onlyFaults: Record<number, CataloguedError> = {
  0: { status: 401, title: 'Authentication error' },
  1: { status: 500, title: 'An unknown error occurred', transient: false },
  2: { status: 503, title: 'Service temporarily unavailable', transient: true },
  3: { status: 500, title: 'Application does not have the capability to make this API call.' },
  4: { status: 400, title: 'Application request limit reached', transient: true },
  10: { status: 403, title: 'Application does not have permission for this action' },
  17: { status: 400, title: 'User request limit reached', transient: true },
  100: { status: 400, title: 'Invalid parameter' },
  102: { status: 401, title: 'Session key invalid or no longer valid' },
  190: { status: 401, title: 'Invalid OAuth access token - Cannot parse access token' },
  200: { status: 403, title: 'You do not have the necessary permissions' },
  80007: { status: 400, title: 'Rate limit issues', transient: true },
  80008: { status: 400, title: 'There have been too many calls to this WhatsApp Business account' },
  130429: {
    status: 400,
    title: 'Rate limit hit',
    details: 'Cloud API message throughput has been reached.',
  },
  130472: {
    status: 400,
    title: "User's number is part of an experiment",
    details: 'Failed to send the message because this number is part of an experiment.',
  },
  130497: { status: 403, title: 'Business account is restricted from messaging users here' },
  131000: {
    status: 500,
    title: 'Something went wrong',
    details: 'Message failed to send due to an unknown error.',
  },
  131005: { status: 403, title: 'Access denied' },
  131016: {
    status: 500,
    title: 'Service unavailable',
    details: 'A service is temporarily unavailable.',
  },
  131037: { status: 400, title: 'The display name of this number is not approved' },
  131045: { status: 500, title: 'Incorrect certificate' },
  131048: {
    status: 400,
    title: 'Spam rate limit hit',
    details:
      'Message failed to send because there are restrictions on how many messages can be sent ' +
      'from this phone number.',
  },
  131049: {
    status: 400,
    title: 'Message not sent to keep the ecosystem healthy',
    details: 'This message was not delivered to maintain healthy ecosystem engagement.',
  },
  131052: { status: 400, title: 'Media download error' },
  131056: {
    status: 400,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number ' +
      'to the same phone number in a short period of time.',
  },
  131201: { status: 206, title: 'The request was only partly carried out' },
  131207: { status: 403, title: 'The group is suspended' },
  131208: { status: 429, title: 'Too many calls about groups' },
  133000: { status: 500, title: 'An earlier deregistration failed' },
  133004: { status: 503, title: 'Server temporarily unavailable' },
  134102: { status: 500, title: 'The template is unavailable' },
  135000: { status: 400, title: 'Generic user error' },
}

function known(code: number): CataloguedError | undefined {
  const described = describedCode(code)
  if (described !== undefined) return { ...described, status: described.status ?? 400 }
  return onlyFaults[code] ?? (isPermission(code) ? onlyFaults[200] : undefined)
}

/** 200 to 299 all say that a permission is missing. */
const isPermission = (code: number) => code >= 200 && code <= 299

/** The codes whose message has no "(#code)" in front, in real answers. */
const bareCodes = new Set([0, 1, 2, 190])

export interface ErrorWish {
  code: number
  title?: string | undefined
  details?: string | undefined
  subcode?: number | undefined
  http_status?: number | undefined
}

/** The HTTP answer for a code; unknown codes get a general text, so that any code can be tried. */
export function graphAnswer(wish: ErrorWish, traceId: string): { status: number; body: object } {
  const usual = known(wish.code)
  const title = wish.title ?? usual?.title ?? 'Something went wrong'
  const details = wish.details ?? usual?.details
  const subcode = wish.subcode ?? usual?.subcode
  return {
    status: wish.http_status ?? usual?.status ?? 400,
    body: {
      error: {
        message: bareCodes.has(wish.code) ? title : `(#${wish.code}) ${title}`,
        type: 'OAuthException',
        code: wish.code,
        ...(details === undefined
          ? {}
          : { error_data: { messaging_product: 'whatsapp', details } }),
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(usual?.transient === undefined ? {} : { is_transient: usual.transient }),
        fbtrace_id: traceId,
      },
    },
  }
}

export interface StatusFailure {
  code: number
  title: string
  details: string
}

/** The same code as the reason of a `failed` status. */
export function statusFailure({ code, title, details }: ErrorWish): StatusFailure {
  const usual = known(code)
  const named = title ?? usual?.title ?? 'Something went wrong'
  return { code, title: named, details: details ?? usual?.details ?? named }
}
