// Parsed items → rows, inside the caller's transaction: route, dedupe, find out who wrote, then everything in a few
// statements, however many items there are.
import { heedNews } from '../accounts/heed-news.ts'
import {
  eventsOfNotices,
  linkAccountEvents,
  noticeKey,
  recordAccountEvents,
} from '../accounts/record-event.ts'
import { mergeConsent } from '../consent/keep-words.ts'
import type { Suppressed } from '../consent/model.ts'
import type { StopWords } from '../consent/stop-words.ts'
import type { ContactRow, Identity } from '../contacts/model.ts'
import {
  changeIdentity,
  type IdentityChange,
  IdentityChanges,
  identityKey,
  type LockMode,
  lockContacts,
  resolveContacts,
} from '../contacts/resolve.ts'
import {
  applyStatuses,
  eventsOfStatuses,
  type Step,
  statusKey,
} from '../conversations/apply-status.ts'
import { followContact, type JoinedConversations } from '../conversations/follow-contact.ts'
import type { NewChange } from '../conversations/model.ts'
import { openWindows } from '../conversations/open-window.ts'
import {
  eventsOfMessages,
  messageKey,
  recordChanges,
  recordMessages,
} from '../conversations/record-message.ts'
import type { Tx } from '../db/connect.ts'
import { bury } from '../dead-letters/bury.ts'
import { discardedPlaces } from '../dead-letters/discard.ts'
import { type LetterPlace, resolveLetters } from '../dead-letters/resolve.ts'
import { expectMedia } from '../media/record.ts'
import { endedFields, endSuppressed } from '../outbox/end-suppressed.ts'
import { duplicateFields, keepAcceptances, type Proofs } from '../outbox/evidence.ts'
import { failureFields, type HeardFailure, heedFailures } from '../outbox/heed-status.ts'
import { holdAccount, joinLanes } from '../outbox/release.ts'
import { heedThroughput } from '../outbox/throughput.ts'
import { heedTemplateNotices } from '../templates/heed-notices.ts'
import type { Random } from '../time-and-chance.ts'
import { heedConsent } from './heed-consent.ts'
import { countItem, type EventOutcome, onlyNewLetters, type Warning } from './outcome.ts'
import { findOwners } from './owners.ts'
import {
  itemsOf,
  type ParsedEvent,
  type Plan,
  type PlannedMessage,
  type PlannedNotice,
  type PlannedStatus,
  planEvents,
} from './plan.ts'
import { insertDedupeKeys } from './queries.ts'
import { attemptsPerRequeue } from './reopen.ts'
import { replyToMessages } from './reply.ts'
import { traceItems } from './trace.ts'

interface Context {
  tx: Tx
  random: Random
  now: Date
  mode: LockMode
  stopWords: StopWords
  isTraced: boolean
}

