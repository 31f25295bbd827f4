// Whatever is written in a message: it is taken, or refused by name, and nothing else happens.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changed, changes, pathsIn } from '../../proof/fuzz/mutations.ts'
import { seed, times } from '../../test/support/chance.ts'
import { everyMessage } from '../../test/support/messages-to-send.ts'
import { seeded, shuffled } from '../../test/support/seeded.ts'
import { parsePart } from '../api/route.ts'
import { AppError } from '../errors.ts'
import { describeContent, fallbackOf, type SendRequest, sendRequest, toMeta } from './message.ts'

const ours = [
  'phone_number_id',
  'fallback_template',
  'send_at',
  'expires_at',
  'client_reference',
  'delivery',
]

/** Whether it was taken. */
function read(body: unknown): boolean {
  let request: SendRequest
  try {
    request = parsePart(sendRequest, body, 'body', 'INVALID_MESSAGE') as SendRequest
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    expect(`${error.code} ${error.status}`).toBe('INVALID_MESSAGE 400')
    const { fields } = error.details as { fields: { field: string; problem: string }[] }
    expect(fields.length).toBeGreaterThan(0)
    expect(fields.every(({ field, problem }) => field !== '' && problem !== '')).toBe(true)
    return false
  }
  const sent = toMeta(request)
  expect(sent.messaging_product).toBe('whatsapp')
  expect(typeof (sent.to ?? sent.recipient)).toBe('string')
  expect(ours.filter((option) => option in sent)).toEqual([])
  expect(toMeta(JSON.parse(JSON.stringify(request)))).toEqual(JSON.parse(JSON.stringify(sent)))
  expect(Object.keys(describeContent(request).content)).toContain(request.type)
  fallbackOf(request)
  return true
}

const to = '16505550143'
const samples = everyMessage.map(([, content]) => content)
/** JSON as it comes over the wire, odd names included. */
const anything = fc
  .json()
  .map((json) => JSON.parse(json))
  .filter((value) => value !== undefined)

describe('any JSON', () => {
  test('as the body', () => {
    fc.assert(
      fc.property(anything, (any) => void read(any)),
      { numRuns: times(150) },
    )
  })

  test('as the content of any type', () => {
    const types = [...new Set(samples.map(({ type }) => type))]
    fc.assert(
      fc.property(fc.constantFrom(...types), anything, (type, any) => {
        read({ to, type, [type]: any })
        read({ to, type, [type]: [any] })
        read({ to, type, [type]: { type: any, action: any, components: any } })
        read({ to, type: any, [type]: any })
      }),
      { numRuns: times(150) },
    )
  })

  test('as any option or part of the envelope', () => {
    const text = { type: 'text', text: { body: 'x' } }
    const keys = [...ours, 'to', 'recipient', 'recipient_type', 'context', 'messaging_product']
    fc.assert(
      fc.property(
        fc.constantFrom(...keys, 'biz_opaque_callback_data', 'anything_else'),
        anything,
        (key, any) => void read({ to, ...text, [key]: any }),
      ),
      { numRuns: times(150) },
    )
  })

  test('in any place of any message', () => {
    const places = samples.flatMap((content) => pathsIn(content).map((path) => ({ content, path })))
    fc.assert(
      fc.property(fc.constantFrom(...places), anything, ({ content, path }, any) => {
        read({ to, ...(changed(content, path, () => any) as object) })
      }),
      { numRuns: times(150) },
    )
  })
})

test('anything odd in any place of any message', () => {
  const fraction = seeded(seed)
  for (const content of samples) {
    expect(read({ to, ...content })).toBe(true)
    for (const path of pathsIn(content)) {
      // A few of them in `npm test`, all of them in `npm run test:fuzz`.
      for (const change of shuffled(Object.values(changes), fraction).slice(0, times(3))) {
        read({ to, ...(changed(content, path, change) as object) })
      }
    }
  }
})

test('any text as a recipient', () => {
  const text = { type: 'text', text: { body: 'x' } }
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (any) => {
      read({ ...text, to: any })
      read({ ...text, recipient: any })
      read({ ...text, to: any, recipient_type: 'group' })
    }),
  )
})

test('a phone number with any separators is its digits', () => {
  const number = fc.stringMatching(/^[1-9][0-9]{6,14}$/)
  const gaps = fc.array(fc.constantFrom('', ' ', '-', '.', '(', ')', '/'), { minLength: 15 })
  fc.assert(
    fc.property(number, gaps, fc.boolean(), (digits, between, plus) => {
      const written = [...digits].map((digit, at) => digit + (between[at] ?? '')).join('')
      const request = sendRequest.parse({ text: { body: 'x' }, to: `${plus ? '+' : ''}${written}` })
      expect(request.to).toBe(digits)
    }),
  )
})

test('any moment is stored as the same moment', () => {
  const offset = fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 0, max: 23 }))
  fc.assert(
    fc.property(
      fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('2999-01-01') }),
      offset,
      (date, [sign, hours]) => {
        const local = date.toISOString().slice(0, -1)
        const send_at = `${local}${sign}${String(hours).padStart(2, '0')}:30`
        const request = sendRequest.parse({ text: { body: 'x' }, to, send_at })
        expect(Date.parse(request.send_at ?? '')).toBe(Date.parse(send_at))
        expect(request.send_at).toMatch(/Z$/)
      },
    ),
  )
})
