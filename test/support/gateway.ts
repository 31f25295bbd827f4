// A gateway in this process, on a database of its own, whose queue runs only when the test says so.
import { createHmac } from 'node:crypto'
import { type Dispatcher, request } from 'undici'
import { type Alerting, createAlerting } from '../../src/alerts/alerting.ts'
import type { Transitions } from '../../src/alerts/evaluate.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { drain } from '../../src/dispatch/run.ts'
import { createDeliveryWorker, createEventRouter } from '../../src/events/worker.ts'
import { apiRoutes, startGateway } from '../../src/gateway.ts'
import type { Inbox } from '../../src/inbox/inbox.ts'
import { createInboxQueue } from '../../src/inbox/process.ts'
import { createLog, logHashKey } from '../../src/log.ts'
import { createMediaQueue, type MediaQueueOptions } from '../../src/media/queue.ts'
import { createSendWorker } from '../../src/outbox/worker.ts'
import type { Engine } from '../../src/queue/engine.ts'
import { createRuntime, type Runtime } from '../../src/runtime.ts'
import { type Clock, systemClock } from '../../src/time-and-chance.ts'
import {
  alertingOptions,
  deliveryWorkerOptions,
  inboxOptions,
  sendWorkerOptions,
} from '../../src/workers.ts'
import { afterFile } from './after-file.ts'
import { createContractCheck } from './contract-check.ts'
import { createTestDb } from './database.ts'
import { createTestFolder } from './folder.ts'
import { checkLogLines } from './log-lines.ts'
import { checkSeries } from './metric-series.ts'

export const testSecrets = {
  META_APP_ID: '990000000000001',
  META_APP_SECRET: 'fx_app_secret_0c1d2e3f4a5b6c7d8e9f',
  META_VERIFY_TOKEN: 'verify-token-for-tests',
  ADMIN_API_KEY: 'alice:operator-key-of-alice-000001,bob:operator-key-of-bob-00000002',
  ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
}
export const operatorKey = 'operator-key-of-alice-000001'

/** The access token of the account that `createTenant` connects: long enough to be searched for in logs (canaries.ts). */
export const accessTokenOf = (name: string) => `access-token-of-${name.replaceAll(' ', '-')}`

/** The numbers of the fixtures. */
export const tenantANumber = { waba_id: '215589313241560', phone_number_id: '441785372350001' }
export const tenantBNumber = { waba_id: '318402275114907', phone_number_id: '558210946700342' }

export interface TestGateway {
  url: string
  databaseUrl: string
  /** Looks at the database from outside, as its superuser. */
  db: Db
  runtime: Runtime
  /** Everything the gateway logged, one JSON object a line. */
  logText(): string
  /** Sends what is due, and what that makes due. */
  sendDue(): Promise<number>
  /** Delivers what happened to those who want to hear it, until nothing is due. */
  tellDue(): Promise<number>
  /** Looks for trouble, if that is due. */
  evaluate(): Promise<Transitions | undefined>
  /** Tells of alerts until nothing is due. */
  tellAlerts(): Promise<number>
  /** Processes stored events until nothing is due. */
  drain(overrides?: Partial<Inbox>): Promise<number>
  /** Fetches the files of messages until nothing is due. */
  fetchMedia(overrides?: Partial<MediaQueueOptions>): Promise<number>
  /** Calls, and fails when the answer is not what the route declares. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Delivers a webhook, signed unless a header is given. */
  deliver(body: unknown | Buffer | string, headers?: Record<string, string>): Promise<Answer>
  createTenant(
    name: string,
    number?: { waba_id: string; phone_number_id: string },
  ): Promise<TestTenant>
}

export interface TestTenant {
  id: string
  key: string
}

export interface CallOptions {
  key?: string | undefined
  /** A form goes as it is, anything else as JSON. */
  body?: unknown
  /** Instead of `body`: these very bytes, of no type unless a header says one. */
  rawBody?: string | Buffer
  headers?: Record<string, string>
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  json: any
}

export interface TestGatewayOptions {
  environment?: Record<string, string>
  clock?: Clock
  /** The same database for a second gateway. */
  database?: { url: string; db: Db }
}