/** Throws `IdentityChanges` under the shared lock when somebody's identity changes: do it again under the exclusive one. */
export async function applyItems(
  events: ParsedEvent[],
  context: Context,
): Promise<Map<string, EventOutcome>> {
  const { tx, random, now } = context
  const requeued = events.filter(({ event }) => event.attemptsAllowed > attemptsPerRequeue)
  const discarded = await discardedPlaces(
    tx,
    requeued.map(({ event }) => event.id),
  )
  const plan = planEvents(events, await findOwners(tx, events), discarded, random, now)
  await lockContacts(tx, tenantsIn(plan), context.mode)
  const fresh = await insertDedupeKeys(
    tx,
    [...plan.messages, ...plan.statuses].map((planned) => planned.key),
    now,
  )
  const messages = takeFresh(plan.messages, fresh)
  const statuses = takeFresh(plan.statuses, fresh)
  const notices = await applyNotices(plan.notices, context)
  await heedTemplateNotices(
    tx,
    notices.fresh.map(({ row }) => row),
    random,
    now,
  )
  const owed: Owed = { suppressed: [], joined: [] }
  const everybody = [...messages.fresh, ...notices.fresh]
  const contacts = await resolveEverybody(everybody, owed, context)
  await linkNotices(notices.fresh, contacts, context)
  const recorded = await applyMessages(messages, contacts, context)
  const stepped = await applySteps(statuses, context)
  if (context.isTraced) await traceItems(tx, recorded.fresh, stepped.fresh)
  const applied = { messages: recorded.fresh, notices: notices.fresh, statuses: stepped.fresh }
  owed.suppressed.push(...(await heedConsent(applied, contacts, context)))
  await changeIdentities([...recorded.fresh, ...notices.fresh], owed, context)
  const buried = new Set(await bury(tx, plan.letters))
  for (const outcome of plan.outcomes.values()) onlyNewLetters(outcome, buried)
  await resolveLetters(tx, passedPlaces(events, plan), now)
  await heedSteps(stepped, plan, context)
  // After everything else, because these take the locks of the send queue.
  await heedNotices(notices.fresh, context)
  await heedThroughput(
    tx,
    notices.fresh.map((one) => one.row),
  )

  const rows = <Row>(items: { row: Row }[]) => items.map((one) => one.row)
  await countAll(
    'messages',
    recorded,
    (one) => messageKey(one.row),
    (items) => eventsOfMessages(tx, rows(items)),
  )
  await countAll(
    'statuses',
    stepped,
    (one) => statusKey(one.row),
    (items) => eventsOfStatuses(tx, rows(items)),
  )
  await countAll(
    'notices',
    notices,
    (one) => noticeKey(one.row),
    (items) => eventsOfNotices(tx, rows(items)),
  )
  // Last, because all of these lock the tenants' queues until the commit.
  await joinLanes(tx, owed.joined)
  await endUnwanted(owed.suppressed, plan, context)
  await replyToMessages(recorded.fresh, context)
  return plan.outcomes
}

/** What waits for those who want no more of it ends with their word; told once, whichever event of the batch said it. */
async function endUnwanted(
  suppressed: Suppressed[],
  plan: Plan,
  { tx, random, now }: Context,
): Promise<void> {
  const ended = await endSuppressed(tx, suppressed, random, now)
  const [outcome] = plan.outcomes.values()
  outcome?.warnings.push(
    ...ended.map((one) => ({
      event: 'dead_lettered' as const,
      fields: { ...endedFields(one), eventId: null, inbound_event_id: null },
    })),
  )
}

interface Split<Item> {
  fresh: Item[]
  repeated: Item[]
}

function tenantsIn(plan: Plan): string[] {
  return [...new Set([...plan.messages, ...plan.notices].map((planned) => planned.owner.tenantId))]
}

/** The first of each key that was not known; the rest repeat something. */
function takeFresh<Item extends PlannedMessage | PlannedStatus>(
  planned: Item[],
  fresh: Set<string>,
): Split<Item> {
  const split: Split<Item> = { fresh: [], repeated: [] }
  for (const one of planned) {
    const isFirst = fresh.delete(`${one.key.tenantId} ${one.key.eventType} ${one.key.key}`)
    split[isFirst ? 'fresh' : 'repeated'].push(one)
  }
  return split
}

async function resolveEverybody(
  planned: (PlannedMessage | PlannedNotice)[],
  owed: Owed,
  { tx, random, now, mode }: Context,
): Promise<Map<string, ContactRow>> {
  if (mode === 'shared' && planned.some((one) => one.newIdentity)) throw new IdentityChanges()
  const identities = planned.flatMap((one) => [
    ...(one.contact ? [one.contact] : []),
    ...('sender' in one && one.sender ? [one.sender] : []),
  ])
  const { contacts, changes } = await resolveContacts(identities, {
    tx,
    mode,
    newId: random.uuid,
    now,
  })
  for (const change of changes) await follow(tx, change, owed, now)
  return contacts
}

/** What the queue is told at the end. */
interface Owed {
  suppressed: Suppressed[]
  joined: JoinedConversations[]
}

/** What belongs to a contact goes where the contact goes. */
async function follow(
  tx: Tx,
  { tenantId, winner, loserId }: IdentityChange,
  owed: Owed,
  now: Date,
): Promise<void> {
  owed.joined.push(...(await followContact(tx, tenantId, winner, loserId, now)))
  if (loserId === undefined) return
  owed.suppressed.push(...(await mergeConsent(tx, tenantId, winner.id, loserId, now)))
}

