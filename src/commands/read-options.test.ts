import { expect, test } from 'vitest'
import { newTenant } from '../api/contract.ts'
import { deadLettersQuery } from '../api/contract-dead-letters.ts'
import { newEventEndpoint } from '../api/contract-events.ts'
import { replayRequest } from '../api/contract-ops.ts'
import { readOptions } from './read-options.ts'

const period = { from: '2030-01-31T09:00:00Z', to: '2030-01-31T10:00:00Z' }

test.each([
  [deadLettersQuery, { limit: 'abc' }, '--limit needs a whole number.'],
  [deadLettersQuery, { limit: '1.5' }, '--limit needs a whole number.'],
  [deadLettersQuery, { limit: '0' }, '--limit needs a number of at least 1.'],
  [deadLettersQuery, { limit: '1000' }, '--limit needs a number of at most 200.'],
  [deadLettersQuery, { kind: 'odd' }, /^--kind needs one of outbound, inbound, /],
  [deadLettersQuery, { created_after: 'noon' }, /^--created-after needs a time such as 2030/],
  [replayRequest, { ...period, from: 'nonsense' }, /^--from needs a time such as 2030/],
  [deadLettersQuery, { error_code: 'a b' }, '--error-code: a code, as error_code shows it'],
  [newTenant, { name: '' }, '--name needs a value.'],
  [newTenant, { name: 'x'.repeat(201) }, '--name needs at most 200 characters.'],
  [newEventEndpoint, { url: 'x', events: ['odd'] }, /^--events needs one of \*, message\.received/],
  [replayRequest, { ...period, reason: undefined, from: undefined }, '--from needs a value.'],
])('what is wrong is told by the name of the option', (schema, value, message) => {
  expect(() => readOptions(schema, value)).toThrow(message)
})

test('an option that is not called like its field is told by its own name', () => {
  expect(() => readOptions(deadLettersQuery, { kind: 'odd' }, { kind: '--sort' })).toThrow(
    /^--sort /,
  )
})

test('words that a schema has for people are kept, and so is what is right', () => {
  expect(() => readOptions(replayRequest, { ...period, to: period.from, reason: 'x' })).toThrow(
    '--to: must be later than from',
  )
  expect(readOptions(deadLettersQuery, { limit: '7' }).limit).toBe(7)
})
