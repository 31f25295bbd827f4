// What statuses and people change: proofs of acceptance, the ladder, failures after acceptance, dead letters, opt-outs.

import { classifyStatusError } from '../../src/meta/outcomes.ts'
import { accountHoldMs } from '../../src/outbox/decide.ts'
import { requeuedLane } from '../../src/outbox/model.ts'
import { spamHoldSeconds } from '../../src/outbox/retry-policy.ts'
import { confirm, enqueue, hold, withdraw } from './queue-steps.ts'
import {
  attemptOf,
  type Letter,
  type Message,
  messageOf,
  numberOf,
  type Row,
  rowOf,
  type State,
  type StatusEvent,
  type Step,
} from './state.ts'

const ranks: Record<string, number> = {
  queued: 1,
  sent: 2,
  failed: 3,
  delivered: 4,
  read: 5,
  played: 6,
}

export const rankOf = (status: string) => ranks[status] ?? 0

export interface Proof {
  message: number
  row: number
  wamid: string
  isFailed: boolean
}

/** One webhook is applied, and then, unless its process dies before that, what it proves is ended. */
export function applyStatus(state: State, event: StatusEvent, isCutShort: boolean): void {
  const known = state.steps.get(event.wamid)
  if (known?.has(event.status)) return
  const proof = event.isNamed ? keepEvidence(state, event) : null
  const early = proof ? prove(state, proof) : undefined
  if (known) known.set(event.status, event.code)
  else state.steps.set(event.wamid, new Map([[event.status, event.code]]))
  raise(state, event.wamid, event.status)
  if (event.status === 'failed') heedFailure(state, event.number, event.wamid, event.code)
  else if (early?.has('failed')) heedEarlyFailure(state, event.number, event.wamid)
  if (proof && !isCutShort && confirm(state, proof.message) > 0)
    state.ghost.sometimes('evidence ended a wait')
}

function keepEvidence(state: State, event: StatusEvent): Proof | null {
  const attempt = attemptOf(state, event.attempt)
  if (attempt.wamid !== null || attempt.isDropped) return null
  attempt.wamid = event.wamid
  const isFailed = event.status === 'failed'
  return {
    message: rowOf(state, attempt.row).message,
    row: attempt.row,
    wamid: event.wamid,
    isFailed,
  }
}

/** The message has this name from now on, and is no longer given up; or Meta turns out to have it twice. */
export function prove(state: State, proof: Proof): Early {
  const message = messageOf(state, proof.message)
  const isNamed = message.wamid === null && (!proof.isFailed || isLatest(state, proof))
  if (isNamed) {
    message.wamid = proof.wamid
    const isSaved = !proof.isFailed && ['queued', 'unknown', 'failed'].includes(message.status)
    if (isSaved) message.status = 'sent'
    const early = joinEarly(state, proof.wamid)
    if (!proof.isFailed) resolveLetters(state, message)
    return early
  }
  if (!proof.isFailed) confirmDuplicates(state, message)
  return undefined
}

function resolveLetters(state: State, message: Message): void {
  for (const letter of state.letters) {
    if (letter.message !== message.id || letter.state !== 'open') continue
    letter.state = 'resolved'
    state.ghost.sometimes('a letter was resolved by evidence')
  }
}

type Early = ReadonlyMap<Step, number | null> | undefined

/** Steps that came before the message had its name. */
export function joinEarly(state: State, wamid: string): Early {
  const early = state.steps.get(wamid)
  if (!early || state.bug === 'an early status is dropped') return undefined
  state.ghost.sometimes('a status came before its message had a name')
  for (const step of early.keys()) raise(state, wamid, step)
  return early
}

export function heedEarlyFailure(state: State, number: number, wamid: string): void {
  heedFailure(state, number, wamid, state.steps.get(wamid)?.get('failed') ?? null)
}

/** While another attempt is under way, or another row waits, the message's fate is theirs. */
function isLatest(state: State, proof: Proof): boolean {
  return !state.rows.some(
    (row) =>
      row.message === proof.message &&
      (row.id > proof.row ||
        (row.id === proof.row &&
          row.attempt !== null &&
          attemptOf(state, row.attempt).wamid === null)),
  )
}

/** Attempts that Meta accepted under another name than the message's; what failed at Meta reached nobody. */
export function confirmDuplicates(state: State, message: Message): void {
  const hasFailed = (wamid: string | null) =>
    wamid !== null && state.steps.get(wamid)?.has('failed')
  for (const attempt of state.attempts) {
    if (attempt.isDropped || attempt.wamid === null || attempt.isDuplicate) continue
    if (message.wamid === null || attempt.wamid === message.wamid) continue
    if (rowOf(state, attempt.row).message !== message.id) continue
    if (hasFailed(attempt.wamid) || hasFailed(message.wamid)) continue
    attempt.isDuplicate = true
    message.isDuplicate = true
    state.ghost.sometimes('a duplicate was confirmed')
  }
}

/** A message shows the highest step; a step below it changes nothing. */
export function raise(state: State, wamid: string, step: Step): void {
  const isLastWriter = state.bug === 'the last status wins'
  for (const message of state.messages) {
    if (message.wamid !== wamid) continue
    if (isLastWriter || rankOf(step) > rankOf(message.status)) message.status = step
    else state.ghost.sometimes('a late status changed nothing')
  }
}