async function applyMessages(
  { fresh, repeated }: Split<PlannedMessage>,
  contacts: Map<string, ContactRow>,
  { tx, random, now }: Context,
): Promise<Split<PlannedMessage>> {
  const find = (identity: Identity | undefined) => identity && contacts.get(identityKey(identity))
  const rows = fresh.map((one) => ({
    ...one.row,
    contact: find(one.contact) ?? null,
    senderContactId: find(one.sender)?.id ?? null,
  }))
  const recorded = await recordMessages(tx, rows, random.uuid, now)
  const applied = fresh.filter((one) => recorded.has(messageKey(one.row)))
  await recordChanges(tx, applied.flatMap(changeOf))
  await expectMedia(
    tx,
    applied.map((one) => one.row),
    random.uuid,
    now,
  )
  const known = fresh.filter((one) => !recorded.has(messageKey(one.row)))
  return { fresh: applied, repeated: [...repeated, ...known] }
}

interface Stepped extends Split<PlannedStatus> {
  /** Steps of before, of messages that are known by their names only now. */
  early: Step[]
}

async function applySteps(
  { fresh, repeated }: Split<PlannedStatus>,
  { tx, now }: Context,
): Promise<Stepped> {
  const rows = fresh.map((one) => one.row)
  const proofs = await keepAcceptances(tx, rows, now)
  tellProofs(fresh, proofs)
  const stepped = await applyStatuses(tx, rows)
  const known = fresh.filter((one) => !stepped.has(statusKey(one.row)))
  return {
    fresh: fresh.filter((one) => stepped.has(statusKey(one.row))),
    repeated: [...repeated, ...known],
    early: proofs.early,
  }
}

/** To be told after the commit, with the event that brought each. */
function tellProofs(statuses: PlannedStatus[], { proven, duplicates }: Proofs): void {
  for (const { tenantId, messageId, wamid } of proven) {
    outcomeOf(statuses, { tenantId, wamid })?.proven.push({ tenantId, messageId })
  }
  for (const { provenAs, ...duplicate } of duplicates) {
    const { tenantId } = duplicate
    const warning = { event: 'duplicate_confirmed' as const, level: 'error' as const }
    outcomeOf(statuses, { tenantId, wamid: provenAs })?.warnings.push({
      ...warning,
      fields: duplicateFields(duplicate),
    })
  }
}

/** Last of what is applied: it locks the tenants' queues. */
async function heedSteps(
  { fresh, early }: Stepped,
  plan: Plan,
  { tx, random, now }: Context,
): Promise<void> {
  const heard = await heedFailures(tx, [...early, ...fresh.map((one) => one.row)], random, now)
  // A failure that was told before its message was known is told with whatever brought the name.
  const [any] = plan.outcomes.values()
  for (const failure of heard) {
    const outcome = outcomeOf(fresh, failure.send) ?? any
    outcome?.warnings.push(...warningsOf(failure))
    if (outcome && failure.isReplaced) outcome.replies++
  }
}

function warningsOf(failure: HeardFailure): Warning[] {
  const fields = failureFields(failure)
  const events = [
    ...(failure.deadLetterId === null ? [] : ['dead_lettered' as const]),
    ...(failure.isNewReauth ? ['reauth_required' as const] : []),
  ]
  return events.map((event) => ({ event, level: 'error', fields }))
}

function outcomeOf(
  statuses: PlannedStatus[],
  { tenantId, wamid }: { tenantId: string; wamid: string },
): EventOutcome | undefined {
  return statuses.find(({ row }) => row.wamid === wamid && row.tenantId === tenantId)?.outcome
}

function changeOf({ item, row, contact, sender }: PlannedMessage): NewChange[] {
  if (!item.change) return []
  const who = sender ?? contact
  return [
    {
      tenantId: row.tenantId,
      targetWamid: item.change.target,
      wamid: row.wamid,
      kind: item.change.kind,
      actor: item.direction === 'outbound' ? 'business' : (who?.waId ?? who?.userId ?? 'unknown'),
      emoji: item.change.kind === 'reaction' ? (item.change.emoji ?? null) : null,
      content: item.change.kind === 'edit' ? item.change.content : null,
      occurredAt: row.occurredAt,
      eventId: row.eventId,
    },
  ]
}

