// What a server really answers, as Fastify tells while it is started: a route that stands in none of our lists is there too.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

/** `METHOD /path` of every route of whatever `start` starts; what answers HEAD as it answers GET is not named apart. */
export async function registeredBy<Started>(
  start: () => Promise<Started>,
): Promise<{ started: Started; routes: string[] }> {
  const servers: string[][] = []
  const watch = (message: unknown) => {
    const names: string[] = []
    servers.push(names)
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRoute', ({ method, url }) => {
      const methods = [method].flat().filter((one) => one !== 'HEAD')
      names.push(...methods.map((one) => `${one} ${url}`))
    })
  }
  subscribe('fastify.initialization', watch)
  try {
    const started = await start()
    // A simulated Meta is a server too, and no gateway.
    const gateways = servers.filter((names) => names.includes('GET /readyz'))
    return { started, routes: gateways.flat().toSorted() }
  } finally {
    unsubscribe('fastify.initialization', watch)
  }
}
