// Tokens: codes exchanged, tokens prolonged, looked at and revoked.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { MetaApp } from '../apps.ts'
import { longTokenSeconds, type Token } from '../tokens.ts'
import { type Access, identify, identifyApp, tokenTrouble } from './access.ts'
import { GraphError, parameterRequired } from './errors.ts'
import { type Fields, textIn } from './fields.ts'
import type { Graph } from './graph.ts'
import { paramsOf } from './request-body.ts'
import { unreadableToken } from './token-errors.ts'
import { versioned } from './versions.ts'

export function mountOauth(app: FastifyInstance, graph: Graph): void {
  // With and without a version: both forms are in use.
  for (const prefix of ['', versioned]) {
    for (const method of ['GET', 'POST'] as const) {
      app.route({
        method,
        url: `${prefix}/oauth/access_token`,
        handler: async (request) => grantToken(graph.access(), paramsOf(request)),
      })
    }
    app.get(`${prefix}/oauth/revoke`, async (request) => {
      revoke(graph.access(), paramsOf(request))
      return { success: true }
    })
    app.get(`${prefix}/debug_token`, async (request) => debugToken(graph.access(), request))
  }
}

function grantToken(access: Access, params: Fields) {
  const app = checkClient(access, params)
  switch (textIn(params, 'grant_type') ?? 'authorization_code') {
    case 'authorization_code':
      return exchangeCode(access, app, params)
    case 'client_credentials':
      return { access_token: `${app.app_id}|${app.app_secret}`, token_type: 'bearer' }
    case 'fb_exchange_token':
      return prolong(access, app, params)
    default:
      throw oauthError(100, '(#100) Param grant_type is not supported')
  }
}

function checkClient({ business }: Access, params: Fields): MetaApp {
  const clientId = textIn(params, 'client_id')
  if (clientId === undefined) throw oauthError(101, 'Missing client_id parameter.')
  const app = business.apps.find(clientId)
  if (app === undefined) {
    throw oauthError(
      101,
      'Error validating application. Cannot get application info due to a system error.',
    )
  }
  const secret = textIn(params, 'client_secret')
  if (secret === undefined) throw oauthError(1, 'Missing client_secret parameter.')
  if (secret !== app.app_secret) throw oauthError(1, 'Error validating client secret.')
  return app
}

function exchangeCode({ business, clock }: Access, app: MetaApp, params: Fields) {
  const code = textIn(params, 'code')
  if (code === undefined) throw oauthError(100, 'Missing authorization code')
  const outcome = business.tokens.redeemCode(code, app.app_id, textIn(params, 'redirect_uri'))
  switch (outcome.kind) {
    case 'token':
      return tokenAnswer(outcome.token, clock.now())
    case 'expired':
      throw oauthError(100, 'This authorization code has expired.', 36007)
    case 'used':
      throw oauthError(100, 'This authorization code has been used.', 36009)
    case 'unknown':
      throw oauthError(100, 'Invalid verification code format.')
    // Embedded Signup's pop-up has no redirect, so none can be the right one.
    case 'other_redirect':
      throw oauthError(
        191,
        'Error validating verification code. Please make sure your redirect_uri is identical to ' +
          'the one you used in the OAuth dialog request',
      )
  }
}

/** A new token beside the old one, which lives on until its own end. */
function prolong({ business, clock }: Access, app: MetaApp, params: Fields) {
  const text = textIn(params, 'fb_exchange_token')
  if (text === undefined) throw parameterRequired('fb_exchange_token')
  const old = business.tokens.find(text)
  const trouble = tokenTrouble(old, clock)
  if (old === undefined || trouble !== undefined) throw trouble ?? unreadableToken()
  if (old.app_id !== app.app_id) throw unreadableToken()
  const isFor60Days = textIn(params, 'set_token_expires_in_60_days') === 'true'
  const token = business.tokens.issue({
    app_id: app.app_id,
    kind: old.kind,
    granular_scopes: structuredClone(old.grants),
    ...(isFor60Days || old.expires_at !== null ? { expires_in: longTokenSeconds } : {}),
  })
  return tokenAnswer(token, clock.now())
}

function tokenAnswer({ access_token, expires_at }: Token, now: Date) {
  return {
    access_token,
    token_type: 'bearer',
    // Only there when it ends.
    ...(expires_at === null
      ? {}
      : { expires_in: Math.floor((expires_at.getTime() - now.getTime()) / 1000) }),
  }
}

function revoke(access: Access, params: Fields): void {
  const app = checkClient(access, params)
  const text = textIn(params, 'revoke_token')
  if (text === undefined) throw parameterRequired('revoke_token')
  const token = access.business.tokens.find(text)
  if (token === undefined || token.app_id !== app.app_id) throw unreadableToken()
  token.death = 'revoked'
}

function debugToken(access: Access, request: FastifyRequest) {
  const viewer = identifyApp(access, request)?.app_id ?? identify(access, request).app_id
  const text = textIn(paramsOf(request), 'input_token')
  if (text === undefined) throw parameterRequired('input_token')
  const token = access.business.tokens.find(text)
  if (token !== undefined && token.app_id !== viewer) {
    throw oauthError(100, '(#100) The App_id in the input_token did not match the Viewing App')
  }
  const trouble = tokenTrouble(token, access.clock)
  if (token === undefined || trouble !== undefined) {
    const { code, message, subcode } = (trouble ?? unreadableToken()).parts
    return {
      data: {
        error: { code, message, ...(subcode === undefined ? {} : { subcode }) },
        ...(token === undefined ? {} : { app_id: token.app_id }),
        is_valid: false,
        scopes: [],
      },
    }
  }
  return { data: describeToken(access, token) }
}

function describeToken({ business }: Access, token: Token) {
  const { app_id, kind, grants, user_id } = token
  return {
    app_id,
    type: kind === 'user' ? 'USER' : 'SYSTEM_USER',
    application: business.apps.find(app_id)?.name,
    data_access_expires_at: 0,
    expires_at: token.expires_at === null ? 0 : seconds(token.expires_at),
    is_valid: true,
    issued_at: seconds(token.issued_at),
    scopes: grants.map(({ scope }) => scope),
    granular_scopes: grants
      .filter(({ scope }) => scope !== 'public_profile')
      .map(({ scope, target_ids }) => ({ scope, target_ids })),
    user_id,
  }
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

function oauthError(code: number, message: string, subcode?: number): GraphError {
  return new GraphError({
    status: 400,
    code,
    message,
    ...(subcode === undefined ? {} : { subcode }),
  })
}
