// Every kind of message: what Meta takes, and what it says about the rest.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene
let imageId: string
beforeAll(async () => {
  scene = await startScene()
  const file = { phone_number_id: shop.phone_number_id, mime_type: 'image/png', base64: 'iVBORw==' }
  imageId = (await scene.call('POST', '/simulator/media', file)).body.id
})
afterAll(() => scene.close())

const link = 'https://files.example/a'
const long = (length: number) => 'x'.repeat(length)
const send = (type: string, content: unknown) =>
  scene.send({ messaging_product: 'whatsapp', to: '+16505550143', type, [type]: content })
const reply = (id: string, title = `Title ${id}`) => ({ type: 'reply', reply: { id, title } })
const row = (id: string, more: object = {}) => ({ id, title: `Row ${id}`, ...more })
const rows = (count: number, prefix = 'r') =>
  Array.from({ length: count }, (_, index) => row(`${prefix}${index}`))
const body = { text: 'Choose' }
const buttons = (...given: object[]) => ({ type: 'button', body, action: { buttons: given } })
const list = (sections: object[], more: object = {}) => ({
  type: 'list',
  body,
  action: { button: 'Open', sections },
  ...more,
})
const linkButton = (parameters: object) => ({
  type: 'cta_url',
  body,
  action: { name: 'cta_url', parameters },
})
const card = { header: { type: 'image', image: { link } }, action: { buttons: [reply('1')] } }
const carousel = (...cards: object[]) => ({ type: 'carousel', body, action: { cards } })
const flow = (parameters: object) => ({ type: 'flow', body, action: { name: 'flow', parameters } })
const goodFlow = { flow_message_version: '3', flow_id: '77', flow_cta: 'Book' }

describe('accepted', () => {
  test.each<[string, string, unknown]>([
    ['a text of 4096 characters', 'text', { body: long(4096), preview_url: true }],
    ['an image by link', 'image', { link, caption: long(1024) }],
    ['a video', 'video', { link }],
    ['a document', 'document', { link, filename: 'menu.pdf', caption: 'Menu' }],
    ['a voice note', 'audio', { link, voice: true }],
    ['a sticker', 'sticker', { link }],
    ['a place', 'location', { latitude: 41.4, longitude: 2.17, name: 'Harbour', address: 'Pier' }],
    ['coordinates as text', 'location', { latitude: '41.4', longitude: '-2.17' }],
    [
      'contact cards',
      'contacts',
      [{ name: { formatted_name: 'Mara Quint' }, phones: [{ phone: '+16505550143' }] }],
    ],
    ['a reaction', 'reaction', { message_id: 'wamid.HBgL', emoji: '👍🏽' }],
    ['a reaction of several code points', 'reaction', { message_id: 'wamid.HBgL', emoji: '❤️' }],
    ['a reaction taken back', 'reaction', { message_id: 'wamid.HBgL', emoji: '' }],
    ['three buttons', 'interactive', buttons(reply('1'), reply('2'), reply('3'))],
    [
      'buttons under a picture',
      'interactive',
      { ...buttons(reply('1')), header: { type: 'image', image: { link } }, footer: { text: 'f' } },
    ],
    ['a list of ten rows', 'interactive', list([{ rows: rows(10) }])],
    [
      'a list of two sections and a long body',
      'interactive',
      list(
        [
          { title: 'A', rows: rows(5) },
          { title: 'B', rows: rows(5, 'q') },
        ],
        {
          body: { text: long(4096) },
          header: { type: 'text', text: 'Menu' },
        },
      ),
    ],
    ['a link button', 'interactive', linkButton({ display_text: 'Open', url: link })],
    [
      'a question for the place',
      'interactive',
      { type: 'location_request_message', body, action: { name: 'send_location' } },
    ],
    ['a flow', 'interactive', flow(goodFlow)],
    ['a flow by name', 'interactive', flow({ ...goodFlow, flow_id: undefined, flow_name: 'b' })],
    [
      'a product',
      'interactive',
      { type: 'product', action: { catalog_id: '1', product_retailer_id: 'p1' } },
    ],
    [
      'products',
      'interactive',
      {
        type: 'product_list',
        header: { type: 'text', text: 'Menu' },
        body,
        action: {
          catalog_id: '1',
          sections: [{ title: 'A', product_items: [{ product_retailer_id: 'p1' }] }],
        },
      },
    ],
    [
      'a catalogue',
      'interactive',
      { type: 'catalog_message', body, action: { name: 'catalog_message' } },
    ],
    [
      'a request to call',
      'interactive',
      { type: 'call_permission_request', action: { name: 'call_permission_request' } },
    ],
    [
      'a question for the address',
      'interactive',
      {
        type: 'address_message',
        body,
        action: { name: 'address_message', parameters: { country: 'IN' } },
      },
    ],
    ['a carousel', 'interactive', carousel(card, { ...card, body: { text: long(160) } })],
  ])('%s', async (_case, type, content) => {
    const answer = await send(type, content)

    expect(answer.body).toMatchObject({ messages: [{ id: expect.stringMatching(/^wamid\./) }] })
    expect(answer.status).toBe(200)
  })

  test('an uploaded picture', async () => {
    expect((await send('image', { id: imageId })).status).toBe(200)
    const header = { type: 'image', image: { id: imageId } }
    expect((await send('interactive', { ...buttons(reply('1')), header })).status).toBe(200)
  })
})

