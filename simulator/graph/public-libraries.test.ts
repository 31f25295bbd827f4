// Client libraries that know nothing of the simulator: if they can work with it, it is like Meta
// where it matters.
import { WhatsAppClient } from '@kapso/whatsapp-cloud-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WhatsAppAPI } from 'whatsapp-api-js'
import { BodyComponent, BodyParameter, Image, Template, Text } from 'whatsapp-api-js/messages'
import { sampleBytes } from '../media-samples.ts'
import { type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
beforeEach(() => scene.startAnew())
afterAll(() => scene.close())

const phoneNumberId = shop.phone_number_id
const to = '+16505550143'
const picture = () => new Blob([new Uint8Array(sampleBytes('image/jpeg'))], { type: 'image/jpeg' })
const accepted = () =>
  scene.simulator.ledger().sends.map(({ type, request }) => ({ type, request }))
const idOf = (answer: unknown) => (answer as { messages: { id: string }[] }).messages[0]?.id

describe('@kapso/whatsapp-cloud-api', () => {
  const client = () =>
    new WhatsAppClient({
      accessToken: shop.access_token,
      baseUrl: scene.simulator.url,
      graphVersion: 'v25.0',
    })

  test('sends text, template and media', async () => {
    const { messages, media } = client()

    const text = await messages.sendText({ phoneNumberId, to, body: 'Hello from a library' })
    const template = await messages.sendTemplate({
      phoneNumberId,
      to,
      template: {
        name: 'order_update',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', text: 'Mara' },
              { type: 'text', text: '88231' },
            ],
          },
        ],
      },
    })
    const { id } = await media.upload({ phoneNumberId, type: 'image/jpeg', file: picture() })
    const image = await messages.sendImage({ phoneNumberId, to, image: { id, caption: 'Blue' } })

    expect(accepted()).toMatchObject([
      { type: 'text', request: { text: { body: 'Hello from a library' } } },
      { type: 'template', request: { template: { name: 'order_update' } } },
      { type: 'image', request: { image: { id, caption: 'Blue' } } },
    ])
    expect([text, template, image].map(idOf)).toEqual(
      scene.simulator.ledger().sends.map(({ wamid }) => wamid),
    )
  })

  test('downloads what it uploaded, lists templates, marks as read', async () => {
    const { messages, media, templates } = client()
    const { id } = await media.upload({ phoneNumberId, type: 'image/jpeg', file: picture() })

    const bytes = await media.download({ mediaId: id, phoneNumberId, auth: 'always' })
    const { data } = await templates.list({ businessAccountId: shop.waba_id, limit: 2 })
    const read = await messages.markRead({ phoneNumberId, messageId: 'wamid.HBgL' })

    expect(Buffer.from(bytes as ArrayBuffer)).toEqual(sampleBytes('image/jpeg'))
    expect(data.map(({ name }) => name)).toEqual(['hello_world', 'order_update'])
    expect(read).toEqual({ success: true })
  })

  test('understands a refusal', async () => {
    const sent = client().messages.sendText({ phoneNumberId, to: 'Mara', body: 'Hello' })

    await expect(sent).rejects.toMatchObject({ code: 131009 })
  })
})

describe('whatsapp-api-js', () => {
  const api = () =>
    new WhatsAppAPI({
      token: shop.access_token,
      appSecret: 'unused',
      v: 'v25.0',
      ponyfill: { fetch: fetchFromSimulator as typeof fetch },
    })

  // It has Meta's address built in, so the address is changed on the way.
  const fetchFromSimulator = (url: string | URL, init?: RequestInit) =>
    fetch(String(url).replace('https://graph.facebook.com', scene.simulator.url), init)

  test('sends text, template and media', async () => {
    const client = api()
    const form = new FormData()
    form.set('file', picture(), 'blue.jpg')

    const text = await client.sendMessage(phoneNumberId, to, new Text('Hello from a library'))
    const template = await client.sendMessage(
      phoneNumberId,
      to,
      new Template(
        'order_update',
        'en_US',
        new BodyComponent(new BodyParameter('Mara'), new BodyParameter('88231')),
      ),
    )
    const uploaded = await client.uploadMedia(phoneNumberId, form)
    const id = (uploaded as { id: string }).id
    const image = await client.sendMessage(phoneNumberId, to, new Image(id, true, 'Blue'))

    expect(accepted()).toMatchObject([
      { type: 'text', request: { text: { body: 'Hello from a library' } } },
      { type: 'template', request: { template: { name: 'order_update' } } },
      { type: 'image', request: { image: { id, caption: 'Blue' } } },
    ])
    expect([text, template, image].map(idOf)).toEqual(
      scene.simulator.ledger().sends.map(({ wamid }) => wamid),
    )
  })

  test('downloads what it uploaded, and deletes it', async () => {
    const client = api()
    const form = new FormData()
    form.set('file', picture(), 'blue.jpg')
    const { id } = (await client.uploadMedia(phoneNumberId, form)) as { id: string }

    const found = (await client.retrieveMedia(id, phoneNumberId)) as { url: string }
    const bytes = Buffer.from(await (await client.fetchMedia(found.url)).arrayBuffer())
    const deleted = await client.deleteMedia(id)
    const gone = await client.retrieveMedia(id)

    expect(bytes).toEqual(sampleBytes('image/jpeg'))
    expect(deleted).toEqual({ success: true })
    expect(gone).toMatchObject({ error: { code: 100, error_subcode: 33 } })
  })
})
