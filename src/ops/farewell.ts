// Stopping to listen without cutting anybody off: nobody new is let in, everybody hears `Connection: close` with the next
// answer, and what was asked is answered. Closing the server by itself would cut connections that seem idle while a
// request is on its way in them, and would wait for those that never asked anything.
import { Server } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type Clock, sleep } from '../time-and-chance.ts'

/** `withinMs`: how long callers on kept-alive connections get to leave by themselves. */
export function closeWithFarewell(app: FastifyInstance, clock: Clock, withinMs: number): void {
  let underWay = 0
  let onNoneUnderWay = () => {}
  app.server.on('request', (_request, response) => {
    underWay++
    response.once('close', () => {
      underWay--
      if (underWay === 0) onNoneUnderWay()
    })
  })
  // From here on Fastify itself adds `Connection: close` to the answers.
  app.addHook('preClose', async () => {
    const allLeft = new AbortController()
    Server.prototype.close.call(app.server, () => allLeft.abort())
    if (withinMs > 0) await sleep(clock, withinMs, allLeft.signal)
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        onNoneUnderWay = resolve
      })
    }
    app.server.closeAllConnections()
  })
}
