// What waits, what is refused, and what comes next: in the order written, and nothing twice.
import { describe, expect, test } from 'vitest'
import { ApiProblem } from '../../../api/problem.ts'
import {
  conversationsWaiting,
  fromText,
  type Item,
  nextOf,
  outcomeOf,
  retried,
  settled,
  toText,
  uploaded,
  waitAfter,
  without,
} from './unsent-queue.ts'

const item = (key: string, more: Partial<Item> = {}): Item => ({
  key,
  tenantId: null,
  conversationId: 'conv_one',
  address: { phone_number_id: '1', to: '16505550100' },
  draft: { type: 'text', text: { body: key } },
  writtenAt: '2026-11-16T10:00:00.000Z',
  files: [],
  tries: 0,
  ...more,
})
const refusal = new ApiProblem(422, 'WINDOW_CLOSED', 'closed', 'req-1', { a: 1 })
const nobody = new ApiProblem(0, 'NO_CONNECTION', 'nobody')

describe('the next to be sent', () => {
  test('is the first that was written, also while it waits', () => {
    const items = settled([item('a'), item('b')], 'a', outcomeOf(nobody))
    expect(nextOf(items, 'conv_one')?.key).toBe('a')
  })

  test('comes after what was refused or taken', () => {
    const refused = settled([item('a'), item('b'), item('c')], 'a', outcomeOf(refusal))
    expect(nextOf(refused, 'conv_one')?.key).toBe('b')
    const taken = settled(refused, 'b', { kind: 'accepted', messageId: 'msg_b' })
    expect(nextOf(taken, 'conv_one')?.key).toBe('c')
  })

  test('does not wait for other conversations', () => {
    const items = [item('a'), item('b', { conversationId: 'conv_two' })]
    expect(nextOf(items, 'conv_two')?.key).toBe('b')
    expect(conversationsWaiting(items)).toEqual(['conv_one', 'conv_two'])
    expect(conversationsWaiting(settled(items, 'a', outcomeOf(refusal)))).toEqual(['conv_two'])
  })

  test('may be one that was refused, once somebody wants it tried again', () => {
    const items = retried(settled([item('a')], 'a', outcomeOf(refusal)), 'a')
    expect(nextOf(items, 'conv_one')).toMatchObject({ key: 'a', problem: undefined })
  })
})

test.each([
  [0, 'NO_CONNECTION', 'connection'],
  [401, 'UNAUTHORIZED', 'session'],
  [403, 'CSRF_TOKEN_WRONG', 'session'],
  [409, 'WHATSAPP_REAUTH_REQUIRED', 'account'],
  [429, 'RATE_LIMITED', 'gateway'],
  [500, 'INTERNAL', 'gateway'],
  [503, 'UNAVAILABLE', 'gateway'],
])('%i %s waits for the %s', (status, code, reason) => {
  expect(outcomeOf(new ApiProblem(status, code, ''))).toEqual({ kind: 'waits', for: reason })
})

test.each([
  [400, 'INVALID_MESSAGE'],
  [403, 'TENANT_SUSPENDED'],
  [409, 'RECIPIENT_SUPPRESSED'],
  [413, 'MEDIA_TOO_LARGE'],
  [422, 'WINDOW_CLOSED'],
])('%i %s is refused', (status, code) => {
  expect(outcomeOf(new ApiProblem(status, code, ''))).toMatchObject({ kind: 'refused' })
})

test('each try in vain waits longer, up to half a minute', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7, 20].map((tries) => waitAfter(tries, 1))
  expect(waits).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000])
  expect(waitAfter(1, 0)).toBe(500)
})

test('a file gets its id where the message names it, and is not uploaded again', () => {
  const at = ['template', 'components', 1, 'parameters', 0, 'image', 'id']
  const draft = {
    type: 'template',
    template: { components: [{ type: 'body' }, { parameters: [{ image: {} }] }] },
  }
  const [one] = uploaded([item('a', { draft, files: [{ at, name: 'a.png' }] })], 'a', 'med_1')
  expect(one?.files).toEqual([])
  expect(one?.draft.template).toEqual({
    components: [{ type: 'body' }, { parameters: [{ image: { id: 'med_1' } }] }],
  })
})

describe('what is kept over a reload', () => {
  test('is what the gateway does not have yet, with why', () => {
    const before = [
      item('taken', { messageId: 'msg_1' }),
      item('waits', { waitsFor: 'connection', progress: 0.4, tries: 3 }),
      item('refused', { problem: refusal }),
    ]
    const after = fromText(toText(before))
    expect(after.map(({ key }) => key)).toEqual(['waits', 'refused'])
    expect(after[0]).toMatchObject({ tries: 3, waitsFor: 'connection' })
    expect(after[0]).not.toHaveProperty('progress')
    expect(after[1]?.problem).toBeInstanceOf(ApiProblem)
    expect(after[1]?.problem).toMatchObject({
      code: 'WINDOW_CLOSED',
      message: 'closed',
      requestId: 'req-1',
    })
  })

  test('says so where a file was not uploaded yet', () => {
    const [lost] = fromText(
      toText([item('a', { files: [{ at: ['image', 'id'], name: 'a.png' }] })]),
    )
    expect(lost?.problem?.code).toBe('FILE_GONE')
  })
})

test('what was dropped meanwhile stays dropped', () => {
  const items = without([item('a'), item('b')], ['a'])
  expect(settled(items, 'a', { kind: 'accepted', messageId: 'msg_a' })).toEqual(items)
})
