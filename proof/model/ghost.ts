// The oracle: it sees what Meta got and when webhooks could come in, remembers what no part of the product remembers, and
// says what must never be. The product's own state is looked at, never believed.
import { rankOf } from './evidence-steps.ts'
import {
  attemptOf,
  type Claimed,
  type Job,
  leaseOf,
  type NumberBefore,
  numberOf,
  type Oracle,
  type Row,
  rowOf,
  type State,
  tenantOf,
} from './state.ts'

export class Violation extends Error {
  override name = 'Violation'
}

function must(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Violation(what)
}

/** An inbox that does not get on keeps what Meta has denied no longer than this. */
const longestDoubtMs = 600_000

export class Ghost implements Oracle {
  readonly #counts: Map<string, number>
  /** By attempt id. */
  readonly #posted: boolean[] = []
  /** By row id: how it ended. */
  readonly #ended: Row['status'][] = []
  /** By message id: the name and the step it last showed. */
  readonly #shown: { wamid: string; rank: number }[] = []
  readonly #postTimes: number[][] = []
  /** Since when a status that Meta sent would be known; Infinity: it would not. */
  healthySince = Number.NEGATIVE_INFINITY
  #lastReceivingAt: number
  #wasAway = false

  constructor(counts: Map<string, number>, nowMs: number) {
    this.#counts = counts
    this.#lastReceivingAt = nowMs
  }

