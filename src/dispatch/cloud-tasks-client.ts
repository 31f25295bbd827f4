// The one door to Google's client. It is loaded when the first task is made: who does not use Cloud Tasks pays nothing for it.
import type { CloudTasksClient } from '@google-cloud/tasks'

export interface NewTask {
  /** Under the queue's. */
  queue: string
  name: string
  url: string
  headers: Record<string, string>
  body: string
  /** Null: now. */
  at: Date | null
}

export interface TaskMaker {
  /** False when there is, or was, one of this name. */
  create(task: NewTask): Promise<boolean>
  close(): Promise<void>
}

export interface TaskMakerOptions {
  project: string
  location: string
  /** An emulator, `host:port`. */
  endpoint: string | undefined
  /** Google signs a token for this account into every call. */
  oidc: { serviceAccountEmail: string; audience: string } | undefined
}

/** A caller waits for this: rather late than never is the sweep's business. */
const createTimeoutMs = 3_000
/** Longer than the slowest send: a call that takes longer is made again, to no effect. */
const dispatchDeadline = { seconds: 120 }
const alreadyExists = 6

export function createTaskMaker(options: TaskMakerOptions): TaskMaker {
  let loading: Promise<CloudTasksClient> | undefined
  const client = () => {
    loading ??= load(options.endpoint).catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const parentOf = (queue: string) =>
    `projects/${options.project}/locations/${options.location}/queues/${queue}`

  return {
    async create({ queue, name, url, headers, body, at }) {
      const parent = parentOf(queue)
      const task = {
        name: `${parent}/tasks/${name}`,
        dispatchDeadline,
        ...(at && { scheduleTime: timestampOf(at) }),
        httpRequest: {
          httpMethod: 'POST' as const,
          url,
          headers,
          body: Buffer.from(body),
          ...(options.oidc && { oidcToken: options.oidc }),
        },
      }
      try {
        await (await client()).createTask({ parent, task }, { timeout: createTimeoutMs })
        return true
      } catch (error) {
        if ((error as { code?: unknown }).code === alreadyExists) return false
        throw error
      }
    },
    close: async () => (await loading)?.close(),
  }
}

async function load(endpoint: string | undefined): Promise<CloudTasksClient> {
  const { CloudTasksClient } = await import('@google-cloud/tasks')
  if (endpoint === undefined) return new CloudTasksClient()
  const { credentials } = await import('@grpc/grpc-js')
  const { PassThroughClient } = await import('google-auth-library')
  const colon = endpoint.lastIndexOf(':')
  return new CloudTasksClient({
    apiEndpoint: endpoint.slice(0, colon),
    port: Number(endpoint.slice(colon + 1)),
    sslCreds: credentials.createInsecure(),
    // Otherwise it looks for Google's metadata server first.
    authClient: new PassThroughClient(),
  })
}

function timestampOf(at: Date) {
  const ms = at.getTime()
  const seconds = Math.floor(ms / 1000)
  return { seconds, nanos: (ms - seconds * 1000) * 1_000_000 }
}
