// What the simulator's own tests need: a real HTTP receiver in the gateway's place, and a client
// that knows nothing but URLs.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type SimulatorOptions, startSimulator } from './server.ts'
import { seededRandom } from './time-and-chance.ts'

export interface Received {
  method: string
  url: URL
  headers: IncomingHttpHeaders
  body: Buffer
}

type Answer = (request: Received) => { status: number; body?: string }

export async function startReceiver(answer: Answer = () => ({ status: 200 })) {
  const received: Received[] = []
  let held = false
  const waiting: (() => void)[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    try {
      for await (const chunk of request) chunks.push(chunk)
    } catch {
      // The sender gave up in the middle of its request, which was not received then.
      return
    }
    const { method = '', headers } = request
    const url = new URL(request.url ?? '/', 'http://receiver')
    const seen = { method, url, headers, body: Buffer.concat(chunks) }
    received.push(seen)
    const respond = () => {
      const { status, body } = answer(seen)
      response.writeHead(status).end(body)
    }
    if (held) waiting.push(respond)
    else respond()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    /** From now on requests get no answer. */
    hold() {
      held = true
    },
    /** Those that waited get theirs now. */
    release() {
      held = false
      for (const respond of waiting.splice(0)) respond()
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const appSecret = 'app-secret-of-the-tests'

export const shop = {
  phone_number_id: '441785372350001',
  waba_id: '215589313241560',
  display_phone_number: '+1 555-017-2201',
  access_token: 'token-of-the-shop',
}

export const clinic = {
  phone_number_id: '558210946700342',
  waba_id: '318402275114907',
  display_phone_number: '15550199844',
  access_token: 'token-of-the-clinic',
}

/** A simulator without waits, a receiver it delivers to, and both numbers registered. */
export async function startScene(
  options: Partial<SimulatorOptions> & { answer?: Answer; seed?: string } = {},
) {
  const { answer, seed = 'scene', ...given } = options
  const receiver = await startReceiver(answer)
  const simulator = await startSimulator({
    appSecret,
    webhookUrl: receiver.url,
    random: seededRandom(seed),
    statusDelaysMs: 0,
    retryDelaysMs: [0, 0, 0],
    // Most tests are not about the window; those that are say so.
    serviceWindow: 'open',
    templateReviewMs: 0,
    ...given,
  })
  const register = () => {
    for (const number of [shop, clinic]) simulator.registerNumber(number)
  }
  register()
  return {
    simulator,
    receiver,
    /** For the next test: nothing of what happened is known any more. A tenth of what another scene would cost. */
    async startAnew() {
      receiver.release()
      await simulator.reset()
      receiver.received.length = 0
      register()
    },
    call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      callJson(method, `${simulator.url}${path}`, body, headers),
    send: (body: unknown, number: { phone_number_id: string; access_token: string } = shop) =>
      callJson('POST', `${simulator.url}/v25.0/${number.phone_number_id}/messages`, body, {
        authorization: `Bearer ${number.access_token}`,
      }),
    async close() {
      await simulator.close()
      await receiver.close()
    },
  }
}

export type Scene = Awaited<ReturnType<typeof startScene>>

async function callJson(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
) {
  const response = await fetch(url, {
    method,
    headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: JSON.parse(text) }
}

export const textTo = (to: string, body = 'Hello') => ({
  messaging_product: 'whatsapp',
  recipient_type: 'individual',
  to,
  type: 'text',
  text: { body },
})

/** The `value` of a webhook that carries one change. */
export function changeValue(body: Buffer | string) {
  return JSON.parse(body.toString()).entry[0].changes[0].value
}
