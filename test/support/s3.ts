// A real S3-compatible server, on a folder of its own.
import S3rver from 's3rver'
import { afterFile } from './after-file.ts'
import { createTestFolder } from './folder.ts'

/** The only key that it knows. */
export const s3Key = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
export const s3Bucket = 'estafet-media'

/** Its address. */
export async function startS3(): Promise<string> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: createTestFolder(),
    configureBuckets: [{ name: s3Bucket }],
  })
  const { port } = await server.run()
  afterFile(() => server.close())
  return `http://127.0.0.1:${port}`
}
