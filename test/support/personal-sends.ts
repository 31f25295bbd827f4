// Everything that sending can come to, with what is personal or secret in every place that takes text: what is sent, what
// Meta answers and reports, what people decide and why.
import { expect } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import { afterFile } from './after-file.ts'
import { payload, statusUpdate, textMessage } from './payloads.ts'
import { type GatewayProgram, type Reply, runProgram, until } from './program.ts'
import { makeDue } from './queue.ts'

export interface PersonalSends {
  simulator: Simulator
  gateway: GatewayProgram
  db: Db
  /** Keeps what was refused. */
  ask(asked: Promise<Reply>): Promise<Reply>
  deliver(what: unknown): Promise<Reply>
  environment: Record<string, string>
  number: { waba_id: string; phone_number_id: string }
  tenantKey: string
  adminKey: string
  phone: string
  name: string
  body: string
  token: string
  reason: string
}

export async function startMeta(appSecret: string): Promise<Simulator> {
  const simulator = await startSimulator({
    appSecret,
    statusDelaysMs: 0,
    retryDelaysMs: [],
    serviceWindow: 'open',
  })
  afterFile(() => simulator.close())
  return simulator
}

/** Returns what the command line printed. */
export async function driveSends(world: PersonalSends): Promise<string> {
  const { simulator, gateway, number } = world
  const startedAt = new Date().toISOString()
  simulator.registerNumber({
    ...number,
    display_phone_number: '+1 555-0100',
    access_token: world.token,
  })
  simulator.setWebhook({ url: `${gateway.url}/webhooks/whatsapp` })
  await openWindow(world)
  await refusedAtOnce(world)
  const sent = await send(world)
  await settled(world)
  await failures(world)
  await duplicates(world)
  await decisions(world)
  await notices(world)
  await replay(world, startedAt)
  const traced = await runProgram(['trace', sent], world.environment)
  expect([traced.code, traced.stderr]).toEqual([0, ''])
  await tokenTrouble(world)
  return traced.stdout
}

async function openWindow({ deliver, number, phone, name, body }: PersonalSends): Promise<void> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const messages = [textMessage('wamid.opens-the-window', body, { from: phone, timestamp })]
  const contacts = [{ profile: { name }, wa_id: phone }]
  await deliver(payload({ number, contacts, messages }))
}

function post(
  { gateway, ask, tenantKey, phone, body }: PersonalSends,
  more: Record<string, unknown> = {},
) {
  return ask(
    gateway.call('POST', '/api/whatsapp/meta/send', {
      key: tenantKey,
      body: {
        to: `+${phone}`,
        type: 'text',
        text: { body },
        client_reference: body,
        biz_opaque_callback_data: body,
        ...more,
      },
    }),
  )
}

/** Accepted by us; its message's id. */
async function send(world: PersonalSends, more: Record<string, unknown> = {}): Promise<string> {
  await until('the window is open', async () => {
    const rows = await world.db.query(
      sql`select from whatsapp_conversations where contact_wa_id = ${world.phone} and last_inbound_at > now() - interval '1 hour'`,
    )
    return rows.length > 0
  })
  const reply = await post(world, more)
  expect(reply.status).toBe(202)
  return reply.json.message_id
}

async function refusedAtOnce(world: PersonalSends): Promise<void> {
  const { phone, name, body } = world
  const replies = [
    await post(world, { to: `${phone}${name}` }),
    await post(world, { to: undefined, recipient: `${name} ${phone}` }),
    await post(world, { text: { body: [body], preview_url: phone } }),
    await post(world, { type: name }),
    await post(world, { phone_number_id: phone }),
    await post(world, { to: `+49${phone.slice(0, 9)}` }),
    await post(world, { send_at: name }),
  ]
  expect(replies.map(({ status }) => status).filter((status) => status < 400)).toEqual([])
}

/** Nothing is under way, and all that Meta had to say is processed. */
async function settled({ db, simulator }: PersonalSends): Promise<void> {
  await until('nothing is under way', async () => {
    const rows = await db.query(sql`
      select from whatsapp_send_outbox
      where status = 'running' or (status = 'pending' and lane_head and next_run_at <= now() and not exists (
        select from send_numbers n where n.hold_until > now()))`)
    return rows.length === 0
  })
  await simulator.settled()
  await until('all is processed', async () => {
    const rows = await db.query(
      sql`select from whatsapp_webhook_events where status in ('pending', 'processing')`,
    )
    return rows.length === 0
  })
}

/** The next one meets these; in the end nothing waits any more. */
async function sendWith(
  world: PersonalSends,
  faults: FaultInput[],
  more: Record<string, unknown> = {},
): Promise<string> {
  for (const fault of faults) world.simulator.setFault(fault)
  const id = await send(world, more)
  await settled(world)
  await until('nothing waits', () => hurry(world))
  world.simulator.clearFaults()
  return id
}

/** What waits waits no longer; true when nothing does. */
async function hurry(world: PersonalSends): Promise<boolean> {
  await makeDue(world.db)
  await settled(world)
  const rows = await world.db.query(sql`
    select from whatsapp_send_outbox where status in ('pending', 'running')`)
  return rows.length === 0
}

const atMostOnce = { delivery: 'at_most_once' }

