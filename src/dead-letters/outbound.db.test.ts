import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DeadSends, startDeadSends } from '../../test/support/dead-sends.ts'
import { type Answer, type TestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { payload, statusUpdate } from '../../test/support/payloads.ts'
import { makeDue } from '../../test/support/queue.ts'
import type { ScriptedMeta } from '../../test/support/scripted-meta.ts'
import { sql } from '../db/connect.ts'
import { uuidOf } from '../ids.ts'

let world: DeadSends
let gateway: TestGateway
let meta: ScriptedMeta

beforeAll(async () => {
  world = await startDeadSends()
  ;({ gateway, meta } = world)
})

beforeEach(() => meta.answer('accept'))

/** Meta took it, and reported its failure afterwards: its row is done, its message failed. */
async function failedLater() {
  const messageId = await world.send()
  await gateway.sendDue()
  const { wamid } = await world.read(messageId)
  const { biz_opaque_callback_data } = meta.posts.at(-1) ?? {}
  const tellAgain = async (timestamp: string, status = 'failed') => {
    const more = { timestamp, biz_opaque_callback_data }
    await gateway.deliver(payload({ statuses: [statusUpdate(wamid, status, more)] }))
    await gateway.drain()
  }
  await tellAgain('1788300100')
  return { letter: await world.letterOf(messageId), tellAgain }
}

describe('listing', () => {
  test('shows which message it was, how often it was tried, and why it died', async () => {
    const refused = await world.deadSend('err-132001-template-missing')
    const parked = await world.parkedSend()

    for (const list of [
      await world.operator('GET', ''),
      await world.asTenant(world.a, 'GET', ''),
    ]) {
      expect(list.json.data.slice(0, 2)).toMatchObject([
        { kind: 'unknown', message_id: parked.message_id, attempts: 1, may_arrive_twice: true },
        {
          kind: 'outbound',
          message_id: refused.message_id,
          attempts: 1,
          may_arrive_twice: false,
          tenant_id: world.a.id,
          phone_number_id: tenantANumber.phone_number_id,
          error_code: expect.stringMatching(/TEMPLATE/),
          error_message: '(#132001) Template name does not exist in the translation',
          raw_bytes: expect.any(Number),
        },
      ])
    }
  })

  test('filters by message, kind and code', async () => {
    const letter = await world.deadSend('err-131008-missing')
    const ids = async (query: string): Promise<string[]> =>
      (await world.operator('GET', query)).json.data.map((one: { id: string }) => one.id)

    expect(await ids(`?message_id=${letter.message_id}`)).toEqual([letter.id])
    expect(await ids(`?message_id=${letter.message_id}&kind=unknown`)).toEqual([])
    expect(await ids(`?kind=outbound&error_code=${letter.error_code}`)).toEqual([letter.id])
    expect(await ids('?message_id=msg_nonsense')).toEqual([])
  })
})

describe('inspecting', () => {
  test('shows what was to be posted, the message, and every attempt with Meta’s words', async () => {
    const fallback = { name: 'hello', language: { code: 'en' } }
    meta.answer('err-131016-unavailable')
    const messageId = await world.send({
      text: { body: 'Good morning' },
      fallback_template: fallback,
    })
    await gateway.sendDue()
    meta.answer('err-131009-parameter')
    await makeDue(gateway.db)
    await gateway.sendDue()
    const letter = await world.letterOf(messageId)

    for (const answer of [
      await world.operator('GET', `/${letter.id}`),
      await world.asTenant(world.a, 'GET', `/${letter.id}`),
    ]) {
      expect(JSON.parse(answer.json.raw)).toMatchObject({
        messaging_product: 'whatsapp',
        to: '+16505550143',
        text: { body: 'Good morning' },
      })
      expect(answer.json).toMatchObject({ attempts: 2, event: null, may_arrive_twice: false })
      expect(answer.json.outbound).toMatchObject({
        message: {
          id: messageId,
          status: 'failed',
          attempts: 2,
          error: { code: letter.error_code },
        },
        delivery: 'at_least_once',
        expires_at: null,
        fallback_template: { template: fallback },
        attempts: [
          { outcome: 'transient', status_code: 500, provider_code: 131016, wamid: null },
          {
            dead_letter_id: letter.id,
            outcome: 'permanent',
            status_code: 400,
            provider_code: 131009,
            provider_subcode: expect.any(Number),
            error_message: expect.stringContaining('131009'),
            fbtrace_id: expect.any(String),
            started_at: expect.any(String),
            finished_at: expect.any(String),
          },
        ],
      })
    }
    const acts = await gateway.db.query(sql<{ actor: string }>`
      select actor from audit_log
      where subject = ${letter.id} and action = 'dead_letter.inspected' and tenant_id = ${world.a.id}
      order by position`)
    expect(acts).toMatchObject([{ actor: 'alice' }, { actor: expect.stringMatching(/^key_/) }])
  })
})

describe('a requeue', () => {
  test('of what Meta took and failed later is not moved by what is still said of that attempt', async () => {
    const { letter, tellAgain } = await failedLater()
    const before = meta.posts.length

    const answer = await world.operator('POST', `/${letter.id}/requeue`, { reason: 'once more' })
    await tellAgain('1788300200')
    await tellAgain('1788300000', 'sent')

    expect(answer.json).toMatchObject({ state: 'requeued', may_arrive_twice: false })
    expect(await world.read(letter.message_id)).toMatchObject({
      status: 'queued',
      error: null,
      wamid: null,
    })
    await gateway.sendDue()
    expect(meta.posts).toHaveLength(before + 1)
    expect(await world.read(letter.message_id)).toMatchObject({ status: 'sent', attempts: 2 })
  })

  test('waits for a settlement that has the tenant’s queue, and they do not lock each other out', async () => {
    const [letter, other] = [await world.deadSend(), await world.deadSend()]
    let requeued: Promise<Answer> | undefined
    await gateway.db.transaction(async (tx) => {
      await tx.query(
        sql`select from send_tenants where tenant_id = ${world.a.id} for no key update`,
      )
      requeued = world.operator('POST', `/${letter.id}/requeue`, { reason: 'mended' })
      await somebodyWaitsForTheQueue()
      // What settling writes after it has the queue: a message and a letter.
      await tx.query(sql`
        update whatsapp_messages set attempts = attempts where id = ${uuidOf('msg', other.message_id)}`)
      await tx.query(sql`
        insert into dead_letters (id, tenant_id, kind, outbox_id, message_id, error_code, error_message, raw, created_at)
        select gen_random_uuid(), tenant_id, kind, outbox_id, message_id, error_code, error_message, raw, now()
        from dead_letters where id = ${uuidOf('dlq', other.id)}
        on conflict (tenant_id, outbox_id) where outbox_id is not null do nothing`)
      await tx.query(sql`select send_wake(array[${world.a.id}::uuid], now())`)
    })

    expect((await requeued)?.status).toBe(200)
    await gateway.sendDue()
    expect((await world.read(letter.message_id)).status).toBe('sent')
  })

  test('of a message whose letters are both open makes one row', async () => {
    const first = await world.deadSend()
    await world.operator('POST', `/${first.id}/requeue`, { reason: 'again' })
    meta.answer('err-131008-missing')
    await gateway.sendDue()
    meta.answer('accept')
    const second = await world.letterOf(first.message_id)
    await gateway.db.query(sql`
      update dead_letters set state = 'open', decided_at = null, decided_by = null, decision_reason = null
      where id = ${uuidOf('dlq', first.id)}`)
    const before = meta.posts.length

    const answer = await world.operator('POST', '/requeue', {
      ids: [first.id, second.id],
      reason: 'x',
    })
    await gateway.sendDue()

    expect(answer.json).toMatchObject({ matched: 2, decided: 1 })
    expect(meta.posts).toHaveLength(before + 1)
  })

  test('rings the queue that has work, and only that', async () => {
    const rung: string[] = []
    const { dispatch } = gateway.runtime
    const { wake } = dispatch
    dispatch.wake = async (queue) => rung.push(queue)
    const [wanted, unwanted] = [await world.deadSend(), await world.deadSend()]
    rung.length = 0
    await world.operator('POST', `/${wanted.id}/requeue`, { reason: 'again' })
    await world.operator('POST', `/${unwanted.id}/discard`, { reason: 'no' })
    dispatch.wake = wake
    await gateway.sendDue()

    expect(rung).toEqual(['outbox'])
  })
})

/** Until the requeue is seen waiting for the tenant's queue. */
async function somebodyWaitsForTheQueue(): Promise<void> {
  for (;;) {
    const [row] = await gateway.db.query(sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%send_enqueue%'`)
    if ((row?.count ?? 0) > 0) return
  }
}
