import { Webhook } from 'standardwebhooks'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import { changeEndpoint, replayEvents } from '../../src/events/manage.ts'
import { expectNone } from '../support/canaries.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import {
  type Endpoint,
  endpointsPath,
  startTelling,
  type Telling,
  type TellingFirm,
  writtenText,
} from '../support/telling.ts'

let telling: Telling
/** The library goes by the real time. */
let onTime: Telling
let firm: TellingFirm
let app: EventReceiver

beforeAll(async () => {
  telling = await startTelling()
  onTime = await startTelling({}, { isOnTime: true })
})
beforeEach(async () => {
  firm = await telling.createFirm()
  app = await startEventReceiver()
})

/** What the public library makes of a call; throws as it does. */
function verify(secret: string, call = app.calls.at(-1)) {
  if (!call) throw new Error('nothing was delivered')
  return new Webhook(secret).verify(call.raw, call.headers as Record<string, string>)
}

async function writeAndTell(from = '16505550171') {
  await telling.write(firm, from)
  await telling.gateway.tellDue()
}

async function deliverOnTime(
  change?: (endpoint: Endpoint, firm: TellingFirm) => Promise<void>,
  ageMs = 0,
) {
  // The gateway's clock stands still, and the library refuses what is five minutes old: a busy machine may take that long.
  onTime.clock.jump(Date.now() - ageMs - onTime.clock.now().getTime())
  const own = await onTime.createFirm()
  const endpoint = await onTime.createEndpoint(own, app.url)
  await change?.(endpoint, own)
  await onTime.write(own, '16505550170')
  await onTime.gateway.tellDue()
  return endpoint
}

describe('an event that is delivered', () => {
  test('is accepted by a public Standard Webhooks library, and refused when it was tampered with', async () => {
    const { secret } = await deliverOnTime()

    const [call] = app.calls
    expect(verify(secret)).toEqual(call?.event)
    expect(call?.headers['webhook-id']).toBe(call?.event.id)
    if (!call) throw new Error('nothing was delivered')
    const tampered = [
      { ...call, raw: call.raw.replace('message.received', 'message.receiveD') },
      { ...call, raw: `${call.raw} ` },
      { ...call, headers: { ...call.headers, 'webhook-id': `${call.event.id}0` } },
      {
        ...call,
        headers: {
          ...call.headers,
          'webhook-timestamp': String(Number(call.headers['webhook-timestamp']) + 1),
        },
      },
    ]
    for (const one of tampered) {
      expect(() => verify(secret, one)).toThrow('No matching signature found')
    }
    const { secret: another } = await telling.createEndpoint(firm, app.url)
    expect(() => verify(another)).toThrow('No matching signature found')
  })

  test('is refused when it is old: the time is signed', async () => {
    const { secret } = await deliverOnTime(undefined, 6 * 60_000)

    expect(() => verify(secret)).toThrow('Message timestamp too old')
  })

  test('is small, says what it is about, and holds nothing of what was written', async () => {
    await telling.createEndpoint(firm, app.url)
    await writeAndTell('16505550172')

    const [call] = app.calls
    const { event } = call ?? {}
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'message.received',
      version: 1,
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      tenant_id: firm.id,
      data: {
        message_id: expect.stringMatching(/^msg_/),
        conversation_id: expect.stringMatching(/^conv_/),
        phone_number_id: firm.phoneNumberId,
        message_type: 'text',
        occurred_at: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    })
    expectNone(call?.raw, writtenText, '16505550172')
    expect(call?.raw.length).toBeLessThan(600)
    const message = await telling.read(firm, `/api/whatsapp/messages/${event.data.message_id}`)
    expect(message.content.text.body).toContain(writtenText)
  })

  test('has a fresh timestamp and the same id and body at every attempt', async () => {
    const { secret } = await telling.createEndpoint(firm, app.url)
    app.react({ status: 500 })
    await writeAndTell()
    app.react({})
    await telling.pass(60_000)

    const [first, second] = app.calls
    expect(app.calls).toHaveLength(2)
    expect(second?.raw).toBe(first?.raw)
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(Number(second?.headers['webhook-timestamp'])).toBe(
      Number(first?.headers['webhook-timestamp']) + 60,
    )
    const at = new Date(Number(second?.headers['webhook-timestamp']) * 1000)
    expect(second?.headers['webhook-signature']).toBe(
      new Webhook(secret).sign(second?.event.id, at, second?.raw ?? ''),
    )
  })
})

