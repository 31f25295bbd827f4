// Parsed items → rows, inside the caller's transaction: route by number, dedupe, then everything in a few statements,
// however many items there are.
import { type NumberOwner, ownersOfNumbers } from '../accounts/route.ts'
import { applyStatuses, statusKey } from '../conversations/apply-status.ts'
import type { NewInboundMessage, NewStatus } from '../conversations/model.ts'
import { messageKey, recordInboundMessages } from '../conversations/record-message.ts'
import type { Tx } from '../db/connect.ts'
import { bury, type DeadLetter } from '../dead-letters/bury.ts'
import type { LogFields } from '../log.ts'
import {
  type MessageItem,
  type ParsedWebhook,
  type StatusItem,
  timeOf,
  type WebhookItem,
} from '../meta/webhook.ts'
import type { Random } from '../time-and-chance.ts'
import { type ClaimedEvent, type DedupeKey, insertDedupeKeys } from './queries.ts'

export interface ParsedEvent {
  event: ClaimedEvent
  webhook: ParsedWebhook
  startedMs: number
}

export interface Warning {
  event: 'dead_lettered' | 'waba_mismatch' | 'inbound_ignored'
  fields: LogFields
}

/** Where each item of an event went; the four numbers add up to its items. */
export interface EventOutcome {
  applied: number
  duplicates: number
  ignored: number
  dead: number
  warnings: Warning[]
  /** What the log says of the event: its first item that has an owner. */
  first?: LogFields
}

interface Planned<Row> {
  outcome: EventOutcome
  key: DedupeKey
  row: Row
}

interface Plan {
  messages: Planned<NewInboundMessage>[]
  statuses: Planned<NewStatus>[]
  letters: DeadLetter[]
  outcomes: Map<string, EventOutcome>
}

export async function applyItems(
  tx: Tx,
  events: ParsedEvent[],
  random: Random,
  now: Date,
): Promise<Map<string, EventOutcome>> {
  const owners = await ownersOfNumbers(tx, numbersIn(events))
  const plan: Plan = { messages: [], statuses: [], letters: [], outcomes: new Map() }
  for (const one of events) planEvent(plan, one, owners, random, now)

  const fresh = await insertDedupeKeys(
    tx,
    [...plan.messages, ...plan.statuses].map((planned) => planned.key),
    now,
  )
  const messages = takeFresh(plan.messages, fresh)
  const statuses = takeFresh(plan.statuses, fresh)
  const recorded = await recordInboundMessages(tx, messages.map(rowOf), random.uuid, now)
  const stepped = await applyStatuses(tx, statuses.map(rowOf))
  for (const { outcome, row } of messages) count(outcome, recorded.has(messageKey(row)))
  for (const { outcome, row } of statuses) count(outcome, stepped.has(statusKey(row)))
  await bury(tx, plan.letters)
  return plan.outcomes
}

function count(outcome: EventOutcome, isNew: boolean): void {
  if (isNew) outcome.applied++
  else outcome.duplicates++
}

const rowOf = <Row>(planned: Planned<Row>): Row => planned.row

/** The first of each key that was not known; the others are counted as duplicates. */
function takeFresh<Row>(planned: Planned<Row>[], fresh: Set<string>): Planned<Row>[] {
  return planned.filter(({ key, outcome }) => {
    const isFirst = fresh.delete(`${key.tenantId} ${key.eventType} ${key.key}`)
    if (!isFirst) outcome.duplicates++
    return isFirst
  })
}

/** A payload that cannot be read is one item: itself. */
export function itemsOf({ event, webhook }: Pick<ParsedEvent, 'event' | 'webhook'>): WebhookItem[] {
  if ('items' in webhook) return webhook.items
  const whole = { path: '', wabaId: undefined, phoneNumberId: undefined, raw: event.raw }
  return [{ kind: 'malformed', ...whole, reason: webhook.malformed }]
}

function numbersIn(events: ParsedEvent[]): string[] {
  return [...new Set(events.flatMap(itemsOf).flatMap((item) => item.phoneNumberId ?? []))]
}

