// Config → what everything else is made from. The only place that chooses adapters.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createVault, type Vault } from './accounts/vault.ts'
import type { Config } from './config.ts'
import { connect, type Db } from './db/connect.ts'
import { createPostgresDispatch } from './dispatch/postgres.ts'
import type { Dispatch } from './dispatch/queue.ts'
import { createLog, type Log, logHashKey } from './log.ts'
import { createGraph, type Graph } from './meta/graph.ts'
import { createMetrics, type Metrics } from './metrics.ts'
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
  return {
    config,
    databaseUrl,
    clock,
    random,
    log,
    metrics: createMetrics(),
    vault: createVault(config.encryptionKeys, random),
    graph,
    dispatch: createPostgresDispatch(db.work, clock),
    db,
    version: readVersion(),
    close: async () => {
      await Promise.all([graph.close(), db.receive.close(), db.work.close(), db.api.close()])
    },
  }
}

export function logFor(config: Config, clock: Clock): Log {
  const [first] = config.encryptionKeys
  if (!first) throw new Error('bug: no encryption key; readConfig or dev provides one')
  return createLog({ level: config.logLevel, hashKey: logHashKey(first.key), clock })
}

export function readVersion(): string {
  return JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')).version
}
