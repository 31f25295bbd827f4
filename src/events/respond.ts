// The http responder: messages in an endpoint's answer to message.received become outbox rows. They are judged after the
// answer came, and queued in the transaction that settles its delivery; the event's own row says that it was answered, so
// an answer that is repeated, because ours to it was lost or because it is replayed, has no second effect.
import { z } from 'zod'
import { parsePart } from '../api/route.ts'
import { DatabaseUnavailable, type Db, isContention, type Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import type { Enqueuer } from '../outbox/enqueue.ts'
import { type SendRequest, sendRequest } from '../outbox/message.ts'
import type { ClaimedDelivery } from './model.ts'
import { markReplied, selectCorrespondent } from './responder-queries.ts'

export interface Responder {
  read(delivery: ClaimedDelivery, body: Buffer): Promise<Answer | 'unavailable'>
}

export interface Answer {
  /** To be called in order, in the transaction that settles the delivery. */
  queue: ((tx: Tx) => Promise<unknown>)[]
  /** Why none of them is sent: the code of what is wrong with one of them. */
  problem: string | null
}

const nothing: Answer = { queue: [], problem: null }

const answerBody = z.object({
  messages: z.array(z.record(z.string(), z.unknown())).max(10).default([]),
})

export function createResponder(options: {
  db: Db
  enqueuer: Pick<Enqueuer, 'prepare'>
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
    const queue: Answer['queue'] = []
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
      queue.push(await enqueuer.prepare({ tenantId, request, idempotencyKey: undefined }))
    }
    return { queue, problem: null }
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
          return { queue: [], problem: error.code }
        }
        const isAway = error instanceof DatabaseUnavailable || isContention(error)
        if (isAway || error instanceof AppError) return 'unavailable'
        throw error
      }
    },
  }
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

/** How many messages were queued: none when the event was answered before. */
export async function queueReplies(
  tx: Tx,
  { tenantId, eventId }: ClaimedDelivery,
  queue: Answer['queue'],
  now: Date,
): Promise<number> {
  if (queue.length === 0 || !(await markReplied(tx, tenantId, eventId, now))) return 0
  for (const one of queue) await one(tx)
  return queue.length
}
