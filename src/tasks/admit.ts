// Who may call the internal endpoints: whoever knows one of the tokens and, where the tasks carry Google's word for who made
// them, has that too.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

export interface AdmitOptions {
  tokens: readonly string[]
  /** Undefined: the token is enough. */
  oidc: OidcCheck | undefined
  log: Log
}

export interface OidcCheck {
  /** True when Google says that this token was made for us, by the account that may. */
  isGood(idToken: string): Promise<boolean>
}

export function createAdmit({ tokens, oidc, log }: AdmitOptions) {
  const known = tokens.map(digest)
  return async (headers: IncomingHttpHeaders): Promise<void> => {
    const reason = !isKnown(known, headers['x-internal-token'])
      ? 'bad_token'
      : oidc && !(await oidc.isGood(bearerOf(headers.authorization)))
        ? 'bad_identity'
        : undefined
    if (reason === undefined) return
    log.warn('internal_call_refused', { reason, statusCode: 401 })
    throw new AppError(
      'UNAUTHORIZED',
      401,
      'X-Internal-Token is missing or not one of INTERNAL_TASK_TOKEN, or the identity token is not good.',
    )
  }
}

/** Every token is compared, whole: how long it takes tells nothing about them. */
function isKnown(known: readonly Buffer[], given: string | string[] | undefined): boolean {
  const offered = digest(typeof given === 'string' ? given : '')
  let isFound = false
  for (const token of known) isFound = timingSafeEqual(token, offered) || isFound
  return isFound && typeof given === 'string' && given !== ''
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function bearerOf(authorization: string | undefined): string {
  return /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization ?? '')?.[1] ?? ''
}
