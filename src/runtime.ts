// Config → what everything else is made from. The only place that chooses adapters.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVault, type Vault } from './accounts/vault.ts'
import type { Config } from './config.ts'
import { connect, type Db } from './db/connect.ts'
import { createPostgresDispatch } from './dispatch/postgres.ts'
import type { Dispatch } from './dispatch/queue.ts'
import { createPoster, type Poster } from './events/post.ts'
import { createLog, type Log, logHashKey } from './log.ts'
import { createDiskStore } from './media/disk-store.ts'
import { createS3Store } from './media/s3-store.ts'
import type { MediaStore } from './media/store.ts'
import { createGraph, type Graph } from './meta/graph.ts'
import { createGraphMedia, type GraphMedia } from './meta/graph-media.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { createGuardedAgent } from './net/guarded-agent.ts'
import { packageRoot } from './package-root.ts'
import { type Clock, type Random, systemClock, systemRandom } from './time-and-chance.ts'

export interface Runtime {
  config: Config
  databaseUrl: string
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  vault: Vault
  graph: Graph
  graphMedia: GraphMedia
  /** Where files lie. */
  store: MediaStore
  /** To the tenants' own addresses. */
  poster: Poster
  dispatch: Dispatch
  /** Apart, so that no amount of processing or reading makes a webhook wait for a connection. */
  db: { receive: Db; work: Db; api: Db }
  version: string
  close(): Promise<void>
}

export interface RuntimeOptions {
  config: Config
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
  const version = readVersion()
  const poster = createPoster({
    clock,
    allowPrivate: config.allowPrivateTargets,
    timeoutMs: config.eventTimeoutMs,
    version,
  })
  return {
    config,
    databaseUrl,
    clock,
    random,
    log,
    metrics: createMetrics(),
    vault: createVault(config.encryptionKeys, random),
    graph,
    graphMedia,
    store,
    poster,
    dispatch: createPostgresDispatch(db.work, clock),
    db,
    version,
    close: async () => {
      await Promise.all([graphMedia.close(), poster.close(), closeStore()])
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

export function logFor(config: Config, clock: Clock): Log {
  const [first] = config.encryptionKeys
  if (!first) throw new Error('bug: no encryption key; readConfig or dev provides one')
  return createLog({ level: config.logLevel, hashKey: logHashKey(first.key), clock })
}

export function readVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
}
