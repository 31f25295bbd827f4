// What happens over time to a send that was accepted, and to what a customer writes.
import type { Background } from './background.ts'
import type { CustomerMessage } from './customers.ts'
import type { FaultEngine } from './faults/engine.ts'
import type { Feed } from './feed.ts'
import type { AcceptedSend, Recipient } from './ledger.ts'
import { createInbound } from './lifecycle-inbound.ts'
import { planLadder, type Rung } from './lifecycle-plan.ts'
import type { BusinessNumber, Numbers } from './numbers.ts'
import type { Presence } from './phone/presence.ts'
import { type Clock, type Random, unixSeconds } from './time-and-chance.ts'
import type { EventSender } from './webhooks/events.ts'
import { otherSpelling } from './webhooks/identity.ts'
import type { Notifier } from './webhooks/notifier.ts'
import { type LadderStatus, statusUpdate } from './webhooks/payloads.ts'

export interface LifecycleOptions {
  clock: Clock
  random: Random
  numbers: Numbers
  background: Background
  notifier: Notifier
  events: EventSender
  faults: FaultEngine
  feed: Feed
  /** Whether a customer's phone can receive, tells that it read, and has blocked the number. */
  presence: Presence
  /** The wait before each status, counted from the one before. */
  statusDelaysMs: Record<LadderStatus, number>
  /** Stores files and completes what is said of them. */
  receiveContent(phoneNumberId: string, type: string, content: unknown): unknown
}

export interface Lifecycle {
  /** Who the recipient turns out to be: WhatsApp may know a person by another number. */
  resolve(number: BusinessNumber, recipient: Recipient): Recipient
  /** Lets the statuses of an accepted send follow. */
  begin(number: BusinessNumber, send: AcceptedSend): void
  /** What the answer to this send has to wait for, if anything. */
  beforeAnswer(wamid: string): Promise<void> | undefined
  /** `from` is a phone number or a business-scoped user id. Returns the wamid at once. */
  customerWrites(from: string, message: CustomerMessage): string
}

export function createLifecycle(options: LifecycleOptions): Lifecycle {
  const { background, faults, presence } = options
  const inbound = createInbound(options)
  const early = new Map<string, Promise<void>>()

  return {
    resolve: (number, recipient) => resolveRecipient(faults, number, recipient),
    begin(number, send) {
      if (send.dropped) return
      changeStanding(options, number, send)
      const isBlocked = presence.hasBlocked(customerOf(send), number.phone_number_id)
      const plan = planLadder({ faults, number, send, isBlocked })
      const climb = new Climb(options, number, send, plan.hiddenAs)
      const first = climb.now(plan.early)
      if (plan.early.length > 0) {
        early.set(send.wamid, first)
        background.run(first.then(() => void early.delete(send.wamid)))
      }
      background.run(first.then(() => climb.go(plan.rungs)))
    },
    beforeAnswer: (wamid) => early.get(wamid),
    customerWrites: inbound.customerWrites,
  }
}

/** One send on its way up the statuses. */
class Climb {
  readonly #options: LifecycleOptions
  readonly #number: BusinessNumber
  readonly #send: AcceptedSend
  readonly #hiddenAs: string | undefined

  constructor(
    options: LifecycleOptions,
    number: BusinessNumber,
    send: AcceptedSend,
    hiddenAs: string | undefined,
  ) {
    this.#options = options
    this.#number = number
    this.#send = send
    this.#hiddenAs = hiddenAs
  }

  /** Statuses that do not wait. */
  async now(rungs: readonly Rung[]): Promise<void> {
    for (const rung of rungs) await this.#report(rung)
  }

  /**
   * Each status leaves once the one before has had its first answer, so that a healthy receiver
   * sees them in order. A status that has to be retried is overtaken by the next, as with Meta.
   */
  async go(rungs: readonly Rung[]): Promise<void> {
    const { background, presence } = this.#options
    const customer = customerOf(this.#send)
    // All waits begin now: when each status is due must not depend on how fast others are answered.
    let dueMs = 0
    const waits = rungs.map(({ status }) => {
      dueMs += this.#delayBefore(status)
      return background.wait(dueMs)
    })
    for (const [index, rung] of rungs.entries()) {
      if (!(await waits[index])) return
      if (needsPhone(rung.status) && !presence.isOnline(customer)) {
        // Not background work: nothing is due until the phone is back.
        presence.whenOnline(customer, () => background.run(this.go(rungs.slice(index))))
        return
      }
      if (isReceipt(rung.status) && !presence.readsReceipts(customer)) return
      await this.#report(rung)
    }
  }

  #delayBefore(status: string): number {
    const { statusDelaysMs } = this.#options
    if (status === 'delivered') return statusDelaysMs.delivered
    return isReceipt(status) ? statusDelaysMs.read : statusDelaysMs.sent
  }

  #report({ status, error }: Rung): Promise<void> {
    const { feed, notifier, clock } = this.#options
    const { phone_number_id } = this.#number
    const failure = error === undefined ? {} : { error }
    feed.emit({ type: 'status', phone_number_id, wamid: this.#send.wamid, status, ...failure })
    return notifier.notify(
      statusUpdate(this.#number, this.#send, {
        status,
        timestamp: unixSeconds(clock),
        ...failure,
        ...(this.#hiddenAs === undefined ? {} : { hidden_as: this.#hiddenAs }),
      }),
    )
  }
}

function needsPhone(status: string): boolean {
  return status === 'delivered' || isReceipt(status)
}

function isReceipt(status: string): boolean {
  return status === 'read' || status === 'played'
}

function customerOf({ recipient }: AcceptedSend): string {
  return recipient.wa_id ?? recipient.user_id ?? recipient.input
}

function resolveRecipient(
  faults: FaultEngine,
  number: BusinessNumber,
  recipient: Recipient,
): Recipient {
  const { wa_id } = recipient
  if (wa_id === undefined) return recipient
  const { phone_number_id, waba_id } = number
  const chance = { phone_number_id, waba_id, recipient: wa_id, endpoint: 'messages' }
  const struck = faults.strikeIf(
    'other_wa_id',
    chance,
    {},
    ({ rule }) => (rule.wa_id ?? otherSpelling(wa_id)) !== undefined,
  )
  const other = struck && (struck.rule.wa_id ?? otherSpelling(wa_id))
  return other === undefined ? recipient : { ...recipient, wa_id: other }
}

/** The quality or the limit of a number falls while it sends. */
function changeStanding(
  { faults, events, numbers }: LifecycleOptions,
  { phone_number_id, waba_id }: BusinessNumber,
  send: AcceptedSend,
): void {
  const chance = { phone_number_id, waba_id, recipient: customerOf(send), endpoint: 'messages' }
  const context = { wamid: send.wamid }
  const profile = numbers.profile(phone_number_id)
  for (const { rule } of faults.strikes('quality_change', chance, context)) {
    const { event, current_limit, old_limit } = rule
    Object.assign(profile, { quality_rating: 'RED', messaging_limit: current_limit })
    events.send({
      field: 'phone_number_quality_update',
      phone_number_id,
      event,
      value: { current_limit, old_limit },
    })
  }
  for (const { rule } of faults.strikes('limit_change', chance, context)) {
    if (typeof rule.limit === 'string') profile.messaging_limit = rule.limit
    const value = { max_daily_conversations_per_business: rule.limit }
    events.send({ field: 'business_capability_update', phone_number_id, value })
  }
}
