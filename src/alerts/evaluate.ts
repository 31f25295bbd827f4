// Looks at every rule now and then, by one process at a time, and writes down what began, what goes on and what is over: each
// transition in one transaction with the notifications that tell of it. Whoever lost its lease meanwhile writes nothing.
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db, Tx } from '../db/connect.ts'
import { transactionWithRetry } from '../db/retry.ts'
import { publicId, uuidOf } from '../ids.ts'
import { errorFields, type Log } from '../log.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { type EnvironmentChannel, keepEnvironmentChannels } from './environment.ts'
import { messageOf } from './message.ts'
import type { AlertRule, Finding, Limits, NotificationEvent } from './model.ts'
import { alertRules } from './rules.ts'
import {
  type AlertChange,
  deleteOldAlerts,
  endEvaluation,
  type FiringRow,
  insertAlerts,
  insertNotifications,
  type NewAlert,
  type NewNotification,
  selectFiring,
  selectTenantNames,
  takeEvaluation,
  updateAlerts,
} from './state-queries.ts'

export interface EvaluatorOptions {
  db: Db
  clock: Clock
  random: Random
  log: Log
  limits: Limits
  /** 0: never. */
  repeatMinutes: number
  publicUrl?: string | undefined
  environmentChannels: EnvironmentChannel[]
  /** Called after a commit that left something to be told, and waited for: there may be no time afterwards. */
  onNotified: () => unknown
  /** All of them, unless a test says otherwise. */
  rules?: readonly AlertRule[]
}

export interface Evaluator {
  /** Undefined when it is not due, or another process is at it. */
  evaluateDue(): Promise<Transitions | undefined>
}

export interface Transitions {
  fired: number
  resolved: number
  repeated: number
}

const everySeconds = 15
/** Longer than a look at everything takes. */
const leaseSeconds = 60
/** How long what is over is shown. */
const keptMs = 30 * 24 * 60 * 60 * 1000

export function createEvaluator(options: EvaluatorOptions): Evaluator {
  const { db, clock, random, log, rules = alertRules } = options

  /** Without those that could not be looked at: nothing is known of them, so nothing of theirs changes. */
  async function findAll(now: Date): Promise<Map<AlertRule, Finding[]>> {
    const found = new Map<AlertRule, Finding[]>()
    for (const rule of rules) {
      try {
        found.set(rule, await rule.find({ db, now, limits: options.limits }))
      } catch (error) {
        log.error('alert_rule_failed', { name: rule.name, ...errorFields(error) })
      }
    }
    return found
  }

  return {
    async evaluateDue() {
      const now = clock.now()
      const holder = random.uuid()
      if (!(await takeEvaluation(db, holder, now, { everySeconds, leaseSeconds }))) return undefined
      await keepEnvironmentChannels(db, options.environmentChannels, now)
      const found = await findAll(now)
      const told = await transactionWithRetry(db, (tx) => apply(tx, options, holder, found, now))
      if (!told) return undefined
      // crash point: alerts.judged-before-ring
      await deleteOldAlerts(db, new Date(now.getTime() - keptMs))
      for (const one of told) report(log, one)
      if (told.length > 0) await options.onNotified()
      const count = (event: NotificationEvent) => told.filter((one) => one.event === event).length
      return { fired: count('fired'), resolved: count('resolved'), repeated: count('repeated') }
    },
  }
}

