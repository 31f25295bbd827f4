// What the emulated Cloud Tasks does wrong on request. Every rule has dice of its own and every task a
// throw of its own, so that the order in which calls arrive does not change whom a rule strikes.
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { durationSchema } from '../faults/durations.ts'
import { isWithin, selectorShape } from '../faults/selectors.ts'
import { parseInput, RequestError } from '../request-error.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { shortName } from './names.ts'

const { match: _match, ...common } = selectorShape
const queues = z
  .union([z.string().min(1), z.array(z.string().min(1)).min(1)])
  .transform((value) => (Array.isArray(value) ? value : [value]))

const rule = <Name extends string, Shape extends z.ZodRawShape>(name: Name, shape: Shape) =>
  z.strictObject({
    fault: z.literal(name),
    ...common,
    match: z.strictObject({ queue: queues.optional() }).default({}),
    ...shape,
  })

const ruleSchema = z.discriminatedUnion('fault', [
  /** Accepted, then lost: it is never delivered, and its name stays taken. */
  rule('drop', {}),
  /** Delivered twice; the second time this long after the first began. */
  rule('duplicate', { gap: durationSchema.default(0) }),
  /** Delivered later than asked for. */
  rule('delay', { delay: durationSchema }),
  /** CreateTask answers UNAVAILABLE and nothing is created. */
  rule('refuse', {}),
  /** CreateTask answers UNAVAILABLE, but the task exists. */
  rule('lose_answer', {}),
])

type Rule = z.output<typeof ruleSchema>
export type TaskFaultName = Rule['fault']
export type TaskFaultInput = z.input<typeof ruleSchema>

export const taskFaultNames = ['drop', 'duplicate', 'delay', 'refuse', 'lose_answer'] as const

export interface TaskFaultView {
  id: string
  fault: TaskFaultName
  set_at: string
  seen: number
  struck: number
  rule: TaskFaultInput
}

interface Armed {
  id: string
  input: TaskFaultInput
  rule: Rule
  dice: Buffer
  setAt: Date
  seen: number
  struck: number
}

export type TaskFaults = ReturnType<typeof createTaskFaults>

export function createTaskFaults(clock: Clock, random: Random) {
  const armed = new Map<string, Armed>()
  let count = 0

  function isHit(one: Armed, taskName: string, queueName: string): boolean {
    const { rule: wanted, setAt } = one
    const { from, until, match } = wanted
    if (!isWithin(from, until, setAt, clock.now())) return false
    const names = [queueName, shortName(queueName)]
    if (match.queue && !match.queue.some((queue) => names.includes(queue))) return false
    if (wanted.count !== undefined && one.struck >= wanted.count) return false
    one.seen++
    if (one.seen <= wanted.skip) return false
    // Creating is tried again under the same name, and should not be refused for ever.
    const creating = wanted.fault === 'refuse' || wanted.fault === 'lose_answer'
    const subject = creating ? `${taskName}:${one.seen}` : taskName
    const digest = createHash('sha256').update(one.dice).update(subject).digest()
    if (digest.readUInt32BE() / 2 ** 32 >= wanted.probability) return false
    one.struck++
    return true
  }

  return {
    set(input: unknown): TaskFaultView {
      const parsed = parseInput(ruleSchema, input)
      const id = parsed.id ?? `fault-${++count}`
      if (armed.has(id)) throw new RequestError(409, 'FAULT_EXISTS', `id: ${id} is taken`)
      const one: Armed = {
        id,
        input: input as TaskFaultInput,
        rule: parsed,
        dice: random.bytes(32),
        setAt: clock.now(),
        seen: 0,
        struck: 0,
      }
      armed.set(id, one)
      return view(one)
    },
    list: () => [...armed.values()].map(view),
    remove: (id: string) => armed.delete(id),
    clear: () => armed.clear(),
    /** The first rule of this name that strikes the task. */
    strike<Name extends TaskFaultName>(
      name: Name,
      taskName: string,
      queueName: string,
    ): Extract<Rule, { fault: Name }> | undefined {
      for (const one of armed.values()) {
        if (one.rule.fault === name && isHit(one, taskName, queueName)) {
          return one.rule as Extract<Rule, { fault: Name }>
        }
      }
      return undefined
    },
  }
}

const view = ({ id, rule: { fault }, setAt, seen, struck, input }: Armed): TaskFaultView => ({
  id,
  fault,
  set_at: setAt.toISOString(),
  seen,
  struck,
  rule: input,
})
