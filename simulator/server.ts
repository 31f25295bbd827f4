// A Meta for laptops and tests: the Graph API on one side, signed webhooks on the other, and a
// control API to play the customer's part. It shares no code with the gateway, so that it cannot
// share its mistakes.
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import type { ServiceWindowMode } from './business.ts'
import { mountCloudTasksRoutes } from './cloud-tasks/control-routes.ts'
import { type CloudTasks, openCloudTasks } from './cloud-tasks/server.ts'
import { mountControlApi } from './control-api.ts'
import { guardGraphApi } from './faults/request-guard.ts'
import { mountGraphApi } from './graph/api.ts'
import { mountBusinessRoutes } from './graph/control-routes.ts'
import { openLedgerFile } from './ledger-file.ts'
import { createPhone } from './phone/mount.ts'
import { mountSignupApi, mountSignupPages } from './signup/routes.ts'
import { type Controls, createSimulation } from './simulation.ts'
import { type Clock, type Random, systemClock, systemRandom } from './time-and-chance.ts'
import type { LadderStatus } from './webhooks/payloads.ts'
import { sevenDaysOfRetries } from './webhooks/retry-schedule.ts'

export interface SimulatorOptions {
  host?: string
  /** 0, the default, picks a free one. */
  port?: number
  appSecret: string
  /** Of the app whose secret that is. */
  appId?: string
  /** `open`: a customer need not have written in the last 24 hours. Meta's way is the default. */
  serviceWindow?: ServiceWindowMode
  /** How long the review of a new template takes. */
  templateReviewMs?: number
  /** May be set later; until then webhooks are dropped, as for an app without a callback URL. */
  webhookUrl?: string
  verifyToken?: string
  clock?: Clock
  random?: Random
  /** The wait before each status, counted from the one before; one number stands for all three. */
  statusDelaysMs?: number | Record<LadderStatus, number>
  /** The wait before each retry of a webhook; as many retries as entries. */
  retryDelaysMs?: readonly number[]
  deliveryTimeoutMs?: number
  /** How long an update waits for others to share a POST with. 0, the default: it goes alone. */
  batchWindowMs?: number
  /** Entries of each kind that the ledger keeps in memory. */
  ledgerCapacity?: number
  /** Where the ledger is also written, one JSON object a line. */
  ledgerFile?: string
  /** Where an emulated Google Cloud Tasks listens for gRPC; 0 picks a free port. None by default. */
  cloudTasksPort?: number
}

export interface Simulator extends Controls {
  url: string
  /** Present when a port was given for it. */
  cloudTasks?: CloudTasks
  /** Calls off what is under way and stops listening. */
  close(): Promise<void>
}

/** Slow enough for a person to watch the ticks change. */
const defaultStatusDelaysMs: Record<LadderStatus, number> = {
  sent: 200,
  delivered: 800,
  read: 2000,
}

/** Meta names no figure; reports range from 5 to 20 seconds. */
const defaultDeliveryTimeoutMs = 10_000

export const defaultAppId = '670843887430001'

/** Meta takes minutes to a day; a person should see both states. */
const defaultReviewMs = 3000

/** Above Meta's largest webhook in base64, so that oversized ones can be passed on too. */
const bodyLimitBytes = 16 * 1024 * 1024

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, random = systemRandom } = options
  const delays = options.statusDelaysMs ?? defaultStatusDelaysMs
  const clock = options.clock ?? systemClock
  const ledgerFile =
    options.ledgerFile === undefined ? undefined : openLedgerFile(options.ledgerFile)
  const simulation = createSimulation({
    clock,
    random,
    webhook: {
      url: options.webhookUrl,
      verifyToken: options.verifyToken ?? 'simulator-verify-token',
      appSecret: options.appSecret,
      batchWindowMs: options.batchWindowMs ?? 0,
      retryDelaysMs: options.retryDelaysMs ?? sevenDaysOfRetries,
    },
    statusDelaysMs:
      typeof delays === 'number' ? { sent: delays, delivered: delays, read: delays } : delays,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaultDeliveryTimeoutMs,
    graph: {
      appId: options.appId ?? defaultAppId,
      serviceWindow: options.serviceWindow ?? 'enforced',
      review: { mode: 'automatic', delay_ms: options.templateReviewMs ?? defaultReviewMs },
    },
    ledger: {
      ...(options.ledgerCapacity === undefined ? {} : { capacity: options.ledgerCapacity }),
      ...(ledgerFile === undefined ? {} : { witness: ledgerFile.witness }),
    },
  })

  const cloudTasks =
    options.cloudTasksPort === undefined
      ? undefined
      : await openCloudTasks({
          host,
          port: options.cloudTasksPort,
          clock,
          random,
          autoCreateQueues: true,
        })
  const app = fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true })
  const phone = createPhone(simulation, clock)
  app.register(
    async (scope) => {
      mountControlApi(scope, simulation)
      mountBusinessRoutes(scope, simulation)
      phone.mountApi(scope)
      mountSignupApi(scope, simulation.business, random)
      if (cloudTasks) mountCloudTasksRoutes(scope, cloudTasks)
    },
    { prefix: '/simulator' },
  )
  app.register(async (scope) => {
    phone.mountPage(scope)
    mountSignupPages(scope)
  })
  app.register(async (scope) => {
    guardGraphApi(scope, simulation.traffic)
    mountGraphApi(scope, { simulation, clock, random })
  })
  await app.listen({ host, port }).catch(async (error) => {
    await cloudTasks?.stop()
    throw error
  })

  const { stop, feed: _f, presence: _p, traffic: _t, business: _b, ...controls } = simulation
  return {
    ...controls,
    url: urlOf(app.server.address() as AddressInfo),
    ...(cloudTasks ? { cloudTasks } : {}),
    async close() {
      await cloudTasks?.stop()
      await stop()
      phone.close()
      await app.close()
      ledgerFile?.close()
    },
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
