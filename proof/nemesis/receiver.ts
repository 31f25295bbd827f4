// The applications of all tenants: they take events, remember which they took and in which order, and are in trouble at times.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterFile } from '../../test/support/after-file.ts'

/** An event that was answered with 200. */
export interface Told {
  /** Whose address it came to. */
  firm: number
  eventId: string
  tenantId: string
  phoneNumberId: string | null
}

export interface EventsReceiver {
  urlFor(firm: number): string
  told: Told[]
  /** Refusals so far. */
  refused(): number
  /** The chance that an event that never came before is refused, not answered, or cut off. */
  beInTrouble(chance: number): void
}

export async function startEventsReceiver(random: () => number): Promise<EventsReceiver> {
  const told: Told[] = []
  const seen = new Set<string>()
  let trouble = 0
  let refused = 0
  const server = createServer(async (request, response) => {
    const event = JSON.parse(await bodyOf(request))
    const isNew = !seen.has(event.id)
    seen.add(event.id)
    if (isNew && random() < trouble) {
      refused++
      const kind = random()
      if (kind < 0.3) return void request.socket.destroy()
      if (kind < 0.4) return
      return void response.writeHead(kind < 0.7 ? 500 : 503).end()
    }
    told.push({
      firm: Number(request.url?.split('/').at(-1)),
      eventId: event.id,
      tenantId: event.tenant_id,
      phoneNumberId: event.data.phone_number_id ?? null,
    })
    response.writeHead(200).end()
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    urlFor: (firm) => `http://127.0.0.1:${port}/events/${firm}`,
    told,
    refused: () => refused,
    beInTrouble: (chance) => {
      trouble = chance
    },
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}