async function failures(world: PersonalSends): Promise<void> {
  const { phone, body, token } = world
  const title = `Cannot send “${body}” to ${phone} with ${token}`
  await sendWith(world, [{ fault: 'error', code: 132001, http_status: 404, title }])
  await sendWith(world, [{ fault: 'error', code: 131000, http_status: 500, title, count: 1 }])
  await sendWith(world, [{ fault: 'fail', code: 131026, title, details: title }])
  await sendWith(world, [
    { fault: 'slow', delay: '300ms', when: 'after_accepting' },
    { fault: 'fail', code: 131026, title, details: title },
  ])
  for (let index = 0; index < 3; index++) {
    await sendWith(
      world,
      [
        { fault: 'reset', when: 'after_accepting', count: 1 },
        { fault: 'stuck', after: 'accepted' },
      ],
      atMostOnce,
    )
  }
}

async function duplicates(world: PersonalSends): Promise<void> {
  const before = world.simulator.ledger().sends.length
  await sendWith(world, [
    { fault: 'reset', when: 'after_accepting', count: 1 },
    { fault: 'stuck', after: 'accepted' },
  ])
  const [first, ...others] = world.simulator.ledger().sends.slice(before)
  expect(others).toHaveLength(1)
  const { wamid = '', biz_opaque_callback_data } = first ?? {}
  const proof = statusUpdate(wamid, 'read', {
    biz_opaque_callback_data,
    recipient_id: world.phone,
  })
  await world.deliver(payload({ number: world.number, statuses: [proof] }))
  await until('it is told', () => world.gateway.logged('duplicate_confirmed').length > 0)
}

async function decisions({ gateway, ask, adminKey, tenantKey, phone, reason }: PersonalSends) {
  const dlq = '/api/admin/whatsapp/dlq'
  const asOperator = (method: string, path: string, body?: unknown) =>
    ask(gateway.call(method, dlq + path, { key: adminKey, ...(body !== undefined && { body }) }))
  const unknown = (await asOperator('GET', '?kind=unknown')).json.data
  const dead = (await asOperator('GET', '?kind=outbound')).json.data
  expect([unknown.length, dead.length]).toEqual([3, 3])
  const replies = [
    await asOperator('GET', `/${dead[0].id}`),
    await asOperator('POST', `/${unknown[0].id}/mark-sent`, { reason }),
    await asOperator('POST', `/${unknown[1].id}/requeue`, { reason }),
    await asOperator('POST', `/${dead[0].id}/discard`, { reason }),
    await asOperator('POST', '/requeue', { ids: [dead[1].id], reason }),
    await ask(
      gateway.call('POST', `/api/whatsapp/dlq/${dead[2].id}/discard`, {
        key: tenantKey,
        body: { reason },
      }),
    ),
  ]
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  const refusals = [
    await asOperator('POST', `/${unknown[0].id}/mark-sent`, { reason }),
    await asOperator('POST', `/${unknown[2].id}/discard`, { reason: [reason, phone] }),
    await asOperator('POST', `/dlq_${phone}/requeue`, { reason }),
    await asOperator('POST', '/requeue', { filter: { message_id: reason, kind: reason }, reason }),
    await asOperator('GET', `?kind=${reason}`),
    await asOperator('GET', `?after=${reason}`),
  ]
  expect(refusals.map(({ status }) => status).filter((status) => status < 400)).toEqual([])
}

async function notices({ deliver, number, phone, name, body }: PersonalSends): Promise<void> {
  const change = (field: string, value: Record<string, unknown>) => ({
    object: 'whatsapp_business_account',
    entry: [{ id: number.waba_id, time: 1788300100, changes: [{ field, value }] }],
  })
  const metadata = {
    display_phone_number: phone,
    phone_number_id: number.phone_number_id,
  }
  const deliveries = [
    change('user_preferences', {
      messaging_product: 'whatsapp',
      metadata,
      contacts: [{ profile: { name }, wa_id: phone }],
      user_preferences: [
        { wa_id: phone, detail: body, category: 'marketing_messages', value: 'stop', timestamp: 1 },
      ],
    }),
    change('account_update', { event: name, ban_info: { waba_ban_state: body } }),
    change('message_template_status_update', {
      event: 'REJECTED',
      message_template_name: name,
      reason: body,
    }),
    change('security', { ...metadata, event: 'PIN_CHANGED', requester: phone }),
    change(name, { text: body }),
  ]
  for (const delivery of deliveries) expect((await deliver(delivery)).status).toBe(200)
}

async function replay(
  { gateway, ask, adminKey, phone, reason }: PersonalSends,
  from: string,
): Promise<void> {
  const path = '/api/admin/whatsapp/events/replay'
  const asked = { from, to: '3000-01-01T00:00:00Z', reason }
  const run = (body: unknown) => ask(gateway.call('POST', path, { key: adminKey, body }))
  expect((await run({ ...asked, dry_run: false })).status).toBe(200)
  expect((await run({ ...asked, from: phone })).status).toBe(400)
  expect((await run({ ...asked, phone_number_id: reason, after: reason })).status).toBe(400)
  const traces = await gateway.call('GET', '/api/admin/whatsapp/traces', { key: adminKey })
  expect(traces.status).toBe(200)
}

/** Last: after this nothing is sent. */
async function tokenTrouble(world: PersonalSends): Promise<void> {
  const title = `Malformed access token ${world.token} of ${world.phone}`
  world.simulator.setFault({ fault: 'error', code: 190, http_status: 401, title })
  await send(world)
  await until('it is told', () => world.gateway.logged('reauth_required').length > 0)
  expect((await post(world)).status).toBe(409)
}
