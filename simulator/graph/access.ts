// Who calls, and whether they may: token, proof, permission, and only then the object, so that a
// stranger never learns which objects exist.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { MetaApp } from '../apps.ts'
import type { Business } from '../business.ts'
import type { BusinessAccount } from '../business-accounts.ts'
import type { BusinessNumber, NumberProfile } from '../numbers.ts'
import type { Clock } from '../time-and-chance.ts'
import type { Scope, Token } from '../tokens.ts'
import { type GraphError, unknownObject } from './errors.ts'
import { textIn } from './fields.ts'
import { paramsOf } from './request-body.ts'
import {
  accountNotGranted,
  deadToken,
  expiredToken,
  permissionNotGranted,
  proofMissing,
  proofWrong,
  unreadableToken,
} from './token-errors.ts'

export interface Access {
  business: Business
  clock: Clock
}

/** In the header, as `Bearer` or `OAuth`, or in the parameter `access_token`. */
export function tokenTextOf(request: FastifyRequest): string | undefined {
  const inHeader = /^(?:Bearer|OAuth) +(.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return inHeader?.trim() ?? textIn(paramsOf(request), 'access_token')
}

/** Why a token is no use, if it is none. */
export function tokenTrouble(token: Token | undefined, clock: Clock): GraphError | undefined {
  if (token === undefined) return unreadableToken()
  if (token.death !== null) return deadToken(token.death)
  const now = clock.now()
  return token.expires_at !== null && token.expires_at <= now
    ? expiredToken(token.expires_at, now)
    : undefined
}

/** The token of a call, alive and with its proof. */
export function identify({ business, clock }: Access, request: FastifyRequest): Token {
  const token = business.tokens.find(tokenTextOf(request) ?? '')
  const trouble = tokenTrouble(token, clock)
  if (token === undefined || trouble !== undefined) throw trouble ?? unreadableToken()
  checkProof(business.apps.find(token.app_id), token.access_token, request)
  return token
}

/** The app of a call made with an app token, `{app-id}|{app-secret}`. */
export function identifyApp({ business }: Access, request: FastifyRequest): MetaApp | undefined {
  const text = tokenTextOf(request) ?? ''
  const bar = text.indexOf('|')
  const app = bar === -1 ? undefined : business.apps.find(text.slice(0, bar))
  if (app === undefined || app.app_secret !== text.slice(bar + 1)) return undefined
  checkProof(app, text, request)
  return app
}

function checkProof(app: MetaApp | undefined, token: string, request: FastifyRequest): void {
  if (app === undefined) return
  const proof = textIn(paramsOf(request), 'appsecret_proof')
  if (proof === undefined) {
    if (app.requires_proof) throw proofMissing()
    return
  }
  const right = createHmac('sha256', app.app_secret).update(token).digest()
  const given = Buffer.from(proof, 'hex')
  if (given.length !== right.length || !timingSafeEqual(given, right)) throw proofWrong()
}

export interface AccountAccess {
  token: Token
  account: BusinessAccount
}

export interface NumberAccess extends AccountAccess {
  number: BusinessNumber
  profile: NumberProfile
}

export function accessAccount(
  access: Access,
  request: FastifyRequest,
  wabaId: string,
  scope: Scope,
): AccountAccess {
  const token = identify(access, request)
  const account = access.business.accounts.find(wabaId)
  if (account === undefined) throw unknownObject(wabaId, request.method)
  checkGrant(token, scope, account.waba_id, unknownObject(wabaId, request.method))
  return { token, account }
}

export function accessNumber(
  access: Access,
  request: FastifyRequest,
  phoneNumberId: string,
  scope: Scope,
): NumberAccess {
  const token = identify(access, request)
  const { numbers, accounts } = access.business
  const number = numbers.find(phoneNumberId)
  const account = number && accounts.find(number.waba_id)
  if (number === undefined || account === undefined) {
    throw unknownObject(phoneNumberId, request.method)
  }
  checkGrant(token, scope, account.waba_id, unknownObject(phoneNumberId, request.method))
  return { token, account, number, profile: numbers.profile(phoneNumberId) }
}

function checkGrant(token: Token, scope: Scope, wabaId: string, hidden: GraphError): void {
  const reaches = ({ target_ids }: { target_ids?: string[] | undefined }) =>
    target_ids === undefined || target_ids.includes(wabaId)
  const business = token.grants.filter((grant) => grant.scope !== 'public_profile')
  if (business.length > 0 && !business.some(reaches)) throw hidden
  const grants = business.filter((grant) => grant.scope === scope)
  if (grants.length === 0) throw permissionNotGranted()
  if (!grants.some(reaches)) throw accountNotGranted()
}
