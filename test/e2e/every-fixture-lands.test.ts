import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import {
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../support/gateway.ts'
import { fixture } from '../support/payloads.ts'

/** What a fixture becomes: per owner (A, B or nobody) how many of what. */
interface Landing {
  messages?: number
  statuses?: number
  notices?: number
  duplicates?: number
  dead?: number
}
type Landings = Partial<Record<'A' | 'B' | 'nobody', Landing>>

const special: Record<string, Landings> = {
  '069': { A: { notices: 1 } },
  '070': { A: { messages: 1 }, B: { messages: 1 } },
  '071': { A: { messages: 3, statuses: 2 } },
  '072': { A: { statuses: 1, notices: 2 } },
  '073': { A: { statuses: 3, duplicates: 1 } },
  '074': { A: { messages: 1, duplicates: 1 } },
  '075': { A: { statuses: 60 } },
  '076': { A: { messages: 1 }, nobody: { dead: 1 } },
  '090': { B: { notices: 1 } },
  '091': { B: { notices: 1 } },
  '092': { B: { notices: 1 } },
  '093': { B: { notices: 1 } },
  '109': { A: { messages: 1 } },
  '110': { A: { messages: 1 } },
  '111': { A: { messages: 4 } },
  '112': { A: { messages: 1 } },
  '114': { A: { notices: 2 } },
  // Its entry is a business portfolio that nobody here has.
  '123': { nobody: { dead: 1 } },
}

function expected(name: string): Landings {
  const number = name.slice(0, 3)
  if (special[number]) return special[number]
  if (number <= '043') return { A: { messages: 1 } }
  if (number <= '068') return { A: { statuses: 1 } }
  return { A: { notices: 1 } }
}

// In their order: some repeat what others brought.
const names = readdirSync(new URL('../fixtures/meta/', import.meta.url))
  .filter((name) => /^\d{3}-.*\.json$/.test(name))
  .toSorted()

let gateway: TestGateway
let db: Db
let a: TestTenant
let b: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  db = gateway.db
  a = await gateway.createTenant('Firm A', tenantANumber)
  b = await gateway.createTenant('Firm B', tenantBNumber)
})

describe('every fixture lands as the index says', () => {
  test.each(names)('%s', async (name) => {
    const answer = await gateway.deliver(fixture(name))
    expect(answer.status).toBe(200)
    await gateway.drain()

    const [event] = await db.query(sql<{ status: string; outcome: Record<string, Landing> }>`
      select status, outcome
      from whatsapp_webhook_events
      order by id desc
      limit 1`)
    expect(event?.status).toBe('done')
    const owners = { [a.id]: 'A', [b.id]: 'B', '-': 'nobody' }
    const landed = Object.fromEntries(
      Object.entries(event?.outcome ?? {}).map(([owner, counts]) => [
        owners[owner],
        nonZero(counts),
      ]),
    )
    expect(landed).toEqual(expected(name))
  })

  test('all 124 of them were there', () => {
    expect(names).toHaveLength(124)
  })
})

function nonZero(counts: Landing): Landing {
  const told = Object.entries(counts).filter(
    ([key, count]) => key !== 'received' && typeof count === 'number' && count > 0,
  )
  return Object.fromEntries(told)
}

describe('echoes and history', () => {
  test('an echo is outbound and opens no window', async () => {
    const rows = await db.query(sql`
      select direction, origin, status, type
      from whatsapp_messages
      where origin = 'echo'
      order by type`)
    expect(rows).toEqual([
      { direction: 'outbound', origin: 'echo', status: 'sent', type: 'revoke' },
      { direction: 'outbound', origin: 'echo', status: 'sent', type: 'text' },
    ])
  })

  test('history is recorded with who wrote it and how far it got, and leaves windows and open conversations alone', async () => {
    const rows = await db.query(sql`
      select m.direction, m.status, m.type, c.contact_wa_id
      from whatsapp_messages m
      join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
      where m.origin = 'history'
      order by m.occurred_at, m.type`)
    expect(rows).toEqual([
      { direction: 'outbound', status: 'read', type: 'text', contact_wa_id: '16505550143' },
      { direction: 'outbound', status: 'sent', type: 'image', contact_wa_id: '16505550143' },
      {
        direction: 'outbound',
        status: 'played',
        type: 'media_placeholder',
        contact_wa_id: '16505550143',
      },
      { direction: 'inbound', status: 'received', type: 'text', contact_wa_id: '16505550143' },
      {
        direction: 'outbound',
        status: expect.any(String),
        type: 'text',
        contact_wa_id: '5511955550199',
      },
    ])
  })
})

describe('what acts on other messages', () => {
  test('reactions, their removal, edits and revocations are kept beside the message they name', async () => {
    const rows = await db.query(sql`
      select kind, actor, emoji, content
      from whatsapp_message_changes
      order by kind, emoji nulls last, actor`)
    expect(rows).toMatchObject([
      {
        kind: 'edit',
        actor: '16505550143',
        content: { text: { body: 'Two planters, not three' } },
      },
      { kind: 'reaction', emoji: expect.any(String) },
      { kind: 'reaction', emoji: expect.any(String) },
      { kind: 'reaction', emoji: null },
      { kind: 'reaction', emoji: null },
      { kind: 'revoke', actor: '16505550143' },
      { kind: 'revoke', actor: 'business' },
    ])
  })
})
