// Everything around the gateway of one scenario: its database, a Meta, an application, somebody who is alarmed, and a client
// who does not give up. What became of it all is looked at from here.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, DatabaseUnavailable, type Db, sql } from '../../src/db/connect.ts'
import { testPatience } from '../../test/support/database.ts'
import { type EventReceiver, startEventReceiver } from '../../test/support/event-receiver.ts'
import { startFrontDoor } from '../../test/support/front-door.ts'
import { type GatewayProgram, startGatewayProgram, until } from '../../test/support/program.ts'
import { letTimePass } from '../../test/support/queue.ts'
import { type QuietSimulator, startQuietSimulator } from '../../test/support/sending.ts'
import { checkEverything } from '../checks/check.ts'
import { gatherEvidence } from '../checks/evidence.ts'
import { type Client, createClient, eventually, patienceMs } from './client.ts'
import { setUpMeta } from './load.ts'
import { laterKeys, number } from './stage.ts'

export type Living = Pick<GatewayProgram, 'pid' | 'exited' | 'end' | 'logged'> & {
  url: string | undefined
}

export interface World {
  /** Where callers reach whoever is there. */
  doorUrl: string
  db: Db
  simulator: QuietSimulator
  client: Client
  /** From now on this one is at the door, unless it is a worker. */
  start(environment?: Record<string, string>): Promise<Living>
  /** Whom callers reach from now on. */
  lead(to: string | undefined): void
  /** A process is dead, or is to be taken for dead: time passes for what it has in its hands. */
  expire(): Promise<void>
  /** Resolves when the old key is not needed any more. */
  settledIn(): Promise<unknown>
  /** Time passes for what waits to be tried again, and for claims that nobody knows of any more. */
  relent(): Promise<void>
  /** Resolves when nothing is left to do. */
  quiet(): Promise<void>
  check(): Promise<string[]>
  passed(): Promise<string[]>
}

export interface WorldOptions {
  databaseUrl: string
  dataDir: string
  key: string
  program: string
  /** Where processes find the database, if not where it is. */
  seenDatabaseUrl?: string
}

export async function createWorld(options: WorldOptions): Promise<World> {
  const { databaseUrl, dataDir, key, program } = options
  const db = patient(connect({ url: databaseUrl, name: 'test', poolSize: 4, ...testPatience }))
  const simulator = await startQuietSimulator()
  setUpMeta(simulator)
  const door = await startFrontDoor()
  simulator.setWebhook({
    url: `${door.url}/api/webhooks/meta/whatsapp`,
    retry_delays: Array.from({ length: 600 }, () => 200),
  })
  const app = await startEventReceiver()
  const alarm = await startEventReceiver()
  await db.query(sql`update event_endpoints set url = ${app.url}`)
  const client = createClient({ url: door.url, key, number })
  const crashLog = join(dataDir, 'crash.log')
  const environment = {
    DATABASE_URL: options.seenDatabaseUrl ?? databaseUrl,
    DATA_DIR: dataDir,
    META_GRAPH_URL: simulator.url,
    ENCRYPTION_KEYS: laterKeys,
    ALLOW_PRIVATE_TARGETS: '1',
    SLACK_WEBHOOK_URL: alarm.url,
    DLQ_ALERT_THRESHOLD: '0',
    RECONCILE_SECONDS: '5',
    CIRCUIT_MIN_CALLS: '100000',
    CRASH_LOG: crashLog,
  }
  const dead: string[] = []
  return {
    db,
    simulator,
    client,
    doorUrl: door.url,
    lead: door.lead,
    async start(more = {}) {
      const gateway = await startOrDie({ ...environment, ...more }, program)
      if (more.ROLES !== 'worker') door.lead(gateway.url)
      return gateway
    },
    async expire() {
      dead.push(...(await expire(db)))
    },
    settledIn: () =>
      eventually('all is sealed anew', async () => (await waiting(db)).secrets === 0),
    relent: () => relent(db),
    quiet: () => quiet(db, simulator, dead),
    check: () => check({ db, simulator, client, app, alarm, dataDir }),
    passed: async () => {
      const lines = (await readFile(crashLog, 'utf8').catch(() => '')).split('\n')
      return [...new Set(lines.flatMap((line) => /^passed (\S+)$/.exec(line)?.[1] ?? []))]
    },
  }
}

/** Looks again while the database is away. */
function patient(db: Db): Db {
  const patiently = async <T>(ask: () => Promise<T>): Promise<T> => {
    const seen = await until('the database answers', async () => {
      try {
        return { value: await ask() }
      } catch (error) {
        if (error instanceof DatabaseUnavailable) return undefined
        throw error
      }
    })
    return seen.value
  }
  return {
    ...db,
    query: (statement) => patiently(() => db.query(statement)),
    session: (work) => patiently(() => db.session(work)),
    transaction: (work) => patiently(() => db.transaction(work)),
  }
}

