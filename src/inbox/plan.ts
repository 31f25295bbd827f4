// Parsed items → what is to be written, still without the database: who owns each, and what cannot be applied at all.
import type { NewAccountEvent } from '../accounts/record-event.ts'
import type { NumberOwner, NumberSettings, WabaOwner } from '../accounts/route.ts'
import type { Identity } from '../contacts/model.ts'
import type { MessageStatus, NewMessage, NewStatus } from '../conversations/model.ts'
import type { DeadLetter } from '../dead-letters/bury.ts'
import type { LogFields } from '../log.ts'
import { canonicalHash } from '../meta/json.ts'
import { type ParsedWebhook, timeOf } from '../meta/webhook.ts'
import type {
  MessageItem,
  NoticeItem,
  Person,
  StatusItem,
  WebhookItem,
} from '../meta/webhook-item.ts'
import type { Random } from '../time-and-chance.ts'
import { countItem, type EventOutcome, emptyOutcome } from './outcome.ts'
import type { ClaimedEvent, DedupeKey } from './queries.ts'

export interface ParsedEvent {
  event: ClaimedEvent
  webhook: ParsedWebhook
  startedMs: number
  /** Which item of the delivery the first one here is, when only some of them are worked. */
  offset?: number
}

interface Planned {
  event: ClaimedEvent
  outcome: EventOutcome
  owner: NumberOwner
}

export interface PlannedMessage extends Planned {
  settings: NumberSettings
  item: MessageItem
  key: DedupeKey
  /** Whom the conversation is with, and who wrote it. The same person, except in groups. */
  contact: Identity | undefined
  sender: Identity | undefined
  newIdentity: Identity | undefined
  row: Omit<NewMessage, 'contact' | 'senderContactId'>
}

export interface PlannedStatus extends Planned {
  key: DedupeKey
  row: NewStatus
}

export interface PlannedNotice extends Planned {
  item: NoticeItem
  contact: Identity | undefined
  newIdentity: Identity | undefined
  row: NewAccountEvent
}

export interface Plan {
  messages: PlannedMessage[]
  statuses: PlannedStatus[]
  notices: PlannedNotice[]
  letters: DeadLetter[]
  outcomes: Map<string, EventOutcome>
}

export interface Owners {
  byNumber: Map<string, NumberOwner & NumberSettings>
  byWaba: Map<string, WabaOwner[]>
}

export function planEvents(
  events: ParsedEvent[],
  owners: Owners,
  discarded: Set<string>,
  random: Random,
  now: Date,
): Plan {
  const plan: Plan = { messages: [], statuses: [], notices: [], letters: [], outcomes: new Map() }
  for (const one of events) {
    const outcome = emptyOutcome()
    plan.outcomes.set(one.event.id, outcome)
    const planner = createPlanner(plan, one.event, outcome, owners, random, now)
    itemsOf(one).forEach((item, index) => {
      if (discarded.has(`${one.event.id} ${item.path}`)) planner.discardedBefore(item)
      else planner.item(item, (one.offset ?? 0) + index)
    })
  }
  return plan
}

/** A payload that cannot be read is one item: itself. */
export function itemsOf({ event, webhook }: Pick<ParsedEvent, 'event' | 'webhook'>): WebhookItem[] {
  if ('items' in webhook) return webhook.items
  const whole = { path: '', wabaId: undefined, phoneNumberId: undefined, raw: event.raw }
  return [{ kind: 'malformed', ...whole, reason: webhook.malformed }]
}

