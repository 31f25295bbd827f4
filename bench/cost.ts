// `bench cost`: what one message costs in things that are counted, not timed: commits and log of Postgres, tasks of Cloud
// Tasks. Counts of single messages do not depend on the machine. docs/deployment.md quotes them.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
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
import { type CostCell, type CostReport, type Counts, summarizeCost } from './cost-report.ts'
import { describeMachine, pause, round } from './measure.ts'
import { postgresSettings, startBenchPostgres } from './postgres.ts'

export interface CostOptions {
  rounds: number
  /** Of each kind, one after the other and then at once. */
  messages: number
  /** How long what a gateway does by itself is counted. */
  idleSeconds: number
  say: (line: string) => void
}

const notes = [
  'alone: each message when the one before was done. together: all at once, which share transactions. What the gateway does by itself meanwhile is taken off, as it was counted just before.',
  'Transactions are those that write, those of Postgres’ own upkeep among them. Meta is simulated and reports no statuses: each status is one more received webhook. The tenant may have 20 in flight: of many at once most wait, and how many share a transaction, or need a second task, is a matter of speed.',
]

const dispatches = ['postgres', 'cloud-tasks'] as const
const forms = ['alone', 'together'] as const
const number = {
  waba_id: '2001',
  phone_number_id: '1001',
  display_phone_number: '+1 555-0100',
  access_token: 'token-1001',
}
const random = systemRandom(clock)
const queue = (kind: string) => `projects/sample/locations/nowhere/queues/${kind}`

type Dispatch = (typeof dispatches)[number]
type Place = Awaited<ReturnType<typeof openPlace>>

/** A gateway with a simulated Meta that reports no statuses by itself. */
async function openPlace(dispatch: Dispatch, url: string, db: Db) {
  const appSecret = randomBytes(16).toString('hex')
  const port = await freePort()
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

/** Cloud Tasks has to be told where the gateway will be before it is there. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

/** Waits until so many rows are as they should be. */
async function until(db: Db, what: string, wanted: number): Promise<void> {
  for (const deadline = performance.now() + 120_000; performance.now() < deadline; ) {
    const [row] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_messages where status = ${what}`)
    if ((row?.count ?? 0) >= wanted) return
    await pause(5)
  }
  throw new Error(`waited in vain for ${wanted} messages that are ${what}`)
}

const customer = (index: number) => String(16_505_550_000 + index)

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
async function idleRate(place: Place, seconds: number): Promise<Counts> {
  const ms = seconds * 1000
  // What the last messages left to do is not idleness.
  await pause(Math.min(2_000, ms))
  const before = await place.count()
  await pause(ms)
  const after = await place.count()
  return countsOf((name) => (after[name] - before[name]) / ms)
}

function countsOf(figure: (name: keyof Counts) => number): Counts {
  return { commits: figure('commits'), walBytes: figure('walBytes'), tasks: figure('tasks') }
}

type Kind = keyof typeof kinds
type Form = (typeof forms)[number]

/** Of one kind in one form; `first` is how many of the kind there are already. */
async function measure(
  place: Place,
  { messages, idleSeconds }: CostOptions,
  [kind, form]: [Kind, Form],
  first: number,
): Promise<Counts> {
  const isAlone = form === 'alone'
  const idle = await idleRate(place, idleSeconds)
  const one = kinds[kind](place, isAlone)
  const indexes = Array.from({ length: messages }, (_, index) => first + index)
  const before = await place.count()
  const began = performance.now()
  if (isAlone) for (const index of indexes) await one(index)
  else await Promise.all(indexes.map(one))
  await until(place.db, kind, first + messages)
  const after = await place.count()
  const ms = performance.now() - began
  return countsOf((name) =>
    Math.max(
      0,
      round((after[name] - before[name] - idle[name] * ms) / messages, name === 'walBytes' ? 0 : 2),
    ),
  )
}

/** Lines of a run: those of the idle gateway, and those of every kind in every form. */
export function costSteps({ rounds }: CostOptions): number {
  return dispatches.length * rounds * (1 + Object.keys(kinds).length * forms.length)
}

async function measureDispatch(
  place: Place,
  dispatch: Dispatch,
  options: CostOptions,
): Promise<CostCell[]> {
  const cells: CostCell[] = []
  const keep = (cell: CostCell) => {
    cells.push(cell)
    options.say(
      `round ${cell.round}  ${dispatch}  ${cell.kind} ${cell.form}: ${cell.commits} commits, ${cell.walBytes} bytes of log, ${cell.tasks} tasks`,
    )
  }
  const kindNames = Object.keys(kinds) as Kind[]
  // Statements are planned, connections opened: this pass is not counted.
  for (const kind of kindNames) await measure(place, options, [kind, 'together'], 0)
  let done = options.messages
  for (let roundNumber = 1; roundNumber <= options.rounds; roundNumber++) {
    const idle = await idleRate(place, options.idleSeconds)
    const perMinute = countsOf((name) => round(idle[name] * 60_000))
    keep({ round: roundNumber, dispatch, kind: 'idle', form: 'a minute', ...perMinute })
    for (const form of forms) {
      for (const kind of kindNames) {
        const counts = await measure(place, options, [kind, form], done)
        keep({ round: roundNumber, dispatch, kind, form, ...counts })
      }
      done += options.messages
    }
  }
  return cells
}

export async function benchCost(
  options: CostOptions,
  startPostgres = startBenchPostgres,
): Promise<CostReport> {
  const { say: _, ...settings } = options
  const postgres = await startPostgres()
  try {
    const cells: CostCell[] = []
    for (const dispatch of dispatches) {
      const { url, db } = await postgres.createDatabase(`cost_${dispatch.replace('-', '_')}`)
      const place = await openPlace(dispatch, url, db)
      try {
        cells.push(...(await measureDispatch(place, dispatch, options)))
      } finally {
        await place.close()
      }
    }
    return summarizeCost({
      machine: describeMachine(postgres.version),
      settings: { ...settings, postgres: postgresSettings },
      cells,
      notes,
    })
  } finally {
    await postgres.stop()
  }
}
