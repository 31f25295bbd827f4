// Marks in Redis. Each script touches one key, so a cluster serves it too; the server's clock ends what runs out.
// Scripts go as text: one that was loaded can be gone after a failover. Commands of one turn share a round trip.
import { Cluster, Redis } from 'ioredis'
import type { Clock } from '../time-and-chance.ts'
import { within } from './door.ts'
import type { Begun, Mark, Marks, MarkTimes } from './marks.ts'

export interface RedisMarksOptions extends MarkTimes {
  url: string
  clock: Clock
  patienceMs: number
}

const prefix = 'estafet:dedupe:'

const markScript = `
local mark = redis.call('get', KEYS[1])
if mark then return mark end
redis.call('set', KEYS[1], 'pending', 'px', ARGV[1])
return 'new'`

const beginScript = `
local mark = redis.call('get', KEYS[1])
if mark and string.sub(mark, 1, 5) == 'sent ' then return {mark, 0} end
if mark and string.sub(mark, 1, 8) == 'pending ' and mark ~= ARGV[1] then
  return {mark, redis.call('pttl', KEYS[1])}
end
redis.call('set', KEYS[1], ARGV[1], 'px', ARGV[2])
return {'begun', 0}`

const failScript = `
if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('set', KEYS[1], 'failed', 'px', ARGV[2]) end
return 1`

export async function openRedisMarks(options: RedisMarksOptions): Promise<Marks> {
  const { commitMs, postMs, keepMs } = options
  const redis = await openClient(options)
  const pendingOf = (attempt: string) => `pending ${attempt}`
  return {
    markIfNew: (keys) =>
      Promise.all(
        keys.map(async (key) => (await redis.eval(markScript, 1, prefix + key, commitMs)) as Mark),
      ),
    confirm: async (keys) => {
      await Promise.all(keys.map((key) => redis.set(prefix + key, 'done', 'PX', keepMs)))
    },
    async begin(key, attempt): Promise<Begun> {
      const [mark, leftMs] = (await redis.eval(
        beginScript,
        1,
        prefix + key,
        pendingOf(attempt),
        postMs,
      )) as [string, number]
      if (mark === 'begun') return { state: 'begun', place: prefix + key }
      if (mark.startsWith('sent ')) return { state: 'sent', proof: mark.slice('sent '.length) }
      return { state: 'pending', leftMs }
    },
    finishSent: async (place, _attempt, proof) => {
      await redis.set(place, `sent ${proof}`, 'PX', keepMs)
    },
    finishFailed: async (place, attempt) => {
      await redis.eval(failScript, 1, place, pendingOf(attempt), keepMs)
    },
    check: async () => {
      // A replica, or a Redis that is full, answers a ping and takes no mark.
      await redis.set(`${prefix}check`, '', 'PX', commitMs)
    },
    close: async () => redis.disconnect(),
  }
}

/** Connects, or says why not: the client's own promise only says that the connection is closed. */
async function connected<Client extends Redis | Cluster>(
  client: Client,
  { clock, patienceMs }: RedisMarksOptions,
): Promise<Client> {
  let reason: Error | undefined
  client.on('error', (error: Error) => {
    reason = error
  })
  try {
    await within(clock, patienceMs, client.connect())
    return client
  } catch (error) {
    client.disconnect()
    throw reason ?? error
  }
}

/** One server, or the cluster that it belongs to. */
async function openClient(options: RedisMarksOptions): Promise<Redis | Cluster> {
  const { url, patienceMs } = options
  const common = {
    connectTimeout: patienceMs,
    commandTimeout: patienceMs,
    // Whoever cannot be answered now is told so now.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times: number) => Math.min(50 * times, 500),
    // After a failover the old primary answers, but takes no writes.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    enableAutoPipelining: true,
  }
  const redis = await connected(new Redis(url, { ...common, lazyConnect: true }), options)
  const info = await redis.call('info', 'cluster').catch((error) => {
    redis.disconnect()
    throw error
  })
  const isCluster = String(info).includes('cluster_enabled:1')
  if (!isCluster) return redis
  redis.disconnect()
  const { host = '127.0.0.1', port = 6379, username, password, tls } = redis.options
  const cluster = new Cluster([{ host, port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    clusterRetryStrategy: (times) => Math.min(50 * times, 500),
    slotsRefreshTimeout: patienceMs,
    redisOptions: {
      ...common,
      ...(username && { username }),
      ...(password && { password }),
      ...(tls && { tls }),
    },
  })
  return connected(cluster, options)
}
