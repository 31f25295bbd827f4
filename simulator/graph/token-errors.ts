// Why Meta does not let a token do something: dead, without a permission, or without its proof.
import { GraphError } from './errors.ts'

/** How a token can be dead, and the subcode each way has; a revoked one has none. */
export const tokenDeaths = {
  revoked: {
    subcode: undefined,
    message: 'Error validating access token: The user has not authorized application.',
  },
  app_removed: {
    subcode: 458,
    message: 'Error validating access token: The user has not authorized application.',
  },
  checkpointed: {
    subcode: 459,
    message: 'Error validating access token: You cannot access the app till you log in.',
  },
  password_changed: {
    subcode: 460,
    message:
      'Error validating access token: The session has been invalidated because the user changed ' +
      'their password or Facebook has changed the session for security reasons.',
  },
  unconfirmed: {
    subcode: 464,
    message: 'Error validating access token: Sessions for the user are not allowed.',
  },
  logged_out: {
    subcode: 467,
    message: 'Error validating access token: The session is invalid because the user logged out.',
  },
} as const

export type TokenDeath = keyof typeof tokenDeaths

export const unreadableToken = () =>
  tokenError('Invalid OAuth access token - Cannot parse access token')

export const deadToken = (death: TokenDeath) =>
  tokenError(tokenDeaths[death].message, tokenDeaths[death].subcode)

export const expiredToken = (expiredAt: Date, now: Date) =>
  tokenError(
    `Error validating access token: Session has expired on ${pacificTime(expiredAt)}. ` +
      `The current time is ${pacificTime(now)}.`,
    463,
  )

function tokenError(message: string, subcode?: number): GraphError {
  return new GraphError({
    status: 401,
    code: 190,
    message,
    ...(subcode === undefined ? {} : { subcode }),
  })
}

/** The form of Meta's own texts, e.g. "Sunday, 13-Sep-26 10:00:00 PDT". */
function pacificTime(date: Date): string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: 'America/Los_Angeles',
    weekday: 'long',
    day: '2-digit',
    month: 'short',
    year: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  }).formatToParts(date)
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? ''
  const day = `${part('day')}-${part('month')}-${part('year')}`
  const time = `${part('hour')}:${part('minute')}:${part('second')}`
  return `${part('weekday')}, ${day} ${time} ${part('timeZoneName')}`
}

/** The token never got the permission. */
export const permissionNotGranted = () =>
  new GraphError({
    status: 403,
    code: 10,
    message: '(#10) Application does not have permission for this action',
  })

/** The token got the permission, but for other business accounts. */
export const accountNotGranted = () =>
  new GraphError({
    status: 403,
    code: 200,
    message:
      '(#200) You do not have the necessary permissions to send messages on behalf of this ' +
      'WhatsApp Business Account',
  })

export const proofMissing = () =>
  new GraphError({
    status: 400,
    code: 100,
    type: 'GraphMethodException',
    message: 'API calls from the server require an appsecret_proof argument',
  })

export const proofWrong = () =>
  new GraphError({
    status: 400,
    code: 100,
    type: 'GraphMethodException',
    message: 'Invalid appsecret_proof provided in the API argument',
  })
