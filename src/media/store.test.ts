// One suite for both stores: the disk's, and S3's against a real server.
import { createHash, createHmac, randomUUID } from 'node:crypto'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { s3Bucket, s3Key, startS3 } from '../../test/support/s3.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { createDiskStore } from './disk-store.ts'
import { createS3Store } from './s3-store.ts'
import { keyOf, type MediaStore, StoreUnavailable } from './store.ts'

const random = systemRandom(systemClock)
const bytes = Buffer.from('something to keep, \u00e9 and \0'.repeat(10_000))
const factsOf = (content: Buffer) => ({
  bytes: content.length,
  sha256: createHash('sha256').update(content).digest(),
})
const newKey = () => keyOf(randomUUID(), randomUUID())
const put = (store: MediaStore, key: string, content = bytes) =>
  store.put(
    key,
    Readable.from([content.subarray(0, 70_000), content.subarray(70_000)]),
    factsOf(content),
  )
const readAll = async (content: Readable | undefined) => content && (await buffer(content))

const folder = createTestFolder()
const stores: Record<string, () => Promise<MediaStore>> = {
  disk: async () => createDiskStore({ folder, random }),
  s3: async () => s3StoreAt(await startS3()),
}

function s3StoreAt(endpoint: string, more: Partial<Parameters<typeof createS3Store>[0]> = {}) {
  const store = createS3Store({
    endpoint,
    bucket: s3Bucket,
    region: 'us-east-1',
    ...s3Key,
    clock: systemClock,
    ...more,
  })
  afterFile(store.close)
  return store
}

describe.each(Object.entries(stores))('the store %s', (name, start) => {
  let store: MediaStore
  beforeAll(async () => {
    store = await start()
  })

  test('gives back what was put, whole or in part', async () => {
    const key = newKey()
    await put(store, key)

    // Vitest would compare two buffers byte by byte, which takes seconds for these.
    expect((await readAll(await store.get(key)))?.equals(bytes)).toBe(true)
    expect(await readAll(await store.get(key, { start: 0, end: 1 }))).toEqual(bytes.subarray(0, 2))
    expect(await readAll(await store.get(key, { start: 65_530, end: 65_600 }))).toEqual(
      bytes.subarray(65_530, 65_601),
    )
    expect(await store.exists(key)).toBe(true)
  })

  test('has nothing under another key', async () => {
    await put(store, newKey())

    expect(await store.get(newKey())).toBeUndefined()
    expect(await store.exists(newKey())).toBe(false)
  })

  test('takes the same again, and the last counts', async () => {
    const key = newKey()
    await put(store, key)
    await put(store, key, Buffer.from('new'))

    expect((await readAll(await store.get(key)))?.toString()).toBe('new')
  })

  test('removes, also what is not there', async () => {
    const key = newKey()
    await put(store, key)
    await store.delete(key)
    await store.delete(key)

    expect(await store.exists(key)).toBe(false)
    expect(await store.get(key)).toBeUndefined()
  })

  test('does not call stored what breaks off', async () => {
    const key = newKey()
    async function* broken() {
      yield bytes.subarray(0, 1000)
      throw new Error('the line is dead')
    }

    await expect(store.put(key, Readable.from(broken()), factsOf(bytes))).rejects.toThrow(
      StoreUnavailable,
    )
    // The little S3 server keeps halves, which a real one does not.
    if (name === 'disk') expect(await store.exists(key)).toBe(false)
  })

  test('does not call stored what is shorter than announced', async () => {
    const key = newKey()

    await expect(
      store.put(key, Readable.from([bytes.subarray(0, 1000)]), factsOf(bytes)),
    ).rejects.toThrow(StoreUnavailable)
    if (name === 'disk') expect(await store.exists(key)).toBe(false)
  })
})

describe('on disk', () => {
  const store = createDiskStore({ folder, random })

  test('no key leads out of the folder', async () => {
    for (const key of ['../../etc/passwd', '/etc/passwd', 'a/../b', `${randomUUID()}/../x`, '']) {
      await expect(store.get(key)).rejects.toThrow('bug: not a key')
      await expect(store.delete(key)).rejects.toThrow('bug: not a key')
    }
    expect(() => keyOf('..', randomUUID())).toThrow('bug')
  })

  test('what a crash left half-written is cleared away, what is being written is not', async () => {
    await put(store, newKey())
    const parts = join(folder, 'parts')
    const old = new Date('2026-01-01T00:00:00Z')
    await writeFile(join(parts, 'left-behind'), 'half')
    await utimes(join(parts, 'left-behind'), old, old)
    await writeFile(join(parts, 'under-way'), 'half')

    await store.tidy?.(new Date('2026-01-02T00:00:00Z'))

    expect(await readdir(parts)).toEqual(['under-way'])
  })

  test('a folder that cannot be written is the store’s trouble', async () => {
    const path = join(createTestFolder(), 'file')
    await writeFile(path, 'a file where a folder should be')
    const broken = createDiskStore({ folder: path, random })

    await expect(put(broken, newKey())).rejects.toThrow(StoreUnavailable)
  })
})

describe('in S3', () => {
  test('a wrong key, a missing bucket and a server that is away are the store’s trouble', async () => {
    const endpoint = await startS3()
    for (const store of [
      s3StoreAt(endpoint, { accessKeyId: 'nobody' }),
      s3StoreAt('http://127.0.0.1:9'),
    ]) {
      await expect(put(store, newKey())).rejects.toThrow(StoreUnavailable)
      await expect(store.get(newKey())).rejects.toThrow(StoreUnavailable)
      await expect(store.exists(newKey())).rejects.toThrow(StoreUnavailable)
      await expect(store.delete(newKey())).rejects.toThrow(StoreUnavailable)
    }
    await expect(put(s3StoreAt(endpoint, { bucket: 'nowhere' }), newKey())).rejects.toThrow(
      StoreUnavailable,
    )
  })

  test('the digest of the content is part of the signature, so that a change on the way is refused', async () => {
    const seen: IncomingMessage[] = []
    const server = createServer((request, response) => {
      seen.push(request)
      request.resume().on('end', () => response.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
    const { port } = server.address() as AddressInfo
    const key = newKey()
    await put(s3StoreAt(`http://127.0.0.1:${port}/base`), key)

    const [request] = seen
    expect(request?.url).toBe(`/base/${s3Bucket}/${key}`)
    expect(request?.headers).toMatchObject({
      'content-length': String(bytes.length),
      'x-amz-content-sha256': factsOf(bytes).sha256.toString('hex'),
      authorization: signatureOf(request as IncomingMessage, s3Key.secretAccessKey),
    })
    expect(request?.headers.authorization).toMatch(/SignedHeaders=[^,]*x-amz-content-sha256/)
  })
})

/** What the server would compute (Signature Version 4), from nothing but the request and the secret. */
function signatureOf(request: IncomingMessage, secret: string): string {
  const header = (name: string) => String(request.headers[name] ?? '').trim()
  const said = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+),/.exec(
    header('authorization'),
  )
  const [, keyId = '', scope = '', names = ''] = said ?? []
  const canonical = [
    request.method,
    request.url,
    '',
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    '',
    names,
    header('x-amz-content-sha256'),
  ].join('\n')
  const hash = createHash('sha256').update(canonical).digest('hex')
  const text = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, hash].join('\n')
  const mac = (by: Buffer | string, what: string) => createHmac('sha256', by).update(what).digest()
  const signing = scope.split('/').reduce<Buffer | string>(mac, `AWS4${secret}`)
  const signature = mac(signing, text).toString('hex')
  return `AWS4-HMAC-SHA256 Credential=${keyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
}