function createPlanner(
  plan: Plan,
  event: ClaimedEvent,
  outcome: EventOutcome,
  owners: Owners,
  random: Random,
  now: Date,
) {
  function putAside(
    item: WebhookItem,
    kind: 'malformed' | 'unroutable',
    reason: string,
    tenantId: string | null,
  ) {
    const code = kind === 'malformed' ? 'MALFORMED' : 'UNROUTABLE'
    const id = random.uuid()
    plan.letters.push({ ...letterOf(event, item, kind, code, reason, id, now), tenantId })
    countItem(outcome, tenantId, 'dead')
    const tags = {
      kind,
      dead_letter_id: id,
      error_code: code,
      error_message: reason,
      path: item.path,
    }
    outcome.warnings.push({
      event: 'dead_lettered',
      fields: { ...tags, ...tagsOf(item, tenantId) },
    })
  }

  function noteFirst(item: WebhookItem, owner: NumberOwner, more: LogFields) {
    outcome.first ??= { ...tagsOf(item, owner.tenantId), ...more }
    if (item.wabaId !== undefined && item.wabaId !== owner.wabaId) {
      outcome.warnings.push({ event: 'waba_mismatch', fields: tagsOf(item, owner.tenantId) })
    }
  }

  return {
    discardedBefore(item: WebhookItem) {
      const [owner] = ownersOf(item, event, owners)
      countItem(outcome, owner?.tenantId ?? null, 'dead')
    },
    item(item: WebhookItem, index: number) {
      const [owner] = ownersOf(item, event, owners)
      if (item.kind === 'malformed') {
        putAside(item, 'malformed', item.reason, owner?.tenantId ?? null)
      } else if (item.kind === 'notice' && isEmpty(item)) {
        countItem(outcome, owner?.tenantId ?? null, { ignored: 'nothing_in_it' })
      } else if (!owner && isSignup(item)) {
        countItem(outcome, null, { ignored: 'sign_up' })
      } else if (!owner) {
        const reason =
          item.phoneNumberId === undefined && item.kind === 'notice'
            ? 'no account has this WABA id'
            : 'no account has this phone_number_id'
        putAside(item, 'unroutable', reason, null)
      } else if (item.kind === 'message') {
        noteFirst(item, owner, { wamid: item.wamid, event_type: 'inbound_message' })
        const id = random.uuidWithin(event.id, index)
        const settings = owners.byNumber.get(owner.phoneNumberId)
        if (!settings) throw new Error('bug: a message for a number that nobody has')
        plan.messages.push({ ...planMessage(item, event, owner, outcome, id), settings })
      } else if (item.kind === 'status') {
        noteFirst(item, owner, { wamid: item.wamid, event_type: 'status_update' })
        plan.statuses.push(planStatus(item, event, owner, outcome))
      } else {
        noteFirst(item, owner, { event_type: 'account_event' })
        for (const one of ownersOf(item, event, owners)) {
          const id = random.uuidWithin(event.id, index)
          plan.notices.push(planNotice(item, event, one, outcome, id))
        }
      }
    },
  }
}

/** A `messages` change without messages, statuses or errors says nothing. */
function isEmpty(item: NoticeItem): boolean {
  return item.field === 'messages'
}

/** Somebody signs up: Meta tells before the account is connected here, and again to whoever it is connected to. */
function isSignup(item: WebhookItem): boolean {
  return (
    item.kind === 'notice' &&
    item.field === 'account_update' &&
    (item.event === 'PARTNER_ADDED' || item.event === 'PARTNER_APP_INSTALLED')
  )
}

export function mayRoute(owner: NumberOwner, appId: string | null): boolean {
  return owner.appId === null || owner.appId === appId
}

/** By number alone; what has no number by its WABA, once per tenant. One Meta app never speaks for another's numbers. */
function ownersOf(item: WebhookItem, event: ClaimedEvent, owners: Owners): NumberOwner[] {
  const isAllowed = (owner: NumberOwner) => mayRoute(owner, event.appId)
  if (item.phoneNumberId !== undefined) {
    const owner = owners.byNumber.get(item.phoneNumberId)
    return owner && isAllowed(owner) ? [owner] : []
  }
  if (item.kind !== 'notice' || item.wabaId === undefined) return []
  const numbers = (owners.byWaba.get(item.wabaId) ?? []).filter(isAllowed)
  const named = numbers.filter(
    (number) => number.displayDigits === item.displayPhoneNumber?.replace(/\D/g, ''),
  )
  const tenants = new Map(
    (named.length > 0 ? named : numbers).map((number) => [number.tenantId, number]),
  )
  return [...tenants.values()]
}

function tagsOf(item: WebhookItem, tenantId: string | null): LogFields {
  return {
    ...(tenantId && { tenant_id: tenantId }),
    ...(item.phoneNumberId && { phone_number_id: item.phoneNumberId }),
  }
}