  /** Something worth reaching was reached. */
  sometimes(label: string): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1)
  }

  /** Before a POST leaves. */
  posting(state: State, job: Job, isAccepted: boolean): void {
    const row = rowOf(state, job.row)
    must(!attemptOf(state, job.attempt).isDropped, 'posted without an attempt on record')
    must(!this.#posted[job.attempt], 'two POSTs of one attempt')
    this.#posted[job.attempt] = true
    must(leaseOf(state, job.lease).aliveUntil > state.now, 'posted by a worker without a lease')
    must(row.attempt === job.attempt, 'posted by somebody who does not hold the row')
    const stoppedAt = state.suppressed.get(`${row.number} ${row.contact}`)
    must(stoppedAt === undefined || stoppedAt > job.lookedStep, 'posted after an opt-out')
    if (isAccepted) this.#checkAgain(state, job, row)
    this.#checkPace(state, row)
  }

  /** It may only be sent again where an answer was lost or Meta denied it, and silence meant something for long enough. */
  #checkAgain(state: State, job: Job, row: Row): void {
    must(job.context?.acceptedAs === null, 'posted although it is known that Meta has it')
    for (const acceptance of state.meta.acceptances) {
      // Another row is a person's word, or a template instead of what failed.
      if (acceptance.row !== row.id) continue
      const earlier = attemptOf(state, acceptance.attempt)
      const isOnce = row.delivery === 'at_most_once'
      const isDenied = earlier.outcome === 'transient'
      must(isDenied || earlier.outcome === 'unknown', 'sent again although no answer was lost')
      must(isDenied || !isOnce, 'at_most_once: accepted twice')
      if (isDenied && !isOnce) {
        const isRead = job.healthySince <= job.lookedAt
        const isLongAgo = job.lookedAt - (earlier.finishedAt ?? 0) >= longestDoubtMs
        must(isRead || isLongAgo, 'sent again while what came in lay unread')
        this.sometimes('Meta took what it had denied')
        continue
      }
      const from = Math.max(earlier.finishedAt ?? Number.POSITIVE_INFINITY, job.healthySince)
      const waitedMs = job.lookedAt - from
      const leastMs = state.settings.reconcileSeconds * 1000
      must(waitedMs >= leastMs, 'sent again before a status had the time to tell')
      this.sometimes('sent again in good faith')
    }
  }

  /** In any second no more than Meta allows. */
  #checkPace(state: State, row: Row): void {
    const { rate } = numberOf(state, row.number)
    if (rate === Number.POSITIVE_INFINITY) return
    this.#postTimes[row.number] ??= []
    const times = this.#postTimes[row.number] as number[]
    times.push(state.now)
    let within = 0
    for (let index = times.length - 1; index >= 0; index--) {
      if ((times[index] as number) <= state.now - 1000) break
      within++
    }
    must(within <= rate, `${within} POSTs within a second where ${rate} are allowed`)
  }

  /** After a claim: order, holds, and one trial at a time. */
  claimed(state: State, claimed: Claimed[], before: NumberBefore[]): void {
    for (const { row } of claimed) {
      for (const other of state.rows) {
        if (other.number !== row.number || other.lane !== row.lane || other === row) continue
        must(other.status !== 'running', 'two of one lane on their way')
        const isEarlier =
          other.dueAt < row.dueAt || (other.dueAt === row.dueAt && other.id < row.id)
        must(!(other.status === 'pending' && isEarlier), 'overtaken in its own lane')
      }
      const was = before[row.number] as NumberBefore
      must(was.holdUntil <= state.now, 'claimed while its number is held')
      if (!was.isOpen) continue
      must(was.trialAt <= state.now, 'claimed while its circuit is open')
      was.running++
      must(was.running <= 1, 'more than one trial of an open circuit')
      this.sometimes('a trial was made')
    }
  }

  /** After a settlement by somebody who may have lost the row: `before` is what it was. */
  settled(state: State, before: Row, attempt: number): void {
    if (before.attempt === attempt) return
    const after = rowOf(state, before.id)
    const isProven = before.status === 'pending' && after.status === 'done'
    const isSame = after.status === before.status && after.attempts === before.attempts
    must(isProven || isSame, 'whoever lost a claim changed the row')
  }

  /** After every step. */
  check(state: State): void {
    this.#checkHealth(state)
    const running = state.tenants.map(() => 0)
    for (const row of state.rows) {
      const end = this.#ended[row.id]
      if (end !== undefined) must(end === row.status, `a row that was ${end} is ${row.status}`)
      else if (row.status === 'done' || row.status === 'failed') this.#ended[row.id] = row.status
      must((row.attempt !== null) === (row.status === 'running'), 'an attempt without a run')
      if (row.status === 'running') running[row.tenant] = (running[row.tenant] ?? 0) + 1
    }
    for (const [tenant, count] of running.entries())
      must(count <= tenantOf(state, tenant).cap, 'more on their way than the cap')
    for (const message of state.messages)
      if (message.wamid !== null) this.#checkStatus(state, message)
  }

  /** It shows the highest step that is known under its name, and never goes down. */
  #checkStatus(state: State, message: State['messages'][number]): void {
    const rank = rankOf(message.status)
    if (rank === 0) return
    const wamid = message.wamid as string
    const steps = state.steps.get(wamid)
    if (steps) {
      for (const step of steps.keys()) must(rankOf(step) <= rank, `shows less than ${step}`)
    }
    const shown = this.#shown[message.id]
    if (shown && shown.wamid === wamid) {
      must(rank >= shown.rank, 'a status went down')
      shown.rank = rank
    } else this.#shown[message.id] = { wamid, rank }
  }

  #checkHealth(state: State): void {
    let isBehind = false
    for (const event of state.inbox) if (event.receivedAt < state.now - 5_000) isBehind = true
    // Nobody notices a break before 20 s are over; whoever starts again counts one of 5 s.
    const awayMs = state.now - this.#lastReceivingAt
    const isAway = !state.isReceiving && awayMs >= 20_000
    const isBack = state.isReceiving && this.#wasAway && awayMs >= 5_000
    if (isBehind || isAway) this.healthySince = Number.POSITIVE_INFINITY
    else if (isBack || (this.healthySince === Number.POSITIVE_INFINITY && state.isReceiving))
      this.healthySince = state.now
    this.#wasAway = !state.isReceiving
    if (state.isReceiving) this.#lastReceivingAt = state.now
  }
}

/** After the quiet phase: nothing waits, and everything shows what became of it. */
export function checkDrained(state: State, isAllTold: boolean): void {
  for (const { id, status } of state.rows)
    must(status === 'done' || status === 'failed', `row ${id} is ${status} for ever`)
  for (const { id, status, wamid } of state.messages) {
    must(status !== 'queued', `message ${id} is queued for ever`)
    const accepted = state.meta.acceptances.filter((one) => one.message === id)
    const isNamedByMeta = wamid === null || accepted.some((one) => one.wamid === wamid)
    must(isNamedByMeta, 'a name that Meta never gave')
    const isSent = rankOf(status) >= 2 && status !== 'failed'
    must(!isSent || wamid !== null, 'sent, and Meta does not have it')
    const isGivenUp = status === 'failed' || status === 'unknown'
    const isTold = state.letters.some((letter) => letter.message === id && letter.state === 'open')
    must(!isGivenUp || isTold, 'given up, and nobody is told')
    // What failed at Meta and was queued again has no name of its own until it is sent.
    const isThere = accepted.some((one) => !state.steps.get(one.wamid)?.has('failed'))
    const isKnown = !isThere || wamid !== null || status === 'cancelled'
    must(!isAllTold || isKnown, 'Meta has it, and nothing says so')
  }
}
