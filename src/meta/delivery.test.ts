import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { entry, fixture, payload, statusUpdate, textMessage } from '../../test/support/payloads.ts'
import { describeDelivery } from './delivery.ts'

const describeBody = (body: unknown) => describeDelivery(Buffer.from(JSON.stringify(body)))
const sha256 = (raw: Buffer | string) => createHash('sha256').update(raw).digest('hex')
const number = '441785372350001'

describe('inbound_event_id', () => {
  test.each([
    ['a message', { messages: [textMessage('m1', 'x')] }, 'm1'],
    [
      'the first of two messages',
      { messages: [textMessage('m1', 'x'), textMessage('m2', 'x')] },
      'm1',
    ],
    ['a status', { statuses: [statusUpdate('o1', 'read')] }, 'o1:read'],
    [
      'the message where there is a status too',
      { statuses: [statusUpdate('o1', 'read')], messages: [textMessage('m1', 'x')] },
      'm1',
    ],
    [
      'a status of one participant, without the participant',
      { statuses: [statusUpdate('o1', 'read', { recipient_participant_id: 'p1' })] },
      'o1:read',
    ],
    ['the first that has an id', { messages: [{}, textMessage('m2', 'x')] }, 'm2'],
  ])('is named after %s', (_name, parts, expected) => {
    expect(describeBody(payload(parts)).inboundEventId).toBe(expected)
  })

  test('is the message of a later entry before a status of an earlier one', () => {
    const body = {
      object: 'whatsapp_business_account',
      entry: [
        entry({ statuses: [statusUpdate('o1', 'sent')] }),
        entry({ messages: [textMessage('m1', 'x')] }),
      ],
    }
    expect(describeBody(body).inboundEventId).toBe('m1')
  })

  test('is a hash of the content where there is no item: whatever order and time it comes with', () => {
    const body = (time: number) => ({
      object: 'whatsapp_business_account',
      entry: [
        { id: '1', time, changes: [{ field: 'account_update', value: { event: 'X', a: 1 } }] },
      ],
    })
    const reordered = {
      entry: [{ changes: [{ value: { a: 1, event: 'X' }, field: 'account_update' }], id: '1' }],
      object: 'whatsapp_business_account',
    }
    const { inboundEventId } = describeBody(body(1))
    expect(inboundEventId).toMatch(/^[0-9a-f]{64}$/)
    expect(describeBody(body(2)).inboundEventId).toBe(inboundEventId)
    expect(describeBody(reordered).inboundEventId).toBe(inboundEventId)
    expect(describeBody({ ...body(1), entry: [] }).inboundEventId).not.toBe(inboundEventId)
  })

  test.each(['not JSON', '', '[]', 'null', '"text"', '['.repeat(100_000) + ']'.repeat(100_000)])(
    'is a hash of the bytes of what is no object (%#)',
    (text) => {
      expect(describeDelivery(Buffer.from(text)).inboundEventId).toBe(sha256(text))
    },
  )

  test('is a hash of the bytes of what is nested too deeply to walk', () => {
    const text = `{"entry":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    expect(describeDelivery(Buffer.from(text)).inboundEventId).toBe(sha256(text))
  })
})

describe('the name of a single item', () => {
  const nameOf = (body: unknown) => {
    const { inboundEventId, singleItemOf } = describeBody(body)
    return singleItemOf && `${inboundEventId} of ${singleItemOf}`
  }

  test('is the number and the message', () => {
    expect(nameOf(payload({ messages: [textMessage('m1', 'x')] }))).toBe(`m1 of ${number}`)
  })

  test('is the number, the message and the status', () => {
    expect(nameOf(payload({ statuses: [statusUpdate('o1', 'read')] }))).toBe(`o1:read of ${number}`)
  })

  test('has the participant: two of a group are two items', () => {
    const of = (participant: string) =>
      nameOf(
        payload({
          statuses: [statusUpdate('o1', 'read', { recipient_participant_id: participant })],
        }),
      )
    expect(of('p1')).toBe(`o1:read of ${number}:p1`)
    expect(of('p2')).not.toBe(of('p1'))
  })

  const message = textMessage('m1', 'x')
  const good = entry({ messages: [message] })
  const [change] = good.changes
  const withValue = (more: object) => ({
    entry: [{ ...good, changes: [{ ...change, value: { ...change?.value, ...more } }] }],
  })

  test.each<[string, unknown]>([
    ['two messages', payload({ messages: [message, textMessage('m2', 'x')] })],
    ['the same message twice', payload({ messages: [message, message] })],
    [
      'a message and a status',
      payload({ messages: [message], statuses: [statusUpdate('o', 'sent')] }),
    ],
    ['messages in two entries', { entry: [good, entry({ messages: [textMessage('m2', 'x')] })] }],
    ['a second entry that is none', { entry: [good, null] }],
    ['a second entry without changes', { entry: [good, { id: '1' }] }],
    ['a second change that is none', { entry: [{ ...good, changes: [change, null] }] }],
    [
      'a change of another field',
      { entry: [{ ...good, changes: [change, { field: 'x', value: {} }] }] },
    ],
    [
      'a change without a value',
      { entry: [{ ...good, changes: [change, { field: 'messages' }] }] },
    ],
    ['errors beside the message', withValue({ errors: [{ code: 1 }] })],
    ['statuses that are no list', withValue({ statuses: { 0: statusUpdate('o', 'sent') } })],
    [
      'messages that are no list',
      withValue({ messages: {}, statuses: [statusUpdate('o', 'sent')] }),
    ],
    ['a message without an id', payload({ messages: [message, { type: 'text' }] })],
    ['a message whose id is a number', payload({ messages: [{ ...message, id: 1 }] })],
    ['a message whose id has a NUL', payload({ messages: [{ ...message, id: 'a\u0000' }] })],
    [
      'a message whose id is too long',
      payload({ messages: [{ ...message, id: 'x'.repeat(513) }] }),
    ],
    ['a status without a value', payload({ statuses: [{ id: 'o1' }] })],
    [
      'a status of an odd participant',
      payload({ statuses: [statusUpdate('o1', 'read', { recipient_participant_id: 5 })] }),
    ],
    ['no number', payload({ number: { waba_id: '1', phone_number_id: '' }, messages: [message] })],
    ['another object', { ...payload({ messages: [message] }), object: 'page' }],
    ['nothing', { entry: [] }],
  ])('is none with %s', (_name, body) => {
    expect(nameOf(body)).toBeNull()
  })

  test('belongs to exactly those fixtures that hold one item', () => {
    const single = readdirSync(new URL('../../test/fixtures/meta/', import.meta.url))
      .filter((file) => /^\d{3}-.*\.json$/.test(file))
      .filter((file) => describeDelivery(fixture(file)).singleItemOf !== null)
      .map((file) => Number(file.slice(0, 3)))
    // 001–043 are messages, 044–068 statuses; 069 is an error, 070–076 are batches, the rest other fields.
    expect(single).toEqual(Array.from({ length: 68 }, (_, index) => index + 1))
  })
})

describe('whether Postgres will take it as jsonb', () => {
  const written = (text: string) => describeDelivery(Buffer.from(`{"a":"${text}"}`)).isJsonb

  test.each([
    ['plain text', 'hello', true],
    ['a pair in bytes', '🌵', true],
    ['a pair in escapes', '\\ud83c\\udf35', true],
    ['a pair in upper case', '\\uD83C\\uDF35', true],
    ['two pairs', '\\ud83c\\udf35\\ud83c\\udf35', true],
    ['other escapes', '\\u0001\\n\\u00e9\\/', true],
    ['NUL', 'a\\u0000', false],
    ['a high half', '\\ud83c', false],
    ['a high half before text', '\\ud83cx', false],
    ['a high half before another escape', '\\ud83c\\u0041', false],
    ['two high halves', '\\ud83c\\ud83c\\udf35', false],
    ['a low half', '\\udf35', false],
    ['a low half after a pair', '\\ud83c\\udf35\\udf35', false],
    ['a low half in upper case', '\\uDF35', false],
  ])('%s', (_name, text, expected) => {
    expect(written(text)).toBe(expected)
  })

  test('not with a byte order mark, not when it is no JSON', () => {
    expect(describeDelivery(Buffer.from('\ufeff{"a":1}')).isJsonb).toBe(false)
    expect(describeDelivery(Buffer.from('{"a":')).isJsonb).toBe(false)
  })

  test('also for what is no object', () => {
    expect(describeDelivery(Buffer.from('[1]')).isJsonb).toBe(true)
  })
})

test('any JSON and any bytes have a description', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), (text) => {
      const { inboundEventId } = describeDelivery(Buffer.from(text))
      expect(inboundEventId.length).toBeGreaterThan(0)
    }),
  )
})
