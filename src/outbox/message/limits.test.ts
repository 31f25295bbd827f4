// Every limit from both sides: what is just within it passes, one more is refused by the field's name.
import { describe, expect, test } from 'vitest'
import {
  sampleMessage as sample,
  withValue,
  wrongFields as wrong,
} from '../../../test/support/messages-to-refuse.ts'

const i = 'interactive'
const texts: [sample: string, field: string, max: number][] = [
  ['text', 'text.body', 4096],
  ['image by id', 'image.caption', 1024],
  ['video', 'video.caption', 1024],
  ['document', 'document.caption', 1024],
  ['document', 'document.filename', 255],
  ['location', 'location.name', 1024],
  ['contacts', 'contacts.0.name.formatted_name', 1024],
  ['button', `${i}.body.text`, 1024],
  ['button', `${i}.footer.text`, 60],
  ['button', `${i}.action.buttons.0.reply.id`, 256],
  ['button', `${i}.action.buttons.1.reply.title`, 20],
  ['list', `${i}.header.text`, 60],
  ['list', `${i}.body.text`, 4096],
  ['list', `${i}.action.button`, 20],
  ['list', `${i}.action.sections.1.title`, 24],
  ['list', `${i}.action.sections.0.rows.0.id`, 200],
  ['list', `${i}.action.sections.0.rows.0.title`, 24],
  ['list', `${i}.action.sections.0.rows.0.description`, 72],
  ['cta_url', `${i}.body.text`, 1024],
  ['cta_url', `${i}.action.parameters.display_text`, 20],
  ['location_request_message', `${i}.body.text`, 1024],
  ['flow', `${i}.body.text`, 1024],
  ['flow', `${i}.action.parameters.flow_cta`, 30],
  ['product_list', `${i}.header.text`, 60],
  ['product_list', `${i}.body.text`, 1024],
  ['product_list', `${i}.action.sections.0.title`, 24],
  ['catalog_message', `${i}.body.text`, 1024],
  ['carousel of links', `${i}.body.text`, 1024],
  ['carousel of links', `${i}.action.cards.0.body.text`, 160],
  ['carousel of links', `${i}.action.cards.1.action.parameters.display_text`, 20],
  ['carousel of replies', `${i}.action.cards.0.action.buttons.0.quick_reply.title`, 20],
  ['address_message', `${i}.body.text`, 1024],
  ['voice_call', `${i}.body.text`, 1024],
  ['voice_call', `${i}.action.parameters.display_text`, 20],
  ['voice_call', `${i}.action.parameters.payload`, 512],
  ['order_details', `${i}.body.text`, 1024],
  ['template with texts and money', 'template.components.0.parameters.0.text', 60],
  ['template with texts and money', 'template.components.1.parameters.0.text', 1024],
  ['template with texts and money', 'template.components.2.parameters.0.text', 2000],
  ['template with texts and money', 'template.components.4.parameters.0.coupon_code', 15],
  ['template bare', 'template.name', 512],
]

describe('a text', () => {
  test.each(texts)('%s: %s takes %i characters', (name, field, max) => {
    expect(wrong(withValue(sample(name), field, 'x'.repeat(max)))).toEqual([])
    expect(wrong(withValue(sample(name), field, 'x'.repeat(max + 1)))).toEqual([field])
  })

  test.each(texts)('%s: %s is not empty', (name, field) => {
    expect(wrong(withValue(sample(name), field, ''))).toEqual([field])
  })

  test.each(texts)('%s: %s is a text', (name, field) => {
    for (const value of [7, null, ['x'], {}, true]) {
      expect(wrong(withValue(sample(name), field, value))).toContain(field)
    }
  })

  test('is counted in characters, as people count', () => {
    const body = (text: string) => ({ type: 'text', text: { body: text } })
    expect(wrong(body('😀'.repeat(4096)))).toEqual([])
    expect(wrong(body('😀'.repeat(4097)))).toEqual(['text.body'])
    expect(wrong(body(`${'x'.repeat(4095)}😀`))).toEqual([])
  })
})

const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, n) => make(n))
const button = (n: number) => ({ type: 'reply', reply: { id: `b${n}`, title: `Button ${n}` } })
const row = (n: number) => ({ id: `r${n}`, title: `Row ${n}` })
const item = (n: number) => ({ product_retailer_id: `p${n}` })
const cards = (name: string) => (n: number) => {
  const { interactive } = sample(name) as { interactive?: { action: { cards: object[] } } }
  return { ...interactive?.action.cards[0], card_index: n }
}
const templateCard = (n: number) => ({ card_index: n, components: [] })

