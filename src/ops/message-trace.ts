// The way of one message, for those whose it is: from the webhook to the ticks, and to whom it was told. In words of a
// closed set, so that a page can say them in any language; never what anybody wrote.
import type { z } from 'zod'
import type { messageTrace, traceSearch } from '../api/contract-ops.ts'
import { decodeCursor, pageOf } from '../api/paging.ts'
import type { Db, Tx } from '../db/connect.ts'
import { notFound } from '../errors.ts'
import { isUuid, publicId, uuidOf } from '../ids.ts'
import { readEventState } from '../inbox/reopen.ts'
import { correlationIdOf, traceIdOf } from '../tracing/span-ids.ts'
import {
  type AttemptFacts,
  type SendFacts,
  selectAttemptsOf,
  selectSendsOf,
} from './send-queries.ts'
import { type LetterFacts, selectLettersOfMessages } from './trace-queries.ts'
import {
  selectConversationsWith,
  selectCorrelationOfEvent,
  selectIdsNamed,
  selectStatusSteps,
  selectStoryOf,
  selectToldSteps,
  selectTraced,
  type ToldStep,
  type TracedRow,
  type Wanted,
  type Whose,
} from './traced-queries.ts'

type Step = z.input<typeof messageTrace>['steps'][number]

/** A tenant's transaction shows that tenant's rows only, whatever a query asks for. */
const within = <T>(db: Db, whose: Whose, work: (tx: Tx) => Promise<T>) =>
  whose === null ? db.transaction(work) : db.tenantTransaction(whose, work)

/** The messages that an id or a name may mean, the latest first; without one, the latest. */
export async function findTraced(db: Db, whose: Whose, query: z.output<typeof traceSearch>) {
  const after = decodeCursor(query.after)
  const names = query.q === undefined ? undefined : await namesOf(db, query.q)
  const rows = await within(db, whose, async (tx) => {
    const wanted = names ? await wantedBy(tx, whose, names) : whichever
    return wanted ? selectTraced(tx, whose, wanted, after, query.limit + 1) : []
  })
  return pageOf(rows, query.limit, (row) => ({ at: row.created_at, id: row.id }), showTraced)
}

const whichever: Wanted = { ids: null, conversationIds: null }

async function namesOf(db: Db, text: string) {
  const uuid = isUuid(text.toLowerCase())
    ? text.toLowerCase()
    : (correlationIdOf(text.toLowerCase()) ?? null)
  return {
    text,
    messageId: uuidOf('msg', text) ?? null,
    conversationId: uuidOf('conv', text) ?? null,
    letterId: uuidOf('dlq', text) ?? null,
    toldId: uuidOf('evt', text) ?? null,
    correlationId: uuid && ((await selectCorrelationOfEvent(db, uuid)) ?? uuid),
  }
}

async function wantedBy(
  tx: Tx,
  whose: Whose,
  names: Awaited<ReturnType<typeof namesOf>>,
): Promise<Wanted | undefined> {
  if (names.conversationId) return { ids: null, conversationIds: [names.conversationId] }
  const ids = await selectIdsNamed(tx, whose, names)
  if (ids.length > 0) return { ids, conversationIds: null }
  const digits = names.text.replaceAll(/[\s+().-]/g, '')
  const conversationIds = await selectConversationsWith(tx, whose, {
    text: names.text,
    name: `%${names.text.replaceAll(/[\\%_]/g, '\\$&')}%`,
    number: /^\d{4,20}$/.test(digits) ? `%${digits}%` : null,
  })
  return conversationIds.length > 0 ? { ids: null, conversationIds } : undefined
}

/** At most so many messages that this one answers, or that answer it. */
const maxRelated = 5

