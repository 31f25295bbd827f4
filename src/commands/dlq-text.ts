// Dead letters as a terminal shows them.
import type { decideMany, Verb } from '../dead-letters/decide.ts'
import type { inspectLetter } from '../dead-letters/inspect.ts'
import type { listLetters } from '../dead-letters/list.ts'
import { oneLine, table } from './text.ts'

type Page = Awaited<ReturnType<typeof listLetters>>

export function listText({ data, paging }: Page, state: string): string {
  if (data.length === 0) {
    return state === 'open'
      ? 'No open dead letters here: nothing waits for a decision.'
      : `No ${state} dead letters here.`
  }
  const rows = data.map((letter) => [
    letter.id,
    letter.kind,
    letter.created_at,
    letter.tenant_id ?? '(nobody’s)',
    letter.error_code,
    [
      letter.message_id === null ? '' : `${letter.message_id}, ${letter.attempts} attempt(s): `,
      letter.decision_reason === null
        ? letter.error_message
        : `${letter.decided_by}: ${letter.decision_reason}`,
    ].join(''),
  ])
  const next =
    state === 'open'
      ? [
          'Next: estafet dlq inspect <id>',
          '      estafet dlq requeue <id> --reason "…"   (discard, when it is not needed)',
          ...(data.some((letter) => letter.may_arrive_twice)
            ? ['      estafet dlq mark-sent <id> --reason "…" (where Meta has it after all)']
            : []),
        ]
      : []
  const more = paging.next === null ? [] : [`There are more: --after ${paging.next}`]
  return [
    table(['ID', 'KIND', 'CREATED', 'TENANT', 'CODE', 'WHAT'], rows),
    '',
    ...more,
    ...next,
  ].join('\n')
}

type Inspection = Awaited<ReturnType<typeof inspectLetter>>

export function inspectionText(letter: Inspection): string {
  const { event, outbound } = letter
  const facts: [string, string | null][] = [
    ['id', letter.id],
    ['kind', letter.kind],
    ['state', letter.state],
    ['tenant', letter.tenant_id ?? '(nobody’s)'],
    ['number', letter.phone_number_id],
    ['where', outbound ? null : letter.item_path || 'the whole webhook'],
    ['correlation', letter.correlation_id],
    [
      'webhook',
      event && `${event.status} after ${event.attempts} attempt(s), received ${event.received_at}`,
    ],
    ['its error', event?.last_error ?? null],
    [
      'message',
      outbound && `${outbound.message.id} is ${outbound.message.status}, ${outbound.delivery}`,
    ],
    ['expires', outbound?.expires_at ?? null],
    [
      'decided',
      letter.decided_at &&
        `${letter.decided_at} by ${letter.decided_by}: ${letter.decision_reason}`,
    ],
  ]
  const errors = letter.errors.map(
    (error) => `  ${error.at}  ${error.code}  ${oneLine(error.message)}  (${error.state})`,
  )
  return [
    ...facts.flatMap(([name, value]) => (value ? [`${name.padEnd(12)}${oneLine(value)}`] : [])),
    'errors',
    ...errors,
    ...attemptLines(letter),
    `payload, ${letter.raw_bytes} bytes${letter.raw_encoding === 'hex' ? ', not text, so in hex' : ''}`,
    // As it is, but for the place: at the beginning of a line stands what we say.
    ...letter.raw.split('\n').map((line) => `  ${line}`),
    ...(outbound?.fallback_template
      ? [
          'template to send instead, outside the window',
          `  ${JSON.stringify(outbound.fallback_template)}`,
        ]
      : []),
    ...nextAfterLook(letter),
  ].join('\n')
}

function attemptLines({ outbound }: Inspection): string[] {
  if (!outbound) return []
  const lines = outbound.attempts.map((attempt) => {
    const seen = [
      attempt.status_code === null ? null : `HTTP ${attempt.status_code}`,
      attempt.provider_code === null
        ? null
        : `code ${[attempt.provider_code, attempt.provider_subcode ?? []].flat().join('/')}`,
      attempt.error_message,
      attempt.fbtrace_id === null ? null : `trace ${attempt.fbtrace_id}`,
    ].filter((part) => part !== null)
    return `  ${attempt.started_at}  ${attempt.outcome ?? 'under way'}  ${oneLine(seen.join(', '))}`
  })
  return ['attempts', ...lines]
}

function nextAfterLook(letter: Inspection): string[] {
  const { id, state, event } = letter
  if (state !== 'open') return []
  if (event?.is_pruned) {
    return ['', `Its webhook is no longer kept. Next: estafet dlq discard ${id} --reason "…"`]
  }
  return [
    '',
    ...(letter.may_arrive_twice
      ? [
          `${twice(1)} Ask the recipient first.`,
          `Next: estafet dlq mark-sent ${id} --reason "…"   when it has arrived`,
          `      estafet dlq requeue ${id} --reason "…"   to send it again, or discard`,
        ]
      : [`Next: estafet dlq requeue ${id} --reason "…"   or discard`]),
  ]
}

export const twice = (count: number) =>
  `An attempt at ${count === 1 ? 'it' : `${count} of them`} got no answer, so Meta may have it: requeued, it may arrive twice.`

const done: Record<Verb, string> = {
  requeue: 'requeued',
  discard: 'discarded',
  'mark-sent': 'marked sent',
}

type BulkAnswer = Awaited<ReturnType<typeof decideMany>>

export function bulkText(verb: Verb, answer: BulkAnswer): string {
  const { skipped } = answer
  const kinds = Object.entries(answer.by_kind).map(([kind, count]) => `${count} ${kind}`)
  const told = answer.dry_run
    ? `${answer.remaining} would be ${done[verb]}; nothing was changed.`
    : `${answer.decided} ${done[verb]}. ${answer.decided > 0 ? nextAfter(verb) : ''}`
  return [
    answer.matched === 0
      ? 'No open dead letter matches. Next: estafet dlq list'
      : `${answer.matched} open dead letter(s) match: ${kinds.join(', ')}.`,
    ...(answer.matched === 0 ? [] : [told.trim()]),
    ...(answer.may_arrive_twice > 0 ? [twice(answer.may_arrive_twice)] : []),
    ...(skipped.message_not_failed > 0
      ? [
          `${skipped.message_not_failed} need not be: their messages went through, or are on their way.`,
        ]
      : []),
    ...(skipped.payload_pruned > 0
      ? [`${skipped.payload_pruned} cannot be requeued: their webhooks are no longer kept.`]
      : []),
    ...(skipped.outcome_known > 0
      ? [
          `${skipped.outcome_known} cannot be marked sent: it is known that Meta does not have them.`,
        ]
      : []),
    ...(skipped.already_decided > 0 ? [`${skipped.already_decided} were decided before.`] : []),
    ...(skipped.not_found > 0 ? [`${skipped.not_found} id(s) are not known.`] : []),
  ].join('\n')
}

export function nextAfter(verb: Verb): string {
  if (verb === 'requeue') return 'What fails again comes back: estafet dlq list'
  return `It stays in the list with --state ${verb === 'discard' ? 'discarded' : 'resolved'}.`
}
