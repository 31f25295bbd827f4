// A message that could not be sent, from its death to what a person makes of it.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { verifyAudit } from '../../src/audit/verify.ts'
import { sql } from '../../src/db/connect.ts'
import { canary, expectNone } from '../support/canaries.ts'
import {
  type DeadSends,
  decisionsOn,
  outboxRowsOf,
  refused,
  startDeadSends,
} from '../support/dead-sends.ts'
import { operatorKey, type TestGateway } from '../support/gateway.ts'
import { payload, statusUpdate } from '../support/payloads.ts'
import type { ScriptedMeta } from '../support/scripted-meta.ts'

let world: DeadSends
let gateway: TestGateway
let meta: ScriptedMeta

beforeAll(async () => {
  world = await startDeadSends()
  ;({ gateway, meta } = world)
})

beforeEach(() => meta.answer('accept'))

const textOf = (post: Record<string, unknown> | undefined) =>
  (post?.text as { body: string } | undefined)?.body

describe('a requeue', () => {
  test('sends the same message again in a row of its own; the dead row stays dead', async () => {
    const letter = await world.deadSend()
    expect(letter).toMatchObject({ kind: 'outbound', state: 'open' })
    expect(await world.read(letter.message_id)).toMatchObject({ status: 'failed', attempts: 1 })
    const before = meta.posts.length

    const answer = await world.operator('POST', `/${letter.id}/requeue`, {
      reason: 'it is there now',
    })

    expect(answer.json).toMatchObject({
      id: letter.id,
      state: 'requeued',
      decided_by: 'alice',
      may_arrive_twice: false,
    })
    expect(await world.read(letter.message_id)).toMatchObject({
      status: 'queued',
      attempts: 1,
      error: null,
      wamid: null,
    })
    expect(meta.posts).toHaveLength(before)
    await gateway.sendDue()

    expect(meta.posts).toHaveLength(before + 1)
    expect(textOf(meta.posts.at(-1))).toBe(textOf(meta.posts.at(-2)))
    expect(await world.read(letter.message_id)).toMatchObject({
      status: 'sent',
      attempts: 2,
      error: null,
      wamid: expect.any(String),
    })
    const [dead, again, ...more] = await outboxRowsOf(gateway.db, letter.message_id)
    expect(more).toEqual([])
    expect(dead).toMatchObject({ status: 'failed', parent_id: null, attempts: 1 })
    expect(again).toMatchObject({ status: 'done', parent_id: dead?.id, attempts: 0 })
    expect(again?.lane).not.toBe(dead?.lane)
  })

  test('that fails again is a new letter, which tells the whole story', async () => {
    const first = await world.deadSend()
    meta.answer('err-131008-missing')
    await world.asTenant(world.a, 'POST', `/${first.id}/requeue`, { reason: 'perhaps now' })
    await gateway.sendDue()

    const second = await world.letterOf(first.message_id)
    expect(second.id).not.toBe(first.id)
    const { json } = await world.asTenant(world.a, 'GET', `/${second.id}`)
    expect(json.errors).toMatchObject([
      { dead_letter_id: first.id, state: 'requeued', decision_reason: 'perhaps now' },
      { dead_letter_id: second.id, state: 'open', decision_reason: null },
    ])
    expect(json.outbound.attempts).toMatchObject([
      { dead_letter_id: first.id, provider_code: 132001 },
      { dead_letter_id: second.id, provider_code: 131008 },
    ])
    expect(json.attempts).toBe(1)
    expect(json.outbound.message).toMatchObject({ status: 'failed', attempts: 2 })
  })

  test('neither waits for what was sent to the contact meanwhile nor holds it back', async () => {
    const letter = await world.deadSend()
    await world.operator('POST', '/requeue', {
      ids: [letter.id],
      reason: 'tonight',
      start_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const before = meta.posts.length

    const later = await world.send()
    await gateway.sendDue()

    expect(meta.posts).toHaveLength(before + 1)
    expect((await world.read(later)).status).toBe('sent')
    expect((await world.read(letter.message_id)).status).toBe('queued')
  })

  test('is judged anew when it is sent: what has expired by then is not posted', async () => {
    const letter = await world.deadSend(refused, {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await gateway.db.query(sql`
      update whatsapp_send_outbox set expires_at = now() where id = ${(await outboxRowsOf(gateway.db, letter.message_id))[0]?.id}`)
    const before = meta.posts.length
    await world.operator('POST', `/${letter.id}/requeue`, { reason: 'too late?' })
    await gateway.sendDue()

    expect(meta.posts).toHaveLength(before)
    expect(await world.letterOf(letter.message_id)).toMatchObject({ error_code: 'EXPIRED' })
  })

  test('of a message that was cancelled meanwhile sends nothing', async () => {
    const letter = await world.deadSend()
    await world.operator('POST', `/${letter.id}/requeue`, { reason: 'again' })
    const cancelled = await gateway.call(
      'POST',
      `/api/whatsapp/messages/${letter.message_id}/cancel`,
      { key: world.a.key },
    )
    const before = meta.posts.length
    await gateway.sendDue()

    expect(cancelled.status).toBe(200)
    expect(meta.posts).toHaveLength(before)
    expect((await world.read(letter.message_id)).status).toBe('cancelled')
  })
})

describe('one whose fate is unknown', () => {
  test('is parked until a person sends it again, who is told that it may arrive twice', async () => {
    const before = meta.posts.length
    const letter = await world.parkedSend()
    await gateway.sendDue()
    expect(meta.posts).toHaveLength(before + 1)
    expect(letter).toMatchObject({ kind: 'unknown', may_arrive_twice: true, attempts: 1 })
    expect((await world.read(letter.message_id)).status).toBe('unknown')
    const dry = await world.operator('POST', '/requeue', {
      ids: [letter.id],
      reason: 'x',
      dry_run: true,
    })
    expect(dry.json).toMatchObject({ matched: 1, decided: 0, may_arrive_twice: 1 })

    const answer = await world.operator('POST', `/${letter.id}/requeue`, {
      reason: 'they called: no',
    })
    await gateway.sendDue()

    expect(answer.json).toMatchObject({ state: 'requeued', may_arrive_twice: true })
    expect(await decisionsOn(gateway.db, letter)).toMatchObject([
      {
        action: 'dead_letter.requeued',
        details: { may_arrive_twice: true, message_id: letter.message_id, kind: 'unknown' },
      },
    ])
    expect(meta.posts).toHaveLength(before + 2)
    expect((await world.read(letter.message_id)).status).toBe('sent')
  })

  /** Meta reports on the send that was made last. */
  async function report(wamid: string, status: string, more: Record<string, unknown> = {}) {
    const { biz_opaque_callback_data } = meta.posts.at(-1) ?? {}
    const proof = statusUpdate(wamid, status, { biz_opaque_callback_data, ...more })
    await gateway.deliver(payload({ statuses: [proof] }))
    await gateway.drain()
  }

  test('is not sent again when Meta has reported on it since: its letter closes by itself', async () => {
    const letter = await world.parkedSend()
    await report('wamid.after-all', 'delivered')
    const before = meta.posts.length

    const answer = await world.operator('POST', `/${letter.id}/requeue`, { reason: 'again' })
    const bulk = await world.operator('POST', '/requeue', { ids: [letter.id], reason: 'again' })
    await gateway.sendDue()

    expect(await world.read(letter.message_id)).toMatchObject({
      status: 'delivered',
      wamid: 'wamid.after-all',
      error: null,
    })
    expect(answer.status).toBe(409)
    expect(answer.json.error).toMatchObject({
      code: 'ALREADY_DECIDED',
      details: { state: 'resolved', decided_by: 'estafet' },
    })
    expect(bulk.json).toMatchObject({ matched: 0, decided: 0, skipped: { already_decided: 1 } })
    expect(meta.posts).toHaveLength(before)
    expect(await decisionsOn(gateway.db, letter)).toMatchObject([
      { action: 'dead_letter.resolved', details: { kind: 'unknown' } },
    ])
  })

  test('says why, once Meta has reported that it failed', async () => {
    const letter = await world.parkedSend()
    await report('wamid.failed-after-all', 'failed', { errors: [{ code: 131026 }] })

    expect(await world.letterOf(letter.message_id)).toMatchObject({
      id: letter.id,
      kind: 'outbound',
      error_code: 'UNDELIVERABLE',
      may_arrive_twice: false,
    })
    expect((await world.read(letter.message_id)).status).toBe('failed')
  })

  test('is marked sent by a person, once and with a reason; a late status names it', async () => {
    const letter = await world.parkedSend()
    const before = meta.posts.length
    const mark = (body: unknown) => world.operator('POST', `/${letter.id}/mark-sent`, body)

    expect((await mark({})).json.error.code).toBe('REASON_REQUIRED')
    const marked = await mark({ reason: 'they answered it' })
    expect(marked.json).toMatchObject({
      state: 'resolved',
      decided_by: 'alice',
      decision_reason: 'they answered it',
    })
    expect((await mark({ reason: 'again' })).json.error.code).toBe('ALREADY_DECIDED')
    const message = await world.read(letter.message_id)
    expect(message).toMatchObject({ status: 'sent', wamid: null, error: null })
    expect(message.timeline.map((step: { status: string }) => step.status)).toEqual([
      'queued',
      'sent',
    ])
    expect(await decisionsOn(gateway.db, letter)).toMatchObject([
      { action: 'dead_letter.resolved', details: { kind: 'unknown', marked_sent: true } },
    ])

    await report('wamid.of-the-marked', 'read')
    await gateway.sendDue()
    expect(meta.posts).toHaveLength(before)
    expect(await world.read(letter.message_id)).toMatchObject({
      status: 'read',
      wamid: 'wamid.of-the-marked',
    })
  })

  test.each([
    ['by Meta’s status', (id: string) => report(`wamid.given-up-${id}`, 'sent')],
    [
      'by a person',
      (id: string) => world.operator('POST', `/${id}/mark-sent`, { reason: 'it was seen' }),
    ],
  ])(
    '%s resolved, is open again when Meta says that it failed: audited, and told to the application',
    async (_, resolve) => {
      const letter = await world.parkedSend()
      await resolve(letter.id)
      await report(`wamid.given-up-${letter.id}`, 'failed', { errors: [{ code: 131026 }] })

      const open = { id: letter.id, state: 'open', kind: 'outbound', error_code: 'UNDELIVERABLE' }
      expect(await world.letterOf(letter.message_id)).toMatchObject({ ...open, decided_by: null })
      expect(await decisionsOn(gateway.db, letter)).toMatchObject([
        { action: 'dead_letter.resolved', details: { kind: 'unknown' } },
        {
          action: 'dead_letter.reopened',
          actor: 'estafet',
          details: { kind: 'outbound', error_code: 'UNDELIVERABLE', message_id: letter.message_id },
        },
      ])
      expect((await verifyAudit(gateway.db, null)).broken).toEqual([])
      const told = await gateway.db.query(sql<{ data: unknown }>`
      select data from events
      where type = 'dead_letter.created' and data ->> 'dead_letter_id' = ${letter.id}
      order by arrival`)
      expect(told).toMatchObject([
        { data: { kind: 'unknown' } },
        { data: { kind: 'outbound', error_code: 'UNDELIVERABLE' } },
      ])
    },
  )

  test('only where that is not known', async () => {
    const letter = await world.deadSend()
    const answer = await world.operator('POST', `/${letter.id}/mark-sent`, { reason: 'x' })
    expect(answer.status).toBe(409)
    expect(answer.json.error).toMatchObject({
      code: 'OUTCOME_KNOWN',
      details: { kind: 'outbound', message_status: 'failed' },
    })
  })
})

describe('a decision', () => {
  test('is one, however many decide at the same moment; it is sent at most once', async () => {
    const letter = await world.deadSend()
    const before = meta.posts.length
    const deciders = Array.from({ length: 12 }, (_, index) =>
      gateway.call(
        'POST',
        `/api/${index % 2 === 0 ? 'admin/' : ''}whatsapp/dlq/${letter.id}/${index % 4 === 0 ? 'discard' : 'requeue'}`,
        { key: index % 2 === 0 ? operatorKey : world.a.key, body: { reason: `decider ${index}` } },
      ),
    )
    const bulk = world.operator('POST', '/requeue', { ids: [letter.id], reason: 'and all at once' })
    const sending = gateway.sendDue()

    const answers = await Promise.all(deciders)
    await sending
    await gateway.sendDue()
    const won = answers.filter((answer) => answer.status === 200)

    expect(won.length + (await bulk).json.decided).toBe(1)
    const lost = answers.filter((answer) => answer.status !== 200)
    expect(new Set(lost.map((answer) => answer.json.error.code))).toEqual(
      new Set(['ALREADY_DECIDED']),
    )
    expect(await decisionsOn(gateway.db, letter)).toHaveLength(1)
    const isRequeued = (await decisionsOn(gateway.db, letter))[0]?.action === 'dead_letter.requeued'
    expect(meta.posts).toHaveLength(before + (isRequeued ? 1 : 0))
    expect(await outboxRowsOf(gateway.db, letter.message_id)).toHaveLength(isRequeued ? 2 : 1)
  })

  test('to discard leaves the message failed, and sends nothing', async () => {
    const letter = await world.deadSend()
    const before = meta.posts.length
    const answer = await world.asTenant(world.a, 'POST', `/${letter.id}/discard`, {
      reason: 'not needed',
    })
    await gateway.sendDue()

    expect(answer.json).toMatchObject({ state: 'discarded', decision_reason: 'not needed' })
    expect(meta.posts).toHaveLength(before)
    expect((await world.read(letter.message_id)).status).toBe('failed')
    const again = await world.asTenant(world.a, 'POST', `/${letter.id}/requeue`, {
      reason: 'after all',
    })
    expect(again.json.error.code).toBe('ALREADY_DECIDED')
  })

  test.each(['requeue', 'discard'])(
    'and its audit row are one: when %s cannot be audited, nothing is done',
    async (verb) => {
      const letter = await world.deadSend()
      await gateway.db.session((session) =>
        session.script(`
        create function refuse() returns trigger language plpgsql as
          $$ begin raise exception 'the audit is away'; end $$;
        create trigger refuse before insert on audit_log for each row
          when (new.action like 'dead_letter.%') execute function refuse()`),
      )
      const answer = await world.operator('POST', `/${letter.id}/${verb}`, { reason: 'why not' })
      await gateway.db.session((session) => session.script('drop function refuse cascade'))

      expect(answer.status).toBe(500)
      expect((await world.letterOf(letter.message_id)).id).toBe(letter.id)
      expect((await world.read(letter.message_id)).status).toBe('failed')
      expect(await outboxRowsOf(gateway.db, letter.message_id)).toHaveLength(1)
    },
  )

  test('leaves an audit that verifies, and one line without what people wrote', async () => {
    const letter = await world.deadSend()
    const reason = canary('reason').text
    await world.operator('POST', `/${letter.id}/requeue`, { reason })
    await gateway.sendDue()

    expect((await verifyAudit(gateway.db, null)).broken).toEqual([])
    const lines = gateway.logText().split('\n')
    const line = lines.find(
      (one) => one.includes('dead_letter_requeued') && one.includes(letter.id),
    )
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      event: 'dead_letter_requeued',
      direction: 'outbound',
      kind: 'outbound',
      dead_letter_id: letter.id,
      message_id: letter.message_id,
      tenant_id: world.a.id,
      correlation_id: expect.any(String),
    })
    expectNone(gateway.logText(), reason)
  })

  test('on another tenant’s letter is 404, whichever way it is asked', async () => {
    const letter = await world.deadSend()
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/requeue'],
      ['POST', '/discard'],
    ] as const) {
      const body = method === 'POST' ? { reason: 'curious' } : undefined
      const answer = await world.asTenant(world.b, method, `/${letter.id}${path}`, body)
      expect(answer.status).toBe(404)
      expect(answer.json.error.code).toBe('DEAD_LETTER_NOT_FOUND')
    }
    const list = await world.asTenant(world.b, 'GET', `?message_id=${letter.message_id}`)
    expect(list.json.data).toEqual([])
    const bulk = await world.asTenant(world.b, 'POST', '/requeue', {
      ids: [letter.id],
      reason: 'curious',
    })
    expect(bulk.json).toMatchObject({ matched: 0, decided: 0, skipped: { not_found: 1 } })
    const filter = { message_id: letter.message_id }
    const named = await world.asTenant(world.b, 'POST', '/requeue', { filter, reason: 'curious' })
    expect(named.json.matched).toBe(0)
    expect(await decisionsOn(gateway.db, letter)).toEqual([])
    expect((await world.read(letter.message_id)).status).toBe('failed')
  })
})
