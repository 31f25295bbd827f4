import { describe, expect, test } from 'vitest'
import { newTemplate } from '../../../src/templates/definition.ts'
import { variablesIn as variablesOfApi } from '../../../src/templates/variables.ts'
import {
  cardsOf,
  emptyContent,
  fieldNamed,
  formatOf,
  newButton,
  nextVariable,
  readComponents,
  toComponents,
} from './draft.ts'
import { variablesIn } from './variables.ts'

const whole = [
  {
    type: 'HEADER',
    format: 'TEXT',
    text: 'For {{name}}',
    example: { header_text_named_params: [{ param_name: 'name', example: 'Mara' }] },
  },
  {
    type: 'BODY',
    text: 'Dear {{name}}, at {{hour}} then.',
    example: {
      body_text_named_params: [
        { param_name: 'name', example: 'Mara' },
        { param_name: 'hour', example: 'ten' },
      ],
    },
  },
  { type: 'FOOTER', text: 'Quay Street' },
  {
    type: 'BUTTONS',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Yes' },
      {
        type: 'URL',
        text: 'See',
        url: 'https://a.example/{{1}}',
        example: ['https://a.example/1'],
      },
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
      { type: 'COPY_CODE', example: 'SAVE20' },
      { type: 'FLOW', text: 'Book', flow_id: '1' },
    ],
  },
]

describe('a template that is read and written again', () => {
  test('is what it was, also where the form does not know what it is', () => {
    expect(toComponents(readComponents(whole, 'NAMED'), 'UTILITY', 'NAMED')).toEqual(whole)
    const strange = [
      { type: 'HEADER', format: 'PRODUCT' },
      { type: 'BODY', text: 'Look' },
      { type: 'CAROUSEL', cards: [{ components: [{ type: 'BODY', text: 'One' }] }] },
    ]
    const content = readComponents(strange, 'POSITIONAL')
    expect(toComponents(content, 'MARKETING', 'POSITIONAL')).toEqual(strange)
    expect(cardsOf(content, 'POSITIONAL')).toMatchObject([{ body: 'One' }])
  })

  test('keeps the examples of numbers with their numbers, in whatever order they stand', () => {
    const body = {
      type: 'BODY',
      text: 'At {{2}}, {{1}}, at {{2}}.',
      example: { body_text: [['Mara', 'ten']] },
    }
    const content = readComponents([body], 'POSITIONAL')
    expect(content.examples).toEqual({ 'body 1': 'Mara', 'body 2': 'ten' })
    expect(toComponents(content, 'UTILITY', 'POSITIONAL')).toEqual([body])
  })

  test.each([
    ['a file', { kind: 'IMAGE', handle: '4::x' }, { example: { header_handle: ['4::x'] } }],
    ['a file that is missing', { kind: 'IMAGE' }, {}],
    ['a place', { kind: 'LOCATION' }, {}],
  ] as const)('has %s on top', (_what, header, more) => {
    const content = {
      ...emptyContent,
      body: 'Hello',
      header: { ...emptyContent.header, ...header },
    }
    expect(toComponents(content, 'UTILITY', 'POSITIONAL')).toEqual([
      { type: 'HEADER', format: header.kind, ...more },
      { type: 'BODY', text: 'Hello' },
    ])
  })
})

test.each([
  ['no variables', { body: 'Hello' }, 'UTILITY'],
  [
    'everything the form has',
    {
      body: 'Dear {{1}}, hello.',
      footer: 'Quay Street',
      examples: { 'body 1': 'Mara' },
      buttons: [
        newButton('QUICK_REPLY', { text: 'Yes' }),
        newButton('PHONE_NUMBER', { text: 'Call', phoneNumber: '+1 (555) 01-00' }),
        newButton('COPY_CODE', { example: 'SAVE20' }),
      ],
    },
    'MARKETING',
  ],
  ['a code', {}, 'AUTHENTICATION'],
] as const)('the API takes a new one with %s', (_what, more, category) => {
  const content = { ...emptyContent, ...more } as typeof emptyContent
  const components = toComponents(content, category, formatOf(content))
  const given = { name: 'a', language: 'en', category, components }
  expect(newTemplate.safeParse(given).error?.issues).toBeUndefined()
})

test('a word between braces makes it a named one, and the next variable is of the same kind', () => {
  const of = (body: string) => ({ ...emptyContent, body })
  expect([formatOf(of('{{1}} {{}}')), formatOf(of('{{1}} {{ name }}'))]).toEqual([
    'POSITIONAL',
    'NAMED',
  ])
  expect(nextVariable(of(''))).toBe('{{1}}')
  expect(nextVariable(of('{{1}} {{2}} {{1}}'))).toBe('{{3}}')
  expect(nextVariable(of('{{name}}'))).toBe('{{name_2}}')
})

test.each([
  ['template.components[1].text', 'body'],
  ['components[1].example.body_text_named_params', 'body example'],
  ['components[0].text', 'header'],
  ['components[3].buttons[2].phone_number', 'buttons 2 phone_number'],
  ['components[3].buttons', 'buttons'],
  ['name', 'name'],
])('%s is the field %s', (path, field) => {
  expect(fieldNamed(path, whole)).toBe(field)
})

test.each(['', '{{1}}', '{{ name }} {{name}} {{}}', '{{{1}}} {{a{b}} }}{{', '{{1}}{{2}}\n{{1}}'])(
  'the variables in %j are those that the API sees',
  (text) => {
    expect(variablesIn(text)).toEqual(variablesOfApi(text))
  },
)
