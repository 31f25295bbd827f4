// The table is only worth something while the tests that it names are there, and while it has every row.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { badInput, badInputPage } from './bad-input-rows.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const comments = /^\s*(\/\/|\/?\*).*$/gm

/** Where it is called a title, or is a case of its own in the rows of tests that are made of such. */
function isTitle(title: string, source: string): boolean {
  const code = source.replaceAll(comments, '')
  const places = ["'", '"', '`'].flatMap((quote) =>
    code.split(`${quote}${title}${quote}`).slice(0, -1),
  )
  const hasCases = code.includes('.each(')
  const isCalled = /(\b(test|it|describe)(\.(?!skip\b|todo\b)\w+)*|\))\(\s*$/
  return places.some((before) => isCalled.test(before) || (hasCases && /\n\s*\[?$/.test(before)))
}

test.each([
  ["test('a title', () => {})", true],
  ["describe.each(rows)(\n  'a title',", true],
  ["test.each([\n  [\n    'a title',\n    1,", true],
  ["test.each([\n  ['a title', 1],\n]", true],
  ["// test('a title', () => {})", false],
  ["  // 'a title'", false],
  ["test.skip('a title', () => {})", false],
  ["test.todo('a title')", false],
  ["const word = 'a title'", false],
  ["rows = [\n  'a title',\n]", false],
])('a title is one where it stands as one: %j', (source, expected) => {
  expect(isTitle('a title', source)).toBe(expected)
})

describe.each(Object.values(badInput).flat())('$id', ({ tests }) => {
  test.each(Object.entries(tests))('is held by tests of %s that are there', (path, titles) => {
    const source = read(path)
    expect(titles.length).toBeGreaterThan(0)
    expect(titles.filter((title) => !isTitle(title, source))).toEqual([])
    expect(source).not.toMatch(/\b(test|it|describe)(\.\w+)*\.(skip|todo)\b/)
  })
})

test('no surface has lost a row', () => {
  const counts = Object.entries(badInput).map(([surface, rows]) => [surface, rows.length])
  expect(Object.fromEntries(counts)).toEqual({
    'Webhook handshake (GET)': 2,
    'Webhook delivery (POST)': 13,
    Sending: 8,
    'API and console': 5,
    'Sign-up (OAuth)': 3,
    'Internal tasks': 2,
    'Files and addresses': 4,
  })
  const ids = Object.values(badInput).flatMap((rows) => rows.map(({ id }) => id))
  expect(new Set(ids).size).toBe(ids.length)
})

test('docs/bad-input.md is what the table says', async () => {
  await expect(badInputPage()).toMatchFileSnapshot('../docs/bad-input.md')
})
