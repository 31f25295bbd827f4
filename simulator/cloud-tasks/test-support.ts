// What the emulator's own tests need: Google's real client, a real target, and time in their hands.
import { CloudTasksClient, type protos } from '@google-cloud/tasks'
import { credentials } from '@grpc/grpc-js'
import { afterEach, vi } from 'vitest'
import { type ManualClock, manualClock } from '../test-clock.ts'
import { startReceiver } from '../test-support.ts'
import { seededRandom } from '../time-and-chance.ts'
import { type CloudTasksOptions, startCloudTasks } from './server.ts'

export const location = 'projects/courier/locations/europe-west1'
export const queueName = `${location}/queues/parcels`
export const nameOf = (task: string, queue = queueName) => `${queue}/tasks/${task}`

const endings: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
  // Test files share their processes, and their environment with them.
  vi.unstubAllEnvs()
})

export function clientOf(endpoint: string): CloudTasksClient {
  // Otherwise the client asks the network whether it runs inside Google, and waits for the answer.
  vi.stubEnv('METADATA_SERVER_DETECTION', 'none')
  const [servicePath, port] = endpoint.split(':')
  return new CloudTasksClient({
    servicePath: String(servicePath),
    port: Number(port),
    sslCreds: credentials.createInsecure(),
    projectId: 'courier',
  })
}

type Answer = NonNullable<Parameters<typeof startReceiver>[0]>

export interface Stage extends Awaited<ReturnType<typeof stage>> {}

/** An emulator with one queue, the real client, and a target that answers as told. */
export async function stage(options: CloudTasksOptions & { answer?: Answer } = {}) {
  const { answer, ...given } = options
  const clock: ManualClock = manualClock()
  const cloudTasks = await startCloudTasks({
    clock,
    random: seededRandom('cloud tasks'),
    ...given,
  })
  const client = clientOf(cloudTasks.endpoint)
  const target = await startReceiver(answer)
  endings.push(
    () => client.close(),
    () => cloudTasks.stop(),
    () => target.close(),
  )
  cloudTasks.setQueue(queueName)
  return {
    clock,
    cloudTasks,
    client,
    target,
    create: (name: string | undefined, task: protos.google.cloud.tasks.v2.ITask = {}) =>
      client.createTask({
        parent: queueName,
        task: {
          ...(name === undefined ? {} : { name: nameOf(name) }),
          ...task,
          httpRequest: { url: target.url, ...task.httpRequest },
        },
      }),
    secondsFromNow: (seconds: number) => ({
      seconds: Math.floor(clock.now().getTime() / 1000) + seconds,
    }),
    /** Which tasks reached the target, in that order. */
    arrived: () => target.received.map(({ headers }) => headers['x-cloudtasks-taskname']),
  }
}
