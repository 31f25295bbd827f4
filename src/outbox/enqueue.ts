// Step 1 of sending: a checked message → a `queued` message and its outbox row, in one commit. After: worker.ts.
// Calls that arrive together share one transaction. Nothing here calls Meta.
import { createHash } from 'node:crypto'
import { identityKey, lockContacts, resolveContacts } from '../contacts/resolve.ts'
import { windowMs } from '../conversations/model.ts'
import { queueMessages } from '../conversations/queue-message.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { type BatchResult, createMicroBatch } from '../micro-batch.ts'
import type { FoundTemplate } from '../templates/for-sends.ts'
import { refuseUnsendable, UnknownTemplate } from '../templates/sendable.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Traces } from '../tracing/traces.ts'
import { refuseOverflow } from './backlog-limit.ts'
import { type EndedSend, endSuppressed, reportEnded } from './end-suppressed.ts'
import { choosePlace, createLookUp, idempotencyMs } from './look-up.ts'
import { checkTimes } from './message/options.ts'
import { describeContent, fallbackOf, type SendRequest, templateIn, toMeta } from './message.ts'
import type { NewSend } from './model.ts'
import {
  type KeyedSend,
  keepConversations,
  type SendPlace,
  selectKeys,
  takeKeys,
} from './queries.ts'
import { enqueueHeeding } from './queue-queries.ts'
import type { QueuedSend } from './ring.ts'
import { traceQueued } from './trace.ts'

export interface Enqueuer {
  /** Resolves once the message is committed as queued. */
  send(order: SendOrder): Promise<Accepted>
  /** Judges it now, as `send` does, to be queued in somebody else's transaction. */
  prepare(order: SendOrder): Promise<Prepared>
  /** Late in its transaction, and once for all: it locks the tenants' queues. What an opt-out ended is told after it. */
  queue(tx: Tx, prepared: Prepared[]): Promise<EndedSend[]>
}

/** Judged; or what the same key was answered before. */
export type Prepared = { replayed: Accepted } | { entry: Entry }

export interface SendOrder {
  tenantId: string
  request: SendRequest
  idempotencyKey: string | undefined
  /** The story that it belongs to; its own, unless it is an answer. */
  correlationId?: string | undefined
  /** As the caller's W3C trace context has it. */
  traceparent?: string | undefined
  /** The person who wrote it in the console. */
  sentBy?: string | undefined
  /** Where browsers reach the console; for a caller to be sent there. */
  baseUrl?: string | undefined
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
  /** For tenants without one of their own. */
  maxQueued: number
  /** Throws when a file that the message names cannot be sent, naming the field. */
  checkMedia: (tenantId: string, request: SendRequest) => Promise<void>
  /** Called after a commit that added these, and waited for: it must not take long, nor fail. */
  onQueued: (messages: QueuedSend[]) => unknown
  /** What an opt-out ended in the moment it was accepted is told here. */
  report?: { log: Log; metrics: Metrics }
  traces?: Traces | undefined
  /** Called when a message names a template that the mirror of this account does not have. */
  onUnknownTemplate?: (tenantId: string, wabaId: string) => void
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
    run: (entries) => acceptWhatFits(options, entries),
  })

  /** What the same key was accepted as, or what is to be accepted now. */
  async function judge(order: SendOrder): Promise<Prepared> {
    const key = keyOf(order)
    const { earlier, places, template } = await lookUp({ ...order, key })
    // Before anything else is judged: what was accepted stays accepted, though the window may have closed since.
    if (earlier && key) return { replayed: replay(earlier, key) }
    checkTimes(order.request, clock.now())
    const place = choosePlace(places)
    refuseWhatCannotBeSent(place, order, clock.now())
    refuseTemplate(options, order, template)
    await options.checkMedia(order.tenantId, order.request)
    const messageId = random.uuid()
    const correlationId = order.correlationId ?? random.uuid()
    return { entry: { order, place, messageId, correlationId, key: key && { ...key, messageId } } }
  }

  return {
    async send(order) {
      const startedMs = clock.monotonicMs()
      const judged = await judge(order)
      const accepted = 'entry' in judged ? await batch.submit(judged.entry) : judged.replayed
      if (accepted.isReplay) options.report?.metrics.dedupeHits.inc({ layer: 'request' })
      else if ('entry' in judged) traceEntry(options, judged.entry, startedMs)
      // crash point: outbox.queued-before-answer
      return accepted
    },
    prepare: judge,
    async queue(tx, prepared) {
      const entries = prepared.flatMap((one) => ('entry' in one ? one.entry : []))
      if (entries.length === 0) return []
      const { results, ended } = await accept(options, entries, (work) => work(tx))
      for (const result of results) if ('error' in result) throw result.error
      return ended
    },
  }
}