function planMessage(
  item: MessageItem,
  event: ClaimedEvent,
  owner: NumberOwner,
  outcome: EventOutcome,
  id: string,
): Omit<PlannedMessage, 'settings'> {
  const sender = identityOf(item.contact, owner.tenantId)
  const group: Identity | undefined =
    item.groupId === undefined
      ? undefined
      : {
          tenantId: owner.tenantId,
          kind: 'group',
          waId: item.groupId,
          userId: null,
          name: null,
          username: null,
        }
  return {
    event,
    outcome,
    owner,
    item,
    key: { tenantId: owner.tenantId, key: item.wamid, eventType: 'inbound_message' },
    contact: group ?? sender,
    sender: group ? sender : undefined,
    newIdentity: identityOf(item.newIdentity, owner.tenantId),
    row: {
      id,
      tenantId: owner.tenantId,
      phoneNumberId: owner.phoneNumberId,
      wamid: item.wamid,
      direction: item.direction,
      origin: item.origin,
      type: item.type,
      status: statusOf(item),
      content: item.content,
      replyTo: item.replyTo ?? null,
      occurredAt: timeOf(item.timestamp, event.receivedAt),
      // A system notice (the contact has a new number) is not the contact writing.
      opensWindow: item.direction === 'inbound' && item.origin === 'live' && item.type !== 'system',
      eventId: event.id,
      correlationId: event.correlationId,
    },
  }
}

const pastStatuses: Record<string, MessageStatus> = {
  sent: 'sent',
  delivered: 'delivered',
  read: 'read',
  played: 'played',
  error: 'failed',
}

function statusOf(item: MessageItem): MessageStatus {
  if (item.direction === 'inbound') return 'received'
  return pastStatuses[item.pastStatus ?? ''] ?? 'sent'
}

function planStatus(
  item: StatusItem,
  event: ClaimedEvent,
  owner: NumberOwner,
  outcome: EventOutcome,
): PlannedStatus {
  const key = `${item.wamid}:${item.status}`
  return {
    event,
    outcome,
    owner,
    key: {
      tenantId: owner.tenantId,
      key: item.participant === '' ? key : `${key}:${item.participant}`,
      eventType: 'status_update',
    },
    row: {
      tenantId: owner.tenantId,
      wamid: item.wamid,
      status: item.status,
      participant: item.participant,
      phoneNumberId: owner.phoneNumberId,
      occurredAt: timeOf(item.timestamp, event.receivedAt),
      receivedAt: event.receivedAt,
      details: item.details,
      eventId: event.id,
      correlationId: event.correlationId,
    },
  }
}

function planNotice(
  item: NoticeItem,
  event: ClaimedEvent,
  owner: NumberOwner,
  outcome: EventOutcome,
  id: string,
): PlannedNotice {
  return {
    event,
    outcome,
    owner,
    item,
    contact: identityOf(item.contact, owner.tenantId),
    newIdentity: identityOf(item.newIdentity, owner.tenantId),
    row: {
      id,
      tenantId: owner.tenantId,
      wabaId: item.wabaId ?? owner.wabaId,
      phoneNumberId: item.phoneNumberId ?? null,
      field: item.field,
      event: item.event ?? null,
      // Meta gives these no id: the same words at the same time are the same notice.
      dedupeKey: canonicalHash([
        item.wabaId,
        item.phoneNumberId,
        item.field,
        item.timestamp,
        item.content,
      ]),
      content: item.content,
      occurredAt: timeOf(item.timestamp, event.receivedAt),
      eventId: event.id,
      correlationId: event.correlationId,
    },
  }
}

function identityOf(person: Person | undefined, tenantId: string): Identity | undefined {
  return (
    person && {
      tenantId,
      kind: 'person',
      waId: person.waId ?? null,
      userId: person.userId ?? null,
      name: person.name ?? null,
      username: person.username ?? null,
    }
  )
}

export function letterOf(
  event: ClaimedEvent,
  item: WebhookItem,
  kind: DeadLetter['kind'],
  errorCode: string,
  errorMessage: string,
  id: string,
  now: Date,
): DeadLetter {
  return {
    id,
    tenantId: null,
    kind,
    eventId: event.id,
    itemPath: item.path,
    phoneNumberId: item.phoneNumberId ?? null,
    wabaId: item.wabaId ?? null,
    errorCode,
    errorMessage,
    raw: bytesOf(item.raw),
    correlationId: event.correlationId,
    createdAt: now,
  }
}

/** Only the item's own part of the payload: its neighbours may be another tenant's. */
function bytesOf(raw: unknown): Buffer {
  if (Buffer.isBuffer(raw)) return raw
  try {
    return Buffer.from(JSON.stringify(raw) ?? 'null')
  } catch {
    return Buffer.from('"nested too deeply to print; the event holds the bytes"')
  }
}