const counts: [string, string, number, number, (n: number) => unknown][] = [
  ['contacts', 'contacts', 1, 257, (n) => ({ name: { formatted_name: `Person ${n}` } })],
  ['button', `${i}.action.buttons`, 1, 3, button],
  ['list', `${i}.action.sections`, 1, 10, (n) => ({ title: `S${n}`, rows: [row(n)] })],
  ['list', `${i}.action.sections.0.rows`, 1, 9, row],
  ['product_list', `${i}.action.sections.0.product_items`, 1, 30, item],
  [
    'product_list',
    `${i}.action.sections`,
    1,
    10,
    (n) => ({ title: `S${n}`, product_items: [item(n)] }),
  ],
  ['carousel of links', `${i}.action.cards`, 2, 10, cards('carousel of links')],
  ['carousel of replies', `${i}.action.cards`, 2, 10, cards('carousel of replies')],
  ['carousel of products', `${i}.action.cards`, 2, 10, cards('carousel of products')],
  ['template with a carousel', 'template.components.0.cards', 1, 10, templateCard],
  ['template bare', 'template.components', 0, 50, () => ({ type: 'body' })],
]

describe('a list of things', () => {
  test.each(counts)('%s: %s takes %i to %i', (name, field, min, max, make) => {
    const of = (count: number) => wrong(withValue(sample(name), field, many(count, make)))
    expect(of(min)).toEqual([])
    expect(of(max)).toEqual([])
    // Of ten sections with eleven rows, the rows in all are too many as well.
    for (const path of of(max + 1)) expect(path.startsWith(field.replace('.0.rows', ''))).toBe(true)
    expect(of(max + 1)).not.toEqual([])
    if (min > 0) expect(of(min - 1)).toEqual([field])
  })

  test('ten rows in all sections, not in each', () => {
    const sections = (first: number, second: number) => [
      { title: 'A', rows: many(first, row) },
      { title: 'B', rows: many(second, (n) => row(100 + n)) },
    ]
    const of = (list: unknown) => wrong(withValue(sample('list'), `${i}.action.sections`, list))
    expect(of(sections(5, 5))).toEqual([])
    expect(of(sections(5, 6))).toEqual([`${i}.action.sections`])
    expect(of([{ rows: many(10, row) }])).toEqual([])
    expect(of([{ rows: many(11, row) }])).toContain(`${i}.action.sections.0.rows`)
  })

  test('thirty products in all sections, not in each', () => {
    const sections = (first: number, second: number) => [
      { title: 'A', product_items: many(first, item) },
      { title: 'B', product_items: many(second, item) },
    ]
    const of = (list: unknown) =>
      wrong(withValue(sample('product_list'), `${i}.action.sections`, list))
    expect(of(sections(15, 15))).toEqual([])
    expect(of(sections(15, 16))).toEqual([`${i}.action.sections`])
  })

  test.each(['list', 'product_list'])('of %s: a single section needs no title', (name) => {
    const sections = `${i}.action.sections`
    const untitled = withValue(sample(name), `${sections}.0.title`, undefined)
    const alone = (content: unknown) => {
      const { interactive } = content as { interactive: { action: { sections: unknown[] } } }
      return withValue(content, sections, interactive.action.sections.slice(0, 1))
    }
    expect(wrong(alone(untitled))).toEqual([])
    const { interactive } = untitled as { interactive: { action: { sections: object[] } } }
    const [first] = interactive.action.sections
    const other = { title: 'B', rows: [row(7)], product_items: [item(7)] }
    const { rows, product_items, ...titled } = other
    const second = name === 'list' ? { ...titled, rows } : { ...titled, product_items }
    expect(wrong(withValue(untitled, sections, [first, second]))).toEqual([`${sections}.0.title`])
  })
})

