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
  const send: Partial<ClaimedSend> = { attempts: 1, payload: { type: 'text' }, createdAt: now }
  const context = {
    acceptedAs: null,
    unknownForSeconds: null,
    ...{ accountId: 'a', authStatus: 'ok', lastInboundAt: now },
  }

  test.each([
    ['at_least_once', 'webhooks lie unread', 11, null, 30_000],
    ['at_least_once', 'and have done so for long', 601, null, undefined],
    ['at_least_once', 'they are read again', 11, 0, undefined],
    ['at_least_once', 'it was answered otherwise', null, null, undefined],
    ['at_most_once', 'webhooks lie unread', 11, null, 30_000],
    ['at_most_once', 'and have done so for long', 601, null, 30_000],
    ['at_most_once', 'they were read all the time', 11, 3600, 19_000],
    ['at_most_once', 'they are read again', 3600, 20.5, 10_000],
    ['at_most_once', 'that is long ago', 30, 3600, undefined],
    ['at_most_once', 'it was answered otherwise', null, null, undefined],
  ] as const)('%s, %s', (delivery, _, troubledForSeconds, steadyForSeconds, postponedMs) => {
    const ended = endBeforePost(
      { ...send, delivery } as ClaimedSend,
      { ...context, troubledForSeconds, steadyForSeconds } as SendContext,
      terms,
    )
    expect(ended?.postponedMs).toBe(postponedMs)
  })
})
