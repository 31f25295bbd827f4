// Every gap of a template is asked for, and what is filled in is what the gateway takes.
import { describe, expect, test } from 'vitest'
import { template as sendable } from '../../../../src/outbox/message/template.ts'
import { parameterProblems } from '../../../../src/templates/parameters.ts'
import { renderTemplate } from '../../../../src/templates/preview.ts'
import {
  fill,
  type Given,
  isMissing,
  marked,
  piecesOf,
  type Template,
  whyNot,
} from './template-fields.ts'

const template = (components: object[] | null, more: object = {}) =>
  ({
    name: 'one',
    language: 'en',
    status: 'APPROVED',
    is_sendable: true,
    category: 'UTILITY',
    parameter_format: 'POSITIONAL',
    components,
    ...more,
  }) as Template

const contentOf = ({ parameter_format, components }: Template) =>
  ({ parameterFormat: parameter_format ?? 'POSITIONAL', components: components ?? [] }) as never

const everything = template(
  [
    { type: 'HEADER', format: 'IMAGE' },
    {
      type: 'BODY',
      text: 'Order {{order_id}} for {{first_name}}',
      example: { body_text_named_params: [{ param_name: 'first_name', example: 'Mara' }] },
    },
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Today', has_expiration: true } },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Stop' },
        { type: 'URL', text: 'Shop', url: 'https://shop.example/{{1}}' },
        { type: 'COPY_CODE', example: 'SAVE10' },
        { type: 'FLOW', text: 'Book' },
        { type: 'URL', text: 'Plain', url: 'https://shop.example/' },
      ],
    },
    {
      type: 'CAROUSEL',
      cards: [0, 1].map((place) => ({
        components: [
          { type: 'HEADER', format: 'VIDEO' },
          { type: 'BODY', text: `Card ${place} {{price}}` },
        ],
      })),
    },
  ],
  { parameter_format: 'NAMED' },
)

function filledIn(one: Template): Given {
  const { fields } = fill(one)
  const isFile = (kind: string) => ['image', 'video', 'document'].includes(kind)
  return {
    texts: Object.fromEntries(
      fields
        .filter(({ kind }) => !isFile(kind))
        .map(({ id, kind }) => [
          id,
          kind === 'moment'
            ? '2026-12-01T10:00'
            : kind.endsWith('tude')
              ? '6.2'
              : `v-${id}`.slice(0, 15),
        ]),
    ),
    files: Object.fromEntries(
      fields.filter(({ kind }) => isFile(kind)).map(({ id }) => [id, new File(['x'], `${id}.bin`)]),
    ),
  }
}

describe('a template with everything', () => {
  const { fields } = fill(everything)

  test('asks for each gap once', () => {
    expect(
      fields.map(({ id, kind, isOptional }) => `${id} ${kind}${isOptional ? '?' : ''}`),
    ).toEqual([
      'header image',
      'body.order_id text',
      'body.first_name text',
      'offer moment',
      'button.0 text?',
      'button.1 text',
      'button.2 text',
      'button.3 text?',
      'card.0.header video',
      'card.0.body.price text',
      'card.1.header video',
      'card.1.body.price text',
    ])
    expect(fields[2]?.example).toBe('Mara')
  })

  test('filled in, it is what the gateway takes', () => {
    const { components, files } = fill(everything, filledIn(everything))
    expect(parameterProblems(contentOf(everything), components)).toEqual([])
    const message = {
      type: 'template',
      template: { name: 'one', language: { code: 'en' }, components },
    }
    const named = files.reduce((draft, { at }) => {
      const holder = at.slice(0, -1).reduce((value: never, step) => value[step], draft as never)
      ;(holder as { id?: string }).id = '123'
      return draft
    }, structuredClone(message))
    expect(sendable.safeParse(named.template).error).toBeUndefined()
    expect(files.map(({ file }) => file.name)).toEqual([
      'header.bin',
      'card.0.header.bin',
      'card.1.header.bin',
    ])
  })

  test('empty, it misses what is not optional', () => {
    const missing = fields.filter((field) => isMissing(field, { texts: {}, files: {} }))
    expect(missing).toHaveLength(fields.length - 2)
  })
})

test('positions are given in their order, whatever the text’s', () => {
  const one = template([{ type: 'BODY', text: '{{2}} and {{1}}' }])
  const { components } = fill(one, { texts: { 'body.1': 'a', 'body.2': 'b' }, files: {} })
  expect(renderTemplate(contentOf(one), components).body).toBe('b and a')
})

test('a place has its degrees as numbers, with a comma or a point', () => {
  const one = template([
    { type: 'HEADER', format: 'LOCATION' },
    { type: 'BODY', text: 'Here' },
  ])
  const texts = {
    'header.latitude': '-6,2',
    'header.longitude': '106.8',
    'header.name': 'Office',
    'header.address': 'Quay 1',
  }
  expect(fill(one, { texts, files: {} }).components).toEqual([
    {
      type: 'header',
      parameters: [
        {
          type: 'location',
          location: { latitude: -6.2, longitude: 106.8, name: 'Office', address: 'Quay 1' },
        },
      ],
    },
  ])
})

test('what is filled in, and what is not, can be told in the preview', () => {
  const one = template([
    { type: 'BODY', text: 'Hi {{1}}, order {{2}}.', example: { body_text: [['Mara', '88231']] } },
  ])
  const { fields } = fill(one)
  const { components } = fill(one, marked(fields, { texts: { 'body.1': 'Ana' }, files: {} }))
  expect(piecesOf(renderTemplate(contentOf(one), components).body)).toEqual([
    { text: 'Hi ', is: 'own' },
    { text: 'Ana', is: 'given' },
    { text: ', order ', is: 'own' },
    { text: '88231', is: 'missing' },
    { text: '.', is: 'own' },
  ])
})

test.each([
  [{ is_sendable: false, status: 'PAUSED' }, 'paused'],
  [{ is_sendable: false, status: 'IN_APPEAL' }, 'pending'],
  [{ components: null }, 'unknown'],
  [{ category: 'MARKETING' }, 'marketing'],
  [{ components: [{ type: 'BUTTONS', buttons: [{ type: 'MPM' }] }] }, 'shop'],
  [{}, undefined],
])('%j: %s', (more, why) => {
  expect(whyNot(template([{ type: 'BODY', text: 'Hi' }], more), true)).toBe(why)
})
