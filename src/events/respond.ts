// The http responder: messages in an endpoint's answer to message.received become outbox rows. They are judged after the
// answer came, and queued in the transaction that settles its delivery; the event's own row says that it was answered, so
// an answer that is repeated, because ours to it was lost or because it is replayed, has no second effect.
import { z } from 'zod'
import { parsePart } from '../api/route.ts'
import { DatabaseUnavailable, type Db, isContention, type Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { EndedSend } from '../outbox/end-suppressed.ts'
import type { Enqueuer, Prepared } from '../outbox/enqueue.ts'
import { type SendRequest, sendRequest } from '../outbox/message.ts'
import type { ClaimedDelivery } from './model.ts'
import { markReplied, selectCorrespondent } from './responder-queries.ts'

export interface Responder {
  read(delivery: ClaimedDelivery, body: Buffer): Promise<Answer | 'unavailable'>
  /** In the transaction that settles the deliveries, before their own queue is locked. */
  queue(tx: Tx, answered: Answered[], now: Date): Promise<Replies>
}

export interface Answered {
  delivery: ClaimedDelivery
  answer: Answer | null
}

export interface Replies {
  /** Message ids by delivery; none for an event that was answered before. */
  queued: Map<string, string[]>
  /** Those that an opt-out ended at once. */
  ended: EndedSend[]
}

export interface Answer {
  /** In the order in which they are to be sent. */
  messages: Prepared[]
  /** Why none of them is sent: the code of what is wrong with one of them. */
  problem: string | null
}

const nothing: Answer = { messages: [], problem: null }

const answerBody = z.object({
  messages: z.array(z.record(z.string(), z.unknown())).max(10).default([]),
})

export function createResponder(options: {
  db: Db
  enqueuer: Pick<Enqueuer, 'prepare' | 'queue'>
}): Responder {
  const { db, enqueuer } = options

  async function prepareAll(delivery: ClaimedDelivery, messages: Record<string, unknown>[]) {
    const { tenantId, phoneNumberId } = delivery
    const to = await selectCorrespondent(db, tenantId, messageIdOf(delivery))
    if (!to || phoneNumberId === null) {
      throw new AppError('RECIPIENT_UNKNOWN', 422, 'Nobody is known to have written it.')
    }
    const address = { ...to, phone_number_id: phoneNumberId }
    // All or none: half an answer is rarely what somebody meant.
    const prepared: Prepared[] = []
    for (const message of messages) {
      for (const field of ['to', 'recipient', 'recipient_type', 'phone_number_id']) {
        if (message[field] !== undefined) {
          throw new AppError('INVALID_ANSWER', 422, `${field}: an answer goes to whoever wrote`)
        }
      }
      const request = parsePart(
        sendRequest,
        { ...message, ...address },
        'message',
        'INVALID_ANSWER',
      ) as SendRequest
      const correlationId = delivery.correlationId ?? undefined
      prepared.push(
        await enqueuer.prepare({ tenantId, request, idempotencyKey: undefined, correlationId }),
      )
    }
    return { messages: prepared, problem: null }
  }

  return {
    async read(delivery, body) {
      const text = body.toString('utf8').trim()
      if (text === '') return nothing
      try {
        const { messages } = parsePart(
          answerBody,
          parseJson(text),
          'answer',
          'INVALID_ANSWER',
        ) as z.output<typeof answerBody>
        return messages.length === 0 ? nothing : await prepareAll(delivery, messages)
      } catch (error) {
        if (error instanceof AppError && error.status < 500) {
          return { messages: [], problem: error.code }
        }
        const isAway = error instanceof DatabaseUnavailable || isContention(error)
        if (isAway || error instanceof AppError) return 'unavailable'
        throw error
      }
    },

    async queue(tx, answered, now) {
      const queued = new Map<string, string[]>()
      const prepared: Prepared[] = []
      for (const { delivery, answer } of answered.toSorted(byEvent)) {
        const { tenantId, eventId } = delivery
        const messages = answer?.messages ?? []
        if (messages.length === 0 || !(await markReplied(tx, tenantId, eventId, now))) continue
        const ids = messages.flatMap((one) => ('entry' in one ? one.entry.messageId : []))
        queued.set(delivery.id, ids)
        prepared.push(...messages)
      }
      // All at once: one after the other, each would wait for its conversation with the queues of those before it locked.
      return { queued, ended: await enqueuer.queue(tx, prepared) }
    },
  }
}

/** In one order for all who settle. */
function byEvent({ delivery: a }: Answered, { delivery: b }: Answered): number {
  return `${a.tenantId} ${a.eventId}` < `${b.tenantId} ${b.eventId}` ? -1 : 1
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('INVALID_ANSWER', 422, 'The answer is not JSON.')
  }
}

function messageIdOf({ data }: ClaimedDelivery): string {
  return typeof data?.message_id === 'string' ? data.message_id : ''
}
