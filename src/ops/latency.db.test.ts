import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestClock } from '../../test/support/clock.ts'
import { operatorKey, startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'
import { createRecent } from '../recent.ts'
import { createLatencySharing, readLatencies } from './latency.ts'

const clock = createTestClock()
let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway({ clock })
})

beforeEach(async () => {
  await gateway.db.query(sql`truncate recent_latencies`)
})

const nothing = {
  send_success_rate_last_1h: null,
  sends_accepted_last_1h: 0,
  sends_decided_last_1h: 0,
  webhook_ack_p95_ms: null,
  inbound_processing_p95_ms: null,
  send_p95_ms: null,
}

async function processThatSaw(observe: (recent: ReturnType<typeof createRecent>) => void) {
  const recent = createRecent()
  const sharing = createLatencySharing({ ...gateway.runtime, db: gateway.runtime.db.api, recent })
  observe(recent)
  await sharing.share()
}

const read = () => readLatencies(gateway.runtime.db.api, clock.now())

describe('latencies', () => {
  test('of a gateway at rest are none, not zero', async () => {
    expect(await read()).toEqual(nothing)
  })

  test('are those of all processes together', async () => {
    await processThatSaw((recent) => {
      for (let count = 0; count < 94; count++) recent.observe('send', 20)
    })
    expect((await read()).send_p95_ms).toBeLessThan(22)
    await processThatSaw((recent) => {
      for (let count = 0; count < 6; count++) recent.observe('send', 2_000)
    })
    const { send_p95_ms } = await read()
    expect(send_p95_ms).toBeGreaterThanOrEqual(2_000)
    expect(send_p95_ms).toBeLessThan(2_200)
  })

  test('are forgotten after five minutes, successes after an hour', async () => {
    await processThatSaw((recent) => {
      recent.observe('webhook_ack', 3)
      recent.observe('send_accepted', 0)
      recent.observe('send_accepted', 0)
      recent.observe('send_accepted', 0)
      recent.observe('send_refused', 0)
    })
    expect(await read()).toMatchObject({
      webhook_ack_p95_ms: expect.any(Number),
      send_success_rate_last_1h: 0.75,
    })
    clock.advance(5 * 60_000 + 11_000)
    expect(await read()).toEqual({
      ...nothing,
      send_success_rate_last_1h: 0.75,
      sends_accepted_last_1h: 3,
      sends_decided_last_1h: 4,
    })
    clock.advance(55 * 60_000)
    expect(await read()).toEqual(nothing)
  })

  test('that could not be passed on are passed on with the next', async () => {
    const recent = createRecent()
    const sharing = createLatencySharing({ ...gateway.runtime, db: gateway.runtime.db.api, recent })
    await gateway.db.query(sql`alter table recent_latencies rename to away`)
    recent.observe('send', 20)
    await expect(sharing.share()).rejects.toThrow()
    await gateway.db.query(sql`alter table away rename to recent_latencies`)
    await sharing.share()
    expect((await read()).send_p95_ms).not.toBeNull()
  })

  test('are not better because strangers are turned away quickly', async () => {
    const answer = await gateway.deliver({}, { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` })
    expect(answer.status).toBe(401)
    const { json } = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(json.webhook_ack_p95_ms).toBeNull()
    const { text } = await gateway.call('GET', '/metrics', { key: operatorKey })
    expect(text).toContain('estafet_webhook_ack_seconds_count 0')
  })

  test('of a webhook are in health at once', async () => {
    await gateway.deliver({ object: 'whatsapp_business_account', entry: [] })
    await gateway.drain()
    const { json } = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(json).toMatchObject({
      webhook_ack_p95_ms: expect.any(Number),
      inbound_processing_p95_ms: expect.any(Number),
      send_p95_ms: null,
    })
  })
})
