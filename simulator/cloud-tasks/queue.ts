// One queue: which tasks wait, which are due, and when the next may leave.
import type { Clock } from '../time-and-chance.ts'
import { type Dispatch, remember, type TaskLedger } from './ledger.ts'
import { createPace, type Pace } from './pace.ts'
import type { Outcome, Postman } from './postman.ts'
import { backoffMs, isExhausted, type QueueSettings } from './settings.ts'
import { isSuccess, type Task } from './task.ts'

/** What is to go wrong with a task on its way. */
export interface Fate {
  delayMs: number
  /** How long after the first delivery began a second one leaves; none by default. */
  copyAfterMs?: number
}

export interface QueueOptions {
  name: string
  settings: QueueSettings
  clock: Clock
  postman: Postman
  ledger: TaskLedger
  /** The task has ended, whichever way; its name stays taken for a while. */
  onEnd(task: Task): void
  /** Less is under way than before. */
  onQuieter(): void
}

interface Entry {
  task: Task
  fate: Fate
  /** Calls off the wait for its time, while it waits. */
  cancelTimer: (() => void) | undefined
  /** Its places in the line, so that they are found without a search. */
  turn: Delivery
  copy: Delivery
}

interface Delivery {
  entry: Entry
  isCopy: boolean
}

export class TaskQueue {
  readonly name: string
  readonly #options: QueueOptions
  readonly #pace: Pace
  readonly #entries = new Map<string, Entry>()
  /** Whose time has come, in that order. */
  readonly #line = new Set<Delivery>()
  #settings: QueueSettings
  #paused = false
  #stopped = false
  #purgedAt: Date | undefined
  #inFlight = 0
  #copiesToCome = 0
  #cancelWake: (() => void) | undefined

  constructor(options: QueueOptions) {
    this.name = options.name
    this.#options = options
    this.#settings = options.settings
    this.#pace = createPace(options.clock, () => this.#settings.maxDispatchesPerSecond)
  }

  get settings(): QueueSettings {
    return this.#settings
  }

  get state(): 'RUNNING' | 'PAUSED' {
    return this.#paused ? 'PAUSED' : 'RUNNING'
  }

  get purgedAt(): Date | undefined {
    return this.#purgedAt
  }

  /** The part of its rate that the target's refusals have left it. */
  get rateFactor(): number {
    return this.#pace.factor()
  }

  /** Something is due or under way; what is scheduled for later, or paused, is not. */
  get busy(): boolean {
    return this.#inFlight > 0 || (!this.#paused && this.#line.size + this.#copiesToCome > 0)
  }

