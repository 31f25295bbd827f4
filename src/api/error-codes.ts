// Which errors an operation declares, by name. What a code means, and its status, is in errors-table.ts.
import { type ErrorCode, errorRows } from '../errors-table.ts'

/** A code with its usual status, or with the one it has here. */
export type DeclaredError = ErrorCode | { code: ErrorCode; status: number }

export interface KnownError {
  code: ErrorCode
  status: number
  meaning: string
  hasRetryAfter: boolean
}

export function knownError(declared: DeclaredError): KnownError {
  const code = typeof declared === 'string' ? declared : declared.code
  const row = errorRows.get(code)
  if (!row) throw new Error('bug: an error code without a row')
  const [usualStatus = 500] = [row.status].flat()
  const status = typeof declared === 'string' ? usualStatus : declared.status
  return { code, status, meaning: row.meaning, hasRetryAfter: row.again === 'retry-after' }
}

/** What Meta may answer to whoever manages templates, in our words. */
export const templateErrors = [
  'ACCOUNT_NOT_FOUND',
  'TEMPLATE_ACCESS_DENIED',
  'TEMPLATE_REFUSED',
  'PROVIDER_RATE_LIMITED',
  'PROVIDER_UNREACHABLE',
  'TOKEN_UNREADABLE',
] as const satisfies ErrorCode[]
