// Everything that a run needs: a Postgres behind a shaky network, a Meta, gateways and workers, and firms that use them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { seededRandom } from '../../simulator/time-and-chance.ts'
import { sql } from '../../src/db/connect.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { type Canary, canary } from '../../test/support/canaries.ts'
import { operatorKey, testSecrets } from '../../test/support/gateway.ts'
import { startGatewayProgram } from '../../test/support/program.ts'
import { seeded } from '../../test/support/seeded.ts'
import type { Span } from '../checks/span.ts'
import type { Edit } from '../tree.ts'
import { type Client, createClient } from './client.ts'
import { startDoor } from './door.ts'
import { type ShakyPostgres, startShakyPostgres } from './postgres.ts'
import { type Member, startMember } from './processes.ts'
import { type ShakyNetwork, startShakyNetwork } from './proxy.ts'
import { type EventsReceiver, startEventsReceiver } from './receiver.ts'

export interface Line {
  phoneNumberId: string
  accountId: string
  /** What it may send. */
  perSecond: number
}

/** A tenant: its numbers, and who writes to it. */
export interface Firm {
  index: number
  tenantId: string
  key: string
  wabaId: string
  accessToken: string
  lines: Line[]
  customers: string[]
  /** Whether what customers write is answered with the same text, without anybody's doing. */
  isEchoing: boolean
}

export interface Place {
  folder: string
  postgres: ShakyPostgres
  network: ShakyNetwork
  simulator: Simulator
  members: Member[]
  receiver: EventsReceiver
  client: Client
  firms: Firm[]
  /** What no process may say, and what of that not even the database may hold openly. */
  canaries: Canary[]
  secrets: Canary[]
  terms: Terms
  /** When this process, and so its Meta, stood still. */
  stalls: Span[]
}

/** What the processes are told, as far as a check needs it. */
export interface Terms {
  reconcileSeconds: number
  cap: number
}

export interface PlaceOptions {
  seed: number
  program: string
  workers: number
  customersPerFirm: number
  reconcileSeconds: number
}

/** Messages a second: Meta's usual limit, and one that a run of a few messages a second reaches. */
const usualPace = 80
const slowPace = 3

/** Numbers that are on somebody's phone besides are the slow ones: here they are slower than that. */
export const slowNumbers: Edit = {
  ...{ file: 'src/outbox/throughput.ts', find: 'coexistence: 20' },
  replace: `coexistence: ${slowPace}`,
}

const gateways = 2
const firmCount = 4
/** Of what Meta does when nobody disturbs it. */
const statusDelaysMs = { sent: 40, delivered: 250, read: 600 }
/** Sooner than Meta does, and without end: a run waits for the last of them. */
const retryDelaysMs = [200, 400, 800, ...Array.from({ length: 5_000 }, () => 1_500)]

