// Many sends, and a Meta that accepts one in ten without an answer that can be heard: its ledger says which were doubled.
// A larger run: AMBIGUOUS_SENDS=10000 npx vitest run test/e2e/ambiguous-sends-are-resolved.test.ts
import { beforeAll, describe, expect, test } from 'vitest'
import type { AcceptedSend } from '../../simulator/ledger.ts'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { seededRandom } from '../../simulator/time-and-chance.ts'
import { sql } from '../../src/db/connect.ts'
import { afterFile } from '../support/after-file.ts'
import { seed } from '../support/chance.ts'
import {
  accessTokenOf,
  operatorKey,
  startTestGateway,
  type TestGateway,
  testSecrets,
} from '../support/gateway.ts'
import { until } from '../support/program.ts'
import { makeDue } from '../support/queue.ts'
import { registerNumber, template } from '../support/sending.ts'

// biome-ignore lint/style/noProcessEnv: a person makes a larger run with it.
const count = Number(process.env.AMBIGUOUS_SENDS ?? 300)
/** A number sends 80 a second; and what is waited for grows with the count. */
const numbers = Math.max(4, Math.ceil(count / 400))
// Longer than the wait for evidence (120 s): without the safeguard that ends it early, the control that leaves it out must come to the
// assertions below instead of giving up here.
const patienceMs = 200_000 + count * 30

interface Told {
  order: string
  delivery: 'at_least_once' | 'at_most_once'
  status: string
  wamid: string | null
  attempts: number
}

let simulator: Simulator
let gateway: TestGateway
let told: Told[]
let accepted: Map<string, AcceptedSend[]>
/** Wamids of which a status reached us. */
let reported: Set<string>

beforeAll(async () => {
  simulator = await startSimulator({
    appSecret: testSecrets.META_APP_SECRET,
    statusDelaysMs: 0,
    retryDelaysMs: [100, 500, 2_000],
    batchWindowMs: 20,
    serviceWindow: 'open',
    ledgerCapacity: count * 20,
    random: seededRandom(`ambiguous ${seed}`),
  })
  afterFile(() => simulator.close())
  gateway = await startTestGateway({
    environment: {
      META_GRAPH_URL: simulator.url,
      ROLES: 'api,worker',
      SEND_TIMEOUT_MS: '1000',
      // On a busy machine many calls take longer than that: what a breaker makes of it is another story.
      CIRCUIT_MIN_CALLS: '100000',
      MAX_CONCURRENCY_PER_TENANT: '32',
      API_RATE_LIMIT_PER_SECOND: '100000',
      LOG_LEVEL: 'error',
    },
  })
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })
  misbehave()
  const keys = await createFirms()
  await sendAll(keys)
  await sendEverything()
  await readBoth()
}, patienceMs * 3)

function misbehave(): void {
  const match = { endpoint: 'messages' }
  for (const fault of ['reset', 'hang'] as const) {
    simulator.setFault({ fault, when: 'after_accepting', probability: 0.05, match })
    simulator.setFault({ fault, when: 'before_accepting', probability: 0.02, match })
  }
  simulator.setFault({ fault: 'early_status', probability: 0.1 })
  // Nothing is ever reported of these.
  simulator.setFault({ fault: 'stuck', after: 'accepted', probability: 0.2 })
  // And some have the worst of luck for certain.
  for (let index = 0; index < 6; index++) {
    const worst = { recipient: recipientOf(index) }
    simulator.setFault({ fault: 'reset', when: 'after_accepting', match: worst, count: 1 })
    simulator.setFault({ fault: 'stuck', after: 'accepted', match: worst })
  }
}

const recipientOf = (index: number) => String(4915110000000 + index)

async function createFirms(): Promise<string[]> {
  const keys: string[] = []
  for (let index = 0; index < numbers; index++) {
    const number = { waba_id: `waba-${index}`, phone_number_id: `88${index}` }
    const { key } = await gateway.createTenant(`Firm ${index}`, number)
    const accessToken = accessTokenOf(`Firm ${index}`)
    const { waba_id: wabaId, phone_number_id: phoneNumberId } = number
    registerNumber(simulator, { wabaId, phoneNumberId, accessToken })
    keys.push(key)
  }
  return keys
}

/** Each to another person, with a number of its own in it. */
async function sendAll(keys: string[]): Promise<void> {
  let next = 0
  const sendSome = async () => {
    for (let index = next++; index < count; index = next++) {
      const parameters = ['Mara', `order ${index}`].map((text) => ({ type: 'text', text }))
      const body = {
        to: recipientOf(index),
        type: 'template',
        template: { ...template, components: [{ type: 'body', parameters }] },
        delivery: index % 2 === 0 ? 'at_least_once' : 'at_most_once',
        client_reference: `order ${index}`,
      }
      const answer = await gateway.call('POST', '/api/whatsapp/meta/send', {
        key: keys[index % keys.length] ?? '',
        body,
      })
      if (answer.status !== 202) throw new Error(`a send was answered ${answer.text}`)
    }
  }
  await Promise.all(Array.from({ length: 24 }, sendSome))
}

