import { describe, expect, test } from 'vitest'
import {
  answerableMs,
  type Candidate,
  type Conversation,
  maxStreak,
  planReplies,
  restMs,
} from './plan-replies.ts'

const now = new Date('2026-11-15T12:00:00Z')
const ago = (ms: number) => new Date(now.getTime() - ms)
const fresh: Conversation = { id: 'c1', automaticAt: null, automaticStreak: 0 }

let count = 0
const candidate = (more: Partial<Candidate> = {}): Candidate => ({
  messageId: `m${++count}`,
  responder: 'echo',
  autoReplyText: 'We are closed',
  type: 'text',
  content: { text: { body: 'hello' } },
  occurredAt: now,
  conversation: fresh,
  isGroup: false,
  isSuppressed: false,
  answersAutomatic: false,
  isConnectedHere: false,
  ...more,
})
const bodies = (...candidates: Candidate[]) =>
  planReplies(candidates, now).replies.map((reply) => reply.body)

describe('echo', () => {
  test('repeats what was said, each message once', () => {
    const one = candidate()
    const two = candidate({ content: { text: { body: 'and this' } } })
    expect(planReplies([one, two], now).replies).toEqual([
      { messageId: one.messageId, body: 'hello' },
      { messageId: two.messageId, body: 'and this' },
    ])
  })

  test.each([
    ['button', { button: { payload: 'YES', text: 'Yes' } }, 'Yes'],
    ['interactive', { interactive: { button_reply: { id: '1', title: 'Confirm' } } }, 'Confirm'],
    ['interactive', { interactive: { list_reply: { id: '1', title: 'Monday' } } }, 'Monday'],
  ])('repeats what was chosen: %s', (type, content, body) => {
    expect(bodies(candidate({ type, content }))).toEqual([body])
  })

  test('has nothing to repeat of a picture, or of blanks', () => {
    expect(bodies(candidate({ type: 'image', content: { image: { caption: 'me' } } }))).toEqual([])
    expect(bodies(candidate({ content: { text: { body: ' \n' } } }))).toEqual([])
  })

  test('keeps to the length that Meta takes, and to whole characters', () => {
    const [body] = bodies(candidate({ content: { text: { body: `x${'🌵'.repeat(4096)}` } } }))
    expect(body).toHaveLength(4096)
    expect(body?.isWellFormed()).toBe(true)
  })

  test('falls silent after so many without an hour’s rest, however fast they come', () => {
    let conversation = { ...fresh }
    let replies = 0
    // A machine that answers at once, for ever.
    for (let round = 0; round < 3 * maxStreak; round++) {
      const at = new Date(now.getTime() + round * 1000)
      const plan = planReplies([candidate({ conversation, occurredAt: at })], at)
      replies += plan.replies.length
      conversation = plan.conversations.get('c1') ?? conversation
    }
    expect(replies).toBe(maxStreak)
    const rested = new Date((conversation.automaticAt?.getTime() ?? 0) + restMs)
    const plan = planReplies([candidate({ conversation, occurredAt: rested })], rested)
    expect(plan.conversations.get('c1')?.automaticStreak).toBe(1)
  })

  test('a crowd in one batch counts too', () => {
    const crowd = Array.from({ length: maxStreak + 5 }, () => candidate())
    expect(bodies(...crowd)).toHaveLength(maxStreak)
  })
})

describe('auto_reply', () => {
  const asked = (more: Partial<Candidate> = {}) => candidate({ responder: 'auto_reply', ...more })

  test('says its text once an hour in a conversation', () => {
    expect(bodies(asked(), asked())).toEqual(['We are closed'])
    const at = (ms: number) => ({ ...fresh, automaticAt: ago(ms), automaticStreak: 1 })
    expect(bodies(asked({ conversation: at(restMs - 1) }))).toEqual([])
    expect(bodies(asked({ conversation: at(restMs) }))).toEqual(['We are closed'])
    const elsewhere = { ...fresh, id: 'c2' }
    expect(bodies(asked(), asked({ conversation: elsewhere }))).toHaveLength(2)
  })

  test('also to what has no words', () => {
    expect(bodies(asked({ type: 'audio', content: {} }))).toEqual(['We are closed'])
  })
})

describe.each(['echo', 'auto_reply'] as const)('%s never answers', (responder) => {
  test.each([
    ['a group', { isGroup: true }],
    ['somebody who wants nothing', { isSuppressed: true }],
    ['what quotes a reply of its own', { answersAutomatic: true }],
    ['a number of this gateway', { isConnectedHere: true }],
    ['what is old', { occurredAt: ago(answerableMs + 1) }],
    ...['reaction', 'system', 'unsupported', 'unknown', 'edit', 'revoke', 'request_welcome'].map(
      (type): [string, Partial<Candidate>] => [type, { type }],
    ),
  ])('%s', (_, more) => {
    expect(bodies(candidate({ responder, ...more }))).toEqual([])
  })
})

test('off answers nobody', () => {
  expect(bodies(candidate({ responder: 'off' }))).toEqual([])
})
