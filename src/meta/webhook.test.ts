import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fixture, payload, statusUpdate, textMessage } from '../../test/support/payloads.ts'
import { parseWebhook, timeOf } from './webhook.ts'
import type { MessageItem, WebhookItem } from './webhook-item.ts'

const itemsOf = (raw: Buffer): WebhookItem[] => {
  const parsed = parseWebhook(raw)
  if ('malformed' in parsed) throw new Error(parsed.malformed)
  return parsed.items
}
const itemsOfBody = (body: unknown) => itemsOf(Buffer.from(JSON.stringify(body)))

/** An item in a word: its type, its status, or its field. */
function nameOf(item: WebhookItem): string {
  if (item.kind === 'message') {
    return item.origin === 'live' ? item.type : `${item.type} ${item.direction} ${item.origin}`
  }
  if (item.kind === 'status') return item.participant ? `${item.status} in a group` : item.status
  return item.kind === 'notice' ? item.field : item.reason
}

/** From INDEX.md: the files of each kind, by number. */
const messages =
  `text text text text text text text image image audio audio video document sticker sticker location
  location contacts contacts reaction reaction reaction interactive interactive interactive interactive interactive
  button order system system system text unsupported unsupported unsupported request_welcome edit revoke text text text
  hologram`.split(/\s+/)
const statuses = [
  ...['sent', 'sent', 'delivered', 'delivered', 'read', 'played', 'sent', 'delivered', 'delivered'],
  ...['delivered', 'read in a group', ...Array<string>(11).fill('failed')],
  ...['deleted', 'warning', 'teleported'],
]
const several: Record<number, string[]> = {
  69: ['errors'],
  70: ['text', 'text'],
  71: ['text', 'text', 'reaction', 'delivered', 'sent'],
  72: ['read', 'user_preferences', 'message_template_status_update'],
  73: ['read', 'sent', 'delivered', 'delivered'],
  74: ['text', 'text'],
  75: Array.from({ length: 20 }, () => ['sent', 'delivered', 'read']).flat(),
  76: ['text', 'text'],
  // Never taken for what somebody just wrote.
  109: ['text outbound echo'],
  110: ['revoke outbound echo'],
  111: [
    'text outbound history',
    'media_placeholder outbound history',
    'text inbound history',
    'text outbound history',
  ],
  112: ['image outbound history'],
  114: ['smb_app_state_sync', 'smb_app_state_sync'],
}
/** What lists nothing has its change as its raw; what lists something, the one thing it lists. */
const lists: Record<number, string> = {
  105: 'user_preferences',
  106: 'user_preferences',
  107: 'user_id_update',
  113: 'history',
  117: 'calls',
  118: 'calls',
  120: 'groups',
}

describe('every fixture', () => {
  const files = readdirSync(new URL('../../test/fixtures/meta/', import.meta.url))
    .filter((file) => /^\d{3}-.*\.json$/.test(file))
    .sort()

  test('is here', () => {
    expect(files.map((file) => Number(file.slice(0, 3)))).toEqual(
      Array.from({ length: 124 }, (_, index) => index + 1),
    )
  })

  test.each(files)('%s becomes the items that INDEX.md names', (file) => {
    const place = Number(file.slice(0, 3))
    const items = itemsOf(fixture(file))

    if (place <= 43) {
      expect(items).toMatchObject([{ kind: 'message', type: messages[place - 1] }])
    } else if (place <= 68) {
      expect(items).toMatchObject([{ kind: 'status' }])
      expect(items.map(nameOf)).toEqual([statuses[place - 44]])
    } else if (several[place]) {
      expect(items.map(nameOf)).toEqual(several[place])
    } else {
      // I9: what is neither message nor status is an item too, and is never taken for one (the statuses of a call).
      const [change] = JSON.parse(fixture(file).toString()).entry[0].changes
      const raw = lists[place] === undefined ? change : change.value[lists[place]][0]
      expect(items).toMatchObject([{ kind: 'notice', field: change.field, raw }])
    }
    for (const item of items) {
      if (item.kind !== 'notice') expect(item.phoneNumberId).toMatch(/^\d{15}$/)
    }
  })
})

