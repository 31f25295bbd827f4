import { describe, expect, test } from 'vitest'
import type { ClaimedSend } from './model.ts'
import { endBeforePost, missingWaitMs } from './send.ts'
import type { SendContext } from './send-queries.ts'

describe('before an ambiguous one is sent again', () => {
  test.each([
    ['nothing is ambiguous', null, null, 0],
    ['webhooks came in all the time', 31, 3600, 0],
    ['they do not come in now', 31, null, 30_000],
    ['they came in again just now', 3600, 0, 30_000],
    ['and for a part of the time', 3600, 12.5, 17_500],
    ['and for the whole of it', 3600, 30, 0],
  ])('%s', (_, unknownForSeconds, steadyForSeconds, missing) => {
    expect(missingWaitMs({ unknownForSeconds, steadyForSeconds }, 30)).toBe(missing)
  })
})

describe('after an answer that Meta is in trouble', () => {
  const now = new Date('2026-03-01T12:00:00.000Z')
  const terms = { defaultPolicy: 'standard' as const, reconcileSeconds: 30, now }
  const send = { attempts: 1, delivery: 'at_most_once', payload: { type: 'text' }, createdAt: now }
  const context = {
    acceptedAs: null,
    unknownForSeconds: null,
    isTroubled: true,
    lastInboundAt: now,
  }
  const ended = (more: Partial<ClaimedSend>, steadyForSeconds: number | null) =>
    endBeforePost(
      { ...send, ...more } as ClaimedSend,
      { ...context, accountId: 'a', authStatus: 'ok', steadyForSeconds } as SendContext,
      terms,
    )

  test('what must not be doubled waits while webhooks lie unread, and no longer', () => {
    expect(ended({}, null)).toMatchObject({ postponedMs: 30_000 })
    expect(ended({}, 0)).toBeUndefined()
  })

  test('anything else is sent again', () => {
    expect(ended({ delivery: 'at_least_once' }, null)).toBeUndefined()
  })
})