describe('a secret', () => {
  test('is shown when it is made, and never again', async () => {
    const { id, secret } = await telling.createEndpoint(firm, app.url)

    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    const part = secret.slice('whsec_'.length, 30)
    for (const path of [endpointsPath, `${endpointsPath}/${id}`, '/api/whatsapp/audit']) {
      expectNone(JSON.stringify(await telling.read(firm, path)), part)
    }
    const rows = await telling.gateway.db.query(
      sql`select to_jsonb(e) as row from event_endpoints e`,
    )
    expectNone(JSON.stringify(rows), part)
    expectNone(telling.gateway.logText(), part)
  })

  test('that is replaced signs together with the new one until its time is over', async () => {
    let secret = ''
    let own: TellingFirm | undefined
    const { secret: old } = await deliverOnTime(async ({ id }, owner) => {
      const path = `${endpointsPath}/${id}/rotate-secret?overlap_hours=0.01`
      secret = (await onTime.change('POST', owner, path)).secret
      own = owner
    })

    expect(String(app.calls[0]?.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(verify(old)).toEqual(verify(secret))

    onTime.clock.advance(37_000)
    await onTime.write(own as TellingFirm, '16505550170')
    await onTime.gateway.tellDue()
    expect(app.calls).toHaveLength(2)
    expect(verify(secret)).toBeDefined()
    expect(() => verify(old)).toThrow('No matching signature found')
  })

  test('that leaked can be replaced at once', async () => {
    let secret = ''
    const { secret: old } = await deliverOnTime(async ({ id }, owner) => {
      const path = `${endpointsPath}/${id}/rotate-secret?overlap_hours=0`
      const rotated = await onTime.change('POST', owner, path)
      expect(rotated.old_secret_until).toBeNull()
      secret = rotated.secret
    })

    expect(verify(secret)).toBeDefined()
    expect(() => verify(old)).toThrow('No matching signature found')
  })
})

describe('an endpoint', () => {
  test('hears what it asked for, and nothing of another tenant', async () => {
    const other = await telling.createFirm()
    const theirs = await startEventReceiver()
    await telling.createEndpoint(other, theirs.url, { events: ['*'] })
    await telling.createEndpoint(firm, app.url, { events: ['conversation.updated'] })
    await writeAndTell()
    const { data } = await telling.read(firm, '/api/whatsapp/conversations')
    const path = `/api/whatsapp/conversations/${data[0].id}`
    await telling.change('PATCH', firm, path, { status: 'closed' })
    await telling.gateway.tellDue()

    expect(app.types()).toEqual(['conversation.updated'])
    expect(app.calls[0]?.event.data).toMatchObject({ changed: ['status'], status: 'closed' })
    expect(theirs.calls).toEqual([])
  })

  test('that is paused hears later what happened meanwhile, in order', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    await telling.change('PATCH', firm, `${endpointsPath}/${id}`, { status: 'paused' })
    for (const _ of [1, 2, 3]) await writeAndTell()
    expect(app.calls).toEqual([])
    expect(await telling.read(firm, `${endpointsPath}/${id}`)).toMatchObject({
      status: 'paused',
      pending_count: 3,
    })

    await telling.change('PATCH', firm, `${endpointsPath}/${id}`, { status: 'active' })
    await telling.gateway.tellDue()

    const times = app.calls.map(({ event }) => event.timestamp)
    expect(times).toHaveLength(3)
    expect([...times].sort()).toEqual(times)
  })

  test('stays paused when something else of it is changed at the same moment', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    const { runtime } = telling.gateway
    const db = runtime.db.api
    let isPaused = false
    const meeting: Db = {
      ...db,
      transaction: (work) =>
        db.transaction((tx) =>
          work({
            query: async (statement) => {
              // After it was read, and before anything is locked.
              if (!isPaused && statement.text.includes('audit_chains')) {
                isPaused = true
                await telling.change('PATCH', firm, `${endpointsPath}/${id}`, { status: 'paused' })
              }
              return tx.query(statement)
            },
          }),
        ),
    }
    const manager = { ...runtime, db: meeting, allowPrivateTargets: true }
    const by = { tenantId: firm.id, actor: 'somebody' }
    const row = await changeEndpoint(manager, by, id, { description: 'ours' })

    expect(isPaused).toBe(true)
    expect(row).toMatchObject({ status: 'paused', description: 'ours' })
    await telling.change('PATCH', firm, `${endpointsPath}/${id}`, { status: 'active' })
    await writeAndTell()
    expect(app.calls).toHaveLength(1)
  })

  test('can be tested, whatever it asked for; others do not hear of it', async () => {
    const another = await startEventReceiver()
    await telling.createEndpoint(firm, another.url, { events: ['*'] })
    const { id } = await telling.createEndpoint(firm, app.url, { events: ['template.updated'] })
    const { event_id } = await telling.change('POST', firm, `${endpointsPath}/${id}/test`)
    await telling.gateway.tellDue()

    expect(app.calls.map(({ event }) => [event.id, event.type])).toEqual([
      [event_id, 'event_endpoint.test'],
    ])
    expect(another.types()).not.toContain('event_endpoint.test')

    await telling.change('PATCH', firm, `${endpointsPath}/${id}`, { status: 'paused' })
    const refused = await telling.gateway.call('POST', `${endpointsPath}/${id}/test`, {
      key: firm.key,
    })
    expect([refused.status, refused.json.error.code]).toEqual([409, 'EVENT_ENDPOINT_NOT_ACTIVE'])
  })

  test('that is deleted hears nothing more, and what waited for it is gone', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    app.react({ status: 500 })
    await writeAndTell()
    await telling.change('DELETE', firm, `${endpointsPath}/${id}`)
    await telling.pass(3_600_000)
    await writeAndTell()

    expect(app.calls).toHaveLength(1)
    expect((await telling.read(firm, endpointsPath)).data).toEqual([])
  })

  test('of which there are twenty is enough', async () => {
    for (let count = 0; count < 20; count++) await telling.createEndpoint(firm, app.url)
    const answer = await telling.gateway.call('POST', endpointsPath, {
      key: firm.key,
      body: { url: app.url },
    })

    expect([answer.status, answer.json.error.code]).toEqual([409, 'TOO_MANY_ENDPOINTS'])
  })

  test('leaves what was done to it in the audit', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    const path = `${endpointsPath}/${id}`
    await telling.change('PATCH', firm, path, { status: 'paused' })
    await telling.change('PATCH', firm, path, { status: 'paused' })
    await telling.change('POST', firm, `${path}/rotate-secret`)
    await telling.change('POST', firm, `${path}/replay`, { from: '2020-01-01T00:00:00Z' })
    await telling.change('DELETE', firm, path)

    const { data } = await telling.read(firm, '/api/whatsapp/audit')
    const acts = data.filter(({ subject }: { subject: string }) => subject === id)
    expect(acts.map(({ action }: { action: string }) => action)).toEqual([
      'event_endpoint.deleted',
      'event_endpoint.replayed',
      'event_endpoint.secret_rotated',
      'event_endpoint.changed',
      'event_endpoint.created',
    ])
  })
})

