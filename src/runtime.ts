// Config → what everything else is made from. The only place that chooses adapters.
import { join } from 'node:path'
import { createVault, type Vault } from './accounts/vault.ts'
import { type Config, ConfigError } from './config.ts'
import { connect, type Db } from './db/connect.ts'
import { identifyDatabase } from './db/identity.ts'
import type { Dedupe } from './dedupe/dedupe.ts'
import { createFilter } from './dedupe/filter.ts'
import { createKeys } from './dedupe/keys.ts'
import { createPostgresDedupe } from './dedupe/postgres.ts'
import { createCloudTasksDispatch } from './dispatch/cloud-tasks.ts'
import { createTaskMaker } from './dispatch/cloud-tasks-client.ts'
import { createPostgresDispatch } from './dispatch/postgres.ts'
import type { Dispatch } from './dispatch/queue.ts'
import { createPoster, type Poster } from './events/post.ts'
import { createInboxBell, findDueEvents, type InboxBell } from './inbox/ring.ts'
import { createLog, hashForLog, type Log, logHashKey } from './log.ts'
import { createDiskStore } from './media/disk-store.ts'
import { createS3Store } from './media/s3-store.ts'
import type { MediaStore } from './media/store.ts'
import { createGraph, type Graph } from './meta/graph.ts'
import { createGraphMedia, type GraphMedia } from './meta/graph-media.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createGuardedAgent } from './net/guarded-agent.ts'
import { createSendBell, findDueSends, type SendBell } from './outbox/ring.ts'
import { readVersion } from './package-root.ts'
import type { OidcCheck } from './tasks/admit.ts'
import { createOidcCheck } from './tasks/oidc.ts'
import { type Clock, type Random, systemClock, systemRandom } from './time-and-chance.ts'
import { createTraces, type Traces, type TracesOptions } from './tracing/traces.ts'

export interface Runtime {
  config: Config
  databaseUrl: string
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  /** Where a collector is configured. */
  traces: Traces | undefined
  vault: Vault
  graph: Graph
  graphMedia: GraphMedia
  /** Where files lie. */
  store: MediaStore
  /** To the tenants' own addresses. */
  poster: Poster
  dispatch: Dispatch
  /** Who calls for single rows, after the commit that made them due. */
  bells: { inbox: InboxBell; outbox: SendBell }
  dedupe: Dedupe
  /** Apart, so that no amount of processing or reading makes a webhook wait for a connection. */
  db: { receive: Db; work: Db; api: Db }
  version: string
  /** Where Meta is played, and made to misbehave: under `dev` only. */
  simulatorUrl: string | undefined
  close(): Promise<void>
}

export interface RuntimeOptions {
  config: Config
  simulatorUrl?: string | undefined
  databaseUrl: string
  clock?: Clock
  random?: Random
  log?: Log
}

