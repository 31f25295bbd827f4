// A firm's application and its customers, who do not give up: whoever gets no answer, or one that says to try again, tries
// again. What they did and what they heard is written down (checks/evidence.ts).

import { bytesOf } from '../../test/support/gateway.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import type { Reply } from '../../test/support/program.ts'
import { deliverTo, until } from '../../test/support/program.ts'
import { type ClientLog, emptyClientLog } from '../checks/evidence.ts'

export interface Client {
  log: ClientLog
  /** Until somebody answers who is able to. */
  insist(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>
  /** These customers write, all in one delivery; more are whatever else it holds. */
  write(messages: { wamid: string; from: string }[], more?: unknown[]): Promise<void>
  /** Numbered texts to one person, one after the other. */
  send(to: string, count: number, first?: number): Promise<void>
  /** How often nobody could answer. */
  failures(): number
}

export interface ClientOptions {
  /** Where the gateway is, whichever one. */
  url: string
  key: string
  number: { waba_id: string; phone_number_id: string }
}

/** How long anybody waits here for anything: somewhat less than a test may take. */
export const patienceMs = 200_000

/** Looks again and again until there is something. */
export const eventually = <T>(what: string, look: () => T | Promise<T>) =>
  until(what, look, patienceMs)

/** Refusals that end by themselves: their message is not processed yet, the token is being replaced. */
const later = ['WINDOW_CLOSED', 'WHATSAPP_REAUTH_REQUIRED']

export function createClient({ url, key, number }: ClientOptions): Client {
  const log = emptyClientLog()
  let failures = 0
  const failed = () => void failures++

  async function insist(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> {
    const isForm = body instanceof FormData
    return eventually(`${method} ${path} is answered`, async () => {
      const reply = await answered(url + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
      })
      if (!reply) failed()
      return reply
    })
  }

  async function sendOne(to: string, count: number): Promise<void> {
    const text = `to ${to}, number ${count}`
    const entry = { text, to, phoneNumberId: number.phone_number_id, isAccepted: false }
    log.sends.push(entry)
    const { phone_number_id } = number
    const request = { phone_number_id, to, type: 'text', text: { body: text } }
    const headers = { 'idempotency-key': text.replaceAll(/\W/g, '-') }
    await eventually(`“${text}” is accepted`, async () => {
      const { status, json } = await insist('POST', '/api/whatsapp/meta/send', request, headers)
      entry.isAccepted = status === 202 || status === 200
      if (entry.isAccepted || later.includes(json?.error?.code)) return entry.isAccepted
      throw new Error(`“${text}” was answered ${status}: ${json?.error?.code}`)
    })
  }

  return {
    log,
    insist,
    async write(messages, more = []) {
      const timestamp = String(Math.floor(Date.now() / 1000))
      const texts = messages.map(({ wamid, from }) =>
        textMessage(wamid, 'hello', { from, timestamp }),
      )
      const raw = bytesOf(payload({ number, messages: [...texts, ...more] }))
      const entries = messages.map(({ wamid }) => ({ wamid, isAcknowledged: false }))
      log.webhooks.push(...entries)
      await eventually('the delivery is acknowledged', async () => {
        const isTaken = (await deliverTo(url, raw).catch(() => undefined))?.status === 200
        if (!isTaken) failed()
        return isTaken
      })
      for (const entry of entries) entry.isAcknowledged = true
    },
    async send(to, count, first = 1) {
      for (let sent = 0; sent < count; sent++) await sendOne(to, first + sent)
    },
    failures: () => failures,
  }
}

/** Undefined: nobody is there, or is well enough to say. */
async function answered(url: string, request: RequestInit): Promise<Reply | undefined> {
  try {
    const response = await fetch(url, { ...request, signal: AbortSignal.timeout(30_000) })
    const text = await response.text()
    if (response.status >= 500) return undefined
    const isJson = response.headers.get('content-type')?.includes('application/json')
    const { status, headers } = response
    return { status, headers, text, json: isJson ? JSON.parse(text) : undefined }
  } catch {
    return undefined
  }
}
