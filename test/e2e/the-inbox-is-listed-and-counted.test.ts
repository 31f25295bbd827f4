// What the console's inbox asks the API for: who has what, what was said last, how many there are.
import { beforeAll, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { uuidOf } from '../../src/ids.ts'
import { startTestGateway, type TestGateway, type TestTenant } from '../support/gateway.ts'
import { payload, textMessage } from '../support/payloads.ts'
import { type SeededPerson, seedPerson } from '../support/people.ts'

const number = { waba_id: 'waba-c', phone_number_id: 'number-c' }
const contacts = ['15550100501', '15550100502', '15550100503'].map((wa_id, at) => ({
  wa_id,
  profile: { name: `Person ${at + 1}` },
}))

let gateway: TestGateway
let firm: TestTenant
let other: TestTenant
let me: SeededPerson
let ids: string[]

beforeAll(async () => {
  gateway = await startTestGateway()
  firm = await gateway.createTenant('Firm A', number)
  other = await gateway.createTenant('Firm B')
  me = await seedPerson(gateway.db, { role: 'agent', tenantId: firm.id, name: 'Damar Prasetya' })
  await deliver(
    ...contacts.map(({ wa_id }, at) =>
      textMessage(`wamid.${wa_id}`, `words of ${at + 1}`, {
        from: wa_id,
        timestamp: `178830000${at}`,
      }),
    ),
  )
  const { json } = await ask('/conversations')
  ids = json.data.map(({ id }: { id: string }) => id).toReversed()
})

async function deliver(...messages: Record<string, unknown>[]): Promise<void> {
  await gateway.deliver(payload({ number, messages, contacts }))
  await gateway.drain()
}

/** As the console does, for the person who is signed in. */
const ask = (path: string, method = 'GET', body?: unknown) =>
  gateway.call(method, `/api/whatsapp${path}`, {
    headers: me.headers(new URL(gateway.url).host),
    ...(body !== undefined && { body }),
  })

async function named(query: string): Promise<string[]> {
  const { json } = await ask(`/conversations?${query}`)
  return json.data.map((one: { contact_name: string }) => one.contact_name)
}

const change = (at: number, body: unknown) => ask(`/conversations/${ids[at]}`, 'PATCH', body)

test('what is mine, nobody’s and unread is listed, and counted', async () => {
  const { json } = await change(0, { assigned_user_id: me.id })
  expect(json).toMatchObject({
    assigned_user_id: me.id,
    assignee: { id: me.id, name: 'Damar Prasetya' },
  })
  await change(1, { status: 'closed' })
  await ask(`/conversations/${ids[0]}/read`, 'POST')

  expect(await named('assigned_user_id=me')).toEqual(['Person 1'])
  expect(await named(`assigned_user_id=${uuidOf('usr', me.id)}`)).toEqual(['Person 1'])
  expect(await named('assigned_user_id=none&status=open')).toEqual(['Person 3'])
  expect(await named('unread=true')).toEqual(['Person 3', 'Person 2'])
  expect(await named('unread=false')).toEqual(['Person 1'])
  expect((await ask('/conversations/counts')).json).toEqual({
    open: 2,
    closed: 1,
    mine: 1,
    unassigned: 1,
    waiting: 1,
  })
})

test('a key is nobody', async () => {
  const call = (path: string) =>
    gateway.call('GET', `/api/whatsapp/conversations${path}`, { key: firm.key })
  expect((await call('/counts')).json).toMatchObject({ open: 2, mine: null })
  expect((await call('?assigned_user_id=me')).json.error.code).toBe('INVALID_REQUEST')
})

test('conversations go only to people of the tenant who are not shut out', async () => {
  const seed = async (role: 'agent' | 'operator', tenantId: string | null) =>
    (await seedPerson(gateway.db, { role, tenantId })).id
  const refusal = async (person: string) => {
    const { status, json } = await change(2, { assigned_user_id: person })
    return [status, json.error.code]
  }
  const shutOut = await seed('agent', firm.id)
  await gateway.db.query(
    sql`update people set disabled_at = now() where id = ${uuidOf('usr', shutOut)}`,
  )

  expect(await refusal(await seed('agent', other.id))).toEqual([404, 'PERSON_NOT_FOUND'])
  expect(await refusal(await seed('operator', null))).toEqual([404, 'PERSON_NOT_FOUND'])
  const unknown = 'usr_4f9d2b1e8f0a4c6b9d571f2e3a4b5c6d'
  expect(await refusal(unknown)).toEqual([404, 'PERSON_NOT_FOUND'])
  expect(await refusal(shutOut)).toEqual([409, 'PERSON_DISABLED'])
  expect((await ask(`/conversations/${ids[2]}`)).json.assigned_user_id).toBe(null)
})

test('an application may give them to somebody of its own', async () => {
  const theirs = '4f9d2b1e-8f0a-4c6b-9d57-1f2e3a4b5c6d'
  const { json } = await change(2, { assigned_user_id: theirs })
  expect(json).toMatchObject({ assigned_user_id: theirs, assignee: null })
  const found = await named(`assigned_user_id=${theirs}`)
  expect(found).toEqual(['Person 3'])
  await change(2, { assigned_user_id: null })
})

test('numbers as people write them and what was said are found', async () => {
  const find = (asked: string) => named(`q=${encodeURIComponent(asked)}`)
  expect(await find('+1 (555) 010-0502')).toEqual(['Person 2'])
  expect(await find('WORDS of 2')).toEqual(['Person 2'])
  expect(await find('words_of')).toEqual([])
  expect(await named('q=words&status=closed')).toEqual(['Person 2'])
  const theirs = await gateway.call('GET', '/api/whatsapp/conversations?q=words', {
    key: other.key,
  })
  expect(theirs.json.data).toEqual([])
})

test('the last message is the last that says something, as it was last edited', async () => {
  const last = async () => (await ask(`/conversations/${ids[2]}`)).json.last_message
  const target = 'wamid.15550100503'
  const later = { from: '15550100503', timestamp: '1788300500' }
  const message = { type: 'text', text: { body: 'better words' } }
  await deliver(
    { id: 'wamid.e', ...later, type: 'edit', edit: { original_message_id: target, message } },
    { id: 'wamid.r', ...later, type: 'reaction', reaction: { message_id: target, emoji: '🙏' } },
  )
  expect(await last()).toMatchObject({
    type: 'text',
    direction: 'inbound',
    status: 'received',
    text: 'better words',
    revoked: false,
  })
  await deliver({
    id: 'wamid.d',
    ...later,
    type: 'revoke',
    revoke: { original_message_id: target },
  })
  expect(await last()).toMatchObject({ revoked: true })
})

test('agents learn which numbers there are, and no more of the accounts', async () => {
  expect((await ask('/numbers')).json.data).toEqual([
    { phone_number_id: 'number-c', display_phone_number: expect.any(String), auth_status: 'ok' },
  ])
  expect((await ask('/accounts')).status).toBe(403)
})
