// Google Cloud Tasks as the doorbell: one named HTTP task per row and ring, made after the commit that made the row due. Cloud
// Tasks calls the internal endpoints (src/tasks); what is lost on the way there is found by the sweep.
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock } from '../time-and-chance.ts'
import type { NewTask, TaskMaker } from './cloud-tasks-client.ts'
import type { Dispatch, Ring } from './queue.ts'
import { queueFor, taskNameOf } from './task-names.ts'

export interface CloudTasksOptions {
  tasks: TaskMaker
  /** Where the internal endpoints are reached, and what lets in there. */
  baseUrl: string
  token: string
  queues: Record<Ring['queue'], readonly string[]>
  /** Mark and name what is due and has no ring coming. */
  find: Record<Ring['queue'], () => Promise<Ring[]>>
  /** Readers of the stream listen to Postgres in this mode too. */
  wakeStream(): Promise<unknown>
  clock: Clock
  log: Log
  metrics: Pick<Metrics, 'tasksMade'>
}

type WakeName = Parameters<Dispatch['wake']>[0]

const paths: Record<Ring['queue'], string> = {
  inbox: '/internal/process_inbound',
  outbox: '/internal/process_outbound',
}
/** Tasks of one batch that are made at the same time. */
const maxInFlight = 16
/** The other queues are looked at in a sweep of their own, at most once in this time. */
const lookEveryMs = 2_000

export function createCloudTasksDispatch(options: CloudTasksOptions): Dispatch {
  const { clock, log, tasks, metrics } = options
  const lookedAt = new Map<WakeName, number>()

  async function make(task: NewTask, kind: string): Promise<void> {
    const isNew = await tasks.create(task).catch((error) => {
      metrics.tasksMade.inc({ queue: kind, outcome: 'failed' })
      throw error
    })
    metrics.tasksMade.inc({ queue: kind, outcome: isNew ? 'made' : 'known' })
  }

  function taskOf(ring: Ring): NewTask {
    return {
      queue: queueFor(options.queues[ring.queue], ring.owner),
      name: taskNameOf(ring),
      url: options.baseUrl + paths[ring.queue],
      headers: headersOf(options.token, ring.correlationId),
      body: JSON.stringify(ring.body),
      at: ring.at > clock.now() ? ring.at : null,
    }
  }

  /** After the first failure the others are not tried: an outage is one, and the sweep comes by. */
  async function ringAll(rings: Ring[]): Promise<number> {
    const rest = [...rings]
    let failure: unknown
    let made = 0
    async function makeSome(): Promise<void> {
      for (let ring = rest.shift(); ring && failure === undefined; ring = rest.shift()) {
        try {
          await make(taskOf(ring), ring.queue)
          made++
        } catch (error) {
          failure ??= error
        }
      }
    }
    await Promise.all(Array.from({ length: maxInFlight }, makeSome))
    if (failure !== undefined) {
      log.warn('tasks_not_made', { count: rings.length - made, ...errorFields(failure) })
    }
    return made
  }

  /** All that ask in one slot share its task, which comes at the slot's end. */
  async function look(queue: Exclude<WakeName, Ring['queue']>): Promise<void> {
    const slot = Math.floor(clock.now().getTime() / lookEveryMs)
    if (lookedAt.get(queue) === slot) return
    lookedAt.set(queue, slot)
    const [first = ''] = options.queues.inbox
    await make(
      {
        queue: first,
        name: `look-${queue}-${slot}`,
        url: `${options.baseUrl}/internal/sweep`,
        headers: { 'x-internal-token': options.token, 'x-sweep-jobs': queue },
        body: '',
        at: new Date((slot + 1) * lookEveryMs),
      },
      queue,
    )
  }

  async function wake(queue: WakeName, find?: () => Promise<Ring[]>): Promise<number> {
    if (queue === 'inbox' || queue === 'outbox') {
      return ringAll(await (find ?? options.find[queue])())
    }
    await (queue === 'stream' ? options.wakeStream() : look(queue))
    return 0
  }

  return {
    isPushed: true,
    wake: (queue, find) =>
      wake(queue, find).catch((error) => {
        log.warn('wake_failed', { queue, ...errorFields(error) })
        return 0
      }),
    close: tasks.close,
  }
}

function headersOf(token: string, correlationId: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-internal-token': token,
    'x-correlation-id': correlationId,
  }
}
