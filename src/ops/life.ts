// Everything the database knows of some deliveries, or of one message, as moments in the order of time.
import type { Tx } from '../db/connect.ts'
import { publicId } from '../ids.ts'
import { type Step, traceIdOf } from '../tracing/span-ids.ts'
import type { Moment } from './moment.ts'
import { momentsOfSends } from './send-life.ts'
import { type CallFacts, selectCallsAbout } from './tell-queries.ts'
import {
  type ChangeFacts,
  type EventFacts,
  type LetterFacts,
  type MessageFacts,
  type NoticeFacts,
  type StatusFacts,
  selectActsOn,
  selectChangesByTarget,
  selectChangesOfEvents,
  selectEventIdsByName,
  selectEvents,
  selectLettersOfEvents,
  selectLettersOfMessages,
  selectMessagesByWamid,
  selectMessagesOfEvents,
  selectNoticesOfEvents,
  selectStatusesByWamid,
  selectStatusesOfEvents,
  selectTracesOf,
  type TraceRow,
} from './trace-queries.ts'

export interface Life {
  life: Moment[]
  /** The traces that tell the same. */
  trace_ids: string[]
  notes: string[]
}

interface Things {
  messages: MessageFacts[]
  statuses: StatusFacts[]
  changes: ChangeFacts[]
  notices: NoticeFacts[]
}

export async function lifeOfEvents(db: Tx, eventIds: string[]): Promise<Life> {
  return collect(db, eventIds, null, {
    messages: await selectMessagesOfEvents(db, eventIds),
    statuses: await selectStatusesOfEvents(db, eventIds),
    changes: await selectChangesOfEvents(db, eventIds),
    notices: await selectNoticesOfEvents(db, eventIds),
  })
}

/** Undefined when no message and no status has this id. */
export async function lifeOfWamid(db: Tx, wamid: string): Promise<Life | undefined> {
  const messages = await selectMessagesByWamid(db, wamid)
  const statuses = await selectStatusesByWamid(db, wamid)
  const changes = await selectChangesByTarget(db, wamid)
  if (messages.length + statuses.length + changes.length === 0) return undefined
  const names = [
    wamid,
    ...['sent', 'delivered', 'read', 'played', 'failed'].map((step) => `${wamid}:${step}`),
  ]
  const eventIds = new Set([
    ...[...messages, ...statuses, ...changes].flatMap((one) => one.event_id ?? []),
    ...(await selectEventIdsByName(db, names)),
  ])
  const life = await collect(db, [...eventIds], wamid, { messages, statuses, changes, notices: [] })
  life.notes.push('A delivery that repeated it behind another item is not listed.')
  return life
}

/** Of a delivery and of what was sent in answer to it. */
export async function lifeOfStory(
  db: Tx,
  eventIds: string[],
  replies: MessageFacts[],
): Promise<Life> {
  const statuses: StatusFacts[] = []
  for (const { wamid } of replies) {
    if (wamid !== null) statuses.push(...(await selectStatusesByWamid(db, wamid)))
  }
  const told = new Set([...eventIds, ...statuses.flatMap((one) => one.event_id ?? [])])
  return collect(db, [...told], null, {
    messages: [...(await selectMessagesOfEvents(db, eventIds)), ...replies],
    statuses,
    changes: await selectChangesOfEvents(db, eventIds),
    notices: await selectNoticesOfEvents(db, eventIds),
  })
}

/** Of messages that may have no name at Meta yet. */
export async function lifeOfMessages(db: Tx, messages: MessageFacts[]): Promise<Life> {
  return collect(db, [], null, { messages, statuses: [], changes: [], notices: [] })
}

async function collect(
  db: Tx,
  eventIds: string[],
  wamid: string | null,
  things: Things,
): Promise<Life> {
  const events = await selectEvents(db, eventIds)
  const traces = await selectTracesOf(db, eventIds)
  const letters = [
    ...(await selectLettersOfEvents(db, eventIds, wamid)),
    ...(await selectLettersOfMessages(db, things.messages)),
  ]
  const subjects = [
    ...eventIds,
    ...things.messages.map((message) => publicId('msg', message.id)),
    ...letters.map((letter) => publicId('dlq', letter.id)),
  ]
  const acts = await selectActsOn(
    db,
    subjects,
    events.map((event) => event.received_at),
  )
  const sends = await momentsOfSends(
    db,
    things.messages.filter((one) => one.direction === 'outbound'),
  )
  const { messages } = things
  const correlations = new Set((messages.length > 0 ? messages : events).map(correlationOf))
  const calls = await selectCallsAbout(
    db,
    [...correlations],
    wamid === null ? null : messages.map((message) => publicId('msg', message.id)),
  )
  // In the order in which such things follow each other, for those of the same millisecond.
  const moments = [
    ...events.map(ofReceived),
    ...traces.map(ofStarted),
    ...ofThings(things),
    ...sends,
    ...letters.map(ofLetter),
    ...traces.flatMap(ofFinished),
    ...events.flatMap(ofProcessed),
    ...letters.flatMap(ofDecision),
    ...calls.map(ofCall),
    ...acts.map(({ at, actor, action, subject, reason }) =>
      moment(at, `audit: ${action}`, undefined, { by: actor, subject, reason }),
    ),
  ]
  const traced = new Set(traces.map((trace) => trace.event_id))
  const isForgotten = events.some((event) => event.attempt > 0 && !traced.has(event.id))
  return {
    life: moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)),
    trace_ids: [...correlations].map(traceIdOf),
    notes: isForgotten ? ['Attempts are kept for TRACE_TTL_DAYS; earlier ones are gone.'] : [],
  }
}

