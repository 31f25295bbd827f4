// Reading an answer: what is there is found, and nothing that is there breaks the reader.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSendAnswer, retryAfterSecondsIn } from './send-answer.ts'

const now = new Date('2026-11-16T12:00:00Z')
const read = (statusCode: number, body: unknown, headers = {}) =>
  readSendAnswer({ statusCode, headers, body: Buffer.from(JSON.stringify(body)) }, now)

describe('an accepted message', () => {
  test('has its wamid, and the contact as Meta knows it', () => {
    const answer = read(200, {
      messaging_product: 'whatsapp',
      contacts: [{ input: '+5511955550199', wa_id: '+551155550199', user_id: 'BR.7' }],
      messages: [{ id: 'wamid.7', message_status: 'held_for_quality_assessment' }],
    })
    expect(answer).toEqual({
      kind: 'accepted',
      statusCode: 200,
      wamid: 'wamid.7',
      waId: '551155550199',
      userId: 'BR.7',
      messageStatus: 'held_for_quality_assessment',
    })
  })

  test.each([
    ['nothing', undefined],
    ['a list', []],
    ['no messages', { messages: [] }],
    ['a message without an id', { messages: [{}] }],
    ['an empty id', { messages: [{ id: '' }] }],
    ['an id that is no text', { messages: [{ id: 7 }] }],
    ['an id that cannot be stored', { messages: [{ id: 'wamid.\0' }] }],
    ['an endless id', { messages: [{ id: 'w'.repeat(1025) }] }],
    ['messages that are no list', { messages: { 0: { id: 'wamid.7' } } }],
  ])('with %s is unreadable', (_name, body) => {
    expect(read(200, body ?? null)).toEqual({ kind: 'unreadable', statusCode: 200 })
  })

  test('is none in an answer that is no 2xx', () => {
    expect(read(302, { messages: [{ id: 'wamid.7' }] }).kind).toBe('unreadable')
    expect(read(404, { messages: [{ id: 'wamid.7' }] }).kind).toBe('refused')
  })
})

describe('a refusal', () => {
  test('has Meta’s code, subcode, words and trace', () => {
    const error = {
      code: 190,
      error_subcode: 463,
      message: 'expired',
      fbtrace_id: 'A1',
      is_transient: false,
    }
    expect(read(401, { error }, { 'retry-after': '7' })).toEqual({
      kind: 'refused',
      statusCode: 401,
      provider: { code: 190, subcode: 463, message: 'expired', fbtrace_id: 'A1' },
      retryAfterSeconds: 7,
      isTransient: false,
    })
  })

  test('counts also in a 200', () => {
    expect(read(200, { error: { code: 131201 }, messages: [{ id: 'wamid.7' }] })).toMatchObject({
      kind: 'refused',
      provider: { code: 131201 },
    })
  })

  test('may write its code as text, and anything else as it likes', () => {
    expect(read(400, { error: { code: '131056' } })).toMatchObject({ provider: { code: 131056 } })
    expect(read(400, { error: { code: 1.5, message: {}, fbtrace_id: 7 } })).toMatchObject({
      provider: { code: null, message: null, fbtrace_id: null },
    })
    expect(read(400, { error: 'no' })).toMatchObject({ kind: 'refused', provider: { code: null } })
  })

  test('has words that can be stored', () => {
    const answer = read(400, { error: { message: `a\0${'x'.repeat(998)}😀` } })
    const message = answer.kind === 'refused' ? answer.provider.message : null
    expect(message).toHaveLength(1000)
    expect(message).not.toContain('\0')
    expect(message?.isWellFormed()).toBe(true)
  })
})

describe('Retry-After', () => {
  const usage = (minutes: unknown) => ({
    'x-business-use-case-usage': JSON.stringify({
      1: [{ estimated_time_to_regain_access: minutes }],
      2: [{ estimated_time_to_regain_access: 1 }],
    }),
  })

  test.each([
    ['seconds', { 'retry-after': '120' }, 120],
    ['seconds with spaces', { 'retry-after': ' 5 ' }, 5],
    ['zero', { 'retry-after': '0' }, 0],
    ['a date', { 'retry-after': 'Mon, 16 Nov 2026 12:01:30 GMT' }, 90],
    ['a date that has passed', { 'retry-after': 'Mon, 16 Nov 2026 11:00:00 GMT' }, 0],
    ['given twice', { 'retry-after': ['3', '9'] }, 3],
    ['words', { 'retry-after': 'soon' }, null],
    ['a negative number', { 'retry-after': '-5' }, null],
    ['a fraction', { 'retry-after': '1.5' }, null],
    ['an impossible date', { 'retry-after': 'Mon, 99 Foo 2026 12:00:00 GMT' }, null],
    ['nothing', {}, null],
    ['Meta’s minutes, the longest', usage(7), 420],
    ['Meta’s minutes before its own header', { 'retry-after': '3', ...usage(7) }, 3],
    ['minutes that are text', usage('7'), 60],
    ['usage that is no JSON', { 'x-business-use-case-usage': '{' }, null],
    ['usage that is a list', { 'x-business-use-case-usage': '[[1]]' }, null],
    ['usage without limits', { 'x-business-use-case-usage': '{"1":[{}],"2":7}' }, null],
  ])('as %s', (_name, headers, expected) => {
    expect(retryAfterSecondsIn(headers, now)).toBe(expected)
  })
})

test('any status, any JSON and any bytes are read without a throw', () => {
  const status = fc.integer({ min: 100, max: 999 })
  fc.assert(
    fc.property(status, fc.jsonValue(), (statusCode, any) => {
      read(statusCode, any)
      read(statusCode, { error: any })
      read(statusCode, { messages: any, contacts: any })
      read(statusCode, { messages: [any], contacts: [any] })
      read(statusCode, { error: { code: any, message: any, error_subcode: any, fbtrace_id: any } })
      retryAfterSecondsIn({ 'x-business-use-case-usage': JSON.stringify(any) }, now)
    }),
  )
  fc.assert(
    fc.property(status, fc.uint8Array(), fc.string(), (statusCode, bytes, header) => {
      const headers = { 'retry-after': header, 'x-business-use-case-usage': header }
      readSendAnswer({ statusCode, headers, body: Buffer.from(bytes) }, now)
    }),
  )
})
