// Puts the phone together: its chats listen to the feed, its page and its JSON get their paths.
import type { FastifyInstance } from 'fastify'
import type { Simulation } from '../simulation.ts'
import type { Clock } from '../time-and-chance.ts'
import { createChats } from './chats.ts'
import { createEventStream } from './event-stream.ts'
import { mountPhoneApi } from './routes.ts'
import { mountStaticFiles, readStaticFiles } from './static-files.ts'

export function createPhone(simulation: Simulation, clock: Clock) {
  const business = () => simulation.business()
  const chats = createChats({
    findTemplate(phoneNumberId, name, language) {
      const { numbers, templates } = business()
      const wabaId = numbers.find(phoneNumberId)?.waba_id
      return wabaId === undefined ? undefined : templates.findByName(wabaId, name, language ?? '')
    },
    learned: (alias, customer) => simulation.presence().alias(alias, customer),
  })
  // Before the stream, so that whoever is told of an event finds it in the chats.
  simulation.feed.subscribe(chats.apply)
  const stream = createEventStream(simulation.feed, clock)
  return {
    /** Below /simulator, where errors and bodies are already taken care of. */
    mountApi: (app: FastifyInstance) => mountPhoneApi(app, { simulation, chats, stream, clock }),
    mountPage(app: FastifyInstance): void {
      app.get('/', async (_request, reply) => reply.redirect('/phone'))
      mountStaticFiles(app, '/phone', readStaticFiles('simulator/phone/page'))
    },
    close: () => stream.close(),
  }
}
