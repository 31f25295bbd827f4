// Step 1 of sending: a checked message → a `queued` message and its outbox row, in one commit. After: worker.ts.
// Calls that arrive together share one transaction. Nothing here calls Meta.
import { createHash } from 'node:crypto'
import { identityKey, lockContacts, resolveContacts } from '../contacts/resolve.ts'
import { windowMs } from '../conversations/model.ts'
import { queueMessages } from '../conversations/queue-message.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import { type BatchResult, createMicroBatch } from '../micro-batch.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { choosePlace, createLookUp, idempotencyMs } from './look-up.ts'
import { checkTimes } from './message/options.ts'
import { describeContent, fallbackOf, type SendRequest, toMeta } from './message.ts'
import type { NewSend } from './model.ts'
import {
  type KeyedSend,
  keepConversations,
  type SendPlace,
  selectKeys,
  takeKeys,
} from './queries.ts'
import { enqueueSends } from './queue-queries.ts'

export interface Enqueuer {
  /** Resolves once the message is committed as queued. */
  send(order: SendOrder): Promise<Accepted>
}

export interface SendOrder {
  tenantId: string
  request: SendRequest
  idempotencyKey: string | undefined
}

export interface Accepted {
  messageId: string
  conversationId: string
  /** The same key was accepted before: this is what it was answered then. */
  isReplay: boolean
}

export interface EnqueuerOptions {
  db: Db
  clock: Clock
  random: Random
  /** Called after a commit that added messages. */
  onQueued: () => void
}

interface Entry {
  order: SendOrder
  place: SendPlace
  messageId: string
  correlationId: string
  key: Omit<KeyedSend, 'conversationId'> | null
}

export function createEnqueuer(options: EnqueuerOptions): Enqueuer {
  const { db, clock, random } = options
  const lookUp = createLookUp(db, clock)
  const batch = createMicroBatch<Entry, Accepted>({
    clock,
    // One transaction at a time per process: the locks of a tenant would make a second one wait anyway.
    maxInFlight: 2,
    fewItems: 16,
    patienceMs: 25,
    maxItems: 200,
    weigh: () => 1,
    maxWeight: 1_000,
    maxWaitingItems: 10_000,
    maxWaitingWeight: 10_000,
    deadlineMs: 10_000,
    run: async (entries) => {
      const results = await accept(options, entries)
      if (results.some((result) => 'value' in result && !result.value.isReplay)) options.onQueued()
      return results
    },
  })

  return {
    async send(order) {
      const key = keyOf(order)
      const { earlier, places } = await lookUp({ ...order, key })
      // Before anything else is judged: what was accepted stays accepted, though the window may have closed since.
      if (earlier && key) return replay(earlier, key)
      checkTimes(order.request, clock.now())
      const place = choosePlace(places)
      refuseWhatCannotBeSent(place, order, clock.now())
      const messageId = random.uuid()
      return batch.submit({
        order,
        place,
        messageId,
        correlationId: random.uuid(),
        key: key && { ...key, messageId },
      })
    },
  }
}

function keyOf({ tenantId, idempotencyKey, request }: SendOrder) {
  if (idempotencyKey === undefined) return null
  const requestSha256 = createHash('sha256').update(JSON.stringify(request)).digest()
  return { tenantId, key: idempotencyKey, requestSha256 }
}

function replay(earlier: KeyedSend, key: Pick<KeyedSend, 'requestSha256'>): Accepted {
  if (!earlier.requestSha256.equals(key.requestSha256)) {
    throw new AppError(
      'IDEMPOTENCY_KEY_REUSED',
      422,
      'This Idempotency-Key was used for another message. Use a new key for each message.',
    )
  }
  return {
    messageId: earlier.messageId,
    conversationId: earlier.conversationId,
    isReplay: true,
  }
}

function refuseWhatCannotBeSent(place: SendPlace, { request }: SendOrder, now: Date): void {
  if (place.auth_status === 'needs_reauth') {
    throw new AppError(
      'WHATSAPP_REAUTH_REQUIRED',
      409,
      'The account lost its access at Meta and must be reconnected.',
      {
        details: { reconnect_url: `/console/accounts/${publicId('acc', place.account_id ?? '')}` },
      },
    )
  }
  const at = request.send_at === undefined ? now : new Date(request.send_at)
  const closesAt = windowEnd(place.last_inbound_at)
  const isOpen = closesAt !== null && closesAt > at
  if (isOpen || describeContent(request).isTemplate || request.fallback_template) return
  throw new AppError(
    'WINDOW_CLOSED',
    422,
    'The contact has not written in the 24 hours before: only a template can be sent.',
    { details: { window_expired_at: closesAt?.toISOString() ?? null } },
  )
}

export function windowEnd(lastInboundAt: Date | null): Date | null {
  return lastInboundAt && new Date(lastInboundAt.getTime() + windowMs)
}

