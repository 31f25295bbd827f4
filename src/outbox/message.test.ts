// What goes in, what goes to Meta and what is stored: recipients, options, and every kind of message as it is.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { everyMessage, templateOf } from '../../test/support/messages-to-send.ts'
import { parsePart } from '../api/route.ts'
import { AppError } from '../errors.ts'
import { packCallback } from '../meta/callback-data.ts'
import { checkTimes, maxAheadMs, maxCallbackData, maxOwnCallbackData } from './message/options.ts'
import {
  describeContent,
  fallbackOf,
  isTemplate,
  type SendRequest,
  sendRequest,
  toMeta,
} from './message.ts'

const parse = (body: unknown) =>
  parsePart(sendRequest, body, 'body', 'INVALID_MESSAGE') as SendRequest

/** The fields that are named as wrong. */
function refusedFields(body: unknown): string[] {
  try {
    parse(body)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(error).toMatchObject({ code: 'INVALID_MESSAGE', status: 400 })
    const { fields } = error.details as { fields: { field: string }[] }
    return fields.map(({ field }) => field)
  }
  return []
}

function problem(body: unknown): string {
  const result = sendRequest.safeParse(body)
  return result.success ? '' : (result.error.issues[0]?.message ?? '')
}

const text = { type: 'text', text: { body: 'Good morning' } }
const toMara = { to: '+16505550143' }

describe('every kind of message', () => {
  test.each(everyMessage)('%s goes to Meta as it was written', (_name, content) => {
    const { type, ...rest } = content
    const request = parse({ ...content, ...toMara })
    expect(toMeta(request)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505550143',
      type,
      ...rest,
    })
    expect(describeContent(request)).toEqual({
      type,
      content: rest,
      replyTo: null,
      isTemplate: type === 'template',
    })
  })

  test.each(everyMessage)('%s survives being stored', (_name, content) => {
    const request = parse({ ...content, ...toMara, context: { message_id: 'wamid.7' } })
    const stored = JSON.parse(JSON.stringify(request))
    expect(stored).toEqual(request)
    expect(toMeta(stored)).toEqual(toMeta(request))
  })

  test.each(everyMessage)('%s takes no field that it does not know', (_name, content) => {
    expect(refusedFields({ ...content, ...toMara, priority: 1 })).toEqual(['priority'])
  })

  test.each(everyMessage)('%s needs its content', (_name, content) => {
    expect(refusedFields({ type: content.type, ...toMara })).toEqual([content.type])
  })

  test('takes no content of another type', () => {
    expect(refusedFields({ ...text, ...toMara, image: { id: '7' } })).toEqual(['image'])
  })

  test('is a text when it does not say', () => {
    const request = parse({ text: { body: 'x' }, ...toMara })
    expect(toMeta(request)).toMatchObject({ type: 'text', text: { body: 'x' } })
  })

  test.each(['hologram', 'Text', '', null, 7, ['text']])('%j is none', (type) => {
    expect(refusedFields({ ...text, type, ...toMara })).toEqual(['type'])
  })

  test('may say whose product it is, and only that one', () => {
    expect(parse({ ...text, ...toMara, messaging_product: 'whatsapp' })).toBeDefined()
    expect(refusedFields({ ...text, ...toMara, messaging_product: 'sms' })).toEqual([
      'messaging_product',
    ])
  })

  test.each([[null], ['text'], [7], [[]], [true]])('%j is no message', (body) => {
    expect(refusedFields(body)).toEqual(['body'])
  })
})

