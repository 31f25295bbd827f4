import { describe, expect, test } from 'vitest'
import type { Conversation } from '../../../api/types.ts'
import { belongs, type Filter, filterOf, queryOf, searchOf } from './filter.ts'
import { changeRow, moveOf, type Pages, removeRow, rowsOf, settle } from './rows.ts'

const conversation = (id: string, minute: number, more: Partial<Conversation> = {}) =>
  ({
    id,
    last_message_at: `2026-11-16T10:${String(minute).padStart(2, '0')}:00.000Z`,
    status: 'open',
    assigned_user_id: null,
    phone_number_id: '1',
    unread_count: 0,
    ...more,
  }) as Conversation

const pagesOf = (next: string | null, ...pages: Conversation[][]): Pages => ({
  pages: pages.map((data, at) => ({
    data,
    paging: { next: at < pages.length - 1 ? `cursor-${at}` : next },
  })),
})
const idsOf = (pages: Pages) => rowsOf(pages).map(({ id }) => id)

const d = conversation('d', 40)
const c = conversation('c', 30)
const b = conversation('b', 20)
const a = conversation('a', 10)
const two = pagesOf('more', [d, c], [b, a])

describe('the pages of the list', () => {
  test('what moved up stands on a later page again, and is shown once', () => {
    expect(idsOf(pagesOf(null, [d, c], [c, b]))).toEqual(['d', 'c', 'b'])
  })

  test('a change leaves the order alone, and other pages untouched', () => {
    const changed = changeRow(two, 'b', (row) => ({ ...row, unread_count: 3 }))
    expect(idsOf(changed)).toEqual(['d', 'c', 'b', 'a'])
    expect(rowsOf(changed)[2]?.unread_count).toBe(3)
    expect(changed.pages[0]).toBe(two.pages[0])
  })

  test.each([
    ['something newer in a row below', conversation('b', 50), true, 'arrives'],
    ['something newer in the first row', conversation('d', 50), true, 'none'],
    ['somebody new', conversation('e', 50), true, 'arrives'],
    ['somebody older than all that is loaded', conversation('0', 1), true, 'none'],
    ['a row that no longer belongs here', c, false, 'leaves'],
    ['somebody who never belonged here', conversation('e', 50), false, 'none'],
  ] as const)('%s: %s', (_title, news, isWanted, move) => {
    expect(moveOf(two, news, isWanted)).toBe(move)
  })

  test('news take their place, whoever does not belong goes', () => {
    const news = [conversation('b', 50), conversation('e', 25), c]
    const settled = settle(two, news, ({ id }) => id !== 'c')
    expect(idsOf(settled)).toEqual(['b', 'd', 'e', 'a'])
    expect(settled.pages.map(({ paging }) => paging.next)).toEqual(['cursor-0', 'more'])
  })

  test('what is older than the last loaded row comes with its page, or ends the list', () => {
    const older = conversation('0', 1)
    expect(idsOf(settle(two, [older], () => true))).toEqual(['d', 'c', 'b', 'a'])
    expect(idsOf(settle(pagesOf(null, [d, c]), [older], () => true))).toEqual(['d', 'c', '0'])
    expect(idsOf(settle(pagesOf(null, []), [older], () => true))).toEqual(['0'])
  })

  test('one that became part of another goes', () => {
    expect(idsOf(removeRow(two, 'c'))).toEqual(['d', 'b', 'a'])
  })
})

describe('the filter', () => {
  const filter = (more: Partial<Filter> = {}): Filter => ({
    show: 'open',
    q: '',
    number: undefined,
    isUnread: false,
    ...more,
  })

  test('is kept in the address, without what is as usual', () => {
    const wanted = filter({ show: 'mine', q: 'mill', number: '7', isUnread: true })
    expect(searchOf(wanted)).toEqual({ show: 'mine', q: 'mill', number: '7', unread: '1' })
    expect(filterOf(searchOf(wanted))).toEqual(wanted)
    expect(Object.values(searchOf(filter())).filter(Boolean)).toEqual([])
    expect(filterOf({ show: 'nonsense' })).toEqual(filter())
  })

  test('asks the API', () => {
    expect(queryOf(filter({ show: 'nobody', q: ' mill ', isUnread: true }))).toEqual({
      status: 'open',
      assigned_user_id: 'none',
      q: 'mill',
      unread: true,
    })
  })

  test.each([
    ['open', {}, d, true],
    ['open', {}, conversation('x', 1, { status: 'closed' }), false],
    ['closed', {}, conversation('x', 1, { status: 'closed' }), true],
    ['mine', {}, conversation('x', 1, { assigned_user_id: 'me' }), true],
    ['mine', {}, conversation('x', 1, { assigned_user_id: 'you' }), false],
    ['nobody', {}, conversation('x', 1, { assigned_user_id: 'me' }), false],
    ['open', { number: '2' }, d, false],
    ['open', { isUnread: true }, d, false],
    ['open', { q: 'mill' }, d, false],
  ] as const)('%s %j', (show, more, one, isWanted) => {
    expect(belongs(filter({ show, ...more }), one, 'me', false)).toBe(isWanted)
  })

  test('what was found or unread stays where it is, until it belongs elsewhere', () => {
    expect(belongs(filter({ q: 'mill', isUnread: true }), d, 'me', true)).toBe(true)
    const closed = conversation('x', 1, { status: 'closed' })
    expect(belongs(filter({ q: 'mill' }), closed, 'me', true)).toBe(false)
  })
})
