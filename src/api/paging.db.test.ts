import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import { operatorKey, startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { AppError } from '../errors.ts'
import { decodeCursor, encodeCursor, pageOf } from './paging.ts'

const id = '0195a0b0-0000-7000-8000-0000000000ab'
const encode = (text: string) => Buffer.from(text).toString('base64url')

describe('a cursor', () => {
  test('comes back as it was, for any time with four digits in its year', () => {
    const time = fc.date({
      min: new Date('0000-01-01T00:00:00.000Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(time, fc.uuid(), (at, id) => {
        expect(decodeCursor(encodeCursor({ at, id }))).toEqual({ at, id })
      }),
    )
  })

  test('that is absent is the start', () => {
    expect(decodeCursor(undefined)).toBeNull()
  })

  test.each([
    ['nothing', ''],
    ['something else', 'next'],
    ['not base64', '%%%'],
    ['no id', encode('2026-03-01T12:00:00.000Z')],
    ['no time', encode(` ${id}`)],
    ['no uuid', encode('2026-03-01T12:00:00.000Z 17')],
    ['SQL', encode(`2026-03-01T12:00:00.000Z ${id}'; drop table tenants`)],
    ['more than a cursor', encode(`2026-03-01T12:00:00.000Z ${id} more`)],
    ['a time that is written otherwise', encode(`2026-03-01 ${id}`)],
    ['a time that no calendar has', encode(`2026-13-01T12:00:00.000Z ${id}`)],
    ['a year before Postgres', encode(`-271821-04-20T00:00:00.000Z ${id}`)],
    ['a year of six digits', encode(`+275760-09-13T00:00:00.000Z ${id}`)],
    ['padding', `${encode(`2026-03-01T12:00:00.000Z ${id}`)}==`],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x20, 0x00]).toString('base64url')],
  ])('that is %s is refused by name', (_what, text) => {
    const refusal = expect.objectContaining({
      code: 'INVALID_CURSOR',
      status: 400,
      details: { fields: [expect.objectContaining({ field: 'after' })] },
    })
    expect(() => decodeCursor(text)).toThrow(refusal)
  })

  test('of any text is either understood or refused, never anything else', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          decodeCursor(encode(text))
        } catch (error) {
          expect(error).toBeInstanceOf(AppError)
        }
      }),
    )
  })
})

describe('a page', () => {
  const rows = ['c', 'b', 'a'].map((name) => ({ name, at: new Date(0), id }))
  const page = (limit: number) =>
    pageOf(
      rows.slice(0, limit + 1),
      limit,
      ({ at, id }) => ({ at, id }),
      (row) => row.name,
    )

  test('has no next when there is no more', () => {
    expect(page(3)).toEqual({ data: ['c', 'b', 'a'], paging: { next: null } })
  })

  test('has the place of its last row as next when there is more', () => {
    expect(page(2)).toEqual({
      data: ['c', 'b'],
      paging: { next: encodeCursor({ at: new Date(0), id }) },
    })
  })
})

describe('pages of rows that all have one time', () => {
  let gateway: TestGateway
  let tenant: { id: string; key: string }

  beforeAll(async () => {
    gateway = await startTestGateway({ clock: createTestClock() })
    for (let count = 1; count < 7; count += 1) await gateway.createTenant(`Firm ${count}`)
    const number = { waba_id: 'waba-1', phone_number_id: 'number-1' }
    tenant = await gateway.createTenant('Firm 7', number)
    for (let count = 0; count < 6; count += 1) {
      await gateway.call('POST', `/api/admin/tenants/${tenant.id}/api-keys`, {
        key: operatorKey,
        body: { name: `key ${count}` },
      })
      await gateway.call('POST', `/api/admin/tenants/${tenant.id}/accounts`, {
        key: operatorKey,
        body: {
          waba_id: 'waba-1',
          phone_number_id: `more-${count}`,
          display_phone_number: '+1 555-0100',
          access_token: 'token',
        },
      })
    }
    const messages = [...Array(7).keys()].flatMap((count) => [
      textMessage(`wamid.one-each.${count}`, 'hello', { from: `1650555010${count}` }),
      textMessage(`wamid.all-of-one.${count}`, 'hello', { from: '16505550199' }),
    ])
    await gateway.deliver(payload({ number, messages }))
    await gateway.drain()
  })

  async function readAll(path: string, key: string, limit: number): Promise<string[]> {
    const ids: string[] = []
    for (let after: string | null = ''; after !== null; ) {
      const query: string = after === '' ? '' : `&after=${after}`
      const { json } = await gateway.call('GET', `${path}?limit=${limit}${query}`, { key })
      expect(json.data.length).toBeLessThanOrEqual(limit)
      ids.push(...json.data.map((item: { id: string }) => item.id))
      after = json.paging.next
    }
    return ids
  }

  const lists: [string, () => Promise<{ path: string; key: string; count: number }>][] = [
    ['tenants', async () => ({ path: '/api/admin/tenants', key: operatorKey, count: 7 })],
    [
      'API keys',
      async () => ({
        path: `/api/admin/tenants/${tenant.id}/api-keys`,
        key: operatorKey,
        count: 7,
      }),
    ],
    [
      'accounts, for the operator',
      async () => ({
        path: `/api/admin/tenants/${tenant.id}/accounts`,
        key: operatorKey,
        count: 7,
      }),
    ],
    [
      'accounts, for the tenant',
      async () => ({ path: '/api/whatsapp/accounts', key: tenant.key, count: 7 }),
    ],
    [
      'conversations',
      async () => ({ path: '/api/whatsapp/conversations', key: tenant.key, count: 8 }),
    ],
    [
      'messages of a conversation',
      async () => {
        const { json } = await gateway.call('GET', '/api/whatsapp/conversations', {
          key: tenant.key,
        })
        const { id } = json.data.find(
          (one: { contact_wa_id: string }) => one.contact_wa_id === '16505550199',
        )
        return { path: `/api/whatsapp/conversations/${id}/messages`, key: tenant.key, count: 7 }
      },
    ],
  ]

  test.each(lists)(
    'hold every one of the %s exactly once, whatever their size',
    async (_, list) => {
      const { path, key, count } = await list()
      const whole = await readAll(path, key, 200)

      expect(new Set(whole).size).toBe(count)
      for (const limit of [1, 2, 3, count]) {
        expect(await readAll(path, key, limit)).toEqual(whole)
      }
    },
  )
})