describe('to', () => {
  test.each([
    ['16505550143', '16505550143'],
    ['+16505550143', '16505550143'],
    ['+1 (650) 555-0143', '16505550143'],
    ['+55 11 95555.0199', '5511955550199'],
    ['49/30/5550 199', '49305550199'],
    ['+44\u00a020\u20115550\u20130199', '442055500199'],
    // The shortest and the longest.
    ['6834000', '6834000'],
    ['123456789012345', '123456789012345'],
  ])('%j is stored as %s and goes to Meta with a +', (to, digits) => {
    const request = parse({ ...text, to })
    expect(request.to).toBe(digits)
    expect(toMeta(request).to).toBe(`+${digits}`)
    expect(toMeta(request)).not.toHaveProperty('recipient')
  })

  test.each([
    ['683400', '7 to 15 digits'],
    ['1234567890123456', '7 to 15 digits'],
    ['', '7 to 15 digits'],
    ['+', '7 to 15 digits'],
    ['++16505550143', '7 to 15 digits'],
    ['1650555O143', '7 to 15 digits'],
    ['16505550143 ext 7', '7 to 15 digits'],
    ['١٦٥٠٥٥٥٠١٤٣', '7 to 15 digits'],
    ['1️⃣6️⃣5️⃣0️⃣5️⃣5️⃣5️⃣0️⃣1️⃣4️⃣3️⃣', '7 to 15 digits'],
    ['0650555014', 'country code'],
    ['0016505550143', 'country code'],
    ['+0 650 555 014', 'country code'],
    ['US.13491208655302741918', '`recipient`'],
    [' us.13491208655302741918', '`recipient`'],
    ['US.ENT.13491208655302741918', '`recipient`'],
  ])('%j is refused: %s', (to, why) => {
    expect(refusedFields({ ...text, to })).toEqual(['to'])
    expect(problem({ ...text, to })).toContain(why)
  })

  test.each([16505550143, null, ['16505550143'], 'x'.repeat(257)])('%j is refused', (to) => {
    expect(refusedFields({ ...text, to })).toEqual(['to'])
  })

  test('or recipient is needed', () => {
    expect(refusedFields(text)).toEqual(['to'])
    expect(problem(text)).toContain('`recipient`')
  })
})

describe('recipient', () => {
  test.each([
    'US.13491208655302741918',
    'US.ENT.13491208655302741918',
    `BR.${'a'.repeat(128)}`,
    `BR.ENT.${'Z'.repeat(128)}`,
  ])('%s goes to Meta as it is', (recipient) => {
    const sent = toMeta(parse({ ...text, recipient }))
    expect(sent.recipient).toBe(recipient)
    expect(sent).not.toHaveProperty('to')
  })

  test.each(['', 'US.', 'US', 'us.123', 'USA.123', `BR.${'a'.repeat(129)}`, 'US.12 3', 'US.1\n'])(
    '%j is refused',
    (recipient) => {
      expect(refusedFields({ ...text, recipient })).toEqual(['recipient'])
    },
  )

  test('a phone number in it is told where to go', () => {
    expect(problem({ ...text, recipient: '+1 650 555 0143' })).toContain('`to`')
    expect(problem({ ...text, recipient: 'nobody' })).not.toContain('`to`')
  })

  test('beside a phone number: the phone number wins, as at Meta', () => {
    const request = parse({ ...text, ...toMara, recipient: 'US.7' })
    expect(request).not.toHaveProperty('recipient')
    expect(toMeta(request)).toMatchObject({ to: '+16505550143' })
    expect(toMeta(request)).not.toHaveProperty('recipient')
  })

  test('beside a phone number must still be one', () => {
    expect(refusedFields({ ...text, ...toMara, recipient: 'nobody' })).toEqual(['recipient'])
  })
})

