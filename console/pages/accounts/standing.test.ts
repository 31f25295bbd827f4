import { expect, test } from 'vitest'
import { isFound, limitOf, needsLook, stateOf, toneOf, worstFirst } from './standing.ts'
import type { Account } from './types.ts'

const at = '2026-11-16T12:00:00.000Z'

function account(more: Partial<Account> = {}): Account {
  return {
    id: 'acc_1',
    waba_id: '200',
    phone_number_id: '300',
    display_phone_number: '+52 55 0000 0187',
    app_id: null,
    auth_status: 'ok',
    auth_last_error: null,
    responder: 'off',
    auto_reply_text: null,
    templates_auth_status: 'ok',
    templates_auth_last_error: null,
    token_expires_at: null,
    token_expires_soon: false,
    token_checked_at: null,
    throughput_level: 'standard',
    hold: null,
    replies_only_until: null,
    standing: {},
    created_at: at,
    waiting_count: 0,
    last_inbound_at: null,
    circuit: null,
    throttled_until: null,
    ...more,
  }
}

test('the worst that is known of an account is its state', () => {
  const circuit = { scope: 'number' as const, opened_at: at, trial_at: at }
  const red = { quality: { rating: 'RED', at } }
  const told: [Partial<Account>, string, string][] = [
    [{}, 'working', 'ok'],
    [{ throttled_until: at }, 'slowed', 'ok'],
    [{ standing: { quality: { rating: 'YELLOW', at } } }, 'mediumQuality', 'warn'],
    [{ standing: red }, 'lowQuality', 'warn'],
    [{ standing: red, templates_auth_status: 'needs_reauth' }, 'templates', 'warn'],
    [{ token_expires_soon: true, standing: red }, 'expiring', 'warn'],
    [{ replies_only_until: at, token_expires_soon: true }, 'repliesOnly', 'warn'],
    [{ circuit, replies_only_until: at }, 'silent', 'warn'],
    [{ circuit, standing: { status: { status: 'PENDING', at } } }, 'unregistered', 'bad'],
    [{ hold: { reason: 'restricted', until: at }, circuit }, 'restricted', 'bad'],
    [{ hold: { reason: 'review_rejected', until: null } }, 'rejected', 'bad'],
    [{ hold: { reason: 'banned', until: null } }, 'banned', 'bad'],
    [{ auth_status: 'needs_reauth', hold: { reason: 'banned', until: null } }, 'reconnect', 'bad'],
  ]
  for (const [more, state, tone] of told) {
    expect([stateOf(account(more)), toneOf(stateOf(account(more)))]).toEqual([state, tone])
  }
  expect(needsLook(account())).toBe(false)
  expect(needsLook(account({ circuit }))).toBe(true)
})

test('the worst comes first, then where most waits, then by number', () => {
  const list = [
    account({ id: 'fine', display_phone_number: '+2' }),
    account({ id: 'first by number', display_phone_number: '+1' }),
    account({ id: 'busy', waiting_count: 3 }),
    account({ id: 'broken', auth_status: 'needs_reauth' }),
  ]
  expect(worstFirst(list).map(({ id }) => id)).toEqual([
    'broken',
    'busy',
    'first by number',
    'fine',
  ])
})

test('a limit is read in each form in which Meta tells it', () => {
  const limit = (tier: string) => limitOf(account({ standing: { limit: { tier, at } } }))
  expect([limit('TIER_250'), limit('TIER_10K'), limit('2000'), limit('TIER_UNLIMITED')]).toEqual([
    250,
    10_000,
    2000,
    Number.POSITIVE_INFINITY,
  ])
  expect([limit('TIER_NOT_SET'), limitOf(account())]).toEqual([undefined, undefined])
})

test('an account is found by digits, name and ids', () => {
  const one = account({ standing: { name: { name: 'Ibarra Solís', at } } })
  for (const said of ['5500000187', '55 0000', 'solís', 'ACC_1', ' 300 ']) {
    expect(isFound(one, said), said).toBe(true)
  }
  for (const said of ['99', 'nobody', '+']) expect(isFound(one, said), said).toBe(false)
})
