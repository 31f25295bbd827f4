import { describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import { startTestGateway } from '../../test/support/gateway.ts'
import { createRateLimit } from './rate-limit.ts'

const tooMany = (seconds: string) =>
  expect.objectContaining({
    code: 'RATE_LIMITED',
    status: 429,
    headers: { 'retry-after': seconds },
  })

function call(limit: (caller: string) => void, caller: string, times: number): void {
  for (let count = 0; count < times; count += 1) limit(caller)
}

describe('the rate limit', () => {
  test('lets a burst of two seconds’ worth through and refuses the next', () => {
    const limit = createRateLimit(5, createTestClock())

    call(limit, 'one', 10)

    expect(() => limit('one')).toThrow(tooMany('1'))
  })

  test('gives back what time brings, and no more than a burst', () => {
    const clock = createTestClock()
    const limit = createRateLimit(5, clock)
    call(limit, 'one', 10)

    clock.advance(200)
    call(limit, 'one', 1)
    expect(() => limit('one')).toThrow(tooMany('1'))

    clock.advance(3_600_000)
    call(limit, 'one', 10)
    expect(() => limit('one')).toThrow(tooMany('1'))
  })

  test('a refused call costs nothing, so whoever waits as told gets through', () => {
    const clock = createTestClock()
    const limit = createRateLimit(1, clock)
    call(limit, 'one', 2)
    for (let count = 0; count < 50; count += 1) expect(() => limit('one')).toThrow(tooMany('1'))

    clock.advance(1000)

    call(limit, 'one', 1)
  })

  test('one caller’s calls are not another’s', () => {
    const limit = createRateLimit(1, createTestClock())
    call(limit, 'one', 2)
    expect(() => limit('one')).toThrow(tooMany('1'))

    call(limit, 'other', 2)
  })

  test('remembers a bounded number of callers', () => {
    const limit = createRateLimit(1, createTestClock())
    call(limit, 'one', 2)

    for (let count = 0; count < 10_000; count += 1) limit(`caller ${count}`)

    // It was forgotten to make room, and starts afresh.
    call(limit, 'one', 2)
  })
})

test('a key that calls too often is answered 429 with Retry-After, and others are not', async () => {
  const clock = createTestClock()
  const gateway = await startTestGateway({
    clock,
    environment: { API_RATE_LIMIT_PER_SECOND: '2' },
  })
  const one = await gateway.createTenant('Firm A')
  clock.advance(10_000)
  const other = await gateway.createTenant('Firm B')
  const ask = (key: string) => gateway.call('GET', '/api/whatsapp/accounts', { key })
  for (let count = 0; count < 4; count += 1) expect((await ask(one.key)).status).toBe(200)

  const refused = await ask(one.key)

  expect(refused.status).toBe(429)
  expect(refused.json.error.code).toBe('RATE_LIMITED')
  expect(refused.headers.get('retry-after')).toBe('1')
  expect((await ask(other.key)).status).toBe(200)
  clock.advance(1_000)
  expect((await ask(one.key)).status).toBe(200)
})
