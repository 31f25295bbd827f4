// I5 for sending: a tenant with a thousand messages and one that Meta throttles, and others who send now and then. What
// is promptly is counted in the large tenant's POSTs, not in milliseconds: it means the same on a slow machine.
import { beforeAll, describe, expect, test } from 'vitest'
import type { GraphRequest } from '../../simulator/ledger.ts'
import { sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { operatorKey } from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { type Firm, type Sending, startSending, template } from '../support/sending.ts'

const cap = 4
const largeCap = 6
// Long beside what a claim takes on a busy machine: a freed place is seen to be filled again within a flight.
const answerMs = 750

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
  world.fault({ fault: 'throttle', match: { phone_number_id: limited.phoneNumberId } })
  world.fault({ fault: 'slow', delay: answerMs })
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

interface Sample {
  acceptedAt: string
  postedAt: string
}

/** One after another, each as soon as the one before arrived at Meta. */
async function sendNowAndThen(firm: Firm, count: number): Promise<Sample[]> {
  const samples: Sample[] = []
  for (let index = 0; index < count; index++) {
    const to = String(16505700000 + index)
    await send(firm, to)
    const acceptedAt = new Date().toISOString()
    const post = await until('it arrives at Meta', () =>
      postsOf(firm).find(({ recipient }) => recipient === to),
    )
    samples.push({ acceptedAt, postedAt: post.arrived_at })
  }
  return samples
}

describe('one tenant does not hold up another', () => {
  test('a thousand messages of one and two hundred throttled ones of another are passed by', async () => {
    await Promise.all([sendMany(large, 1000), sendMany(limited, 200)])
    await until('both are at work', () => postsOf(large).length > 0 && postsOf(limited).length > 0)

    const startedAt = new Date().toISOString()
    const samples = (await Promise.all(small.map((firm) => sendNowAndThen(firm, 8)))).flat()
    const waiting = { large: await pendingOf(large), limited: await pendingOf(limited) }
    const posts = postsOf(large)

    // There was something to be held up by, all the time.
    expect(waiting.large).toBeGreaterThan(100)
    expect(waiting.limited).toBeGreaterThan(190)

    // Whoever is behind the large tenant waits for hundreds of its messages; whoever has a turn of his own for those
    // that start in the same moment.
    const passedBy = samples
      .map(
        ({ acceptedAt, postedAt }) =>
          posts.filter(({ arrived_at }) => arrived_at > acceptedAt && arrived_at < postedAt).length,
      )
      .sort((a, b) => a - b)
    expect(passedBy).toHaveLength(40)
    expect(passedBy[Math.floor(passedBy.length * 0.95)]).toBeLessThanOrEqual(4 * largeCap)

    const mostInFlight = world.simulator.mostInFlight()
    expect(mostInFlight[large.phoneNumberId]).toBe(largeCap)
    expect(mostInFlight[limited.phoneNumberId]).toBeLessThanOrEqual(cap)
    for (const { phoneNumberId } of small) {
      expect(mostInFlight[phoneNumberId]).toBeLessThanOrEqual(cap)
    }
    // At its cap: most of its sends that were over by now saw the full number in flight, their own included.
    const over = posts.filter(({ answered_at }) => answered_at !== null && answered_at > startedAt)
    const atCap = over.filter((post) => mostBeside(post, posts) === largeCap)
    expect(over.length).toBeGreaterThanOrEqual(largeCap)
    expect(atCap.length).toBeGreaterThan(over.length * 0.5)
    // Held as a whole after the first answers: two hundred messages are not two hundred POSTs.
    expect(postsOf(limited).length).toBeLessThan(50)
  })
})

/** The most that were in flight at any moment of this one's flight. */
function mostBeside(post: GraphRequest, posts: GraphRequest[]): number {
  const isOpenAt = (one: GraphRequest, at: string) =>
    one.arrived_at <= at && (one.answered_at === null || one.answered_at > at)
  const moments = posts.map(({ arrived_at }) => arrived_at).filter((at) => isOpenAt(post, at))
  return Math.max(...moments.map((at) => posts.filter((one) => isOpenAt(one, at)).length), 0)
}
