import { describe, expect, test } from 'vitest'
import type { MessageInList } from '../../../api/types.ts'
import { withChanged, withLatest, withOlder } from './merge.ts'
import { firstUnread, rowsOf } from './rows.ts'

const message = (minute: number, more: Partial<MessageInList> = {}) =>
  ({
    id: `msg_${String(minute).padStart(4, '0')}`,
    type: 'text',
    direction: 'inbound',
    origin: 'live',
    status: 'received',
    refers_to: null,
    sender: null,
    occurred_at: new Date(Date.UTC(2026, 10, 15, 0, minute)).toISOString(),
    ...more,
  }) as MessageInList

const page = (minutes: number[], next: string | null) => ({
  data: minutes.map((minute) => message(minute)),
  paging: { next },
})
const idsOf = ({ data }: { data: MessageInList[] }) => data.map(({ id }) => Number(id.slice(4)))
const dayOf = (at: string) => at.slice(0, 10)

describe('rows', () => {
  test('show a reaction by itself only while it cannot get to its message', () => {
    const unsent = (more: object) => ({
      ...{ key: 'k', draft: { type: 'reaction' }, writtenAt: '2026-11-15T00:00:00Z' },
      ...{ problem: undefined, ...more },
    })
    const count = (more: object) =>
      rowsOf([message(1)], [unsent(more)], { dayOf, firstUnreadId: undefined }).length
    expect(count({})).toBe(1)
    expect(count({ waitsFor: 'connection' })).toBe(2)
  })

  test('go from the earliest to the latest, what is unsent last, and groups end where another begins', () => {
    const out = message(3, { direction: 'outbound' })
    const unsent = {
      key: 'k',
      draft: { type: 'text' },
      writtenAt: out.occurred_at,
      problem: undefined,
    }
    const rows = rowsOf([out, message(2), message(1)], [unsent], {
      dayOf,
      firstUnreadId: undefined,
    })
    expect(rows.map(({ key, endsGroup }) => [key, endsGroup])).toEqual([
      ['msg_0001', false],
      ['msg_0002', true],
      ['msg_0003', false],
      ['k', true],
    ])
  })

  test('say below the earlier one that a day or what is unread begins', () => {
    const rows = rowsOf([message(1441), message(1439)], [], { dayOf, firstUnreadId: 'msg_1441' })
    expect(rows.map(({ nextDay, isLastRead }) => [nextDay, isLastRead])).toEqual([
      ['2026-11-16T00:01:00.000Z', true],
      [undefined, false],
    ])
  })

  test('leave out what is shown on another message, unless it did not arrive', () => {
    const refers_to = { id: 'msg_0001', direction: 'inbound' as const, type: 'text', content: {} }
    const reaction = message(2, { type: 'reaction', refers_to })
    const failed = message(3, { type: 'reaction', refers_to, status: 'failed' })
    const lost = message(4, { type: 'revoke' })
    const rows = rowsOf([lost, failed, reaction, message(1)], [], {
      dayOf,
      firstUnreadId: undefined,
    })
    expect(rows.map(({ key }) => key)).toEqual(['msg_0001', 'msg_0003', 'msg_0004'])
  })

  test('name people in a group once for each run', () => {
    const sender = (wa_id: string) => ({ sender: { wa_id, user_id: null, name: null } })
    const all = [message(3, sender('2')), message(2, sender('1')), message(1, sender('1'))]
    const rows = rowsOf(all, [], { dayOf, firstUnreadId: undefined })
    expect(rows.map(({ showsName }) => showsName)).toEqual([true, false, true])
  })
})

test('the first unread is counted among what people wrote', () => {
  const all = [
    message(4),
    message(3, { direction: 'outbound' }),
    message(2, { type: 'reaction' }),
    message(1),
  ]
  expect(firstUnread(all, 2)).toBe('msg_0001')
  expect(firstUnread(all, 3)).toBeUndefined()
  expect(firstUnread(all, 0)).toBeUndefined()
})

describe('what is held', () => {
  test('takes the newest page again without losing older ones, nor drawing them anew', () => {
    const held = withOlder(page([9, 8], 'a'), page([7, 6], 'b'))
    const now = withLatest(held, page([10, 9, 8], 'c'))
    expect(idsOf(now)).toEqual([10, 9, 8, 7, 6])
    expect(now.paging.next).toBe('b')
    expect(now.data[1]).toBe(held.data[0])
  })

  test('begins anew where the newest page does not meet it', () => {
    const now = withLatest(page([3, 2], 'a'), page([99, 98], 'b'))
    expect(idsOf(now)).toEqual([99, 98])
    expect(now.paging.next).toBe('b')
  })

  test('puts what changed in its place, and leaves to a later page what is older', () => {
    const held = page([9, 7], 'a')
    const changed = [message(8), message(3), message(7, { status: 'failed' })]
    const now = withChanged(held, changed)
    expect(idsOf(now)).toEqual([9, 8, 7])
    expect(now.data[2]?.status).toBe('failed')
    expect(idsOf(withChanged(page([9], null), changed))).toEqual([9, 8, 7, 3])
  })
})
