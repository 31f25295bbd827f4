import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ErrorCode } from '../errors-table.ts'
import { parsePart } from './route.ts'

const schema = z.strictObject({
  name: z.string().max(10),
  count: z.number().int().optional(),
  inner: z.strictObject({ list: z.array(z.strictObject({ text: z.string() })) }).optional(),
  free: z.record(z.string(), z.unknown()).optional(),
})

const parse = (value: unknown, code: ErrorCode = 'INVALID_REQUEST') =>
  parsePart(schema, value, 'body', code)

function refusalOf(value: unknown) {
  try {
    parse(value)
  } catch (error) {
    const { code, status, message, details } = error as {
      code: string
      status: number
      message: string
      details: { fields: { field: string; problem: string }[] }
    }
    return { code, status, message, fields: details.fields }
  }
  throw new Error('it was accepted')
}

/** Half of an emoji. */
const half = '\ud83d'

describe('a part of a request', () => {
  test('that is right comes out as the schema makes it', () => {
    expect(parse({ name: 'x', count: 1 })).toEqual({ name: 'x', count: 1 })
  })

  test('for which there is no schema is not looked at', () => {
    expect(parsePart(undefined, { anything: '\0' }, 'body', 'INVALID_MESSAGE')).toBeUndefined()
  })

  test.each([
    ['a missing field', {}, 'name'],
    ['a wrong type', { name: 7 }, 'name'],
    ['a field too long', { name: 'x'.repeat(11) }, 'name'],
    ['a huge number', { name: 'x', count: 1e308 }, 'count'],
    ['an unknown field', { name: 'x', nmae: 'y' }, 'nmae'],
    ['an unknown field within', { name: 'x', inner: { list: [], lsit: 1 } }, 'inner.lsit'],
    ['a wrong item of a list', { name: 'x', inner: { list: [{ text: 1 }] } }, 'inner.list[0].text'],
    ['a NUL', { name: 'a\0b' }, 'name'],
    ['a NUL within', { name: 'x', inner: { list: [{ text: '\0' }] } }, 'inner.list[0].text'],
    ['a NUL in what is passed through', { name: 'x', free: { a: ['\0'] } }, 'free.a[0]'],
    ['a NUL in a name', { name: 'x', free: { 'a\0': 1 } }, 'free'],
    ['half of a surrogate pair', { name: `a${half}` }, 'name'],
    ['half of a pair in a name', { name: 'x', free: { [half]: 1 } }, 'free'],
    ['no object', 'text', 'body'],
    ['a list', [], 'body'],
    ['null', null, 'body'],
    ['nothing', undefined, 'body'],
  ])('with %s is refused, and the refusal names the field', (_what, value, field) => {
    const refusal = refusalOf(value)

    expect(refusal).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
    expect(refusal.fields[0]?.field).toBe(field)
    expect(refusal.message.startsWith(`${field}: `)).toBe(true)
  })

  test('with several wrong fields is refused with all of them', () => {
    const { fields } = refusalOf({ name: 1, count: 'x', more: 1, evenMore: 2 })

    expect(fields.map(({ field }) => field)).toEqual(['name', 'count', 'more', 'evenMore'])
  })

  test('whole emoji and other text beyond the BMP are fine', () => {
    expect(parse({ name: '👩‍👩‍👧 𝒳' })).toEqual({ name: '👩‍👩‍👧 𝒳' })
  })

  test('the refusal stays small, however much is wrong', () => {
    const many = Object.fromEntries([...Array(5_000).keys()].map((key) => [`field ${key}`, 1]))
    const { fields } = refusalOf({ name: 'x', ...many, [`f${'o'.repeat(100_000)}`]: 1 })

    expect(fields.length).toBeLessThanOrEqual(20)
    expect(JSON.stringify(fields).length).toBeLessThan(10_000)
  })

  test('nesting that would overflow somebody’s stack is refused', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)

    expect(refusalOf({ name: 'x', free: { deep } }).fields).toEqual([
      { field: expect.stringMatching(/^free\.deep/), problem: 'nested too deeply' },
    ])
  })

  test('the code is the one that the route asks for', () => {
    expect(() => parse({}, 'INVALID_MESSAGE')).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE' }),
    )
    expect(() => parse({ name: '\0' }, 'INVALID_MESSAGE')).toThrow(
      expect.objectContaining({ code: 'INVALID_MESSAGE' }),
    )
  })
})
