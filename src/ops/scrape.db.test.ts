// What Prometheus is answered: complete, honest when the database is away, bounded, and cheap however often it asks.
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { createTestClock } from '../../test/support/clock.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
} from '../../test/support/gateway.ts'
import { payload, statusUpdate, textMessage } from '../../test/support/payloads.ts'
import { type Db, sql } from '../db/connect.ts'
import { sampleBacklogs } from './backlog.ts'
import { createScrape, type ScrapeOptions } from './scrape.ts'

const clock = createTestClock()
let gateway: TestGateway
let a: TestTenant
let b: TestTenant

const scrape = async () => {
  clock.advance(1_000)
  return (await gateway.call('GET', '/metrics', { key: operatorKey })).text
}
const valueIn = (text: string, series: string) => {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}
const receive = (number: { waba_id: string; phone_number_id: string }, ...ids: string[]) =>
  gateway.deliver(payload({ number, messages: ids.map((id) => textMessage(id, 'hello')) }))

function optionsWith(more: Partial<ScrapeOptions>): ScrapeOptions {
  const terms = {
    deadLetterThreshold: 0,
    tokenWarningDays: 7,
    maxTenants: 0,
    setMore: async () => undefined,
  }
  return { ...gateway.runtime, ...terms, ...more }
}

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
  a = await gateway.createTenant('Firm A', tenantANumber)
  b = await gateway.createTenant('Firm B', tenantBNumber)
})

describe('a scrape, in this order', () => {
  test('shows every counter and every state from the start, as 0', async () => {
    const text = await scrape()
    for (const series of [
      'estafet_webhook_requests_total{outcome="bad_signature"}',
      'estafet_dedupe_hits_total{layer="item"}',
      'estafet_rate_limits_total{scope="pair"}',
      'estafet_reconciliations_total{outcome="given_up"}',
      'estafet_circuit_changes_total{scope="host",change="opened"}',
      'estafet_sends_waiting{state="throttled"}',
      'estafet_dead_letters_open{kind="unknown"}',
      'estafet_circuits_open{scope="number"}',
    ]) {
      expect([series, valueIn(text, series)]).toEqual([series, 0])
    }
    expect(text).toContain('nodejs_eventloop_lag_p99_seconds')
    expect(text).toContain('process_resident_memory_bytes')
    expect(valueIn(text, 'estafet_accounts{state="ok"}')).toBe(2)
    // Nobody has looked yet, and 0 would say that it adds up.
    expect(text).not.toContain('estafet_accounting_difference{')
  })

  test('tells what waits, by state and age', async () => {
    await receive(tenantANumber, 'wamid.1', 'wamid.2')
    clock.advance(9_000)
    const text = await scrape()
    expect(valueIn(text, 'estafet_events_waiting{state="runnable"}')).toBe(1)
    expect(valueIn(text, 'estafet_events_oldest_seconds{state="runnable"}')).toBe(10)
    expect(valueIn(text, 'estafet_events_waiting{state="processing"}')).toBe(0)
  })

  test('tells what came again, at every layer', async () => {
    await receive(tenantANumber, 'wamid.1', 'wamid.2')
    await receive(tenantANumber, 'wamid.2', 'wamid.3')
    await gateway.drain()
    const send = () =>
      gateway.call('POST', '/api/whatsapp/meta/send', {
        key: a.key,
        body: {
          to: '16505550199',
          type: 'template',
          template: { name: 'hi', language: { code: 'en' } },
        },
        headers: { 'idempotency-key': 'once' },
      })
    expect([(await send()).status, (await send()).status]).toEqual([202, 202])

    const text = await scrape()
    expect(valueIn(text, 'estafet_dedupe_hits_total{layer="delivery"}')).toBe(1)
    expect(valueIn(text, 'estafet_dedupe_hits_total{layer="item"}')).toBe(1)
    expect(valueIn(text, 'estafet_dedupe_hits_total{layer="request"}')).toBe(1)
    expect(valueIn(text, 'estafet_events_processed_total{outcome="done"}')).toBe(2)
    expect(valueIn(text, 'estafet_inbound_processing_seconds_count')).toBe(2)
    expect(valueIn(text, 'estafet_sends_waiting{state="runnable"}')).toBe(1)
  })

  test('tells the pools', async () => {
    const text = await scrape()
    expect(valueIn(text, 'estafet_pool_size{pool="receive"}')).toBe(5)
    expect(valueIn(text, 'estafet_pool_waiting{pool="api"}')).toBe(0)
    expect(
      Number(valueIn(text, 'estafet_pool_connections{pool="api",state="used"}')) +
        Number(valueIn(text, 'estafet_pool_connections{pool="api",state="idle"}')),
    ).toBeGreaterThan(0)
  })

  test('asks the database once a second at most, whoever asks', async () => {
    let looks = 0
    const api: Db = {
      ...gateway.runtime.db.api,
      query: (statement) => {
        if (statement.text.includes('from tenants')) looks++
        return gateway.runtime.db.api.query(statement)
      },
    }
    const { text } = createScrape(optionsWith({ db: { ...gateway.runtime.db, api } }))
    await Promise.all([text(), text(), text()])
    await text()
    expect(looks).toBe(1)
    clock.advance(1_000)
    await text()
    expect(looks).toBe(2)
  })

  test('leaves out what the database would have to tell when that is away', async () => {
    const gone = { ...gateway.runtime.db.api, query: () => Promise.reject(new Error('away')) }
    const options = optionsWith({ db: { ...gateway.runtime.db, api: gone } })
    const text = await createScrape(options).text()
    expect(text).toContain('estafet_webhook_requests_total{outcome="accepted"} 2')
    expect(text).not.toContain('estafet_sends_waiting')
    expect(gateway.logText()).toContain('"event":"metrics_incomplete"')
  })
})

