// Dead letters at the command line.
import type { z } from 'zod'
import {
  deadLetterBulkDecision,
  deadLetterFilter,
  deadLettersQuery,
} from '../api/contract-dead-letters.ts'
import { parsePart } from '../api/route.ts'
import { decideMany, decideOne, type Verb } from '../dead-letters/decide.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { inspectLetter } from '../dead-letters/inspect.ts'
import { letterFilter, listLetters } from '../dead-letters/list.ts'
import { AppError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { printable, table } from './text.ts'

interface FilterOptions extends TableOptions {
  tenant?: string
  kind?: string
  errorCode?: string
  phoneNumberId?: string
  createdBefore?: string
  createdAfter?: string
}

interface ListOptions extends FilterOptions {
  state?: string
  limit?: string
  after?: string
}

interface DecideOptions extends FilterOptions {
  all?: boolean
  reason?: string
  dryRun?: boolean
}

export async function dlqList(options: ListOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const input = { ...(await filterInput(runtime, options)), state: options.state }
    const query = parsePart(
      deadLettersQuery,
      { ...input, limit: options.limit, after: options.after },
      'options',
      'INVALID_REQUEST',
    ) as z.output<typeof deadLettersQuery>
    const { state, limit, after, ...filter } = query
    const page = await listLetters(runtime.db.api, null, {
      state,
      limit,
      after,
      filter: letterFilter(filter),
    })
    print(options, page, printable(listText(page, state)))
  })
}

type Page = Awaited<ReturnType<typeof listLetters>>

function listText({ data, paging }: Page, state: string): string {
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
    letter.decision_reason === null
      ? letter.error_message
      : `${letter.decided_by}: ${letter.decision_reason}`,
  ])
  const next =
    state === 'open'
      ? [
          'Next: estafet dlq inspect <id>',
          '      estafet dlq requeue <id> --reason "…"   (discard, when it is not needed)',
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

export async function dlqInspect(id: string, options: TableOptions): Promise<void> {
  await withRuntime(async ({ db, clock }) => {
    const letter = await inspectLetter(db.api, id, { scope: null, actor, at: clock.now() })
    print(options, letter, printable(inspectionText(letter)))
  })
}

function inspectionText(letter: Awaited<ReturnType<typeof inspectLetter>>): string {
  const { event } = letter
  const facts: [string, string | null][] = [
    ['id', letter.id],
    ['kind', letter.kind],
    ['state', letter.state],
    ['tenant', letter.tenant_id ?? '(nobody’s)'],
    ['number', letter.phone_number_id],
    ['where', letter.item_path || 'the whole webhook'],
    ['correlation', letter.correlation_id],
    [
      'webhook',
      event && `${event.status} after ${event.attempts} attempt(s), received ${event.received_at}`,
    ],
    ['its error', event?.last_error ?? null],
    [
      'decided',
      letter.decided_at &&
        `${letter.decided_at} by ${letter.decided_by}: ${letter.decision_reason}`,
    ],
  ]
  const errors = letter.errors.map(
    (error) => `  ${error.at}  ${error.code}  ${error.message}  (${error.state})`,
  )
  const next =
    letter.state !== 'open'
      ? []
      : event?.is_pruned
        ? ['', `Its webhook is no longer kept. Next: estafet dlq discard ${letter.id} --reason "…"`]
        : ['', `Next: estafet dlq requeue ${letter.id} --reason "…"   or discard`]
  return [
    ...facts.flatMap(([name, value]) => (value ? [`${name.padEnd(12)}${value}`] : [])),
    'errors',
    ...errors,
    `payload, ${letter.raw_bytes} bytes${letter.raw_encoding === 'hex' ? ', not text, so in hex' : ''}`,
    letter.raw,
    ...next,
  ].join('\n')
}

export async function dlqDecide(verb: Verb, ids: string[], options: DecideOptions): Promise<void> {
  if (ids.length > 0 === (options.all === true)) {
    const usage = `Name dead letters (estafet dlq ${verb} <id>…), or say --all with --tenant, --kind, --error-code or the like.`
    throw new AppError('INVALID_REQUEST', 400, usage)
  }
  await withRuntime(async (runtime) => {
    const filter = await filterInput(runtime, options)
    const body = parsePart(
      deadLetterBulkDecision,
      {
        ...(options.all ? { filter } : { ids }),
        reason: options.reason ?? (options.dryRun ? 'dry run' : undefined),
        dry_run: options.dryRun ?? false,
      },
      'options',
      'INVALID_REQUEST',
    ) as z.output<typeof deadLetterBulkDecision>
    const by = { scope: null, actor, reason: givenReason(body.reason) }
    const desk = { ...runtime, db: runtime.db.api }
    const [only] = ids
    if (only !== undefined && ids.length === 1 && !body.dry_run) {
      const letter = await decideOne(desk, verb, only, by)
      return print(options, letter, `${letter.id} is ${letter.state}. ${nextAfter(verb)}`)
    }
    const chosen = letterFilter(body.filter ?? {}, body.ids)
    let answer = await decideMany(desk, verb, chosen, { ...by, isDryRun: body.dry_run })
    let decided = answer.decided
    const { matched, by_kind } = answer
    while (options.all && !body.dry_run && answer.remaining > 0 && answer.decided > 0) {
      answer = await decideMany(desk, verb, chosen, { ...by, isDryRun: false })
      decided += answer.decided
    }
    const whole = { ...answer, matched, decided, by_kind }
    print(options, whole, bulkText(verb, whole))
  })
}

type Bulk = Awaited<ReturnType<typeof decideMany>>

function bulkText(verb: Verb, answer: Bulk): string {
  const { skipped } = answer
  const kinds = Object.entries(answer.by_kind).map(([kind, count]) => `${count} ${kind}`)
  const told = answer.dry_run
    ? `${answer.remaining} would be ${verb}${verb === 'requeue' ? 'd' : 'ed'}; nothing was changed.`
    : `${answer.decided} ${verb}${verb === 'requeue' ? 'd' : 'ed'}. ${answer.decided > 0 ? nextAfter(verb) : ''}`
  return [
    answer.matched === 0
      ? 'No open dead letter matches. Next: estafet dlq list'
      : `${answer.matched} open dead letter(s) match: ${kinds.join(', ')}.`,
    ...(answer.matched === 0 ? [] : [told.trim()]),
    ...(skipped.payload_pruned > 0
      ? [`${skipped.payload_pruned} cannot be requeued: their webhooks are no longer kept.`]
      : []),
    ...(skipped.already_decided > 0 ? [`${skipped.already_decided} were decided before.`] : []),
    ...(skipped.not_found > 0 ? [`${skipped.not_found} id(s) are not known.`] : []),
  ].join('\n')
}

function nextAfter(verb: Verb): string {
  return verb === 'requeue'
    ? 'What fails again comes back: estafet dlq list'
    : 'It stays in the list with --state discarded.'
}

async function filterInput(
  runtime: Runtime,
  options: FilterOptions,
): Promise<z.output<typeof deadLetterFilter>> {
  const input = {
    tenant_id:
      options.tenant === undefined ? undefined : await tenantNamed(runtime, options.tenant),
    kind: options.kind,
    error_code: options.errorCode,
    phone_number_id: options.phoneNumberId,
    created_before: options.createdBefore,
    created_after: options.createdAfter,
  }
  return parsePart(deadLetterFilter, input, 'options', 'INVALID_REQUEST') as z.output<
    typeof deadLetterFilter
  >
}
