// Connecting a number by sign-up: started with a key, finished by a browser that carries the state.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { account } from '../../api/contract.ts'
import { accountReference, signupStart } from '../../api/contract-connect.ts'
import type { Credentials } from '../../api/credentials.ts'
import { type Principal, parsePart, type Route, route, tenantOf } from '../../api/route.ts'
import { AppError, notFound } from '../../errors.ts'
import { publicId, uuidOf } from '../../ids.ts'
import { showAccount } from '../show.ts'
import { finishSignup } from './finish.ts'
import type { Finished, SignupOptions } from './model.ts'
import { notePage, pageHeaders, signupPage } from './page.ts'
import { dialogUrl, type SignupPlaces } from './places.ts'
import { keepRedirect, selectInvitation } from './queries.ts'
import { refuse } from './refusals.ts'
import { readState, startSignup } from './state.ts'

export interface SignupRoutesOptions extends Omit<SignupOptions, 'app'> {
  /** Null: the operator has not said which Meta app this gateway is. */
  app: SignupOptions['app'] | null
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
    return { url: pageUrl(options, by.origin, state), state, expires_at: expiresAt.toISOString() }
  }
  return [
    route({
      method: 'POST',
      path: `${base}/start`,
      summary:
        'Begin connecting a number: a page to open in a browser, good once and for 10 minutes',
      access: 'tenant',
      answer: signupStart,
      handle: (call) => start(call, null),
    }),
    route({
      method: 'POST',
      path: `${base}/reconnect`,
      summary: 'Begin reconnecting an account; what waits for it goes out afterwards',
      access: 'tenant',
      body: accountReference,
      answer: signupStart,
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

/** Meta's own pages need a login configuration; a simulated one does not ask for it. */
export function appOf({ app, configId, places }: SignupRoutesOptions) {
  const isComplete = configId !== undefined || places.dialogOrigin !== 'https://www.facebook.com'
  if (app && isComplete) return app
  throw new AppError(
    'SIGNUP_NOT_CONFIGURED',
    503,
    'Sign-up is not set up here: the operator must set META_APP_ID, META_APP_SECRET and META_CONFIG_ID.',
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
    answeringPeople(request, reply, () => showPage(options, request, reply)),
  )
  app.get('/connect/whatsapp/redirect', (request, reply) =>
    answeringPeople(request, reply, () => sendAway(options, request, reply)),
  )
  app.get(callbackPath, async (request, reply) => {
    const finish = () => finishFrom(options, request, authenticate)
    if (!wantsPage(request)) return shown(options, await finish())
    return answeringPeople(request, reply, async () => {
      const { account, isNew } = await finish()
      const text = `${account.display_phone_number} sends and receives from now on. You can close this window.`
      const title = isNew ? 'Connected' : 'Reconnected'
      const page = notePage('Connect WhatsApp', { kind: 'ok', title, text })
      return reply.headers(pageHeaders(null)).send(page)
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
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    request.trouble = { error_code: error.code }
    const note = {
      kind: 'bad' as const,
      title: 'Not connected',
      text: error.message,
      small: `${error.code} · ${request.id}`,
    }
    return reply
      .code(error.status)
      .headers(pageHeaders(null))
      .send(notePage('Connect WhatsApp', note))
  }
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
): Promise<FastifyReply> {
  const { appId } = appOf(options)
  const { state, row } = await readLink(options, request)
  const invitation = await selectInvitation(options.db, row.tenant_id, row.account_id)
  if (!invitation) throw refuse('STATE_INVALID')
  const page = signupPage({
    title: row.account_id === null ? 'Connect WhatsApp' : 'Reconnect WhatsApp',
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
