// Uploading a file and getting it back: what is taken, what is refused by name, and that nothing half is left behind.
import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../support/gateway.ts'
import { fileForm, getFile, jpegBytes, pdfBytes, pngBytes, uploadFile } from '../support/media.ts'
import { until } from '../support/program.ts'
import { s3Bucket, s3Key, startS3 } from '../support/s3.ts'

const path = '/api/whatsapp/meta/media'
const big = (start: Buffer, bytes: number) =>
  Buffer.concat([start, Buffer.alloc(bytes - start.length, 1)])
const megabyte = 1024 * 1024
const webp = (flags: number) =>
  Buffer.from(`RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0${String.fromCharCode(flags)}`)

async function rowsOf({ db }: TestGateway) {
  return db.query(sql<{ state: string }>`select state from whatsapp_media`)
}

describe.each(['disk', 's3'])('with files in %s', (store) => {
  let gateway: TestGateway
  let firm: TestTenant
  beforeAll(async () => {
    gateway = await startTestGateway({
      environment:
        store === 'disk'
          ? {}
          : {
              MEDIA_STORE: 's3',
              S3_ENDPOINT: await startS3(),
              S3_BUCKET: s3Bucket,
              S3_ACCESS_KEY_ID: s3Key.accessKeyId,
              S3_SECRET_ACCESS_KEY: s3Key.secretAccessKey,
            },
    })
    firm = await gateway.createTenant('Firm A')
  })

  test('a file comes back as it was, as an attachment and nothing that runs', async () => {
    const mediaId = await uploadFile(
      gateway,
      firm.key,
      pdfBytes,
      'application/pdf',
      'Vertrag Müller.pdf',
    )
    const file = await getFile(gateway, firm.key, mediaId)

    expect(mediaId).toMatch(/^med_[0-9a-f]{32}$/)
    expect(file.status).toBe(200)
    expect(file.bytes).toEqual(pdfBytes)
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(pdfBytes.length),
      'content-disposition': `attachment; filename="Vertrag M_ller.pdf"; filename*=UTF-8''Vertrag%20M%C3%BCller.pdf`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'no-store',
      etag: `"${createHash('sha256').update(pdfBytes).digest('hex')}"`,
    })
  })

  test('a name that Postgres does not take is kept as far as it goes', async () => {
    const form = `--b\r\ncontent-disposition: form-data; name="file"; filename*=utf-8''a%00b.jpg\r\ncontent-type: image/jpeg\r\n\r\n${jpegBytes.toString('latin1')}\r\n--b--\r\n`
    const type = 'multipart/form-data; boundary=b'
    const headers = { authorization: `Bearer ${firm.key}`, 'content-type': type }
    const sent = { method: 'POST', headers, body: Buffer.from(form, 'latin1') }
    expect((await fetch(`${gateway.url}${path}`, sent)).status).toBe(200)
  })

  test('a part of it is given, too', async () => {
    const mediaId = await uploadFile(gateway, firm.key)
    const get = (range: string, more = {}) =>
      getFile(gateway, firm.key, mediaId, { range, ...more })
    const size = jpegBytes.length

    const part = await get('bytes=2-5')
    expect(part).toMatchObject({ status: 206, bytes: jpegBytes.subarray(2, 6) })
    expect(part.headers.get('content-range')).toBe(`bytes 2-5/${size}`)
    expect(await get('bytes=-3')).toMatchObject({ status: 206, bytes: jpegBytes.subarray(-3) })
    expect(await get('bytes=10-')).toMatchObject({ status: 206, bytes: jpegBytes.subarray(10) })
    expect(await get(`bytes=5-${size + 100}`)).toMatchObject({ bytes: jpegBytes.subarray(5) })
    for (const whole of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-', 'x']) {
      expect(await get(whole), whole).toMatchObject({ status: 200, bytes: jpegBytes })
    }
    expect(await get('bytes=2-5', { 'if-range': '"other"' })).toMatchObject({ status: 200 })
    const beyond = await get(`bytes=${size}-`)
    expect(beyond).toMatchObject({ status: 416, code: 'RANGE_NOT_SATISFIABLE' })
    expect(beyond.headers.get('content-range')).toBe(`bytes */${size}`)
    expect(await get('bytes=-0')).toMatchObject({ status: 416 })
  })

  test('a large document goes through in pieces', async () => {
    const bytes = big(pdfBytes, 20 * megabyte)
    const mediaId = await uploadFile(gateway, firm.key, bytes, 'application/pdf')
    const file = await getFile(gateway, firm.key, mediaId)

    expect(file.bytes.equals(bytes)).toBe(true)
  })

  test('another tenant’s file is not there; nor is one that never was', async () => {
    const mediaId = await uploadFile(gateway, firm.key)
    const other = await gateway.createTenant('Firm B')
    const ask = (id: string) => getFile(gateway, other.key, id)

    const refusal = { status: 404, code: 'MEDIA_NOT_FOUND' }
    expect(await ask(mediaId)).toMatchObject(refusal)
    expect(await ask(`med_${'0'.repeat(32)}`)).toMatchObject(refusal)
    const asOperator = await fetch(`${gateway.url}${path}/${mediaId}`, {
      headers: { authorization: `Bearer ${operatorKey}`, 'x-tenant-id': other.id },
    })
    expect(asOperator.status).toBe(404)
  })
})