function testConfig(environment: Record<string, string> = {}): Config {
  return readConfig(
    {
      ...testSecrets,
      PORT: '0',
      ROLES: 'api',
      ALLOW_UNSAFE_DB: '1',
      DATA_DIR: createTestFolder(),
      // Nobody listens there: a test that wants a Meta starts one.
      META_GRAPH_URL: 'http://127.0.0.1:9',
      ...environment,
    },
    { mode: 'dev' },
  )
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const clock = options.clock ?? systemClock
  const { url: databaseUrl, db } = options.database ?? (await createTestDb())
  const config = testConfig(options.environment)
  let logText = ''
  const destination = {
    write: (line: string) => {
      logText += line
    },
  }
  const hashKey = logHashKey(config.encryptionKeys[0]?.key ?? Buffer.alloc(32))
  const log = createLog({ level: 'debug', hashKey, clock, destination })
  const runtime = createRuntime({ config, databaseUrl, clock, log })
  afterFile(async () => checkLogLines(logText))
  afterFile(() => checkSeries(runtime.metrics))
  const gateway = await startGateway(runtime)
  afterFile(() => gateway.stop())

  const checkContract = createContractCheck(apiRoutes(runtime))
  const call = async (method: string, path: string, options: CallOptions = {}) => {
    const { key, body, rawBody, headers } = options
    const isJson = body !== undefined && !(body instanceof FormData)
    const bytes = rawBody ?? (isJson ? JSON.stringify(body) : body)
    const answer = await send(method, gateway.url + path, bytes, {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      ...(isJson && { 'content-type': 'application/json' }),
      ...headers,
    })
    checkContract(method, path, answer)
    return answer
  }

  return {
    url: gateway.url,
    databaseUrl,
    db,
    runtime,
    logText: () => logText,
    ...queuesOf(runtime),
    call,
    deliver: (body, headers) => {
      const raw = bytesOf(body)
      return send('POST', `${gateway.url}/api/webhooks/meta/whatsapp`, raw, {
        'content-type': 'application/json',
        ...(headers ?? { 'x-hub-signature-256': signatureOf(raw) }),
      })
    },
    async createTenant(name, number) {
      const create = async (path: string, body: unknown) => {
        const answer = await call('POST', path, { key: operatorKey, body })
        if (answer.status === 201) return answer.json
        throw new Error(`${path} was answered ${answer.status}: ${answer.text}`)
      }
      const { id } = await create('/api/admin/tenants', { name })
      const { key } = await create(`/api/admin/tenants/${id}/api-keys`, { name: 'test' })
      if (number) {
        await create(`/api/admin/tenants/${id}/accounts`, {
          ...number,
          display_phone_number: '+1 555-0100',
          access_token: accessTokenOf(name),
        })
      }
      return { id, key }
    },
  }
}

/** The queues, each run by hand. */
function queuesOf(
  runtime: Runtime,
): Pick<TestGateway, 'sendDue' | 'tellDue' | 'evaluate' | 'tellAlerts' | 'drain' | 'fetchMedia'> {
  const stopped = <Worker extends Pick<Engine, 'stop'>>(worker: Worker) => {
    afterFile(() => worker.stop())
    return worker
  }
  let sender: Engine | undefined
  let teller: Engine | undefined
  let alerting: Alerting | undefined
  const alerts = () => {
    if (alerting) return alerting
    alerting = createAlerting(alertingOptions(runtime))
    stopped(alerting.queue)
    return alerting
  }
  return {
    sendDue: () => {
      sender ??= stopped(createSendWorker(sendWorkerOptions(runtime)))
      return drain(sender)
    },
    tellDue: async () => {
      teller ??= stopped(createDeliveryWorker(deliveryWorkerOptions(runtime)))
      const onRouted = () => void runtime.dispatch.wake('stream')
      await drain(createEventRouter({ db: runtime.db.work, onRouted }))
      return drain(teller)
    },
    evaluate: () => alerts().evaluateDue(),
    tellAlerts: () => drain(alerts().queue),
    drain: (overrides) => drain(createInboxQueue({ ...inboxOptions(runtime), ...overrides })),
    fetchMedia: (overrides) =>
      drain(createMediaQueue({ ...runtime, db: runtime.db.work, ...overrides })),
  }
}

export function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

export function signatureOf(raw: Buffer, secret: string = testSecrets.META_APP_SECRET): string {
  return `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`
}

/** As `fetch` does it, at a third of its cost: tests ask a hundred thousand times. */
async function send(
  method: string,
  url: string,
  body: Buffer | string | FormData | undefined,
  headers: Record<string, string>,
): Promise<Answer> {
  const encoded = body === undefined ? undefined : await encode(body)
  const response = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: { ...encoded?.headers, ...headers },
    ...(encoded && { body: encoded.bytes }),
  })
  const text = await response.body.text()
  const answered = new Headers()
  for (const [name, value = []] of Object.entries(response.headers)) {
    for (const one of [value].flat()) answered.append(name, one)
  }
  const isJson = answered.get('content-type')?.includes('application/json')
  return {
    status: response.statusCode,
    headers: answered,
    text,
    json: isJson ? JSON.parse(text) : undefined,
  }
}

/** A form and a text say what they are. */
async function encode(body: Buffer | string | FormData) {
  if (Buffer.isBuffer(body)) return { bytes: body, headers: {} }
  if (typeof body === 'string') {
    return { bytes: body, headers: { 'content-type': 'text/plain;charset=UTF-8' } }
  }
  const form = new Response(body)
  const type = form.headers.get('content-type') ?? ''
  return { bytes: Buffer.from(await form.arrayBuffer()), headers: { 'content-type': type } }
}

/** How many rows a table has, for what the API does not show. */
export async function countRows(
  db: Db,
  table: 'whatsapp_messages' | 'whatsapp_webhook_events',
): Promise<number> {
  const [row] =
    table === 'whatsapp_messages'
      ? await db.query(sql<{ count: number }>`select count(*)::int as count from whatsapp_messages`)
      : await db.query(
          sql<{ count: number }>`select count(*)::int as count from whatsapp_webhook_events`,
        )
  return row?.count ?? 0
}