export async function traceMessage(
  db: Db,
  whose: Whose,
  publicMessageId: string,
): Promise<z.input<typeof messageTrace>> {
  const id = uuidOf('msg', publicMessageId)
  const missing = () => notFound('MESSAGE_NOT_FOUND', 'message')
  if (!id) throw missing()
  const wanted = { ids: [id], conversationIds: null }
  const [message] = await within(db, whose, (tx) => selectTraced(tx, whose, wanted, null, 1))
  if (!message) throw missing()
  const tenantId = message.tenant_id
  const { story, steps, sends } = await db.tenantTransaction(tenantId, async (tx) => {
    const story = [message, ...(await selectStoryOf(tx, message, maxRelated))]
    return { story, ...(await stepsOfStory(tx, tenantId, story)) }
  })
  const pending = sends.find(
    (send) => send.message_id === message.id && ['pending', 'running'].includes(send.status),
  )
  return {
    message: showTraced(message),
    trace_id: traceIdOf(message.correlation_id),
    steps: inOrder([...(await stepsOfWebhooks(db, story)), ...steps]),
    waiting: pending?.status === 'pending' ? showWaiting(pending) : null,
  }
}

/** In which such things follow each other, for those of the same millisecond. */
const order: Step['step'][] = [
  ...(['webhook_received', 'message_received', 'webhook_processed', 'message_queued'] as const),
  ...([
    'dead_letter',
    'decided',
    'queued_again',
    'attempt',
    'status',
    'told',
    'cancelled',
  ] as const),
]

function inOrder(steps: Step[]): Step[] {
  return steps.toSorted((one, other) =>
    one.at === other.at
      ? order.indexOf(one.step) - order.indexOf(other.step)
      : one.at < other.at
        ? -1
        : 1,
  )
}

/** 'infinity' while its account is of no use. */
function showWaiting({ next_run_at, last_error }: SendFacts) {
  const isSet = next_run_at instanceof Date && !Number.isNaN(next_run_at.getTime())
  return { until: isSet ? next_run_at.toISOString() : null, code: last_error }
}

async function stepsOfStory(tx: Tx, tenantId: string, story: TracedRow[]) {
  const outbound = story.filter(({ direction }) => direction === 'outbound')
  const sends = outbound.length > 0 ? await selectSendsOf(tx, outbound) : []
  const attempts = sends.length > 0 ? await selectAttemptsOf(tx, outbound) : []
  const letters = sends.length > 0 ? await selectLettersOfMessages(tx, outbound) : []
  const messageOf = new Map(sends.map((send) => [send.id, send.message_id]))
  const ofWamid = new Map([
    ...attempts.flatMap(({ wamid, outbox_id }) =>
      wamid === null ? [] : [[wamid, messageOf.get(outbox_id) ?? ''] as const],
    ),
    ...outbound.flatMap(({ wamid, id }) => (wamid === null ? [] : [[wamid, id] as const])),
  ])
  const statuses = await selectStatusSteps(tx, tenantId, [...ofWamid.keys()])
  const moments = [
    ...story.map(({ created_at }) => created_at),
    ...attempts.flatMap(({ finished_at }) => finished_at ?? []),
    ...statuses.map(({ received_at }) => received_at),
  ]
  const [{ correlation_id } = { correlation_id: '' }] = story
  const publicIds = story.map(({ id }) => publicId('msg', id))
  const told = await selectToldSteps(tx, tenantId, correlation_id, publicIds, moments)
  const steps: Step[] = [
    ...story.flatMap(ofMessage),
    ...sends.map((send) => ofSend(send, letters)),
    ...attempts.map((attempt) => ofAttempt(attempt, messageOf.get(attempt.outbox_id) ?? '')),
    ...statuses.map((status) => ({
      at: status.received_at.toISOString(),
      step: 'status' as const,
      status: status.status,
      happened_at: status.occurred_at.toISOString(),
      wamid: status.wamid,
      message_id: publicId('msg', ofWamid.get(status.wamid) ?? ''),
    })),
    ...letters.flatMap(ofLetter),
    ...told.map(ofTold),
  ]
  return { steps, sends }
}

