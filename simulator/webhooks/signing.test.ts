import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { serializeLikeMeta, signBody } from './signing.ts'

const vectors: {
  app_secret: string
  valid: { name: string; body_utf8: string; header: string }[]
} = JSON.parse(readFileSync(new URL('../fixtures/signing-vectors.json', import.meta.url), 'utf8'))

describe('signing', () => {
  test.each(vectors.valid)('signs the bytes of the vector "$name"', ({ body_utf8, header }) => {
    expect(signBody(Buffer.from(body_utf8, 'utf8'), vectors.app_secret)).toBe(header)
  })

  test.each(vectors.valid)('serialises the value of "$name" to ASCII only', ({ body_utf8 }) => {
    const bytes = serializeLikeMeta(JSON.parse(body_utf8))

    expect(bytes.every((byte) => byte < 0x80)).toBe(true)
    expect(JSON.parse(bytes.toString())).toEqual(JSON.parse(body_utf8))
  })

  test('serialises exactly the bytes of the escaped vector', () => {
    const escaped = vectors.valid.find((vector) => vector.name === 'escaped-unicode')

    const bytes = serializeLikeMeta(JSON.parse(escaped?.body_utf8 ?? ''))

    expect(bytes.toString()).toBe(escaped?.body_utf8)
  })

  test('keeps lone surrogates, control characters and quotes readable as JSON', () => {
    const awkward = { body: '\ud800 \u0000 \u007f \u2028 "quoted" \\ back/slash' }

    expect(JSON.parse(serializeLikeMeta(awkward).toString())).toEqual(awkward)
  })
})
