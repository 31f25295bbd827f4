// A worker that dies, stands still or is stopped while it fetches a file: the file is stored once, and never half.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { fetchOne } from '../../src/media/fetch.ts'
import { claimFetches, settleFetch } from '../../src/media/queries.ts'
import { createMediaQueue } from '../../src/media/queue.ts'
import { keyOf } from '../../src/media/store.ts'
import { sweepMedia } from '../../src/media/sweep.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type InboundFiles, inboundFiles } from '../support/inbound-files.ts'
import { getFile, jpegBytes, makeFetchesDue } from '../support/media.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let gateway: TestGateway
let firm: Firm
let files: InboundFiles

beforeAll(async () => {
  world = await startSending()
  gateway = world.gateway
})
beforeEach(async () => {
  world.simulator.clearFaults()
  await gateway.db.query(sql`delete from whatsapp_media`)
  firm = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
  files = inboundFiles(world, firm)
})

describe('a process that dies', () => {
  const claim = (leaseSeconds = 60) =>
    claimFetches(gateway.runtime.db.work, { limit: 10, leaseSeconds, now: null })
  const fetcher = () => ({ ...gateway.runtime, db: gateway.runtime.db.work })
  const never = new AbortController().signal

  test('between the bytes and the row leaves a file that the next one stores again, once', async () => {
    const id = await files.receive()
    const [job] = await claim()
    if (!job) throw new Error('nothing was due')
    // Its bytes are stored, and nobody writes that down.
    expect((await fetchOne(fetcher(), job, never)).outcome.kind).toBe('stored')
    expect(await gateway.runtime.store.exists(keyOf(job.tenantId, job.id))).toBe(true)
    expect(await files.read(id)).toMatchObject({ media: 'pending' })
    // While its lease lasts, nobody takes it up.
    expect(await gateway.fetchMedia()).toBe(0)

    await files.fetchAgain()

    const { media, media_id } = await files.read(id)
    expect(media).toBe('stored')
    expect((await getFile(gateway, firm.key, media_id)).bytes).toEqual(jpegBytes)
  })

  test('there, and is never followed by a success: its bytes go with the hope', async () => {
    const id = await files.receive()
    const [job] = await claim()
    if (!job) throw new Error('nothing was due')
    await fetchOne(fetcher(), job, never)
    await gateway.db.query(sql`update whatsapp_media set fetch_until = now()`)
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'expired' })
    await sweepMedia({ ...gateway.runtime, db: gateway.runtime.db.work, retentionDays: 365 })

    expect(await files.read(id)).toMatchObject({
      media: 'expired',
      media_error: 'EXPIRED_AT_META',
    })
    expect(await gateway.runtime.store.exists(keyOf(job.tenantId, job.id))).toBe(false)
  })

  test('I3: or only stood still settles nothing once another has the file', async () => {
    const id = await files.receive()
    const [slow] = await claim(0)
    if (!slow) throw new Error('nothing was due')
    const { outcome } = await fetchOne(fetcher(), slow, never)
    await files.fetchAgain()
    const end = {
      state: 'failed' as const,
      delaySeconds: null,
      failures: 1 as const,
      error: 'X',
      stored: null,
    }

    expect(outcome.kind).toBe('stored')
    expect(await settleFetch(gateway.runtime.db.work, slow, end, null, new Date())).toBe(false)
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('or is stopped gives back what it was at', async () => {
    const id = await files.receive()
    const [job] = await claim()
    if (!job) throw new Error('nothing was due')
    const stopped = new AbortController()
    stopped.abort()

    expect((await fetchOne(fetcher(), job, stopped.signal)).outcome).toEqual({ kind: 'released' })
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('and whose file was given up meanwhile takes its bytes along', async () => {
    await files.receive()
    const store = {
      ...gateway.runtime.store,
      // While the bytes are being stored, another worker finds that the file is over.
      put: async (...args: Parameters<typeof gateway.runtime.store.put>) => {
        await gateway.runtime.store.put(...args)
        await gateway.db.query(sql`
          update whatsapp_media set attempt = attempt + 1, state = 'expired', next_run_at = null`)
      },
    }
    await gateway.fetchMedia({ store })
    const [row] = await gateway.db.query(sql<{ id: string; state: string }>`
      select id, state from whatsapp_media`)

    expect(row?.state).toBe('expired')
    expect(await gateway.runtime.store.exists(keyOf(firm.id, row?.id ?? ''))).toBe(false)
    expect(gateway.logText()).toContain('"media_claim_lost"')
  })

  test('a queue that stops breaks off its downloads and takes nothing more', async () => {
    const id = await files.receive()
    world.fault({ fault: 'hang', match: { endpoint: 'media_download' }, count: 1 })
    const queue = createMediaQueue({ ...gateway.runtime, db: gateway.runtime.db.work })
    const downloads = () =>
      world.simulator.ledger().requests.filter(({ endpoint }) => endpoint === 'media_download')
        .length
    const before = downloads()
    const running = queue.runDue()
    await until('the download hangs', async () => downloads() > before)
    await queue.stop()

    expect(await running).toBe(1)
    await makeFetchesDue(gateway)
    expect(await queue.runDue()).toBe(0)
    expect(await files.read(id)).toMatchObject({ media: 'pending', media_error: null })
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('a tenant with many files does not hold up one with a single', async () => {
    for (let count = 0; count < 6; count++) await files.receive()
    const crowd = firm
    firm = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
    await inboundFiles(world, firm).receive()
    const jobs = await claimFetches(gateway.runtime.db.work, {
      limit: 4,
      leaseSeconds: 60,
      now: null,
    })

    expect(jobs.filter(({ tenantId }) => tenantId === firm.id)).toHaveLength(1)
    expect(jobs.filter(({ tenantId }) => tenantId === crowd.id)).toHaveLength(3)
  })
})