  get counts() {
    return { waiting: this.#entries.size, due: this.#line.size, in_flight: this.#inFlight }
  }

  tasks(): Task[] {
    return [...this.#entries.values()].map(({ task }) => task)
  }

  find(taskName: string): Task | undefined {
    return this.#entries.get(taskName)?.task
  }

  add(task: Task, fate: Fate): void {
    const entry = { task, fate } as Entry
    entry.turn = { entry, isCopy: false }
    entry.copy = { entry, isCopy: true }
    this.#entries.set(task.name, entry)
    this.#arm(entry)
  }

  remove(taskName: string): void {
    const entry = this.#entries.get(taskName)
    if (!entry) return
    this.#line.delete(entry.copy)
    this.#end(entry)
    this.#options.onQuieter()
  }

  /** Now, whatever the limits, a pause or its schedule say. */
  run(taskName: string): void {
    const entry = this.#entries.get(taskName)
    if (!entry) return
    this.#takeBack(entry)
    void this.#deliver(entry.turn)
  }

  /** True: it waited for a later time and is due now. The limits hold. */
  hurry(taskName: string): boolean {
    const entry = this.#entries.get(taskName)
    if (!entry?.cancelTimer) return false
    entry.task.scheduledAt = this.#options.clock.now()
    entry.fate = { ...entry.fate, delayMs: 0 }
    this.#arm(entry)
    return true
  }

  configure(settings: QueueSettings): void {
    this.#settings = settings
    this.#pump()
  }

  pause(): void {
    this.#paused = true
    this.#options.onQuieter()
  }

  resume(): void {
    this.#paused = false
    this.#pump()
  }

  purge(): void {
    this.#purgedAt = this.#options.clock.now()
    for (const taskName of [...this.#entries.keys()]) this.remove(taskName)
  }

  /** Nothing leaves any more, and no timer stays behind. */
  stop(): void {
    this.#stopped = true
    this.#cancelWake?.()
    for (const entry of this.#entries.values()) this.#takeBack(entry)
    this.#line.clear()
  }

  /** Waits for its time in a timer, then for its turn in the line. */
  #arm(entry: Entry): void {
    this.#takeBack(entry)
    if (this.#stopped) return
    const { clock } = this.#options
    const waitMs = entry.task.scheduledAt.getTime() + entry.fate.delayMs - clock.now().getTime()
    if (waitMs > 0) {
      // Asked again when it rings: a timer holds less than the longest schedule.
      entry.cancelTimer = clock.after(waitMs, () => this.#arm(entry))
    } else {
      this.#line.add(entry.turn)
      this.#pump()
    }
  }

  #takeBack(entry: Entry): void {
    entry.cancelTimer?.()
    entry.cancelTimer = undefined
    this.#line.delete(entry.turn)
  }

  #pump(): void {
    this.#cancelWake?.()
    this.#cancelWake = undefined
    for (const delivery of this.#line) {
      if (this.#paused || this.#inFlight >= this.#settings.maxConcurrentDispatches) return
      if (!this.#pace.take()) {
        this.#cancelWake = this.#options.clock.after(this.#pace.waitMs(), () => this.#pump())
        return
      }
      this.#line.delete(delivery)
      void this.#deliver(delivery)
    }
  }

  async #deliver({ entry, isCopy }: Delivery): Promise<void> {
    const { task, fate } = entry
    const { clock, postman, ledger } = this.#options
    const dispatchedAt = clock.now()
    this.#inFlight++
    if (!isCopy) {
      task.attempts++
      task.firstAttemptAt ??= dispatchedAt
      if (fate.copyAfterMs !== undefined) this.#sendCopy(entry, fate.copyAfterMs)
    }
    const answer = postman.deliver(task)
    if (!isCopy) task.lastAttempt = { scheduledAt: task.scheduledAt, dispatchedAt }
    const record = remember(ledger.dispatches, this.#startOf(task, isCopy, dispatchedAt))
    const outcome = await answer
    this.#inFlight--
    record.ended_at = clock.now().toISOString()
    record.status = outcome.status ?? null
    record.error = outcome.error ?? null
    this.#heed(outcome)
    if (!isCopy) this.#settle(entry, outcome)
    this.#pump()
    this.#options.onQuieter()
  }

  #sendCopy(entry: Entry, afterMs: number): void {
    // A task is doubled once, not at each of its attempts.
    entry.fate = { delayMs: 0 }
    this.#copiesToCome++
    this.#options.clock.after(afterMs, () => {
      this.#copiesToCome--
      if (this.#stopped) return
      this.#line.add(entry.copy)
      this.#pump()
    })
  }

  #startOf(task: Task, copy: boolean, at: Date): Dispatch {
    return {
      queue: this.name,
      task: task.name,
      attempt: task.attempts,
      copy,
      url: task.target.url,
      body: task.target.body.toString('utf8'),
      at: at.toISOString(),
      ended_at: null,
      status: null,
      error: null,
    }
  }

  /** 429 and 503 slow the whole queue down, not only the task that met them. */
  #heed({ status, retryAfterMs }: Outcome): void {
    if (status === 429 || status === 503) this.#pace.refused(retryAfterMs)
    else if (isSuccess(status)) this.#pace.succeeded()
  }

  #settle(entry: Entry, { status, error }: Outcome): void {
    const { task } = entry
    const now = this.#options.clock.now()
    if (status !== undefined) task.responses++
    Object.assign(task.lastAttempt ?? {}, {
      answeredAt: now,
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    })
    const endedMeanwhile = this.#entries.get(task.name) !== entry
    if (endedMeanwhile) return
    const ageMs = now.getTime() - (task.firstAttemptAt ?? now).getTime()
    if (isSuccess(status)) this.#end(entry)
    else if (isExhausted(this.#settings, task.attempts, ageMs)) {
      remember(this.#options.ledger.abandoned, task.name)
      this.#end(entry)
    } else {
      task.scheduledAt = new Date(now.getTime() + backoffMs(this.#settings, task.attempts))
      this.#arm(entry)
    }
  }

  #end(entry: Entry): void {
    this.#takeBack(entry)
    this.#entries.delete(entry.task.name)
    this.#options.onEnd(entry.task)
  }
}