/** What was claimed in a commit whose answer got lost comes due again when its lease is over, minutes later. */
async function relent(db: Db): Promise<void> {
  await db.query(sql`update whatsapp_media set next_run_at = now() where next_run_at > now()`)
  await db.query(
    sql`update alert_notifications set claimed_until = null, next_run_at = now() where status = 'waiting'`,
  )
  await db.query(sql`update alert_evaluator set leased_until = now(), evaluated_at = '-infinity'`)
}

/** Everything but the leases on sends, for which it must first be heard what Meta has to say: the ids of those. */
async function expire(db: Db): Promise<string[]> {
  await relent(db)
  await db.query(
    sql`update whatsapp_webhook_events set next_run_at = now() where status = 'processing'`,
  )
  return (await db.query(sql<{ id: string }>`select id from send_workers`)).map(({ id }) => id)
}

/** What Meta has to say is heard first: only then can nobody say of what a dead process had posted that nothing tells of it. */
async function quiet(db: Db, simulator: QuietSimulator, dead: string[]): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    await simulator.settled()
    const before = await waiting(db)
    if (before.webhooks === 0) {
      await db.query(sql`
        update send_workers set alive_until = now() - interval '1 s'
        where id = any(${dead}::bigint[]) and alive_until > now()`)
      const left = await waiting(db)
      if (Object.values(left).every((count) => count === 0)) return
      if (left.sends) await letTimePass(db, 10)
    }
    if (performance.now() > deadline) throw new Error(`not at its end: ${JSON.stringify(before)}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** How much of everything is not at its end. */
async function waiting(db: Db): Promise<Record<string, number>> {
  const [row] = await db.query(sql<Record<string, number>>`
    select
      (select count(*)::int from whatsapp_webhook_events where status in ('pending', 'processing')) as webhooks,
      (select count(*)::int from whatsapp_send_outbox where status in ('pending', 'running')) as sends,
      (select count(*)::int from events where position is null) as events,
      (select count(*)::int from event_deliveries where status in ('pending', 'running')) as deliveries,
      (select count(*)::int from whatsapp_media where state = 'pending') as files,
      (select count(*)::int from alert_notifications where status = 'waiting') as notifications,
      (select count(*)::int from alert_evaluator where evaluated_at = '-infinity') as evaluations,
      (select count(*)::int from whatsapp_accounts where access_token not like 'v1.k2.%') as secrets`)
  return row ?? {}
}

interface Ended {
  db: Db
  simulator: QuietSimulator
  client: Client
  app: EventReceiver
  alarm: EventReceiver
  dataDir: string
}

async function check({ db, simulator, client, app, alarm, dataDir }: Ended): Promise<string[]> {
  client.log.events.push(...app.calls.map(({ headers }) => ({ id: String(headers['webhook-id']) })))
  const evidence = await gatherEvidence(db, { ledger: simulator.ledger(), client: client.log })
  const violations = [...checkEverything(evidence), ...(await checkFiles(db, dataDir))]
  const accounts = await db.query(sql<{ phone_number_id: string }>`
    select phone_number_id from whatsapp_accounts where auth_status = 'ok' order by phone_number_id`)
  if (accounts.length !== 2) violations.push(`sign-up: ${accounts.length} accounts instead of 2`)
  if (alarm.calls.length === 0) violations.push('alerts: nobody was told of the dead letters')
  await db.close()
  return violations
}

/** Every file that is called stored is there, whole; and none is there that no row knows. */
async function checkFiles(db: Db, dataDir: string): Promise<string[]> {
  const rows = await db.query(sql<{ key: string; state: string; sha256: Buffer | null }>`
    select tenant_id || '/' || id as key, state, sha256 from whatsapp_media`)
  const folder = join(dataDir, 'media')
  const names = await readdir(folder, { recursive: true })
  const files = names.filter((name) => /^[0-9a-f-]{36}.[0-9a-f-]{36}$/.test(name))
  const known = new Set(rows.map(({ key }) => key))
  const violations = files
    .filter((name) => !known.has(name))
    .map((name) => `files: no row knows ${name}`)
  for (const { key, state, sha256 } of rows) {
    if (state !== 'stored') continue
    const bytes = await readFile(join(folder, key)).catch(() => Buffer.alloc(0))
    const hash = createHash('sha256').update(bytes).digest()
    if (!sha256?.equals(hash)) violations.push(`files: ${key} is called stored and is not`)
  }
  return violations
}

/** One that dies before it listens is dead all the same. */
async function startOrDie(environment: Record<string, string>, program: string): Promise<Living> {
  try {
    return await startGatewayProgram(environment, program)
  } catch (error) {
    if (!(error as Error).message.includes('ended (null)')) throw error
    const exit = Promise.resolve({ code: null, signal: 'SIGKILL' as const })
    return { url: undefined, pid: 0, exited: exit, end: () => exit, logged: () => [] }
  }
}