/** Whatever waits for evidence waits until Meta has said all that it will say, and then no longer. */
async function sendEverything(): Promise<void> {
  const looks = async () => {
    const [row] = await gateway.db.query(sql<{ live: number; busy: number; events: number }>`
      select count(*)::int as live,
        count(*) filter (where status = 'running' or attempts = 0 or next_run_at <= now())::int as busy, (
          select count(*)::int from whatsapp_webhook_events where status in ('pending', 'processing')) as events
      from whatsapp_send_outbox
      where status in ('pending', 'running')`)
    return row ?? { live: 0, busy: 0, events: 0 }
  }
  for (;;) {
    await until('nothing is under way', async () => (await looks()).busy === 0, patienceMs)
    await simulator.settled()
    await until('all is heard', async () => (await looks()).events === 0, patienceMs)
    // What a status told of is ended after the commit that recorded it.
    await until('the proven are ended', async () => (await provenAndWaiting()) === 0, patienceMs)
    if ((await looks()).live === 0) return
    await makeDue(gateway.db)
  }
}

async function provenAndWaiting(): Promise<number> {
  const [row] = await gateway.db.query(sql<{ count: number }>`
    select count(*)::int as count
    from whatsapp_send_outbox o
    join send_attempts a on a.tenant_id = o.tenant_id and a.outbox_id = o.id
    where o.status = 'pending' and a.wamid is not null`)
  return row?.count ?? 0
}

async function readBoth(): Promise<void> {
  told = await gateway.db.query(sql<Told>`
    select m.client_reference as order, o.delivery, m.status, m.wamid, m.attempts
    from whatsapp_messages m
    join whatsapp_send_outbox o on o.tenant_id = m.tenant_id and o.message_id = m.id
    where m.direction = 'outbound'`)
  const ledger = simulator.ledger()
  expect(ledger.forgotten).toBe(0)
  accepted = new Map()
  for (const send of ledger.sends) {
    const [order = ''] = /order \d+/.exec(JSON.stringify(send.request)) ?? []
    accepted.set(order, [...(accepted.get(order) ?? []), send])
  }
  reported = new Set(
    ledger.deliveries
      .filter(({ state }) => state === 'delivered')
      .flatMap(({ items }) =>
        items.flatMap(({ kind, wamid }) => (kind === 'status' ? (wamid ?? []) : [])),
      ),
  )
}

const acceptedFor = ({ order }: Told) => accepted.get(order) ?? []
const isSent = ({ status }: Told) => ['sent', 'delivered', 'read'].includes(status)

describe(`${count} sends, one in ten accepted without an answer`, () => {
  test('it was bad enough: answers were lost, with and without a later report', () => {
    expect(told).toHaveLength(count)
    const lost = simulator
      .ledger()
      .faults.filter(({ fault }) => fault === 'reset' || fault === 'hang')
    expect(lost.length).toBeGreaterThan(count / 20)
    expect(told.filter((one) => acceptedFor(one).length > 1).length).toBeGreaterThan(0)
    expect(told.filter(({ status }) => status === 'unknown').length).toBeGreaterThan(0)
  })

  test('none is doubled of which a status came within the wait', () => {
    const doubled = told.filter((one) =>
      acceptedFor(one)
        .slice(0, -1)
        .some(({ wamid }) => reported.has(wamid)),
    )
    expect(doubled).toEqual([])
  })

  test('at most once: none is doubled at all', () => {
    const once = told.filter(({ delivery }) => delivery === 'at_most_once')
    expect(once.length).toBeGreaterThan(count / 3)
    expect(once.filter((one) => acceptedFor(one).length > 1)).toEqual([])
  })

  test('every accepted one ends as sent, with a wamid that Meta gave it', () => {
    const wrong = told.filter((one) => {
      const wamids = acceptedFor(one).map(({ wamid }) => wamid)
      if (wamids.length === 0) return false
      // Nobody can know of it: at most once, the answer lost, and never a report.
      const isHidden = one.status === 'unknown' && !wamids.some((wamid) => reported.has(wamid))
      if (one.delivery === 'at_most_once' && isHidden) return false
      return !isSent(one) || one.wamid === null || !wamids.includes(one.wamid)
    })
    expect(wrong).toEqual([])
  })

  test('what Meta does not have is not called sent', () => {
    expect(told.filter((one) => isSent(one) && acceptedFor(one).length === 0)).toEqual([])
    const ends = new Set(told.map(({ status }) => status))
    expect(
      [...ends].filter((status) => !['sent', 'delivered', 'read', 'unknown'].includes(status)),
    ).toEqual([])
  })

  test('what is unknown is a dead letter, and nothing else is', async () => {
    const rows = await gateway.db.query(sql<{ kind: string; order: string }>`
      select d.kind, m.client_reference as order
      from dead_letters d
      join whatsapp_messages m on m.tenant_id = d.tenant_id and m.id = d.message_id
      where d.state = 'open'`)
    const unknown = told.filter(({ status }) => status === 'unknown').map(({ order }) => order)
    expect(rows.map(({ order }) => order).sort()).toEqual(unknown.sort())
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set(['unknown']))
    const health = await gateway.call('GET', '/api/admin/whatsapp/health', { key: operatorKey })
    expect(health.json.dlq_count).toBe(unknown.length)
  })
})
