// A Meta for laptops and tests: the Graph API on one side, signed webhooks on the other, and a
// control API to play the customer's part. It shares no code with the gateway, so that it cannot
// share its mistakes.
import type { AddressInfo } from 'node:net'
import { fastify } from 'fastify'
import { mountControlApi } from './control-api.ts'
import { mountGraphApi } from './graph-api.ts'
import type { LadderStatus } from './payloads.ts'
import { type Controls, createSimulation } from './simulation.ts'
import { type Clock, type Random, systemClock, systemRandom } from './time-and-chance.ts'

export interface SimulatorOptions {
  host?: string
  /** 0, the default, picks a free one. */
  port?: number
  appSecret: string
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
}

export interface Simulator extends Controls {
  url: string
  /** Calls off what is under way and stops listening. */
  close(): Promise<void>
}

/** Slow enough for a person to watch the ticks change. */
const defaultStatusDelaysMs: Record<LadderStatus, number> = {
  sent: 200,
  delivered: 800,
  read: 2000,
}

/** Meta goes on for days. A quarter of an hour is enough to see a restarted gateway catch up. */
const defaultRetryDelaysMs = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((s) => s * 1000)

/** Meta names no figure; reports range from 5 to 20 seconds. */
const defaultDeliveryTimeoutMs = 10_000

/** Above Meta's largest webhook in base64, so that oversized ones can be passed on too. */
const bodyLimitBytes = 16 * 1024 * 1024

export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  const { host = '127.0.0.1', port = 0, random = systemRandom } = options
  const delays = options.statusDelaysMs ?? defaultStatusDelaysMs
  const simulation = createSimulation({
    clock: options.clock ?? systemClock,
    random,
    webhook: {
      url: options.webhookUrl,
      verifyToken: options.verifyToken ?? 'simulator-verify-token',
      appSecret: options.appSecret,
    },
    statusDelaysMs:
      typeof delays === 'number' ? { sent: delays, delivered: delays, read: delays } : delays,
    retryDelaysMs: options.retryDelaysMs ?? defaultRetryDelaysMs,
    deliveryTimeoutMs: options.deliveryTimeoutMs ?? defaultDeliveryTimeoutMs,
  })

  const app = fastify({ bodyLimit: bodyLimitBytes, forceCloseConnections: true })
  app.register(async (scope) => mountControlApi(scope, simulation), { prefix: '/simulator' })
  app.register(async (scope) => mountGraphApi(scope, simulation, random))
  await app.listen({ host, port })

  const { stop, ...controls } = simulation
  return {
    ...controls,
    url: urlOf(app.server.address() as AddressInfo),
    async close() {
      await stop()
      await app.close()
    },
  }
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