async function applyNotices(
  notices: PlannedNotice[],
  { tx, now }: Context,
): Promise<Split<PlannedNotice>> {
  const recorded = await recordAccountEvents(
    tx,
    notices.map((one) => one.row),
    now,
  )
  const split: Split<PlannedNotice> = { fresh: [], repeated: [] }
  for (const one of notices) split[recorded.has(one.row.id) ? 'fresh' : 'repeated'].push(one)
  return split
}

/** What Meta says of the account takes effect. */
async function heedNotices(notices: PlannedNotice[], { tx, now }: Context): Promise<void> {
  const events = notices.map(({ item, row }) => ({
    row,
    displayPhoneNumber: item.displayPhoneNumber,
  }))
  const { heeded, holds } = await heedNews(tx, events, now)
  for (const hold of holds) await holdAccount(tx, hold.tenantId, hold.phoneNumberId, hold.until)
  for (const { eventId, needsReauth, ...one } of heeded) {
    const outcome = notices.find(({ event }) => event.id === eventId)?.outcome
    outcome?.warnings.push({
      event: needsReauth ? 'reauth_required' : 'account_changed',
      level: needsReauth ? 'error' : 'warn',
      fields: {
        tenant_id: one.tenantId,
        account_id: one.accountId,
        phone_number_id: one.phoneNumberId,
        kind: one.subject,
      },
    })
  }
}

/** Whom a notice is about; and a call opens the window of their conversation. */
async function linkNotices(
  notices: PlannedNotice[],
  contacts: Map<string, ContactRow>,
  { tx, now }: Context,
): Promise<void> {
  const linked = notices.flatMap(({ item, row, contact }) => {
    const known = contact && contacts.get(identityKey(contact))
    return known ? [{ ...row, contactId: known.id, opensWindow: item.opensWindow }] : []
  })
  await linkAccountEvents(tx, linked)
  await openWindows(
    tx,
    linked.filter((one) => one.opensWindow),
    now,
  )
}

/** Meta says who is who from now on; what was filed under the old identity moves along. */
async function changeIdentities(
  applied: (PlannedMessage | PlannedNotice)[],
  owed: Owed,
  { tx, random, now, mode }: Context,
): Promise<void> {
  for (const { contact, newIdentity } of applied) {
    if (!contact || !newIdentity) continue
    const change = await changeIdentity(contact, newIdentity, { tx, mode, newId: random.uuid, now })
    if (change) await follow(tx, change, owed, now)
  }
}

/** Places that may have been dead before and went through now; an event in its first attempt has none. */
function passedPlaces(events: ParsedEvent[], plan: Plan): LetterPlace[] {
  const again = events.filter(({ event }) => event.attempt > 1)
  if (again.length === 0) return []
  const dead = new Set(plan.letters.map((letter) => `${letter.eventId} ${letter.itemPath}`))
  return again.flatMap((one) =>
    itemsOf(one)
      .map(({ path }) => ({ eventId: one.event.id, itemPath: path }))
      .filter(({ eventId, itemPath }) => !dead.has(`${eventId} ${itemPath}`)),
  )
}

/** An item that this very event applied earlier (a requeue, a replay) counts as applied again, not as a duplicate. */
async function countAll<Item extends PlannedMessage | PlannedStatus | PlannedNotice>(
  fate: 'messages' | 'statuses' | 'notices',
  split: { fresh: Item[]; repeated: Item[] },
  nameOf: (item: Item) => string,
  appliedBy: (items: Item[]) => Promise<Map<string, string>>,
): Promise<void> {
  const counted = new Set(split.fresh.map((one) => `${one.event.id} ${nameOf(one)}`))
  for (const one of split.fresh) countItem(one.outcome, one.owner.tenantId, fate)
  if (split.repeated.length === 0) return
  const events = await appliedBy(split.repeated)
  for (const one of split.repeated) {
    const name = `${one.event.id} ${nameOf(one)}`
    const isOwn = events.get(nameOf(one)) === one.event.id && !counted.has(name)
    counted.add(name)
    countItem(one.outcome, one.owner.tenantId, isOwn ? fate : 'duplicates')
  }
}
