// One history: numbers become commands, every command is a step, and the oracle looks after each. Then a quiet phase, in
// which everything must come to an end by its own alarms.
import type { Command, Profile, Table } from './commands.ts'
import { apply, decode, tableOf } from './commands.ts'
import { checkDrained, Ghost, Violation } from './ghost.ts'
import { answerKinds } from './meta.ts'
import type { Bug } from './planted.ts'
import { type NumberState, type Settings, type State, workerCount } from './state.ts'

/** Much at once, much to one contact, bad weather, statuses. */
export type ProfileName = 'outbox' | 'deep' | 'weather' | 'ladder'

const many: Settings = {
  circuit: { failureRatio: 0.5, windowSeconds: 60, minCalls: 3, halfOpenSeconds: 300 },
  reconcileSeconds: 30,
  leaseSeconds: 15,
  tenants: [
    { cap: 2, retryPolicy: null },
    { cap: 3, retryPolicy: 'patient' },
  ],
  numbers: [
    { tenant: 0, waba: 0, rate: Number.POSITIVE_INFINITY },
    { tenant: 0, waba: 0, rate: 2 },
    { tenant: 1, waba: 1, rate: 4 },
  ],
  contacts: 2,
}

const stormy: Settings = { ...many, circuit: { ...many.circuit, minCalls: 2 } }

const one: Settings = {
  ...many,
  tenants: [{ cap: 2, retryPolicy: null }],
  numbers: [{ tenant: 0, waba: 0, rate: Number.POSITIVE_INFINITY }],
  contacts: 1,
}

const outbox: Profile = [
  ['reap', 3],
  ['enqueue', 7],
  ['claim', 6],
  ['finish', 8],
  ['step', 8],
  ['tell', 5],
  ['process', 5],
  ['advance', 7],
  ['stall', 3],
  ['crash', 2],
  ['die', 1],
  ['pause', 1],
  ['resume', 1],
  ['receiving', 1],
  ['opt out', 1],
  ['cancel', 1],
  ['requeue', 2],
  ['revoke', 1],
  ['reconnect', 1],
  ['claim, unheard', 2],
  ['give back', 3],
]

/** The same without what ends things early. */
const deep = outbox.filter(([kind]) => kind !== 'opt out' && kind !== 'cancel')

const weather: Profile = [
  ['reap', 1],
  ['enqueue', 8],
  ['claim', 8],
  ['finish', 10],
  ['step', 2],
  ['advance', 6],
  ['stall', 2],
]

const ladder: Profile = [
  ['reap', 1],
  ['enqueue', 1],
  ['claim', 2],
  ['finish', 2],
  ['step', 2],
  ['tell', 6],
  ['process', 6],
  ['advance', 1],
]

const any = answerKinds.map((_, place) => [place, place === 0 ? 12 : 1] as const)

/** Nobody there, trouble, silence, limits; and some that are taken. */
const bad = [
  [0, 4],
  [1, 1],
  [2, 2],
  [3, 8],
  [7, 3],
  [9, 2],
  [10, 1],
  [11, 1],
  [12, 1],
  [15, 1],
] as const

export const profiles: Record<ProfileName, { settings: Settings; table: Table; longest: number }> =
  {
    outbox: { settings: many, table: tableOf(outbox, any), longest: 26 },
    deep: { settings: one, table: tableOf(deep, any), longest: 24 },
    weather: { settings: stormy, table: tableOf(weather, bad), longest: 24 },
    ladder: { settings: one, table: tableOf(ladder, any), longest: 16 },
  }

const startAt = 1_900_000_000_000

export function createState(
  settings: Settings,
  counts: Map<string, number>,
  bug: Bug | null = null,
): State {
  const never = Number.NEGATIVE_INFINITY
  const { tenants, numbers } = settings
  return {
    now: startAt,
    step: 0,
    settings,
    bug,
    tenants: tenants.map(({ cap, retryPolicy }) => ({
      cap,
      retryPolicy,
      nextAt: Number.POSITIVE_INFINITY,
    })),
    numbers: numbers.map(
      ({ tenant, waba, rate }, id): NumberState => ({
        id,
        tenant,
        waba,
        rate,
        nextAt: Number.POSITIVE_INFINITY,
        holdUntil: never,
        askedUntil: never,
        slowedRate: null,
        slowedAt: never,
        throttledAt: never,
        pacedUntil: never,
        isOpen: false,
        trialAt: never,
        openedAt: never,
        buckets: [],
        pairs: new Map(),
        authStatus: 'ok',
        tokenSetAt: startAt,
      }),
    ),
    host: { isOpen: false, trialAt: never, openedAt: never },
    rows: [],
    attempts: [],
    messages: [],
    letters: [],
    leases: [],
    steps: new Map(),
    suppressed: new Map(),
    watch: { seenAt: startAt, steadySince: startAt },
    inbox: [],
    workers: Array.from({ length: workerCount }, () => ({ lease: null, isPaused: false })),
    jobs: [],
    isReceiving: true,
    meta: { acceptances: [], held: [], revoked: new Set() },
    ghost: new Ghost(counts, startAt),
  }
}