function traceEntry(options: EnqueuerOptions, entry: Entry, startedMs: number): void {
  if (!options.traces) return
  const { order, place, messageId, correlationId } = entry
  const { tenantId, traceparent } = order
  const phoneNumberId = place.phone_number_id
  const queued = { tenantId, phoneNumberId, messageId, correlationId, traceparent, startedMs }
  traceQueued(options, queued)
}

function isQueued(result: BatchResult<Accepted> | undefined): boolean {
  return result !== undefined && 'value' in result && !result.value.isReplay
}

function queuedSendOf({ order: { tenantId, request }, messageId }: Entry): QueuedSend {
  return { tenantId, messageId, isForLater: request.send_at !== undefined }
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

function refuseWhatCannotBeSent(place: SendPlace, order: SendOrder, now: Date): void {
  const { request, baseUrl = '' } = order
  if (place.auth_status === 'needs_reauth') {
    const account = publicId('acc', place.account_id ?? '')
    throw new AppError(
      'WHATSAPP_REAUTH_REQUIRED',
      409,
      'The account lost its access at Meta and must be reconnected.',
      { details: { reconnect_url: `${baseUrl}/console/accounts/${account}` } },
    )
  }
  const at = request.send_at === undefined ? now : new Date(request.send_at)
  const closesAt = windowEnd(place.last_inbound_at)
  const isOpen = closesAt !== null && closesAt > at
  refuseWhatIsUnwanted(place, describeContent(request).isTemplate || !isOpen)
  const repliesOnlyUntil = place.replies_only_until
  if (!isOpen && repliesOnlyUntil && repliesOnlyUntil > at) {
    throw new AppError(
      'ACCOUNT_RESTRICTED',
      409,
      'Meta restricted this account: until then it can only answer people who wrote in the last 24 hours.',
      { details: { restricted_until: repliesOnlyUntil.toISOString() } },
    )
  }
  if (isOpen || describeContent(request).isTemplate || request.fallback_template) return
  throw new AppError(
    'WINDOW_CLOSED',
    422,
    'The contact has not written in the 24 hours before: only a template can be sent.',
    { details: { window_expired_at: closesAt?.toISOString() ?? null } },
  )
}

function refuseWhatIsUnwanted(place: SendPlace, isTemplate: boolean): void {
  const { suppressed_scope: scope, suppressed_reason, suppressed_since, is_marketing } = place
  if (scope === null || (scope === 'marketing' && !(isTemplate && is_marketing))) return
  throw new AppError(
    'RECIPIENT_SUPPRESSED',
    409,
    scope === 'marketing'
      ? 'The contact has stopped marketing messages from this number.'
      : 'The contact wants no messages from this number, or is blocked.',
    {
      details: {
        scope,
        reason: suppressed_reason,
        since: suppressed_since?.toISOString() ?? null,
      },
    },
  )
}

/** One that the mirror does not have may be new at Meta: the next try may find it. */
function refuseTemplate(
  { clock, onUnknownTemplate }: EnqueuerOptions,
  { tenantId, request }: SendOrder,
  entry: FoundTemplate | undefined,
): void {
  const named = templateIn(request)
  if (!named) return
  const now = clock.now()
  const isTemplate = request.type === 'template'
  const isForLater = !isTemplate || (request.send_at ?? '') > now.toISOString()
  const field = isTemplate ? 'template' : 'fallback_template'
  try {
    refuseUnsendable(named, entry, { field, isForLater, now })
  } catch (error) {
    if (error instanceof UnknownTemplate && entry) onUnknownTemplate?.(tenantId, entry.wabaId)
    throw error
  }
}

export function windowEnd(lastInboundAt: Date | null): Date | null {
  return lastInboundAt && new Date(lastInboundAt.getTime() + windowMs)
}

async function acceptWhatFits(
  options: EnqueuerOptions,
  entries: Entry[],
): Promise<BatchResult<Accepted>[]> {
  const { db, maxQueued, report } = options
  const tenants = entries.map(({ order }) => order.tenantId)
  const refusals = await refuseOverflow(db, tenants, maxQueued)
  const fitting = entries.filter((_, index) => !refusals[index])
  report?.metrics.rateLimits.inc({ scope: 'backlog' }, entries.length - fitting.length)
  if (fitting.length === 0) return refusals.flatMap((error) => (error ? [{ error }] : []))
  const { results, ended } = await accept(options, fitting)
  // crash point: outbox.queued-before-ring
  if (report) reportEnded(report, ended)
  const queued = fitting.filter((_, index) => isQueued(results[index]))
  if (queued.length > 0) await options.onQueued(queued.map(queuedSendOf))
  const accepted = results.values()
  return refusals.map((error) => (error ? { error } : accepted.next().value)) as typeof results
}

async function accept(
  { db, clock, random }: EnqueuerOptions,
  entries: Entry[],
  inTransaction: Db['transaction'] = db.transaction,
): Promise<{ results: BatchResult<Accepted>[]; ended: EndedSend[] }> {
  const now = clock.now()
  const since = new Date(now.getTime() - idempotencyMs)
  return inTransaction(async (tx) => {
    const keyed = firstOfEach(entries.flatMap((entry) => entry.key ?? []))
    const taken = keyed.length > 0 ? await takeKeys(tx, keyed, now, since) : new Set<string>()
    const isNew = (entry: Entry) => !entry.key || taken.has(entry.messageId)
    const fresh = entries.filter(isNew)
    const queued = fresh.length > 0 ? await queueAll(tx, fresh, random, now) : []
    const conversations = new Map(queued.map((one) => [one.messageId, one.conversationId]))
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
    const suppressed = queued.length > 0 ? await enqueueHeeding(tx, queued.map(sendOf)) : []
    const ended = await endSuppressed(tx, suppressed, random, now)
    const results = entries.map((entry) => {
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
    // crash point: outbox.queued-before-commit
    return { results, ended }
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

interface QueuedEntry extends Entry {
  conversationId: string
}

/** Contact, conversation and message of each. */
async function queueAll(
  tx: Tx,
  entries: Entry[],
  random: Random,
  now: Date,
): Promise<QueuedEntry[]> {
  const identityOf = ({ place, order: { tenantId, request } }: Entry) => ({
    tenantId,
    kind: request.recipient_type === 'group' ? ('group' as const) : ('person' as const),
    // Who is who is Meta's to say: of two names given here, the number counts.
    waId: place.meant_wa_id ?? request.to ?? null,
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
      sentBy: entry.order.sentBy ?? null,
    }
  })
  const conversations = await queueMessages(tx, messages, newId, now)
  return entries.map((entry) => ({
    ...entry,
    conversationId: conversations.get(entry.messageId) ?? '',
  }))
}

function sendOf({
  order: { tenantId, request },
  place,
  messageId,
  correlationId,
  conversationId,
}: QueuedEntry): NewSend {
  const fallback = fallbackOf(request)
  return {
    tenantId,
    phoneNumberId: place.phone_number_id,
    messageId,
    conversationId,
    // However the person is addressed, and whatever name they get while it waits, it is one person's turn.
    lane: conversationId,
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
