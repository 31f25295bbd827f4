// A gateway that tells applications what happens: firms, customers who write, endpoints, and time that only passes when a
// test says so.
import { type Db, sql } from '../../src/db/connect.ts'
import { createCounter } from './after-file.ts'
import { canary } from './canaries.ts'
import { createTestClock, type TestClock } from './clock.ts'
import { startTestGateway, type TestGateway, type TestTenant } from './gateway.ts'
import { payload, textMessage } from './payloads.ts'

export interface TellingFirm extends TestTenant {
  phoneNumberId: string
  wabaId: string
  accountId: string
}

export interface Endpoint {
  id: string
  secret: string
}

export interface Telling {
  gateway: TestGateway
  clock: TestClock
  createFirm(): Promise<TellingFirm>
  createEndpoint(firm: TellingFirm, url: string, more?: Record<string, unknown>): Promise<Endpoint>
  /** A customer writes so many messages; each is `writtenText` and a number. */
  write(firm: TellingFirm, from: string, count?: number): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  read(firm: TellingFirm, path: string): Promise<any>
  change(
    method: string,
    firm: TellingFirm,
    path: string,
    body?: unknown,
    // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  ): Promise<any>
  /** So much time passes; then what is due by then is delivered. */
  pass(ms: number): Promise<void>
}

export const endpointsPath = '/api/whatsapp/event-endpoints'

const next = createCounter()

/** How every message of `write` begins. */
export const writtenText = canary('text that somebody writes').text

/** Longer than any machine stands still. One that is to run out has the test run it out. */
export const eventTimeoutMs = 60_000

/** An hour ahead of the database's clock, which goes on: what is to wait by ours must not come due by its own. */
const aheadMs = 3_600_000

export async function startTelling(
  environment: Record<string, string> = {},
  { isOnTime = false } = {},
): Promise<Telling> {
  const clock = createTestClock(new Date(Date.now() + (isOnTime ? 0 : aheadMs)).toISOString())
  const gateway = await startTestGateway({
    environment: { EVENT_TIMEOUT_MS: String(eventTimeoutMs), ...environment },
    clock,
  })
  const change: Telling['change'] = async (method, { key }, path, body) => {
    const answer = await gateway.call(method, path, { key, ...(body !== undefined && { body }) })
    if (answer.status >= 300) throw new Error(`${method} ${path} was answered ${answer.text}`)
    return answer.json
  }
  return {
    gateway,
    clock,
    async createFirm() {
      const count = next()
      const wabaId = `waba-told-${count}`
      const phoneNumberId = `8800${String(count).padStart(9, '0')}`
      const tenant = await gateway.createTenant(`Told ${count}`, {
        waba_id: wabaId,
        phone_number_id: phoneNumberId,
      })
      const accounts = await gateway.call('GET', '/api/whatsapp/accounts', { key: tenant.key })
      // That the account is there is told to nobody.
      await gateway.db.query(sql`select events_route(1000, 1000)`)
      return { ...tenant, wabaId, phoneNumberId, accountId: accounts.json.data[0].id }
    },
    createEndpoint: (firm, url, more = {}) =>
      change('POST', firm, endpointsPath, { url, events: ['message.received'], ...more }),
    async write({ wabaId, phoneNumberId }, from, count = 1) {
      const timestamp = String(Math.floor(clock.now().getTime() / 1000))
      for (let index = 0; index < count; index++) {
        const place = next()
        const message = textMessage(`wamid.told-${place}`, `${writtenText} ${place}`, {
          from,
          timestamp,
        })
        const number = { waba_id: wabaId, phone_number_id: phoneNumberId }
        await gateway.deliver(payload({ number, messages: [message] }))
        await gateway.drain()
      }
    },
    read: async ({ key }, path) => (await gateway.call('GET', path, { key })).json,
    change,
    async pass(ms) {
      clock.advance(ms)
      await makeDueUntil(gateway.db, clock.now())
      await gateway.tellDue()
    },
  }
}

/** The database's clock does not move with ours: what is due by ours is made due by its own. */
async function makeDueUntil(db: Db, now: Date): Promise<void> {
  await db.query(sql`
    update event_deliveries
    set next_run_at = now()
    where status = 'pending' and next_run_at <= ${now} and next_run_at > now()`)
  await db.query(sql`
    update event_queues
    set next_at = now(), hold_until = case when hold_until <= ${now} then least(hold_until, now()) else hold_until end`)
  await db.query(sql`update event_tenants set next_at = now()`)
}
