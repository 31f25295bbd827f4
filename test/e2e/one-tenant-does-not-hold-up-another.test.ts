// I5 for sending: a tenant with hundreds of messages whose calls get no answer, one that Meta throttles, and others who send
// now and then. Nobody is timed: the large tenant does not get on until the others are through.
import { beforeAll, describe, expect, test } from 'vitest'
import type { GraphRequest } from '../../simulator/ledger.ts'
import { sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { operatorKey } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending, template } from '../support/sending.ts'

const cap = 4
const largeCap = 6
const largeCount = 300
const limitedCount = 100

let world: Sending
let large: Firm
let limited: Firm
let small: Firm[]

beforeAll(async () => {
  world = await startSending(
    { ROLES: 'api,worker', MAX_CONCURRENCY_PER_TENANT: String(cap) },
    { clock: systemClock },
  )
  large = await world.createFirm('Large')
  limited = await world.createFirm('Limited')
  small = await Promise.all(Array.from({ length: 5 }, (_, n) => world.createFirm(`Small ${n}`)))
  await world.gateway.call('PATCH', `/api/admin/tenants/${large.id}`, {
    key: operatorKey,
    body: { max_concurrency: largeCap },
  })
  const match = { phone_number_id: limited.phoneNumberId }
  world.fault({ fault: 'throttle', retry_after_seconds: 3600, match })
  world.simulator.hold({ match: { phone_number_id: large.phoneNumberId }, count: largeCap })
})

const send = (firm: Firm, to: string) =>
  world.send(firm, to, { type: 'template', template, text: undefined })

/** To as many people, 16 at a time. */
async function sendMany(firm: Firm, count: number): Promise<void> {
  const rest = Array.from({ length: count }, (_, index) => String(16505600000 + index))
  const takeTurns = async () => {
    for (let to = rest.shift(); to !== undefined; to = rest.shift()) await send(firm, to)
  }
  await Promise.all(Array.from({ length: 16 }, takeTurns))
}

const postsOf = ({ phoneNumberId }: Firm): GraphRequest[] =>
  world.simulator.ledger(phoneNumberId).requests

async function pendingOf({ id }: Firm): Promise<number> {
  const [row] = await world.gateway.db.query(sql<{ count: number }>`
    select count(*)::int as count
    from whatsapp_send_outbox
    where tenant_id = ${id} and status = 'pending'`)
  return row?.count ?? 0
}

/** One after another, each as soon as the one before arrived at Meta. */
async function sendNowAndThen(firm: Firm, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const to = String(16505700000 + index)
    await send(firm, to)
    await until('it arrives at Meta', () => postsOf(firm).some(({ recipient }) => recipient === to))
  }
}

describe('one tenant does not hold up another', () => {
  test('hundreds of messages of one and as many throttled ones of another are passed by', async () => {
    await Promise.all([sendMany(large, largeCount), sendMany(limited, limitedCount)])
    await until('the large one is at its cap', () => postsOf(large).length === largeCap)
    await until('the throttled one is held', async () => {
      const held = await world.gateway.db.query(sql`
        select from send_numbers where tenant_id = ${limited.id} and hold_until > now()`)
      return held.length > 0
    })

    // Whoever were behind the large tenant would wait for ever.
    await Promise.all(small.map((firm) => sendNowAndThen(firm, 8)))
    expect(postsOf(large)).toHaveLength(largeCap)
    expect(await pendingOf(large)).toBe(largeCount - largeCap)
    // Held as a whole after the first answer: a hundred messages are not a hundred POSTs.
    expect(postsOf(limited).length).toBeLessThanOrEqual(cap)
    expect(await pendingOf(limited)).toBeGreaterThanOrEqual(limitedCount - cap)

    // Places that become free are filled again, and never more than there are.
    world.simulator.letGo()
    await until('the large one goes on', () => postsOf(large).length >= 10 * largeCap)
    const mostInFlight = world.simulator.mostInFlight()
    expect(mostInFlight[large.phoneNumberId]).toBe(largeCap)
    for (const { phoneNumberId } of [limited, ...small]) {
      expect(mostInFlight[phoneNumberId]).toBeLessThanOrEqual(cap)
    }
  })
})