async function accept(
  { db, clock, random }: EnqueuerOptions,
  entries: Entry[],
): Promise<BatchResult<Accepted>[]> {
  const now = clock.now()
  const since = new Date(now.getTime() - idempotencyMs)
  return db.transaction(async (tx) => {
    const keyed = firstOfEach(entries.flatMap((entry) => entry.key ?? []))
    const taken = keyed.length > 0 ? await takeKeys(tx, keyed, now, since) : new Set<string>()
    const isNew = (entry: Entry) => !entry.key || taken.has(entry.messageId)
    const fresh = entries.filter(isNew)
    const conversations = fresh.length > 0 ? await queueAll(tx, fresh, random, now) : new Map()
    const kept = fresh.flatMap(({ key, messageId }) =>
      key ? [{ ...key, conversationId: conversations.get(messageId) ?? '' }] : [],
    )
    if (kept.length > 0) await keepConversations(tx, kept)
    const earlier = await earlierOf(
      tx,
      entries.filter((entry) => !isNew(entry)),
      since,
    )
    // Last, because it locks the tenants until the commit.
    if (fresh.length > 0) {
      await enqueueSends(
        tx,
        fresh.map((entry) => sendOf(entry, conversations.get(entry.messageId) ?? '')),
      )
    }
    return entries.map((entry) => {
      if (isNew(entry)) {
        const conversationId = conversations.get(entry.messageId) ?? ''
        return { value: { messageId: entry.messageId, conversationId, isReplay: false } }
      }
      const first = earlier.get(`${entry.order.tenantId} ${entry.key?.key}`)
      if (!first || !entry.key) return { error: new Error('bug: a taken key without its message') }
      try {
        return { value: replay(first, entry.key) }
      } catch (error) {
        return { error: error as Error }
      }
    })
  })
}

/** Twins can arrive in one batch. */
function firstOfEach<Key extends { tenantId: string; key: string }>(keys: Key[]): Key[] {
  const byName = new Map<string, Key>()
  for (const key of keys) {
    const name = `${key.tenantId} ${key.key}`
    if (!byName.has(name)) byName.set(name, key)
  }
  return [...byName.values()]
}

async function earlierOf(tx: Tx, entries: Entry[], since: Date): Promise<Map<string, KeyedSend>> {
  const keys = entries.flatMap((entry) => entry.key ?? [])
  if (keys.length === 0) return new Map()
  const rows = await selectKeys(tx, keys, since)
  return new Map(rows.map((row) => [`${row.tenantId} ${row.key}`, row]))
}

/** Contact, conversation and message of each; conversations by message id. */
async function queueAll(
  tx: Tx,
  entries: Entry[],
  random: Random,
  now: Date,
): Promise<Map<string, string>> {
  const identityOf = ({ order: { tenantId, request } }: Entry) => ({
    tenantId,
    kind: request.recipient_type === 'group' ? ('group' as const) : ('person' as const),
    // Who is who is Meta's to say: of two names given here, the number counts.
    waId: request.to ?? null,
    userId: request.to === undefined ? (request.recipient ?? null) : null,
    name: null,
    username: null,
  })
  const newId = () => random.uuid()
  const tenants = entries.map((entry) => entry.order.tenantId)
  await lockContacts(tx, [...new Set(tenants)], 'shared')
  const { contacts } = await resolveContacts(entries.map(identityOf), {
    tx,
    mode: 'shared',
    newId,
    now,
  })
  const messages = entries.map((entry) => {
    const contact = contacts.get(identityKey(identityOf(entry)))
    if (!contact) throw new Error('bug: a recipient without a contact')
    const { type, content, replyTo } = describeContent(entry.order.request)
    return {
      id: entry.messageId,
      tenantId: entry.order.tenantId,
      phoneNumberId: entry.place.phone_number_id,
      contact,
      type,
      content,
      replyTo,
      clientReference: entry.order.request.client_reference ?? null,
      correlationId: entry.correlationId,
    }
  })
  return queueMessages(tx, messages, newId, now)
}

function sendOf(
  { order: { tenantId, request }, place, messageId, correlationId }: Entry,
  conversationId: string,
): NewSend {
  const fallback = fallbackOf(request)
  return {
    tenantId,
    phoneNumberId: place.phone_number_id,
    messageId,
    conversationId,
    lane: request.to ?? request.recipient ?? '',
    sendAt: request.send_at === undefined ? null : new Date(request.send_at),
    payload: toMeta(request),
    fallbackTemplate: fallback && toMeta(fallback),
    callbackData: request.biz_opaque_callback_data ?? null,
    delivery: request.delivery,
    expiresAt: request.expires_at === undefined ? null : new Date(request.expires_at),
    correlationId,
    parentId: null,
  }
}
