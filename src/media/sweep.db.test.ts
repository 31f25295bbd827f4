// What has outlived its time goes, the bytes before the row; what a crash left halfway is finished.
import { Readable } from 'node:stream'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { startTestGateway, type TestGateway, type TestTenant } from '../../test/support/gateway.ts'
import { getFile, jpegBytes, uploadFile } from '../../test/support/media.ts'
import { payload } from '../../test/support/payloads.ts'
import { againAndAgain } from '../again-and-again.ts'
import { sql } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'
import { insertUpload } from './queries.ts'
import { keyOf, type MediaStore, StoreUnavailable } from './store.ts'
import { mediaSweepJob, sweepMedia } from './sweep.ts'

let gateway: TestGateway
let firm: TestTenant
const number = { waba_id: 'waba', phone_number_id: '4711' }

beforeAll(async () => {
  gateway = await startTestGateway()
  firm = await gateway.createTenant('Firm A', number)
})
beforeEach(async () => {
  await gateway.db.query(sql`delete from whatsapp_media`)
})

const options = (more: { store?: MediaStore } = {}) => ({
  ...gateway.runtime,
  db: gateway.runtime.db.work,
  retentionDays: 30,
  ...more,
})
const sweep = (more: { store?: MediaStore } = {}) => sweepMedia(options(more))
const keyOfMedia = (mediaId: string) => keyOf(firm.id, uuidOf('med', mediaId) ?? '')
const hasBytes = (mediaId: string) => gateway.runtime.store.exists(keyOfMedia(mediaId))
const age = (days: number) =>
  gateway.db.query(
    sql`update whatsapp_media set kept_since = now() - make_interval(days => ${days})`,
  )
const states = async () =>
  (
    await gateway.db.query(sql<{ state: string }>`select state from whatsapp_media order by id`)
  ).map(({ state }) => state)

test('a file is kept for its time, and no longer', async () => {
  const mediaId = await uploadFile(gateway, firm.key)
  await age(29)
  expect(await sweep()).toBe(0)
  expect((await getFile(gateway, firm.key, mediaId)).status).toBe(200)

  await age(31)
  expect(await sweep()).toBe(1)
  expect(await hasBytes(mediaId)).toBe(false)
  expect(await states()).toEqual([])
  expect(await getFile(gateway, firm.key, mediaId)).toMatchObject({ status: 404 })
  expect(gateway.logText()).toMatch(/"retention_removed".*"media"/)
})

test('a message whose file is removed says that it had one', async () => {
  const image = { id: '1', mime_type: 'image/jpeg' }
  const message = {
    from: '16505550143',
    id: 'wamid.1',
    timestamp: '1788300037',
    type: 'image',
    image,
  }
  await gateway.deliver(payload({ number, messages: [message] }))
  await gateway.drain()
  const [row] = await gateway.db.query(sql<{ id: string }>`
    update whatsapp_media
    set state = 'stored', next_run_at = null, bytes = 1, sha256 = '', filename = 'x', kept_since = now() - interval '31 days'
    returning id`)
  await gateway.runtime.store.put(keyOf(firm.id, row?.id ?? ''), Readable.from(['x']), {
    bytes: 1,
    sha256: Buffer.alloc(32),
  })
  await sweep()

  const list = await gateway.call('GET', '/api/whatsapp/messages', { key: firm.key })
  expect(list.json.data[0]).toMatchObject({ media: 'expired', media_error: 'RETENTION' })
  expect(await getFile(gateway, firm.key, list.json.data[0].media_id)).toMatchObject({
    status: 410,
    code: 'MEDIA_EXPIRED',
  })
  const kept = await gateway.db.query(sql`select filename, sha256 from whatsapp_media`)
  expect(kept).toEqual([{ filename: null, sha256: null }])
})

test('a process that dies between the bytes and the row: nobody is given half, and the next sweep ends it', async () => {
  const mediaId = await uploadFile(gateway, firm.key)
  await age(31)
  const dying: MediaStore = {
    ...gateway.runtime.store,
    delete: async (key) => {
      await gateway.runtime.store.delete(key)
      throw new Error('killed')
    },
  }
  await expect(sweep({ store: dying })).rejects.toThrow('killed')
  expect(await hasBytes(mediaId)).toBe(false)
  expect(await states()).toEqual(['deleting'])
  expect(await getFile(gateway, firm.key, mediaId)).toMatchObject({
    status: 410,
    code: 'MEDIA_EXPIRED',
  })

  await sweep()
  expect(await states()).toEqual([])
})

test('a store that is away keeps the row, so that the bytes are not forgotten', async () => {
  const mediaId = await uploadFile(gateway, firm.key)
  await age(31)
  const away: MediaStore = {
    ...gateway.runtime.store,
    delete: async () => {
      throw new StoreUnavailable('away')
    },
  }
  await expect(sweep({ store: away })).rejects.toThrow(StoreUnavailable)
  expect(await states()).toEqual(['deleting'])
  expect(await hasBytes(mediaId)).toBe(true)
  await sweep()
  expect(await hasBytes(mediaId)).toBe(false)
})

test('an upload that died halfway is removed with its bytes, one that is under way is not', async () => {
  const id = gateway.runtime.random.uuid()
  const file = {
    id,
    tenantId: firm.id,
    kind: 'image' as const,
    mimeType: 'image/jpeg',
    filename: null,
    bytes: jpegBytes.length,
    sha256: Buffer.alloc(32),
    correlationId: id,
  }
  // The row is committed and the bytes are stored; then the process is killed.
  await insertUpload(gateway.db, file, new Date())
  await gateway.runtime.store.put(keyOf(firm.id, id), Readable.from([jpegBytes]), file)
  await sweep()
  expect(await states()).toEqual(['uploading'])

  await gateway.db.query(sql`update whatsapp_media set kept_since = now() - interval '2 hours'`)
  await sweep()
  expect(await states()).toEqual([])
  expect(await gateway.runtime.store.exists(keyOf(firm.id, id))).toBe(false)
})

test('bytes that somebody removed by hand are 410, and told', async () => {
  const mediaId = await uploadFile(gateway, firm.key)
  await gateway.runtime.store.delete(keyOfMedia(mediaId))

  expect(await getFile(gateway, firm.key, mediaId)).toMatchObject({
    status: 410,
    code: 'MEDIA_EXPIRED',
  })
  expect(gateway.logText()).toContain('"media_bytes_missing"')
})

test('a loop that fails goes on, and stops when told', async () => {
  const failing: MediaStore = {
    ...gateway.runtime.store,
    tidy: async () => {
      throw new Error('no such folder')
    },
  }
  const { clock, log } = gateway.runtime
  const job = mediaSweepJob(options({ store: failing }))
  const sweeping = againAndAgain({ ...job, clock, log })
  await sweeping.stop()

  expect(gateway.logText()).toContain('media_sweep_failed')
})