describe('a message', () => {
  const messageOf = (file: string) => itemsOf(fixture(file))[0] as MessageItem

  test('keeps what has no column of its own as its content, in its own words', () => {
    expect(messageOf('003-msg-text-reply-context.json').content).toEqual({
      context: expect.objectContaining({ id: expect.any(String) }),
      text: { body: expect.any(String) },
    })
    expect(Object.keys(messageOf('043-msg-unknown-future-type.json').content)).toContain('hologram')
  })

  test('says where it stood and what it was', () => {
    const [item] = itemsOfBody(payload({ messages: [textMessage('m1', 'x')] }))
    expect(item).toMatchObject({
      path: 'entry[0].changes[0].value.messages[0]',
      wabaId: '215589313241560',
      phoneNumberId: '441785372350001',
      raw: textMessage('m1', 'x'),
    })
  })

  test('names the message it answers, and none when it was only forwarded', () => {
    expect(messageOf('003-msg-text-reply-context.json').replyTo).toMatch(/^wamid\./)
    expect(messageOf('004-msg-text-forwarded.json').replyTo).toBeUndefined()
  })

  test('has a sender by number, by user id, by both or by neither', () => {
    const senderOf = ({ contact }: MessageItem) => contact && [contact.waId, contact.userId]
    expect(senderOf(messageOf('001-msg-text.json'))).toEqual(['16505550143', undefined])
    expect(senderOf(messageOf('041-msg-text-bsuid-only.json'))).toEqual([
      undefined,
      'ES.88210447365190027731',
    ])
    expect(senderOf(messageOf('042-msg-text-bsuid-and-phone.json'))).toEqual([
      '5511955550199',
      'BR.70932281465503918827',
    ])
    expect(senderOf(messageOf('malformed/message-no-sender.json'))).toBeUndefined()
  })

  test('finds its contact by id, not by place', () => {
    const names = itemsOf(fixture('071-batch-messages-and-statuses.json')).flatMap((item) =>
      item.kind === 'message' ? [item.contact?.name] : [],
    )
    expect(names).toEqual(['Mara Quint', 'Tomé Araújo', 'Mara Quint'])
  })

  test('has no name when no contact is its sender', () => {
    const contacts = [{ wa_id: '999', profile: { name: 'Somebody Else' } }, null, 'x']
    const named = itemsOfBody(payload({ messages: [textMessage('m1', 'x')], contacts }))
    const senderless = itemsOfBody(
      payload({ messages: [{ id: 'm1', type: 'text' }], contacts: [{ profile: { name: 'Nn' } }] }),
    )
    expect(named).toMatchObject([{ contact: { waId: '16505550143', name: undefined } }])
    expect(senderless).toMatchObject([{ contact: undefined }])
  })

  test.each([
    ['none', undefined],
    ['null', null],
    ['empty', ''],
    ['a number', 7],
    ['too long', 'x'.repeat(65)],
  ])('whose type is %s is of an unknown type', (_name, type) => {
    const message = { ...textMessage('m1', 'x'), type }
    expect(itemsOfBody(payload({ messages: [message] }))).toMatchObject([{ type: 'unknown' }])
  })

  test('may have a number as its id while no digit of it is lost', () => {
    const withId = (id: string) =>
      itemsOf(Buffer.from(JSON.stringify(payload({ messages: [{ id: '@' }] })).replace('"@"', id)))
    expect(withId('9007199254740991')).toMatchObject([{ wamid: '9007199254740991' }])
    for (const id of ['9007199254740993', '1e400', '-1e400', '1.5', 'true', '[]', 'null']) {
      expect(withId(id)).toMatchObject([{ kind: 'malformed' }])
    }
  })
})

describe('a status', () => {
  test.each([
    ['no value', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 3],
    ['65 characters', 'x'.repeat(65)],
  ])('with %s for a value is malformed', (_name, status) => {
    expect(itemsOfBody(payload({ statuses: [{ id: 'o1', status }] }))).toMatchObject([
      { kind: 'malformed', reason: 'the status has no usable value' },
    ])
  })

  test('keeps its errors, pricing and callback data', () => {
    const [item] = itemsOf(fixture('055-status-failed-131026.json'))
    expect(item).toMatchObject({ kind: 'status', details: { errors: [{ code: 131026 }] } })
    const [callback] = itemsOf(fixture('051-status-with-callback-data.json'))
    expect(callback).toMatchObject({ details: { biz_opaque_callback_data: expect.any(String) } })
  })

  test('that stands among malformed ones is found', () => {
    const list = [null, [], 'x', 1, {}, { id: '' }, statusUpdate('o1', 'read'), { id: 'o2' }]
    const items = itemsOfBody(payload({ statuses: list }))
    expect(items.map((item) => item.kind)).toEqual([
      ...Array(6).fill('malformed'),
      'status',
      'malformed',
    ])
    expect(items.map((item) => item.path)).toEqual(
      list.map((_, index) => `entry[0].changes[0].value.statuses[${index}]`),
    )
  })
})