function correlationOf(one: { correlation_id: string }): string {
  return one.correlation_id
}

function moment(
  at: Date,
  what: string,
  eventId: string | null | undefined,
  details: Moment['details'],
  step?: Step,
): Moment {
  return {
    at: at.toISOString(),
    what,
    ...(step && { step }),
    ...(eventId && { event_id: eventId }),
    details,
  }
}

function ofReceived(event: EventFacts): Moment {
  const { inbound_event_id, correlation_id, phone_number_id, bytes } = event
  const details = {
    inbound_event_id,
    correlation_id,
    phone_number_id,
    bytes: event.pruned_at === null ? bytes : null,
  }
  return moment(event.received_at, 'received', event.id, details, 'receive')
}

function ofProcessed(event: EventFacts): Moment[] {
  const { processed_at, pruned_at, outcome } = event
  const processed = processed_at && [
    moment(processed_at, `webhook ${event.status}`, event.id, {
      attempts: event.attempt,
      error: event.last_error,
      outcome: outcome === null ? null : tellOutcome(outcome),
    }),
  ]
  const pruned = pruned_at && [moment(pruned_at, 'payload pruned', event.id, {})]
  return [...(processed ?? []), ...(pruned ?? [])]
}

/** The numbers that are not 0, for all tenants together. */
function tellOutcome(outcome: Record<string, unknown>): string {
  const sums = new Map<string, number>()
  for (const counts of Object.values(outcome)) {
    const { ignored, ...rest } = (counts ?? {}) as Record<string, unknown>
    for (const [name, count] of [...Object.entries(rest), ...Object.entries(ignored ?? {})]) {
      if (typeof count === 'number') sums.set(name, (sums.get(name) ?? 0) + count)
    }
  }
  return [...sums].flatMap(([name, count]) => (count === 0 ? [] : `${count} ${name}`)).join(', ')
}

function ofStarted({ attempt, task_name, outcome, ...trace }: TraceRow): Moment {
  const details = {
    task_name,
    ...(trace.finished_at === null && { outcome: outcome ?? 'under way' }),
  }
  return moment(trace.started_at, `attempt ${attempt} started`, trace.event_id, details, 'process')
}

function ofFinished({ attempt, outcome, error, ...trace }: TraceRow): Moment[] {
  if (trace.finished_at === null) return []
  const outbound = trace.outbound_enqueue_status
  const details = { outcome, error, outbound: outbound === 'none' ? null : outbound }
  const what = `attempt ${attempt} finished`
  return [moment(trace.finished_at, what, trace.event_id, details, 'process')]
}

function ofThings({ messages, statuses, changes, notices }: Things): Moment[] {
  return [
    ...messages.map(ofMessage),
    ...statuses.map(ofStatus),
    ...changes.map((one) =>
      moment(one.occurred_at, one.kind, one.event_id, {
        of: one.target_wamid,
        by_message: one.wamid,
      }),
    ),
    ...notices.map((one) =>
      moment(one.created_at, `notice ${one.field}`, one.event_id, {
        id: publicId('aev', one.id),
        event: one.event,
        tenant_id: one.tenant_id,
      }),
    ),
  ]
}

/** One that is to be sent has its span where it is queued. */
function ofMessage(one: MessageFacts): Moment {
  const details = {
    message_id: publicId('msg', one.id),
    wamid: one.wamid,
    tenant_id: one.tenant_id,
    what: `${one.direction} ${one.type}${one.origin === 'live' ? '' : ` (${one.origin})`}`,
    written_at: one.occurred_at.toISOString(),
    status: one.status,
  }
  const step = one.event_id === null ? undefined : 'record'
  return moment(one.created_at, 'message recorded', one.event_id, details, step)
}

function ofStatus(one: StatusFacts): Moment {
  const details = {
    wamid: one.wamid,
    happened_at: one.occurred_at.toISOString(),
    participant: one.participant || null,
  }
  return moment(one.received_at, `status ${one.status}`, one.event_id, details, 'status')
}

function ofCall(call: CallFacts): Moment {
  const details = {
    endpoint_id: publicId('ep', call.endpoint_id),
    told: publicId('evt', call.told_id),
    status_code: call.status_code,
    error: call.error_code,
    ended_at: call.finished_at?.toISOString() ?? null,
  }
  return moment(call.started_at, `told ${call.type}`, null, details, 'deliver')
}

function ofLetter(letter: LetterFacts): Moment {
  return moment(letter.created_at, `dead letter: ${letter.kind}`, letter.event_id, {
    id: publicId('dlq', letter.id),
    where: letter.event_id === null ? null : letter.item_path || 'the whole webhook',
    code: letter.error_code,
    error: letter.error_message,
  })
}

function ofDecision(letter: LetterFacts): Moment[] {
  if (letter.decided_at === null) return []
  return [
    moment(letter.decided_at, `dead letter ${letter.state}`, letter.event_id, {
      id: publicId('dlq', letter.id),
      by: letter.decided_by,
      reason: letter.decision_reason,
    }),
  ]
}
