// Ours in `bench outbox`: the enqueuer and the send worker as the gateway runs them, with a sender of the bench's own.
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { type Config, readConfig } from '../src/config.ts'
import { queueMessages } from '../src/conversations/queue-message.ts'
import { sql } from '../src/db/connect.ts'
import { startPolling } from '../src/dispatch/postgres.ts'
import { createLog, logHashKey } from '../src/log.ts'
import { createMediaCheck } from '../src/media/check.ts'
import type { Graph } from '../src/meta/graph.ts'
import { createEnqueuer } from '../src/outbox/enqueue.ts'
import type { SendRequest } from '../src/outbox/message.ts'
import type { ClaimedSend, Settlement } from '../src/outbox/model.ts'
import { claimSends, enqueueSends, settleSends } from '../src/outbox/queue-queries.ts'
import { createSendWorker } from '../src/outbox/worker.ts'
import { registerWorker, removeWorker } from '../src/queue/workers.ts'
import { createRuntime, type Runtime } from '../src/runtime.ts'
import { systemClock } from '../src/time-and-chance.ts'
import { sendWorkerOptions } from '../src/workers.ts'
import { pause } from './measure.ts'
import type { Contender, Working } from './outbox-contender.ts'
import {
  type Job,
  type JobPayload,
  jobIdOf,
  payloadOf,
  settle,
  type World,
} from './outbox-world.ts'
import { appId, appSecret, newWamid } from './payloads.ts'
import type { BenchDatabase } from './postgres.ts'

export interface Ours extends Contender {
  runtime: Runtime
  /** As `work`, with another way to send. */
  workWith(graph: Graph): Promise<Working>
  /** Claims and settles, and nothing else: no look at messages and tokens before, no message updated after. */
  workQueueAlone: Contender['work']
}

/** Above what one process has in flight: the busy tenant may fill it, which is what others have to be kept from. */
export const capPerTenant = 100

export async function openOurs(
  database: BenchDatabase,
  world: World,
  logFile: string,
  graphUrl = 'http://127.0.0.1:9',
  environment: Record<string, string> = {},
): Promise<Ours> {
  const config = configOf(database.url, graphUrl, environment)
  // As in production the log is on; a file takes it, so that no terminal is measured.
  const destination = createWriteStream(logFile, { flags: 'a' })
  const [first] = config.encryptionKeys
  if (!first) throw new Error('bug: no encryption key')
  const log = createLog({
    level: 'info',
    hashKey: logHashKey(first.key),
    clock: systemClock,
    destination,
  })
  const runtime = createRuntime({ config, databaseUrl: database.url, log })
  await settle(database.db, runtime.vault, world)
  const enqueuer = createEnqueuer({
    ...runtime,
    db: runtime.db.api,
    // The queue is measured with more than anybody should have waiting.
    maxQueued: 1_000_000_000,
    checkMedia: createMediaCheck({
      db: runtime.db.api,
      clock: systemClock,
      allowPrivateTargets: config.allowPrivateTargets,
    }),
    onQueued: () => runtime.dispatch.wake('outbox'),
  })
  const add = async (job: Job) => {
    const { tenant, person } = job
    const request: SendRequest = {
      type: 'text',
      recipient_type: 'individual',
      to: person.waId,
      text: payloadOf(job).text,
      phone_number_id: tenant.number,
      delivery: 'at_least_once',
    }
    await enqueuer.send({ tenantId: tenant.id, request, idempotencyKey: undefined })
  }
  const workWith = (graph: Graph) => startWorker(runtime, graph)
  return {
    name: 'ours',
    runtime,
    add,
    addBulk: (jobs) => addFromManyCallers(add, jobs),
    fill: async (jobs) => {
      for (let at = 0; at < jobs.length; at += 1000) await fill(runtime, jobs.slice(at, at + 1000))
      await runtime.dispatch.wake('outbox')
    },
    clear: () => clear(database),
    remaining: async () => {
      const [row] = await database.db.query(sql<{ count: number }>`
        select count(*)::int as count from whatsapp_send_outbox where status <> 'done'`)
      return row?.count ?? 0
    },
    workWith,
    work: (onStart) => workWith(acceptingGraph(runtime, onStart)),
    workQueueAlone: (onStart) => startQueueAlone(runtime, onStart),
    close: async () => {
      await runtime.close()
      destination.end()
    },
  }
}

