// Meta's answers about tokens, business accounts and numbers, read into values. Whatever is missing in them is null.
import type { Graph, GraphAnswer, GraphCall } from './graph.ts'
import { isObject, type JsonObject } from './json.ts'

export type GraphFailure = Exclude<GraphAnswer, { kind: 'accepted' }>
export type Told<Value> = { kind: 'told'; value: Value } | GraphFailure

/** The Meta app in whose name we ask. */
export interface AppAccess {
  appId: string
  appSecret: string
}

export interface TokenInfo {
  isValid: boolean
  appId: string | null
  /** Null: it does not end. */
  expiresAt: Date | null
  scopes: string[]
  /** By scope, the business accounts it is good for; a scope that is not here is good for all. */
  targets: Map<string, string[]>
  /** Why it is not valid. */
  error: string | null
}

export interface MetaNumber {
  id: string
  displayPhoneNumber: string
  verifiedName: string | null
  nameStatus: string | null
  status: string | null
  platformType: string | null
  qualityRating: string | null
  throughputLevel: string | null
  messagingLimit: string | null
  /** Used in the WhatsApp Business app on a phone at the same time. */
  isOnBusinessApp: boolean
  /** Where webhooks go: of the number, of the account, of the app; the first that is there counts. */
  callbacks: { number: string | null; account: string | null; app: string | null }
  /** `AVAILABLE`, `LIMITED` or `BLOCKED`. */
  canSend: string | null
}

export interface SubscribedApp {
  id: string
  overrideCallback: string | null
}

export type GraphAccounts = ReturnType<typeof createGraphAccounts>

/** A code of Embedded Signup lives 30 seconds; a person waits for all of these. */
const limitMs = 10_000
/** A business account has at most a few dozen numbers. */
const maxPages = 20

const numberFields = [
  'id',
  'display_phone_number',
  'verified_name',
  'name_status',
  'status',
  'platform_type',
  'quality_rating',
  'throughput',
  'whatsapp_business_manager_messaging_limit',
  'is_on_biz_app',
  'webhook_configuration',
  'health_status',
].join(',')

type Ask = <Value>(
  call: Omit<GraphCall, 'limitMs'>,
  read: (body: JsonObject) => Value | undefined,
) => Promise<Told<Value>>

export function createGraphAccounts(graph: Pick<Graph, 'call'>) {
  const ask: Ask = async (call, read) => {
    const answer = await graph.call({ ...call, limitMs })
    if (answer.kind !== 'accepted') return answer
    const value = read(answer.body)
    return value === undefined
      ? { kind: 'unreachable', code: 'UNREADABLE', bytesLeft: true }
      : { kind: 'told', value }
  }
  return { ...tokenCalls(ask), ...accountCalls(ask), ...numberCalls(ask) }
}

function tokenCalls(ask: Ask) {
  return {
    /** `redirectUri` only where the browser was sent away with one. */
    exchangeCode: (app: AppAccess, code: string, redirectUri: string | null) =>
      ask(
        {
          method: 'GET',
          path: ['oauth', 'access_token'],
          query: {
            client_id: app.appId,
            client_secret: app.appSecret,
            code,
            ...(redirectUri !== null && { redirect_uri: redirectUri }),
          },
          secrets: [app.appSecret, code],
        },
        ({ access_token: token }) => (isToken(token) ? token : undefined),
      ),

    /** Answers also for a token that is dead: that is what it is for. */
    debugToken: (app: AppAccess, accessToken: string) =>
      ask(
        {
          method: 'GET',
          path: ['debug_token'],
          query: { input_token: accessToken },
          accessToken: `${app.appId}|${app.appSecret}`,
          secrets: [accessToken, app.appSecret],
        },
        ({ data }) => (isObject(data) ? readTokenInfo(data, accessToken) : undefined),
      ),
  }
}

const succeeded = (body: JsonObject) => (body.success === true ? true : undefined)

function accountCalls(ask: Ask) {
  return {
    async numbersOf(wabaId: string, accessToken: string): Promise<Told<MetaNumber[]>> {
      const numbers: MetaNumber[] = []
      let after: string | undefined
      for (let page = 0; page < maxPages; page++) {
        const answer = await ask(
          {
            method: 'GET',
            path: [wabaId, 'phone_numbers'],
            query: { fields: numberFields, limit: '100', ...(after !== undefined && { after }) },
            accessToken,
          },
          readNumberPage,
        )
        if (answer.kind !== 'told') return answer
        numbers.push(...answer.value.numbers)
        after = answer.value.next
        if (after === undefined) break
      }
      return { kind: 'told', value: numbers }
    },

    subscribedApps: (wabaId: string, accessToken: string) =>
      ask({ method: 'GET', path: [wabaId, 'subscribed_apps'], accessToken }, readSubscribedApps),

    /** Doing it again is fine; without a body it takes back an override of the callback. */
    subscribe: (wabaId: string, accessToken: string) =>
      ask({ method: 'POST', path: [wabaId, 'subscribed_apps'], accessToken }, succeeded),
  }
}

