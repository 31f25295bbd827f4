// With a collector: one trace from a webhook to its reply to its statuses, told by two processes; and nothing personal in it.
import { beforeAll, describe, expect, test } from 'vitest'
import { hashForLog, logHashKey } from '../../src/log.ts'
import { traceLife } from '../../src/ops/trace.ts'
import { attributeNames } from '../../src/tracing/span.ts'
import { correlationIdOf } from '../../src/tracing/span-ids.ts'
import { canary, findLeaks } from '../support/canaries.ts'
import { seed } from '../support/chance.ts'
import { type CollectedSpan, type Collector, startCollector } from '../support/collector.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { payload, statusUpdate, textMessage } from '../support/payloads.ts'
import { until } from '../support/program.ts'
import { startScriptedMeta } from '../support/scripted-meta.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'
import { endpointsPath } from '../support/telling.ts'

const canaries = ['phone number', 'name', 'question', 'answer', 'callback data', 'reference'].map(
  (what) => canary(what, seed),
)
const personal = (what: string) => canary(what, seed).text
const phone = personal('phone number')

let collector: Collector
let world: Sending
/** Another process over the same database: what it does belongs to the same traces. */
let other: TestGateway
let firm: Firm
let app: EventReceiver

beforeAll(async () => {
  collector = await startCollector()
  world = await startSending({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  other = await startTestGateway({
    environment: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
      OTEL_SERVICE_NAME: 'estafet-worker',
      META_GRAPH_URL: (await startScriptedMeta()).url,
    },
    clock: world.clock,
    database: { url: world.gateway.databaseUrl, db: world.gateway.db },
  })
  firm = await world.createFirm('Firm A')
  canaries.push({ what: 'access token', text: firm.accessToken })
  app = await startEventReceiver()
})

const call = (method: string, path: string, body?: unknown) =>
  world.gateway.call(method, path, { key: firm.key, ...(body !== undefined && { body }) })

async function accountId(): Promise<string> {
  return (await call('GET', '/api/whatsapp/accounts')).json.data[0].id
}

/** Somebody writes; the first process takes it, the other one applies it. Returns the story's trace. */
async function write(wamid: string): Promise<string> {
  const timestamp = String(Math.floor(world.clock.now().getTime() / 1000))
  const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
  const messages = [textMessage(wamid, personal('question'), { from: phone, timestamp })]
  const contacts = [{ profile: { name: personal('name') }, wa_id: phone }]
  await world.gateway.deliver(payload({ number, contacts, messages }))
  await other.drain()
  const { trace_ids } = await traceLife(world.gateway.db, wamid, [])
  return trace_ids[0] ?? ''
}

/** Waits until the trace has this form: a line a span, those of one parent in alphabetical order. */
async function untilTold(traceId: string, tree: string): Promise<CollectedSpan[]> {
  const wanted = tree.replace(/^\n|\n\s*$/g, '').replace(/^ {6}/gm, '')
  const count = wanted.split('\n').length
  await until('the trace is whole', () => collector.trace(traceId).length >= count)
  const spans = collector.trace(traceId)
  expect(treeOf(spans)).toBe(wanted)
  return spans
}

function treeOf(spans: CollectedSpan[]): string {
  const under = (parent: string, depth: number): string[] =>
    spans
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .map((span) => ({ span, line: '  '.repeat(depth) + lineOf(span) }))
      .sort((a, b) => (a.line < b.line ? -1 : 1))
      .flatMap(({ span, line }) => [line, ...under(span.spanId, depth + 1)])
  const lines = under('', 0)
  const lost = spans.length - lines.length
  return [...lines, ...(lost > 0 ? [`${lost} without a parent`] : [])].join('\n')
}

function lineOf({ name, attributes }: CollectedSpan): string {
  const told = ['attempt', 'event_type', 'kind', 'state'].flatMap(
    (key) => attributes[`estafet.${key}`] ?? [],
  )
  return [name, ...told, attributes['http.response.status_code'] ?? []].flat().join(' ')
}

describe('a webhook that an application answers', () => {
  let traceId: string
  let spans: CollectedSpan[]
  const wamid = `wamid.${Buffer.from(phone).toString('base64')}`

  beforeAll(async () => {
    await call('POST', endpointsPath, {
      url: app.url,
      events: ['message.received', 'message.status', 'dead_letter.created'],
      responder_for: [await accountId()],
    })
    const reply = {
      type: 'text',
      text: { body: personal('answer') },
      biz_opaque_callback_data: personal('callback data'),
      client_reference: personal('reference'),
    }
    app.react(({ event }) =>
      event.type === 'message.received' ? { body: JSON.stringify({ messages: [reply] }) } : {},
    )
    traceId = await write(wamid)
    await other.tellDue()
    world.fault({ fault: 'error', code: 131000, count: 1 })
    await world.gateway.sendDue()
    await world.sendWhatWaits()
    await world.hearMeta()
    app.react({ status: 503 })
    await other.tellDue()
    spans = await untilTold(
      traceId,
      `
      receive 200
        process 1 inbound_message done
          record text
            deliver 1 message.received done 200
              queue responder
                deliver 1 message.status pending 503
                send 1 transient pending
                  post 1 transient 500
                send 2 accepted done
                  post 2 accepted 200
                  status delivered
                  status read
                  status sent`,
    )
  })

  test('is one trace, whose id is the correlation id, told by both processes', () => {
    const correlationId = correlationIdOf(traceId)
    for (const { attributes } of spans) {
      expect(attributes['estafet.correlation_id']).toBe(correlationId)
    }
    const names = spans.map(({ resource }) => resource['service.name'])
    expect(new Set(names)).toEqual(new Set(['estafet', 'estafet-worker']))
    expect(new Set(spans.map(({ resource }) => resource['service.instance.id'])).size).toBe(2)
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length)
    expect(
      spans
        .filter(({ isError }) => isError)
        .map(lineOf)
        .sort(),
    ).toEqual([
      'deliver 1 message.status pending 503',
      'post 1 transient 500',
      'send 1 transient pending',
    ])
  })

  test('goes on when the endpoint takes it at last', async () => {
    app.react({})
    await world.gateway.db.session((session) =>
      session.script(`
        update event_deliveries set next_run_at = now() where status = 'pending';
        update event_queues set next_at = now(), hold_until = '-infinity';
        update event_tenants set next_at = now()`),
    )
    await other.tellDue()
    const told = await until('the last one is told', () => {
      const found = collector.trace(traceId).filter((one) => lineOf(one).includes('status done'))
      return found.length >= 2 && found
    })
    const parents = told.map(({ parentSpanId }) => spans.find((it) => it.spanId === parentSpanId))
    // That Meta took it is told of the message, that it was read by the status which said so.
    expect(parents.map((parent) => parent && lineOf(parent)).sort()).toEqual([
      'queue responder',
      'status read',
    ])
  })

  test('has its statuses linked with the webhooks that brought them', () => {
    const statuses = spans.filter(({ name }) => name === 'status')
    for (const { links, spanId } of statuses) {
      const [link] = links
      const brought = collector.trace(link?.traceId ?? '')
      expect(brought.map(({ name }) => name).sort()).toEqual(['process', 'receive'])
      const process = brought.find((one) => one.spanId === link?.spanId)
      expect(process?.links).toContainEqual({ traceId, spanId })
    }
    expect(statuses).toHaveLength(3)
  })

  test('is given to the application as its own spans’ parent', () => {
    const received = app.calls.find(({ event }) => event.type === 'message.received')
    const deliver = spans.find((one) => lineOf(one).startsWith('deliver 1 message.received'))
    expect(received?.headers.traceparent).toBe(`00-${traceId}-${deliver?.spanId}-01`)
    expect(JSON.stringify(world.simulator.ledger().requests)).not.toContain('traceparent')
  })

  test('names what is personal by the hash that the log has', () => {
    const [key] = world.gateway.runtime.config.encryptionKeys
    const record = spans.find(({ name }) => name === 'record')
    const hash = hashForLog(logHashKey(key?.key ?? Buffer.alloc(0)), wamid)
    expect(record?.attributes['estafet.wamid']).toBe(hash)
  })

  test('is the story that `estafet trace` tells of the same id', async () => {
    for (const asked of [traceId, correlationIdOf(traceId) ?? '']) {
      const { life, trace_ids } = await traceLife(world.gateway.db, asked, [])
      expect(trace_ids).toEqual([traceId])
      const steps = new Set(life.flatMap(({ step }) => step ?? []))
      expect(steps).toEqual(new Set(spans.map(({ name }) => name)))
      expect(life.filter(({ step }) => step === 'status')).toHaveLength(3)
      expect(life.filter(({ step }) => step === 'post')).toHaveLength(2)
    }
  })
})

