import { expect, test } from 'vitest'
import type { Template } from './data.ts'
import { countIn, type Filter, filters, firstWords, groupsOf, toneOf } from './grouping.ts'

function template(name: string, language: string, status: string, more = {}): Template {
  const components = [{ type: 'BODY', text: `Words of ${name}` }]
  return {
    id: `tpl_${name}_${language}`,
    waba_id: '1',
    name,
    language,
    status,
    components,
    ...more,
  } as Template
}

const templates = [
  template('welcome', 'pt_BR', 'APPROVED', { category: 'UTILITY' }),
  template('welcome', 'en', 'REJECTED', { category: 'UTILITY' }),
  template('autumn', 'en', 'PAUSED', { category: 'MARKETING' }),
  template('notice', 'en', 'PENDING'),
  template('welcome', 'en', 'APPROVED', { id: 'tpl_other', waba_id: '2' }),
]
const wish = { filter: 'all' as Filter, category: '', sought: '' }
const shown = (more = {}) =>
  groupsOf(templates, { ...wish, ...more }).map(({ name, wabaId, worst }) => [
    name,
    wabaId,
    worst.status,
  ])

test('one row for each name of an account, by name, with the state that asks for most', () => {
  expect(shown()).toEqual([
    ['autumn', '1', 'PAUSED'],
    ['notice', '1', 'PENDING'],
    ['welcome', '1', 'REJECTED'],
    ['welcome', '2', 'APPROVED'],
  ])
  const [, , welcome] = groupsOf(templates, wish)
  expect(welcome?.templates.map(({ language }) => language)).toEqual(['en', 'pt_BR'])
})

test('a row is there when one of its languages fits, and shows that one', () => {
  expect(shown({ filter: 'approved' })).toEqual([
    ['welcome', '1', 'APPROVED'],
    ['welcome', '2', 'APPROVED'],
  ])
  expect(shown({ category: 'MARKETING' })).toEqual([['autumn', '1', 'PAUSED']])
  expect(shown({ sought: 'WORDS notice' })).toEqual([['notice', '1', 'PENDING']])
  expect(filters.map((filter) => countIn(templates, filter, wish))).toEqual([4, 2, 1, 2])
})

test('what nobody knows yet is neither good nor bad, and may be without words', () => {
  expect(toneOf('SOMETHING_NEW')).toBe('plain')
  expect(firstWords(template('a', 'en', 'PENDING', { components: null }))).toBe('')
})