describe('refused', () => {
  test.each<[string, number, string, unknown]>([
    ['text.body', 131008, 'text', {}],
    ['text.body', 131009, 'text', { body: '' }],
    ['text.body', 131009, 'text', { body: long(4097) }],
    ['text.preview_url', 131009, 'text', { body: 'x', preview_url: 'yes' }],
    ['image.id', 131008, 'image', {}],
    ['image.link', 131009, 'image', { link: 'ftp://files.example/a' }],
    ['image.link', 131009, 'image', { link: 'not a url' }],
    ["image['id']", 100, 'image', { id: '1037543291540009' }],
    ['image.id', 100, 'image', { id: '1037543291540009', link }],
    ['image.caption', 131009, 'image', { link, caption: long(1025) }],
    ['"filename"', 100, 'image', { link, filename: 'a.jpg' }],
    ['"caption"', 100, 'audio', { link, caption: 'x' }],
    ['"caption"', 100, 'sticker', { link, caption: 'x' }],
    ['"voice"', 100, 'video', { link, voice: true }],
    ['audio.voice', 131009, 'audio', { link, voice: 'yes' }],
    ['document.filename', 131009, 'document', { link, filename: 7 }],
    ['location.latitude', 131008, 'location', { longitude: 2 }],
    ['location.latitude', 131009, 'location', { latitude: 91, longitude: 2 }],
    ['location.longitude', 131009, 'location', { latitude: 1, longitude: 'east' }],
    ['location.longitude', 131009, 'location', { latitude: 1, longitude: '' }],
    ['contacts', 131009, 'contacts', {}],
    [
      'contacts',
      131009,
      'contacts',
      Array.from({ length: 258 }, () => ({ name: { formatted_name: 'M' } })),
    ],
    ['contacts[0].name', 131008, 'contacts', [{}]],
    ['contacts[0].name.formatted_name', 131008, 'contacts', [{ name: { first_name: 'Mara' } }]],
    [
      'contacts[0].phones',
      131009,
      'contacts',
      [{ name: { formatted_name: 'M' }, phones: '+1650' }],
    ],
    ['reaction.message_id', 131008, 'reaction', { emoji: '👍' }],
    ['reaction.emoji', 131008, 'reaction', { message_id: 'wamid.HBgL' }],
    ['reaction.emoji', 131009, 'reaction', { message_id: 'wamid.HBgL', emoji: 'thumbs' }],
  ])('%s is code %i', expectRefusal)

  test.each<[string, number, unknown]>([
    ['interactive.type', 131008, { body, action: {} }],
    ['interactive.type', 131009, { type: 'hologram', body, action: {} }],
    ['interactive.type', 131009, { type: 'constructor', body, action: {} }],
    ['interactive.action', 131008, { type: 'button', body }],
    ['interactive.body', 131008, { type: 'button', action: { buttons: [reply('1')] } }],
    ['interactive.body.text', 131009, { ...buttons(reply('1')), body: { text: long(1025) } }],
    ['interactive.footer.text', 131009, { ...buttons(reply('1')), footer: { text: long(61) } }],
    ['header.text', 131009, { ...buttons(reply('1')), header: { type: 'text', text: long(61) } }],
    ['header.type', 131009, { ...buttons(reply('1')), header: { type: 'audio', audio: { link } } }],
    ['header.image', 131008, { ...buttons(reply('1')), header: { type: 'image' } }],
    ['action.buttons', 131008, { type: 'button', body, action: {} }],
    ['action.buttons', 131009, buttons()],
    ['action.buttons', 131009, buttons(reply('1'), reply('2'), reply('3'), reply('4'))],
    ['buttons[0].type', 131009, buttons({ type: 'url' })],
    ['reply.title', 131009, buttons(reply('1', long(21)))],
    ['reply.title', 131008, buttons({ type: 'reply', reply: { id: '1' } })],
    ['reply.id', 131009, buttons(reply(long(257), 'A'))],
    ['buttons ids', 131009, buttons(reply('1', 'A'), reply('1', 'B'))],
    ['buttons titles', 131009, buttons(reply('1', 'A'), reply('2', 'A'))],
    ['action.button', 131008, { type: 'list', body, action: { sections: [{ rows: rows(1) }] } }],
    [
      'action.button',
      131009,
      { type: 'list', body, action: { button: long(21), sections: [{ rows: rows(1) }] } },
    ],
    ['action.sections', 131009, list([])],
    [
      'action.sections',
      131009,
      list([
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5, 'q') },
      ]),
    ],
    ['sections[0].title', 131008, list([{ rows: rows(1) }, { title: 'B', rows: rows(1, 'q') }])],
    ['sections[0].title', 131009, list([{ title: long(25), rows: rows(1) }])],
    ['rows[0].title', 131009, list([{ rows: [row('1', { title: long(25) })] }])],
    ['rows[0].id', 131009, list([{ rows: [row(long(201), { title: 'A' })] }])],
    ['rows[0].description', 131009, list([{ rows: [row('1', { description: long(73) })] }])],
    ['row ids', 131009, list([{ rows: [row('1'), row('1')] }])],
    ['interactive.body.text', 131009, list([{ rows: rows(1) }], { body: { text: long(4097) } })],
    [
      'header.type',
      131009,
      list([{ rows: rows(1) }], { header: { type: 'image', image: { link } } }),
    ],
    ['display_text', 131009, linkButton({ display_text: long(21), url: link })],
    ['parameters.url', 131009, linkButton({ display_text: 'Open', url: 'shop' })],
    ['action.name', 131009, { ...linkButton({}), action: { name: 'url', parameters: {} } }],
    ['action.name', 131008, { type: 'location_request_message', body, action: {} }],
    [
      '"header"',
      100,
      {
        type: 'location_request_message',
        body,
        header: { type: 'text', text: 'x' },
        action: { name: 'send_location' },
      },
    ],
    ['flow_cta', 131008, flow({ ...goodFlow, flow_cta: undefined })],
    ['flow_id', 131008, flow({ ...goodFlow, flow_id: undefined })],
    ['catalog_id', 131008, { type: 'product', action: {} }],
    [
      'interactive.header',
      131008,
      { type: 'product_list', body, action: { catalog_id: '1', sections: [] } },
    ],
    [
      'action.parameters',
      131008,
      { type: 'address_message', body, action: { name: 'address_message' } },
    ],
    ['action.cards', 131009, carousel(card)],
    ['cards[0].body.text', 131009, carousel({ ...card, body: { text: long(161) } }, card)],
    ['cards[1].header', 131008, carousel(card, { ...card, header: undefined })],
  ])('%s is code %i', (name, code, content) => expectRefusal(name, code, 'interactive', content))

  async function expectRefusal(name: string, code: number, type: string, content: unknown) {
    const answer = await send(type, content)

    expect(answer.body.error).toMatchObject({
      code,
      error_data: { messaging_product: 'whatsapp', details: expect.stringContaining(name) },
    })
    expect(answer.status).toBe(400)
  }
})
