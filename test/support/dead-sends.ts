// Two firms that may write to one customer, and a Meta that refuses on demand: messages that die, and what is left of them.
import { type Db, sql } from '../../src/db/connect.ts'
import {
  type Answer,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from './gateway.ts'
import { payload, textMessage } from './payloads.ts'
import { keepInboxSteady, makeDue } from './queue.ts'
import { type ScriptedMeta, startScriptedMeta } from './scripted-meta.ts'

/** Permanent, with a code, a trace id and words of Meta's. */
export const refused = 'err-132001-template-missing'

export interface Letter {
  id: string
  kind: string
  state: string
  error_code: string
  message_id: string
}

export interface DeadSends {
  meta: ScriptedMeta
  gateway: TestGateway
  a: TestTenant
  b: TestTenant
  /** On the dead letters. */
  operator(method: string, path: string, body?: unknown): Promise<Answer>
  asTenant(tenant: TestTenant, method: string, path: string, body?: unknown): Promise<Answer>
  /** Accepted, not sent yet; its message's id. */
  send(more?: Record<string, unknown>, tenant?: TestTenant): Promise<string>
  /** One that Meta did not take; its letter. From then on Meta takes everything. */
  deadSend(script?: string, more?: Record<string, unknown>, tenant?: TestTenant): Promise<Letter>
  /** Meta may have it, and nobody tries again by himself. */
  parkedSend(): Promise<Letter>
  /** The open one. */
  letterOf(messageId: string): Promise<Letter>
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  read(messageId: string, tenant?: TestTenant): Promise<any>
}

export async function startDeadSends(): Promise<DeadSends> {
  const meta = await startScriptedMeta()
  const gateway = await startTestGateway({ environment: { META_GRAPH_URL: meta.url } })
  const a = await gateway.createTenant('Firm A', tenantANumber)
  const b = await gateway.createTenant('Firm B', tenantBNumber)
  const timestamp = String(Math.floor(Date.now() / 1000))
  for (const number of [tenantANumber, tenantBNumber]) {
    const id = `wamid.hello-${number.phone_number_id}`
    const messages = [textMessage(id, 'hello', { timestamp })]
    await gateway.deliver(payload({ number, messages }))
  }
  await gateway.drain()

  const operator: DeadSends['operator'] = (method, path, body) =>
    gateway.call(method, `/api/admin/whatsapp/dlq${path}`, { key: operatorKey, body })
  let counter = 0
  const send: DeadSends['send'] = async (more = {}, { key } = a) => {
    counter++
    const text = { body: `Number ${counter}` }
    const body = { to: '+16505550143', type: 'text', text, ...more }
    const answer = await gateway.call('POST', '/api/whatsapp/meta/send', { key, body })
    if (answer.status !== 202) throw new Error(`a send was answered ${answer.text}`)
    return answer.json.message_id
  }
  const letterOf: DeadSends['letterOf'] = async (messageId) => {
    const { json } = await operator('GET', `?message_id=${messageId}`)
    if (json.data.length !== 1) throw new Error(`it has ${json.data.length} open letters`)
    return json.data[0]
  }
  const deadSend: DeadSends['deadSend'] = async (script = refused, more = {}, tenant = a) => {
    meta.answer(script)
    const messageId = await send(more, tenant)
    await gateway.sendDue()
    meta.answer('accept')
    // Where Meta may have it: the time for evidence passes.
    await keepInboxSteady(gateway.db)
    await makeDue(gateway.db)
    await gateway.sendDue()
    return letterOf(messageId)
  }
  return {
    meta,
    gateway,
    a,
    b,
    operator,
    asTenant: ({ key }, method, path, body) =>
      gateway.call(method, `/api/whatsapp/dlq${path}`, { key, body }),
    send,
    deadSend,
    parkedSend: () => deadSend('hang up', { delivery: 'at_most_once' }),
    letterOf,
    read: async (messageId, { key } = a) =>
      (await gateway.call('GET', `/api/whatsapp/messages/${messageId}`, { key })).json,
  }
}

export interface OutboxRow {
  id: string
  status: string
  parent_id: string | null
  lane: string
  attempts: number
  due_at: Date
}

/** Every row that a message had, the first first. */
export function outboxRowsOf(db: Db, messageId: string): Promise<OutboxRow[]> {
  return db.query(sql<OutboxRow>`
    select id, status, parent_id, lane, attempts, due_at
    from whatsapp_send_outbox
    where 'msg_' || replace(message_id::text, '-', '') = ${messageId}
    order by id`)
}

export function decisionsOn(db: Db, letter: Letter) {
  return db.query(sql<{ action: string; actor: string; details: Record<string, unknown> }>`
    select action, actor, details
    from audit_log
    where subject = ${letter.id} and action <> 'dead_letter.inspected'
    order by position`)
}
