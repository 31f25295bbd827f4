// The core as plain data: what Postgres holds of it, what its workers hold, what Meta and its webhooks hold. All times are
// milliseconds of one virtual clock; ids are counted from 1.
import type { Delivery } from '../../src/outbox/model.ts'
import type { SendResult } from '../../src/outbox/send.ts'
import type { SendContext } from '../../src/outbox/send-queries.ts'
import type { Circuit } from '../../src/outbox/weather-queries.ts'
import type { Bug } from './planted.ts'

export interface Tenant {
  nextAt: number
  cap: number
  retryPolicy: 'patient' | null
}

/** A twelfth of the breaker's window. */
export interface Bucket {
  startsAt: number
  calls: number
  failures: number
  unreachable: number
}

export interface NumberState {
  id: number
  tenant: number
  waba: number
  nextAt: number
  holdUntil: number
  /** Until when Meta asked it to wait, whatever else held it meanwhile. */
  askedUntil: number
  /** Messages a second; Infinity: not paced. */
  rate: number
  slowedRate: number | null
  slowedAt: number
  throttledAt: number
  pacedUntil: number
  isOpen: boolean
  trialAt: number
  openedAt: number
  /** By their place in a ring of 13. */
  buckets: (Bucket | undefined)[]
  /** What it owes to whom, by contact. */
  pairs: Map<number, number>
  authStatus: 'ok' | 'needs_reauth'
  tokenSetAt: number
}

export interface Row {
  id: number
  tenant: number
  number: number
  contact: number
  message: number
  parent: number | null
  status: 'pending' | 'running' | 'done' | 'failed'
  attempts: number
  runAt: number
  error: string | null
  lane: string
  dueAt: number
  isHead: boolean
  attempt: number | null
  lease: number | null
  delivery: Delivery
  hasFallback: boolean
}

export interface Attempt {
  id: number
  row: number
  startedAt: number
  finishedAt: number | null
  outcome: string | null
  wamid: string | null
  isDuplicate: boolean
  /** A claim that was given back before Meta was asked for anything. */
  isDropped: boolean
}

export type MessageStatus =
  | 'queued'
  | 'sent'
  | 'failed'
  | 'delivered'
  | 'read'
  | 'played'
  | 'unknown'
  | 'cancelled'

export interface Message {
  id: number
  number: number
  contact: number
  status: MessageStatus
  wamid: string | null
  posts: number
  isDuplicate: boolean
}

export interface Letter {
  id: number
  row: number
  message: number
  kind: 'outbound' | 'unknown'
  state: 'open' | 'requeued' | 'resolved'
}

/** A process's row in send_workers, and what the process itself believes of it. */
export interface Lease {
  id: number
  aliveUntil: number
  heldUntil: number
  isReaped: boolean
}

export interface WorkerSlot {
  lease: number | null
  isPaused: boolean
}

/** One claimed row in the hands of a process. */
export interface Job {
  worker: number
  lease: number
  row: number
  attempt: number
  phase: 'claimed' | 'looked' | 'done'
  send: SendResult['send']
  /** A moment of its own, where its number is paced. */
  slot: number | null
  hasWaited: boolean
  context: SendContext | null
  lookedAt: number
  lookedStep: number
  /** As the oracle knew it when the job looked. */
  healthySince: number
  result: SendResult | null
}

export type Step = 'sent' | 'delivered' | 'read' | 'played' | 'failed'

/** A status webhook. */
export interface StatusEvent {
  receivedAt: number
  number: number
  wamid: string
  attempt: number
  status: Step
  code: number | null
  /** Whether it carries biz_opaque_callback_data. */
  isNamed: boolean
}

/** What Meta took. */
export interface Acceptance {
  number: number
  message: number
  row: number
  attempt: number
  wamid: string
}

export interface Settings {
  circuit: Circuit
  reconcileSeconds: number
  leaseSeconds: number
  tenants: { cap: number; retryPolicy: 'patient' | null }[]
  numbers: { tenant: number; waba: number; rate: number }[]
  contacts: number
}

export interface Claimed {
  row: Row
  attempt: number
  slot: number | null
}

/** What a number was right before a claim. */
export interface NumberBefore {
  holdUntil: number
  isOpen: boolean
  trialAt: number
  running: number
}

/** Who looks on (ghost.ts). */
export interface Oracle {
  /** Since when a status that Meta sent would be known; Infinity: it would not. */
  readonly healthySince: number
  /** Something worth reaching was reached. */
  sometimes(label: string): void
  /** Before a POST leaves. */
  posting(state: State, job: Job, isAccepted: boolean): void
  claimed(state: State, claimed: Claimed[], before: NumberBefore[]): void
  /** After a settlement by somebody who may have lost the row: `before` is what it was. */
  settled(state: State, before: Row, attempt: number): void
  /** After every step. */
  check(state: State): void
}

export interface State {
  now: number
  /** How many there were. */
  step: number
  settings: Settings
  bug: Bug | null
  tenants: Tenant[]
  numbers: NumberState[]
  host: { isOpen: boolean; trialAt: number; openedAt: number }
  rows: Row[]
  attempts: Attempt[]
  messages: Message[]
  letters: Letter[]
  leases: Lease[]
  /** Kept steps, by wamid, with the code that a failure named. */
  steps: Map<string, Map<Step, number | null>>
  /** `number contact` of those who want no more, and since which step. */
  suppressed: Map<string, number>
  watch: { seenAt: number; steadySince: number | null }
  inbox: StatusEvent[]
  // Outside of Postgres.
  workers: WorkerSlot[]
  jobs: Job[]
  isReceiving: boolean
  meta: { acceptances: Acceptance[]; held: StatusEvent[]; revoked: Set<number> }
  ghost: Oracle
}

export const workerCount = 3
export const leaseMarginMs = 2_000

export function rowOf(state: State, id: number): Row {
  return state.rows[id - 1] as Row
}

export function attemptOf(state: State, id: number): Attempt {
  return state.attempts[id - 1] as Attempt
}

export function messageOf(state: State, id: number): Message {
  return state.messages[id - 1] as Message
}

export function leaseOf(state: State, id: number): Lease {
  return state.leases[id - 1] as Lease
}

export function numberOf(state: State, id: number): NumberState {
  return state.numbers[id] as NumberState
}

export function tenantOf(state: State, id: number): Tenant {
  return state.tenants[id] as Tenant
}
