import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import type { TemplateContent } from './model.ts'
import { parameterProblems } from './parameters.ts'
import { renderTemplate } from './preview.ts'
import { beginsOrEndsWithGap, fillIn, variablesIn } from './variables.ts'

const whole: TemplateContent = {
  parameterFormat: 'POSITIONAL',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'For {{1}}', example: { header_text: ['Mara'] } },
    {
      type: 'BODY',
      text: 'Dear {{1}}, order {{2}} left. {{1}}!',
      example: { body_text: [['Mara', '88231']] },
    },
    { type: 'FOOTER', text: 'Sete Folhas' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Thanks' },
        {
          type: 'URL',
          text: 'Track',
          url: 'https://a.example/{{1}}',
          example: ['https://a.example/7'],
        },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+16505550143' },
        { type: 'COPY_CODE', example: 'AUTUMN20' },
      ],
    },
  ],
}
const text = (...values: string[]) => values.map((value) => ({ type: 'text', text: value }))
const given = [
  { type: 'header', parameters: text('Ana') },
  { type: 'body', parameters: text('Ana', '7') },
  {
    type: 'button',
    sub_type: 'quick_reply',
    index: '0',
    parameters: [{ type: 'payload', payload: 'ok' }],
  },
  { type: 'button', sub_type: 'url', index: 1, parameters: text('t7') },
  {
    type: 'button',
    sub_type: 'copy_code',
    index: 3,
    parameters: [{ type: 'coupon_code', coupon_code: 'X1' }],
  },
]

