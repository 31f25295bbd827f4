// Every code of the fact sheet, every status without a code, and every recorded answer of Meta's.
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { lostAnswerRow, notSentRow, statusRows } from './outcome-fallbacks.ts'
import { codeRows } from './outcome-table.ts'
import { classify, classifyStatusError, lostOutcome } from './outcomes.ts'
import { readSendAnswer, type SendAnswer } from './send-answer.ts'

const refusal = (statusCode: number, code: number | null, subcode: number | null = null) =>
  ({
    kind: 'refused',
    statusCode,
    provider: { code, subcode, message: null, fbtrace_id: null },
  }) satisfies SendAnswer

const range = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** The sheet, read once more by hand: class and scope, then the codes. */
const sheet: [string, number[]][] = [
  ['auth number', [0, 10, 102, 104, 190, ...range(200, 299), 131005]],
  ['rate_limited app', [4, 17, 341]],
  ['rate_limited waba', [32, 613, 80007, 80008]],
  ['rate_limited number', [130429, 131208, 133008, 133009, 133016]],
  ['rate_limited message', [132069]],
  ['spam_limited number', [131048]],
  ['pair_limited pair', [131056]],
  ['account waba', [368, 131031, 131042, 131044, 131064, 134011, 141006, 141010]],
  ['account number', [33, 131037, 131045, 133010]],
  ['recipient pair', [130403, 130472, 130497, 131026, 131049, 131050, 137000]],
  ['transient message', [1, 2, 131000, 131016, 133004, 134101, 139102, 139103]],
  ['transient number', [131057, 133015, 2494100]],
  ['permanent message', [3, 100, 191, 192, 506, 135000]],
  ['permanent message', [131008, 131009, 131014, 131020, 131021, 131030, 131041, 131047, 131051]],
  ['permanent message', [131052, 131053, 131055, 131058, 131059, 131060, 131062, 131063]],
  ['permanent message', [131201, 131202, 131204, 131207, ...range(131209, 131215)]],
  ['permanent message', [132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016]],
  ['permanent message', [132018, 132068, 133000, 133005, 133006, 134100, 134102]],
  ['permanent message', [...range(138000, 138023), ...range(139000, 139004), 139100, 139101]],
  ['permanent message', [...range(147001, 147005), 200002, 200005, 200006, 200007, 1752041]],
  ['permanent message', [2388001, 2388012, 2388019, 2388023, 2388039, 2388040, 2388047, 2388072]],
  ['permanent message', [2388073, 2388091, 2388093, 2388103, 2388293, 2388299]],
  ['permanent message', [...range(2494164, 2494179), 2593079, 2593085]],
  ['permanent message', [2593107, 2593108, 2593109]],
]

describe('a code of the fact sheet', () => {
  test.each(sheet.flatMap(([expected, codes]) => codes.map((code) => [code, expected] as const)))(
    '%i: %s, whatever the HTTP status, and in a failed status too',
    (code, expected) => {
      for (const statusCode of [200, 206, 400, 401, 403, 404, 429, 500, 502, 503, 504]) {
        const outcome = classify(refusal(statusCode, code))
        expect(`${outcome.class} ${outcome.scope}`).toBe(expected)
        expect(outcome.statusCode).toBe(statusCode)
        expect(outcome.provider?.code).toBe(code)
      }
      const later = classifyStatusError(code)
      expect(`${later.class} ${later.scope}`).toBe(expected)
    },
  )

  test.each([
    [100, 33, 'auth', 'NUMBER_NOT_ACCESSIBLE'],
    [100, 36007, 'permanent', 'LOGIN_CODE_INVALID'],
    [100, 36009, 'permanent', 'LOGIN_CODE_INVALID'],
    [100, 2388023, 'permanent', 'TEMPLATE_INVALID'],
    [100, 2388293, 'permanent', 'TEMPLATE_INVALID'],
    [100, 2494100, 'transient', 'NUMBER_IN_MAINTENANCE'],
    [100, 999, 'permanent', 'INVALID_PARAMETER'],
    [190, 458, 'auth', 'TOKEN_INVALID'],
    [190, 460, 'auth', 'TOKEN_INVALID'],
    [190, 463, 'auth', 'TOKEN_INVALID'],
    [190, 467, 'auth', 'TOKEN_INVALID'],
    [190, 492, 'auth', 'TOKEN_INVALID'],
    [130429, 2494055, 'rate_limited', 'RATE_LIMITED'],
    [131009, 2494010, 'permanent', 'INVALID_PARAMETER'],
    [131030, 2655007, 'permanent', 'RECIPIENT_NOT_ALLOWED'],
    [133010, 2593006, 'account', 'NUMBER_NOT_REGISTERED'],
    // The subcode of another code's row means nothing here.
    [131000, 33, 'transient', 'META_TROUBLE'],
  ])('%i with subcode %i: %s %s', (code, subcode, expected, name) => {
    const outcome = classify(refusal(400, code, subcode))
    expect(outcome.class).toBe(expected)
    expect(outcome.errorCode).toBe(name)
  })
})