/** What changed; undefined when the lease was lost. */
async function apply(
  tx: Tx,
  options: EvaluatorOptions,
  holder: string,
  found: Map<AlertRule, Finding[]>,
  now: Date,
): Promise<NewNotification[] | undefined> {
  if (!(await endEvaluation(tx, holder, now))) return undefined
  const byName = new Map([...found.keys()].map((rule) => [rule.name, rule]))
  const firing = await selectFiring(tx, [...byName.keys()])
  const known = new Map(firing.map((row) => [keyOf(row), row]))
  const begun: NewAlert[] = []
  const present = new Map<string, Finding>()
  for (const [rule, findings] of found) {
    for (const finding of findings) {
      const key = keyOf({ ...finding, rule: rule.name })
      present.set(key, finding)
      if (known.has(key) || finding.isLingering) continue
      const { isLingering, ...facts } = finding
      begun.push({ ...facts, id: options.random.uuid(), rule: rule.name, severity: rule.severity })
    }
  }
  const changes = firing.flatMap((row) => {
    const rule = byName.get(row.rule)
    return rule ? [changeOf(row, present.get(keyOf(row)), rule, options.repeatMinutes, now)] : []
  })
  const changed = changes.filter(({ change, row }) => isChanged(row, change))
  const isNew = begun.length > 0 ? await insertAlerts(tx, begun, now) : new Set()
  if (changed.length > 0) {
    await updateAlerts(
      tx,
      changed.map(({ change }) => change),
    )
  }
  const events = [
    ...begun
      .filter(({ id }) => isNew.has(id))
      .map((alert) => ({
        event: 'fired' as const,
        rule: alert.rule,
        facts: { ...alert, firedAt: now, resolvedAt: null },
      })),
    ...changed.flatMap(({ event, row, change }) =>
      event === null ? [] : [{ event, rule: row.rule, facts: { ...row, ...change } }],
    ),
  ]
  if (events.length === 0) return []
  const tenants = events.flatMap(({ facts }) => facts.tenantId ?? [])
  const names = await selectTenantNames(tx, [...new Set(tenants)])
  const notifications = events.flatMap(({ event, rule: name, facts }): NewNotification[] => {
    const rule = byName.get(name)
    if (!rule) return []
    const { id, tenantId, subject } = facts
    const message = messageOf(rule, facts, names.get(tenantId ?? ''), options.publicUrl)
    return [
      { alertId: id, tenantId, event, message, exceptChannel: uuidOf('ach', subject) ?? null },
    ]
  })
  await insertNotifications(tx, notifications, now)
  return notifications
}

function keyOf(one: { tenantId: string | null; rule: string; subject: string }): string {
  return JSON.stringify([one.tenantId, one.rule, one.subject])
}

interface Judged {
  row: FiringRow
  change: AlertChange
  event: 'repeated' | 'resolved' | null
}

/** What becomes of one that fires. */
function changeOf(
  row: FiringRow,
  finding: Finding | undefined,
  rule: AlertRule,
  repeatMinutes: number,
  now: Date,
): Judged {
  const { id, notifiedAt } = row
  const stays = { id, notifiedAt, resolvedAt: null }
  if (!finding) {
    const clearSince = row.clearSince ?? now
    const change = { ...stays, clearSince, count: row.count, summary: row.summary }
    if (now.getTime() - clearSince.getTime() < rule.quietSeconds * 1000) {
      return { row, change, event: null }
    }
    return { row, change: { ...change, notifiedAt: now, resolvedAt: now }, event: 'resolved' }
  }
  const change = { ...stays, clearSince: null, count: finding.count, summary: finding.summary }
  const isDue = repeatMinutes > 0 && now.getTime() - notifiedAt.getTime() >= repeatMinutes * 60_000
  if (!isDue) return { row, change, event: null }
  return { row, change: { ...change, notifiedAt: now }, event: 'repeated' }
}

function isChanged(row: FiringRow, change: AlertChange): boolean {
  return (
    change.resolvedAt !== null ||
    row.notifiedAt.getTime() !== change.notifiedAt.getTime() ||
    row.clearSince?.getTime() !== change.clearSince?.getTime() ||
    row.count !== change.count ||
    row.summary !== change.summary
  )
}

function report(log: Log, { event, alertId, tenantId, message }: NewNotification): void {
  const fields = {
    tenant_id: tenantId,
    alert_id: publicId('alt', alertId),
    name: message.rule,
    count: message.count,
  }
  if (event === 'resolved') log.info('alert_resolved', fields)
  else log.warn(event === 'fired' ? 'alert_fired' : 'alert_repeated', fields)
}

/** Every process asks whether it is due; one of them finds that it is. */
const askEveryMs = 5_000

export function alertJob({ evaluateDue }: Evaluator): PeriodicJob {
  return {
    name: 'alert-rules',
    everyMs: askEveryMs,
    failed: 'alerts_not_evaluated',
    run: evaluateDue,
  }
}
