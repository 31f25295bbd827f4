// The queue's steps as migrations/0004_outbox.sql, 0007_reconcile.sql and 0015_rings.sql take them. What proves that these
// are the same is conformance.test.ts. A step is a function of the state and its input alone; it changes the state in place,
// because a copy for each would cost most of a run.
import { delaysOf } from '../../src/outbox/retry-policy.ts'
import {
  attemptOf,
  leaseMarginMs,
  leaseOf,
  messageOf,
  type NumberState,
  numberOf,
  type Row,
  rowOf,
  type State,
} from './state.ts'

export interface NewRow {
  number: number
  contact: number
  message: number
  lane: string
  sendAt: number | null
  delivery: Row['delivery']
  hasFallback: boolean
  parent: number | null
}

function wake(state: State, tenant: number, notBefore: number): void {
  const known = state.tenants[tenant]
  if (!known) return
  let first = Number.POSITIVE_INFINITY
  for (const number of state.numbers) {
    if (number.tenant === tenant && number.nextAt < first) first = number.nextAt
  }
  const at = Math.max(notBefore, first)
  if (known.nextAt > at) known.nextAt = at
}

/** Running first, then by when they were due, then by id. */
function firstOfLane(state: State, of: Pick<Row, 'number' | 'lane'>, but: number): Row | undefined {
  let first: Row | undefined
  for (const row of state.rows) {
    if (row.status !== 'pending' && row.status !== 'running') continue
    if (row.number !== of.number || row.lane !== of.lane || row.id === but) continue
    if (row.status === 'running') return row
    if (!first || row.dueAt < first.dueAt) first = row
  }
  return first
}

export function enqueue(state: State, item: NewRow): Row {
  const { now } = state
  const number = numberOf(state, item.number)
  const dueAt = Math.max(item.sendAt ?? now, now)
  const ahead = firstOfLane(state, item, 0)
  const isOvertaking = ahead !== undefined && ahead.status === 'pending' && ahead.dueAt > dueAt
  if (isOvertaking && ahead) ahead.isHead = false
  // Field by field: this is the hottest object of a run.
  const row: Row = {
    id: state.rows.length + 1,
    tenant: number.tenant,
    number: item.number,
    contact: item.contact,
    message: item.message,
    parent: item.parent,
    lane: item.lane,
    delivery: item.delivery,
    hasFallback: item.hasFallback,
    status: 'pending',
    attempts: 0,
    runAt: dueAt,
    error: null,
    dueAt,
    isHead: !ahead || isOvertaking,
    attempt: null,
    lease: null,
  }
  state.rows.push(row)
  if (number.nextAt > now) number.nextAt = now - 1000
  wake(state, number.tenant, now - 1000)
  return row
}

export interface Ending {
  row: number
  attempt: number
  state: 'done' | 'failed' | 'pending'
  failures: number
  error: string | null
  runAt: number | null
}

/** False when the row was taken from whoever ends it. */
export function settleRow(state: State, ending: Ending): boolean {
  const row = rowOf(state, ending.row)
  const isFenced = state.bug !== 'a settlement needs no fence'
  const isOurs = isFenced ? row.attempt === ending.attempt : row.status !== 'done'
  if (isOurs) {
    row.status = ending.state
    row.isHead = ending.state === 'pending'
    row.attempt = null
    row.lease = null
    row.error = ending.error
    row.attempts += ending.failures
    row.runAt = ending.runAt ?? row.runAt
    if (ending.state === 'pending') alarm(numberOf(state, row.number), row.runAt)
    else if (state.bug !== 'the next in the lane is not woken') promoteHeir(state, row)
  }
  wake(state, row.tenant, state.now)
  return isOurs
}

function alarm(number: NumberState, at: number): void {
  if (number.nextAt > at) number.nextAt = at
}

function promoteHeir(state: State, gone: Row): void {
  const heir = firstOfLane(state, gone, gone.id)
  if (!heir) return
  heir.isHead = true
  alarm(numberOf(state, gone.number), heir.runAt)
}

/** Takes one that waits out of the queue. */
export function withdraw(state: State, id: number, error: string): boolean {
  const row = rowOf(state, id)
  if (row.status !== 'pending') return false
  row.status = 'failed'
  row.error = error
  leave(state, row)
  return true
}

function leave(state: State, row: Row): void {
  if (!row.isHead) return
  row.isHead = false
  promoteHeir(state, row)
  wake(state, row.tenant, state.now)
}