describe('without a code that we know', () => {
  test.each([
    [400, 'permanent'],
    [401, 'auth'],
    [403, 'permanent'],
    [404, 'permanent'],
    [408, 'transient'],
    [413, 'permanent'],
    [425, 'transient'],
    [429, 'rate_limited'],
    [499, 'permanent'],
    [500, 'transient'],
    [501, 'transient'],
    [502, 'unknown'],
    [503, 'transient'],
    [504, 'unknown'],
    [505, 'transient'],
    [520, 'unknown'],
    [524, 'unknown'],
    [599, 'unknown'],
    [200, 'unknown'],
    [302, 'unknown'],
    [999, 'unknown'],
  ])('HTTP %i is %s', (statusCode, expected) => {
    expect(classify(refusal(statusCode, null)).class).toBe(expected)
  })

  test('a code that is new to us counts by its status, and by Meta’s word for transient', () => {
    expect(classify(refusal(400, 131_999)).class).toBe('permanent')
    expect(classify(refusal(401, 131_999)).class).toBe('auth')
    expect(classify(refusal(429, 131_999)).class).toBe('rate_limited')
    expect(classify(refusal(500, 131_999)).class).toBe('transient')
    // Meta itself answered, so nothing was lost on the way.
    expect(classify(refusal(502, 131_999)).class).toBe('transient')
    expect(classify({ ...refusal(400, 131_999), isTransient: true }).class).toBe('transient')
    expect(classify({ ...refusal(400, 131_999), isTransient: false }).class).toBe('permanent')
    expect(classify({ ...refusal(400, 131_047), isTransient: true }).class).toBe('permanent')
  })

  test('a failed status without a reason is the end of its message', () => {
    for (const code of [null, 131_999]) {
      expect(classifyStatusError(code)).toMatchObject({ class: 'permanent', errorCode: 'FAILED' })
    }
  })
})

test('silence is not sent, or unknown once a byte has left', () => {
  const silence = { kind: 'unreachable', code: 'TIMEOUT' } as const
  expect(classify({ ...silence, bytesLeft: false })).toMatchObject({
    class: 'not_sent',
    errorCode: 'NOT_SENT',
    statusCode: null,
  })
  expect(classify({ ...silence, bytesLeft: true })).toMatchObject({
    class: 'unknown',
    errorCode: 'OUTCOME_UNKNOWN',
  })
  expect(lostOutcome().class).toBe('unknown')
})

test('an accepted message has its wamid and no error', () => {
  const answer = { kind: 'accepted', statusCode: 200, wamid: 'wamid.7' } as const
  const outcome = classify({ ...answer, waId: null, userId: null, messageStatus: null })
  expect(outcome).toMatchObject({ class: 'accepted', wamid: 'wamid.7', errorCode: null })
})

