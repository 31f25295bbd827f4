// Connecting a number by sign-up: started with a key, finished by a browser that carries the state.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { account } from '../../api/contract.ts'
import { accountReference, signupSettings, signupStart } from '../../api/contract-connect.ts'
import type { Credentials } from '../../api/credentials.ts'
import { type Principal, parsePart, type Route, route, tenantOf } from '../../api/route.ts'
import { AppError, notFound } from '../../errors.ts'
import { publicId, uuidOf } from '../../ids.ts'
import { showAccount } from '../show.ts'
import { finishSignup } from './finish.ts'
import type { Finished, SignupOptions } from './model.ts'
import { notePage, type PageNote, pageHeaders, signupPage } from './page.ts'
import { dialogUrl, type MissingSetting, type SignupPlaces } from './places.ts'
import { keepRedirect, selectInvitation } from './queries.ts'
import { refusalWords } from './refusal-words.ts'
import { refuse } from './refusals.ts'
import { readState, signupIdOf, startSignup } from './state.ts'
import { type Language, languageOf, pageWords } from './words.ts'

export interface SignupRoutesOptions extends Omit<SignupOptions, 'app'> {
  /** Null: the operator has not said which Meta app this gateway is. */
  app: SignupOptions['app'] | null
  /** What they have not said. */
  missing: MissingSetting[]
  configId: string | undefined
  places: SignupPlaces
  /** Without: the address that the request was sent to. */
  publicUrl: string | undefined
  tokenWarningDays: number
}

const base = '/api/integrations/meta/whatsapp'
export const callbackPath = `${base}/callback`

export function signupRoutes(options: SignupRoutesOptions): Route[] {
  const start = async (
    by: { tenantId: string; actor: string; origin: string },
    accountId: string | null,
  ) => {
    appOf(options)
    const { state, expiresAt } = await startSignup(options, { ...by, accountId })
    return {
      url: pageUrl(options, by.origin, state),
      id: signupIdOf(state),
      state,
      expires_at: expiresAt.toISOString(),
    }
  }
  return [
    route({
      operationId: 'signup.settings',
      method: 'GET',
      path: base,
      summary: 'Whether numbers can be connected here, and which settings that still needs',
      access: 'tenant',
      answer: signupSettings,
      handle: async () => ({ missing: options.missing }),
    }),
    route({
      operationId: 'signup.start',
      method: 'POST',
      path: `${base}/start`,
      summary:
        'Begin connecting a number: a page to open in a browser, good once and for 10 minutes',
      access: 'tenant',
      answer: signupStart,
      errors: ['SIGNUP_NOT_CONFIGURED'],
      handle: (call) => start(call, null),
    }),
    route({
      operationId: 'signup.reconnect',
      method: 'POST',
      path: `${base}/reconnect`,
      summary: 'Begin reconnecting an account; what waits for it goes out afterwards',
      access: 'tenant',
      body: accountReference,
      answer: signupStart,
      errors: ['ACCOUNT_NOT_FOUND', 'SIGNUP_NOT_CONFIGURED'],
      handle: (call) => {
        const id = uuidOf('acc', call.body.account_id)
        if (!id) throw notFound('ACCOUNT_NOT_FOUND', 'account')
        return start(call, id)
      },
    }),
  ]
}

export function pageUrl(
  { publicUrl }: Pick<SignupRoutesOptions, 'publicUrl'>,
  origin: string,
  state: string,
): string {
  return `${publicUrl ?? origin}/connect/whatsapp?state=${state}`
}

export function appOf({ app, missing }: Pick<SignupRoutesOptions, 'app' | 'missing'>) {
  if (app && missing.length === 0) return app
  throw new AppError(
    'SIGNUP_NOT_CONFIGURED',
    503,
    'Sign-up is not set up here: the operator must set META_APP_ID, META_APP_SECRET and META_CONFIG_ID.',
    { details: { missing } },
  )
}

const oneText = z.string().max(4096).optional()
const metaId = z
  .string()
  .regex(/^[\x21-\x7e]{1,128}$/, 'one of Meta’s ids')
  .optional()
const callbackQuery = z.object({
  state: oneText,
  code: oneText,
  error: oneText,
  waba_id: metaId,
  phone_number_id: metaId,
  via: z.enum(['popup']).optional(),
})

export interface SignupMountOptions {
  authenticate(credentials: Credentials): Promise<Principal>
}