describe('a group', () => {
  const group = { recipient_type: 'group', to: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOTox_-MZD' }

  test('is addressed by its id, as it is', () => {
    expect(toMeta(parse({ ...text, ...group }))).toMatchObject(group)
  })

  test.each([undefined, '', 'a group', 'x'.repeat(257)])('%j is none', (to) => {
    expect(refusedFields({ ...text, ...group, to })).toEqual(['to'])
  })

  test('has no recipient', () => {
    expect(refusedFields({ ...text, ...group, recipient: 'US.7' })).toEqual(['recipient'])
  })

  test('is not a person, nor anything else', () => {
    expect(refusedFields({ ...text, ...group, recipient_type: 'everybody' })).toEqual([
      'recipient_type',
    ])
    expect(refusedFields({ ...text, to: group.to })).toEqual(['to'])
  })
})

describe('a reply', () => {
  test('names what it answers, to Meta and in what is stored', () => {
    const request = parse({ ...text, ...toMara, context: { message_id: 'wamid.7' } })
    expect(toMeta(request).context).toEqual({ message_id: 'wamid.7' })
    expect(describeContent(request)).toMatchObject({
      content: { text: { body: 'Good morning' }, context: { id: 'wamid.7' } },
      replyTo: 'wamid.7',
    })
  })

  test.each([{}, { message_id: '' }, { message_id: 'a b' }, { message_id: 'w'.repeat(513) }])(
    '%j answers nothing',
    (context) => {
      expect(refusedFields({ ...text, ...toMara, context })).toEqual(['context.message_id'])
    },
  )

  test('takes an id as long as we can store', () => {
    const message_id = 'w'.repeat(512)
    expect(parse({ ...text, ...toMara, context: { message_id } }).context).toEqual({ message_id })
  })
})

describe('options', () => {
  const all = {
    phone_number_id: '441785372350001',
    fallback_template: templateOf(),
    send_at: '2026-12-01T10:00:00+02:00',
    expires_at: '2026-12-02T10:00:00.5Z',
    client_reference: 'case-7',
    delivery: 'at_most_once',
  }

  test('are ours: none goes to Meta', () => {
    const sent = toMeta(parse({ ...text, ...toMara, ...all }))
    expect(sent).toEqual(toMeta(parse({ ...text, ...toMara })))
    for (const option of Object.keys(all)) expect(sent).not.toHaveProperty(option)
  })

  test('times become UTC', () => {
    expect(parse({ ...text, ...toMara, ...all })).toMatchObject({
      send_at: '2026-12-01T08:00:00.000Z',
      expires_at: '2026-12-02T10:00:00.500Z',
    })
  })

  test('delivery is at least once unless said', () => {
    expect(parse({ ...text, ...toMara }).delivery).toBe('at_least_once')
    expect(refusedFields({ ...text, ...toMara, delivery: 'exactly_once' })).toEqual(['delivery'])
  })

  test.each([
    ['send_at', '2026-12-01'],
    ['send_at', '2026-12-01T10:00:00'],
    ['send_at', '2026-02-30T10:00:00Z'],
    ['send_at', '2026-12-01T10:00:00+99:00'],
    ['send_at', 1_788_300_000],
    ['expires_at', 'tomorrow'],
    ['expires_at', ''],
    ['phone_number_id', ''],
    ['phone_number_id', 'a b'],
    ['phone_number_id', 441785372350001],
    ['client_reference', ''],
    ['client_reference', 'x'.repeat(256)],
    ['biz_opaque_callback_data', ''],
    ['biz_opaque_callback_data', 'x'.repeat(maxOwnCallbackData + 1)],
    ['recipient_identity_key_hash', ''],
  ])('%s %j is refused', (field, value) => {
    expect(refusedFields({ ...text, ...toMara, [field]: value })).toEqual([field])
  })

  test('client_reference takes 255 characters', () => {
    const client_reference = '😀'.repeat(255)
    expect(parse({ ...text, ...toMara, client_reference }).client_reference).toBe(client_reference)
  })

  test.each([
    ['2026-12-01T10:00:00Z', '2026-12-01T10:00:00Z'],
    ['2026-12-01T10:00:00Z', '2026-12-01T11:00:00+02:00'],
  ])('what goes at %s cannot have expired at %s', (send_at, expires_at) => {
    expect(refusedFields({ ...text, ...toMara, send_at, expires_at })).toEqual(['expires_at'])
  })

  test('a fallback obeys the rules of templates', () => {
    const fallback_template = { ...templateOf(), name: 'Order Update' }
    expect(refusedFields({ ...text, ...toMara, fallback_template })).toEqual([
      'fallback_template.name',
    ])
    expect(refusedFields({ ...text, ...toMara, fallback_template: {} })).toEqual([
      'fallback_template.name',
      'fallback_template.language',
    ])
  })
})

describe('the callback data', () => {
  const own = 'x'.repeat(maxOwnCallbackData)

  test('are the tenant’s own, or what carries them', () => {
    const request = parse({ ...text, ...toMara, biz_opaque_callback_data: own })
    expect(toMeta(request).biz_opaque_callback_data).toBe(own)
    expect(toMeta(request, 'v1.7').biz_opaque_callback_data).toBe('v1.7')
    expect(toMeta(parse({ ...text, ...toMara }))).not.toHaveProperty('biz_opaque_callback_data')
  })

  test('leave room for ours in front of them', () => {
    const packed = packCallback('6f9619ff-8b86-4d01-b42d-00cf4fc964ff', own)
    expect(packed.length).toBeLessThan(maxCallbackData)
  })

  test('stand beside the hash of the contact’s identity', () => {
    const request = parse({ ...text, ...toMara, recipient_identity_key_hash: 'DF2lS5v2' })
    expect(toMeta(request).recipient_identity_key_hash).toBe('DF2lS5v2')
  })
})

describe('the fallback', () => {
  const request = parse({
    ...text,
    ...toMara,
    context: { message_id: 'wamid.7' },
    client_reference: 'case-7',
    fallback_template: templateOf(),
  })

  test('is the same request with a template for its message', () => {
    const fallback = fallbackOf(request) as SendRequest
    expect(isTemplate(request)).toBe(false)
    expect(isTemplate(fallback)).toBe(true)
    expect(fallback).toMatchObject({ to: '16505550143', client_reference: 'case-7' })
    expect(toMeta(fallback)).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+16505550143',
      type: 'template',
      template: templateOf(),
      context: { message_id: 'wamid.7' },
    })
    expect(describeContent(fallback)).toMatchObject({ type: 'template', isTemplate: true })
    expect(fallback).not.toHaveProperty('text')
  })

  test('is used once', () => {
    expect(fallbackOf(fallbackOf(request) as SendRequest)).toBeNull()
  })

  test('is none when none was given', () => {
    expect(fallbackOf(parse({ ...text, ...toMara }))).toBeNull()
  })
})

