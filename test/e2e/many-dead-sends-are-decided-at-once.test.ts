// Many dead sends decided at once: with what came in, at a pace, and while others decide.
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import {
  type DeadSends,
  type Letter,
  outboxRowsOf,
  refused,
  startDeadSends,
} from '../support/dead-sends.ts'
import type { TestGateway } from '../support/gateway.ts'
import { payload } from '../support/payloads.ts'
import { makeDue } from '../support/queue.ts'
import type { ScriptedMeta } from '../support/scripted-meta.ts'

let world: DeadSends
let gateway: TestGateway
let meta: ScriptedMeta

beforeAll(async () => {
  world = await startDeadSends()
  ;({ gateway, meta } = world)
})

beforeEach(() => meta.answer('accept'))

describe('many at once', () => {
  test('what came in and what was to go out are decided together', async () => {
    const sends = [await world.deadSend(), await world.deadSend(refused, {}, world.b)]
    await gateway.deliver(payload({ messages: [{ from: '1', text: { body: 'no id' } }] }))
    await gateway.drain()
    const inbound: Letter = (await world.operator('GET', '?kind=malformed&limit=1')).json.data[0]
    const ids = [...sends, inbound].map(({ id }) => id)

    const dry = await world.operator('POST', '/requeue', { ids, reason: 'x', dry_run: true })
    expect(dry.json).toMatchObject({ matched: 3, decided: 0, remaining: 3, next_start_at: null })
    expect(await outboxRowsOf(gateway.db, sends[0]?.message_id ?? '')).toHaveLength(1)
    const answer = await world.operator('POST', '/requeue', {
      ids,
      reason: 'mended',
      per_second: 1000,
    })
    expect(answer.json).toMatchObject({
      matched: 3,
      decided: 3,
      remaining: 0,
      by_kind: { outbound: 2, malformed: 1 },
    })
    await makeDue(gateway.db)
    await gateway.sendDue()
    await gateway.drain()

    expect((await world.read(sends[0]?.message_id ?? '')).status).toBe('sent')
    expect((await world.read(sends[1]?.message_id ?? '', world.b)).status).toBe('sent')
    expect((await world.operator('GET', '?kind=malformed&limit=1')).json.data[0].id).not.toBe(
      inbound.id,
    )
    const lines = gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes('dead_letter_requeued'))
    expect(lines.slice(-2).map((line) => JSON.parse(line))).toMatchObject([
      { direction: 'inbound', count: 1 },
      { direction: 'outbound', count: 2 },
    ])
  })

  test('decided while others decide and what was requeued dies again: nobody locks anybody out', async () => {
    meta.answer(refused)
    const messages: string[] = []
    for (let count = 0; count < 10; count++)
      messages.push(await world.send({}, count % 2 === 0 ? world.a : world.b))
    await gateway.sendDue()
    const open = async (): Promise<string[]> => {
      const { json } = await world.operator('GET', '?kind=outbound&limit=200')
      const letters = json.data as Letter[]
      return letters.flatMap(({ id, message_id }) => (messages.includes(message_id) ? [id] : []))
    }
    const before = meta.posts.length
    let decided = 0
    for (let round = 0; round < 4; round++) {
      const ids = await open()
      expect(ids).toHaveLength(10)
      const sending = gateway.sendDue()
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          world.operator('POST', '/requeue', {
            ids: index % 2 === 0 ? ids : [...ids].reverse(),
            reason: `round ${round}`,
            per_second: 1000,
          }),
        ),
      )
      await sending
      await makeDue(gateway.db)
      await gateway.sendDue()
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      decided += answers.reduce((sum, { json }) => sum + json.decided, 0)
    }

    expect(decided).toBe(40)
    expect(meta.posts).toHaveLength(before + 40)
    expect(gateway.logText()).not.toContain('outbound_settle_failed')
    expect(gateway.logText()).not.toContain('PG_40P01')
  })

  test('messages become due at the given pace, those that died first first', async () => {
    const letters = [await world.deadSend(), await world.deadSend(), await world.deadSend()]
    const [, , third] = letters
    await gateway.db.query(sql`
      update dead_letters set created_at = created_at - interval '1 h'
      where 'dlq_' || replace(id::text, '-', '') = ${third?.id}`)
    const startAt = new Date(Date.now() + 3_600_000)

    const answer = await world.operator('POST', '/requeue', {
      ids: letters.map(({ id }) => id).reverse(),
      reason: 'slowly',
      per_second: 0.5,
      start_at: startAt.toISOString(),
    })

    const due = await Promise.all(
      letters.map(async ({ message_id }) =>
        (await outboxRowsOf(gateway.db, message_id))[1]?.due_at.getTime(),
      ),
    )
    const at = (seconds: number) => startAt.getTime() + seconds * 1000
    expect(due).toEqual([at(2), at(4), at(0)])
    expect(new Date(answer.json.next_start_at).getTime()).toBe(at(6))
  })

  test.each([
    { per_second: 0 },
    { per_second: 1001 },
    { per_second: 'fast' },
    { start_at: 'soon' },
  ])('%j is 400', async (body) => {
    const answer = await world.operator('POST', '/requeue', { filter: {}, reason: 'x', ...body })
    expect(answer.status).toBe(400)
    expect(answer.json.error.code).toBe('INVALID_REQUEST')
    expect(answer.json.error.message).toContain(Object.keys(body)[0])
  })
})
