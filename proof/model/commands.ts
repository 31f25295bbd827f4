// What can happen, as commands. A number becomes a command by the state it meets, so that every number means something and
// a history stays one when parts of it are left out; the command itself names everything, for whoever runs it elsewhere.
import { claim } from './claim-step.ts'
import { applyStatus, beatInbox, cancel, optOut, reconnect, requeue } from './evidence-steps.ts'
import { failureCodes } from './meta.ts'
import {
  confirm,
  enqueue,
  extendLease,
  giveBack,
  reap,
  registerLease,
  renewLease,
} from './queue-steps.ts'
import {
  type Job,
  type NumberBefore,
  rowOf,
  type State,
  type StatusEvent,
  type Step,
  workerCount,
} from './state.ts'
import { jobOf, kindOf, look, post, settle } from './worker-steps.ts'

export type Command =
  | {
      kind: 'enqueue'
      number: number
      contact: number
      delayMs: number
      isOnce: boolean
      hasFallback: boolean
    }
  | {
      kind: 'claim'
      worker: number
      limit: number
      preferred?: ReadonlySet<number>
      /** It was committed, and its answer got lost: the worker does not know what it holds. */
      isUnheard?: boolean
    }
  | { kind: 'look' | 'settle'; attempt: number; fraction: number }
  | { kind: 'post'; attempt: number; answer: number }
  | { kind: 'die' | 'pause' | 'resume'; worker: number }
  | { kind: 'give back'; worker: number }
  | { kind: 'reap' }
  | { kind: 'tell'; event: Omit<StatusEvent, 'receivedAt'> }
  | { kind: 'process'; index: number; isCutShort: boolean }
  | { kind: 'receiving'; isOn: boolean }
  | { kind: 'opt out'; number: number; contact: number }
  | { kind: 'cancel'; message: number }
  | { kind: 'requeue'; letter: number }
  | { kind: 'revoke'; number: number }
  | { kind: 'reconnect'; number: number }
  | { kind: 'advance'; ms: number }

type ClaimCommand = Extract<Command, { kind: 'claim' }>

export const jobBy = (state: State, attempt: number): Job | undefined =>
  state.jobs.find((job) => job.attempt === attempt)

/** One step of the model. */
export function apply(state: State, command: Command): void {
  switch (command.kind) {
    case 'enqueue':
      accept(state, command)
      return
    case 'claim':
      claimFor(state, command)
      return
    case 'look':
    case 'post':
    case 'settle':
      work(state, command)
      return
    case 'die':
    case 'pause':
    case 'resume':
      strike(state, command)
      return
    case 'give back':
      giveBackForgotten(state, command.worker)
      return
    case 'reap':
      for (const message of reap(state)) {
        state.ghost.sometimes('a dead worker’s row was taken back')
        confirm(state, message)
      }
      return
    case 'tell':
      if (!state.isReceiving) state.meta.held.push({ ...command.event, receivedAt: 0 })
      else state.inbox.push({ ...command.event, receivedAt: state.now })
      return
    case 'process': {
      const [event] = state.inbox.splice(command.index, 1)
      if (event) applyStatus(state, event, command.isCutShort)
      return
    }
    case 'receiving':
      receive(state, command.isOn)
      return
    case 'opt out':
      optOut(state, command.number, command.contact)
      return
    case 'cancel':
      cancel(state, command.message)
      return
    case 'requeue':
      requeue(state, command.letter)
      return
    case 'revoke':
      state.meta.revoked.add(command.number)
      return
    case 'reconnect':
      reconnect(state, command.number)
      return
    case 'advance':
      advance(state, command.ms)
      return
  }
}

function accept(state: State, command: Extract<Command, { kind: 'enqueue' }>): void {
  const { number, contact, delayMs, isOnce, hasFallback } = command
  const message = state.messages.length + 1
  state.messages.push({
    id: message,
    number,
    contact,
    status: 'queued',
    wamid: null,
    posts: 0,
    isDuplicate: false,
  })
  enqueue(state, {
    number,
    contact,
    message,
    lane: String(contact),
    sendAt: delayMs === 0 ? null : state.now + delayMs,
    delivery: isOnce ? 'at_most_once' : 'at_least_once',
    hasFallback,
    parent: null,
  })
}

function claimFor(state: State, { worker, limit, preferred, isUnheard }: ClaimCommand): void {
  const slot = state.workers[worker]
  if (!slot) return
  const isHeld = slot.lease !== null && (state.leases[slot.lease - 1]?.heldUntil ?? 0) > state.now
  if (!isHeld) slot.lease = registerLease(state)
  const lease = slot.lease as number
  const before: NumberBefore[] = state.numbers.map(({ id, holdUntil, isOpen, trialAt }) => {
    const running = state.rows.filter((row) => row.status === 'running' && row.number === id).length
    return { holdUntil, isOpen, trialAt, running }
  })
  const claimed = claim(state, lease, limit, preferred ?? null)
  state.ghost.claimed(state, claimed, before)
  if (isUnheard) {
    if (claimed.length > 0) state.ghost.sometimes('the answer to a claim got lost')
    return
  }
  for (const one of claimed) state.jobs.push(jobOf(state, worker, lease, one))
}

