import { request } from 'node:http'
import type { Socket } from 'node:net'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { createEventStreams } from '../../src/events/stream.ts'
import { createReader } from '../../src/events/stream-reader.ts'
import { mountEventStream } from '../../src/events/stream-route.ts'
import { createHttpServer } from '../../src/http.ts'
import { uuidOf } from '../../src/ids.ts'
import { closeWithFarewell } from '../../src/ops/farewell.ts'
import { createAuthenticate } from '../../src/tenants/keys.ts'
import { afterFile } from '../support/after-file.ts'
import { openStream } from '../support/event-stream.ts'
import { operatorKey, startTestGateway, type TestGateway } from '../support/gateway.ts'
import { seedPerson } from '../support/people.ts'
import { until } from '../support/program.ts'
import { startTelling, type Telling, type TellingFirm } from '../support/telling.ts'

/** How often a stream looks whether it missed a ring. */
const pollMs = 1_000

let telling: Telling
let firm: TellingFirm
/** Another process on the same database, as far as the stream is concerned. */
let other: TestGateway

beforeAll(async () => {
  telling = await startTelling({ EVENT_STREAMS_PER_TENANT: '3' })
  const { db, databaseUrl: url } = telling.gateway
  other = await startTestGateway({ database: { url, db }, clock: telling.clock })
})
beforeEach(async () => {
  firm = await telling.createFirm()
})

const open = (gateway: TestGateway, more: Parameters<typeof openStream>[2] = {}) =>
  openStream(gateway.url, firm.key, more)

async function writeAndTell(count = 1) {
  await telling.write(firm, '16505550191', count)
  await telling.gateway.tellDue()
}

/** The ids of everything that has its place, in order. */
async function allIds(after = ''): Promise<string[]> {
  const rows = await telling.gateway.db.query(sql<{ id: string }>`
    select public_id('evt', id) as id
    from events
    where tenant_id = ${firm.id} and position is not null
    order by position`)
  const ids = rows.map((row) => row.id)
  return ids.slice(ids.indexOf(after) + 1)
}

