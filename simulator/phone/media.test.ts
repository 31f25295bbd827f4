import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { changeValue, type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
beforeEach(async () => {
  await scene.startAnew()
  await scene.call('POST', '/simulator/phone/customers', { wa_id: '15550100101' })
})
afterAll(() => scene.close())

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

async function attach(bytes: Buffer | string, type: string, filename = 'page.png') {
  const query = new URLSearchParams({ phone_number_id: shop.phone_number_id, filename })
  const response = await fetch(`${scene.simulator.url}/simulator/phone/media?${query}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: bytes,
  })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

test('what a customer attaches can be downloaded by the gateway as from Meta', async () => {
  const { body: media } = await attach(png, 'image/png')
  await scene.call('POST', `/simulator/phone/chats/${shop.phone_number_id}/15550100101/messages`, {
    type: 'image',
    image: { ...media, caption: 'The signed page' },
  })
  await scene.simulator.settled()

  const { image } = changeValue(scene.receiver.received[0]?.body ?? '').messages[0]
  expect(image).toMatchObject({ id: media.id, sha256: media.sha256, mime_type: 'image/png' })
  const bearer = { authorization: `Bearer ${shop.access_token}` }
  const { body: found } = await scene.call('GET', `/v25.0/${image.id}`, undefined, bearer)
  const file = await fetch(found.url, { headers: bearer })
  expect(Buffer.from(await file.arrayBuffer())).toEqual(png)
})

test('the page can show it, but nothing in it can act on the page', async () => {
  const { body: picture } = await attach(png, 'image/png')
  const { body: page } = await attach('<script>alert(1)</script>', 'text/html', 'page.html')
  const { body: drawing } = await attach('<svg/>', 'image/svg+xml', 'drawing.svg')
  const get = ({ id }: Record<string, string>) =>
    fetch(`${scene.simulator.url}/simulator/phone/media/${id}`)

  const shown = await get(picture)
  expect(shown.headers.get('content-type')).toBe('image/png')
  expect(shown.headers.get('content-disposition')).toBe('inline')
  for (const dangerous of [await get(page), await get(drawing)]) {
    expect(dangerous.headers.get('content-type')).toBe('application/octet-stream')
    expect(dangerous.headers.get('content-disposition')).toBe('attachment')
    expect(dangerous.headers.get('content-security-policy')).toContain('sandbox')
    expect(dangerous.headers.get('x-content-type-options')).toBe('nosniff')
  }
})

test('what is missing is said by name', async () => {
  const unknown = await scene.call('GET', '/simulator/phone/media/42')
  const ownerless = await scene.call('POST', '/simulator/phone/media', 'words')

  expect(unknown.body.error.code).toBe('MEDIA_NOT_FOUND')
  expect(ownerless.status).toBe(400)
  expect(ownerless.body.error.message).toContain('phone_number_id')
})
