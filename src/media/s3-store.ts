// Files in a bucket of anything that speaks S3. One PUT, whose digest is part of the signature: the store itself refuses
// bytes that changed on the way, and an object is there as a whole or not at all.
import type { Readable } from 'node:stream'
import { AwsV4Signer } from 'aws4fetch'
import { Agent, type Dispatcher } from 'undici'
import type { Clock } from '../time-and-chance.ts'
import { type MediaStore, StoreUnavailable } from './store.ts'

export interface S3StoreOptions {
  /** Buckets are addressed by path: `endpoint/bucket/key`. */
  endpoint: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  clock: Clock
}

export interface S3Store extends MediaStore {
  close(): Promise<void>
}

interface Call {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  key: string
  headers?: Record<string, string>
  body?: Readable
}

export function createS3Store(options: S3StoreOptions): S3Store {
  const { clock, accessKeyId, secretAccessKey, region } = options
  const { origin, pathname } = new URL(options.endpoint)
  const base = `${pathname.replace(/\/$/, '')}/${encodeURIComponent(options.bucket)}`
  const agent = new Agent({
    connect: { timeout: 3_000 },
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  })
  // Derived keys change once a day.
  const cache = new Map<string, ArrayBuffer>()

  async function call({ method, key, headers = {}, body }: Call): Promise<Dispatcher.ResponseData> {
    const signed = await new AwsV4Signer({
      url: `${origin}${base}/${key}`,
      method,
      headers,
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      datetime: clock
        .now()
        .toISOString()
        .replace(/[:-]|\.\d{3}/g, ''),
      cache,
    }).sign()
    // Undici sets it itself, and refuses to be told.
    signed.headers.delete('host')
    try {
      return await agent.request({
        origin,
        path: signed.url.pathname,
        method,
        headers: Object.fromEntries(signed.headers),
        ...(body && { body }),
      })
    } catch (error) {
      throw new StoreUnavailable('The object store cannot be reached.', error)
    } finally {
      if (cache.size > 100) cache.clear()
    }
  }

  /** Ends the answer; anything but these is the store's trouble. */
  async function settle(answer: Dispatcher.ResponseData, good: number[]): Promise<number> {
    await answer.body.dump().catch(() => undefined)
    if (good.includes(answer.statusCode)) return answer.statusCode
    throw new StoreUnavailable(`The object store answered ${answer.statusCode}.`)
  }

  return {
    async put(key, content, { bytes, sha256 }) {
      const answer = await call({
        method: 'PUT',
        key,
        headers: {
          'content-length': String(bytes),
          // Whoever reads the bucket by other means is told nothing that a browser would act on.
          'content-type': 'application/octet-stream',
          'x-amz-content-sha256': sha256.toString('hex'),
        },
        body: content,
      }).finally(() => content.destroy())
      await settle(answer, [200])
    },

    async get(key, range) {
      const answer = await call({
        method: 'GET',
        key,
        ...(range && { headers: { range: `bytes=${range.start}-${range.end}` } }),
      })
      if (answer.statusCode === (range ? 206 : 200)) return answer.body
      await settle(answer, [404])
      return undefined
    },

    async delete(key) {
      await settle(await call({ method: 'DELETE', key }), [200, 204, 404])
    },

    async exists(key) {
      return (await settle(await call({ method: 'HEAD', key }), [200, 404])) === 200
    },

    close: () => agent.destroy(),
  }
}
