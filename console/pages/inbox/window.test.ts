import { describe, expect, test } from 'vitest'
import { phoneText } from './phone.ts'
import { lastWroteAt, windowOf } from './window.ts'

describe('the reply window', () => {
  const now = Date.parse('2026-11-16T12:00:00Z')

  test('is open for what is left of 24 hours, and soon over within the last', () => {
    expect(windowOf('2026-11-17T00:00:00Z', now)).toMatchObject({ share: 0.5, isSoonOver: false })
    expect(windowOf('2026-11-16T12:41:00Z', now)).toMatchObject({
      kind: 'open',
      leftMs: 41 * 60_000,
      isSoonOver: true,
    })
  })

  test('is never longer than a day, whatever the clocks say', () => {
    const { leftMs } = windowOf('2026-11-17T12:00:09Z', now) as { leftMs: number }
    expect(leftMs).toBeLessThan(24 * 60 * 60_000)
  })

  test('is closed, or was never open', () => {
    expect(windowOf('2026-11-16T12:00:00Z', now).kind).toBe('closed')
    expect(windowOf(null, now).kind).toBe('never')
    expect(lastWroteAt('2026-11-17T11:00:00Z')?.toISOString()).toBe('2026-11-16T11:00:00.000Z')
    expect(lastWroteAt(null)).toBe(undefined)
  })
})

test.each([
  ['6281100000193', '+62 811 0000 0193'],
  ['15550100101', '+1 555 010 0101'],
  ['442079460142', '+44 207 946 0142'],
  ['351912345678', '+351 912 345 678'],
  ['5511987654321', '+55 119 8765 4321'],
  ['79161234567', '+7 916 123 4567'],
  ['US.1234567890123', 'US.1234567890123'],
  ['12345', '12345'],
])('%s is shown as %s', (waId, shown) => {
  expect(phoneText(waId)).toBe(shown)
})