test('messages and statuses that are null are none; that are no list are malformed', () => {
  const withLists = (lists: object) => {
    const body = payload({})
    Object.assign(body.entry[0]?.changes[0]?.value ?? {}, lists)
    return itemsOfBody(body).map((item) => item.kind)
  }
  expect(withLists({ messages: null, statuses: null })).toEqual(['notice'])
  expect(withLists({ messages: [], statuses: [] })).toEqual(['notice'])
  expect(withLists({ messages: {}, statuses: 'x' })).toEqual(['malformed', 'malformed'])
  expect(withLists({ messages: 0, statuses: [statusUpdate('o1', 'sent')] })).toEqual([
    'malformed',
    'status',
  ])
})

describe('a notice', () => {
  const change = (field: string, value: object) => ({
    entry: [{ id: '1', time: 1788300037, changes: [{ field, value }] }],
  })
  const deep = JSON.parse('['.repeat(300) + ']'.repeat(300))

  test('that is nested too deeply does not take its neighbours along', () => {
    const wanted = { wa_id: '1', value: 'stop' }
    const body = change('user_preferences', { user_preferences: [wanted, { deep }, wanted] })
    expect(itemsOfBody(body).map((item) => item.kind)).toEqual(['notice', 'malformed', 'notice'])
    const beside = payload({ messages: [textMessage('m1', 'x')] })
    Object.assign(beside.entry[0]?.changes[0]?.value ?? {}, { errors: [{ deep }] })
    expect(itemsOfBody(beside).map((item) => item.kind)).toEqual(['message', 'malformed'])
  })

  test('is made of a change that lists nothing, whatever the field', () => {
    for (const field of ['message_echoes', 'smb_message_echoes', 'history', 'flows', 'messages']) {
      expect(itemsOfBody(change(field, {}))).toMatchObject([{ kind: 'notice', field }])
    }
  })

  test.each(['\u0000', '\ud800', '', 'x'.repeat(65)])(
    'of the field %j is of an unknown one',
    (field) => {
      expect(itemsOfBody(change(field, {}))).toMatchObject([{ kind: 'notice', field: 'unknown' }])
    },
  )

  test('has its own time, else that of its entry, and none that is not one', () => {
    const timeIn = (value: object, time?: string) => {
      const body = JSON.stringify(change('security', value))
      const [item] = itemsOf(
        Buffer.from(time === undefined ? body : body.replace('1788300037', time)),
      )
      return item?.kind === 'notice' ? item.timestamp : 'no notice'
    }
    expect(timeIn({ timestamp: '7' })).toBe('7')
    expect(timeIn({})).toBe(1788300037)
    expect(timeIn({ timestamp: [7] })).toBe(1788300037)
    expect(timeIn({}, '['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined()
  })
})

describe('the time of an item', () => {
  const received = new Date('2026-11-15T12:00:00Z')
  const seconds = received.getTime() / 1000

  test.each<[string, unknown, number | 'ours']>([
    ['seconds in a text', '1788300037', 1788300037_000],
    ['seconds as a number', 1788300037, 1788300037_000],
    ['a fraction of a second', 1788300037.5, 1788300037_500],
    ['the first day of 2009', '1230768000', 1230768000_000],
    ['the day before that', '1230767999', 'ours'],
    ['now', String(seconds), received.getTime()],
    ['ten minutes ahead', String(seconds + 600), received.getTime() + 600_000],
    ['further ahead', String(seconds + 601), 'ours'],
    ['milliseconds', String(received.getTime()), 'ours'],
    ['zero', '0', 'ours'],
    ['negative', '-1788300037', 'ours'],
    ['the year 9999', '253402300799', 'ours'],
    ['more digits than there are', '9'.repeat(400), 'ours'],
    ['words', 'asdf', 'ours'],
    ['digits and words', '1788300037x', 'ours'],
    ['hexadecimal', '0x6a9780c5', 'ours'],
    ['an empty text', '', 'ours'],
    ['spaces', ' 1788300037', 'ours'],
    ['infinity', Number.POSITIVE_INFINITY, 'ours'],
    ['not a number', Number.NaN, 'ours'],
    ['null', null, 'ours'],
    ['nothing', undefined, 'ours'],
    ['an object', {}, 'ours'],
    ['a list', ['1788300037'], 'ours'],
  ])('%s', (_name, timestamp, expected) => {
    const time = expected === 'ours' ? received : new Date(expected)
    expect(timeOf(timestamp, received)).toEqual(time)
  })
})
