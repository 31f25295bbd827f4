// The gRPC door: every method of the service against the emulator.
import type { protos } from '@google-cloud/tasks'
import {
  type ServerUnaryCall,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { Emulator } from './emulator.ts'
import { GrpcError, invalid } from './grpc-error.ts'
import { checkName, parentOf } from './names.ts'
import type { TaskQueue } from './queue.ts'
import { writeSettings } from './settings.ts'
import { type Task, writeTask } from './task.ts'
import { fromDate } from './wire-time.ts'

type Wire = typeof protos.google.cloud.tasks.v2
type Request<Name extends keyof Wire> = Wire[Name] extends {
  create(fields?: infer Fields): unknown
}
  ? NonNullable<Fields>
  : never

const largestPage = { tasks: 1000, queues: 9800 }

export function cloudTasksService(emulator: Emulator): UntypedServiceImplementation {
  return {
    createTask: answer((request: Request<'CreateTaskRequest'>) =>
      show(emulator.createTask(request.parent, request.task), request),
    ),
    getTask: answer((request: Request<'GetTaskRequest'>) =>
      show(emulator.taskFor(request.name).task, request),
    ),
    deleteTask: answer((request: Request<'DeleteTaskRequest'>) => {
      const { queue, task } = emulator.taskFor(request.name)
      queue.remove(task.name)
      return {}
    }),
    runTask: answer((request: Request<'RunTaskRequest'>) => {
      const { queue, task } = emulator.taskFor(request.name)
      queue.run(task.name)
      return show(task, request)
    }),
    listTasks: answer((request: Request<'ListTasksRequest'>) => {
      const page = pageOf(emulator.queueFor(request.parent).tasks(), request, largestPage.tasks)
      return { tasks: page.data.map((task) => show(task, request)), nextPageToken: page.next }
    }),
    createQueue: answer((request: Request<'CreateQueueRequest'>) =>
      writeQueue(emulator.createQueue(request.parent, request.queue)),
    ),
    getQueue: answer((request: Request<'GetQueueRequest'>) =>
      writeQueue(emulator.queueFor(request.name)),
    ),
    updateQueue: answer((request: Request<'UpdateQueueRequest'>) =>
      writeQueue(emulator.updateQueue(request.queue, request.updateMask?.paths ?? [])),
    ),
    deleteQueue: answer((request: Request<'DeleteQueueRequest'>) => {
      emulator.deleteQueue(request.name)
      return {}
    }),
    listQueues: answer((request: Request<'ListQueuesRequest'>) => {
      if (request.filter) throw new GrpcError(status.UNIMPLEMENTED, 'filter is not emulated.')
      const parent = checkName('location', request.parent)
      const here = emulator.queues().filter(({ name }) => parentOf(name) === parent)
      const page = pageOf(here, request, largestPage.queues)
      return { queues: page.data.map(writeQueue), nextPageToken: page.next }
    }),
    purgeQueue: onQueue(emulator, (queue) => queue.purge()),
    pauseQueue: onQueue(emulator, (queue) => queue.pause()),
    resumeQueue: onQueue(emulator, (queue) => queue.resume()),
  }
}

const onQueue = (emulator: Emulator, act: (queue: TaskQueue) => void) =>
  answer(({ name }: { name?: string | null }) => {
    const queue = emulator.queueFor(name)
    act(queue)
    return writeQueue(queue)
  })

function answer<Body>(handle: (request: Body) => object) {
  return (call: ServerUnaryCall<Body, object>, callback: sendUnaryData<object>) => {
    try {
      callback(null, handle(call.request))
    } catch (error) {
      if (error instanceof GrpcError) callback(error)
      else callback({ code: status.INTERNAL, details: String(error) })
    }
  }
}

const show = (task: Task, { responseView }: { responseView?: unknown }) =>
  writeTask(task, responseView === 'FULL' ? 'FULL' : 'BASIC')

interface PageRequest {
  pageSize?: number | null
  pageToken?: string | null
}

function pageOf<Entry>(all: Entry[], { pageSize, pageToken }: PageRequest, largest: number) {
  const start = Number(pageToken || 0)
  if (!Number.isInteger(start) || start < 0) throw invalid('page_token is not one of ours.')
  const end = start + Math.min(pageSize || largest, largest)
  return { data: all.slice(start, end), next: end < all.length ? String(end) : '' }
}

function writeQueue(queue: TaskQueue): protos.google.cloud.tasks.v2.IQueue {
  const { purgedAt } = queue
  return {
    name: queue.name,
    ...writeSettings(queue.settings),
    state: queue.state,
    ...(purgedAt ? { purgeTime: fromDate(purgedAt) } : {}),
  }
}