export async function makePlace(options: PlaceOptions): Promise<Place> {
  const { seed, reconcileSeconds } = options
  const stalls = watchStalls()
  const folder = await mkdtemp(join(tmpdir(), 'estafet-nemesis-'))
  afterFile(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  const postgres = await startShakyPostgres(join(folder, 'postgres'))
  const network = await startShakyNetwork(postgres.port, seeded(seed + 1))
  const simulator = await startSimulator({
    appSecret: testSecrets.META_APP_SECRET,
    appId: testSecrets.META_APP_ID,
    random: seededRandom(String(seed)),
    statusDelaysMs,
    retryDelaysMs,
    deliveryTimeoutMs: 5_000,
    serviceWindow: 'open',
    ledgerCapacity: 10_000_000,
  })
  afterFile(() => simulator.close())
  const receiver = await startEventsReceiver(seeded(seed + 2))
  const databaseUrl = new URL(postgres.url)
  databaseUrl.port = String(network.port)
  const terms = { reconcileSeconds, cap: 3 }
  const environment = {
    ...testSecrets,
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: databaseUrl.href,
    META_GRAPH_URL: simulator.url,
    DATA_DIR: join(folder, 'data'),
    ALLOW_PRIVATE_TARGETS: '1',
    RECONCILE_SECONDS: String(terms.reconcileSeconds),
    MAX_CONCURRENCY_PER_TENANT: String(terms.cap),
    CIRCUIT_HALF_OPEN_SECONDS: '3',
    SEND_TIMEOUT_MS: '4000',
    EVENT_TIMEOUT_MS: '3000',
  }
  // It comes to its end, and leaves behind what V8 compiled (start-bundle.cjs): the others are killed, and started again.
  const first = await startGatewayProgram({ ...environment, ROLES: 'api' }, options.program)
  await first.end('SIGTERM')
  const { members, url } = await startMembers(options, folder, environment)
  const client = createClient(url)
  simulator.setWebhook({ url: `${url}/api/webhooks/meta/whatsapp` })
  const customers = options.customersPerFirm
  const made = { simulator, client, receiver, postgres, seed, customers }
  const firms: Firm[] = []
  for (let index = 0; index < firmCount; index++) firms.push(await openFirm(made, index))
  return {
    ...{ folder, postgres, network, simulator, members, receiver, client, firms, terms },
    canaries: [...personalOf(seed, firms), ...secretsOf(firms)],
    secrets: secretsOf(firms),
    stalls,
  }
}

/** A timer that comes late: nothing else was done meanwhile either. */
function watchStalls(): Span[] {
  const everyMs = 20
  const stalls: Span[] = []
  let lookedMs = Date.now()
  const timer = setInterval(() => {
    const nowMs = Date.now()
    if (nowMs - lookedMs > 2 * everyMs) stalls.push({ fromMs: lookedMs, toMs: nowMs })
    lookedMs = nowMs
  }, everyMs)
  afterFile(async () => clearInterval(timer))
  return stalls
}

async function startMembers(
  { program, workers }: PlaceOptions,
  folder: string,
  environment: Record<string, string>,
): Promise<{ members: Member[]; url: string }> {
  const start = (role: Member['role'], name: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      startMember({ name: `${name}-${index + 1}`, role, program, folder, environment }),
    )
  const doors = start('api', 'gateway', gateways)
  const url = await startDoor(() => doors.flatMap((member) => member.port() ?? []))
  return { members: [...doors, ...start('worker', 'worker', workers)], url }
}

type Made = Pick<Place, 'simulator' | 'client' | 'receiver' | 'postgres'> & {
  seed: number
  customers: number
}

async function openFirm(made: Made, index: number): Promise<Firm> {
  const { simulator, client, receiver, seed } = made
  const create = async (path: string, body: unknown, key = operatorKey) => {
    const { status, json } = await client.call('POST', path, { key, body })
    if (status === 200 || status === 201) return json
    throw new Error(`${path} was answered ${status}: ${JSON.stringify(json)}`)
  }
  const { id: tenantId } = await create('/api/admin/tenants', { name: `Firm ${index}` })
  const admin = `/api/admin/tenants/${tenantId}`
  const { key } = await create(`${admin}/api-keys`, { name: 'application' })
  const wabaId = `9100${index}`
  const accessToken = canary(`access token ${index}`, seed).text
  const lines: Line[] = []
  const isSlow = index === firmCount - 1
  // The first has two numbers.
  for (let count = 0; count < (index === 0 ? 2 : 1); count++) {
    const number = {
      waba_id: wabaId,
      phone_number_id: `9200${index}${count}`,
      display_phone_number: `+1 555-01${index}${count}`,
      access_token: accessToken,
    }
    simulator.registerNumber(number)
    const { id } = await create(`${admin}/accounts`, number)
    const perSecond = isSlow ? slowPace : usualPace
    lines.push({ phoneNumberId: number.phone_number_id, accountId: id, perSecond })
    if (isSlow) await slowDown(made, number.phone_number_id)
  }
  await create('/api/whatsapp/event-endpoints', { url: receiver.urlFor(index), events: ['*'] }, key)
  const isEchoing = index === 1
  if (isEchoing) {
    const path = `${admin}/accounts/${lines[0]?.accountId}`
    const body = { responder: 'echo' }
    const { status } = await client.call('PATCH', path, { key: operatorKey, body })
    if (status !== 200) throw new Error(`a responder was answered ${status}`)
  }
  const customers = Array.from(
    // A slow number has less to do, or a run would have to wait for it.
    { length: isSlow ? Math.ceil(made.customers / 2) : made.customers },
    (_, count) => canary(`number ${index} ${count}`, seed).text,
  )
  return { index, tenantId, key, wabaId, accessToken, lines, customers, isEchoing }
}

/** As Meta says it whenever it is asked about the number, and as if it had said so before. */
async function slowDown({ simulator, postgres }: Made, phoneNumberId: string): Promise<void> {
  simulator.changeNumber(phoneNumberId, { coexistence: true })
  await postgres.db.query(sql`
    update whatsapp_accounts set throughput_level = 'coexistence' where phone_number_id = ${phoneNumberId}`)
  await postgres.db.query(sql`
    select send_allow(tenant_id, phone_number_id, ${slowPace}::real)
    from whatsapp_accounts
    where phone_number_id = ${phoneNumberId}`)
}

function personalOf(seed: number, firms: Firm[]): Canary[] {
  return [
    canary('text of a message', seed),
    canary('name of a contact', seed),
    ...firms.map(({ index, customers: [first = ''] }) => ({
      ...{ what: `phone number ${index}`, text: first },
    })),
  ]
}

function secretsOf(firms: Firm[]): Canary[] {
  return [
    ...firms.flatMap(({ index, key, accessToken }) => [
      { what: `api key ${index}`, text: key },
      { what: `access token ${index}`, text: accessToken },
    ]),
    { what: 'app secret', text: testSecrets.META_APP_SECRET },
    { what: 'operator key', text: operatorKey },
  ]
}