/** What browsers come to, without a key: everything here hangs on the state. */
export function mountSignup(
  app: FastifyInstance,
  options: SignupRoutesOptions,
  { authenticate }: SignupMountOptions,
): void {
  app.get('/connect/whatsapp', (request, reply) =>
    answeringPeople(request, reply, (language) => showPage(options, request, reply, language)),
  )
  app.get('/connect/whatsapp/redirect', (request, reply) =>
    answeringPeople(request, reply, () => sendAway(options, request, reply)),
  )
  app.get(callbackPath, async (request, reply) => {
    const finish = () => finishFrom(options, request, authenticate)
    if (!wantsPage(request)) return shown(options, await finish())
    return answeringPeople(request, reply, async (language) => {
      const { account, isNew } = await finish()
      const words = pageWords[language]
      return sendNote(reply, language, {
        kind: 'ok',
        title: isNew ? words.connected : words.reconnected,
        text: words.connectedText.replace('{number}', () => account.display_phone_number),
        signupId: signupIn(request),
        accountId: publicId('acc', account.id),
      })
    })
  })
}

function shown({ clock, tokenWarningDays }: SignupRoutesOptions, { account: row }: Finished) {
  return account.parse(showAccount(row, clock.now(), tokenWarningDays))
}

/** A browser that was sent here; a script asks for JSON. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return /^text\/html\b/.test(headers.accept ?? '')
}

/** Whatever was thrown becomes a page that says what to do. What is not a refusal is reported as everywhere else. */
async function answeringPeople(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (language: Language) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  const language = languageFor(request)
  try {
    return await work(language)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    request.trouble = { error_code: error.code }
    return sendNote(reply.code(error.status), language, {
      kind: 'bad',
      title: pageWords[language].notConnected,
      text: refusalWords[language][error.code] ?? error.message,
      small: `${error.code} · ${request.id}`,
      signupId: signupIn(request),
    })
  }
}

function sendNote(reply: FastifyReply, language: Language, note: PageNote): FastifyReply {
  return reply.headers(pageHeaders(null)).send(notePage(language, note))
}

function languageFor({ query, headers }: FastifyRequest): Language {
  const { lang } = query as { lang?: unknown }
  return languageOf(typeof lang === 'string' ? lang : undefined, headers['accept-language'])
}

/** Whatever became of it: the page that began it waits for word. */
function signupIn({ query }: FastifyRequest): string | undefined {
  const { state } = query as { state?: unknown }
  return typeof state === 'string' ? signupIdOf(state) : undefined
}

async function finishFrom(
  options: SignupRoutesOptions,
  request: FastifyRequest,
  authenticate: SignupMountOptions['authenticate'],
): Promise<Finished> {
  const query = parsePart(callbackQuery, request.query, 'query', 'INVALID_REQUEST') as z.output<
    typeof callbackQuery
  >
  const caller = await callerOf(request, authenticate)
  const { via, ...answer } = query
  return finishSignup(
    { ...options, app: appOf(options) },
    {
      ...answer,
      isPopup: via === 'popup',
      callerTenantId: (caller && tenantOf(caller)) ?? undefined,
      callerPerson: caller?.kind === 'person' ? publicId('usr', caller.personId) : undefined,
    },
  )
}

/** A key must be a good one; a browser may carry a session that is over. */
async function callerOf(
  request: FastifyRequest,
  authenticate: SignupMountOptions['authenticate'],
): Promise<Principal | undefined> {
  try {
    return await authenticate(request)
  } catch (error) {
    const isNobody = error instanceof AppError && error.status === 401
    if (isNobody && request.headers.authorization === undefined) return undefined
    throw error
  }
}

const stateQuery = z.object({ state: z.string().max(4096).optional() })

async function readLink(options: SignupRoutesOptions, request: FastifyRequest) {
  const { state } = parsePart(stateQuery, request.query, 'query', 'INVALID_REQUEST') as z.output<
    typeof stateQuery
  >
  const { hash, row, problem } = await readState(options.db, state, options.clock.now())
  if (problem) throw refuse(problem)
  return { state: state ?? '', hash, row }
}

async function showPage(
  options: SignupRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  language: Language,
): Promise<FastifyReply> {
  const { appId } = appOf(options)
  const { state, row } = await readLink(options, request)
  const invitation = await selectInvitation(options.db, row.tenant_id, row.account_id)
  if (!invitation) throw refuse('STATE_INVALID')
  const page = signupPage({
    language,
    signupId: signupIdOf(state),
    tenantName: invitation.tenant_name,
    displayPhoneNumber: invitation.display_phone_number,
    state,
    appId,
    configId: options.configId ?? '',
    places: options.places,
  })
  return reply.headers(pageHeaders(options.places)).send(page)
}

async function sendAway(
  options: SignupRoutesOptions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { appId } = appOf(options)
  const { state, hash } = await readLink(options, request)
  const origin = `${request.protocol}://${request.host}`
  const redirectUri = `${options.publicUrl ?? origin}${callbackPath}`
  await keepRedirect(options.db, hash, redirectUri)
  const configId = options.configId ?? ''
  const url = dialogUrl(options.places, { appId, configId, state, redirectUri })
  return reply.header('referrer-policy', 'no-referrer').redirect(url, 302)
}