/** What a worker's heart does besides beating: it holds without knowing what it never heard of (queue/engine.ts). */
function giveBackForgotten(state: State, worker: number): void {
  const slot = state.workers[worker]
  if (!slot || slot.lease === null || slot.isPaused) return
  const known = new Set(
    state.jobs.filter((job) => job.worker === worker).map(({ attempt }) => attempt),
  )
  const isKnown = (attempt: number) =>
    known.has(attempt) && state.bug !== 'a known claim is given back'
  for (const _ of giveBack(state, slot.lease, isKnown))
    state.ghost.sometimes('a forgotten claim was given back')
}

function work(state: State, command: Extract<Command, { kind: 'look' | 'post' | 'settle' }>): void {
  const job = jobBy(state, command.attempt)
  if (!job) return
  if (command.kind === 'look') {
    look(state, job)
    return
  }
  if (command.kind === 'post') {
    if (post(state, job, kindOf(command.answer)) === 'lost') drop(state, job)
    return
  }
  // Its moment is still to come.
  if (job.phase !== 'done') return
  const before = { ...rowOf(state, job.row) }
  settle(state, job, command.fraction)
  state.ghost.settled(state, before, job.attempt)
  drop(state, job)
}

function drop(state: State, job: Job): void {
  state.jobs = state.jobs.filter((one) => one !== job)
}

function strike(
  state: State,
  { kind, worker }: { kind: 'die' | 'pause' | 'resume'; worker: number },
): void {
  const slot = state.workers[worker]
  if (!slot) return
  slot.isPaused = kind === 'pause'
  if (kind !== 'die') return
  const own = state.jobs.filter((job) => job.worker === worker)
  for (const job of own) state.ghost.sometimes(`a worker died: ${job.phase}`)
  state.jobs = state.jobs.filter((job) => job.worker !== worker)
  slot.lease = null
}

/** Who starts to receive again looks at the inbox at once, and counts a shorter break than usual. */
function receive(state: State, isOn: boolean): void {
  if (isOn && !state.isReceiving) {
    state.isReceiving = true
    beatInbox(state, 5_000)
    for (const event of state.meta.held.splice(0))
      state.inbox.push({ ...event, receivedAt: state.now })
  }
  state.isReceiving = isOn
}

/** Time passes. Who lives keeps its lease; who receives says so every other second. */
function advance(state: State, ms: number): void {
  if (state.isReceiving) beatInbox(state, 20_000)
  const living = state.workers.filter(({ lease, isPaused }) => lease !== null && !isPaused)
  for (const slot of living) if (!renewLease(state, slot.lease as number)) slot.lease = null
  state.now += ms
  if (state.isReceiving) beatInbox(state, ms + 20_000)
  // Its heart beat all the while.
  for (const { lease } of living) if (lease !== null) extendLease(state, lease)
}

// From numbers to commands.

export type Profile = readonly (readonly [
  Command['kind'] | 'claim, unheard' | 'step' | 'finish' | 'stall' | 'crash',
  number,
])[]

const advances = [1, 45, 300, 1_100, 5_500, 16_000, 31_000, 61_000, 302_000, 3_700_000]
const steps: Step[] = ['sent', 'delivered', 'read', 'failed', 'played']

/** Digits of one number, each taken off in turn. */
class Digits {
  #rest: number
  constructor(value: number) {
    this.#rest = value
  }
  take(base: number): number {
    const digit = this.#rest % base
    this.#rest = Math.floor(this.#rest / base)
    return digit
  }
}

export interface Table {
  kinds: Profile[number][0][]
  /** Meta's answers, by their place in meta.ts. */
  answers: number[]
}

/** Each as often as the share that it has. */
export function tableOf(profile: Profile, answers: readonly (readonly [number, number])[]): Table {
  const spread = <Item>(shares: readonly (readonly [Item, number])[]) =>
    shares.flatMap(([item, share]) => Array.from({ length: share }, () => item))
  return { kinds: spread(profile), answers: spread(answers) }
}

