import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { newTemplate, templateChange } from './definition.ts'

const good = {
  name: 'reminder',
  language: 'pt_BR',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Good morning' }],
}

function refusedFields(given: unknown): string[] {
  const result = newTemplate.safeParse(given)
  return result.success ? [] : result.error.issues.map(({ path }) => path.join('.'))
}

const withParts = (...components: unknown[]) => ({ ...good, components })
const body = { type: 'BODY', text: 'Good morning' }
const buttons = (...list: unknown[]) => withParts(body, { type: 'BUTTONS', buttons: list })
const reply = { type: 'QUICK_REPLY', text: 'Yes' }
const url = { type: 'URL', text: 'Open', url: 'https://shop.example/a' }

describe('a template that Meta takes', () => {
  test.each([
    ['with a body alone', good],
    ['in lower case', { ...good, category: 'utility', components: [{ ...body, type: 'body' }] }],
    ['with a body of 1024', withParts({ type: 'BODY', text: 'x'.repeat(1024) })],
    ['with 1024 emoji', withParts({ type: 'BODY', text: '😀'.repeat(1024) })],
    [
      'with a header of 60',
      withParts(body, { type: 'HEADER', format: 'TEXT', text: 'x'.repeat(60) }),
    ],
    ['with a footer of 60', withParts(body, { type: 'FOOTER', text: 'x'.repeat(60) })],
    ['with a place', withParts(body, { type: 'HEADER', format: 'LOCATION' })],
    [
      'with a picture',
      withParts(body, { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } }),
    ],
    [
      'with parameters',
      withParts({
        type: 'BODY',
        text: 'Dear {{1}}, we meet at {{2}}.',
        example: { body_text: [['Mara', 'noon']] },
      }),
    ],
    [
      'with parameters in another order',
      withParts({
        type: 'BODY',
        text: 'At {{2}}, dear {{1}}, we meet.',
        example: { body_text: [['Mara', 'noon']] },
      }),
    ],
    [
      'with a parameter in its header',
      withParts(body, {
        type: 'HEADER',
        format: 'TEXT',
        text: '{{1}}',
        example: { header_text: ['Mara'] },
      }),
    ],
    [
      'with named parameters',
      {
        ...withParts({
          type: 'BODY',
          text: 'Dear {{first_name}}, hello.',
          example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mara' }] },
        }),
        parameter_format: 'NAMED',
      },
    ],
    ['with ten buttons', buttons(...Array.from({ length: 10 }, () => reply))],
    [
      'with two links and a phone',
      buttons(url, url, { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+16505550143' }),
    ],
    [
      'with a link to fill in',
      buttons({ ...url, url: 'https://shop.example/{{1}}', example: ['https://shop.example/a'] }),
    ],
    ['with a code to copy', buttons({ type: 'COPY_CODE', example: 'AUTUMN20' })],
    ['with a button that nobody knows yet', buttons({ type: 'HOLOGRAM', depth: 3 })],
    ['with a component that nobody knows yet', withParts(body, { type: 'HOLOGRAM', depth: 3 })],
    ['that lives for 600 seconds', { ...good, message_send_ttl_seconds: 600 }],
    ['that lives for 30 days', { ...good, message_send_ttl_seconds: -1 }],
    [
      'for signing in',
      {
        ...good,
        category: 'AUTHENTICATION',
        components: [
          { type: 'BODY', add_security_recommendation: true },
          { type: 'FOOTER', code_expiration_minutes: 10 },
          { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
        ],
      },
    ],
    [
      'with a carousel',
      withParts(body, {
        type: 'CAROUSEL',
        cards: [{ components: [{ type: 'BODY', text: 'x'.repeat(160) }] }],
      }),
    ],
  ])('%s is taken', (_name, given) => {
    expect(refusedFields(given)).toEqual([])
  })
})

describe('a template that Meta refuses', () => {
  test.each([
    ['no name', { ...good, name: undefined }, ['name']],
    ['capitals in its name', { ...good, name: 'Reminder' }, ['name']],
    ['a name of 513', { ...good, name: 'x'.repeat(513) }, ['name']],
    ['a language that is none', { ...good, language: 'English' }, ['language']],
    ['a category that is none', { ...good, category: 'FUN' }, ['category']],
    ['no components', { ...good, components: [] }, ['components']],
    ['no body', withParts({ type: 'FOOTER', text: 'x' }), ['components']],
    ['two bodies', withParts(body, body), ['components.1.type']],
    ['a body without text', withParts({ type: 'BODY' }), ['components.0.text']],
    ['a body of 1025', withParts({ type: 'BODY', text: 'x'.repeat(1025) }), ['components.0.text']],
    ['a header without a format', withParts(body, { type: 'HEADER' }), ['components.1.format']],
    [
      'a header of 61',
      withParts(body, { type: 'HEADER', format: 'TEXT', text: 'x'.repeat(61) }),
      ['components.1.text'],
    ],
    [
      'a picture without a sample',
      withParts(body, { type: 'HEADER', format: 'IMAGE' }),
      ['components.1.example.header_handle'],
    ],
    [
      'a footer with a parameter',
      withParts(body, { type: 'FOOTER', text: 'By {{1}}' }),
      ['components.1.text'],
    ],
    [
      'a gap between numbers',
      withParts({ type: 'BODY', text: 'a {{1}} b {{3}} c' }),
      ['components.0.text'],
    ],
    [
      'names where numbers belong',
      withParts({ type: 'BODY', text: 'a {{name}} b' }),
      ['components.0.text'],
    ],
    [
      'no example',
      withParts({ type: 'BODY', text: 'a {{1}} b' }),
      ['components.0.example.body_text'],
    ],
    [
      'an empty example',
      withParts({ type: 'BODY', text: 'a {{1}} b', example: { body_text: [['']] } }),
      ['components.0.example.body_text'],
    ],
    [
      'a parameter at its end',
      withParts({ type: 'BODY', text: 'Dear {{1}}', example: { body_text: [['x']] } }),
      ['components.0.text'],
    ],
    [
      'two parameters in its header',
      withParts(body, {
        type: 'HEADER',
        format: 'TEXT',
        text: '{{1}} {{2}}',
        example: { header_text: ['a', 'b'] },
      }),
      ['components.1.text'],
    ],
    [
      'eleven buttons',
      buttons(...Array.from({ length: 11 }, () => reply)),
      ['components.1.buttons'],
    ],
    ['three links', buttons(url, url, url), ['components.1.buttons.2.type']],
    [
      'a button of 26',
      buttons({ ...reply, text: 'x'.repeat(26) }),
      ['components.1.buttons.0.text'],
    ],
    [
      'a link that is none',
      buttons({ ...url, url: 'javascript:alert(1)' }),
      ['components.1.buttons.0.url'],
    ],
    [
      'a link of 2001',
      buttons({ ...url, url: `https://a.example/${'x'.repeat(1983)}` }),
      ['components.1.buttons.0.url'],
    ],
    [
      'a link with a parameter in its middle',
      buttons({ ...url, url: 'https://a.example/{{1}}/x' }),
      ['components.1.buttons.0.url'],
    ],
    [
      'a link without an example',
      buttons({ ...url, url: 'https://a.example/{{1}}' }),
      ['components.1.buttons.0.example'],
    ],
    [
      'a code of 16',
      buttons({ type: 'COPY_CODE', example: 'x'.repeat(16) }),
      ['components.1.buttons.0.example'],
    ],
    [
      'a phone that is none',
      buttons({ type: 'PHONE_NUMBER', text: 'Call', phone_number: 'home' }),
      ['components.1.buttons.0.phone_number'],
    ],
    [
      'a lifetime that is too short',
      { ...good, message_send_ttl_seconds: 29 },
      ['message_send_ttl_seconds'],
    ],
    [
      'a lifetime of 30 days for marketing',
      { ...good, category: 'MARKETING', message_send_ttl_seconds: -1 },
      ['message_send_ttl_seconds'],
    ],
    [
      'a quick reply for signing in',
      {
        ...good,
        category: 'AUTHENTICATION',
        components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [reply] }],
      },
      ['components.1.buttons'],
    ],
    [
      'a card of 161',
      withParts(body, {
        type: 'CAROUSEL',
        cards: [{ components: [{ type: 'BODY', text: 'x'.repeat(161) }] }],
      }),
      ['components.1.cards.0.components.0.text'],
    ],
    [
      'eleven cards',
      withParts(body, { type: 'CAROUSEL', cards: Array.from({ length: 11 }, () => ({})) }),
      ['components.1.cards'],
    ],
    ['a field that nobody knows', { ...good, colour: 'red' }, ['']],
  ])('because of %s is refused there', (_name, given, fields) => {
    expect(refusedFields(given)).toEqual(fields)
  })

  test('a change names something', () => {
    expect(templateChange.safeParse({}).success).toBe(false)
    expect(templateChange.safeParse({ message_send_ttl_seconds: 60 }).success).toBe(true)
  })
})

test('whatever the components are, they are taken or refused by place', () => {
  const anything = fc.json().map((text) => JSON.parse(text))
  const part = fc.record(
    {
      type: fc.constantFrom('HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CAROUSEL', 'x'),
      format: fc.oneof(fc.constantFrom('TEXT', 'IMAGE', 'VIDEO'), anything),
      text: fc.oneof(fc.string(), fc.constant('a {{1}} b'), anything),
      example: anything,
      buttons: fc.oneof(fc.array(fc.record({ type: fc.string(), url: anything })), anything),
      cards: fc.oneof(fc.array(fc.record({ components: anything })), anything),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(
      fc.array(part, { maxLength: 6 }),
      fc.constantFrom('UTILITY', 'AUTHENTICATION'),
      (components, category) => {
        const result = newTemplate.safeParse({ ...good, category, components })
        if (result.success) return
        expect(
          result.error.issues.every(({ path, message }) => path[0] === 'components' && message),
        ).toBe(true)
      },
    ),
    { numRuns: times(500) },
  )
})
