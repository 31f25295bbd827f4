import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alertWords } from './alert-words.ts'

// As text: the console imports nothing of the gateway but types.
const rules = readFileSync(new URL('../../../src/alerts/rules.ts', import.meta.url), 'utf8')

test.each(Object.entries(alertWords))('%s has words for every alert, and no others', (_, words) => {
  const names = [...rules.matchAll(/^ {4}name: '(\w+)'/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(10)
  expect(Object.keys(words).toSorted()).toEqual(names.toSorted())
})
