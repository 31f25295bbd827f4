// What one message costs in things that are counted, not timed: commits and log of Postgres, tasks of Cloud Tasks. Counts do
// not depend on the machine. `node --import tsx bench/cost.ts` writes bench/results/cost.json; docs/deployment.md quotes it.
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { openCloudTasks } from '../simulator/cloud-tasks/server.ts'
import { startSimulator } from '../simulator/server.ts'
import { connectAccount } from '../src/accounts/connect.ts'
import { readConfig } from '../src/config.ts'
import { type Db, sql } from '../src/db/connect.ts'
import { startGateway } from '../src/gateway.ts'
import { createLog } from '../src/log.ts'
import { releaseAccount } from '../src/outbox/release.ts'
import { createRuntime } from '../src/runtime.ts'
import { createTenant } from '../src/tenants/create.ts'
import { createApiKey } from '../src/tenants/keys.ts'
import { systemClock as clock, systemRandom } from '../src/time-and-chance.ts'
import { describeMachine } from './measure.ts'
import { startBenchPostgres } from './postgres.ts'

const messages = 100
const number = {
  waba_id: '2001',
  phone_number_id: '1001',
  display_phone_number: '+1 555-0100',
  access_token: 'token-1001',
}
const random = systemRandom(clock)
/** Cloud Tasks has to be told where the gateway will be. */
const port = 18_480
const queue = (kind: string) => `projects/sample/locations/nowhere/queues/${kind}`

type Dispatch = 'postgres' | 'cloud-tasks'
type Place = Awaited<ReturnType<typeof openPlace>>

/** A gateway with a simulated Meta that reports no statuses by itself. */
async function openPlace(dispatch: Dispatch, url: string, db: Db) {
  const appSecret = randomBytes(16).toString('hex')
  const simulator = await startSimulator({ port: 0, appSecret, appId: '99', clock, random })
  const tasks = await openCloudTasks()
  for (const kind of ['inbound', 'outbound']) tasks.setQueue(queue(kind))
  const environment = {
    META_APP_ID: '99',
    META_APP_SECRET: appSecret,
    META_VERIFY_TOKEN: 'verify-token-of-the-bench',
    ADMIN_API_KEY: `bench:${randomBytes(24).toString('hex')}`,
    ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
    META_GRAPH_URL: simulator.url,
    DISPATCH: dispatch,
    GCP_PROJECT: 'sample',
    GCP_LOCATION: 'nowhere',
    INBOUND_TASK_QUEUE_NAME: 'inbound',
    OUTBOUND_TASK_QUEUE_NAME: 'outbound',
    INTERNAL_TASK_BASE_URL: `http://127.0.0.1:${port}`,
    INTERNAL_TASK_TOKEN: 'task-token-of-the-bench',
    CLOUD_TASKS_ENDPOINT: tasks.endpoint,
    PORT: String(port),
    MAX_CONCURRENCY_PER_TENANT: '20',
  }
  const config = readConfig(environment, { mode: 'dev' })
  const log = createLog({
    level: 'silent',
    hashKey: randomBytes(32),
    clock,
    destination: { write: () => undefined },
  })
  const runtime = createRuntime({ config, databaseUrl: url, clock, random, log })
  const gateway = await startGateway(runtime)
  const by = { ...runtime, actor: 'bench', appId: '99' }
  const { id } = await createTenant(runtime.db.api, { name: 'Bench', slug: 'bench' }, by)
  await connectAccount(runtime.db.api, id, number, { ...by, onConnected: releaseAccount })
  const { key } = await runtime.db.api.transaction((tx) => createApiKey(tx, id, 'bench', by))
  simulator.registerNumber(number)
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
  simulator.setFault({ fault: 'skip_status', statuses: ['sent', 'delivered', 'read'] })
  const countTasks = async () => {
    const { values } = await runtime.metrics.tasksMade.get()
    return values.reduce((sum, { value }) => sum + value, 0)
  }
  return {
    simulator,
    url: gateway.url,
    key,
    db,
    async count() {
      const [row] = await db.query(sql<{ commits: number; wal: number }>`
        select pg_snapshot_xmax(pg_current_snapshot())::text::float8 as commits,
          pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal`)
      return { commits: row?.commits ?? 0, walBytes: row?.wal ?? 0, tasks: await countTasks() }
    },
    async close() {
      await gateway.stop()
      await tasks.stop()
      await simulator.close()
    },
  }
}

