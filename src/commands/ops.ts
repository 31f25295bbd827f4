// What an operator asks at the command line when something is to be explained, proved or done again.
import { replayRequest } from '../api/contract-ops.ts'
import { connect } from '../db/connect.ts'
import { givenReason } from '../dead-letters/decision.ts'
import { logHashKey } from '../log.ts'
import type { Account } from '../ops/accounting.ts'
import type { Moment } from '../ops/moment.ts'
import { type Reconciliation, reconcile } from '../ops/reconcile.ts'
import { replayEvents } from '../ops/replay.ts'
import { type Trace, traceLife } from '../ops/trace.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { withProgress } from './progress.ts'
import { readOptions } from './read-options.ts'
import { table } from './text.ts'

/** Whole tables are read: an API call would not be given the time, a person at a terminal has it. */
const patientTimeoutMs = 15 * 60_000

/** False when the numbers do not add up. */
export async function reconcileCommand(options: TableOptions): Promise<boolean> {
  let addsUp = false
  await withRuntime(async ({ databaseUrl }) => {
    const db = connect({
      url: databaseUrl,
      name: 'reconcile',
      poolSize: 1,
      queryTimeoutMs: patientTimeoutMs,
    })
    try {
      const result = await reconcile(db)
      addsUp = result.adds_up
      print(options, result, reconciliationText(result))
    } finally {
      await db.close()
    }
  })
  return addsUp
}

function reconciliationText({ accounting, differences, is_cut }: Reconciliation): string {
  const row = (name: string, account: Account) => [
    name,
    account.received,
    account.messages,
    account.statuses,
    account.notices,
    account.duplicates,
    Object.values(account.ignored).reduce((sum, count) => sum + count, 0),
    account.dead,
    account.pending,
  ]
  const heads = 'TENANT RECEIVED MESSAGES STATUSES NOTICES DUPLICATES IGNORED DEAD WAITING'
  const rows = [
    ...accounting.tenants.map((account) => row(account.tenant_id ?? '(nobody’s)', account)),
    row('in total', accounting.total),
  ]
  const reasons = Object.entries(accounting.total.ignored).map(
    ([reason, count]) => `${count} ${reason}`,
  )
  const told = differences.map(
    ({ event_id, tenant_id, message }) =>
      `  ${event_id === null ? 'all events' : `event ${event_id}`}${tenant_id === null ? '' : `, tenant ${tenant_id}`}: ${message}`,
  )
  return [
    table(
      heads.split(' '),
      rows.map((cells) => cells.map(String)),
    ),
    ...(reasons.length > 0 ? [`ignored: ${reasons.join(', ')}`] : []),
    '',
    ...(differences.length === 0
      ? ['Every number adds up, and the tables agree.']
      : [
          `${differences.length}${is_cut ? ' or more' : ''} difference(s):`,
          ...told,
          'Next: estafet trace <event id>',
        ]),
  ].join('\n')
}

interface ReplayOptions extends TableOptions {
  from?: string
  to?: string
  tenant?: string
  phoneNumberId?: string
  reason?: string
  apply?: boolean
}

export async function replayCommand(options: ReplayOptions): Promise<void> {
  await withRuntime(async (runtime) => {
    const tenant = options.tenant
    const body = readOptions(replayRequest, {
      from: options.from,
      to: options.to ?? runtime.clock.now().toISOString(),
      tenant_id: tenant === undefined ? undefined : await tenantNamed(runtime, tenant),
      phone_number_id: options.phoneNumberId,
      reason: options.reason ?? (options.apply ? undefined : 'dry run'),
      dry_run: !options.apply,
    })
    const order = {
      from: new Date(body.from),
      to: new Date(body.to),
      tenantId: body.tenant_id ?? null,
      phoneNumberId: body.phone_number_id ?? null,
      reason: givenReason(body.reason),
      isDryRun: body.dry_run,
      actor,
    }
    const replayer = { ...runtime, db: runtime.db.api }
    const whole = await withProgress('Replaying', options, async ({ at }) => {
      const first = await replayEvents(replayer, { ...order, after: undefined, onBatch: at })
      let { replayed, next } = first
      while (next !== null) {
        const before = replayed
        const onBatch = (done: number) => at(before + done, first.replayable)
        const more = await replayEvents(replayer, { ...order, after: next, onBatch })
        replayed += more.replayed
        next = more.next
      }
      return { ...first, replayed, next }
    })
    print(options, whole, replayText(whole))
  })
}

function replayText(answer: Awaited<ReturnType<typeof replayEvents>>): string {
  return [
    `${answer.matched} webhook(s) were processed in this period.`,
    ...(answer.pruned > 0 ? [`${answer.pruned} cannot be replayed: their payloads are gone.`] : []),
    ...(answer.waiting > 0 ? [`${answer.waiting} more wait to be processed anyway.`] : []),
    answer.dry_run
      ? `${answer.replayable} would be processed again; nothing was changed. Add --apply --reason "…" to do it.`
      : `${answer.replayed} are processed again. What was applied before is not applied twice.`,
  ].join('\n')
}

export async function traceCommand(asked: string, options: TableOptions): Promise<void> {
  await withRuntime(async ({ config, databaseUrl }) => {
    const db = connect({
      url: databaseUrl,
      name: 'trace',
      poolSize: 1,
      queryTimeoutMs: patientTimeoutMs,
    })
    try {
      const keys = config.encryptionKeys.map(({ key }) => logHashKey(key))
      const trace = await traceLife(db, asked, keys)
      print(options, trace, traceText(trace))
    } finally {
      await db.close()
    }
  })
}

function traceText({ is, name, life, trace_ids, conversations, notes }: Trace): string {
  const moments = life.map(({ at, step = '', what, ...rest }) => [
    at,
    step,
    what,
    detailsText(rest),
  ])
  return [
    `${is}${name === null ? '' : ` ${name}`}`,
    ...trace_ids.map((id) => `trace ${id}`),
    ...(moments.length > 0 ? [table(['AT', 'STEP', 'WHAT', ''], moments)] : []),
    ...conversations.flatMap((one) => [
      `conversation ${one.conversation_id} of tenant ${one.tenant_id}`,
      ...one.message_ids.map((id) => `  ${id}`),
    ]),
    ...notes,
  ].join('\n')
}

function detailsText({ event_id, details }: Pick<Moment, 'event_id' | 'details'>): string {
  const facts = Object.entries(details).flatMap(([key, value]) =>
    value === null || value === '' ? [] : `${key}=${value}`,
  )
  return [...facts, ...(event_id === undefined ? [] : [`event=${event_id}`])].join(' ')
}
