import { describe, expect, test } from 'vitest'
import type { TokenInfo } from '../../meta/graph-accounts.ts'
import {
  accountsToAsk,
  checkToken,
  grantedAccounts,
  isGranted,
  managementScope,
  messagingScope,
} from './grant.ts'

const info = (more: Partial<TokenInfo> = {}): TokenInfo => ({
  isValid: true,
  appId: 'app',
  expiresAt: null,
  scopes: [messagingScope, managementScope],
  targets: new Map(),
  error: null,
  ...more,
})
const targets = (messaging: string[], management: string[]) =>
  new Map([
    [messagingScope, messaging],
    [managementScope, management],
  ])

describe('a token', () => {
  test('is good for the accounts that every permission names', () => {
    const token = info({ targets: targets(['a', 'b'], ['b', 'c']) })

    expect(grantedAccounts(token)).toEqual(['b'])
    expect(isGranted(token, messagingScope, 'a')).toBe(true)
    expect(isGranted(token, managementScope, 'a')).toBe(false)
  })

  test('that names none excludes none, but then the browser’s word needs Meta’s listing', () => {
    expect(grantedAccounts(info())).toBeNull()
    expect(accountsToAsk(info(), 'named')).toEqual(['named'])
    expect(() => accountsToAsk(info(), undefined)).toThrow(
      expect.objectContaining({ code: 'WABA_NOT_GRANTED' }),
    )
  })

  test('is asked about no account that it does not name', () => {
    const token = info({ targets: targets(['a', 'b'], ['a', 'b']) })

    expect(accountsToAsk(token, 'b')).toEqual(['b'])
    expect(accountsToAsk(token, undefined)).toEqual(['a', 'b'])
    for (const [granted, named] of [
      [token, 'c'],
      [info({ targets: targets([], []) }), undefined],
    ] as const) {
      expect(() => accountsToAsk(granted, named)).toThrow(
        expect.objectContaining({ code: 'WABA_NOT_GRANTED' }),
      )
    }
  })

  test('without the scope itself is good for nothing, whatever it names', () => {
    const token = info({ scopes: [managementScope], targets: targets(['a'], ['a']) })
    expect(isGranted(token, messagingScope, 'a')).toBe(false)
  })

  test.each([
    ['TOKEN_INVALID', { isValid: false }],
    ['APP_MISMATCH', { appId: 'another' }],
    ['APP_MISMATCH', { appId: null }],
    ['SCOPES_MISSING', { scopes: [] }],
  ])('is refused with %s', (code, more) => {
    expect(() => checkToken(info(more), 'app')).toThrow(expect.objectContaining({ code }))
  })
})
