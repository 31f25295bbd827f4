// A bot that answers whoever writes: it takes events over HTTP, verifies them, and replies once per event.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient, type EstafetEvent, verifyEvent } from 'estafet/client'

const { ESTAFET_URL = '', ESTAFET_KEY = '', PORT = '0' } = process.env
const client = createClient({ baseUrl: ESTAFET_URL, key: ESTAFET_KEY })

async function reply(event: EstafetEvent): Promise<void> {
  if (event.type !== 'message.received') return
  const message = await client.messages.get(event.data.message_id)
  const { contact } = await client.conversations.get(message.conversation_id ?? '')
  const { text } = message.content as { text?: { body: string } }
  const body = `You wrote: ${text?.body ?? message.type}`
  const to = contact.wa_id ?? undefined
  // The event's id is the key: however often it is delivered, it is answered once.
  const { phone_number_id } = message
  const answer = { type: 'text', phone_number_id, to, text: { body } } as const
  await client.messages.send(answer, { idempotencyKey: event.id })
}

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray())
    await reply(await verifyEvent(endpoint.secret, request.headers, body))
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    response.writeHead(500).end() // Anything but a 2xx is delivered again later.
  }
}).listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as { port: number }
const url = `http://127.0.0.1:${port}/`
const endpoint = await client.eventEndpoints.create({ url, events: ['message.received'] })
console.log(`The bot listens at ${url}`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await client.eventEndpoints.delete(endpoint.id)
process.exit()
