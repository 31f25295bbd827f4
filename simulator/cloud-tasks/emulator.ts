// Cloud Tasks without gRPC: queues, tasks, taken names, and what goes wrong on request.
import type { protos } from '@google-cloud/tasks'
import { status } from '@grpc/grpc-js'
import type { Clock, Random } from '../time-and-chance.ts'
import { createTaskFaults, type TaskFaults } from './faults.ts'
import { GrpcError, invalid, notFound } from './grpc-error.ts'
import { type Creation, remember, type TaskLedger } from './ledger.ts'
import { checkName, parentOf, shortName } from './names.ts'
import type { Postman } from './postman.ts'
import { TaskQueue } from './queue.ts'
import { defaultSettings, maskedSettings, type QueueSettings, readSettings } from './settings.ts'
import { readTask, type Task } from './task.ts'
import { Tombstones } from './tombstones.ts'

type WireTask = protos.google.cloud.tasks.v2.ITask
type WireQueue = protos.google.cloud.tasks.v2.IQueue
/** A field of a message: nothing says that it was set. */
type Maybe<T> = T | null | undefined

export interface EmulatorOptions {
  clock: Clock
  random: Random
  postman: Postman
  /** How long the name of a task stays taken after it ran or was deleted. */
  nameReuseMs: number
  /** Whether a task for an unknown queue makes the queue, or is refused as at Google. */
  autoCreateQueues: boolean
  /** For queues that are made without saying more. */
  queueDefaults: Partial<QueueSettings>
}

const queueNameReuseMs = 7 * 86_400_000

export class Emulator {
  readonly faults: TaskFaults
  readonly ledger: TaskLedger = { creations: [], dispatches: [], abandoned: [] }
  readonly #options: EmulatorOptions
  readonly #defaults: QueueSettings
  readonly #queues = new Map<string, TaskQueue>()
  readonly #endedTasks: Tombstones
  readonly #endedQueues: Tombstones
  readonly #waiters = new Set<() => void>()

  constructor(options: EmulatorOptions) {
    this.#options = options
    this.#defaults = { ...defaultSettings, ...options.queueDefaults }
    this.#endedTasks = new Tombstones(options.clock, options.nameReuseMs)
    this.#endedQueues = new Tombstones(options.clock, queueNameReuseMs)
    this.faults = createTaskFaults(options.clock, options.random)
  }