describe('other beginnings', () => {
  test('an automatic reply hangs under the message that it answers', async () => {
    const path = `/api/whatsapp/accounts/${await accountId()}`
    await call('PATCH', path, { responder: 'auto_reply', auto_reply_text: personal('answer') })
    const traceId = await write('wamid.automatic')
    await call('PATCH', path, { responder: 'off' })
    await world.gateway.sendDue()
    await untilTold(
      traceId,
      `
      receive 200
        process 1 inbound_message done
          record text
            queue automatic
              send 1 accepted done
                post 1 accepted 200`,
    )
  })

  test('a message of the application begins a trace of its own, linked with the caller’s', async () => {
    const customer = await world.customerOf(firm)
    const caller = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
    const send = async (traceparent: string) => {
      const answer = await world.gateway.call('POST', '/api/whatsapp/meta/send', {
        key: firm.key,
        headers: { traceparent },
        body: { to: `+${customer}`, type: 'text', text: { body: personal('answer') } },
      })
      expect(answer.status).toBe(202)
      const { trace_ids } = await traceLife(world.gateway.db, answer.json.message_id, [])
      return trace_ids[0] ?? ''
    }
    const traceId = await send(`00-${caller.traceId}-${caller.spanId}-01`)
    await world.gateway.sendDue()
    const tree = `
      queue api
        send 1 accepted done
          post 1 accepted 200`
    expect((await untilTold(traceId, tree)).flatMap(({ links }) => links)).toEqual([caller])
    const odd = await send(`00-${personal('reference')}-x`)
    await world.gateway.sendDue()
    expect((await untilTold(odd, tree)).flatMap(({ links }) => links)).toEqual([])
  })

  test('a status that came before its message had a name is told when it has one', async () => {
    const customer = await world.customerOf(firm)
    const sent = await world.send(firm, customer)
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const status = statusUpdate('wamid.accepted-1', 'delivered', { recipient_id: customer })
    await world.gateway.deliver(payload({ number, statuses: [status] }))
    await other.drain()
    await other.sendDue()
    const { trace_ids } = await traceLife(world.gateway.db, sent, [])
    await untilTold(
      trace_ids[0] ?? '',
      `
      queue api
        send 1 accepted done
          post 1 accepted 200
          status delivered`,
    )
  })

  test('a dead letter is told under the webhook that brought it', async () => {
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const torn = { from: phone, type: 'text', text: { body: personal('question') } }
    app.react({})
    await world.gateway.deliver(payload({ number, messages: [torn] }))
    await other.drain()
    await other.tellDue()
    const { json } = await call('GET', '/api/whatsapp/dlq')
    const { trace_ids } = await traceLife(world.gateway.db, json.data[0].id, [])
    await untilTold(
      trace_ids[0] ?? '',
      `
      receive 200
        deliver 1 dead_letter.created done 200
        process 1 done`,
    )
  })

  test('an attempt to process that failed stands beside the next one', async () => {
    await world.gateway.db.session((session) =>
      session.script(`
        create function lose_a_race() returns trigger language plpgsql as $$ begin
          raise exception 'somebody was faster' using errcode = '40001'; end $$;
        create trigger lose_a_race before insert on whatsapp_messages
          for each row when (new.wamid = 'wamid.twice') execute function lose_a_race()`),
    )
    await write('wamid.twice').catch(() => undefined)
    await world.gateway.db.session((session) =>
      session.script('drop trigger lose_a_race on whatsapp_messages'),
    )
    await other.drain({ queueNow: () => new Date(Date.now() + 600_000) })
    const { trace_ids } = await traceLife(world.gateway.db, 'wamid.twice', [])
    const spans = await untilTold(
      trace_ids[0] ?? '',
      `
      receive 200
        process 1 retried
        process 2 inbound_message done
          record text`,
    )
    expect(spans.find(({ isError }) => isError)?.attributes['error.type']).toBe('PG_40001')
  })
})

test('all of them say little, from a closed list, and nothing personal', () => {
  const allowed = new Set<string>(Object.values(attributeNames))
  for (const { attributes, resource } of collector.spans()) {
    expect(Object.keys(attributes).filter((name) => !allowed.has(name))).toEqual([])
    expect(Object.keys(resource).sort()).toEqual([
      'service.instance.id',
      'service.name',
      'service.version',
    ])
  }
  expect(findLeaks(canaries, collector.text())).toEqual([])
})