describe('the stream', () => {
  test('tells what happens from now on, in order, whichever process it happens in', async () => {
    await writeAndTell()
    const before = (await allIds()).at(-1)
    const [here, there] = [await open(telling.gateway), await open(other)]
    await writeAndTell(3)

    const wanted = await allIds(before)
    expect(wanted).toHaveLength(3)
    for (const reader of [here, there]) {
      await reader.untilTold(3)
      expect(reader.events.map(({ id }) => id)).toEqual(wanted)
      expect(reader.events[0]).toMatchObject({
        type: 'message.received',
        data: { id: wanted[0], type: 'message.received', version: 1, tenant_id: firm.id },
      })
      reader.close()
    }
  })

  test('goes on where a reader was, in another process too, and leaves nothing out', async () => {
    const reader = await open(telling.gateway)
    await writeAndTell(2)
    await reader.untilTold(2)
    reader.close()
    const last = reader.lastId()
    // More than a page happens meanwhile.
    await telling.gateway.db.query(sql`
      insert into events (tenant_id, type, lane, data)
      select ${firm.id}, 'message.status', 'lane', jsonb_build_object('count', n)
      from generate_series(1, 250) as n`)
    await writeAndTell()

    const resumed = await open(other, { lastEventId: last })
    await resumed.untilTold(251)
    expect(resumed.events.map(({ id }) => id)).toEqual(await allIds(last))

    await writeAndTell()
    await resumed.untilTold(252)
    resumed.close()

    const byQuery = await open(other, { query: `?last_event_id=${resumed.lastId()}` })
    await writeAndTell()
    await byQuery.untilTold(1)
    expect(byQuery.events).toHaveLength(1)
    byQuery.close()
  })

  test('goes on where a reader began who was told nothing yet', async () => {
    const { db } = telling.gateway
    await db.query(sql`delete from events where tenant_id = ${firm.id}`)
    await db.query(sql`delete from event_tenants where tenant_id = ${firm.id}`)
    const began = []
    // There is no event at all, and then one that the reader must not be told.
    for (let count = 0; count < 2; count++) {
      const reader = await open(telling.gateway)
      await until('its place has a name', () => reader.lastId() !== '')
      reader.close()
      expect(reader.events).toEqual([])
      const before = (await allIds()).at(-1)
      await writeAndTell()
      const resumed = await open(other, { lastEventId: reader.lastId() })
      await resumed.untilTold(1)
      expect(resumed.events.map(({ id }) => id)).toEqual(await allIds(before))
      resumed.close()
      began.push(reader.lastId())
    }
    expect(began).toEqual(['pos_0', 'pos_1'])
    await db.query(sql`delete from events where tenant_id = ${firm.id} and position = 1`)
    for (const [lastEventId, wanted] of [
      [began[0], ['stream.reset', 'message.received']],
      [began[1], ['message.received']],
      ['pos_3', ['stream.reset', 'message.received']],
    ] as const) {
      const reader = await open(telling.gateway, { lastEventId: lastEventId ?? '' })
      await reader.untilTold(wanted.length)
      expect(reader.events.map(({ type }) => type)).toEqual(wanted)
      reader.close()
    }
  })

  test('says so when it cannot go on, and begins with the oldest that is kept', async () => {
    await writeAndTell(2)
    for (const lastEventId of ['evt_00000000000000000000000000000000', 'nonsense']) {
      const reader = await open(telling.gateway, { lastEventId })
      const all = await allIds()
      await reader.untilTold(1 + all.length)
      expect(reader.events[0]).toEqual({
        id: undefined,
        type: 'stream.reset',
        data: { reason: 'unknown_last_event_id' },
      })
      expect(reader.events.slice(1).map(({ id }) => id)).toEqual(all)
      reader.close()
    }
  })

  test('tells only the types that were asked for', async () => {
    const reader = await open(telling.gateway, { query: '?types=conversation.updated' })
    await writeAndTell(2)
    const { data } = await telling.read(firm, '/api/whatsapp/conversations')
    const path = `/api/whatsapp/conversations/${data[0].id}`
    await telling.change('PATCH', firm, path, { status: 'closed' })
    await telling.gateway.tellDue()

    await reader.untilTold(1)
    expect(reader.events.map(({ type }) => type)).toEqual(['conversation.updated'])
    reader.close()
    const answer = await telling.gateway.call('GET', '/api/whatsapp/events?types=all', {
      key: firm.key,
    })
    expect([answer.status, answer.json.error.details.fields[0].field]).toEqual([400, 'types'])
  })

  test('tells nobody what is another tenant’s, not even by its id', async () => {
    await writeAndTell()
    const [theirs] = (await allIds()).slice(-1)
    firm = await telling.createFirm()
    const reader = await open(telling.gateway, { lastEventId: theirs ?? '' })
    await writeAndTell()

    await reader.untilTold(2)
    expect(reader.events[0]?.type).toBe('stream.reset')
    for (const { data } of reader.events.slice(1)) expect(data.tenant_id).toBe(firm.id)
    reader.close()
  })

  test('is for those with a key, and for operators who say whose', async () => {
    const ask = (headers: Record<string, string>) =>
      telling.gateway.call('GET', '/api/whatsapp/events', { headers })

    expect((await ask({})).status).toBe(401)
    expect((await ask({ authorization: 'Bearer est_nobody' })).status).toBe(401)
    expect((await ask({ authorization: `Bearer ${operatorKey}` })).json.error.code).toBe(
      'TENANT_REQUIRED',
    )
  })

  test('is opened so many times per tenant, and again when one was closed', async () => {
    const readers = []
    for (let count = 0; count < 3; count++) readers.push(await open(telling.gateway))
    const refused = await telling.gateway.call('GET', '/api/whatsapp/events', { key: firm.key })
    expect([refused.status, refused.json.error.code]).toEqual([429, 'TOO_MANY_STREAMS'])
    expect(refused.headers.get('retry-after')).toBe('5')

    for (const reader of readers) reader.close()
    await until('there is room again', async () => {
      const reader = await open(telling.gateway)
      reader.close()
      return reader.status === 200
    })
  })

  test('shows that it is alive, and ends when its key is revoked', async () => {
    const reader = await open(telling.gateway)
    await until('a heart beats', () => {
      telling.clock.advance(15_000)
      telling.clock.runOut(pollMs)
      return reader.comments.includes('keep-alive')
    })
    const keys = await telling.gateway.call('GET', `/api/admin/tenants/${firm.id}/api-keys`, {
      key: operatorKey,
    })
    const path = `/api/admin/tenants/${firm.id}/api-keys/${keys.json.data[0].id}`
    await telling.gateway.call('DELETE', path, { key: operatorKey })

    await until('it ends', () => {
      telling.clock.advance(15_000)
      telling.clock.runOut(pollMs)
      return reader.isEnded()
    })
    expect(reader.events).toEqual([
      { id: undefined, type: 'stream.closed', data: { reason: 'unauthorized' } },
    ])
  })

  test('keeps nobody signed in: a page that is open is no person at work', async () => {
    const { gateway, clock } = telling
    const person = await seedPerson(gateway.db, { role: 'agent', tenantId: firm.id })
    await gateway.db.query(sql`
      update sessions
      set created_at = ${clock.now()}, last_seen_at = ${clock.now()}
      where person_id = ${uuidOf('usr', person.id)}`)
    const reader = await openStream(gateway.url, person.headers(new URL(gateway.url).host))
    expect(reader.status).toBe(200)
    clock.advance(5 * 60_000)
    await until('a heart beats', () => {
      clock.runOut(pollMs)
      return reader.comments.includes('keep-alive')
    })
    const [row] = await gateway.db.query(sql<{ is_untouched: boolean }>`
      select last_seen_at = created_at as is_untouched
      from sessions
      where person_id = ${uuidOf('usr', person.id)}`)
    expect(row?.is_untouched).toBe(true)
    clock.advance(26 * 60_000)
    await until('it ends', () => {
      clock.runOut(pollMs)
      return reader.isEnded()
    })
  })

  test('ends when its key is revoked, also for somebody who has a long way to catch up', async () => {
    await telling.gateway.db.query(sql`
      insert into events (tenant_id, type, lane, data)
      select ${firm.id}, 'message.status', 'lane', jsonb_build_object('count', n)
      from generate_series(1, 250) as n`)
    await telling.gateway.tellDue()
    const { runtime } = telling.gateway
    const written: string[] = []
    let last = ''
    const reader = createReader(
      {
        ...runtime,
        db: runtime.db.api,
        slowReaderMs: 1_000,
        heartbeatMs: 0,
        onClosed: () => undefined,
      },
      {
        tenantId: firm.id,
        sink: {
          write: (text) => written.push(text) > 0,
          drained: async () => true,
          end: (text) => {
            last = text
          },
          destroy: () => undefined,
        },
        types: null,
        after: null,
        isAllowed: async () => false,
      },
      0,
    )
    await reader.look(1_000)

    expect(written.length).toBeLessThan(250)
    expect(last).toContain('unauthorized')
  })

  test('ends when the gateway stops, which waits for nobody', async () => {
    const { db, databaseUrl: url } = telling.gateway
    const streams = await mountAlone({ slowReaderMs: 10_000 }, { url, db })
    const reader = await openStream(streams.url, firm.key)
    await streams.stop()

    await until('it ends', () => reader.isEnded())
  })
})

