// The table is only worth something while the tests that it names are there, and while it has every row.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { badInput, badInputPage } from './bad-input-rows.ts'

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

describe.each(Object.values(badInput).flat())('$id', ({ tests }) => {
  test.each(Object.entries(tests))('is held by tests of %s that are there', (path, titles) => {
    const source = read(path)
    expect(titles.length).toBeGreaterThan(0)
    const isThere = (title: string) =>
      ["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))
    expect(titles.filter((title) => !isThere(title))).toEqual([])
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
