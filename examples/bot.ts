// A bot that answers whoever writes: it takes events over HTTP, verifies them, and replies once per event.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createClient, EstafetError, type EstafetEvent, verifyEvent } from 'estafet/client'

const { ESTAFET_URL = '', ESTAFET_KEY = '', PORT = '0' } = process.env
const client = createClient({ baseUrl: ESTAFET_URL, key: ESTAFET_KEY })

async function reply(event: EstafetEvent): Promise<void> {
  if (event.type !== 'message.received') return
  const { content, type, conversation_id } = await client.messages.get(event.data.message_id)
  const { contact, phone_number_id } = await client.conversations.get(conversation_id ?? '')
  const { text } = content as { text?: { body: string } }
  const body = `You wrote: ${text?.body ?? type}`
  const whom = contact.wa_id ? { to: contact.wa_id } : { recipient: contact.user_id ?? '' }
  const answer = { type: 'text', phone_number_id, ...whom, text: { body } } as const
  // The event's id is the key: however often it is delivered, it is answered once.
  await client.messages.send(answer, { idempotencyKey: event.id })
}

const server = createServer(async (request, response) => {
  try {
    const body = Buffer.concat(await request.toArray())
    await reply(await verifyEvent(endpoint.secret, request.headers, body))
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    // Anything but a 2xx is delivered again later; what is refused for good (they said STOP) need not be.
    const isFinal = error instanceof EstafetError && /^4(?!01|29)/.test(String(error.status))
    response.writeHead(isFinal ? 204 : 500).end()
  }
}).listen(Number(PORT), '127.0.0.1')
await once(server, 'listening')
const url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
const endpoint = await client.eventEndpoints.create({ url, events: ['message.received'] })
console.log(`The bot listens at ${url}`)
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
await client.eventEndpoints.delete(endpoint.id)
process.exit()