describe('an upload', () => {
  let gateway: TestGateway
  let key: string
  beforeAll(async () => {
    gateway = await startTestGateway()
    ;({ key } = await gateway.createTenant('Firm A'))
  })

  const upload = (body: FormData) => gateway.call('POST', path, { key, body })
  type Refusal = [what: string, form: () => FormData, status: number, code: string, field: string]

  test.each<Refusal>([
    [
      'of a type that Meta does not take',
      () => fileForm(jpegBytes, 'image/gif'),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of SVG',
      () => fileForm(Buffer.from('<svg onload="x">'), 'image/svg+xml'),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of HTML that calls itself text',
      () => fileForm(Buffer.from('<html><script>'), 'text/plain'),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of a program that calls itself a picture',
      () => fileForm(Buffer.from('MZ\x90'), 'image/png'),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of one picture under the type of another',
      () => fileForm(pngBytes, 'image/jpeg'),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of bytes that nobody can name',
      () => fileForm(Buffer.from('??'), ''),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'file',
    ],
    [
      'of a picture over 5 MB',
      () => fileForm(big(jpegBytes, 5 * megabyte + 1), 'image/jpeg'),
      413,
      'MEDIA_TOO_LARGE',
      'file',
    ],
    [
      'of audio over 16 MB',
      () => fileForm(big(Buffer.from('OggS'), 16 * megabyte + 1), 'audio/ogg'),
      413,
      'MEDIA_TOO_LARGE',
      'file',
    ],
    [
      'of a still sticker over 100 KB',
      () => fileForm(big(webp(0), 100 * 1024 + 1), 'image/webp'),
      413,
      'MEDIA_TOO_LARGE',
      'file',
    ],
    [
      'of a moving sticker over 500 KB',
      () => fileForm(big(webp(2), 500 * 1024 + 1), 'image/webp'),
      413,
      'MEDIA_TOO_LARGE',
      'file',
    ],
    ['of nothing', () => fileForm(Buffer.alloc(0), 'image/jpeg'), 400, 'INVALID_MEDIA', 'file'],
    ['without a file', () => withoutFile(), 400, 'INVALID_MEDIA', 'file'],
    ['with the file as text', () => withoutFile('file'), 400, 'INVALID_MEDIA', 'file'],
    [
      'with another type beside it',
      () => fileForm(jpegBytes, 'image/jpeg', { before: { type: 'image/png' } }),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'type',
    ],
    [
      'with another type after it',
      () => fileForm(jpegBytes, 'image/jpeg', { after: { type: 'video' } }),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'type',
    ],
    [
      'with a type that is none',
      () => fileForm(jpegBytes, 'image/jpeg', { before: { type: 'picture' } }),
      415,
      'MEDIA_TYPE_NOT_SUPPORTED',
      'type',
    ],
    [
      'for another product',
      () => fileForm(jpegBytes, 'image/jpeg', { before: { messaging_product: 'sms' } }),
      400,
      'INVALID_MEDIA',
      'messaging_product',
    ],
    [
      'with a field that nobody knows',
      () => fileForm(jpegBytes, 'image/jpeg', { after: { surprise: '1' } }),
      400,
      'INVALID_MEDIA',
      'surprise',
    ],
    [
      'with a field that is too long',
      () => fileForm(jpegBytes, 'image/jpeg', { before: { type: 'x'.repeat(2_000) } }),
      400,
      'INVALID_MEDIA',
      'body',
    ],
    ['of two files', () => twoFiles(), 400, 'INVALID_MEDIA', 'file'],
    [
      'with a file under another name',
      () => fileUnder('attachment'),
      400,
      'INVALID_MEDIA',
      'attachment',
    ],
    [
      'that reaches for a prototype',
      () => fileForm(jpegBytes, 'image/jpeg', { before: { __proto__x: 'a', toString: 'b' } }),
      400,
      'INVALID_MEDIA',
      '__proto__x',
    ],
  ])('%s is refused by name, and leaves nothing', async (_what, form, status, code, field) => {
    const answer = await upload(form())

    expect([answer.status, answer.json.error.code]).toEqual([status, code])
    expect(answer.json.error.details.fields.map((one: { field: string }) => one.field)).toEqual([
      field,
    ])
    expect(await rowsOf(gateway)).toEqual([])
  })

  test.each([
    ['of its own type', fileForm(jpegBytes, 'image/jpeg')],
    [
      'with the words of Meta’s endpoint',
      fileForm(jpegBytes, 'image/jpeg', {
        before: { messaging_product: 'whatsapp', type: 'image/jpeg' },
      }),
    ],
    ['by its kind', fileForm(jpegBytes, 'image/jpeg', { after: { type: 'image' } })],
    ['without a type, recognised', fileForm(pngBytes, 'application/octet-stream')],
    [
      'without a type, told beside it',
      fileForm(Buffer.from('ID3 music'), '', { before: { type: 'audio/mpeg' } }),
    ],
    ['with parameters in its type', fileForm(Buffer.from('OggS'), 'audio/ogg; codecs=opus')],
    ['of a moving sticker of 500 KB', fileForm(big(webp(2), 500 * 1024), 'image/webp')],
  ])('%s is taken', async (_what, form) => {
    expect((await upload(form)).status).toBe(200)
    await gateway.db.query(sql`delete from whatsapp_media`)
  })

  test('that is no form is 415, and JSON elsewhere stays JSON', async () => {
    const asJson = await gateway.call('POST', path, { key, body: { file: 'x' } })
    expect([asJson.status, asJson.json.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
    expect((await gateway.call('POST', path, { key })).status).toBe(415)
    const elsewhere = await gateway.call('POST', '/api/whatsapp/meta/send', {
      key,
      body: fileForm(jpegBytes, 'image/jpeg'),
    })
    expect([elsewhere.status, elsewhere.json.error.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  })

  test.each([
    ['cut off', '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc', 'b'],
    ['cut off late', '--b\r\ncontent-disposition: form-data; name="k"\r\n\r\n\r\n'.repeat(20), 'b'],
    ['without a boundary', 'abc', ''],
    ['of nothing but noise', '\0\x01--', 'b'],
  ])('%s is 400', async (_what, rawBody, boundary) => {
    const answer = await gateway.call('POST', path, {
      key,
      rawBody,
      headers: { 'content-type': `multipart/form-data${boundary && `; boundary=${boundary}`}` },
    })
    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_MEDIA'])
    expect(await rowsOf(gateway)).toEqual([])
  })

  test('that announces more than 100 MB is refused before a byte of it is read', async () => {
    const status = await new Promise((resolve, reject) => {
      const { hostname, port } = new URL(gateway.url)
      const sent = httpRequest(
        {
          hostname,
          port,
          path,
          method: 'POST',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'multipart/form-data; boundary=b',
            'content-length': 200 * megabyte,
          },
        },
        (response) => {
          resolve(response.statusCode)
          sent.destroy()
        },
      )
      sent.on('error', reject)
      sent.flushHeaders()
    })
    expect(status).toBe(413)
  })

  test('whose sender hangs up leaves nothing', async () => {
    const head =
      '--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: image/jpeg\r\n\r\n'
    const aborting = new AbortController()
    async function* half() {
      yield Buffer.from(head)
      yield jpegBytes
      aborting.abort()
    }
    const sent = fetch(gateway.url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'multipart/form-data; boundary=b',
      },
      body: Readable.toWeb(Readable.from(half())) as ReadableStream,
      duplex: 'half',
      signal: aborting.signal,
    } as RequestInit)

    await expect(sent).rejects.toThrow()
    // The next one goes through, and is all there is.
    await upload(fileForm(jpegBytes, 'image/jpeg'))
    await until('there is one file', async () => (await rowsOf(gateway)).length === 1)
    const parts = join(gateway.runtime.config.dataDir, 'media', 'parts')
    await until('no part is left', async () => (await readdir(parts)).length === 0)
  })

  test('that the store does not take is 503 and leaves nothing but what the sweep removes', async () => {
    const broken = await startTestGateway({
      environment: {
        MEDIA_STORE: 's3',
        S3_ENDPOINT: 'http://127.0.0.1:9',
        S3_BUCKET: s3Bucket,
        S3_ACCESS_KEY_ID: 'a',
        S3_SECRET_ACCESS_KEY: 'b',
      },
    })
    const firm = await broken.createTenant('Firm A')
    const answer = await broken.call('POST', path, {
      key: firm.key,
      body: fileForm(jpegBytes, 'image/jpeg'),
    })

    expect([answer.status, answer.json.error.code]).toEqual([503, 'MEDIA_STORE_UNAVAILABLE'])
    expect(answer.headers.get('retry-after')).toBe('5')
    expect((await rowsOf(broken)).map(({ state }) => state)).toEqual(['uploading'])
  })

  test('logs and counts without the name of the file', async () => {
    const name = canary('file name').text
    await uploadFile(gateway, key, pdfBytes, 'application/pdf', `${name}.pdf`)
    expect(gateway.logText()).toContain('"media_uploaded"')
    expectNone(gateway.logText(), name)
    const metrics = await gateway.call('GET', '/metrics', { key: operatorKey })
    expect(metrics.text).toMatch(/estafet_media_uploads_total\{outcome="stored"\} [1-9]/)
    expect(metrics.text).toMatch(/estafet_media_uploads_total\{outcome="refused"\} [1-9]/)
  })
})

function withoutFile(name = 'type'): FormData {
  const form = new FormData()
  form.append(name, name === 'type' ? 'image' : 'text')
  return form
}

function twoFiles(): FormData {
  const form = fileForm(jpegBytes, 'image/jpeg')
  form.append('file', new Blob([new Uint8Array(pngBytes)], { type: 'image/png' }), 'b.png')
  return form
}

function fileUnder(name: string): FormData {
  const form = new FormData()
  form.append(name, new Blob([new Uint8Array(jpegBytes)], { type: 'image/jpeg' }), 'a.jpg')
  return form
}