function ofMessage(row: TracedRow): Step[] {
  const message_id = publicId('msg', row.id)
  const received = {
    at: row.created_at.toISOString(),
    step: 'message_received' as const,
    message_id,
    wamid: row.wamid,
  }
  const cancelled = row.status === 'cancelled' && row.ended_at !== null
  return [
    ...(row.direction === 'inbound' ? [received] : []),
    ...(cancelled
      ? [{ at: row.ended_at?.toISOString() ?? '', step: 'cancelled' as const, message_id }]
      : []),
  ]
}

/** Queued again by a decision, it is not older than that: one is the database's time, the other ours. */
function ofSend(send: SendFacts, letters: LetterFacts[]): Step {
  const cause = letters.find(({ outbox_id }) => outbox_id !== null && outbox_id === send.parent_id)
  const atMs = Math.max(send.created_at.getTime(), cause?.decided_at?.getTime() ?? 0)
  return {
    at: new Date(atMs).toISOString(),
    step: send.parent_id === null ? 'message_queued' : 'queued_again',
    message_id: publicId('msg', send.message_id),
  }
}

function ofAttempt(attempt: AttemptFacts, messageId: string): Step {
  return {
    at: attempt.started_at.toISOString(),
    step: 'attempt',
    message_id: publicId('msg', messageId),
    ended_at: attempt.finished_at?.toISOString() ?? null,
    outcome: attempt.outcome,
    status_code: attempt.status_code,
    provider_code: attempt.provider_code,
    said: attempt.error_message,
    fbtrace_id: attempt.fbtrace_id,
    wamid: attempt.wamid,
  }
}

function ofLetter(letter: LetterFacts): Step[] {
  const dead_letter_id = publicId('dlq', letter.id)
  const died: Step = {
    at: letter.created_at.toISOString(),
    step: 'dead_letter',
    dead_letter_id,
    code: letter.error_code,
    said: letter.error_message,
  }
  if (letter.decided_at === null) return [died]
  const decided: Step = {
    at: letter.decided_at.toISOString(),
    step: 'decided',
    dead_letter_id,
    status: letter.state,
    by: letter.decided_by,
    reason: letter.decision_reason,
  }
  return [died, decided]
}

function ofTold(call: ToldStep): Step {
  return {
    at: call.started_at.toISOString(),
    step: 'told',
    message_id: call.message_id,
    ended_at: call.finished_at?.toISOString() ?? null,
    status_code: call.status_code,
    code: call.error_code,
    endpoint_id: publicId('ep', call.endpoint_id),
    endpoint_url: call.endpoint_url,
    event_id: publicId('evt', call.told_id),
    event_type: call.type,
  }
}

/** How the webhooks are doing that brought these messages; nothing of what else is in them. */
async function stepsOfWebhooks(db: Db, story: TracedRow[]): Promise<Step[]> {
  const ids = new Set(story.flatMap(({ event_id }) => event_id ?? []))
  const steps: Step[] = []
  for (const id of ids) {
    const event = await readEventState(db, id)
    if (!event) continue
    steps.push({ at: event.received_at.toISOString(), step: 'webhook_received' })
    if (event.processed_at === null) continue
    steps.push({
      at: event.processed_at.toISOString(),
      step: 'webhook_processed',
      attempts: event.attempt,
      said: event.last_error,
    })
  }
  return steps
}

function showTraced(row: TracedRow) {
  return {
    message_id: publicId('msg', row.id),
    tenant_id: row.tenant_id,
    direction: row.direction,
    type: row.type,
    status: row.status,
    wamid: row.wamid,
    client_reference: row.client_reference,
    conversation_id: row.conversation_id === null ? null : publicId('conv', row.conversation_id),
    contact: row.contact,
    phone_number_id: row.phone_number_id,
    created_at: row.created_at.toISOString(),
  }
}