function numberCalls(ask: Ask) {
  return {
    number: (phoneNumberId: string, accessToken: string) =>
      ask(
        {
          method: 'GET',
          path: [phoneNumberId],
          query: { fields: numberFields },
          accessToken,
        },
        readNumber,
      ),

    register: (phoneNumberId: string, accessToken: string, pin: string) =>
      ask(
        {
          method: 'POST',
          path: [phoneNumberId, 'register'],
          body: { messaging_product: 'whatsapp', pin },
          accessToken,
          secrets: [pin],
        },
        succeeded,
      ),

    clearNumberCallback: (phoneNumberId: string, accessToken: string) =>
      ask(
        {
          method: 'POST',
          path: [phoneNumberId],
          body: { webhook_configuration: { override_callback_uri: '' } },
          accessToken,
        },
        succeeded,
      ),
  }
}

/** It becomes a header. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21-\x7e]{1,4096}$/.test(value)
}

function readTokenInfo(data: JsonObject, accessToken: string): TokenInfo {
  const granular = Array.isArray(data.granular_scopes) ? data.granular_scopes.filter(isObject) : []
  const error = isObject(data.error) ? textOf(data.error.message) : null
  return {
    isValid: data.is_valid === true,
    appId: textOf(data.app_id),
    expiresAt: timeOf(data.expires_at),
    scopes: textsIn(data.scopes),
    targets: new Map(
      granular.flatMap(({ scope, target_ids }) =>
        typeof scope === 'string' && Array.isArray(target_ids)
          ? [[scope, textsIn(target_ids)] as const]
          : [],
      ),
    ),
    error: error?.replaceAll(accessToken, '…') ?? null,
  }
}

/** Seconds; 0 is never. */
function timeOf(value: unknown): Date | null {
  if (typeof value !== 'number' || !(value > 0) || value > 8.64e12) return null
  return new Date(value * 1000)
}

function readNumberPage(body: JsonObject): { numbers: MetaNumber[]; next?: string } | undefined {
  if (!Array.isArray(body.data)) return undefined
  const numbers = body.data.filter(isObject).flatMap((one) => readNumber(one) ?? [])
  const paging = isObject(body.paging) ? body.paging : {}
  const cursors = isObject(paging.cursors) ? paging.cursors : {}
  // There is a cursor on the last page too.
  const next = paging.next === undefined ? null : textOf(cursors.after)
  return { numbers, ...(next !== null && { next }) }
}

function readNumber(body: JsonObject): MetaNumber | undefined {
  const id = textOf(body.id)
  if (id === null) return undefined
  const callbacks = isObject(body.webhook_configuration) ? body.webhook_configuration : {}
  return {
    id,
    displayPhoneNumber: textOf(body.display_phone_number)?.slice(0, 40) ?? id,
    verifiedName: textOf(body.verified_name),
    nameStatus: textOf(body.name_status),
    status: textOf(body.status),
    platformType: textOf(body.platform_type),
    qualityRating: textOf(body.quality_rating),
    throughputLevel: isObject(body.throughput) ? textOf(body.throughput.level) : null,
    messagingLimit: textOf(body.whatsapp_business_manager_messaging_limit),
    isOnBusinessApp: body.is_on_biz_app === true,
    callbacks: {
      number: textOf(callbacks.phone_number),
      account: textOf(callbacks.whatsapp_business_account),
      app: textOf(callbacks.application),
    },
    canSend: isObject(body.health_status) ? textOf(body.health_status.can_send_message) : null,
  }
}

function readSubscribedApps(body: JsonObject): SubscribedApp[] | undefined {
  if (!Array.isArray(body.data)) return undefined
  return body.data.filter(isObject).flatMap((one) => {
    const app = isObject(one.whatsapp_business_api_data) ? one.whatsapp_business_api_data : {}
    const id = textOf(app.id)
    return id === null ? [] : [{ id, overrideCallback: textOf(one.override_callback_uri) }]
  })
}

/** What Meta says is foreign input too: bounded, and without what Postgres refuses. */
function textOf(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  return value.replaceAll('\0', '').toWellFormed().slice(0, 512)
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.flatMap((one) => textOf(one) ?? []).slice(0, 1000) : []
}