/** Waits until so many rows are as they should be. */
async function until(db: Db, what: string, wanted: number): Promise<void> {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; ) {
    const [row] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_messages where status = ${what}`)
    if ((row?.count ?? 0) >= wanted) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new Error(`waited in vain for ${wanted} messages that are ${what}`)
}

const customer = (index: number) => String(16_505_550_000 + index)

/** One after the other, each when the one before is done; or all at once. */
async function each(isAlone: boolean, first: number, work: (index: number) => Promise<void>) {
  const indexes = Array.from({ length: messages }, (_, index) => first + index)
  if (!isAlone) return void (await Promise.all(indexes.map(work)))
  for (const index of indexes) await work(index)
}

const kinds = {
  received:
    ({ simulator, db }: Place, isAlone: boolean) =>
    async (index: number) => {
      const text = { body: 'Good morning, is my appointment still at ten?' }
      simulator.customerWrites(customer(index), { ...number, type: 'text', text })
      if (isAlone) await until(db, 'received', index + 1)
    },
  sent:
    ({ url, key, db }: Place, isAlone: boolean) =>
    async (index: number) => {
      const answer = await fetch(`${url}/api/whatsapp/meta/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ to: customer(index), text: { body: 'Yes, it is. See you then.' } }),
      })
      if (answer.status !== 202) throw new Error(await answer.text())
      if (isAlone) await until(db, 'sent', index + 1)
    },
} as const

/** What a gateway does by itself, a millisecond: heartbeats, and looking at queues. It is no message's cost. */
async function idleRate(place: Place) {
  const ms = 5_000
  const before = await place.count()
  await new Promise((resolve) => setTimeout(resolve, ms))
  const after = await place.count()
  const of = (name: 'commits' | 'walBytes' | 'tasks') => (after[name] - before[name]) / ms
  return { commits: of('commits'), walBytes: of('walBytes'), tasks: of('tasks') }
}

async function measure(place: Place) {
  const figures: Record<string, unknown>[] = []
  const { commits, walBytes } = await idleRate(place)
  const perMinute = {
    commits: Math.round(commits * 60_000),
    walBytes: Math.round(walBytes * 60_000),
  }
  figures.push({ kind: 'idle', form: 'a minute', ...perMinute, tasks: 0 })
  for (const [kind, prepare] of Object.entries(kinds)) {
    for (const [round, form] of ['warm-up', 'alone', 'together'].entries()) {
      const isAlone = form === 'alone'
      const idle = await idleRate(place)
      const before = await place.count()
      const began = performance.now()
      await each(isAlone, round * messages, prepare(place, isAlone))
      await until(place.db, kind, (round + 1) * messages)
      const after = await place.count()
      const ms = performance.now() - began
      if (form === 'warm-up') continue
      const per = (name: 'commits' | 'walBytes' | 'tasks') =>
        Math.max(
          0,
          Math.round(((after[name] - before[name] - idle[name] * ms) / messages) * 10) / 10,
        )
      figures.push({
        kind,
        form,
        commits: per('commits'),
        walBytes: Math.round(per('walBytes')),
        tasks: per('tasks'),
      })
    }
  }
  return figures
}

const postgres = await startBenchPostgres()
try {
  const summary: Record<string, unknown>[] = []
  for (const dispatch of ['postgres', 'cloud-tasks'] as const) {
    const { url, db } = await postgres.createDatabase(`cost_${dispatch.replace('-', '_')}`)
    const place = await openPlace(dispatch, url, db)
    for (const figures of await measure(place)) summary.push({ dispatch, ...figures })
    await place.close()
  }
  const machine = describeMachine(postgres.version)
  const result = { bench: 'cost', machine, settings: { messages }, summary }
  writeFileSync(
    new URL('results/cost.json', import.meta.url),
    `${JSON.stringify(result, null, 2)}\n`,
  )
  console.table(summary)
} finally {
  await postgres.stop()
}
process.exit()
