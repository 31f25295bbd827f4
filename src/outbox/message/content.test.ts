// The rules that are no limits: what must be there, what must not, and which forms things have.
import { describe, expect, test } from 'vitest'
import {
  sampleMessage as sample,
  withValue,
  wrongFields as wrong,
} from '../../../test/support/messages-to-refuse.ts'
import { templateOf } from '../../../test/support/messages-to-send.ts'

const i = 'interactive'
const link = 'https://files.example/a'

describe('a template', () => {
  const path = 'template.components.1.parameters.0.text'
  const of = (name: string, field: string, value: unknown) =>
    wrong(withValue(sample(name), field, value))

  test.each(['a\nb', 'a\rb', 'a\tb', 'a     b'])('has no gap filled with %j', (said) => {
    expect(of('template with texts and money', path, said)).toEqual([path])
  })

  test('may have four spaces in a row', () => {
    expect(of('template with texts and money', path, 'a    b')).toEqual([])
  })

  test.each(['Order', 'order-update', 'order update', 'ördér', ''])('is not called %j', (name) => {
    expect(of('template bare', 'template.name', name)).toEqual(['template.name'])
  })

  test.each(['en', 'en_US', 'pt_BR', 'fil', 'zh_HK', 'es_419'])('speaks %s', (code) => {
    expect(of('template bare', 'template.language.code', code)).toEqual([])
  })

  test.each(['en-US', 'english', 'EN', '', 'e', `en${'_USUS'.repeat(7)}`])(
    'speaks no %j',
    (code) => {
      expect(of('template bare', 'template.language.code', code)).toEqual([
        'template.language.code',
      ])
    },
  )

  test.each([
    ['template.name', undefined],
    ['template.language', undefined],
    ['template.language', 'en'],
    ['template.language.policy', 'fallback'],
    ['template.namespace', 'x'],
    ['template.components', {}],
  ])('%s cannot be %j', (field, value) => {
    expect(of('template bare', field, value)).toEqual([field])
  })

  const one = (component: unknown) => wrong({ type: 'template', template: templateOf(component) })
  const at = 'template.components.0'

  test.each([
    ['a button’s kind', { type: 'button', index: 0 }, 'sub_type'],
    ['a button’s place', { type: 'button', sub_type: 'url' }, 'index'],
    ['a place that is one', { type: 'button', sub_type: 'url', index: '10' }, 'index'],
    ['a carousel’s cards', { type: 'carousel' }, 'cards'],
    ['its type', { parameters: [] }, 'type'],
    ['nothing else', { type: 'body', params: [] }, 'params'],
    ['no cards in a body', { type: 'body', cards: [{ card_index: 0, components: [] }] }, 'cards'],
    ['a parameter’s type', { type: 'body', parameters: [{}] }, 'parameters.0.type'],
    [
      'the value of the type',
      { type: 'body', parameters: [{ type: 'currency' }] },
      'parameters.0.currency',
    ],
    [
      'no value of another type',
      { type: 'body', parameters: [{ type: 'text', text: 'a', payload: 'b' }] },
      'parameters.0.payload',
    ],
    [
      'a picture by id or link',
      { type: 'header', parameters: [{ type: 'image', image: {} }] },
      'parameters.0.image.id',
    ],
    [
      'whole thousandths',
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: 'a', code: 'USD', amount_1000: 0.5 } },
        ],
      },
      'parameters.0.currency.amount_1000',
    ],
    [
      'a currency that is one',
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: 'a', code: 'usd', amount_1000: 1 } },
        ],
      },
      'parameters.0.currency.code',
    ],
    [
      'no carousel in a carousel',
      { type: 'carousel', cards: [{ card_index: 0, components: [{ type: 'CAROUSEL' }] }] },
      'cards.0.components.0.type',
    ],
  ])('component needs %s', (_name, component, field) => {
    expect(one(component)).toEqual([`${at}.${field}`])
  })

  test('may be written in capitals, and is held to the same', () => {
    expect(one({ type: 'BODY', parameters: [{ type: 'TEXT', text: 'a' }] })).toEqual([])
    expect(one({ type: 'BODY', params: [] })).toEqual([`${at}.params`])
  })

  test('of an unknown kind goes through, however its type is called', () => {
    for (const type of ['constructor', 'toString', '__proto__', 'hologram']) {
      expect(one({ type, anything: 1 })).toEqual([])
      expect(one({ type: 'body', parameters: [{ type, anything: 1 }] })).toEqual([])
    }
  })
})

