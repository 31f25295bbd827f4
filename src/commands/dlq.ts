// Dead letters at the command line.
import type { z } from 'zod'
import {
  deadLetterBulkDiscard,
  deadLetterBulkRequeue,
  deadLetterFilter,
  deadLettersQuery,
} from '../api/contract-dead-letters.ts'
import { type Bulk, decideMany, decideOne, type Verb } from '../dead-letters/decide.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { inspectLetter } from '../dead-letters/inspect.ts'
import { letterFilter, listLetters } from '../dead-letters/list.ts'
import { AppError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import { bulkText, inspectionText, listText, nextAfter, twice } from './dlq-text.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { withProgress } from './progress.ts'
import { readOptions } from './read-options.ts'

const titles: Record<Verb, string> = {
  requeue: 'Requeueing',
  discard: 'Discarding',
  'mark-sent': 'Marking as sent',
}

const filterOptions = {
  tenant: '--tenant',
  kind: '--kind',
  errorCode: '--error-code',
  phoneNumberId: '--phone-number-id',
  messageId: '--message-id',
  createdBefore: '--created-before',
  createdAfter: '--created-after',
}

type FilterOptions = TableOptions & { [name in keyof typeof filterOptions]?: string }

interface ListOptions extends FilterOptions {
  state?: string
  limit?: string
  after?: string
}

interface DecideOptions extends FilterOptions {
  all?: boolean
  reason?: string
  dryRun?: boolean
  /** Of requeue. */
  perSecond?: string
  startAt?: string
}

export async function dlqList(options: ListOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const input = { ...(await filterInput(runtime, options)), state: options.state }
    const query = readOptions(deadLettersQuery, {
      ...input,
      limit: options.limit,
      after: options.after,
    })
    const { state, limit, after, ...filter } = query
    const page = await listLetters(runtime.db.api, null, {
      state,
      limit,
      after,
      filter: letterFilter(filter),
    })
    print(options, page, listText(page, state))
  })
}

export async function dlqInspect(id: string, options: TableOptions): Promise<void> {
  await withRuntime(async ({ db, clock }) => {
    const letter = await inspectLetter(db.api, id, { scope: null, actor, at: clock.now() })
    print(options, letter, inspectionText(letter))
  })
}

export const dlqRequeue = (ids: string[], options: DecideOptions) => decide('requeue', ids, options)

export const dlqDiscard = (ids: string[], options: DecideOptions) => decide('discard', ids, options)

export const dlqMarkSent = (ids: string[], options: DecideOptions) =>
  decide('mark-sent', ids, options)

/** False when dead letters were named and not all of them were decided. */
async function decide(verb: Verb, ids: string[], options: DecideOptions): Promise<boolean> {
  refuseUnclear(verb, ids, options)
  let isWhole = true
  await withRuntime(async (runtime) => {
    const filter = await filterInput(runtime, options)
    const { pace, ...body } = readBulk(verb, {
      ...(options.all ? { filter } : { ids }),
      reason: options.reason ?? (options.dryRun ? 'dry run' : undefined),
      dry_run: options.dryRun ?? false,
      ...(options.perSecond !== undefined && { per_second: Number(options.perSecond) }),
      ...(options.startAt !== undefined && { start_at: options.startAt }),
    })
    const by = { scope: null, actor, reason: givenReason(body.reason) }
    const desk = { ...runtime, db: runtime.db.api }
    const [only] = ids
    const isPaced = options.perSecond !== undefined || options.startAt !== undefined
    if (only !== undefined && ids.length === 1 && !body.dry_run && !isPaced) {
      const letter = await decideOne(desk, verb, only, by)
      const told = verb === 'requeue' && letter.may_arrive_twice ? [twice(1)] : []
      const text = [`${letter.id} is ${letter.state}.`, ...told, nextAfter(verb)].join(' ')
      return print(options, letter, text)
    }
    const chosen = letterFilter(body.filter ?? {}, body.ids)
    const bulk = { ...by, isDryRun: body.dry_run, ...(pace && { pace }) }
    const decideSome = () => decideMany(desk, verb, chosen, bulk)
    const whole = await withProgress(titles[verb], options, async ({ at }) => {
      let answer = await decideSome()
      let decided = answer.decided
      const { matched, by_kind, may_arrive_twice } = answer
      while (options.all && !body.dry_run && answer.remaining > 0 && answer.decided > 0) {
        at(decided, decided + answer.remaining)
        if (pace && answer.next_start_at !== null) pace.startAt = new Date(answer.next_start_at)
        answer = await decideSome()
        decided += answer.decided
      }
      return { ...answer, matched, decided, by_kind, may_arrive_twice }
    })
    print(options, whole, bulkText(verb, whole))
    isWhole = options.all || body.dry_run || whole.decided >= new Set(ids).size
  })
  return isWhole
}

/** Ids say which: beside them a filter would be passed over, and more decided than was meant. */
function refuseUnclear(verb: Verb, ids: string[], options: DecideOptions): void {
  if (ids.length > 0 === (options.all === true)) {
    const usage = `Name dead letters (estafet dlq ${verb} <id>…), or say --all with --tenant, --kind, --error-code or the like.`
    throw new AppError('INVALID_REQUEST', 400, usage)
  }
  const filters = Object.keys(filterOptions) as (keyof typeof filterOptions)[]
  const given = filters.filter((name) => options[name] !== undefined)
  if (options.all || given.length === 0) return
  const named = given.map((name) => filterOptions[name]).join(', ')
  throw new AppError('INVALID_REQUEST', 400, `${named}: only with --all, not beside ids.`)
}

function readBulk(verb: Verb, input: Record<string, unknown>) {
  if (verb !== 'requeue') {
    const body = readOptions(deadLetterBulkDiscard, input)
    return { ...body, pace: undefined }
  }
  const body = readOptions(deadLetterBulkRequeue, input)
  const { per_second, start_at, ...rest } = body
  const startAt = start_at === undefined ? undefined : new Date(start_at)
  const pace: Bulk['pace'] = { perSecond: per_second, startAt }
  return { ...rest, pace }
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
    message_id: options.messageId,
    created_before: options.createdBefore,
    created_after: options.createdAfter,
  }
  return readOptions(deadLetterFilter, input)
}
