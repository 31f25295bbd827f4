// The check of opt-outs finds what is planted for it, and lets pass what may be.
import { expect, test } from 'vitest'
import { checkConsent, suppressedCode, type Word } from './consent.ts'
import type { TimedAttempt } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import type { Span } from './span.ts'

const [phoneNumberId, from] = ['7', '16505550101']
const attemptId = '00000000-0000-4000-8000-000000000001'

const word = (isStop: boolean, saidMs: number, more: Partial<Word> = {}): Word => ({
  ...{ phoneNumberId, from, isStop, saidMs, receivedMs: saidMs + 100, heardMs: saidMs + 200 },
  ...more,
})

/** Somebody is called for what was claimed then, at once or later. */
function claimedAt(
  startedMs: number,
  words: Word[],
  { letters = [] as object[], arrivedMs = startedMs, outages = [] as Span[] } = {},
): string[] {
  const arrived_at = new Date(arrivedMs).toISOString()
  const request = {
    ...{ phone_number_id: phoneNumberId, recipient: from, arrived_at },
    body: { biz_opaque_callback_data: `est:${attemptId}` },
  }
  const evidence = {
    ledger: { requests: [request] },
    rows: { letters, messages: [{ id: 'm', phoneNumberId, waId: from }] },
  } as unknown as Evidence
  const attempts = [{ id: attemptId, startedMs }] as TimedAttempt[]
  return checkConsent(evidence, { attempts, heard: [] }, words, outages)
}

const called = [expect.stringContaining('who had written a stop word')]
const stop = word(true, 10_000)

test('whoever wrote a stop word is called no more', () => {
  expect(claimedAt(15_000, [stop])).toEqual(called)
  expect(claimedAt(15_000, [word(false, 5_000), stop, word(false, 20_000)])).toEqual(called)
})

test('what was claimed before the word does not stay on its way', () => {
  const leftAt = (arrivedMs: number, words: Word[], outages: Span[] = []) =>
    claimedAt(10_000, words, { arrivedMs, outages })
  expect(leftAt(40_000, [stop])).toEqual(called)
  expect(leftAt(20_000, [stop])).toEqual([])
  expect(leftAt(40_000, [stop, word(false, 30_000)])).toEqual([])
  expect(leftAt(40_000, [stop], [{ fromMs: 12_000, toMs: 30_000 }])).toEqual([])
  expect(leftAt(40_000, [stop], [{ fromMs: 50_000, toMs: 60_000 }])).toEqual(called)
})

test.each([
  ['what was claimed before the word was known', 10_150, [stop]],
  ['who wrote again', 25_000, [stop, word(false, 20_000)]],
  ['whose later word came first', 15_000, [stop, word(false, 11_000, { receivedMs: 9_000 })]],
  ['whose words are of one second', 15_000, [stop, word(false, 10_000)]],
  ['another who wrote it', 15_000, [{ ...stop, from: '16505550102' }]],
  ['who wrote it to another number', 15_000, [{ ...stop, phoneNumberId: '8' }]],
] as const)('is let pass: %s', (_what, startedMs, words) => {
  expect(claimedAt(startedMs, [...words])).toEqual([])
})

test('nothing ends for the sake of one who never said so', () => {
  const letters = [{ errorCode: suppressedCode, messageId: 'm' }]
  expect(claimedAt(0, [stop], { letters })).toEqual([])
  expect(claimedAt(0, [word(false, 10_000)], { letters })).toEqual([
    'I16: the message m ended for one who never wrote stop',
  ])
})