  queues(): TaskQueue[] {
    return [...this.#queues.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  queueFor(name: Maybe<string>): TaskQueue {
    const checked = checkName('queue', name)
    const queue = this.#queues.get(checked)
    if (queue) return queue
    if (!this.#options.autoCreateQueues || this.#endedQueues.has(checked)) {
      throw notFound(`The queue ${checked} does not exist.`)
    }
    return this.#open(checked, this.#defaults)
  }

  /** By its name, or by its last part where only one queue has it. */
  findQueue(name: string): TaskQueue | undefined {
    const short = this.queues().filter((queue) => shortName(queue.name) === name)
    return this.#queues.get(name) ?? (short.length === 1 ? short[0] : undefined)
  }

  queueOrNew(name: string): TaskQueue {
    return this.#queues.get(name) ?? this.#open(checkName('queue', name), this.#defaults)
  }

  createQueue(parent: Maybe<string>, wire: Maybe<WireQueue>): TaskQueue {
    const location = checkName('location', parent)
    const name = checkName('queue', wire?.name)
    if (parentOf(name) !== location) throw invalid(`The queue ${name} is not of ${location}.`)
    if (this.#queues.has(name)) throw new GrpcError(status.ALREADY_EXISTS, 'Queue already exists')
    if (this.#endedQueues.has(name)) {
      throw new GrpcError(
        status.FAILED_PRECONDITION,
        'The queue cannot be created because a queue with this name existed too recently.',
      )
    }
    return this.#open(name, readSettings(wire ?? {}, this.#defaults))
  }

  /** Makes the queue where it does not exist, as Google does. */
  updateQueue(wire: Maybe<WireQueue>, mask: readonly string[]): TaskQueue {
    const name = checkName('queue', wire?.name)
    const queue = this.#queues.get(name)
    if (!queue) return this.createQueue(parentOf(name), wire)
    const wanted = readSettings(wire ?? {}, this.#defaults)
    queue.configure(maskedSettings(queue.settings, wanted, mask))
    return queue
  }

  deleteQueue(name: Maybe<string>): void {
    const queue = this.queueFor(name)
    queue.purge()
    queue.stop()
    this.#queues.delete(queue.name)
    this.#endedQueues.bury(queue.name)
  }

  taskFor(name: Maybe<string>): { queue: TaskQueue; task: Task } {
    const checked = checkName('task', name)
    const queue = this.#queues.get(parentOf(checked))
    const task = queue?.find(checked)
    if (!queue || !task) throw notFound(`The task ${checked} does not exist.`)
    return { queue, task }
  }

  /** The task as it was when it was created: it may be under way already. */
  createTask(parent: Maybe<string>, wire: Maybe<WireTask>): Task {
    const queue = this.queueFor(parent)
    if (!wire) throw invalid('CreateTaskRequest.task is required.')
    const task = readTask(wire, this.#nameFor(queue, wire.name), this.#options.clock.now())
    const asCreated = { ...task }
    const outcome = this.#take(queue, task)
    const at = task.createdAt.toISOString()
    remember(this.ledger.creations, { queue: queue.name, task: task.name, at, outcome })
    if (outcome === 'already_exists') {
      throw new GrpcError(
        status.ALREADY_EXISTS,
        'The task cannot be created because a task with this name existed too recently.',
      )
    }
    if (outcome === 'refused' || outcome === 'answer_lost') {
      throw new GrpcError(status.UNAVAILABLE, 'The service is currently unavailable.')
    }
    return asCreated
  }

  /** Resolves once nothing is due and nothing under way; later schedules and pauses do not count. */
  async idle(): Promise<void> {
    if (this.#isIdle()) return
    await new Promise<void>((resolve) => {
      this.#waiters.add(resolve)
    })
  }

  stop(): void {
    for (const queue of this.#queues.values()) queue.stop()
    this.#release()
  }

  #open(name: string, settings: QueueSettings): TaskQueue {
    const queue = new TaskQueue({
      ...this.#options,
      name,
      settings,
      ledger: this.ledger,
      onEnd: (task) => this.#endedTasks.bury(task.name),
      onQuieter: () => {
        if (this.#isIdle()) this.#release()
      },
    })
    this.#queues.set(name, queue)
    return queue
  }

  #nameFor(queue: TaskQueue, wanted: Maybe<string>): string {
    if (!wanted) return `${queue.name}/tasks/${this.#options.random.bytes(8).readBigUInt64BE()}`
    const name = checkName('task', wanted)
    if (parentOf(name) !== queue.name) throw invalid(`The task ${name} is not of ${queue.name}.`)
    return name
  }

  #take(queue: TaskQueue, task: Task): Creation['outcome'] {
    const isStruck = <Name extends Parameters<TaskFaults['strike']>[0]>(fault: Name) =>
      this.faults.strike(fault, task.name, queue.name)
    if (isStruck('refuse')) return 'refused'
    if (queue.find(task.name) || this.#endedTasks.has(task.name)) return 'already_exists'
    if (isStruck('drop')) {
      this.#endedTasks.bury(task.name)
      return 'dropped'
    }
    const copy = isStruck('duplicate')
    queue.add(task, {
      delayMs: isStruck('delay')?.delay ?? 0,
      ...(copy ? { copyAfterMs: copy.gap } : {}),
    })
    return isStruck('lose_answer') ? 'answer_lost' : 'created'
  }

  #isIdle(): boolean {
    return ![...this.#queues.values()].some(({ busy }) => busy)
  }

  #release(): void {
    for (const resolve of this.#waiters) resolve()
    this.#waiters.clear()
  }
}
