import { expect, test } from 'vitest'
import { alertRules } from '../../../src/alerts/rules.ts'
import { rulePlaces, ruleWords } from './rules.ts'

test('every alert has its words in every language, and leads where the alert itself leads', () => {
  const places = Object.fromEntries(
    alertRules.map(({ name, act }) => [name, act.replace('/console/', '')]),
  )
  expect(rulePlaces).toEqual(places)
  for (const words of Object.values(ruleWords)) {
    expect(Object.keys(words).toSorted()).toEqual(Object.keys(places).toSorted())
  }
})
