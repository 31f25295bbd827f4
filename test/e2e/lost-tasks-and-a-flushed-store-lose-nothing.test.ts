// Past one machine, at its worst: Cloud Tasks loses a tenth of the tasks and delivers a tenth twice, Redis forgets
// everything, the gateway is killed, all under load. Meta's own ledger and the database are the judges.
// A larger run: CHAOS_MESSAGES=5000 npx vitest run test/e2e/lost-tasks-and-a-flushed-store-lose-nothing.test.ts
import { beforeAll, describe, expect, test } from 'vitest'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { seededRandom } from '../../simulator/time-and-chance.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { afterFile } from '../support/after-file.ts'
import { seed } from '../support/chance.ts'
import { loseRings, startTasks, type Tasks, taskToken } from '../support/cloud-tasks.ts'
import { createTestDb } from '../support/database.ts'
import { type Store, startStore } from '../support/engines.ts'
import { testSecrets } from '../support/gateway.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../support/program.ts'
import { keepInboxSteady, makeDue } from '../support/queue.ts'
import { redisHint, redisRuns } from '../support/redis.ts'
import { registerNumber, template } from '../support/sending.ts'

// biome-ignore lint/style/noProcessEnv: a person makes a larger run with it.
const count = Number(process.env.CHAOS_MESSAGES ?? 120)
const kills = Math.max(1, Math.round(count / 1000))
const patienceMs = 180_000 + count * 60
/** A number sends 80 a second. */
const firmCount = Math.max(4, Math.ceil(count / 500))
const peoplePerFirm = 20

interface ChaosFirm {
  key: string
  phoneNumberId: string
}

let simulator: Simulator
let tasks: Tasks
let store: Store
let db: Db
let databaseUrl: string
let gateway: GatewayProgram
const firms: ChaosFirm[] = []
/** What customers wrote, and what applications were told is queued. */
const written = new Set<string>()
const accepted = new Set<string>()

const start = () =>
  startGatewayProgram({
    // Google's side is on this machine, and plain.
    ESTAFET_ENV: 'development',
    METADATA_SERVER_DETECTION: 'none',
    DATABASE_URL: databaseUrl,
    META_GRAPH_URL: simulator.url,
    ROLES: 'api',
    MAX_CONCURRENCY_PER_TENANT: '8',
    API_RATE_LIMIT_PER_SECOND: '100000',
    CIRCUIT_MIN_CALLS: '100000',
    TASK_PATIENCE_SECONDS: '5',
    ...store.environment,
    ...tasks.environment,
  })

async function setUp(): Promise<void> {
  ;({ url: databaseUrl, db } = await createTestDb())
  simulator = await startSimulator({
    appSecret: testSecrets.META_APP_SECRET,
    statusDelaysMs: 0,
    retryDelaysMs: Array(120).fill(500),
    serviceWindow: 'open',
    batchWindowMs: 10,
    ledgerCapacity: count * 40,
  })
  afterFile(() => simulator.close())
  store = await startStore('redis')
  tasks = await startTasks({ cloudTasks: { random: seededRandom(`tasks ${seed}`) } })
  gateway = await start()
  tasks.door.lead(gateway.url)
  simulator.setWebhook({ url: `${tasks.door.url}/api/webhooks/meta/whatsapp` })
  for (let index = 0; index < firmCount; index++) {
    const number = { waba_id: `waba-${index}`, phone_number_id: `99${index}` }
    const { key } = await gateway.createTenant(`Firm ${index}`, number)
    const { waba_id: wabaId, phone_number_id: phoneNumberId } = number
    registerNumber(simulator, { wabaId, phoneNumberId, accessToken: 'a-token' })
    firms.push({ key, phoneNumberId })
  }
  tasks.cloudTasks.fault({ fault: 'drop', probability: 0.1 })
  tasks.cloudTasks.fault({ fault: 'duplicate', probability: 0.05 })
  tasks.cloudTasks.fault({ fault: 'duplicate', probability: 0.05, gap: 50 })
}

const firmOf = (index: number) => firms[index % firms.length] as ChaosFirm
const personOf = (index: number) =>
  String(16505550000 + (Math.floor(index / firms.length) % peoplePerFirm))

/** An application that does not give up: the same order until it is told that it is queued. */
async function sendOrder(index: number): Promise<void> {
  const { key, phoneNumberId } = firmOf(index)
  const order = `order ${index}`
  const parameters = ['Mara', order].map((text) => ({ type: 'text', text }))
  const body = JSON.stringify({
    phone_number_id: phoneNumberId,
    to: personOf(index),
    type: 'template',
    template: { ...template, components: [{ type: 'body', parameters }] },
  })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': order,
  }
  await until(
    `${order} is accepted`,
    async () => {
      const answer = await fetch(`${tasks.door.url}/api/whatsapp/meta/send`, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(20_000),
      }).catch(() => undefined)
      const text = await answer?.text().catch(() => undefined)
      if (answer && answer.status < 500 && answer.status !== 202) throw new Error(text)
      return answer?.status === 202 && text !== undefined
    },
    patienceMs,
  )
  accepted.add(order)
}

