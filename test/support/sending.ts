// A gateway whose sends go to a simulated Meta: firms with numbers of their own, customers who just wrote, and what both
// sides know of a message afterwards. Time stands still unless a test moves it, so that a wait is seen, not waited for.
import type { FaultInput } from '../../simulator/faults/rules.ts'
import type { AcceptedSend, GraphRequest } from '../../simulator/ledger.ts'
import { type Simulator, startSimulator } from '../../simulator/server.ts'
import { systemClock as metasClock } from '../../simulator/time-and-chance.ts'
import { type Db, sql } from '../../src/db/connect.ts'
import type { Clock } from '../../src/time-and-chance.ts'
import { afterFile, createCounter } from './after-file.ts'
import { createTestClock, type TestClock, withRunOut } from './clock.ts'
import {
  accessTokenOf,
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  testSecrets,
} from './gateway.ts'
import { payload, textMessage } from './payloads.ts'
import { keepInboxSteady, makeDue } from './queue.ts'

export interface Firm extends TestTenant {
  phoneNumberId: string
  wabaId: string
  accessToken: string
}

export interface Sending {
  simulator: QuietSimulator
  gateway: TestGateway
  /** The gateway's, unless it was given another. */
  clock: TestClock
  createFirm(name: string): Promise<Firm>
  /** Another number of the same firm. */
  addNumber(firm: Firm): Promise<Firm>
  /** Digits of somebody who wrote to the firm's number just now. */
  customerOf(firm: Firm): Promise<string>
  /** Accepted, not sent yet; the message's id. */
  send(firm: Firm, to: string, more?: Record<string, unknown>): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  read(firm: Firm, messageId: string): Promise<any>
  /** As if everything that waits for a time had waited long enough, and webhooks had come in all the time; then what is due is
   *  sent. */
  sendWhatWaits(): Promise<void>
  /** Meta's webhooks arrive, and are processed. */
  hearMeta(): Promise<void>
  /** From now on, and only for these calls. */
  fault(rule: FaultInput): void
  /** Calls for messages to this customer. */
  postsTo(customer: string): GraphRequest[]
  /** What Meta took for this customer. */
  acceptedFor(customer: string): AcceptedSend[]
}

/** Every simulated account has it. */
export const template = {
  name: 'order_update',
  language: { code: 'en_US' },
  components: [
    {
      type: 'body',
      parameters: [
        { type: 'text', text: 'Mara' },
        { type: 'text', text: '88231' },
      ],
    },
  ],
}

const next = createCounter()

/** 13 digits: tests search logs, keys and wamids for it, and a random id must not hold it. */
const phoneNumberIdOf = (count: number) => `7700${String(count).padStart(9, '0')}`

/** Longer than any machine stands still. One that is to run out has the test run it out. */
export const sendTimeoutMs = 60_000

export async function startSending(
  environment: Record<string, string> = {},
  options: { simulator?: QuietSimulator; clock?: Clock } = {},
): Promise<Sending> {
  // Where it stands still, ours is an hour ahead of the database's, and Meta's too: a wait must not be over because the
  // machine is slow.
  const simulator = options.simulator ?? (await startQuietSimulator(options.clock ? 0 : hourMs))
  const still = createTestClock(new Date(Date.now() + hourMs).toISOString())
  const clock = options.clock ?? still
  const gateway = await startTestGateway({
    // Tests let one number fail again and again: whoever wants a circuit to open says so.
    environment: {
      META_GRAPH_URL: simulator.url,
      CIRCUIT_MIN_CALLS: '100000',
      SEND_TIMEOUT_MS: String(sendTimeoutMs),
      ...environment,
    },
    clock,
  })
  simulator.setWebhook({ url: `${gateway.url}/api/webhooks/meta/whatsapp` })

  return {
    simulator,
    gateway,
    clock: still,
    async createFirm(name) {
      const count = next()
      const wabaId = `waba-${count}`
      const phoneNumberId = phoneNumberIdOf(count)
      const tenant = await gateway.createTenant(name, {
        waba_id: wabaId,
        phone_number_id: phoneNumberId,
      })
      const accessToken = accessTokenOf(name)
      registerNumber(simulator, { wabaId, phoneNumberId, accessToken })
      return { ...tenant, phoneNumberId, wabaId, accessToken }
    },
    async addNumber(firm) {
      const phoneNumberId = phoneNumberIdOf(next())
      const { wabaId, accessToken } = firm
      const answer = await gateway.call('POST', `/api/admin/tenants/${firm.id}/accounts`, {
        key: operatorKey,
        body: {
          waba_id: wabaId,
          phone_number_id: phoneNumberId,
          display_phone_number: '+1 555-0101',
          access_token: accessToken,
        },
      })
      if (answer.status !== 201) throw new Error(`an account was answered ${answer.text}`)
      registerNumber(simulator, { wabaId, phoneNumberId, accessToken })
      return { ...firm, phoneNumberId }
    },
    async customerOf(firm) {
      const from = String(16505550000 + next())
      await openWindows(gateway, firm, [from], clock.now())
      return from
    },
    async send({ key, phoneNumberId }, to, more = {}) {
      const text = { body: 'Good morning' }
      const body = { phone_number_id: phoneNumberId, to: `+${to}`, type: 'text', text, ...more }
      const answer = await gateway.call('POST', '/api/whatsapp/meta/send', { key, body })
      if (answer.status !== 202) throw new Error(`a send was answered ${answer.text}`)
      return answer.json.message_id
    },
    read: async ({ key }, messageId) =>
      (await gateway.call('GET', `/api/whatsapp/messages/${messageId}`, { key })).json,
    async sendWhatWaits() {
      // A machine that stood still for 20 s has not looked at its inbox, and an ambiguous send would wait for that too.
      await keepInboxSteady(gateway.db)
      await makeDue(gateway.db)
      await gateway.sendDue()
    },
    async hearMeta() {
      await simulator.settled()
      await gateway.drain()
    },
    fault: (rule) => void simulator.setFault(rule),
    postsTo: (customer) =>
      simulator
        .ledger()
        .requests.filter(
          ({ endpoint, recipient }) => endpoint === 'messages' && recipient === customer,
        ),
    acceptedFor: (customer) =>
      simulator.ledger().sends.filter(({ recipient }) => recipient.wa_id === customer),
  }
}