export function createRuntime(options: RuntimeOptions): Runtime {
  const { config, databaseUrl } = options
  const clock = options.clock ?? systemClock
  const random = options.random ?? systemRandom(clock)
  const log = options.log ?? logFor(config, clock)
  const pool = (name: string, poolSize: number, queryTimeoutMs: number) =>
    // Not as the tables' owner: so that the audit log is append-only for the gateway itself too.
    connect({ url: databaseUrl, name, poolSize, queryTimeoutMs, role: 'estafet_system' })
  const db = {
    // Meta waits about 5 seconds for an answer: 3 for the insert leaves time to say that it failed.
    receive: pool('receive', 5, 3_000),
    // A connection whose other side is gone is noticed within these 8 seconds, and processing goes on.
    work: pool('work', 8, 8_000),
    api: pool('api', 10, 10_000),
  }
  const graph = createGraph({
    url: config.metaGraphUrl,
    version: config.metaGraphVersion,
    timeoutMs: config.sendTimeoutMs,
    clock,
  })
  const graphMedia = createGraphMedia({
    graph,
    graphUrl: config.metaGraphUrl,
    timeoutMs: config.sendTimeoutMs,
    guarded: createGuardedAgent({ ...agentLimits, allowPrivate: config.allowPrivateTargets }),
    // The operator chose this one host, also where it is a private proxy.
    plain: createGuardedAgent({ ...agentLimits, allowPrivate: true }),
    clock,
    random,
  })
  const { store, closeStore } = chooseStore(config, clock, random)
  const metrics = createMetrics()
  const hash = (text: string) => hashForLog(hashKeyOf(config), text)
  const dispatch = chooseDispatch({ config, db, clock, log, metrics, hash })
  const vault = createVault(config.encryptionKeys, random)
  const dedupe = chooseDedupe({ config, clock, log, metrics, vault, db: db.receive })
  const version = readVersion()
  const poster = createPoster({
    clock,
    allowPrivate: config.allowPrivateTargets,
    timeoutMs: config.eventTimeoutMs,
    version,
  })
  const traces = chooseTraces(config, { clock, random, log, version })
  return {
    config,
    databaseUrl,
    clock,
    random,
    log,
    metrics,
    traces,
    vault,
    graph,
    graphMedia,
    store,
    poster,
    dispatch,
    bells: {
      inbox: createInboxBell({ db, dispatch, hash }),
      outbox: createSendBell({ ...ringTermsOf(config, db.work), random, dispatch }),
    },
    dedupe,
    db,
    version,
    simulatorUrl: options.simulatorUrl,
    close: async () => {
      await traces?.stop()
      const closing = [graphMedia.close(), poster.close(), closeStore(), dispatch.close()]
      await Promise.all([...closing, dedupe.close()])
      await Promise.all([graph.close(), db.receive.close(), db.work.close(), db.api.close()])
    },
  }
}

/** Of downloads: a file that makes no progress for this long is asked for again later. */
const agentLimits = { connectTimeoutMs: 5_000, silenceMs: 30_000 }

function chooseStore(config: Config, clock: Clock, random: Random) {
  if (config.mediaStore === 'disk') {
    const store: MediaStore = createDiskStore({ folder: join(config.dataDir, 'media'), random })
    return { store, closeStore: async () => undefined }
  }
  const { s3Endpoint, s3Bucket, s3AccessKeyId, s3SecretAccessKey } = config
  if (!s3Endpoint || !s3Bucket || !s3AccessKeyId || !s3SecretAccessKey) {
    throw new Error('bug: readConfig requires all of these')
  }
  const store = createS3Store({
    endpoint: s3Endpoint,
    bucket: s3Bucket,
    region: config.s3Region,
    accessKeyId: s3AccessKeyId,
    secretAccessKey: s3SecretAccessKey,
    clock,
  })
  return { store, closeStore: store.close }
}

function chooseTraces(
  config: Config,
  parts: Pick<TracesOptions, 'clock' | 'random' | 'log' | 'version'>,
): Traces | undefined {
  const { otlpEndpoint, otlpHeaders, otelServiceName, traceRatio } = config
  if (otlpEndpoint === undefined) return undefined
  return createTraces({
    ...parts,
    endpoint: otlpEndpoint,
    headers: otlpHeaders,
    serviceName: otelServiceName,
    sampleRatio: traceRatio,
    hashKey: hashKeyOf(config),
  })
}

/** How long an event's mark waits for its commit: longer than any insert takes. */
const commitMs = 10_000
/** A mark outlives a call to Meta and the wait for its moment, whatever the call may take. */
const postMarginMs = 5_000
const dayMs = 24 * 60 * 60 * 1000

