import { createHash, randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { createTestDb } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { type Db, sql } from '../db/connect.ts'
import type { NewMessage } from './model.ts'
import { recordMessages } from './record-message.ts'

let db: Db
let tenantId: string
let count = 0
const now = new Date('2026-11-15T13:00:00Z')
const at = (minute: number) => new Date(Date.UTC(2026, 10, 15, 12, minute))

beforeAll(async () => {
  db = (await createTestDb()).db
})

beforeEach(async () => {
  tenantId = await insertTenant(db)
})

interface Options extends Partial<NewMessage> {
  contactWaId?: string | null
  contactName?: string | null
}

function message(options: Options = {}): NewMessage {
  const { contactWaId: waId = 'ann', contactName: name = null, ...more } = options
  return {
    id: randomUUID(),
    tenantId,
    phoneNumberId: '1',
    wamid: `wamid.${++count}`,
    direction: 'inbound',
    origin: 'live',
    type: 'text',
    status: 'received',
    content: { text: { body: 'x' } },
    replyTo: null,
    contact: waId === null ? null : { id: contactId(waId), waId, userId: null, name },
    senderContactId: null,
    occurredAt: at(0),
    opensWindow: true,
    eventId: randomUUID(),
    correlationId: randomUUID(),
    ...more,
  }
}

/** The same id for the same contact of the same tenant. */
function contactId(waId: string): string {
  const digest = createHash('md5').update(`${tenantId} ${waId}`).digest('hex')
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Contacts are there before their messages: inbox/apply.ts sees to that. */
async function record(...messages: NewMessage[]) {
  const contacts = messages.flatMap(({ contact }) => contact ?? [])
  await db.query(sql`
    insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
    select id, ${tenantId}, wa_id, ${now}, ${now}
    from unnest(${contacts.map(({ id }) => id)}::uuid[], ${contacts.map(({ waId }) => waId)}::text[])
      as contact (id, wa_id)
    order by id
    on conflict do nothing`)
  return db.transaction((tx) => recordMessages(tx, messages, randomUUID, now))
}

interface Conversation {
  id: string
  contact: string
  number: string
  name: string | null
  status: string
  last_message_at: Date
  last_inbound_at: Date | null
}

function conversations(): Promise<Conversation[]> {
  return db.query(sql<Conversation>`
    select id, contact_wa_id as contact, phone_number_id as number, contact_name as name, status, last_message_at,
      last_inbound_at
    from whatsapp_conversations
    where tenant_id = ${tenantId}
    order by contact_wa_id, phone_number_id`)
}

const messages = () =>
  db.query(sql<{ wamid: string; conversation_id: string | null; status: string }>`
    select wamid, conversation_id, status from whatsapp_messages where tenant_id = ${tenantId} order by wamid`)

describe('the times of a conversation', () => {
  test('move forward with a later message, and never back', async () => {
    await record(message({ occurredAt: at(10) }))
    await record(message({ occurredAt: at(20) }))
    await record(message({ occurredAt: at(5) }))

    expect(await conversations()).toMatchObject([
      { last_message_at: at(20), last_inbound_at: at(20) },
    ])
  })

  test('are those of the latest message, in whatever order and company they come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(59), { minLength: 1, maxLength: 4 }), {
          minLength: 1,
          maxLength: 4,
        }),
        async (batches) => {
          tenantId = await insertTenant(db)
          for (const minutes of batches) {
            await record(...minutes.map((minute) => message({ occurredAt: at(minute) })))
          }
          const latest = at(Math.max(...batches.flat()))
          expect(await conversations()).toMatchObject([
            { last_message_at: latest, last_inbound_at: latest },
          ])
        },
      ),
      { numRuns: times(25) },
    )
  })

  test('a system notice moves the last message, but opens no window', async () => {
    await record(message({ opensWindow: false, type: 'system', occurredAt: at(10) }))
    expect(await conversations()).toMatchObject([
      { last_message_at: at(10), last_inbound_at: null },
    ])

    await record(message({ occurredAt: at(5) }))
    await record(message({ opensWindow: false, type: 'system', occurredAt: at(30) }))

    expect(await conversations()).toMatchObject([
      { last_message_at: at(30), last_inbound_at: at(5) },
    ])
  })

  test('a notice and a message in one batch count each for what they are', async () => {
    await record(
      message({ occurredAt: at(3) }),
      message({ opensWindow: false, type: 'system', occurredAt: at(9) }),
    )
    expect(await conversations()).toMatchObject([
      { last_message_at: at(9), last_inbound_at: at(3) },
    ])
  })
})