/** The stream on a server of its own. */
async function mountAlone(
  more: { slowReaderMs: number },
  { url: databaseUrl }: { url: string; db: unknown },
) {
  const { runtime } = telling.gateway
  const app = createHttpServer(runtime)
  closeWithFarewell(app, runtime.clock, 0)
  const streams = createEventStreams({
    ...runtime,
    db: runtime.db.api,
    databaseUrl,
    maxPerTenant: 10,
    ...more,
  })
  const authenticate = createAuthenticate(runtime.db.api, runtime.clock, [], async () => undefined)
  mountEventStream(
    app,
    { db: runtime.db.api, clock: runtime.clock, streams },
    {
      authenticate,
      isTenant: async () => true,
      limit: () => undefined,
      limitStrangers: () => undefined,
      admitInternal: async () => undefined,
    },
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  afterFile(async () => {
    await streams.stop()
    await app.close()
  })
  let socket: Socket | undefined
  app.server.on('connection', (opened) => {
    socket = opened
  })
  let looks = 0
  let sent = 0
  /** Nothing of what waits has left for a while. */
  const isStuck = () => {
    const isStill = (socket?.writableLength ?? 0) > 0 && socket?.bytesWritten === sent
    sent = socket?.bytesWritten ?? 0
    looks = isStill ? looks + 1 : 0
    return looks > 20
  }
  return { url, stop: streams.stop, close: () => app.close(), isStuck }
}

/** Far more than all the buffers between us and a reader hold. Returns the event before it. */
async function flood(): Promise<string> {
  await writeAndTell()
  const [first = ''] = (await allIds()).slice(-1)
  await telling.gateway.db.query(sql`
    insert into events (tenant_id, type, lane, data)
    select ${firm.id}, 'message.status', 'lane', jsonb_build_object('filler', repeat('x', 20000))
    from generate_series(1, 1500)`)
  await telling.gateway.tellDue()
  return first
}

/** Asks for the stream, and reads nothing of it. Resolves when the answer began. */
async function neglect(url: string, lastEventId: string): Promise<void> {
  const call = request(`${url}/api/whatsapp/events`, {
    headers: { authorization: `Bearer ${firm.key}`, 'last-event-id': lastEventId },
  })
  call.on('error', () => undefined)
  await new Promise<void>((resolve) => {
    call.on('response', (response) => {
      response.pause()
      response.on('error', () => undefined)
      resolve()
    })
    call.end()
  })
}

describe('a reader who does not read', () => {
  const slowReaderMs = 90_000

  test('is cut, and holds up no other', async () => {
    const { db, databaseUrl: url } = telling.gateway
    const streams = await mountAlone({ slowReaderMs }, { url, db })
    const first = await flood()
    await neglect(streams.url, first)
    const reader = await openStream(streams.url, firm.key, { lastEventId: first })
    await reader.untilTold(1500)

    const line = await until('it is cut', () => {
      // Its patience with whoever still has something to read is over.
      telling.clock.runOut(slowReaderMs)
      return telling.gateway
        .logText()
        .split('\n')
        .find((text) => text.includes('event_stream_cut') && text.includes('slow'))
    })
    expect(JSON.parse(line)).toMatchObject({ reason: 'slow', tenant_id: firm.id })
    expect(reader.isEnded()).toBe(false)
    reader.close()
  })

  test('does not hold up the end of the gateway', async () => {
    const { db, databaseUrl: url } = telling.gateway
    const streams = await mountAlone({ slowReaderMs: 600_000 }, { url, db })
    await neglect(streams.url, await flood())
    await until('its buffers are full', streams.isStuck)

    await streams.stop()
    await streams.close()
  })
})