export interface HistoryOptions {
  profile: ProfileName
  counts: Map<string, number>
  bug?: Bug | null
  /** Told of each command before it is applied. */
  onCommand?: (command: Command, state: State) => void
}

/** Throws a Violation where an invariant does not hold. */
export function runHistory(values: readonly number[], options: HistoryOptions): State {
  const { settings: terms, table } = profiles[options.profile]
  const state = createState(terms, options.counts, options.bug ?? null)
  const run = (command: Command) => {
    options.onCommand?.(command, state)
    state.step++
    apply(state, command)
    state.ghost.check(state)
  }
  for (const value of values) for (const command of decode(state, table, value)) run(command)
  // Meta may keep silent for ever: then what it has stays unknown.
  const isAllTold = (values[0] ?? 0) % 2 === 0
  drain(state, run, isAllTold)
  checkDrained(state, isAllTold)
  return state
}

/** Everybody is there again, Meta takes everything, and time goes from alarm to alarm. */
function drain(state: State, run: (command: Command) => void, isAllTold: boolean): void {
  run({ kind: 'receiving', isOn: true })
  for (let worker = 0; worker < workerCount; worker++) run({ kind: 'resume', worker })
  let told = 0
  for (let round = 0; round < 300; round++) {
    for (const job of [...state.jobs]) finish(state, job.attempt, run)
    if (isAllTold) {
      for (; told < state.meta.acceptances.length; told++) {
        const { number, wamid, attempt } = state.meta.acceptances[
          told
        ] as State['meta']['acceptances'][0]
        const event = {
          number,
          wamid,
          attempt,
          status: 'read' as const,
          code: null,
          isNamed: true,
        }
        run({ kind: 'tell', event })
      }
    }
    while (state.inbox.length > 0) run({ kind: 'process', index: 0, isCutShort: false })
    for (const { id, authStatus } of state.numbers) {
      const isOut = authStatus === 'needs_reauth' || state.meta.revoked.has(id)
      if (isOut) run({ kind: 'reconnect', number: id })
    }
    run({ kind: 'reap' })
    for (let worker = 0; worker < workerCount; worker++) run({ kind: 'give back', worker })
    run({ kind: 'claim', worker: 0, limit: 100 })
    if (state.jobs.length > 0) continue
    if (!state.rows.some((row) => row.status === 'pending' || row.status === 'running')) return
    const at = nextAlarm(state)
    if (at === Number.POSITIVE_INFINITY) throw new Violation('something waits, and no alarm is set')
    run({ kind: 'advance', ms: Math.max(1, Math.ceil(at - state.now)) })
  }
  throw new Violation('it does not come to an end')
}

function finish(state: State, attempt: number, run: (command: Command) => void): void {
  for (let tries = 0; tries < 4; tries++) {
    const job = state.jobs.find((one) => one.attempt === attempt)
    if (!job) return
    if (job.phase === 'claimed') run({ kind: 'look', attempt, fraction: 0 })
    const waitMs = job.slot === null ? 0 : Math.ceil(job.slot - state.now)
    if (job.phase === 'looked' && waitMs > 0) run({ kind: 'advance', ms: waitMs })
    if (job.phase === 'looked') run({ kind: 'post', attempt, answer: 0 })
    if (job.phase === 'done') run({ kind: 'settle', attempt, fraction: 0 })
  }
}

/** When there is something to look for: a tenant's alarm, the host's trial, the end of a lease; what is forgotten is old by then. */
function nextAlarm(state: State): number {
  const alarms = state.tenants.map((tenant) => tenant.nextAt)
  const queue = Math.max(Math.min(...alarms), state.host.isOpen ? state.host.trialAt : 0)
  const ends = state.rows.flatMap(({ status, lease }) => {
    const held = lease === null ? undefined : state.leases[lease - 1]
    return status === 'running' && held ? [held.aliveUntil + 1] : []
  })
  return Math.min(queue, ...ends)
}