test('a process without the API is scraped too: what a worker counts is nobody else’s', async () => {
  const other = await startTestGateway({
    clock,
    environment: { ROLES: 'console' },
    database: { url: gateway.databaseUrl, db: gateway.db },
  })
  const answer = await fetch(`${other.url}/metrics`, {
    headers: { authorization: `Bearer ${operatorKey}` },
  })
  expect(await answer.text()).toContain('estafet_sends_total')
  expect((await fetch(`${other.url}/metrics`)).status).toBe(401)
})

describe('the accounting', () => {
  const sample = async () => {
    clock.advance(30_000)
    await sampleBacklogs({ ...gateway.runtime, db: gateway.runtime.db.work })
    return scrape()
  }

  test('adds up in a sample, both ways', async () => {
    await gateway.deliver(
      payload({ number: tenantANumber, statuses: [statusUpdate('wamid.x', 'sent')] }),
    )
    await gateway.deliver(payload({ number: tenantANumber, messages: [{ type: 'text' }] }))
    await gateway.drain()
    const text = await sample()
    const part = (ledger: string, name: string) =>
      valueIn(text, `estafet_accounting{ledger="${ledger}",part="${name}"}`)
    expect(
      ['received', 'applied', 'duplicate', 'ignored', 'dead'].map((one) => part('inbound', one)),
    ).toEqual([6, 4, 1, 0, 1])
    expect(['accepted', 'waiting', 'sent'].map((one) => part('outbound', one))).toEqual([1, 1, 0])
    expect(valueIn(text, 'estafet_accounting_difference{ledger="inbound"}')).toBe(0)
    expect(valueIn(text, 'estafet_accounting_difference{ledger="outbound"}')).toBe(0)
    expect(valueIn(text, 'estafet_accounting_age_seconds')).toBe(1)
  })

  test('says so when an item is in no part, and when a message waits for nobody', async () => {
    await gateway.db.query(sql`
      update whatsapp_webhook_events set outcome = null where phone_number_id = ${tenantANumber.phone_number_id}
        and id = (select max(id::text)::uuid from whatsapp_webhook_events)`)
    await gateway.db.query(sql`update whatsapp_send_outbox set status = 'done'`)
    const text = await sample()
    expect(valueIn(text, 'estafet_accounting_difference{ledger="inbound"}')).toBe(1)
    expect(valueIn(text, 'estafet_accounting_difference{ledger="outbound"}')).toBe(1)
  })
})

describe('tenants', () => {
  test('do not show, unless somebody wants them to', async () => {
    expectNone(await scrape(), a.id)
  })

  test('are at most so many, the busiest first, and the rest is one', async () => {
    await gateway.createTenant('Firm C')
    await receive(tenantBNumber, 'wamid.b1')
    clock.advance(4_000)
    const text = await createScrape(optionsWith({ maxTenants: 1 })).text()
    const tenants = [...text.matchAll(/tenant="([^"]+)"/g)].map(([, tenant]) => tenant)
    expect(new Set(tenants)).toEqual(new Set([busiestIn(text), 'other']))
    expect([a.id, b.id]).toContain(busiestIn(text))

    const both = await createScrape(optionsWith({ maxTenants: 2 })).text()
    expect(valueIn(both, `estafet_tenant_waiting{tenant="${b.id}",queue="inbox"}`)).toBe(1)
    expect(valueIn(both, `estafet_tenant_oldest_seconds{tenant="${b.id}"}`)).toBe(4)
    expect(valueIn(both, `estafet_tenant_dead_letters_open{tenant="${a.id}"}`)).toBe(1)
    expect(valueIn(both, 'estafet_tenant_waiting{tenant="other",queue="inbox"}')).toBe(0)
  })

  test('over the threshold of dead letters are counted without a name', async () => {
    const text = await createScrape(optionsWith({})).text()
    expect(valueIn(text, 'estafet_tenants_over_dead_letter_threshold')).toBe(1)
  })
})

function busiestIn(text: string): string | undefined {
  return [...text.matchAll(/tenant="([0-9a-f-]{36})"/g)][0]?.[1]
}
