import { describe, expect, test } from 'vitest'
import { cardOf, pairsIn, parsedJson, spokenText } from './json.ts'

describe('a contact card', () => {
  test('has what Meta writes', () => {
    const card = cardOf({
      name: { formatted_name: 'Otis Lane' },
      org: { company: 'Lane Landscaping', title: 'Owner' },
      phones: [{ phone: '+1 650 555 0188', type: 'WORK' }],
      addresses: [{ street: '12 Fern St', zip: '94025', city: 'Menlo Park', country: 'USA' }],
    })
    expect(card).toEqual({
      name: 'Otis Lane',
      company: 'Owner · Lane Landscaping',
      lines: [
        { kind: 'phone', text: '+1 650 555 0188', label: 'WORK' },
        { kind: 'address', text: '12 Fern St, 94025 Menlo Park, USA' },
      ],
    })
  })
  test('takes the name from a vCard, or the number', () => {
    expect(cardOf({ vcard: 'BEGIN:VCARD\nFN:Inés Vidal\nEND:VCARD' }).name).toBe('Inés Vidal')
    expect(cardOf({ phones: [{ phone: '+34' }] }).name).toBe('+34')
    expect(cardOf({ name: 7, phones: 'none' }).name).toBe('…')
  })
})

test('the answers of a form are named by where they stand, without its token', () => {
  const answer = { flow_token: 'x', rating: '5', who: { name: 'Noor' }, tags: ['a', 1], empty: '' }
  expect(pairsIn(answer)).toEqual([
    ['rating', '5'],
    ['who · name', 'Noor'],
    ['tags', 'a, 1'],
  ])
  expect(pairsIn('nothing')).toEqual([])
  expect(parsedJson('{broken')).toBeUndefined()
})

test.each([
  ['text', { text: { body: 'hello' } }, 'hello'],
  ['image', { image: { caption: 'a leaf' } }, 'a leaf'],
  ['image', { image: {} }, undefined],
  ['button', { button: { text: 'Stop', payload: 'x' } }, 'Stop'],
  ['interactive', { interactive: { type: 'list_reply', list_reply: { title: '09:30' } } }, '09:30'],
  ['interactive', { interactive: { type: 'button', body: { text: 'Which?' } } }, 'Which?'],
  ['hologram', { hologram: 7 }, undefined],
])('what a message of type %s says', (type, content, said) => {
  expect(spokenText(type, content)).toBe(said)
})
