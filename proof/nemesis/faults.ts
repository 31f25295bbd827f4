// Everything that is done to a run: each kind of fault begins by dice, lasts a while, and is healed.
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { sql } from '../../src/db/connect.ts'
import { patiently, pause } from './client.ts'
import type { ClientLog } from './client-log.ts'
import type { Place } from './place.ts'
import type { Member } from './processes.ts'

export interface FaultRun {
  place: Place
  log: ClientLog
  dice: () => number
  /** Signals that were sent, by what was meant by them. */
  note(what: string): void
}

export interface FaultKind {
  name: string
  /** Faults of one group are not there at the same time. */
  group: string
  /** How long at least and at most, in seconds. */
  lasts: [number, number]
  /** Begins; what it returns heals. */
  begin(run: FaultRun): Promise<() => Promise<void>>
}

const choose = <T>(list: readonly T[], dice: () => number) =>
  list[Math.floor(dice() * list.length)] as T

const membersOf = ({ members }: Place, role: Member['role']) =>
  members.filter((member) => member.role === role)

const nothing = async () => undefined

function kill(run: FaultRun, members: Member[]): void {
  for (const member of members) {
    run.note(`kill -9 ${member.role === 'api' ? 'gateway' : 'worker'}`)
    member.signal('SIGKILL')
  }
}

function stopFor(role: Member['role'], lasts: [number, number]): FaultKind {
  const name = role === 'api' ? 'gateway stands still' : 'worker stands still'
  return {
    ...{ name, group: name, lasts },
    async begin(run) {
      const member = choose(membersOf(run.place, role), run.dice)
      run.note(name)
      member.signal('SIGSTOP')
      return async () => member.signal('SIGCONT')
    },
  }
}

const ofProcesses: FaultKind[] = [
  {
    ...{ name: 'kill gateway', group: 'kill', lasts: [1, 4] },
    async begin(run) {
      kill(run, [choose(membersOf(run.place, 'api'), run.dice)])
      return nothing
    },
  },
  {
    ...{ name: 'kill worker', group: 'kill', lasts: [1, 4] },
    async begin(run) {
      kill(run, [choose(membersOf(run.place, 'worker'), run.dice)])
      return nothing
    },
  },
  {
    ...{ name: 'kill all', group: 'kill', lasts: [2, 5] },
    async begin(run) {
      kill(run, run.place.members)
      return nothing
    },
  },
  {
    ...{ name: 'die at a crash point', group: 'crash points', lasts: [8, 16] },
    async begin(run) {
      const one = choose(membersOf(run.place, 'api'), run.dice)
      const other = choose(membersOf(run.place, 'worker'), run.dice)
      const seed = () => String(Math.floor(run.dice() * 2 ** 31))
      for (const member of [one, other]) {
        const starts = member.starts()
        member.startAnewWith({
          CRASH_CHANCE: (0.01 + run.dice() * 0.08).toFixed(3),
          CRASH_SEED: seed(),
        })
        // On a busy machine a start takes longer than the fault would last.
        const isUp = () => member.starts() > starts && member.port() !== undefined
        for (let waits = 0; !isUp() && waits < 300; waits++) await pause(100)
      }
      return async () => {
        for (const member of [one, other]) member.startAnewWith({})
      }
    },
  },
  stopFor('worker', [16, 22]),
  stopFor('api', [3, 8]),
  {
    ...{ name: 'rolling restart', group: 'kill', lasts: [3, 6] },
    async begin(run) {
      const rolling = (async () => {
        for (const member of run.place.members) {
          const before = member.starts()
          run.note('SIGTERM')
          member.signal('SIGTERM')
          for (let waits = 0; member.starts() === before && waits < 200; waits++) await pause(50)
        }
      })()
      return () => rolling
    },
  },
]

function endPostgres(how: 'kill' | 'immediate'): FaultKind {
  return {
    ...{ name: `postgres ${how}`, group: 'postgres', lasts: [0, 3] },
    async begin({ place, note }) {
      note(`postgres ${how}`)
      await place.postgres.end(how)
      return () => place.postgres.startAgain()
    },
  }
}

function weather(
  name: string,
  lasts: [number, number],
  change: (dice: () => number) => Parameters<Place['network']['change']>[0],
): FaultKind {
  return {
    ...{ name, group: name, lasts },
    async begin({ place: { network }, dice }) {
      const changed = change(dice)
      network.change(changed)
      // Only its own: another kind may still be on.
      return async () => network.heal(changed)
    },
  }
}

const ofTheDatabase: FaultKind[] = [
  endPostgres('kill'),
  endPostgres('immediate'),
  {
    ...{ name: 'backends terminated', group: 'postgres', lasts: [0, 1] },
    async begin({ place, note, dice }) {
      const share = 0.2 + dice() * 0.6
      const ended = await patiently(() =>
        place.postgres.db.query(sql`
          select pg_terminate_backend(pid)
          from pg_stat_activity
          where backend_type = 'client backend' and application_name <> 'estafet proof' and random() < ${share}`),
      )
      for (const _ of ended) note('backend terminated')
      return nothing
    },
  },
  weather('answers of the database lost', [2, 6], (dice) => ({
    loseAnswer: 0.005 + dice() * 0.05,
  })),
  weather('connections reset', [2, 5], (dice) => ({ reset: 0.005 + dice() * 0.03 })),
  weather('database far away', [2, 6], (dice) => ({ latencyMs: 20 + Math.floor(dice() * 150) })),
  weather('half-open connections', [2, 6], () => ({ isSilent: true })),
]