describe('a conversation', () => {
  const close = () =>
    db.query(sql`update whatsapp_conversations set status = 'closed' where tenant_id = ${tenantId}`)

  test('is opened again by a message', async () => {
    await record(message())
    await close()

    await record(message({ occurredAt: at(1) }))

    expect(await conversations()).toMatchObject([{ status: 'open' }])
  })

  test('I4: is not opened again by a message that is known', async () => {
    const known = message()
    await record(known)
    await close()

    const recorded = await record({ ...known, id: randomUUID(), occurredAt: at(50) })

    expect(recorded).toEqual(new Set())
    expect(await messages()).toHaveLength(1)
    expect(await conversations()).toMatchObject([{ status: 'closed', last_message_at: at(0) }])
  })

  test('is opened again when a known and a new message come together', async () => {
    const known = message()
    await record(known)
    await close()
    const fresh = message({ occurredAt: at(1) })

    const recorded = await record({ ...known, id: randomUUID() }, fresh)

    expect(recorded).toEqual(new Set([`${tenantId} ${fresh.wamid}`]))
    expect(await conversations()).toMatchObject([{ status: 'open', last_message_at: at(1) }])
  })

  test('is one per number and contact', async () => {
    await record(
      message({ contactWaId: 'ann' }),
      message({ contactWaId: 'bob' }),
      message({ contactWaId: 'ann', phoneNumberId: '2' }),
      message({ contactWaId: 'ann' }),
    )

    const rows = await conversations()
    expect(rows.map(({ contact, number }) => `${contact} ${number}`)).toEqual([
      'ann 1',
      'ann 2',
      'bob 1',
    ])
    const used = (await messages()).map((row) => row.conversation_id)
    expect(new Set(used)).toEqual(new Set(rows.map((row) => row.id)))
  })

  test('learns a name, and keeps it when a later message brings none', async () => {
    await record(message({ contactName: 'Ann' }))
    await record(message({ contactName: null }))
    expect(await conversations()).toMatchObject([{ name: 'Ann' }])

    await record(message({ contactName: 'Ann Lee' }))
    expect(await conversations()).toMatchObject([{ name: 'Ann Lee' }])
  })

  test('is written by many at once without loss or deadlock', async () => {
    const contacts = ['ann', 'bob', 'cy', 'dee']
    await Promise.all(
      Array.from({ length: 12 }, (_, worker) => {
        const order = worker % 2 ? contacts : [...contacts].reverse()
        return record(
          ...order.map((contactWaId) => message({ contactWaId, occurredAt: at(worker) })),
        )
      }),
    )

    expect(await messages()).toHaveLength(48)
    expect((await conversations()).map((row) => row.last_message_at)).toEqual(Array(4).fill(at(11)))
  })
})

describe('a message', () => {
  test('without a sender has no conversation', async () => {
    await record(message({ contactWaId: null }))

    expect(await messages()).toMatchObject([{ conversation_id: null, status: 'received' }])
    expect(await conversations()).toEqual([])
  })

  test('without a sender beside one that has one leaves it its conversation', async () => {
    await record(message({ contactWaId: null }), message({ contactWaId: 'null' }))

    const [conversation] = await conversations()
    const ids = (await messages()).map((row) => row.conversation_id)
    expect(new Set(ids)).toEqual(new Set([null, conversation?.id]))
  })

  test('of nobody at all: nothing happens', async () => {
    expect(await record()).toEqual(new Set())
  })
})
