import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { freePort } from '../../test/support/free-port.ts'
import { until } from '../../test/support/program.ts'
import { type OwnRedis, redisHint, redisRuns, startRedis } from '../../test/support/redis.ts'
import { systemClock } from '../time-and-chance.ts'
import { openFilter, outsideConformance } from './dedupe.conformance.ts'
import { marksConformance, times } from './marks.conformance.ts'
import type { Marks } from './marks.ts'
import { openRedisMarks } from './redis.ts'

const runs = redisRuns()
const skipped = runs ? '' : ` (skipped: ${redisHint})`
const patienceMs = 10_000

/** The server's own clock decides: every key's time is shortened instead. */
async function letTimePass({ client }: OwnRedis, ms: number): Promise<void> {
  for (const key of await client.keys('*')) {
    const leftMs = (await client.pttl(key)) - ms
    if (leftMs > 0) await client.pexpire(key, leftMs)
    else await client.del(key)
  }
}

describe.skipIf(!runs)(`marks in Redis${skipped}`, () => {
  let redis: OwnRedis
  let marks: Marks

  beforeAll(async () => {
    redis = await startRedis()
    marks = await openRedisMarks({ ...times, url: redis.url, clock: systemClock, patienceMs })
    afterFile(() => marks.close())
  })
  marksConformance(() => ({
    marks,
    letTimePass: (ms) => letTimePass(redis, ms),
    forgetAll: redis.flush,
  }))
  describe('with Postgres behind it', () => {
    outsideConformance(() => ({
      open: () => {
        const options = { ...times, url: redis.url, clock: systemClock, patienceMs }
        const dedupe = openFilter('redis', () => openRedisMarks(options))
        afterFile(dedupe.close)
        return dedupe
      },
      letTimePass: (ms) => letTimePass(redis, ms),
      forgetAll: redis.flush,
      server: redis,
    }))
  })
})

describe.skipIf(!runs)(`marks in a Redis cluster${skipped}`, () => {
  let redis: OwnRedis
  let marks: Marks

  beforeAll(async () => {
    const busPort = String(await freePort())
    redis = await startRedis([
      ...['--cluster-enabled', 'yes', '--cluster-port', busPort],
      // A node that never met another does not know its own address.
      ...['--cluster-announce-ip', '127.0.0.1'],
    ])
    await redis.client.call('cluster', 'addslotsrange', 0, 16_383)
    await until('it is a cluster', async () =>
      String(await redis.client.call('cluster', 'info')).includes('cluster_state:ok'),
    )
    marks = await openRedisMarks({ ...times, url: redis.url, clock: systemClock, patienceMs })
    afterFile(() => marks.close())
  })
  marksConformance(() => ({
    marks,
    letTimePass: (ms) => letTimePass(redis, ms),
    forgetAll: redis.flush,
  }))
})

describe.skipIf(!runs)(`Redis over TLS${skipped}`, () => {
  test('is not believed when nobody vouches for its certificate', async () => {
    const tlsPort = String(await freePort())
    const file = (name: string) =>
      fileURLToPath(new URL(`../../test/fixtures/tls/self-signed.${name}`, import.meta.url))
    await startRedis([
      ...['--tls-port', tlsPort, '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', file('crt'), '--tls-key-file', file('key')],
      ...['--tls-ca-cert-file', file('crt')],
    ])

    const url = `rediss://127.0.0.1:${tlsPort}`
    const opened = openRedisMarks({ ...times, url, clock: systemClock, patienceMs })

    await expect(opened).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
  })
})
