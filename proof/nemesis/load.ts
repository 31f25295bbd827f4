// Customers who write, applications that send, operators who decide: all at once, at a given rate, and each with a log of
// what was answered.

import { sql } from '../../src/db/connect.ts'
import { entry, textMessage } from '../../test/support/payloads.ts'
import { until } from '../../test/support/program.ts'
import { seeded } from '../../test/support/seeded.ts'
import { stopWord, suppressedCode } from '../checks/consent.ts'
import { pause, type Reply } from './client.ts'
import {
  type ClientLog,
  createClientLog,
  type Intent,
  intentText,
  type WrittenMessage,
} from './client-log.ts'
import { decideOne, reconnectAll } from './operator.ts'
import type { Firm, Place } from './place.ts'

export interface Load {
  log: ClientLog
  /** Nothing new; resolves once everything has its answer. */
  stop(): Promise<void>
}

export interface LoadOptions {
  seed: number
  webhooksPerSecond: number
  sendsPerSecond: number
}

interface Lane {
  firm: Firm
  phoneNumberId: string
  to: string
  places: number
  isBusy: boolean
}

type Dice = () => number
const choose = <T>(list: readonly T[], dice: Dice) => list[Math.floor(dice() * list.length)] as T

/** Whoever sends to a person must have been written to first. */
export async function openConversations({ simulator, firms, postgres }: Place): Promise<void> {
  for (const { lines, customers } of firms)
    for (const { phoneNumberId } of lines)
      for (const from of customers)
        simulator.customerWrites(from, {
          phone_number_id: phoneNumberId,
          ...{ type: 'text', text: 'good morning' },
        })
  await simulator.settled()
  const wanted = firms.reduce((sum, one) => sum + one.lines.length * one.customers.length, 0)
  await until('everybody has written', async () => {
    const [row] = await postgres.db.query(sql<{ count: number }>`
      select count(*)::int as count from whatsapp_conversations`)
    return row?.count === wanted
  })
}

export function startLoad(place: Place, options: LoadOptions): Load {
  const log = createClientLog()
  const under = new Set<Promise<void>>()
  let isStopping = false
  const run = (work: Promise<void>) => {
    const noted = work
      .catch((error: Error) => void log.complaints.push(error.message))
      .finally(() => under.delete(noted))
    under.add(noted)
  }
  /** So many times a second, as if by chance. */
  async function often(perSecond: number, dice: Dice, act: () => void): Promise<void> {
    while (!isStopping) {
      await pause((-Math.log(1 - dice()) * 1000) / perSecond)
      act()
    }
  }
  const dice = [3, 4, 5, 6].map((more) => seeded(options.seed + more)) as [Dice, Dice, Dice, Dice]
  const customers = createCustomers(place, log, dice[0], options.seed)
  const applications = createApplications(place, log, dice[1], run)
  const loops = [
    often(options.webhooksPerSecond, dice[0], () => run(customers())),
    often(options.sendsPerSecond, dice[1], applications),
    often(1, dice[2], () => run(decideOne(place, log, dice[2]))),
    often(0.5, dice[3], () => run(reconnectAll(place))),
  ]
  return {
    log,
    async stop() {
      isStopping = true
      await Promise.all(loops)
      while (under.size > 0) {
        await reconnectAll(place)
        await Promise.race([Promise.all(under), pause(1_000)])
      }
    },
  }
}