describe('interactive', () => {
  test.each([
    ['button', `${i}.action.buttons.0.reply.id`, ' yes'],
    ['button', `${i}.action.buttons.0.type`, 'url'],
    ['button', `${i}.header.type`, 'audio'],
    ['button', `${i}.header.image.caption`, 'x'],
    ['button', `${i}.body`, undefined],
    ['button', `${i}.action`, undefined],
    ['button', `${i}.type`, 'knob'],
    ['list', `${i}.header.type`, 'image'],
    ['cta_url', `${i}.action.name`, 'url'],
    ['location_request_message', `${i}.header`, { type: 'text', text: 'x' }],
    ['location_request_message', `${i}.footer`, { text: 'x' }],
    ['location_request_message', `${i}.action.name`, 'location'],
    ['flow', `${i}.action.parameters.flow_message_version`, 3],
    ['flow', `${i}.action.parameters.flow_id`, undefined],
    ['flow', `${i}.action.parameters.flow_name`, 'sign_up'],
    ['flow', `${i}.action.parameters.mode`, 'live'],
    ['flow', `${i}.action.parameters.flow_action`, 'jump'],
    ['flow', `${i}.action.parameters.flow_action_payload.data`, {}],
    ['flow', `${i}.action.parameters.flow_tokn`, 'x'],
    ['product', `${i}.header`, { type: 'text', text: 'x' }],
    ['product', `${i}.action.catalog_id`, undefined],
    ['product', `${i}.action.product_retailer_id`, ''],
    ['product_list', `${i}.header`, undefined],
    ['product_list', `${i}.body`, undefined],
    ['catalog_message', `${i}.header`, { type: 'text', text: 'x' }],
    ['catalog_message', `${i}.action.parameters.thumbnail_product_retailer_id`, undefined],
    ['carousel of links', `${i}.footer`, { text: 'x' }],
    ['carousel of links', `${i}.action.cards.0.header`, undefined],
    ['carousel of links', `${i}.action.cards.0.header.type`, 'document'],
    ['carousel of links', `${i}.action.cards.0.body.text`, 'a\nb\nc\nd'],
    ['carousel of links', `${i}.action.cards.0.type`, 'product'],
    ['carousel of products', `${i}.action.cards.0.body`, { text: 'x' }],
    ['carousel of products', `${i}.action.cards.0.header`, { type: 'image', image: { link } }],
    ['address_message', `${i}.action.parameters.country`, 'India'],
    ['address_message', `${i}.action.parameters.country`, undefined],
    ['address_message', `${i}.action.parameters.saved_addresses`, {}],
    ['call_permission_request', `${i}.header`, { type: 'text', text: 'x' }],
    ['call_permission_request', `${i}.action.name`, 'call'],
    ['voice_call', `${i}.action.parameters.ttl`, 7],
    ['order_details', `${i}.action.parameters.reference_id`, undefined],
    ['order_status', `${i}.action.name`, 'review_and_pay'],
  ])('%s: %s cannot be %j', (name, field, value) => {
    expect(wrong(withValue(sample(name), field, value))).toEqual([field])
  })

  test('a card without an action, with half of one or with two is refused', () => {
    const action = `${i}.action.cards.0.action`
    const of = (value: unknown) => wrong(withValue(sample('carousel of links'), action, value))
    const url = { name: 'cta_url', parameters: { display_text: 'Open', url: link } }
    const buttons = [{ type: 'quick_reply', quick_reply: { id: 'a', title: 'a' } }]
    for (const bad of [{}, { name: 'cta_url' }, { ...url, buttons }, { ...url, catalog_id: '7' }]) {
      expect(of(bad)).toContain(action)
    }
  })

  test('a flow’s payload belongs to navigating', () => {
    const field = `${i}.action.parameters.flow_action`
    expect(wrong(withValue(sample('flow'), field, 'data_exchange'))).toEqual([`${field}_payload`])
  })
})

describe('a reaction', () => {
  test.each(['👍', '', '👩🏽‍❤️‍💋‍👨🏿', '🏴󠁧󠁢󠁷󠁬󠁳󠁿'])('is %j', (emoji) => {
    expect(wrong(withValue(sample('reaction'), 'reaction.emoji', emoji))).toEqual([])
  })

  test.each([undefined, null, 'x'.repeat(33)])('is not %j', (emoji) => {
    expect(wrong(withValue(sample('reaction'), 'reaction.emoji', emoji))).toEqual([
      'reaction.emoji',
    ])
  })

  test('is to a message', () => {
    expect(wrong({ type: 'reaction', reaction: { emoji: '👍' } })).toEqual(['reaction.message_id'])
  })
})

describe('a contact card', () => {
  test.each([
    ['contacts.0.name', undefined],
    ['contacts.0.name.formatted_name', undefined],
    ['contacts.0.name.nickname', 'M'],
    ['contacts.0.birthday', '29.02.1980'],
    ['contacts.0.birthday', '1981-02-29'],
    ['contacts.0.phones', '+1 650 555 0143'],
    ['contacts.0.phones.0.number', '+1 650 555 0143'],
    ['contacts', {}],
  ])('%s cannot be %j', (field, value) => {
    expect(wrong(withValue(sample('contacts'), field, value))).toEqual([field])
  })

  test('needs no more than a name', () => {
    expect(
      wrong({ type: 'contacts', contacts: [{ name: { formatted_name: 'Mara Quint' } }] }),
    ).toEqual([])
  })
})
