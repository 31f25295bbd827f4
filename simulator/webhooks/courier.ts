// Carries webhook bodies to the gateway as Meta does: signed, concurrent, and again with growing
// delays until the answer is 200.
import { Agent, request } from 'undici'
import type { Background } from '../background.ts'
import type { Feed } from '../feed.ts'
import { makeDigits } from '../identifiers.ts'
import type { DeliveredItem, Delivery, Ledger } from '../ledger.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { signBody } from './signing.ts'

export type SignatureKind = 'right' | 'wrong' | 'missing'

interface Callback {
  url: string | undefined
  verifyToken: string
}

export interface WebhookTarget extends Callback {
  appSecret: string
  /** How long an update waits for others to share a POST with. 0: each goes alone and at once. */
  batchWindowMs: number
  /** The wait before each retry; its length bounds the attempts. */
  retryDelaysMs: readonly number[]
}

export interface Parcel {
  body: Buffer
  signature: SignatureKind
  retry: boolean
  /** Asked at every attempt, so that a changed URL counts for retries too. Undefined: nowhere. */
  url(): string | undefined
  /** What is inside; nothing for raw bytes. */
  items: DeliveredItem[]
  faults?: string[]
}

export interface Handshake {
  verified: boolean
  response_status: number | null
  reason: string | null
}

export interface Courier {
  /** `firstAttempt` never rejects; what became of it is in `delivery`. */
  deliver(parcel: Parcel): { delivery: Delivery; firstAttempt: Promise<void> }
  /** Of the given callback, or of the app's own. */
  verify(random: Random, callback?: Callback): Promise<Handshake>
  /** POSTs that wait for their answer right now. */
  inFlight(): number
  close(): Promise<void>
}

export interface CourierOptions {
  clock: Clock
  ledger: Ledger
  feed: Feed
  background: Background
  /** Read at every attempt, so that a changed secret counts for retries too. */
  target: WebhookTarget
  timeoutMs: number
}

/** Enough to be concurrent, few enough that a burst does not exhaust a laptop's sockets. */
const maxConnections = 100

export function createCourier(options: CourierOptions): Courier {
  const { clock, ledger, feed, background, target } = options
  const agent = createAgent(options.timeoutMs)
  let inFlight = 0

  async function attempt(delivery: Delivery, parcel: Parcel, url: string): Promise<void> {
    const startedAt = clock.now()
    const signature = signatureFor(parcel, target.appSecret)
    inFlight++
    const answer = await post(agent, url, parcel.body, signature)
    inFlight--
    delivery.attempts.push({
      at: startedAt.toISOString(),
      url,
      signature,
      response_status: answer.status,
      error: answer.error,
      duration_ms: clock.now().getTime() - startedAt.getTime(),
    })
    // Meta's rule is 200 and nothing else: a 201 or 204 is retried like an error.
    if (answer.status === 200) delivery.state = 'delivered'
    changed(delivery)
  }

  async function retry(delivery: Delivery, parcel: Parcel, url: string): Promise<void> {
    for (const delayMs of parcel.retry ? target.retryDelaysMs : []) {
      if (delivery.state === 'delivered') return
      if (!(await background.wait(delayMs))) return
      await attempt(delivery, parcel, parcel.url() ?? url)
    }
    if (delivery.state !== 'pending') return
    delivery.state = 'failed'
    changed(delivery)
  }

  function changed(delivery: Delivery): void {
    ledger.deliveryChanged(delivery)
    const { id, kind, phone_number_id, wamid, state } = delivery
    const last = delivery.attempts.at(-1)
    feed.emit({
      type: 'webhook',
      delivery_id: id,
      kind,
      phone_number_id,
      wamid,
      messages: messageIds(delivery),
      state,
      ...(last === undefined ? {} : { response_status: last.response_status }),
    })
  }

  return {
    deliver(parcel) {
      const delivery = ledger.openDelivery({
        ...summaryOf(parcel.items),
        items: parcel.items,
        faults: parcel.faults ?? [],
        created_at: clock.now().toISOString(),
        body: parcel.body.toString('utf8'),
      })
      const url = parcel.url()
      // An app without a callback URL gets nothing, now or later.
      if (url === undefined) delivery.state = 'dropped'
      changed(delivery)
      if (url === undefined) {
        return { delivery, firstAttempt: Promise.resolve() }
      }
      const firstAttempt = attempt(delivery, parcel, url)
      background.run(firstAttempt.then(() => retry(delivery, parcel, url)))
      return { delivery, firstAttempt }
    },
    verify: (random, callback = target) => shakeHands(agent, callback, makeDigits(10, random)),
    inFlight: () => inFlight,
    close: () => agent.destroy(),
  }
}

/** A batch is named after what all of its items share. */
function summaryOf(items: DeliveredItem[]): Pick<Delivery, 'kind' | keyof typeof nobody> {
  const [first] = items
  if (first === undefined) return { kind: 'raw', ...nobody }
  const { kind, phone_number_id, wamid, status } = first
  if (items.length === 1) return { kind, phone_number_id, wamid, status }
  const isShared = items.every((item) => item.phone_number_id === phone_number_id)
  return { ...nobody, kind: 'batch', phone_number_id: isShared ? phone_number_id : null }
}

const nobody = { phone_number_id: null, wamid: null, status: null }

/** Limits of the connection, not the call: queueing for a socket is not the receiver's fault. */
function createAgent(timeoutMs: number): Agent {
  return new Agent({
    connections: maxConnections,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  })
}

function signatureFor(parcel: Parcel, appSecret: string): string | null {
  switch (parcel.signature) {
    case 'right':
      return signBody(parcel.body, appSecret)
    case 'wrong':
      return signBody(parcel.body, `not ${appSecret}`)
    case 'missing':
      return null
  }
}

interface Answer {
  status: number | null
  error: string | null
}

async function post(
  agent: Agent,
  url: string,
  body: Buffer,
  signature: string | null,
): Promise<Answer> {
  try {
    const response = await request(url, {
      method: 'POST',
      dispatcher: agent,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
      },
      body,
    })
    await response.body.dump()
    return { status: response.statusCode, error: null }
  } catch (error) {
    return { status: null, error: describe(error) }
  }
}

async function shakeHands(agent: Agent, target: Callback, challenge: string): Promise<Handshake> {
  const failed = (reason: string, status: number | null = null): Handshake => ({
    verified: false,
    response_status: status,
    reason,
  })
  if (target.url === undefined) return failed('no webhook url is set')
  try {
    const url = new URL(target.url)
    url.searchParams.set('hub.mode', 'subscribe')
    url.searchParams.set('hub.verify_token', target.verifyToken)
    url.searchParams.set('hub.challenge', challenge)
    const response = await request(url, { dispatcher: agent })
    const body = await response.body.text()
    if (response.statusCode !== 200) {
      return failed(`answered ${response.statusCode} instead of 200`, response.statusCode)
    }
    if (body !== challenge) return failed('the body is not the bare hub.challenge', 200)
    return { verified: true, response_status: 200, reason: null }
  } catch (error) {
    return failed(describe(error))
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // Connection failures often have an empty message and say what happened in `code`.
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name
  return error.message === '' ? code : `${code}: ${error.message}`
}

function messageIds({ items }: Delivery): string[] {
  return items.flatMap(({ kind, wamid }) => (kind === 'message' && wamid !== null ? [wamid] : []))
}