test('Retry-After and Meta’s own words come along', () => {
  const provider = { code: 4, subcode: 1, message: 'slow', fbtrace_id: 'A1' }
  const outcome = classify({ kind: 'refused', statusCode: 400, provider, retryAfterSeconds: 9 })
  expect(outcome).toMatchObject({ provider, retryAfterSeconds: 9 })
})

describe('recorded answers', () => {
  const folder = new URL('../../test/fixtures/meta/responses/', import.meta.url)
  const now = new Date('2026-09-14T00:00:00Z')
  const outcomeOf = (file: string) => {
    const { status, headers, body } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    const raw = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    return classify(readSendAnswer({ statusCode: status, headers, body: raw }, now))
  }

  /** What each would mean if it were the answer to a send. */
  const expected: Record<string, string> = {
    'err-0-auth': 'auth TOKEN_INVALID',
    'err-1-unknown': 'transient META_TROUBLE',
    'err-2-service': 'transient META_TROUBLE',
    'err-3-capability': 'permanent CAPABILITY_MISSING',
    'err-4-app-limit': 'rate_limited APP_RATE_LIMITED',
    'err-10-permission': 'auth PERMISSION_MISSING',
    'err-33-number-deleted': 'account NUMBER_DELETED',
    'err-100-invalid-parameter': 'permanent INVALID_PARAMETER',
    'err-190-460-password': 'auth TOKEN_INVALID',
    'err-190-463-expired': 'auth TOKEN_INVALID',
    'err-190-467-invalid': 'auth TOKEN_INVALID',
    'err-190-malformed': 'auth TOKEN_INVALID',
    'err-200-permission': 'auth PERMISSION_MISSING',
    'err-368-policy': 'account ACCOUNT_RESTRICTED',
    'err-80007-waba-limit': 'rate_limited WABA_RATE_LIMITED',
    'err-80008-waba-calls': 'rate_limited WABA_RATE_LIMITED',
    'err-130429-throughput-400': 'rate_limited RATE_LIMITED',
    'err-130429-throughput-429': 'rate_limited RATE_LIMITED',
    'err-131000-generic': 'transient META_TROUBLE',
    'err-131005-access-denied': 'auth PERMISSION_MISSING',
    'err-131008-missing': 'permanent INVALID_PARAMETER',
    'err-131009-parameter': 'permanent INVALID_PARAMETER',
    'err-131016-unavailable': 'transient META_TROUBLE',
    'err-131021-self': 'permanent RECIPIENT_NOT_ALLOWED',
    'err-131026-undeliverable': 'recipient UNDELIVERABLE',
    'err-131030-not-allowed': 'permanent RECIPIENT_NOT_ALLOWED',
    'err-131031-locked': 'account ACCOUNT_RESTRICTED',
    'err-131042-payment': 'account PAYMENT_PROBLEM',
    'err-131045-certificate': 'account NUMBER_NOT_REGISTERED',
    'err-131047-window': 'permanent WINDOW_CLOSED',
    'err-131048-spam': 'spam_limited SPAM_LIMITED',
    'err-131056-pair': 'pair_limited PAIR_RATE_LIMITED',
    'err-131057-maintenance': 'transient NUMBER_IN_MAINTENANCE',
    'err-131062-bsuid': 'permanent RECIPIENT_NOT_ALLOWED',
    'err-132000-param-count': 'permanent TEMPLATE_PARAMETERS',
    'err-132001-template-missing': 'permanent TEMPLATE_NOT_FOUND',
    'err-132012-param-format': 'permanent TEMPLATE_PARAMETERS',
    'err-132015-paused': 'permanent TEMPLATE_PAUSED',
    'err-132016-disabled': 'permanent TEMPLATE_NOT_USABLE',
    'err-133005-pin': 'permanent CONFIGURATION_NEEDED',
    'err-133010-not-registered': 'account NUMBER_NOT_REGISTERED',
    'err-133016-register-limit': 'rate_limited REGISTRATION_RATE_LIMITED',
    'err-134101-template-syncing': 'transient TEMPLATE_SYNCING',
    'err-135000-generic-user': 'permanent INVALID_PARAMETER',
    'err-empty-504': 'unknown OUTCOME_UNKNOWN',
    'err-html-502': 'unknown OUTCOME_UNKNOWN',
    'err-template-create-2388023': 'permanent TEMPLATE_INVALID',
    'err-template-create-error-data-string': 'permanent TEMPLATE_INVALID',
    'media-download-404': 'permanent REFUSED',
    'media-get-gone': 'auth NUMBER_NOT_ACCESSIBLE',
    'oauth-exchange-expired-code': 'permanent LOGIN_CODE_INVALID',
    'oauth-exchange-used-code': 'permanent LOGIN_CODE_INVALID',
    'send-ok': 'accepted null',
    'send-ok-bsuid': 'accepted null',
    'send-ok-group': 'accepted null',
    'send-ok-template-accepted': 'accepted null',
    'send-ok-template-held': 'accepted null',
    'send-ok-template-paused': 'accepted null',
    'send-ok-wa-id-differs': 'accepted null',
  }

  const files = readdirSync(folder)

  test.each(files)('%s', (file) => {
    const outcome = outcomeOf(file)
    // All others are answers to other calls, or cut off: 200, and no word of a message.
    const meaning = expected[file.replace('.json', '')] ?? 'unknown OUTCOME_UNKNOWN'
    expect(`${outcome.class} ${outcome.errorCode}`).toBe(meaning)
  })

  test('none is expected that is not there', () => {
    expect(files).toEqual(
      expect.arrayContaining(Object.keys(expected).map((name) => `${name}.json`)),
    )
  })

  test('Meta’s minutes until access is regained are seconds here', () => {
    expect(outcomeOf('err-80007-waba-limit.json').retryAfterSeconds).toBe(19 * 60)
    expect(outcomeOf('err-80008-waba-calls.json').retryAfterSeconds).toBe(7 * 60)
    expect(outcomeOf('err-130429-throughput-400.json').retryAfterSeconds).toBeNull()
  })

  test('what Meta said is kept', () => {
    expect(outcomeOf('err-190-463-expired.json').provider).toMatchObject({
      code: 190,
      subcode: 463,
      fbtrace_id: 'AkCWffKj450Sspth-_0JTJM',
    })
  })
})

