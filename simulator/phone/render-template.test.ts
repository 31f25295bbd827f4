import { expect, test } from 'vitest'
import { renderTemplate } from './render-template.ts'

const appointment = {
  name: 'appointment',
  components: [
    { type: 'HEADER', format: 'TEXT', text: 'Dear {{1}}' },
    { type: 'BODY', text: 'Your appointment is on {{1}} at {{2}}.' },
    { type: 'FOOTER', text: 'Harbour and Finch' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Confirm' },
        { type: 'URL', text: 'Map', url: 'https://example.com/{{1}}' },
      ],
    },
  ],
}

test('fills in header, body and buttons by position', () => {
  const rendered = renderTemplate(appointment, [
    { type: 'header', parameters: [{ type: 'text', text: 'Mara' }] },
    {
      type: 'body',
      parameters: [
        { type: 'date_time', date_time: { fallback_value: 'Thursday' } },
        { type: 'text', text: 'ten' },
      ],
    },
    { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ payload: 'yes-17' }] },
    { type: 'button', sub_type: 'url', index: 1, parameters: [{ type: 'text', text: 'quay' }] },
  ])

  expect(rendered).toEqual({
    name: 'appointment',
    header: { format: 'TEXT', text: 'Dear Mara' },
    body: 'Your appointment is on Thursday at ten.',
    footer: 'Harbour and Finch',
    buttons: [
      { type: 'QUICK_REPLY', text: 'Confirm', payload: 'yes-17' },
      { type: 'URL', text: 'Map', url: 'https://example.com/quay' },
    ],
  })
})

test('fills in by name, and leaves what was not given as it is', () => {
  const template = {
    name: 'named',
    components: [{ type: 'BODY', text: 'Hello {{first_name}}, about {{matter}}.' }],
  }

  const rendered = renderTemplate(template, [
    { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ayu' }] },
  ])

  expect(rendered.body).toBe('Hello Ayu, about {{matter}}.')
})

test('takes the picture of the header from the request', () => {
  const template = { name: 'offer', components: [{ type: 'HEADER', format: 'IMAGE' }] }

  const { header } = renderTemplate(template, [
    { type: 'header', parameters: [{ type: 'image', image: { id: '17' } }] },
  ])

  expect(header).toEqual({ format: 'IMAGE', media: { id: '17' } })
})

test.each([undefined, null, 'words', [null, 7], [{ type: 'body', parameters: 'none' }]])(
  'a request with the components %j changes nothing',
  (components) => {
    expect(renderTemplate(appointment, components).body).toBe(
      'Your appointment is on {{1}} at {{2}}.',
    )
  },
)
