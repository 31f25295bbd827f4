// Conversations to look at in the console: one with every kind of message that Meta's fixtures have, and reading a thread
// of which the page draws only the part that is in view.
import { readdirSync } from 'node:fs'
import { sql } from '../../src/db/connect.ts'
import type { Page } from './chromium.ts'
import { type ConsoleWorld, startConsole } from './console.ts'
import type { TestGateway } from './gateway.ts'
import { fixture, payload, textMessage } from './payloads.ts'
import type { SeededPerson } from './people.ts'
import { until } from './program.ts'
import { keepInboxSteady, makeDue } from './queue.ts'
import type { Firm } from './sending.ts'

const fixtures = new URL('../fixtures/meta/', import.meta.url)

type Message = Record<string, unknown> & { id: string; type: string }

/** Every message of the fixtures but those of groups, as if this customer had written them one after the other. */
export function everyFixture(from: string, until: Date): Message[] {
  const names = readdirSync(fixtures)
    .filter((name) => /^0(0[1-9]|[1-3]\d|4[0-3])-msg/.test(name) && !name.includes('group'))
    .toSorted()
  return names.map((name, place) => {
    const { entry } = JSON.parse(fixture(name).toString())
    const message = entry[0].changes[0].value.messages[0]
    const seconds = Math.floor(until.getTime() / 1000) - (names.length - place) * 60
    const { from_user_id: _, from_parent_user_id: __, ...rest } = message
    return { ...rest, from, id: `wamid.${from}.${name}`, timestamp: String(seconds) }
  })
}

/** A webhook of its own for these messages, with the name that Meta gives their sender. */
export async function receive(
  gateway: TestGateway,
  { wabaId, phoneNumberId }: Pick<Firm, 'wabaId' | 'phoneNumberId'>,
  messages: Record<string, unknown>[],
  name = 'Mara Quint',
): Promise<void> {
  const number = { waba_id: wabaId, phone_number_id: phoneNumberId }
  const contacts = [{ profile: { name }, wa_id: messages[0]?.from }]
  const { status, text } = await gateway.deliver(payload({ number, messages, contacts }))
  if (status !== 200) throw new Error(`a webhook was answered ${text}`)
  await processed(gateway)
}

/** The gateway's own workers may have taken it up already. */
export function processed({ db }: Pick<TestGateway, 'db'>): Promise<unknown> {
  return until('every webhook is processed', async () => {
    const [row] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_webhook_events where status in ('pending', 'processing')`)
    return row?.count === 0
  })
}

export function allSent({ db }: Pick<TestGateway, 'db'>): Promise<unknown> {
  return until('all is sent or refused', async () => {
    const [row] = await db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_send_outbox where status in ('pending', 'running')`)
    return row?.count === 0
  })
}

export const secondsAgo = (seconds: number) => String(Math.floor(Date.now() / 1000) - seconds)

export interface Threads {
  world: ConsoleWorld
  firm: Firm
  admin: SeededPerson
  agent: SeededPerson
  /** The number of somebody who wrote just now. */
  newCustomer(): Promise<string>
  /** The thread with this customer, as this person sees it. */
  open(customer: string, person?: SeededPerson): Promise<Page>
  markRead(customer: string): Promise<void>
  /** Sent as this person in the console; its id. */
  sendAs(person: SeededPerson, customer: string, content: Record<string, unknown>): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
  reached(messageId: string, status: string): Promise<any>
}

export async function startThreads(): Promise<Threads> {
  const world = await startConsole({ RECONCILE_SECONDS: '0' })
  const { gateway } = world
  const firm = await world.createFirm('Quay Street Advocates')
  const admin = await world.person('admin', firm.id, 'Inês Castro')
  const agent = await world.person('agent', firm.id, 'Damar Prasetya')
  let customers = 0
  return {
    ...{ world, firm, admin, agent },
    async newCustomer() {
      customers++
      const from = String(16505550800 + customers)
      const hello = textMessage(`wamid.hello.${from}`, 'hello', { from, timestamp: secondsAgo(60) })
      await receive(gateway, firm, [hello], 'Mara Quint')
      return from
    },
    async open(customer, person = agent) {
      const id = await conversationOf(gateway, firm, customer)
      const page = await world.open(person, `/inbox/${id}`)
      await page.waitFor('.thread-log', 'the messages')
      return page
    },
    async markRead(customer) {
      const id = await conversationOf(gateway, firm, customer)
      await gateway.call('POST', `/api/whatsapp/conversations/${id}/read`, { key: firm.key })
    },
    async sendAs(person, customer, content) {
      const { host } = new URL(gateway.url)
      const body = { phone_number_id: firm.phoneNumberId, to: `+${customer}`, ...content }
      const headers = person.headers(host)
      const answer = await gateway.call('POST', '/api/whatsapp/meta/send', { headers, body })
      if (answer.status !== 202) throw new Error(`a send was answered ${answer.text}`)
      return answer.json.message_id
    },
    reached: (messageId, status) =>
      until(`${messageId} is ${status}`, async () => {
        // Nobody waits here until Meta would have told.
        await keepInboxSteady(gateway.db)
        await makeDue(gateway.db)
        const shown = await world.read(firm, messageId)
        return shown.status === status && shown
      }),
  }
}

export async function conversationOf(
  gateway: TestGateway,
  { key }: Firm,
  customer: string,
): Promise<string> {
  const { json } = await gateway.call('GET', `/api/whatsapp/conversations?q=${customer}`, { key })
  return json.data[0].id
}

export interface Drawn {
  id: string
  text: string
  html: string
}

/** Every row from the last to the first, as far as the thread goes. */
export async function readThread(page: Page): Promise<Drawn[]> {
  const found = new Map<string, Drawn>()
  for (;;) {
    const { rows, isTop } = await page.evaluate(`new Promise((resolve) => {
      const log = document.querySelector('.thread-log')
      requestAnimationFrame(() => requestAnimationFrame(() => {
        const rows = [...log.querySelectorAll('[data-message]')].map((row) => ({
          id: row.dataset.message, text: row.innerText, html: row.outerHTML,
        }))
        const isTop = log.scrollTop <= 0 && log.getAttribute('aria-busy') !== 'true'
          && log.querySelector('.thread-top .thread-day') !== null
        log.scrollTop -= log.clientHeight / 2
        resolve({ rows, isTop })
      }))
    })`)
    for (const row of rows as Drawn[]) if (!found.has(row.id)) found.set(row.id, row)
    if (isTop) return [...found.values()]
  }
}