function createCustomers(
  { simulator, firms, canaries }: Place,
  log: ClientLog,
  dice: Dice,
  seed: number,
): () => Promise<void> {
  const [text = '', name = ''] = canaries.map((one) => one.text)
  let count = 0
  const words = () => `${text}, inbound ${++count}`

  function writeOne(): void {
    const firm = choose(firms, dice)
    const { phoneNumberId } = choose(firm.lines, dice)
    const from = choose(firm.customers, dice)
    // Whatever they write next takes it back.
    const isStop = dice() < 0.06
    if (isStop) log.stopped.add(`${phoneNumberId} ${from}`)
    const text = isStop ? stopWord : words()
    const wamid = simulator.customerWrites(from, {
      ...{ phone_number_id: phoneNumberId, type: 'text', text, name },
    })
    log.written.push({ wamid, firm: firm.index, phoneNumberId, from, text })
  }

  /** Several in one delivery, of several firms, sometimes with what cannot be applied. */
  async function writeMany(): Promise<void> {
    const messages: WrittenMessage[] = []
    const poison: string[] = []
    const entries = Array.from({ length: 1 + Math.floor(dice() * 3) }, () => {
      const firm = choose(firms, dice)
      const { phoneNumberId } = choose(firm.lines, dice)
      const items: unknown[] = Array.from({ length: 1 + Math.floor(dice() * 3) }, () => {
        const text = words()
        const wamid = `wamid.own-${seed}-${count}`
        const from = choose(firm.customers, dice)
        messages.push({ wamid, firm: firm.index, phoneNumberId, from, text })
        const timestamp = String(Math.floor(Date.now() / 1000))
        return textMessage(wamid, text, { from, timestamp })
      })
      if (dice() < 0.3) items.splice(Math.floor(dice() * items.length), 0, badItem())
      return entry({
        number: { waba_id: firm.wabaId, phone_number_id: phoneNumberId },
        messages: items,
      })
    })
    if (dice() < 0.1) entries.push(ofNobody())
    const payload = { object: 'whatsapp_business_account', entry: entries }
    const delivery = await simulator.deliverRaw({ payload, retry: true })
    log.ownDeliveries.push({ deliveryId: delivery.id, messages, poison })

    function mark(): string {
      const made = `poison-${seed}-${log.ownDeliveries.length}-${++count}`
      poison.push(made)
      return made
    }
    function badItem(): unknown {
      const made = mark()
      return dice() < 0.5 ? { no: made } : { id: '', text: { body: made } }
    }
    function ofNobody() {
      const number = { waba_id: '1', phone_number_id: '999' }
      return entry({ number, messages: [textMessage(`wamid.${mark()}`, 'for nobody')] })
    }
  }

  return async () => (dice() < 0.9 ? writeOne() : writeMany())
}

function createApplications(
  { firms, client, canaries: [text] }: Place,
  log: ClientLog,
  dice: Dice,
  run: (work: Promise<void>) => void,
): () => void {
  const lanes: Lane[] = firms.flatMap((firm) =>
    firm.lines.flatMap(({ phoneNumberId }) =>
      firm.customers.map((to) => ({ firm, phoneNumberId, to, places: 0, isBusy: false })),
    ),
  )

  async function sendOne(lane: Lane, isRepeated: boolean): Promise<void> {
    lane.isBusy = true
    const id = log.intents.length
    const intent: Intent = {
      ...{ id, firm: lane.firm.index, phoneNumberId: lane.phoneNumberId, to: lane.to },
      place: ++lane.places,
      delivery: id % 5 === 0 ? 'at_most_once' : 'at_least_once',
      key: `key of intent ${id}`,
      messageId: null,
    }
    log.intents.push(intent)
    const body = {
      phone_number_id: intent.phoneNumberId,
      to: `+${intent.to}`,
      delivery: intent.delivery,
      client_reference: `intent-${id}`,
      ...{ type: 'text', text: { body: intentText(id, text?.text ?? '') } },
    }
    const { key } = lane.firm
    const headers = { 'idempotency-key': intent.key }
    async function send(): Promise<Reply> {
      const reply = await client.call('POST', '/api/whatsapp/meta/send', { key, body, headers })
      // Somebody is about to sign in again.
      if (reply.json?.error?.code !== 'WHATSAPP_REAUTH_REQUIRED') return reply
      await pause(500)
      return send()
    }
    const first = await send()
    // An application that did not hear the answer asks again.
    const answers = isRepeated ? [first, await send()] : [first]
    for (const { status, json } of answers) {
      const isStopped = log.stopped.has(`${intent.phoneNumberId} ${intent.to}`)
      const isRefused = status === 409 && json?.error?.code === suppressedCode
      // What was accepted stays so, whoever asks again.
      if (isRefused && isStopped && intent.messageId === null) log.refused.count++
      else if (status !== 202)
        log.complaints.push(`intent ${id} was answered ${status} ${json?.error?.code}`)
      else if (intent.messageId !== null && intent.messageId !== json.message_id)
        log.complaints.push(`intent ${id} became two messages under one idempotency key`)
      else intent.messageId = json.message_id
    }
    lane.isBusy = false
  }
  /** One after the other, faster than they can leave: their order is what is looked at. */
  async function sendSome(lane: Lane, count: number, isRepeated: boolean): Promise<void> {
    for (let sent = 0; sent < count; sent++) await sendOne(lane, isRepeated)
  }
  return () => {
    const lane = choose(lanes, dice)
    const isRepeated = dice() < 0.05
    const count = dice() < 0.1 ? 4 : 1
    if (!lane.isBusy) run(sendSome(lane, count, isRepeated))
  }
}