/** The commands that this number stands for here: none, one, or what is left of a job. */
export function decode(state: State, { kinds, answers }: Table, value: number): Command[] {
  const digits = new Digits(value)
  const one = (base: number) => digits.take(Math.max(1, base))
  const kind = possible(state, kinds[one(kinds.length)] as Profile[number][0])
  switch (kind) {
    case 'step':
    case 'finish':
      return jobCommands(state, digits, answers, kind === 'finish')
    case 'stall':
    case 'crash':
      return outage(one(workerCount), kind, one(4))
    case 'enqueue':
      return enqueueCommand(state, digits)
    case 'claim':
    case 'claim, unheard': {
      const worker = one(workerCount)
      const isUnheard = kind === 'claim, unheard'
      if (state.workers[worker]?.isPaused) return []
      return [{ kind: 'claim', worker, limit: 100, ...(isUnheard && { isUnheard }) }]
    }
    case 'die':
    case 'pause':
    case 'resume':
    case 'give back':
      return [{ kind, worker: one(workerCount) }]
    case 'tell':
      return tellCommand(state, digits)
    case 'process':
      return [{ kind, index: one(state.inbox.length), isCutShort: one(4) === 1 }]
    case 'receiving':
      return [{ kind, isOn: !state.isReceiving }]
    case 'opt out':
      return [{ kind, number: one(state.numbers.length), contact: one(state.settings.contacts) }]
    case 'cancel':
      return [{ kind, message: 1 + one(state.messages.length) }]
    case 'requeue':
      return [{ kind, letter: 1 + one(state.letters.length) }]
    case 'revoke':
    case 'reconnect':
      return [{ kind, number: one(state.numbers.length) }]
    case 'advance':
      return [{ kind, ms: advances[one(advances.length)] as number }]
    case 'reap':
    case 'look':
    case 'post':
    case 'settle':
      return [{ kind: 'reap' }]
  }
}

/** What there is nothing for becomes what would make it possible: so most of a history is something that happens. */
function possible(state: State, kind: Profile[number][0]): Profile[number][0] {
  let wish = kind
  if (wish === 'requeue' && state.letters.length === 0) wish = 'finish'
  if (wish === 'process' && state.inbox.length === 0) wish = 'tell'
  if (wish === 'tell' && state.meta.acceptances.length === 0) wish = 'finish'
  if ((wish === 'finish' || wish === 'step') && state.jobs.length === 0) wish = 'claim'
  const isEmpty = !state.rows.some((row) => row.status === 'pending')
  if (['claim', 'claim, unheard', 'cancel'].includes(wish) && isEmpty) wish = 'enqueue'
  return wish
}

function enqueueCommand(state: State, digits: Digits): Command[] {
  const number = digits.take(state.numbers.length)
  const contact = digits.take(state.settings.contacts)
  if (state.suppressed.has(`${number} ${contact}`)) return []
  const [isOnce, hasFallback] = [digits.take(3) === 1, digits.take(4) === 1]
  const delayMs = digits.take(6) === 1 ? 20_000 : 0
  return [{ kind: 'enqueue', number, contact, isOnce, hasFallback, delayMs }]
}

/** A worker is away for longer than its lease, and what it held is taken back; sometimes before it wakes up again. */
function outage(worker: number, kind: 'stall' | 'crash', variant: number): Command[] {
  const away: Command = { kind: 'advance', ms: variant === 0 ? 61_000 : 16_000 }
  if (kind === 'crash') return [{ kind: 'die', worker }, away, { kind: 'reap' }]
  const taken: Command[] = variant === 1 ? [] : [{ kind: 'reap' }]
  return [{ kind: 'pause', worker }, away, ...taken, { kind: 'resume', worker }]
}

function tellCommand(state: State, digits: Digits): Command[] {
  const { acceptances } = state.meta
  const acceptance = acceptances[digits.take(Math.max(1, acceptances.length))]
  if (!acceptance) return []
  const status = steps[digits.take(steps.length)] as Step
  const code = status === 'failed' ? (failureCodes[digits.take(failureCodes.length)] ?? null) : null
  const { number, wamid, attempt } = acceptance
  // Two steps may come without the attempt's id: what proves an acceptance must not depend on which of them came first.
  const isNamed = (status !== 'played' && status !== 'delivered') || digits.take(3) !== 1
  return [{ kind: 'tell', event: { number, wamid, attempt, status, code, isNamed } }]
}

/** The next step of a job, or all that are left. */
function jobCommands(state: State, digits: Digits, answers: number[], isWhole: boolean): Command[] {
  const awake = state.jobs.filter((job) => !state.workers[job.worker]?.isPaused)
  const job = awake[digits.take(Math.max(1, awake.length))]
  if (!job) return []
  const answer = answers[digits.take(answers.length)] as number
  const fraction = digits.take(16) / 16
  const { attempt } = job
  const all: Command[] = [
    { kind: 'look', attempt, fraction },
    { kind: 'post', attempt, answer },
    { kind: 'settle', attempt, fraction },
  ]
  const rest = all.slice(job.phase === 'claimed' ? 0 : job.phase === 'looked' ? 1 : 2)
  if (!isWhole) return rest.slice(0, 1)
  const wait = waitFor(state, job)
  return job.phase !== 'done' && wait > 0
    ? [...rest.slice(0, -2), { kind: 'advance', ms: wait }, ...rest.slice(-2)]
    : rest
}

function waitFor(state: State, job: Job): number {
  return job.slot === null ? 0 : Math.ceil(Math.max(0, job.slot - state.now))
}
