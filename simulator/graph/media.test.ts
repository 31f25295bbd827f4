import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sampleBytes } from '../media-samples.ts'
import { advance, manualClock } from '../test-clock.ts'
import { changeValue, clinic, type Scene, shop, startScene } from '../test-support.ts'

const clock = manualClock()
let scene: Scene
beforeAll(async () => {
  scene = await startScene({ clock })
})
beforeEach(async () => {
  clock.startAnew()
  await scene.startAnew()
})
afterAll(() => scene.close())

const minute = 60_000
const later = (ms: number) => advance(clock, ms)
const jpeg = sampleBytes('image/jpeg')
const bearer = (token = shop.access_token) => ({ authorization: `Bearer ${token}` })

interface Upload {
  bytes?: Buffer
  mime?: string
  fields?: Record<string, string>
  token?: string
}

async function upload({ bytes = jpeg, mime = 'image/jpeg', fields, token }: Upload = {}) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields ?? { messaging_product: 'whatsapp' })) {
    form.set(name, value)
  }
  form.set('file', new Blob([new Uint8Array(bytes)], { type: mime }), 'file.bin')
  const response = await fetch(`${scene.simulator.url}/v25.0/${shop.phone_number_id}/media`, {
    method: 'POST',
    headers: bearer(token),
    body: form,
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}

const find = (id: string, query = '', token = shop.access_token) =>
  scene.call('GET', `/v25.0/${id}${query}`, undefined, bearer(token))
const fetchFile = (url: string, headers: Record<string, string> = bearer()) =>
  fetch(url, { headers })
const gone = { status: 400, body: { error: { code: 100, error_subcode: 33 } } }

describe('an upload', () => {
  test('can be looked up and downloaded', async () => {
    const uploaded = await upload({ fields: { messaging_product: 'whatsapp', type: 'image/jpeg' } })
    const { id } = uploaded.body
    const found = await find(id)
    const file = await fetchFile(found.body.url)

    expect(uploaded).toEqual({ status: 200, body: { id: expect.stringMatching(/^\d{16}$/) } })
    expect(found.body).toEqual({
      messaging_product: 'whatsapp',
      url: expect.stringContaining('/whatsapp_business/attachments/?mid='),
      mime_type: 'image/jpeg',
      sha256: createHash('sha256').update(jpeg).digest('hex'),
      file_size: jpeg.length,
      id,
    })
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toBe('image/jpeg')
    expect(Buffer.from(await file.arrayBuffer())).toEqual(jpeg)
  })

  test.each([
    ['audio/ogg; codecs=opus'],
    ['video/mp4'],
    ['image/png'],
    ['application/pdf'],
    ['text/plain'],
    ['application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ])('may be %s', async (mime) => {
    const { body } = await upload({ mime })

    expect((await find(body.id)).body.mime_type).toBe(mime)
  })

  test.each<[string, Upload, string]>([
    ['without a product', { fields: {} }, 'messaging_product'],
    ['of an unknown type', { mime: 'image/gif' }, 'image/gif'],
    ['of no type', { mime: '' }, 'types'],
    [
      'declared as something else',
      { fields: { messaging_product: 'whatsapp', type: 'video/mp4' } },
      'video/mp4',
    ],
    ['of a picture over 5 MB', { bytes: Buffer.alloc(5 * 1024 * 1024 + 1) }, 'too large'],
    [
      'of audio over 16 MB',
      { bytes: Buffer.alloc(16 * 1024 * 1024 + 1), mime: 'audio/mpeg' },
      'too large',
    ],
    [
      'of a still sticker over 100 KB',
      { bytes: Buffer.alloc(100 * 1024 + 1), mime: 'image/webp' },
      'too large',
    ],
    [
      'of a moving sticker over 500 KB',
      { bytes: movingSticker(500 * 1024 + 1), mime: 'image/webp' },
      'too large',
    ],
  ])('%s is 400 code 100', async (_case, given, text) => {
    const { status, body } = await upload(given)

    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 100 })
    expect(JSON.stringify(body.error)).toContain(text)
  })

  test('of a moving sticker may be larger than a still one', async () => {
    expect((await upload({ bytes: movingSticker(500 * 1024), mime: 'image/webp' })).status).toBe(
      200,
    )
  })

  test('of a document may be larger than any other body', async () => {
    const bytes = Buffer.alloc(16 * 1024 * 1024 + 1, 'x')
    const { status, body } = await upload({ bytes, mime: 'application/pdf' })

    expect(status).toBe(200)
    expect((await find(body.id)).body.file_size).toBe(bytes.length)
  })

  test('needs a token and a form with a file', async () => {
    const path = `/v25.0/${shop.phone_number_id}/media`
    const json = await scene.call('POST', path, { messaging_product: 'whatsapp' }, bearer())
    const broken = await scene.call('POST', path, '--nonsense', {
      ...bearer(),
      'content-type': 'multipart/form-data; boundary=other',
    })

    expect((await upload({ token: 'nobody' })).status).toBe(401)
    expect(json.body.error.error_data.details).toContain('file')
    expect(broken).toMatchObject({ status: 400, body: { error: { code: 100 } } })
  })
})

