// What people and tests can do with the emulated Cloud Tasks; the control routes offer the same.
import { RequestError } from '../request-error.ts'
import type { Emulator } from './emulator.ts'
import type { TaskFaultInput, TaskFaultView } from './faults.ts'
import { GrpcError } from './grpc-error.ts'
import type { Creation, Dispatch } from './ledger.ts'
import { parentOf, shortName } from './names.ts'
import type { TokenMaker } from './oidc.ts'
import type { TaskQueue } from './queue.ts'
import { checkSettings, type QueueSettings } from './settings.ts'
import type { Task } from './task.ts'

export interface QueueView extends QueueSettings {
  name: string
  state: 'RUNNING' | 'PAUSED'
  /** The part of its rate that 429 and 503 have left it. */
  rate_factor: number
  waiting: number
  due: number
  in_flight: number
}

export interface TaskView {
  name: string
  queue: string
  url: string
  headers: Record<string, string>
  body: string
  scheduled_at: string
  attempts: number
}

/** Full names, or their last parts. */
export interface Wanted {
  queue?: string | undefined
  task?: string | undefined
}

export interface CloudTasksControls {
  queues(): QueueView[]
  /** Makes the queue, or changes what is named. */
  setQueue(name: string, settings?: Partial<QueueSettings>): QueueView
  pause(queue: string): boolean
  resume(queue: string): boolean
  purge(queue: string): boolean
  /** Those that have not ended. */
  tasks(wanted?: Wanted): TaskView[]
  dispatches(wanted?: Wanted): Dispatch[]
  creations(wanted?: Wanted): Creation[]
  /** Full names of the tasks that ran out of attempts. */
  abandoned(): string[]
  /** What is scheduled for later becomes due, within the queues' limits; says how many. */
  runNow(wanted?: Wanted): number
  /** Nothing is due and nothing under way; what is scheduled for later or paused does not count. */
  idle(): Promise<void>
  faults(): TaskFaultView[]
  fault(input: TaskFaultInput): TaskFaultView
  removeFault(id: string): boolean
  clearFaults(): number
  /** The public keys of the identity tokens. */
  jwks(): Promise<{ keys: object[] }>
}

export function cloudTasksControls(emulator: Emulator, tokens: TokenMaker): CloudTasksControls {
  const { faults, ledger } = emulator
  const allTasks = () => emulator.queues().flatMap((queue) => queue.tasks().map(viewTask))
  const onQueue = (act: (queue: TaskQueue) => void) => (name: string) => {
    const queue = emulator.findQueue(name)
    if (queue) act(queue)
    return queue !== undefined
  }

  return {
    queues: () => emulator.queues().map(viewQueue),
    setQueue(name, settings = {}) {
      const queue = asRequestError(() => {
        const found = emulator.queueOrNew(name)
        found.configure(checkSettings({ ...found.settings, ...settings }))
        return found
      })
      return viewQueue(queue)
    },
    pause: onQueue((queue) => queue.pause()),
    resume: onQueue((queue) => queue.resume()),
    purge: onQueue((queue) => queue.purge()),
    tasks: (wanted = {}) =>
      allTasks().filter(({ name, queue }) => isWanted(wanted, { task: name, queue })),
    dispatches: (wanted = {}) => ledger.dispatches.filter((entry) => isWanted(wanted, entry)),
    creations: (wanted = {}) => ledger.creations.filter((entry) => isWanted(wanted, entry)),
    abandoned: () => [...ledger.abandoned],
    runNow(wanted = {}) {
      const chosen = emulator
        .queues()
        .flatMap((queue) => queue.tasks().map((task) => ({ queue, task })))
        .filter(({ queue, task }) => isWanted(wanted, { queue: queue.name, task: task.name }))
      return chosen.filter(({ queue, task }) => queue.hurry(task.name)).length
    },
    idle: () => emulator.idle(),
    faults: faults.list,
    fault: faults.set,
    removeFault: faults.remove,
    clearFaults() {
      const count = faults.list().length
      faults.clear()
      return count
    },
    jwks: tokens.jwks,
  }
}

function isWanted(wanted: Wanted, { queue, task }: { queue: string; task: string }): boolean {
  const fits = (name: string | undefined, actual: string) =>
    name === undefined || name === actual || name === shortName(actual)
  return fits(wanted.queue, queue) && fits(wanted.task, task)
}

const viewQueue = (queue: TaskQueue): QueueView => ({
  name: queue.name,
  state: queue.state,
  rate_factor: queue.rateFactor,
  ...queue.counts,
  ...queue.settings,
})

const viewTask = ({ name, target, scheduledAt, attempts }: Task): TaskView => ({
  name,
  queue: parentOf(name),
  url: target.url,
  headers: target.headers,
  body: target.body.toString('utf8'),
  scheduled_at: scheduledAt.toISOString(),
  attempts,
})

/** The mistake is the same, the door another. */
function asRequestError<T>(act: () => T): T {
  try {
    return act()
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error
    throw new RequestError(400, 'INVALID_REQUEST', error.details)
  }
}
