// One server of a bench in a process of its own, so that its CPU time is its own. Driven over IPC by child.ts.
import { createHash, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import pg from 'pg'
import { readConfig } from '../src/config.ts'
import { drain } from '../src/dispatch/run.ts'
import { startGateway } from '../src/gateway.ts'
import { inboxDefaults } from '../src/inbox/inbox.ts'
import { createInboxQueue } from '../src/inbox/process.ts'
import { describeDelivery } from '../src/meta/delivery.ts'
import { isSigned } from '../src/meta/signature.ts'
import { createRuntime } from '../src/runtime.ts'
import { systemClock } from '../src/time-and-chance.ts'
import { appId, appSecret, webhookPath } from './payloads.ts'

export interface ServerOptions {
  /** `gateway`: as production runs it. `one-row`: a commit per request. `bare`: the signature and no database. */
  kind: 'gateway' | 'one-row' | 'bare'
  databaseUrl: string
  roles?: string
  poolSize?: number
}

export type Command = { id: number } & (
  | { do: 'start'; options: ServerOptions }
  | { do: 'cpu' }
  | { do: 'drain' }
  | { do: 'stop' }
)

interface Running {
  url: string
  drain?: () => Promise<number>
  stop(): Promise<unknown>
}

const received = { received: true }
let running: Running | undefined

process.on('message', (command: Command) => {
  perform(command).then(
    (value) => answer({ id: command.id, value }, command.do === 'stop'),
    (error) => answer({ id: command.id, error: String((error as Error).stack) }, false),
  )
})
// Whoever started us is gone.
process.on('disconnect', () => process.exit(0))
// Ctrl-C is for whoever started us, who stops us in order.
process.on('SIGINT', () => undefined)

function answer(message: unknown, isLast: boolean): void {
  process.send?.(message, () => isLast && process.exit(0))
}

async function perform(command: Command): Promise<unknown> {
  switch (command.do) {
    case 'start':
      running = await start(command.options)
      return running.url
    case 'cpu': {
      const { user, system } = process.cpuUsage()
      return user + system
    }
    case 'drain':
      return running?.drain?.()
    case 'stop':
      return running?.stop()
  }
}

function start(options: ServerOptions): Promise<Running> {
  switch (options.kind) {
    case 'gateway':
      return startOurs(options)
    case 'one-row':
      return startOneRow(options)
    case 'bare':
      return serve((app) => app.post(webhookPath, async () => received))
  }
}

/** The same composition as `estafet start`, logging to standard output, which the parent sends to a file. */
async function startOurs({ databaseUrl, roles }: ServerOptions): Promise<Running> {
  const config = readConfig(
    {
      DATABASE_URL: databaseUrl,
      ROLES: roles ?? 'api',
      PORT: '0',
      HOST: '127.0.0.1',
      META_APP_ID: appId,
      META_APP_SECRET: appSecret,
      META_VERIFY_TOKEN: 'bench-verify-token',
      ADMIN_API_KEY: 'bench:operator-key-of-the-bench-0001',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    },
    { mode: 'start' },
  )
  const runtime = createRuntime({ config, databaseUrl })
  const gateway = await startGateway(runtime)
  const inbox = createInboxQueue({ ...inboxDefaults, ...runtime, db: runtime.db.work })
  return {
    url: gateway.url,
    // Two at a time, as a worker does.
    drain: async () => {
      const [first, second] = await Promise.all([drain(inbox), drain(inbox)])
      return first + second
    },
    stop: gateway.stop,
  }
}

/** What one writes first: each request inserts its row, the same row as ours, and answers after its commit. */
async function startOneRow({ databaseUrl, poolSize = 10 }: ServerOptions): Promise<Running> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize })
  const text = `
    insert into whatsapp_webhook_events
      (id, received_at, next_run_at, raw, payload, app_id, inbound_event_id, correlation_id, phone_number_id,
       body_sha256, single_item_of)
    values ($1, $2, now(), $3, convert_from($3, 'UTF8')::jsonb, $4, $5, $6, $7, $8, $9)
    on conflict do nothing`
  const running = await serve((app) =>
    app.post(webhookPath, async (request) => {
      const raw = request.body as Buffer
      const { inboundEventId, phoneNumberId, singleItemOf } = describeDelivery(raw)
      const sha256 = singleItemOf ? null : createHash('sha256').update(raw).digest()
      const names = [appId, inboundEventId, randomUUID(), phoneNumberId, sha256, singleItemOf]
      await pool.query({
        name: 'insert',
        text,
        values: [randomUUID(), systemClock.now(), raw, ...names],
      })
      return received
    }),
  )
  return { url: running.url, stop: () => running.stop().then(() => pool.end()) }
}

async function serve(mount: (app: FastifyInstance) => void): Promise<Running> {
  const app = Fastify({ logger: false, return503OnClosing: false })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('preHandler', async (request) => {
    const header = request.headers['x-hub-signature-256']
    if (!isSigned(request.body as Buffer, String(header), [appSecret])) throw new Error('unsigned')
  })
  mount(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => app.close() }
}
