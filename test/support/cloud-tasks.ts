// A gateway whose rows are called for by an emulated Cloud Tasks, with a simulated Meta behind it. Nothing in it polls: what
// happens was called for, or swept.
import {
  type CloudTasks,
  type CloudTasksOptions,
  openCloudTasks,
} from '../../simulator/cloud-tasks/server.ts'

import { type Db, sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from './after-file.ts'
import { type FrontDoor, startFrontDoor } from './front-door.ts'
import type { Answer } from './gateway.ts'
import { type QuietSimulator, type Sending, startSending } from './sending.ts'

export const taskToken = 'internal-token-of-the-tasks'

export interface CloudTasksSending extends Sending {
  cloudTasks: CloudTasks
  /** Full names. */
  queues: { inbound: string[]; outbound: string[] }
  /** As a task would call, with the token unless a header says otherwise. */
  callInternal(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** One round of everything periodic. */
  sweep(jobs?: string[]): Promise<Answer>
  /** Nothing is due at Cloud Tasks and nothing under way. */
  idle(): Promise<void>
  /** As if every ring's time had passed long ago. */
  loseRings(): Promise<void>
}

export interface TasksOptions {
  cloudTasks?: CloudTasksOptions
  /** How many queues there are of each kind. */
  queueCount?: number
}

export interface CloudTasksWorldOptions extends TasksOptions {
  environment?: Record<string, string>
  simulator?: QuietSimulator
}

/** Cloud Tasks, a door to a gateway that is not there yet, and what that gateway has to be told of both. */
export interface Tasks {
  cloudTasks: CloudTasks
  door: FrontDoor
  /** Full names. */
  queues: { inbound: string[]; outbound: string[] }
  environment: Record<string, string>
}

const parent = 'projects/sample/locations/nowhere/queues'

export async function startTasks(options: TasksOptions = {}): Promise<Tasks> {
  const cloudTasks = await openCloudTasks(options.cloudTasks)
  afterFile(() => cloudTasks.stop())
  const named = (kind: string) =>
    Array.from({ length: options.queueCount ?? 2 }, (_, index) => `${kind}-${index + 1}`)
  const [inbound, outbound] = [named('inbound'), named('outbound')]
  for (const queue of [...inbound, ...outbound]) cloudTasks.setQueue(`${parent}/${queue}`)
  const door = await startFrontDoor()
  return {
    cloudTasks,
    door,
    queues: {
      inbound: inbound.map((queue) => `${parent}/${queue}`),
      outbound: outbound.map((queue) => `${parent}/${queue}`),
    },
    environment: {
      DISPATCH: 'cloud-tasks',
      GCP_PROJECT: 'sample',
      GCP_LOCATION: 'nowhere',
      INBOUND_TASK_QUEUE_NAME: inbound.join(','),
      OUTBOUND_TASK_QUEUE_NAME: outbound.join(','),
      INTERNAL_TASK_BASE_URL: door.url,
      INTERNAL_TASK_TOKEN: `${taskToken},an-older-token-that-still-counts`,
      CLOUD_TASKS_ENDPOINT: cloudTasks.endpoint,
    },
  }
}

export async function startCloudTasksSending(
  options: CloudTasksWorldOptions = {},
): Promise<CloudTasksSending> {
  const { cloudTasks, door, queues, environment } = await startTasks(options)
  const world = await startSending(
    { ROLES: 'api,worker', ...environment, ...options.environment },
    { clock: systemClock, ...(options.simulator && { simulator: options.simulator }) },
  )
  door.lead(world.gateway.url)

  const callInternal = (path: string, body?: unknown, headers: Record<string, string> = {}) =>
    world.gateway.call('POST', path, {
      ...(body !== undefined && { body }),
      headers: { 'x-internal-token': taskToken, ...headers },
    })
  return {
    ...world,
    cloudTasks,
    async customerOf(firm) {
      const customer = await world.customerOf(firm)
      // Whoever was called for the message may still be at it.
      await cloudTasks.idle()
      return customer
    },
    queues,
    callInternal,
    sweep: (jobs) =>
      callInternal('/internal/sweep', undefined, jobs && { 'x-sweep-jobs': jobs.join(',') }),
    idle: () => cloudTasks.idle(),
    loseRings: () => loseRings(world.gateway.db),
  }
}

/** As if every ring's time had passed long ago. */
export async function loseRings(db: Db): Promise<void> {
  await db.query(sql`update whatsapp_send_outbox set rung_for = rung_for - interval '1 day'`)
  await db.query(sql`
    update whatsapp_webhook_events
    set rung_for = rung_for - interval '1 day', next_run_at = next_run_at - interval '1 day'
    where status = 'pending'`)
}