async function writeAndSend(): Promise<void> {
  let next = 0
  const takeTurns = async () => {
    for (let index = next++; index < count; index = next++) {
      const { phoneNumberId: phone_number_id } = firmOf(index)
      const text = `message ${index}`
      written.add(
        simulator.customerWrites(personOf(index), { phone_number_id, type: 'text', text }),
      )
      await sendOrder(index)
    }
  }
  await Promise.all(Array.from({ length: 12 }, takeTurns))
}

/** At equal distances, while the load goes on: everything is forgotten, and the gateway is killed. */
async function misbehave(): Promise<void> {
  for (let kill = 1; kill <= kills; kill++) {
    const goal = Math.floor((count * kill) / (kills + 1))
    await until('more is accepted', () => accepted.size >= goal, patienceMs)
    await store.flush()
    await gateway.end('SIGKILL')
    tasks.door.lead(undefined)
    // Nobody else lives: time passes for the leases of the dead.
    await db.query(sql`update send_workers set alive_until = now() - interval '1 s'`)
    await db.query(sql`
      update whatsapp_webhook_events set next_run_at = now() where status = 'processing'`)
    gateway = await start()
    tasks.door.lead(gateway.url)
    await store.flush()
  }
}

/** Cloud Scheduler's part. It does not mind when nobody is there. */
const sweep = () =>
  fetch(`${tasks.door.url}/internal/sweep`, {
    method: 'POST',
    headers: { 'x-internal-token': taskToken },
  })
    .then((answer) => answer.text())
    .catch(() => undefined)

const countOf = async (query: Promise<{ count: number }[]>) => (await query)[0]?.count ?? 0
const waitingEvents = () =>
  countOf(
    db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_webhook_events where status in ('pending', 'processing')`),
  )
const waitingSends = () =>
  countOf(
    db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_send_outbox where status in ('pending', 'running')`),
  )

const isHeard = async () => {
  await loseRings(db)
  await sweep()
  await tasks.cloudTasks.idle()
  await simulator.settled()
  return (await waitingEvents()) === 0
}

/** What waits for evidence waits until all of Meta's reports are in, and then no longer. */
async function finish(): Promise<void> {
  await until('everything is heard', isHeard, patienceMs)
  await until(
    'everything is sent',
    async () => {
      await keepInboxSteady(db)
      await makeDue(db)
      tasks.cloudTasks.runNow()
      return (await isHeard()) && (await waitingSends()) === 0
    },
    patienceMs,
  )
  await until('every report is heard', isHeard, patienceMs)
}

const runs = redisRuns()
describe.skipIf(!runs)(
  runs
    ? 'lost and doubled tasks, a flushed store, a killed gateway'
    : `chaos (skipped: ${redisHint})`,
  () => {
    beforeAll(setUp)

    test(
      `${count} in and ${count} out: each processed once, each sent once (SEED=${seed})`,
      async () => {
        const scheduler = setInterval(() => void sweep(), 2_000)
        await Promise.all([writeAndSend(), misbehave()])
        clearInterval(scheduler)
        await finish()

        const messages = await db.query(sql<{ direction: string; status: string; wamid: string }>`
          select direction, status, wamid from whatsapp_messages`)
        const [inbound, outbound] = ['inbound', 'outbound'].map((wanted) =>
          messages.filter(({ direction }) => direction === wanted),
        )
        expect(inbound?.map(({ wamid }) => wamid).sort()).toEqual([...written].sort())
        const states = await db.query(sql<{ status: string; count: number }>`
          select status, count(*)::int as count from whatsapp_send_outbox group by status`)
        expect(states).toEqual([{ status: 'done', count }])
        expect(new Set(outbound?.map(({ status }) => status))).toEqual(new Set(['read']))
        expect(await db.query(sql`select kind, error_code from dead_letters`)).toEqual([])

        const { sends } = simulator.ledger()
        const orders = sends.map(({ request }) => orderIn(request))
        expect(orders.filter((order, index) => orders.indexOf(order) !== index)).toEqual([])
        expect(new Set(orders)).toEqual(accepted)
        expect(outbound?.map(({ wamid }) => wamid).sort()).toEqual(
          sends.map(({ wamid }) => wamid).sort(),
        )

        // Proof that it was no calm day.
        const struck = tasks.cloudTasks.faults().map((fault) => fault.struck)
        expect(Math.min(...struck)).toBeGreaterThan(0)
      },
      patienceMs * 4,
    )
  },
)

const orderIn = (request: unknown): string =>
  (request as { template: typeof template }).template.components[0]?.parameters[1]?.text ?? ''