describe('things that must differ', () => {
  test.each([
    ['button', `${i}.action.buttons.1.reply.id`, 'yes'],
    ['button', `${i}.action.buttons.1.reply.title`, 'Yes'],
    ['list', `${i}.action.sections.1.rows.0.id`, 'm9'],
    ['carousel of links', `${i}.action.cards.1.card_index`, 0],
  ])('%s: %s', (name, field, value) => {
    expect(wrong(withValue(sample(name), field, value))).toEqual([field])
  })

  test('cards offer all the same', () => {
    const second = `${i}.action.cards.1`
    const mixed = withValue(sample('carousel of links'), second, cards('carousel of replies')(1))
    expect(wrong(mixed)).toEqual([`${second}.action`])
    const more = ['a', 'b'].map((id) => ({ type: 'quick_reply', quick_reply: { id, title: id } }))
    const unequal = withValue(sample('carousel of replies'), `${second}.action.buttons`, more)
    expect(wrong(unequal)).toEqual([`${second}.action`])
    const elsewhere = withValue(sample('carousel of products'), `${second}.action.catalog_id`, '7')
    expect(wrong(elsewhere)).toEqual([`${second}.action`])
  })
})

const media = ['image by id', 'audio', 'video', 'document', 'sticker'].map((name) => [
  name,
  sample(name).type,
])
const link = 'https://files.example/a'

describe('media', () => {
  test.each(media)('%s comes by id or by link, not by both or neither', (name, type) => {
    const of = (content: object) =>
      wrong(withValue(sample(name as string), type as string, content))
    expect(of({ id: '7' })).toEqual([])
    expect(of({ link })).toEqual([])
    expect(of({})).toEqual([`${type}.id`])
    expect(of({ id: '7', link })).toEqual([`${type}.link`])
  })

  test.each([
    ['audio', 'caption'],
    ['sticker', 'caption'],
    ['image by id', 'filename'],
    ['video', 'filename'],
    ['image by id', 'voice'],
  ])('%s has no %s', (name, field) => {
    const path = `${sample(name).type}.${field}`
    expect(wrong(withValue(sample(name), path, 'x'))).toEqual([path])
  })

  test.each([
    'ftp://files.example/a',
    'javascript:alert(1)',
    'data:image/png;base64,AAAA',
    'file:///etc/passwd',
    '//files.example/a',
    'files.example/a',
    'https://',
    'https:///a',
    'https://files.example/a b',
    'https://files.example/\n',
    ' https://files.example/',
    'https://[::1',
    `https://files.example/${'a'.repeat(8192)}`,
  ])('a link is not %j', (bad) => {
    expect(wrong({ type: 'image', image: { link: bad } })).toEqual(['image.link'])
    expect(wrong(withValue(sample('cta_url'), `${i}.action.parameters.url`, bad))).toEqual([
      `${i}.action.parameters.url`,
    ])
  })

  test.each([
    'http://files.example/a',
    'HTTPS://files.example/a?b=c#d',
    'https://files.example:8443/ä/😀.jpg',
    `https://f.example/${'a'.repeat(8192 - 18)}`,
  ])('a link is %j', (good) => {
    expect(wrong({ type: 'image', image: { link: good } })).toEqual([])
  })

  test('an id is Meta’s', () => {
    for (const id of ['', 'a b', 'x'.repeat(129), 7]) {
      expect(wrong({ type: 'image', image: { id } })).toContain('image.id')
    }
    expect(wrong({ type: 'image', image: { id: 'x'.repeat(128) } })).toEqual([])
  })
})

describe('a place', () => {
  test.each([
    [90, 180],
    [-90, -180],
    ['37.4421', '-122.1615'],
    [0, 0],
  ])('is at %s, %s', (latitude, longitude) => {
    expect(wrong({ type: 'location', location: { latitude, longitude } })).toEqual([])
  })

  test.each([
    ['latitude', 90.001],
    ['latitude', '91'],
    ['latitude', 'north'],
    ['latitude', null],
    ['longitude', 180.001],
    ['longitude', '-181'],
    ['longitude', ''],
    ['longitude', undefined],
  ])('has no %s of %j', (field, value) => {
    expect(wrong(withValue(sample('location'), `location.${field}`, value))).toEqual([
      `location.${field}`,
    ])
  })
})

describe('a number', () => {
  test.each([
    ['voice_call', `${i}.action.parameters.ttl_minutes`, 1, 43_200],
    ['carousel of links', `${i}.action.cards.1.card_index`, 1, 9],
    ['template with a carousel', 'template.components.0.cards.1.card_index', 0, 9],
    ['template with texts and money', 'template.components.3.index', 0, 9],
  ])('%s: %s is from %i to %i', (name, field, min, max) => {
    const of = (value: unknown) => wrong(withValue(sample(name), field, value))
    expect(of(min)).toEqual([])
    expect(of(max)).toEqual([])
    expect(of(max + 1)).toEqual([field])
    expect(of(-1)).toEqual([field])
    expect(of(1.5)).toEqual([field])
  })
})