function planEvent(
  plan: Plan,
  one: ParsedEvent,
  owners: Map<string, NumberOwner>,
  random: Random,
  now: Date,
): void {
  const { event } = one
  const outcome: EventOutcome = { applied: 0, duplicates: 0, ignored: 0, dead: 0, warnings: [] }
  plan.outcomes.set(event.id, outcome)
  const putAside = (
    item: WebhookItem,
    kind: DeadLetter['kind'],
    code: string,
    reason: string,
    tenantId: string | null,
  ) => {
    plan.letters.push({
      ...letterOf(event, item, kind, code, reason, random.uuid(), now),
      tenantId,
    })
    outcome.dead++
    outcome.warnings.push({
      event: 'dead_lettered',
      fields: {
        kind,
        error_code: code,
        error_message: reason,
        path: item.path,
        ...tagsOf(item, tenantId),
      },
    })
  }
  for (const item of itemsOf(one)) {
    const owner = ownerOf(item, event.appId, owners)
    if (item.kind === 'malformed') {
      putAside(item, 'malformed', 'MALFORMED', item.reason, owner?.tenantId ?? null)
    } else if (item.kind === 'other') {
      outcome.ignored++
      outcome.warnings.push({
        event: 'inbound_ignored',
        fields: {
          reason: 'field_without_effect',
          field: item.field,
          ...tagsOf(item, owner?.tenantId ?? null),
        },
      })
    } else if (!owner) {
      putAside(item, 'unroutable', 'UNROUTABLE', 'no account has this phone_number_id', null)
    } else {
      outcome.first ??= {
        ...tagsOf(item, owner.tenantId),
        wamid: item.wamid,
        event_type: item.kind === 'message' ? 'inbound_message' : 'status_update',
      }
      if (item.wabaId !== undefined && item.wabaId !== owner.wabaId) {
        outcome.warnings.push({ event: 'waba_mismatch', fields: tagsOf(item, owner.tenantId) })
      }
      if (item.kind === 'message')
        plan.messages.push(planMessage(item, event, owner, outcome, random))
      else plan.statuses.push(planStatus(item, event, owner, outcome))
    }
  }
}

/** By number alone; and a webhook signed by one Meta app never reaches a number that belongs to another. */
function ownerOf(
  of: { phoneNumberId: string | null | undefined },
  appId: string | null,
  owners: Map<string, NumberOwner>,
): NumberOwner | undefined {
  const owner = owners.get(of.phoneNumberId ?? '')
  return owner && (owner.appId === null || owner.appId === appId) ? owner : undefined
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
  random: Random,
): Planned<NewInboundMessage> {
  return {
    outcome,
    key: { tenantId: owner.tenantId, key: item.wamid, eventType: 'inbound_message' },
    row: {
      id: random.uuid(),
      tenantId: owner.tenantId,
      phoneNumberId: owner.phoneNumberId,
      wamid: item.wamid,
      type: item.type,
      content: item.content,
      replyTo: item.replyTo ?? null,
      contactWaId: item.from ?? item.fromUserId ?? null,
      contactUserId: item.fromUserId ?? null,
      contactName: item.senderName ?? null,
      occurredAt: timeOf(item.timestamp, event.receivedAt),
      // A system notice (the contact has a new number) is not the contact writing.
      opensWindow: item.type !== 'system',
      eventId: event.id,
      correlationId: event.correlationId,
    },
  }
}

function planStatus(
  item: StatusItem,
  event: ClaimedEvent,
  owner: NumberOwner,
  outcome: EventOutcome,
): Planned<NewStatus> {
  const key = `${item.wamid}:${item.status}`
  return {
    outcome,
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

/** Fills in whose they are, where the number says so. */
export async function withOwners(
  tx: Tx,
  letters: DeadLetter[],
  appId: string | null,
): Promise<DeadLetter[]> {
  const owners = await ownersOfNumbers(tx, [
    ...new Set(letters.flatMap((letter) => letter.phoneNumberId ?? [])),
  ])
  return letters.map((letter) => ({
    ...letter,
    tenantId: ownerOf(letter, appId, owners)?.tenantId ?? null,
  }))
}