describe('a preview', () => {
  test('fills in header, body and buttons', () => {
    expect(renderTemplate(whole, given)).toEqual({
      header: { format: 'TEXT', text: 'For Ana', media: null },
      body: 'Dear Ana, order 7 left. Ana!',
      footer: 'Sete Folhas',
      buttons: [
        {
          type: 'QUICK_REPLY',
          text: 'Thanks',
          url: null,
          phone_number: null,
          payload: 'ok',
          code: null,
        },
        {
          type: 'URL',
          text: 'Track',
          url: 'https://a.example/t7',
          phone_number: null,
          payload: null,
          code: null,
        },
        {
          type: 'PHONE_NUMBER',
          text: 'Call',
          url: null,
          phone_number: '+16505550143',
          payload: null,
          code: null,
        },
        { type: 'COPY_CODE', text: null, url: null, phone_number: null, payload: null, code: 'X1' },
      ],
      cards: [],
    })
    expect(parameterProblems(whole, given)).toEqual([])
  })

  test('leaves what is not given as it is, or shows its example', () => {
    expect(renderTemplate(whole, [])).toMatchObject({
      header: { text: 'For {{1}}' },
      body: 'Dear {{1}}, order {{2}} left. {{1}}!',
    })
    const shown = renderTemplate(whole, [{ type: 'BODY', parameters: text('Ana') }], {
      withExamples: true,
    })
    expect(shown).toMatchObject({
      header: { text: 'For Mara' },
      body: 'Dear Ana, order 88231 left. Ana!',
    })
    expect(shown.buttons.map(({ url, code }) => url ?? code)).toEqual([
      null,
      'https://a.example/7',
      null,
      'AUTUMN20',
    ])
  })

  test('fills in by name, whatever the order', () => {
    const named: TemplateContent = {
      parameterFormat: 'NAMED',
      components: [
        {
          type: 'BODY',
          text: 'Dear {{first_name}}, case {{ case_id }}.',
          example: { body_text_named_params: [{ param_name: 'case_id', example: '12' }] },
        },
      ],
    }
    const parameters = [
      { type: 'text', parameter_name: 'case_id', text: '7' },
      { type: 'text', parameter_name: 'first_name', text: 'Ana' },
    ]
    expect(renderTemplate(named, [{ type: 'body', parameters }]).body).toBe('Dear Ana, case 7.')
    expect(renderTemplate(named, [], { withExamples: true }).body).toBe(
      'Dear {{first_name}}, case 12.',
    )
    expect(parameterProblems(named, [{ type: 'body', parameters }])).toEqual([])
    const misspelt = [parameters[0], { ...parameters[1], parameter_name: 'firstname' }]
    expect(parameterProblems(named, [{ type: 'body', parameters: misspelt }])).toEqual([
      {
        path: [0, 'parameters'],
        problem: 'the body has a parameter first_name, which is not given',
      },
    ])
  })

  test('shows money and dates by their fallback, and media as it is given', () => {
    const content: TemplateContent = {
      parameterFormat: 'POSITIONAL',
      components: [
        { type: 'HEADER', format: 'DOCUMENT' },
        { type: 'BODY', text: 'Pay {{1}} by {{2}}.' },
      ],
    }
    const document = { link: 'https://a.example/bill.pdf', filename: 'bill.pdf' }
    const preview = renderTemplate(content, [
      { type: 'header', parameters: [{ type: 'document', document }] },
      {
        type: 'body',
        parameters: [
          { type: 'currency', currency: { fallback_value: '€ 7', code: 'EUR', amount_1000: 7000 } },
          { type: 'date_time', date_time: { fallback_value: 'Friday' } },
        ],
      },
    ])
    expect(preview).toMatchObject({
      header: { format: 'DOCUMENT', text: null, media: document },
      body: 'Pay € 7 by Friday.',
    })
  })

  const carousel: TemplateContent = {
    parameterFormat: 'POSITIONAL',
    components: [
      { type: 'BODY', text: 'Look' },
      {
        type: 'CAROUSEL',
        cards: [1, 2].map((number) => ({
          components: [
            { type: 'HEADER', format: 'IMAGE' },
            { type: 'BODY', text: `Card ${number} for {{1}}, you` },
          ],
        })),
      },
    ],
  }
  const card = (card_index: number, name: string) => ({
    card_index,
    components: [
      { type: 'header', parameters: [{ type: 'image', image: { id: '7' } }] },
      { type: 'body', parameters: text(name) },
    ],
  })

  test('shows the cards of a carousel', () => {
    const asked = [{ type: 'carousel', cards: [card(1, 'Bo'), card(0, 'Ana')] }]
    expect(renderTemplate(carousel, asked).cards.map(({ body }) => body)).toEqual([
      'Card 1 for Ana, you',
      'Card 2 for Bo, you',
    ])
    expect(parameterProblems(carousel, asked)).toEqual([])
  })

  test('tells which card does not fit', () => {
    expect(parameterProblems(carousel, [])).toEqual([
      { path: [], problem: 'the carousel has 2 cards, and 0 are given' },
    ])
    const asked = [{ type: 'carousel', cards: [card(0, 'Ana'), { card_index: 1, components: [] }] }]
    expect(parameterProblems(carousel, asked).map(({ path }) => path.join('.'))).toEqual([
      '0.cards.1.components',
      '0.cards.1.components',
    ])
    expect(parameterProblems(whole, [...given, { type: 'carousel', cards: [] }])).toEqual([
      { path: [5], problem: 'the template has no carousel' },
    ])
  })

  test('tells which button does not fit', () => {
    const [header, body, , , code] = given
    expect(parameterProblems(whole, [header, body, code])).toEqual([
      { path: [], problem: 'button 1 needs a parameter' },
    ])
    const plain: TemplateContent = {
      parameterFormat: 'POSITIONAL',
      components: [
        { type: 'BODY', text: 'x' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://a.example' }] },
      ],
    }
    const button = (index: number) => [
      { type: 'button', sub_type: 'url', index, parameters: text('x') },
    ]
    expect(parameterProblems(plain, button(0))[0]?.problem).toBe('this button takes no parameter')
    expect(parameterProblems(plain, button(1))[0]?.problem).toContain('has 1 buttons')
  })
})

describe('for any text', () => {
  const name = fc.stringMatching(/^[a-z0-9_]{1,8}$/)
  const plain = fc.string().map((one) => one.replace(/[{}]/g, ''))

  test('what is between the gaps stays, what is in them is replaced once', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, name)), plain, fc.string(), (pieces, end, value) => {
        const written = pieces.map(([before, gap]) => `${before}{{${gap}}}`).join('') + end
        const names = variablesIn(written)
        expect(names).toEqual([...new Set(pieces.map(([, gap]) => gap))])
        const filled = fillIn(written, new Map(names.map((one) => [one, value])))
        expect(filled).toBe(pieces.map(([before]) => before + value).join('') + end)
      }),
    )
  })

  test('a preview of positional parameters has each value where its number stands', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 9 }), (values) => {
        const body = values.map((_, index) => `<{{${index + 1}}}>`).join(' ')
        const content: TemplateContent = {
          parameterFormat: 'POSITIONAL',
          components: [{ type: 'BODY', text: body }],
        }
        const asked = [{ type: 'body', parameters: text(...values) }]
        expect(renderTemplate(content, asked).body).toBe(
          values.map((value) => `<${value}>`).join(' '),
        )
        expect(parameterProblems(content, asked)).toEqual([])
        const few = [{ type: 'body', parameters: text(...values.slice(1)) }]
        expect(parameterProblems(content, few)).toHaveLength(values.length === 0 ? 0 : 1)
      }),
    )
  })

  test('whatever is given, nothing breaks', () => {
    const anything = fc.json().map((one) => JSON.parse(one))
    const part = fc.record({
      type: fc.constantFrom(
        'header',
        'body',
        'button',
        'carousel',
        'BUTTONS',
        'CAROUSEL',
        'HEADER',
        'BODY',
      ),
      parameters: anything,
      index: anything,
      cards: anything,
      text: anything,
      buttons: anything,
      format: anything,
      example: anything,
    })
    fc.assert(
      fc.property(
        fc.array(part),
        fc.oneof(fc.array(part), anything),
        fc.boolean(),
        (components, asked, withExamples) => {
          for (const parameterFormat of ['NAMED', 'POSITIONAL'] as const) {
            const content = { parameterFormat, components }
            const preview = renderTemplate(content, asked, { withExamples })
            expect(typeof preview.body).toBe('string')
            for (const { problem } of parameterProblems(content, asked))
              expect(problem).not.toBe('')
          }
        },
      ),
      {
        numRuns: times(300),
        // A place without a text: it threw, because what an object says of itself was called.
        examples: [[[], [{ type: 'button', index: { toString: 0 } }], false]],
      },
    )
  })

  test('a gap at an end is seen, and no other', () => {
    expect(beginsOrEndsWithGap('{{1}} a')).toBe(true)
    expect(beginsOrEndsWithGap(' a {{1}} ')).toBe(true)
    expect(beginsOrEndsWithGap('a {{1}}.')).toBe(false)
    expect(beginsOrEndsWithGap('')).toBe(false)
  })

  test('a long row of braces is read at once', () => {
    const braces = '{'.repeat(100_000)
    expect(variablesIn(braces)).toEqual([])
    expect(fillIn(braces, new Map())).toBe(braces)
  })
})

test('a place that is neither a number nor digits is none', () => {
  const odd: unknown[] = [
    { toString: 1 },
    { valueOf: null },
    JSON.parse('['.repeat(9_000) + ']'.repeat(9_000)),
    true,
    'x',
  ]
  for (const index of odd) {
    const parts = [{ type: 'button', sub_type: 'url', index, parameters: text('t7') }]
    expect(renderTemplate(whole, parts).buttons[1]?.url).toBe('https://a.example/{{1}}')
    expect(parameterProblems(whole, parts).length).toBeGreaterThan(0)
    const carousel = {
      parameterFormat: 'POSITIONAL' as const,
      components: [{ type: 'CAROUSEL', cards: [{ components: [] }] }],
    }
    const cards = [{ type: 'carousel', cards: [{ card_index: index, components: [] }] }]
    expect(renderTemplate(carousel, cards).cards).toHaveLength(1)
    expect(parameterProblems(carousel, cards)).toHaveLength(1)
  }
})