/** The wamid under which Meta has the message, told by an attempt of this row, or of an earlier one that did not fail later. */
export function provenWamid(state: State, row: Row): string | null {
  let wamid: string | null = null
  for (const attempt of state.attempts) {
    if (attempt.wamid === null || attempt.isDropped) continue
    if (attempt.row === row.id) return attempt.wamid
    if (wamid !== null || rowOf(state, attempt.row).message !== row.message) continue
    if (!state.steps.get(attempt.wamid)?.has('failed')) wamid = attempt.wamid
  }
  return wamid
}

/** Ends what waits although Meta has it. Returns how many. */
export function confirm(state: State, message: number): number {
  // An attempt that failed at Meta while another was under way has not named it: that is for whoever claims it.
  const isNamed = messageOf(state, message).wamid !== null
  if (!isNamed && state.bug !== 'a failed attempt ends the row') return 0
  const found = state.rows.filter(
    (row) =>
      row.message === message && row.status === 'pending' && provenWamid(state, row) !== null,
  )
  for (const row of found) {
    row.status = 'done'
    row.error = null
    leave(state, row)
    wake(state, row.tenant, state.now)
  }
  return found.length
}

/** Takes back what dead processes held; returns the messages. */
export function reap(state: State): number[] {
  const { now, settings } = state
  const taken: number[] = []
  for (const lease of state.leases) {
    if (lease.isReaped || lease.aliveUntil >= now) continue
    lease.isReaped = true
    for (const row of state.rows) {
      if (row.status !== 'running' || row.lease !== lease.id || row.attempt === null) continue
      const attempt = attemptOf(state, row.attempt)
      if (attempt.finishedAt === null) {
        attempt.finishedAt = Math.max(lease.aliveUntil, attempt.startedAt)
        attempt.outcome =
          state.bug === 'at_most_once is forgotten after a crash' ? 'not_sent' : 'unknown'
      }
      const delays = delaysOf(state.tenants[row.tenant]?.retryPolicy ?? 'standard')
      const delay = delays[Math.min(row.attempts + 1, delays.length) - 1] ?? 0
      const waitMs = Math.max(settings.reconcileSeconds, delay) * 1000
      settleRow(state, {
        row: row.id,
        attempt: attempt.id,
        state: 'pending',
        failures: 1,
        error: 'the worker died',
        runAt: lease.aliveUntil + waitMs,
      })
      taken.push(row.message)
    }
  }
  return taken
}

/** `-Infinity` releases from all but what Meta asked for, `Infinity` parks. */
export function hold(state: State, id: number, until: number): void {
  const number = numberOf(state, id)
  number.nextAt = Math.min(number.nextAt, Math.max(until, state.now))
  const isRelease = until === Number.NEGATIVE_INFINITY
  const askedUntil = number.askedUntil > state.now ? number.askedUntil : until
  number.holdUntil = isRelease ? askedUntil : Math.max(number.holdUntil, until)
  if (isRelease && state.bug === 'reconnecting wakes nobody') {
    number.nextAt = Number.POSITIVE_INFINITY
    return
  }
  wake(state, number.tenant, state.now)
}

/** Gives back, unspent, what a lease holds for longer than it lasts and its worker does not know of (giveBackSends). */
export function giveBack(
  state: State,
  lease: number,
  isKnown: (attempt: number) => boolean,
): number[] {
  const olderThan = state.now - state.settings.leaseSeconds * 1000
  const given: number[] = []
  for (const row of state.rows) {
    if (row.status !== 'running' || row.lease !== lease || row.attempt === null) continue
    const attempt = attemptOf(state, row.attempt)
    const isUntold = attempt.wamid === null && attempt.outcome === null
    if (attempt.startedAt >= olderThan || !isUntold || isKnown(attempt.id)) continue
    settleRow(state, {
      ...{ row: row.id, attempt: attempt.id, state: 'pending', failures: 0 },
      ...{ error: 'NOT_SENT', runAt: null },
    })
    attempt.isDropped = true
    given.push(row.id)
  }
  return given
}

export function registerLease(state: State): number {
  const id = state.leases.length + 1
  state.leases.push({ id, aliveUntil: 0, heldUntil: 0, isReaped: false })
  extendLease(state, id)
  return id
}

export function extendLease(state: State, id: number): void {
  const lease = leaseOf(state, id)
  lease.aliveUntil = state.now + state.settings.leaseSeconds * 1000
  lease.heldUntil = lease.aliveUntil - leaseMarginMs
}

/** False when it is lost: others may have what it held. */
export function renewLease(state: State, id: number): boolean {
  const lease = leaseOf(state, id)
  if (lease.isReaped || lease.aliveUntil <= state.now) {
    lease.heldUntil = Number.NEGATIVE_INFINITY
    return false
  }
  extendLease(state, id)
  return true
}