describe('a lookup', () => {
  test('can be bound to a number', async () => {
    const { id } = (await upload()).body

    expect((await find(id, `?phone_number_id=${shop.phone_number_id}`)).status).toBe(200)
    expect(await find(id, `?phone_number_id=${clinic.phone_number_id}`)).toMatchObject(gone)
  })

  test('shows nothing to others, and nothing that never was', async () => {
    const { id } = (await upload()).body

    expect(await find(id, '', clinic.access_token)).toMatchObject(gone)
    expect(await find('1037543291540009')).toMatchObject(gone)
    expect((await find(id, '', 'nobody')).status).toBe(401)
  })

  test('works for 30 days after an upload', async () => {
    const { id } = (await upload()).body
    later(30 * 24 * 60 * minute - 1)
    expect((await find(id)).status).toBe(200)
    later(1)
    expect(await find(id)).toMatchObject(gone)
  })

  test('works for 7 days after a customer sent a file', async () => {
    scene.simulator.customerWrites('16505550143', {
      phone_number_id: shop.phone_number_id,
      type: 'image',
      image: { caption: 'Is it this one?' },
    })
    await scene.simulator.settled()
    const { image } = changeValue(scene.receiver.received[0]?.body ?? '').messages[0]
    const found = await find(image.id)

    // The same hash, in base64 there and in hex here.
    expect(Buffer.from(image.sha256, 'base64').toString('hex')).toBe(found.body.sha256)
    expect(Buffer.from(await (await fetchFile(found.body.url)).arrayBuffer())).toEqual(jpeg)
    later(7 * 24 * 60 * minute)
    expect(await find(image.id)).toMatchObject(gone)
  })

  test('finds the file that a customer really sent', async () => {
    const { phone_number_id } = shop
    const added = await scene.call('POST', '/simulator/media', {
      phone_number_id,
      mime_type: 'application/pdf',
      base64: Buffer.from('%PDF-1.7 menu').toString('base64'),
      filename: 'menu.pdf',
    })
    const document = { id: added.body.id, filename: 'menu.pdf' }
    scene.simulator.customerWrites('16505550143', { phone_number_id, type: 'document', document })
    const found = await find(added.body.id)
    const file = await fetchFile(found.body.url)

    expect(added).toMatchObject({ status: 201, body: { sha256: found.body.sha256 } })
    expect(await file.text()).toBe('%PDF-1.7 menu')
    expect(file.headers.get('content-disposition')).toContain('menu.pdf')
  })
})

describe('a download', () => {
  test('ends five minutes after the lookup; a new lookup helps', async () => {
    const { id } = (await upload()).body
    const { url } = (await find(id)).body
    later(5 * minute - 1000)
    expect((await fetchFile(url)).status).toBe(200)
    later(1000)
    const late = await fetchFile(url)

    expect({ status: late.status, body: await late.text() }).toEqual({ status: 404, body: '' })
    expect((await fetchFile((await find(id)).body.url)).status).toBe(200)
  })

  test('needs a living token and the very URL', async () => {
    const { id } = (await upload()).body
    const { url } = (await find(id)).body
    const forged = url.replace(/ext=\d+/, 'ext=99999999999')

    expect((await fetchFile(url, {})).status).toBe(401)
    expect((await fetchFile(url, bearer('nobody'))).status).toBe(401)
    expect((await fetchFile(forged)).status).toBe(404)
    expect((await fetchFile(url.split('?')[0])).status).toBe(404)
  })
})

describe('a deletion', () => {
  test('takes the file away, also from who has its URL', async () => {
    const { id } = (await upload()).body
    const { url } = (await find(id)).body
    const stranger = await scene.call(
      'DELETE',
      `/v25.0/${id}`,
      undefined,
      bearer(clinic.access_token),
    )
    const deleted = await scene.call('DELETE', `/v25.0/${id}`, undefined, bearer())

    expect(stranger).toMatchObject(gone)
    expect(deleted).toMatchObject({ status: 200, body: { success: true } })
    expect(await find(id)).toMatchObject(gone)
    expect((await fetchFile(url)).status).toBe(404)
  })
})

function movingSticker(size: number): Buffer {
  const bytes = Buffer.alloc(size)
  bytes.write('VP8X', 12, 'latin1')
  bytes[20] = 0x02
  return bytes
}