function rules(
  name: string,
  lasts: [number, number],
  make: (dice: () => number, place: Place) => FaultInput[],
): FaultKind {
  return {
    ...{ name, group: name, lasts },
    async begin({ place, dice }) {
      const { simulator } = place
      const set = make(dice, place).map((rule) => simulator.setFault(rule).id)
      return async () => {
        for (const id of set) simulator.removeFault(id)
      }
    },
  }
}

const toSend = { endpoint: ['messages'] }
const numbersOf = ({ firms }: Place) =>
  firms.flatMap(({ lines }) => lines.map(({ phoneNumberId }) => phoneNumberId))

/** Longer than the product waits of its own accord. */
export const retryAfterSeconds = 15

const ofMeta: FaultKind[] = [
  rules('Meta away', [2, 8], (dice) => [
    { fault: 'outage', how: choose(['unavailable', 'refuse', 'hang'] as const, dice) },
  ]),
  rules('429 storm', [2, 8], (dice, place) => [
    {
      ...{ fault: 'throttle', http_status: 429, probability: 0.8 },
      retry_after_seconds: retryAfterSeconds,
      match: { ...toSend, phone_number_id: choose(numbersOf(place), dice) },
    },
  ]),
  rules('Meta slow', [2, 8], () => [
    { fault: 'slow', delay: 300, spread: 3_000, probability: 0.7, match: toSend },
  ]),
  rules('ambiguous sends', [2, 8], () => [
    { fault: 'hang', when: 'after_accepting', probability: 0.1, match: toSend },
    { fault: 'reset', when: 'after_accepting', probability: 0.15, match: toSend },
    { fault: 'truncate', connection: 'cut', probability: 0.1, match: toSend },
    { fault: 'truncate', connection: 'kept', probability: 0.1, match: toSend },
    { fault: 'error', code: 131000, when: 'after_accepting', probability: 0.15, match: toSend },
    { fault: 'html', when: 'after_accepting', probability: 0.05, match: toSend },
    { fault: 'reset', when: 'before_accepting', probability: 0.1, match: toSend },
    { fault: 'error', code: 131000, probability: 0.1, match: toSend },
  ]),
  rules('messages that fail later', [3, 8], () => [
    { fault: 'fail', probability: 0.25 },
    { fault: 'fail', after: 'sent', probability: 0.15 },
  ]),
  {
    ...{ name: 'token revoked', group: 'token', lasts: [2, 8] },
    async begin({ place, dice, note }) {
      const firm = choose(place.firms, dice)
      const { phoneNumberId } = choose(firm.lines, dice)
      const match = { phone_number_id: phoneNumberId }
      const { id } = place.simulator.setFault({ fault: 'token', match })
      note('token revoked')
      return async () => void place.simulator.removeFault(id)
    },
  },
]

const ofWebhooks: FaultKind[] = [
  rules('webhooks in every wrong way', [3, 10], () => [
    { fault: 'duplicate', times: 3, probability: 0.3 },
    { fault: 'duplicate', times: 5, gap: 700, probability: 0.1 },
    { fault: 'reorder', window: 1_500, probability: 0.3 },
    { fault: 'rebatch', window: 1_000, probability: 0.3 },
    { fault: 'late_redelivery', after: 8_000, probability: 0.1 },
    { fault: 'early_status', statuses: ['sent', 'delivered'], probability: 0.2 },
    { fault: 'skip_status', statuses: ['delivered'], probability: 0.2 },
  ]),
  rules('webhooks that cannot be read', [2, 6], () => [
    ...(['truncated', 'not_json', 'null_value', 'invalid_utf8', 'no_metadata'] as const).map(
      (how): FaultInput => ({ fault: 'malformed', how, probability: 0.05 }),
    ),
    { fault: 'malformed', how: 'wrong_signature', probability: 0.05 },
    { fault: 'malformed', how: 'missing_signature', probability: 0.05 },
  ]),
  {
    ...{ name: 'duplicate storm', group: 'storm', lasts: [1, 3] },
    async begin({ place: { simulator }, log, dice, note }) {
      const { data } = simulator.ledgerPage('deliveries', {
        ...{ state: 'delivered', limit: 10 },
        offset: Math.floor(dice() * log.written.length),
      })
      const bodies = data.map((delivery) => (delivery as { body: string }).body)
      const again = await Promise.all(
        bodies.flatMap((body) => Array.from({ length: 50 }, () => simulator.deliverRaw({ body }))),
      )
      log.repeats.count += again.length
      if (again.length > 0) note('duplicate storm')
      return nothing
    },
  },
  {
    ...{ name: 'application in trouble', group: 'application', lasts: [2, 5] },
    async begin({ place: { receiver }, dice }) {
      receiver.beInTrouble(0.2 + dice() * 0.5)
      return async () => receiver.beInTrouble(0)
    },
  },
]

export const faultKinds: FaultKind[] = [...ofProcesses, ...ofTheDatabase, ...ofMeta, ...ofWebhooks]