describe('times, seen from now', () => {
  const now = new Date('2026-11-16T12:00:00Z')
  const at = (ms: number) => new Date(now.getTime() + ms).toISOString()

  test.each([
    ['no times', {}],
    ['a moment that has passed', { send_at: at(-60_000) }],
    ['a year ahead', { send_at: at(maxAheadMs) }],
    ['about to expire', { expires_at: at(1) }],
    ['two years to live', { expires_at: at(2 * maxAheadMs) }],
  ])('%s is fine', (_name, times) => {
    expect(() => checkTimes(times, now)).not.toThrow()
  })

  test.each([
    ['send_at', { send_at: at(maxAheadMs + 1) }],
    ['expires_at', { expires_at: at(0) }],
    ['expires_at', { send_at: at(-5000), expires_at: at(-1000) }],
    ['expires_at', { expires_at: at(2 * maxAheadMs + 1) }],
  ])('%s is refused by name: %j', (field, times) => {
    expect(() => checkTimes(times, now)).toThrow(
      expect.objectContaining({
        code: 'INVALID_MESSAGE',
        status: 400,
        details: { fields: [expect.objectContaining({ field })] },
      }),
    )
  })
})

test('OpenAPI can describe all of it', () => {
  const schema = z.toJSONSchema(sendRequest, { io: 'input', unrepresentable: 'throw' })
  expect(schema.$defs?.OutgoingMessage?.oneOf).toHaveLength(11)
  const described = JSON.stringify(schema)
  expect(described).toContain('"maxLength":4096')
  expect(described).toContain('"call_permission_request"')
})
