import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { isSignatureHeader, isSigned } from './signature.ts'

interface Vector {
  name: string
  body_utf8: string
  header: string
}

const vectors: { app_secret: string; valid: Vector[]; invalid: Vector[] } = JSON.parse(
  readFileSync(new URL('../../test/fixtures/meta/signing/vectors.json', import.meta.url), 'utf8'),
)
const secret = vectors.app_secret

const sign = (raw: Buffer, key: string) =>
  `sha256=${createHmac('sha256', key).update(raw).digest('hex')}`

describe('the recorded vectors', () => {
  test.each(vectors.valid)('$name is signed', ({ body_utf8, header }) => {
    expect(isSignatureHeader(header)).toBe(true)
    expect(isSigned(Buffer.from(body_utf8), header, [secret])).toBe(true)
  })

  test.each(vectors.invalid)('$name is not signed', ({ body_utf8, header }) => {
    expect(isSigned(Buffer.from(body_utf8), header, [secret])).toBe(false)
  })
})

describe('the form of the header', () => {
  const hex = 'a'.repeat(64)

  test.each([
    ['no header', undefined],
    ['several headers', [`sha256=${hex}`, `sha256=${hex}`]],
    ['an empty one', ''],
    ['without the prefix', hex],
    ['with another prefix', `sha1=${hex}`],
    ['with the prefix in upper case', `SHA256=${hex}`],
    ['with digits in upper case', `sha256=${hex.toUpperCase()}`],
    ['one digit short', `sha256=${hex.slice(1)}`],
    ['one digit long', `sha256=${hex}a`],
    ['with something that is no digit', `sha256=${hex.slice(1)}g`],
    ['with a space before', ` sha256=${hex}`],
    ['with a line end after', `sha256=${hex}\n`],
    ['two joined by a comma', `sha256=${hex}, sha256=${hex}`],
  ])('%s is no signature', (_name, header) => {
    expect(isSignatureHeader(header)).toBe(false)
    if (typeof header === 'string') {
      expect(isSigned(Buffer.from('x'), header, [secret])).toBe(false)
    }
  })

  test('64 digits in lower case after sha256= could be one', () => {
    expect(isSignatureHeader(`sha256=${hex}`)).toBe(true)
  })
})

describe('several secrets', () => {
  const raw = Buffer.from('{"a":1}')

  test('any of them may have signed', () => {
    const secrets = ['new', 'old', 'oldest']
    for (const one of secrets) expect(isSigned(raw, sign(raw, one), secrets)).toBe(true)
    expect(isSigned(raw, sign(raw, 'older still'), secrets)).toBe(false)
  })

  test('none at all means that nobody signed', () => {
    expect(isSigned(raw, sign(raw, ''), [])).toBe(false)
  })
})

describe('a single changed bit', () => {
  const raw = Buffer.from(vectors.valid[0]?.body_utf8 ?? '')
  const header = sign(raw, secret)

  test('anywhere in the body breaks the signature', () => {
    fc.assert(
      fc.property(fc.nat(raw.length - 1), fc.nat(7), (place, bit) => {
        const changed = Buffer.from(raw)
        changed[place] = (changed[place] as number) ^ (1 << bit)
        expect(isSigned(changed, header, [secret])).toBe(false)
      }),
      { numRuns: times(500) },
    )
  })

  test('anywhere in the header breaks the signature', () => {
    for (let place = 0; place < header.length; place++) {
      for (let bit = 0; bit < 7; bit++) {
        const changed = Buffer.from(header)
        changed[place] = (changed[place] as number) ^ (1 << bit)
        expect(isSigned(raw, changed.toString('latin1'), [secret])).toBe(false)
      }
    }
  })

  test('bytes before, after or missing break the signature', () => {
    expect(isSigned(Buffer.concat([raw, Buffer.from(' ')]), header, [secret])).toBe(false)
    expect(isSigned(Buffer.concat([Buffer.from('\ufeff'), raw]), header, [secret])).toBe(false)
    expect(isSigned(raw.subarray(1), header, [secret])).toBe(false)
    expect(isSigned(Buffer.alloc(0), header, [secret])).toBe(false)
  })
})

test('any bytes signed with a secret are signed, and with no other', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ minLength: 1 }), (bytes, key) => {
      const raw = Buffer.from(bytes)
      expect(isSigned(raw, sign(raw, key), [key])).toBe(true)
      expect(isSigned(raw, sign(raw, key), [`${key}x`])).toBe(false)
    }),
  )
})
