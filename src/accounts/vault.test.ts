import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canary, expectNone } from '../../test/support/canaries.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { createVault, tokenOwner } from './vault.ts'

const random = systemRandom(systemClock)
const oldKey = { id: 'k1', key: Buffer.alloc(32, 1) }
const newKey = { id: 'k2', key: Buffer.alloc(32, 2) }
const vault = createVault([oldKey], random)
const owner = tokenOwner('tenant-a', 'account-1')

describe('the vault', () => {
  test('opens what it sealed, whatever it says', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (secret, owner) => {
        expect(vault.open(vault.seal(secret, owner), owner)).toBe(secret)
      }),
    )
  })

  test('never seals the same to the same, and shows nothing of it', () => {
    const { text } = canary('access token')
    const [one, other] = [vault.seal(text, owner), vault.seal(text, owner)]

    expect(one).not.toBe(other)
    expect(one).toMatch(/^v1\.k1\.[A-Za-z0-9+/=]+$/)
    expectNone(Buffer.from(one.split('.')[2] ?? '', 'base64').toString('latin1'), text)
  })

  test('does not open what belongs to another tenant or row', () => {
    const sealed = vault.seal('secret', owner)

    for (const thief of [tokenOwner('tenant-b', 'account-1'), tokenOwner('tenant-a', 'account-2')])
      expect(() => vault.open(sealed, thief)).toThrow(/authenticate/)
  })

  test('does not open what was changed in any bit', () => {
    const sealed = vault.seal('secret', owner)
    const bytes = Buffer.from(sealed.slice('v1.k1.'.length), 'base64')

    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(() => vault.open(`v1.k1.${changed.toString('base64')}`, owner)).toThrow(/authenticate/)
    }
  })

  test('does not open what was cut, at any length: a shorter tag is no tag', () => {
    const bytes = Buffer.from(vault.seal('secret', owner).slice('v1.k1.'.length), 'base64')

    for (let length = 0; length < bytes.length; length += 1) {
      const cut = bytes.subarray(0, length).toString('base64')
      expect(() => vault.open(`v1.k1.${cut}`, owner)).toThrow(Error)
    }
    // The sealed empty text, with only the first 4 bytes of its tag: authentic as far as it goes.
    const empty = Buffer.from(vault.seal('', owner).slice('v1.k1.'.length), 'base64')
    const guessable = empty.subarray(0, 12 + 4).toString('base64')
    expect(() => vault.open(`v1.k1.${guessable}`, owner)).toThrow(Error)
  })

  test('does not open what is not sealed', () => {
    for (const text of ['', 'secret', 'v1.k1', 'v2.k1.AAAA'])
      expect(() => vault.open(text, owner)).toThrow(Error)
  })

  test('derives the same secret for the same purpose, and another for another', () => {
    expect(vault.derive('pin of 1')).toEqual(vault.derive('pin of 1'))
    expect(vault.derive('pin of 1')).not.toEqual(vault.derive('pin of 2'))
    expect(vault.derive('pin of 1')).not.toEqual(createVault([newKey], random).derive('pin of 1'))
  })

  test('needs a key', () => {
    expect(() => createVault([], random)).toThrow('bug')
  })
})

describe('after a rotation', () => {
  const rotated = createVault([newKey, oldKey], random)

  test('the old key still opens and the new one seals', () => {
    const old = vault.seal('secret', owner)

    expect(rotated.open(old, owner)).toBe('secret')
    expect(rotated.seal('secret', owner)).toMatch(/^v1\.k2\./)
  })

  test('the first key is named, so that what another one sealed can be found', () => {
    expect([vault.keyId, rotated.keyId]).toEqual(['k1', 'k2'])
  })

  test('without the old key what it sealed is named, and stays shut', () => {
    const old = vault.seal('secret', owner)

    expect(() => createVault([newKey], random).open(old, owner)).toThrow(
      'sealed with the key "k1", which is not in ENCRYPTION_KEYS',
    )
    const impostor = createVault([{ id: 'k1', key: newKey.key }], random)
    expect(() => impostor.open(old, owner)).toThrow(/authenticate/)
  })
})