describe('the table', () => {
  const rows = [...codeRows, ...statusRows, notSentRow, lostAnswerRow]

  test('one name means one class and scope', () => {
    const meanings = new Map<string, string>()
    for (const { name, class: kind, scope } of rows) {
      expect(name).toMatch(/^[A-Z][A-Z_]+$/)
      expect(`${kind} ${scope}`).toBe(meanings.get(name) ?? `${kind} ${scope}`)
      meanings.set(name, `${kind} ${scope}`)
    }
  })

  test('every row tells a person something, in a sentence', () => {
    for (const { advice } of rows) expect(advice).toMatch(/^[A-Z].{20,}\.$/)
  })

  test('no code stands in two rows, but for its subcodes', () => {
    const spans = codeRows
      .filter((row) => row.subcodes === undefined)
      .flatMap((row) => row.codes)
      .map((span) => (typeof span === 'number' ? ([span, span] as const) : span))
      .sort(([a], [b]) => a - b)
    for (const [index, [from, to]] of spans.entries()) {
      expect(to).toBeGreaterThanOrEqual(from)
      expect(from).toBeGreaterThan(spans[index - 1]?.[1] ?? -1)
    }
  })
})

test('anything is classified, and nothing throws', () => {
  const code = fc.option(fc.oneof(fc.integer(), fc.constantFrom(...sheet.flatMap(([, of]) => of))))
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), code, code, (statusCode, first, second) => {
      const outcome = classify(refusal(statusCode, first, second))
      expect(outcome.class).not.toBe('accepted')
      expect(outcome.errorCode).not.toBeNull()
      classifyStatusError(first)
    }),
    { numRuns: times(500) },
  )
})