function chooseDedupe({
  config,
  vault,
  db,
  ...parts
}: Pick<Runtime, 'config' | 'clock' | 'log' | 'metrics' | 'vault'> & { db: Db }): Dedupe {
  const { dedupeStore: store, dedupeTimeoutMs: patienceMs, redisUrl, firestoreProject } = config
  if (store === 'postgres') {
    // A gauge begins at 0, which would say that the store is away.
    parts.metrics.dedupeStoreReady.remove()
    return createPostgresDedupe()
  }
  const times = {
    commitMs,
    postMs: config.sendTimeoutMs + postMarginMs,
    keepMs: config.dedupeTtlDays * dayMs,
  }
  const keys = createKeys(vault.derive('dedupe keys'), () => identifyDatabase(db))
  // Loaded only where it is used: each of these clients is larger than all of ours.
  const { clock } = parts
  const load = async () => {
    if (store === 'redis') {
      if (!redisUrl) throw new Error('bug: readConfig requires REDIS_URL')
      const { openRedisMarks } = await import('./dedupe/redis.ts')
      return () => openRedisMarks({ ...times, url: redisUrl, clock, patienceMs })
    }
    if (!firestoreProject) throw new Error('bug: readConfig requires FIRESTORE_PROJECT')
    const { openFirestoreMarks } = await import('./dedupe/firestore.ts')
    const { firestoreEmulatorHost: emulatorHost } = config
    return async () =>
      openFirestoreMarks({ ...times, project: firestoreProject, emulatorHost, clock, patienceMs })
  }
  return createFilter({ ...parts, store, keys, patienceMs, load })
}

export function logFor(config: Config, clock: Clock): Log {
  return createLog({ level: config.logLevel, hashKey: hashKeyOf(config), clock })
}

function hashKeyOf({ encryptionKeys: [first] }: Config): Buffer {
  if (!first) {
    const fix = 'set id:key with a key from `openssl rand -base64 32`, the same for every process'
    throw new ConfigError([{ variable: 'ENCRYPTION_KEYS', problem: 'is missing', fix }])
  }
  return logHashKey(first.key)
}

const ringTermsOf = (config: Config, db: Db) => ({
  db,
  defaultCap: config.maxConcurrencyPerTenant,
  patienceSeconds: config.taskPatienceSeconds,
})

interface DispatchParts {
  config: Config
  db: Runtime['db']
  clock: Clock
  log: Log
  metrics: Metrics
  hash: (text: string) => string
}

function chooseDispatch({ config, db, clock, log, metrics, hash }: DispatchParts): Dispatch {
  const postgres = createPostgresDispatch(db.work, clock)
  if (config.dispatch === 'postgres') return postgres
  const { gcpProject: project, gcpLocation: location, internalTaskBaseUrl: baseUrl } = config
  const [token] = config.internalTaskTokens
  if (!project || !location || !baseUrl || !token) {
    throw new Error('bug: readConfig requires all of these')
  }
  const tasks = createTaskMaker({
    project,
    location,
    endpoint: config.cloudTasksEndpoint,
    oidc: oidcSettingsOf(config),
  })
  return createCloudTasksDispatch({
    tasks,
    baseUrl,
    token,
    queues: { inbox: config.inboundTaskQueues, outbox: config.outboundTaskQueues },
    find: {
      inbox: () => findDueEvents(db.work, config.taskPatienceSeconds, hash),
      outbox: () => findDueSends(ringTermsOf(config, db.work)),
    },
    wakeStream: () => postgres.wake('stream'),
    clock,
    log,
    metrics,
  })
}

/** Tasks are made, and calls are admitted, with the same identity. */
function oidcSettingsOf(config: Config) {
  const { taskServiceAccount: serviceAccountEmail, internalTaskBaseUrl } = config
  const audience = config.taskAudience ?? internalTaskBaseUrl
  if (serviceAccountEmail === undefined || audience === undefined) return undefined
  return { serviceAccountEmail, audience }
}

/** Undefined where the token alone lets in. */
export function oidcOf(config: Config): OidcCheck | undefined {
  const settings = oidcSettingsOf(config)
  return settings && createOidcCheck(settings)
}
