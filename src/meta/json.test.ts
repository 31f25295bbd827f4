import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalHash, isObject, maxDepth, parseJson, storable, TooDeep } from './json.ts'

describe('parsing bytes', () => {
  test.each([
    ['nothing', Buffer.alloc(0)],
    ['half a text', Buffer.from('{"a":')],
    ['a trailing comma', Buffer.from('[1,]')],
    ['a bare NUL', Buffer.from('"\u0000"')],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['half a surrogate pair in bytes', Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0x22])],
    ['UTF-16', Buffer.from('{}', 'utf16le')],
  ])('%s is no JSON', (_name, raw) => {
    expect(parseJson(raw)).toBeUndefined()
  })

  test('a byte order mark is no part of the text', () => {
    expect(parseJson(Buffer.from('\ufeff{"a":1}'))).toEqual({ value: { a: 1 }, text: '{"a":1}' })
  })

  test('any value comes back as it was written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        expect(parseJson(Buffer.from(text))).toEqual({ value: JSON.parse(text), text })
      }),
    )
  })

  test('any bytes are parsed or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        parseJson(Buffer.from(bytes))
      }),
    )
  })
})

describe('what Postgres can store', () => {
  test.each([
    ['NUL', 'a\u0000b', 'a\ufffdb'],
    ['a high half alone', 'a\ud83db', 'a\ufffdb'],
    ['a low half alone', '\udf35', '\ufffd'],
    ['the halves in the wrong order', '\udf35\ud83c', '\ufffd\ufffd'],
    ['a whole pair', '🌵', '🌵'],
    ['everything else', 'ação\u202e\u0001\u007f', 'ação\u202e\u0001\u007f'],
  ])('%s', (_name, text, expected) => {
    expect(storable(text)).toBe(expected)
    expect(storable({ [text]: [text] })).toEqual({ [expected]: [expected] })
  })

  test('__proto__ stays a name and changes no prototype', () => {
    const copy = storable(JSON.parse('{"__proto__":{"admin":true},"a":1}')) as { a: number }
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"admin":true},"a":1}')
    expect((copy as { admin?: boolean }).admin).toBeUndefined()
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test('no text of any value is left that Postgres would refuse, and the rest is untouched', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', '\u0000', '\ud83c', '\udf35', 'é') })
    fc.assert(
      fc.property(fc.object({ key: texts, values: [texts, fc.integer()] }), (value) => {
        const printed = JSON.stringify(storable(value))
        expect(printed).not.toMatch(/\\u0000|\\ud[89a-f]/)
      }),
    )
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: true, maxDepth: 6 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('\\u0000'))
        expect(JSON.stringify(storable(value))).toBe(JSON.stringify(value))
      }),
    )
  })

  test(`${maxDepth} levels are walked, one more is refused, and a million do no harm`, () => {
    const nested = (levels: number) =>
      JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`) as unknown
    expect(storable(nested(maxDepth))).toEqual(nested(maxDepth))
    expect(() => storable(nested(maxDepth + 1))).toThrow(TooDeep)
    expect(() => storable(nested(1_000_000))).toThrow(TooDeep)
  })
})

describe('the hash of a value', () => {
  test('does not depend on the order of keys, at any level', () => {
    expect(canonicalHash({ a: 1, b: { c: [1, 2], d: null } })).toBe(
      canonicalHash({ b: { d: null, c: [1, 2] }, a: 1 }),
    )
  })

  test.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { 'a.b': 1 }],
    [['a,b'], ['a', 'b']],
    [{ a: '":1,"b' }, { a: '', b: 1 }],
  ])('tells %j from %j', (one, other) => {
    expect(canonicalHash(one)).not.toBe(canonicalHash(other))
  })

  test('of any two values is the same only when they are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const same = canonicalHash(JSON.parse(JSON.stringify(one))) === canonicalHash(one)
        expect(same).toBe(true)
        if (JSON.stringify(one).length !== JSON.stringify(other).length) {
          expect(canonicalHash(one)).not.toBe(canonicalHash(other))
        }
      }),
    )
  })
})

test('only plain objects are objects', () => {
  expect([{}, Object.create(null)].every(isObject)).toBe(true)
  expect([null, undefined, [], 'x', 1, true].some(isObject)).toBe(false)
})
