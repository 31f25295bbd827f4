// Dead letters over HTTP. Operators and tenants have the same routes; a tenant's see that tenant's letters only.
import { z } from 'zod'
import { listOf } from '../api/contract.ts'
import {
  deadLetter,
  deadLetterBulkAnswer,
  deadLetterBulkDiscard,
  deadLetterBulkRequeue,
  deadLetterCounts,
  deadLetterCountsQuery,
  deadLetterDecision,
  deadLetterInspection,
  deadLettersQuery,
} from '../api/contract-dead-letters.ts'
import { type Call, type Route, route } from '../api/route.ts'
import { AppError } from '../errors.ts'
import type { ErrorCode } from '../errors-table.ts'
import { type Bulk, type Desk, decideMany, decideOne, type Verb } from './decide.ts'
import { givenReason } from './decision.ts'
import { inspectLetter } from './inspect.ts'
import { countByReason, letterFilter, listLetters } from './list.ts'
import type { Scope } from './queries.ts'

interface Twin {
  /** Of the operations' names. */
  prefix: string
  base: string
  access: 'operator' | 'tenant'
}

const twins: Twin[] = [
  { prefix: 'admin.deadLetters', base: '/api/admin/whatsapp/dlq', access: 'operator' },
  { prefix: 'deadLetters', base: '/api/whatsapp/dlq', access: 'tenant' },
]

const withId = z.object({ id: z.string() })

const names = {
  requeue: { one: 'requeue', many: 'requeueMany' },
  discard: { one: 'discard', many: 'discardMany' },
  'mark-sent': { one: 'markSent', many: 'markManySent' },
} as const satisfies Record<Verb, { one: string; many: string }>

/** What stands in the way of a decision, besides that it was made before. */
const obstacles: Record<Verb, ErrorCode[]> = {
  requeue: ['PAYLOAD_PRUNED', 'MESSAGE_NOT_FAILED'],
  discard: [],
  'mark-sent': ['OUTCOME_KNOWN', 'MESSAGE_NOT_FAILED'],
}

export function deadLetterRoutes(desk: Desk): Route[] {
  return twins.flatMap((twin) => [
    ...readRoutes(desk, twin),
    decisionRoute(desk, twin, 'requeue', 'Process or send again'),
    route({
      ...bulkRoute(twin, 'requeue', 'Process or send again'),
      body: deadLetterBulkRequeue,
      handle: (call) => {
        const { per_second, start_at, ...body } = call.body
        const startAt = start_at === undefined ? undefined : new Date(start_at)
        return decideBulk(
          desk,
          twin,
          'requeue',
          { ...call, body },
          { perSecond: per_second, startAt },
        )
      },
    }),
    ...(['discard', 'mark-sent'] as const).flatMap((verb) => {
      const told = verb === 'discard' ? 'Discard' : 'Mark as sent, where Meta may have the message:'
      return [
        decisionRoute(desk, twin, verb, told),
        route({
          ...bulkRoute(twin, verb, told),
          body: deadLetterBulkDiscard,
          handle: (call) => decideBulk(desk, twin, verb, call),
        }),
      ]
    }),
  ])
}

function scopeOf({ access }: Twin, call: Call<unknown, unknown, unknown>): Scope {
  return access === 'operator' ? null : call.tenantId
}

function readRoutes(desk: Desk, twin: Twin): Route[] {
  const { prefix, base, access } = twin
  return [
    route({
      operationId: `${prefix}.list`,
      method: 'GET',
      path: base,
      summary: 'Dead letters, the latest first',
      access,
      query: deadLettersQuery,
      answer: listOf(deadLetter),
      handle: (call) => {
        const { state, after, limit, ...filter } = call.query
        return listLetters(desk.db, scopeOf(twin, call), {
          state,
          after,
          limit,
          filter: letterFilter(filter),
        })
      },
    }),
    route({
      operationId: `${prefix}.counts`,
      method: 'GET',
      path: `${base}/counts`,
      summary: 'How many dead letters there are of what',
      access,
      query: deadLetterCountsQuery,
      answer: deadLetterCounts,
      handle: (call) => {
        const { state, ...filter } = call.query
        return countByReason(desk.db, scopeOf(twin, call), { state, filter: letterFilter(filter) })
      },
    }),
    route({
      operationId: `${prefix}.get`,
      method: 'GET',
      path: `${base}/:id`,
      summary: 'A dead letter with its raw payload and every error; looking is audited',
      access,
      params: withId,
      answer: deadLetterInspection,
      errors: ['DEAD_LETTER_NOT_FOUND'],
      handle: (call) =>
        inspectLetter(desk.db, call.params.id, {
          scope: scopeOf(twin, call),
          actor: call.actor,
          at: desk.clock.now(),
        }),
    }),
  ]
}

function decisionRoute(desk: Desk, twin: Twin, verb: Verb, told: string): Route {
  const { prefix, base, access } = twin
  return route({
    operationId: `${prefix}.${names[verb].one}`,
    method: 'POST',
    path: `${base}/:id/${verb}`,
    summary: `${told} a dead letter`,
    description: 'Decided once; who decided and why is kept in the audit.',
    access,
    params: withId,
    body: deadLetterDecision,
    answer: deadLetter,
    errors: ['REASON_REQUIRED', 'DEAD_LETTER_NOT_FOUND', 'ALREADY_DECIDED', ...obstacles[verb]],
    handle: (call) =>
      decideOne(desk, verb, call.params.id, {
        scope: scopeOf(twin, call),
        actor: call.actor,
        reason: givenReason(call.body.reason),
        requestId: call.requestId,
      }),
  })
}

function bulkRoute({ prefix, base, access }: Twin, verb: Verb, told: string) {
  return {
    operationId: `${prefix}.${names[verb].many}`,
    method: 'POST' as const,
    path: `${base}/${verb}`,
    summary: `${told} many dead letters`,
    description:
      'Those of a filter or a list of ids, at most 1000 a call; `remaining` says whether to call again. `dry_run` only counts.',
    access,
    answer: deadLetterBulkAnswer,
    errors: ['REASON_REQUIRED'] as const,
  }
}

function decideBulk(
  desk: Desk,
  twin: Twin,
  verb: Verb,
  call: Call<unknown, unknown, z.output<typeof deadLetterBulkDiscard>>,
  pace?: Bulk['pace'],
) {
  const { filter, ids, dry_run } = call.body
  const reason = givenReason(call.body.reason)
  if ((filter === undefined) === (ids === undefined)) {
    const problem = 'give either filter or ids; an empty filter means every open dead letter'
    throw new AppError('INVALID_REQUEST', 400, `filter: ${problem}`, {
      details: { fields: [{ field: 'filter', problem }] },
    })
  }
  return decideMany(desk, verb, letterFilter(filter ?? {}, ids), {
    scope: scopeOf(twin, call),
    actor: call.actor,
    reason,
    requestId: call.requestId,
    isDryRun: dry_run,
    ...(pace && { pace }),
  })
}