/** Meta had accepted it, and gave it up: it is never resent by itself, but for a template where the window was the reason. */
export function heedFailure(
  state: State,
  number: number,
  wamid: string,
  code: number | null,
): void {
  const message = state.messages.find((one) => one.wamid === wamid && one.number === number)
  if (message?.status !== 'failed') return
  const row = newestRow(state, message.id)
  const outcome = classifyStatusError(code)
  if (outcome.errorCode === 'WINDOW_CLOSED' && row.hasFallback) {
    message.status = 'queued'
    message.wamid = null
    enqueue(state, { ...row, sendAt: null, hasFallback: false, parent: row.id })
    state.ghost.sometimes('a template took a failed message’s place')
    return
  }
  bury(state, row, 'outbound')
  if (outcome.class === 'auth') {
    const isOfEarlierToken = state.attempts.some(
      (attempt) =>
        attempt.row === row.id &&
        attempt.wamid === wamid &&
        attempt.startedAt < numberOf(state, row.number).tokenSetAt,
    )
    if (!isOfEarlierToken) park(state, row.number)
  } else if (outcome.class === 'account' || outcome.class === 'spam_limited') {
    const ms = outcome.class === 'account' ? accountHoldMs : spamHoldSeconds * 1000
    hold(state, row.number, state.now + ms)
  }
}

export function park(state: State, number: number): void {
  numberOf(state, number).authStatus = 'needs_reauth'
  hold(state, number, Number.POSITIVE_INFINITY)
  state.ghost.sometimes('a number was parked')
}

export function newestRow(state: State, message: number): Row {
  return state.rows.findLast((row) => row.message === message) as Row
}

/** One per row: it dies once. What was not known before may be known now, and what Meta had it may give up. */
export function bury(state: State, row: Row, kind: Letter['kind']): void {
  const known = state.letters.find((letter) => letter.row === row.id)
  if (!known) {
    const id = state.letters.length + 1
    state.letters.push({ id, row: row.id, message: row.message, kind, state: 'open' })
  } else if (known.state === 'resolved') {
    known.state = 'open'
    known.kind = kind
    state.ghost.sometimes('a resolved letter was opened again')
  } else if (known.state === 'open' && known.kind === 'unknown') known.kind = kind
}

/** A person sends a dead message again: a new row, and the dead one stays as it is. */
export function requeue(state: State, id: number): void {
  const letter = state.letters[id - 1]
  if (letter?.state !== 'open') return
  const message = messageOf(state, letter.message)
  if (message.status !== 'failed' && message.status !== 'unknown') return
  const isLive = (row: Row) => row.status === 'pending' || row.status === 'running'
  if (state.rows.some((row) => row.message === message.id && isLive(row))) return
  const dead = rowOf(state, letter.row)
  letter.state = 'requeued'
  message.status = 'queued'
  message.wamid = null
  state.ghost.sometimes('a dead letter was requeued')
  if (state.bug === 'a requeue revives the dead row') {
    dead.status = 'pending'
    dead.isHead = true
    dead.runAt = state.now
    hold(state, dead.number, Number.NEGATIVE_INFINITY)
    return
  }
  const lane = requeuedLane(String(message.id), String(letter.id))
  enqueue(state, { ...dead, lane, sendAt: null, parent: dead.id })
}

export function cancel(state: State, id: number): void {
  const message = messageOf(state, id)
  if (message.status !== 'queued') return
  if (state.rows.some((row) => row.message === id && mayBeAtMeta(state, row, 'but for failed')))
    return
  if (!withdraw(state, newestRow(state, id).id, 'CANCELLED')) return
  message.status = 'cancelled'
  state.ghost.sometimes('a message was cancelled')
}

function mayBeAtMeta(state: State, row: Row, which: 'all' | 'but for failed'): boolean {
  return state.attempts.some(({ row: id, isDropped, outcome, wamid }) => {
    if (id !== row.id || isDropped) return false
    const hasFailed = wamid !== null && state.steps.get(wamid)?.has('failed')
    if (which === 'but for failed' && hasFailed) return false
    return outcome === 'unknown' || wamid !== null
  })
}

/** What waits for this contact ends, but for what Meta may have already. */
export function optOut(state: State, number: number, contact: number): void {
  const key = `${number} ${contact}`
  if (!state.suppressed.has(key)) state.suppressed.set(key, state.step)
  for (const row of state.rows) {
    if (row.status !== 'pending' || row.number !== number || row.contact !== contact) continue
    if (messageOf(state, row.message).status !== 'queued') continue
    if (mayBeAtMeta(state, row, 'all') || !withdraw(state, row.id, 'RECIPIENT_SUPPRESSED')) continue
    messageOf(state, row.message).status = 'failed'
    bury(state, row, 'outbound')
    state.ghost.sometimes('an opt-out ended what waited')
  }
}

export function reconnect(state: State, id: number): void {
  const number = numberOf(state, id)
  if (number.authStatus === 'needs_reauth') number.tokenSetAt = state.now
  number.authStatus = 'ok'
  state.meta.revoked.delete(id)
  hold(state, id, Number.NEGATIVE_INFINITY)
}

/** A look at the inbox (inbox_beat): since when nothing has come without being processed in time. */
export function beatInbox(state: State, longestBreakMs: number): void {
  const { watch, now } = state
  if (isBehind(state)) watch.steadySince = null
  else if (watch.seenAt > now - longestBreakMs) watch.steadySince ??= now
  else watch.steadySince = now
  watch.seenAt = now
}

export function isBehind(state: State): boolean {
  return state.inbox.some((event) => event.receivedAt < state.now - 5_000)
}
