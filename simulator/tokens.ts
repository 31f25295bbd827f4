// Access tokens and the codes they are exchanged for: who may do what to which business account,
// until when.
import { z } from 'zod'
import { type TokenDeath, tokenDeaths } from './graph/token-errors.ts'
import { makeDigits } from './identifiers.ts'
import type { Clock, Random } from './time-and-chance.ts'

export const allScopes = ['whatsapp_business_management', 'whatsapp_business_messaging'] as const
export type Scope = (typeof allScopes)[number]

const scope = z.enum([...allScopes, 'business_management', 'public_profile'])

/** Without `target_ids` the permission holds for every business account. */
const grant = z.object({ scope, target_ids: z.array(z.string()).optional() })
export type Grant = z.output<typeof grant>

const deaths = Object.keys(tokenDeaths) as [TokenDeath, ...TokenDeath[]]

export const tokenInputSchema = z.object({
  /** Made up when left out. */
  access_token: z.string().min(1).max(1024).optional(),
  app_id: z.string().optional(),
  kind: z.enum(['system_user', 'business', 'user']).default('system_user'),
  scopes: z.array(scope).optional(),
  waba_ids: z.array(z.string()).optional(),
  /** Instead of scopes and waba_ids, when they differ from scope to scope. */
  granular_scopes: z.array(grant).optional(),
  expires_in: z.number().int().positive().optional(),
})
export type TokenInput = z.input<typeof tokenInputSchema>

export const tokenChangeSchema = z.object({
  access_token: z.string().min(1),
  /** `valid` brings a dead token back; `expired` lets it expire now. */
  state: z.enum(['valid', 'expired', ...deaths]).optional(),
  expires_in: z.number().int().positive().optional(),
  granular_scopes: z.array(grant).optional(),
})
export type TokenChange = z.input<typeof tokenChangeSchema>

export interface Token {
  access_token: string
  app_id: string
  kind: 'system_user' | 'business' | 'user'
  grants: Grant[]
  issued_at: Date
  expires_at: Date | null
  death: TokenDeath | null
  user_id: string
  /** Made by registering a number; it then lives and dies with the numbers that name it. */
  of_number: boolean
}

export const codeInputSchema = z.object({
  app_id: z.string().optional(),
  /** The business accounts that the token will be good for. */
  waba_ids: z.array(z.string()).min(1),
  scopes: z.array(scope).optional(),
  /** Of the token, in seconds; left out, it never expires. */
  token_expires_in: z.number().int().positive().optional(),
  /** Where the dialog sent the browser; the exchange must name the same. Left out: the pop-up, which sends nobody. */
  redirect_uri: z.string().max(2000).optional(),
})
export type CodeInput = z.input<typeof codeInputSchema>

export const codeLifetimeSeconds = 30
/** A used code is remembered, to say that it was used; the oldest are let go of. */
const maxCodes = 10_000
export const longTokenSeconds = 60 * 24 * 60 * 60

export type CodeOutcome =
  | { kind: 'token'; token: Token }
  | { kind: 'unknown' }
  | { kind: 'expired' }
  | { kind: 'used' }
  | { kind: 'other_redirect' }

export interface Tokens {
  issue(input: z.output<typeof tokenInputSchema>): Token
  /** What registering a number with a token means: valid, and good for this account too. */
  grantByNumber(accessToken: string, wabaId: string): void
  /** Forgets a token that only numbers gave a meaning to. */
  dropOfNumber(accessToken: string): void
  find(accessToken: string): Token | undefined
  change(token: Token, change: z.output<typeof tokenChangeSchema>): void
  all(): Token[]
  /** A code of Embedded Signup: lives 30 seconds and works once. */
  issueCode(input: z.output<typeof codeInputSchema>): string
  redeemCode(code: string, appId: string, redirectUri: string | undefined): CodeOutcome
}

interface Code {
  app_id: string
  expiresAt: Date
  input: z.output<typeof codeInputSchema>
  used: boolean
}

export function createTokens(options: {
  clock: Clock
  random: Random
  ownAppId: () => string
}): Tokens {
  const { clock, random, ownAppId } = options
  const tokens = new Map<string, Token>()
  const codes = new Map<string, Code>()
  const later = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)

  function issue(input: z.output<typeof tokenInputSchema>, ofNumber = false): Token {
    const { scopes = [...allScopes, 'public_profile' as const], waba_ids, expires_in } = input
    const token: Token = {
      access_token: input.access_token ?? makeTokenText(random),
      app_id: input.app_id ?? ownAppId(),
      kind: input.kind,
      grants: input.granular_scopes ?? scopes.map((each) => grantOf(each, waba_ids)),
      issued_at: clock.now(),
      expires_at: expires_in === undefined ? null : later(expires_in),
      death: null,
      user_id: makeDigits(18, random),
      of_number: ofNumber,
    }
    tokens.set(token.access_token, token)
    return token
  }

  function redeemCode(text: string, appId: string, redirectUri: string | undefined): CodeOutcome {
    const code = codes.get(text)
    if (code === undefined || code.app_id !== appId) return { kind: 'unknown' }
    if (code.input.redirect_uri !== redirectUri) return { kind: 'other_redirect' }
    if (code.used) return { kind: 'used' }
    if (clock.now() >= code.expiresAt) return { kind: 'expired' }
    code.used = true
    const { waba_ids, scopes, token_expires_in: expires_in } = code.input
    return {
      kind: 'token',
      token: issue({
        app_id: appId,
        kind: 'business',
        waba_ids,
        ...(scopes === undefined ? {} : { scopes }),
        ...(expires_in === undefined ? {} : { expires_in }),
      }),
    }
  }

  return {
    issue: (input) => issue(input),
    grantByNumber(accessToken, wabaId) {
      const known = tokens.get(accessToken)
      if (known === undefined) {
        issue({ access_token: accessToken, kind: 'system_user', waba_ids: [wabaId] }, true)
        return
      }
      known.death = null
      if (known.expires_at !== null && known.expires_at <= clock.now()) known.expires_at = null
      for (const each of known.grants) {
        if (each.target_ids && !each.target_ids.includes(wabaId)) each.target_ids.push(wabaId)
      }
    },
    dropOfNumber(accessToken) {
      if (tokens.get(accessToken)?.of_number) tokens.delete(accessToken)
    },
    find: (accessToken) => tokens.get(accessToken),
    change(token, { state, expires_in, granular_scopes }) {
      if (state === 'valid') Object.assign(token, { death: null, expires_at: null })
      else if (state === 'expired') Object.assign(token, { death: null, expires_at: clock.now() })
      else if (state !== undefined) token.death = state
      if (expires_in !== undefined) token.expires_at = later(expires_in)
      if (granular_scopes !== undefined) token.grants = granular_scopes
    },
    all: () => [...tokens.values()],
    issueCode(input) {
      const text = `AQ${random.bytes(48).toString('base64url')}`
      codes.set(text, {
        app_id: input.app_id ?? ownAppId(),
        expiresAt: later(codeLifetimeSeconds),
        input,
        used: false,
      })
      if (codes.size > maxCodes) codes.delete(codes.keys().next().value ?? '')
      return text
    },
    redeemCode,
  }
}

/** public_profile is about a person, not about business accounts. */
function grantOf(name: Grant['scope'], wabaIds: string[] | undefined): Grant {
  return wabaIds === undefined || name === 'public_profile'
    ? { scope: name }
    : { scope: name, target_ids: [...wabaIds] }
}

function makeTokenText(random: Random): string {
  return `EAAS${random.bytes(60).toString('hex')}`
}
