import { describe, expect, test } from 'vitest'
import type { OutcomeClass } from '../meta/outcome-row.ts'
import { classify, lostOutcome, type Outcome } from '../meta/outcomes.ts'
import { accountHoldMs, decide, errorOf } from './decide.ts'
import type { ClaimedSend } from './model.ts'
import { maxRetryAfterSeconds, spamHoldSeconds } from './retry-policy.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const terms = {
  defaultPolicy: 'standard' as const,
  reconcileSeconds: 30,
  random: { fraction: () => 0 },
  now,
}
const inSeconds = (seconds: number) => new Date(now.getTime() + seconds * 1000)

const send: ClaimedSend = {
  id: '1',
  attemptId: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  tenantId: '0',
  phoneNumberId: '1',
  messageId: '2',
  attempts: 0,
  payload: { type: 'text' },
  fallbackTemplate: null,
  callbackData: null,
  delivery: 'at_least_once',
  expiresAt: null,
  correlationId: '3',
  retryPolicy: null,
  lane: '16505550143',
  createdAt: now,
  slotMs: null,
  claimedMs: 0,
}

const refused = (
  code: number | null,
  statusCode: number,
  retryAfterSeconds: number | null = null,
) =>
  classify({
    kind: 'refused',
    statusCode,
    provider: { code, subcode: null, message: 'Words of Meta’s', fbtrace_id: 'trace' },
    retryAfterSeconds,
  })
const accepted = classify({
  kind: 'accepted',
  statusCode: 200,
  wamid: 'wamid.1',
  waId: null,
  userId: null,
  messageStatus: null,
})

describe('what an outcome means for its row', () => {
  test('accepted: done', () => {
    expect(decide(send, accepted, terms)).toEqual({ state: 'done' })
  })

  const retried: [name: string, outcome: Outcome, seconds: number, isHeld: boolean][] = [
    ['a server error', refused(131000, 500), 10, false],
    [
      'not sent',
      classify({ kind: 'unreachable', code: 'ECONNREFUSED', bytesLeft: false }),
      10,
      false,
    ],
    ['a lost answer', lostOutcome(), 30, false],
    ['a limit of the number', refused(130429, 400), 10, true],
    ['a limit of the account', refused(80007, 400), 10, true],
    ['a limit of the app', refused(4, 400), 10, true],
    ['a limit with a time', refused(null, 429, 120), 120, true],
    ['a limit with an absurd time', refused(null, 429, 1e9), maxRetryAfterSeconds, true],
    // One contact, one Flow: nobody else waits.
    ['a limit of the pair', refused(131056, 400), 10, false],
    ['a limit of a Flow', refused(132069, 400), 10, false],
  ]
  test.each(retried)('%s: tried again', (_, outcome, seconds, isHeld) => {
    expect(decide(send, outcome, terms)).toEqual({
      state: 'pending',
      runAt: inSeconds(seconds),
      failures: 1,
      holdUntil: isHeld ? inSeconds(seconds) : null,
      isParked: false,
    })
  })

  test('a spam limit holds the number for hours, and uses up no attempt, not even the last', () => {
    expect(decide({ ...send, attempts: 7 }, refused(131048, 400), terms)).toMatchObject({
      state: 'pending',
      failures: 0,
      runAt: inSeconds(spamHoldSeconds),
      holdUntil: inSeconds(spamHoldSeconds),
    })
  })

  test('a token that is no good parks it, without a time', () => {
    for (const outcome of [refused(190, 401), refused(null, 401), refused(200, 403)]) {
      expect(decide({ ...send, attempts: 7 }, outcome, terms)).toEqual({
        state: 'pending',
        runAt: null,
        failures: 0,
        holdUntil: null,
        isParked: true,
      })
    }
  })

  test('an account in trouble: this one is dead, the number waits', () => {
    expect(decide(send, refused(131031, 400), terms)).toEqual({
      state: 'failed',
      letter: 'outbound',
      holdUntil: inSeconds(accountHoldMs / 1000),
    })
  })

  test.each([refused(132001, 404), refused(131026, 400), refused(3, 500), refused(null, 400)])(
    'what will not change is dead at once ($errorCode)',
    (outcome) => {
      expect(decide(send, outcome, terms)).toEqual({
        state: 'failed',
        letter: 'outbound',
        holdUntil: null,
      })
    },
  )
})

describe('the last attempt', () => {
  test.each([
    ['standard', 7, 8],
    ['patient', 5, 6],
  ] as const)('%s: after %i failures this one is dead', (retryPolicy, attempts, _all) => {
    const before = { ...send, retryPolicy, attempts: attempts - 1 }
    const last = { ...send, retryPolicy, attempts }
    expect(decide(before, refused(131000, 500), terms).state).toBe('pending')
    expect(decide(last, refused(131000, 500), terms)).toEqual({
      state: 'failed',
      letter: 'outbound',
      holdUntil: null,
    })
  })

  test('whose answer was lost waits for evidence, and then is not called dead, but unknown', () => {
    const last = { ...send, attempts: 7 }
    expect(decide(last, lostOutcome(), terms)).toMatchObject({
      state: 'pending',
      runAt: inSeconds(300),
      failures: 1,
    })
    expect(decide(last, lostOutcome(), { ...terms, hasWaited: true })).toMatchObject({
      state: 'failed',
      letter: 'unknown',
    })
  })

  test('still says how long the number is to wait', () => {
    const limited = refused(130429, 400, 120)
    expect(decide({ ...send, attempts: 7 }, limited, terms)).toMatchObject({
      state: 'failed',
      holdUntil: inSeconds(120),
    })
  })
})

describe('at most once', () => {
  const once: ClaimedSend = { ...send, delivery: 'at_most_once' }

  test('a lost answer waits for evidence, and ends it as unknown when there is none', () => {
    expect(decide(once, lostOutcome(), terms)).toMatchObject({
      state: 'pending',
      runAt: inSeconds(30),
      failures: 1,
    })
    expect(decide(once, lostOutcome(), { ...terms, hasWaited: true })).toEqual({
      state: 'failed',
      letter: 'unknown',
      holdUntil: null,
    })
  })

  test('a refusal is an answer: it is tried again', () => {
    expect(decide(once, refused(131000, 500), terms).state).toBe('pending')
  })
})

describe('a closed window', () => {
  const closed = refused(131047, 400)

  test('with a template to fall back on: that takes its place at once', () => {
    const fallbackTemplate = { type: 'template' }
    expect(decide({ ...send, fallbackTemplate }, closed, terms)).toEqual({
      state: 'fallback',
      runAt: now,
    })
    expect(decide({ ...send, fallbackTemplate }, refused(132001, 404), terms).state).toBe('failed')
  })

  test('without: dead', () => {
    expect(decide(send, closed, terms).state).toBe('failed')
  })
})

test('every class has a decision', () => {
  const classes: OutcomeClass[] = [
    'accepted',
    'not_sent',
    'rate_limited',
    'spam_limited',
    'pair_limited',
    'account',
    'auth',
    'permanent',
    'recipient',
    'transient',
    'unknown',
  ]
  const states = classes.map((one) => decide(send, { ...lostOutcome(), class: one }, terms).state)
  expect(new Set(states)).toEqual(new Set(['done', 'pending', 'failed']))
})

test('the error of a message: our name and advice, and Meta’s own words apart', () => {
  expect(errorOf(refused(132001, 404))).toEqual({
    code: 'TEMPLATE_NOT_FOUND',
    message: expect.any(String),
    provider: { code: 132001, subcode: null, message: 'Words of Meta’s', fbtrace_id: 'trace' },
  })
})