/** How far the clock that stands still, and the simulated Meta's, are ahead of the database's. */
export const hourMs = 3_600_000
/** Of no other timer. */
const heldMs = hourMs + 1

export interface QuietSimulator extends Simulator {
  /** From now on these calls get no answer until the test says so. */
  hold(rule: Pick<FaultInput, 'match' | 'count'> & { when?: 'after_accepting' }): void
  /** They get it now, and later ones are not held any more. */
  letGo(): void
}

/** Tells everything at once, and repeats nothing. Statuses follow at once, and a customer need not have written to it: the
 *  gateway alone minds the window. */
export async function startQuietSimulator(aheadMs = 0): Promise<QuietSimulator> {
  const clock = withRunOut({
    ...metasClock,
    now: () => new Date(metasClock.now().getTime() + aheadMs),
  })
  const simulator = await startSimulator({
    clock,
    appSecret: testSecrets.META_APP_SECRET,
    appId: testSecrets.META_APP_ID,
    statusDelaysMs: 0,
    retryDelaysMs: [],
    // What it gives up it never tells again.
    deliveryTimeoutMs: 60_000,
    serviceWindow: 'open',
  })
  afterFile(() => simulator.close())
  const held: string[] = []
  return {
    ...simulator,
    hold: (rule) =>
      void held.push(simulator.setFault({ fault: 'slow', delay: heldMs, ...rule }).id),
    letGo() {
      for (const id of held.splice(0)) simulator.removeFault(id)
      clock.runOut(heldMs)
    },
  }
}

export function registerNumber(
  simulator: Simulator,
  number: { wabaId: string; phoneNumberId: string; accessToken: string },
): void {
  simulator.registerNumber({
    waba_id: number.wabaId,
    phone_number_id: number.phoneNumberId,
    display_phone_number: '+1 555-0100',
    access_token: number.accessToken,
  })
}

/** These customers wrote to the number at this time. */
export async function openWindows(
  gateway: Pick<TestGateway, 'deliver' | 'drain'>,
  { wabaId, phoneNumberId }: Pick<Firm, 'wabaId' | 'phoneNumberId'>,
  customers: string[],
  at: Date,
): Promise<void> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const messages = customers.map((from) =>
    textMessage(`wamid.hello-${phoneNumberId}-${from}-${timestamp}`, 'hello', { from, timestamp }),
  )
  const number = { waba_id: wabaId, phone_number_id: phoneNumberId }
  await gateway.deliver(payload({ number, messages }))
  await gateway.drain()
}

export interface SendRow {
  id: string
  status: string
  attempts: number
  last_error: string | null
  next_run_at: Date
  parent_id: string | null
}

/** Every outbox row that a message had, the first first. */
export function sendRowsOf(db: Db, messageId: string): Promise<SendRow[]> {
  return db.query(sql<SendRow>`
    select id, status, attempts, last_error, next_run_at, parent_id
    from whatsapp_send_outbox
    where 'msg_' || replace(message_id::text, '-', '') = ${messageId}
    order by id`)
}

/** The newest one. */
export async function sendRowOf(db: Db, messageId: string): Promise<SendRow> {
  const row = (await sendRowsOf(db, messageId)).at(-1)
  if (!row) throw new Error('a message without an outbox row')
  return row
}

/** The answer to the first attempt came after its sender was taken for dead, who died before it did more than keep it. */
export async function forgetLateAnswer(db: Db, messageId: string, wamid: string): Promise<void> {
  const kept = await db.query(sql`
    update send_attempts
    set wamid = ${wamid}, outcome = 'accepted'
    where id = (
      select a.id
      from send_attempts a
      join whatsapp_send_outbox o on o.tenant_id = a.tenant_id and o.id = a.outbox_id
      where 'msg_' || replace(o.message_id::text, '-', '') = ${messageId}
      order by a.started_at
      limit 1) and wamid is null
    returning id`)
  if (kept.length !== 1) throw new Error('no attempt waits for its answer')
}