describe('a delivery', () => {
  test('shows every attempt with its status and how long it took', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    app.react({ status: 503, body: `the disk is full${'\0'} ${'x'.repeat(1000)}` })
    await writeAndTell()
    app.react({ cuts: true })
    await telling.pass(10_000)
    app.react({ status: 200, body: 'kept' })
    await telling.pass(120_000)

    const { data } = await telling.read(firm, `${endpointsPath}/${id}/deliveries`)
    expect(data).toMatchObject([
      {
        event_type: 'message.received',
        status: 'done',
        attempts: 2,
        next_attempt_at: null,
        status_code: 200,
        duration_ms: expect.any(Number),
      },
    ])
    const path = `${endpointsPath}/${id}/deliveries/${data[0].event_id}`
    const delivery = await telling.read(firm, path)
    expect(delivery.event).toEqual(app.calls[0]?.event)
    const time = expect.stringMatching(/Z$/)
    const attempt = { started_at: time, finished_at: time, duration_ms: expect.any(Number) }
    expect(delivery.attempt_log).toEqual([
      {
        ...attempt,
        status_code: 503,
        error_code: 'HTTP_503',
        answer: expect.stringMatching(/^the disk is full x{483}$/),
      },
      {
        ...attempt,
        status_code: null,
        error_code: expect.stringMatching(/^[A-Z_]+$/),
        answer: null,
      },
      { ...attempt, status_code: 200, error_code: null, answer: null },
    ])
  })

  test('is paged, the latest event first', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    await telling.write(firm, '16505550173', 5)
    await telling.gateway.tellDue()

    const seen: string[] = []
    for (let after = ''; ; ) {
      const path = `${endpointsPath}/${id}/deliveries?limit=2${after}`
      const page = await telling.read(firm, path)
      seen.push(...page.data.map(({ event_id }: { event_id: string }) => event_id))
      if (page.paging.next === null) break
      after = `&after=${page.paging.next}`
    }
    expect(seen).toEqual(app.calls.map(({ event }) => event.id).reverse())
  })

  test('is made again on request, by time or by id, in the old order and before what is new', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    await telling.write(firm, '16505550174', 3)
    await telling.gateway.tellDue()
    const told = app.calls.map(({ event }) => event.id)
    const replay = (body: unknown) =>
      telling.change('POST', firm, `${endpointsPath}/${id}/replay`, body)

    // One more waits already when the others come back.
    await telling.write(firm, '16505550174')
    await telling.gateway.db.query(sql`select events_route(100, 100)`)
    const since = app.calls[0]?.event.timestamp
    const counted = { replayed: 3, has_more: false, next: null }
    expect(await replay({ from: since, dry_run: true })).toEqual(counted)
    expect(await replay({ from: since })).toEqual(counted)
    expect(await replay({ from: since, dry_run: true })).toMatchObject({ replayed: 0 })
    await telling.gateway.tellDue()
    expect(app.calls.map(({ event }) => event.id)).toEqual([...told, ...told, expect.any(String)])

    app.calls.length = 0
    expect(await replay({ event_ids: [told[1]] })).toMatchObject({ replayed: 1 })
    await telling.gateway.tellDue()
    expect(app.calls.map(({ event }) => event.id)).toEqual([told[1]])

    expect(await replay({ from: since, only_failed: true })).toMatchObject({ replayed: 0 })
    expect(await replay({ from: since, to: since.replace(/^20/, '19') })).toMatchObject({
      replayed: 0,
    })
  })

  test('of more than one call takes goes on where the call before ended', async () => {
    const { id } = await telling.createEndpoint(firm, app.url)
    await telling.write(firm, '16505550174', 3)
    await telling.gateway.tellDue()
    const told = app.calls.map(({ event }) => event.id)
    app.calls.length = 0
    const { runtime } = telling.gateway
    const manager = { ...runtime, db: runtime.db.api, allowPrivateTargets: true }
    const by = { tenantId: firm.id, actor: 'test' }
    const all = { from: '2020-01-01T00:00:00Z', only_failed: false }
    const replay = (dry_run: boolean, after?: string) =>
      replayEvents(manager, by, id, { ...all, dry_run, after }, 2)

    const counted = await replay(true)
    expect(counted).toEqual({ replayed: 2, has_more: true, next: expect.any(String) })
    const first = await replay(false)
    expect(first).toEqual(counted)
    // They are done by then, and could be replayed again.
    await telling.gateway.tellDue()
    expect(app.calls.map(({ event }) => event.id)).toEqual(told.slice(0, 2))
    const last = { replayed: 1, has_more: false, next: null }
    expect(await replay(false, first.next ?? '')).toEqual(last)
    await telling.gateway.tellDue()
    expect(app.calls.map(({ event }) => event.id)).toEqual(told)

    const path = `${endpointsPath}/${id}/replay`
    const call = (after: string | null) =>
      telling.gateway.call('POST', path, {
        key: firm.key,
        body: { from: all.from, dry_run: true, after },
      })
    expect((await call(first.next)).json).toEqual(last)
    expect((await call('bm9uc2Vuc2U')).json.error.code).toBe('INVALID_CURSOR')
  })

  test('of what happened before an endpoint was there is made on request too', async () => {
    await writeAndTell()
    const { id } = await telling.createEndpoint(firm, app.url)
    const path = `${endpointsPath}/${id}/replay`
    await telling.change('POST', firm, path, { from: '2020-01-01T00:00:00Z' })
    await telling.gateway.tellDue()

    expect(app.types()).toEqual(['message.received'])
  })
})
