// A Google Cloud Tasks for laptops and tests: the real client talks to it over plaintext gRPC, and it
// makes real HTTP requests. Nothing outlives the process.
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { fastify } from 'fastify'
import { speakControlJson } from '../control-form.ts'
import { type Clock, type Random, systemClock, systemRandom } from '../time-and-chance.ts'
import { mountCloudTasksRoutes } from './control-routes.ts'
import { type CloudTasksControls, cloudTasksControls } from './controls.ts'
import { Emulator } from './emulator.ts'
import { createTokenMaker } from './oidc.ts'
import { createPostman } from './postman.ts'
import { loadCloudTasksService } from './protos.ts'
import { cloudTasksService } from './service.ts'
import type { QueueSettings } from './settings.ts'

export interface CloudTasksOptions {
  host?: string
  /** Of the gRPC server. 0, the default, picks a free one. */
  port?: number
  clock?: Clock
  random?: Random
  /** How long a task's name stays taken after it ran or was deleted. Google says about an hour. */
  nameReuseMs?: number
  /** Whether a task for an unknown queue makes the queue; otherwise NOT_FOUND, as at Google. */
  autoCreateQueues?: boolean
  /** For queues that are made without saying more; else Google's own defaults. */
  queueDefaults?: Partial<QueueSettings>
  /** `iss` of the identity tokens. */
  issuer?: string
}

export interface CloudTasks extends CloudTasksControls {
  /** host:port of the gRPC server, for CLOUD_TASKS_ENDPOINT. */
  endpoint: string
  /** Ends at once: what is under way is broken off. */
  stop(): Promise<void>
}

export interface CloudTasksWithDoor extends CloudTasks {
  /** Where the control routes are, under /simulator/cloud-tasks. */
  url: string
  /** Where the public keys of the identity tokens are. */
  jwksUrl: string
}

const anHourMs = 3_600_000
const googleIssuer = 'https://accounts.google.com'

/** Only the gRPC side; whoever has an HTTP server mounts the control routes there. */
export async function openCloudTasks(options: CloudTasksOptions = {}): Promise<CloudTasks> {
  const { host = '127.0.0.1', port = 0, clock = systemClock, random = systemRandom } = options
  const tokens = createTokenMaker(clock, options.issuer ?? googleIssuer)
  const postman = createPostman(clock, tokens)
  const emulator = new Emulator({
    clock,
    random,
    postman,
    nameReuseMs: options.nameReuseMs ?? anHourMs,
    autoCreateQueues: options.autoCreateQueues ?? false,
    queueDefaults: options.queueDefaults ?? {},
  })
  const server = new Server()
  server.addService(loadCloudTasksService(), cloudTasksService(emulator))
  const bound = await listen(server, host, port)
  return {
    ...cloudTasksControls(emulator, tokens),
    endpoint: `${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async stop() {
      emulator.stop()
      server.forceShutdown()
      await postman.close()
    },
  }
}

/** For tests and for whoever wants Cloud Tasks without Meta: with a control API of its own. */
export async function startCloudTasks(
  options: CloudTasksOptions = {},
): Promise<CloudTasksWithDoor> {
  const cloudTasks = await openCloudTasks(options)
  const app = fastify({ forceCloseConnections: true })
  app.register(
    async (scope) => {
      speakControlJson(scope)
      mountCloudTasksRoutes(scope, cloudTasks)
    },
    { prefix: '/simulator' },
  )
  const url = await app.listen({ host: options.host ?? '127.0.0.1', port: 0 })
  return {
    ...cloudTasks,
    url,
    jwksUrl: `${url}/simulator/cloud-tasks/certs`,
    async stop() {
      await cloudTasks.stop()
      await app.close()
    },
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error) reject(new Error(`Cloud Tasks cannot listen on ${address}: ${error.message}`))
      else resolve(bound)
    })
  })
}