function configOf(
  databaseUrl: string,
  graphUrl: string,
  environment: Record<string, string>,
): Config {
  return readConfig(
    {
      DATABASE_URL: databaseUrl,
      META_APP_ID: appId,
      META_APP_SECRET: appSecret,
      META_VERIFY_TOKEN: 'bench-verify-token',
      META_GRAPH_URL: graphUrl,
      MAX_CONCURRENCY_PER_TENANT: String(capPerTenant),
      ADMIN_API_KEY: 'bench:operator-key-of-the-bench-0001',
      ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
      ...environment,
    },
    { mode: 'start' },
  )
}

/** The loops that the gateway runs over its queues. */
async function startWorker(runtime: Runtime, graph: Graph): Promise<Working> {
  const worker = createSendWorker({ ...sendWorkerOptions(runtime), graph })
  const polling = startPolling({ ...runtime, queues: [worker], concurrency: 2 })
  return {
    stop: async () => {
      await polling.stop()
      await worker.stop()
    },
  }
}

/** There is no bulk call: whoever has a thousand to send sends them over as many connections as an HTTP client opens. */
async function addFromManyCallers(add: (job: Job) => Promise<void>, jobs: Job[]): Promise<void> {
  const waiting = [...jobs]
  const call = async () => {
    for (let job = waiting.pop(); job; job = waiting.pop()) await add(job)
  }
  await Promise.all(Array.from({ length: 256 }, call))
}

async function startQueueAlone(
  { db }: Runtime,
  onStart: (jobId: number) => void,
): Promise<Working> {
  const workerId = await registerWorker(db.work, 3600)
  let isStopping = false
  const loop = async () => {
    while (!isStopping) {
      const sends = await claimSends(db.work, workerId, 100, capPerTenant)
      for (const { payload } of sends) onStart(jobIdOf(payload as JobPayload))
      if (sends.length > 0) await settleSends(db.work, sends.map(doneOf))
      else await pause(5)
    }
  }
  const loops = Array.from({ length: 4 }, loop)
  return {
    stop: async () => {
      isStopping = true
      await Promise.all(loops)
      await removeWorker(db.work, workerId)
    },
  }
}

function doneOf(send: ClaimedSend): Settlement {
  return { send, state: 'done', failures: 0, error: null, runAt: null }
}

/** A Meta that takes everything at once. */
function acceptingGraph({ graph }: Runtime, onStart: (jobId: number) => void): Graph {
  return {
    ...graph,
    send: async (_number, body) => {
      onStart(jobIdOf(body as JobPayload))
      return {
        kind: 'accepted',
        statusCode: 200,
        wamid: newWamid('16505550143'),
        waId: null,
        userId: null,
        messageStatus: null,
      }
    },
  }
}

/** What a batch of the enqueuer does, without looking people up: messages into conversations, rows into the outbox. */
async function fill({ db, clock }: Runtime, jobs: Job[]): Promise<void> {
  const entries = jobs.map((job) => ({ job, messageId: randomUUID(), correlationId: randomUUID() }))
  await db.api.transaction(async (tx) => {
    const messages = entries.map(
      ({ job: { tenant, person, ...job }, messageId, correlationId }) => ({
        id: messageId,
        tenantId: tenant.id,
        phoneNumberId: tenant.number,
        contact: { id: person.contactId, waId: person.waId, userId: null, name: null },
        type: 'text',
        content: { text: payloadOf({ tenant, person, ...job }).text },
        replyTo: null,
        clientReference: null,
        correlationId,
      }),
    )
    const conversations = await queueMessages(tx, messages, randomUUID, clock.now())
    const sends = entries.map(({ job, messageId, correlationId }) => ({
      tenantId: job.tenant.id,
      phoneNumberId: job.tenant.number,
      messageId,
      conversationId: conversations.get(messageId) ?? '',
      lane: job.person.waId,
      sendAt: null,
      payload: payloadOf(job),
      fallbackTemplate: null,
      callbackData: null,
      delivery: 'at_least_once' as const,
      expiresAt: null,
      correlationId,
      parentId: null,
    }))
    await enqueueSends(tx, sends)
  })
}

async function clear({ db }: BenchDatabase): Promise<void> {
  await db.session(async (session) => {
    await session.script('truncate whatsapp_messages, whatsapp_send_outbox, send_attempts cascade')
    await session.script("update send_tenants set next_at = 'infinity'")
    await session.script("update send_numbers set next_at = 'infinity', paced_until = '-infinity'")
  })
}
