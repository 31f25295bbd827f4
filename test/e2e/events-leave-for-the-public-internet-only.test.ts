// An endpoint's address is a tenant's to choose: it must not lead into our own network, whatever it looks like and
// whatever its name resolves to by the time of the call.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { createPoster, type PostCall, type PostOptions } from '../../src/events/post.ts'
import type { ResolveName } from '../../src/net/guarded-agent.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from '../support/after-file.ts'
import { withRunOut } from '../support/clock.ts'
import { type EventReceiver, startEventReceiver } from '../support/event-receiver.ts'
import { until } from '../support/program.ts'
import { endpointsPath, startTelling, type Telling, type TellingFirm } from '../support/telling.ts'

let telling: Telling
let firm: TellingFirm
let app: EventReceiver

beforeAll(async () => {
  telling = await startTelling({ ALLOW_PRIVATE_TARGETS: 'off' })
  firm = await telling.createFirm()
})
beforeEach(async () => {
  app = await startEventReceiver()
})

describe('an endpoint is not made of', () => {
  test.each([
    'file:///etc/passwd',
    'ftp://app.example/',
    'gopher://app.example/',
    'http://app.example/',
    'http://169.254.169.254/latest/meta-data',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:127.0.0.1]/',
    'https://[::1]/',
    'https://[fd00:ec2::254]/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f000001/',
    'https://127.1/',
    'https://10.0.0.1/',
    'https://192.168.1.1/',
    'https://172.16.0.1/',
    'https://100.64.0.1/',
    'https://0.0.0.0/',
    'https://localhost/',
    'https://localhost./',
    'https://metadata.google.internal/',
    'https://somebody:secret@app.example/',
    'https://app.example:6379/',
    'https://app.example:22/',
    'not a URL',
  ])('%s', async (url) => {
    const { id } = await telling.createEndpoint(firm, 'https://app.example/events')
    const created = await telling.gateway.call('POST', endpointsPath, {
      key: firm.key,
      body: { url },
    })
    const changed = await telling.gateway.call('PATCH', `${endpointsPath}/${id}`, {
      key: firm.key,
      body: { url },
    })
    await telling.change('DELETE', firm, `${endpointsPath}/${id}`)

    for (const answer of [created, changed]) {
      expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_REQUEST'])
      expect(answer.json.error.details.fields[0].field).toBe('url')
    }
  })
})

describe('a call is not made', () => {
  test('to this machine, though the address got into the table somehow', async () => {
    const { id } = await telling.createEndpoint(firm, 'https://app.example/events')
    await telling.gateway.db.query(sql`
      update event_endpoints set url = ${app.url} where tenant_id = ${firm.id}`)
    await telling.write(firm, '16505550221')
    await telling.gateway.tellDue()

    expect(app.calls).toEqual([])
    const { data } = await telling.read(firm, `${endpointsPath}/${id}/deliveries`)
    expect(data).toMatchObject([{ status: 'pending', attempts: 1, last_error: 'TARGET_REFUSED' }])
  })

  test.each([
    ['to a name that leads here', [['127.0.0.1']]],
    ['to a name of which one address leads here', [['8.8.8.8', '127.0.0.1']]],
    ['to a name that leads here in IPv6', [['::1']]],
    ['to a name that leads here in disguise', [['::ffff:127.0.0.1']]],
    ['to a name that leads to the cloud’s own data', [['169.254.169.254']]],
  ])('%s', async (_name, answers) => {
    expect(
      await postTo(`http://app.example:${portOf(app)}/`, { resolve: resolving(answers) }),
    ).toBe('TARGET_REFUSED')
    expect(app.calls).toEqual([])
  })

  test('to a name that was fine a moment ago: each connection is judged on its own', async () => {
    const resolve = resolving([['192.0.2.1'], ['127.0.0.1']])
    const poster = posterWith({ allowPrivate: false, resolve })
    const call = callTo(`http://app.example:${portOf(app)}/`)
    for (const _ of [1, 2, 3]) {
      expect((await poster.post(call)).errorCode).toBe('TARGET_REFUSED')
    }
    expect(app.calls).toEqual([])
  })

  test('twice: a redirect is a failure, wherever it leads', async () => {
    const elsewhere = await startEventReceiver()
    for (const status of [301, 302, 303, 307, 308]) {
      app.react({ status, headers: { location: elsewhere.url } })
      expect(await postTo(app.url, { allowPrivate: true })).toBe('REDIRECTED')
    }
    expect(elsewhere.calls).toEqual([])
  })

  test('over TLS with somebody who cannot prove who they are', async () => {
    const fixture = (name: string) =>
      readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8')
    const secure = await startEventReceiver({
      key: fixture('self-signed.key'),
      cert: fixture('self-signed.crt'),
    })

    expect(await postTo(secure.url, { allowPrivate: true })).toBe('DEPTH_ZERO_SELF_SIGNED_CERT')
    expect(secure.calls).toEqual([])
  })
})

describe('an answer', () => {
  test('that never ends is not read to its end', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write('HTTP/1.1 500 Oops\r\ncontent-type: text/plain\r\n\r\n')
        const more = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024)));
        }
        socket.on('drain', more)
        more()
      })
    })
    const url = await listening(endless)

    expect(await postTo(url, { allowPrivate: true })).toBe('HTTP_500')
    const outcome = await posterWith({ allowPrivate: true }).post({ ...callTo(url), asks: true })
    expect(outcome.body).toBeNull()
  })

  test('that drips is not waited for', async () => {
    let drops = 0
    const dripping = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nx-slow: ')
        drops++
      })
    })
    const clock = withRunOut(systemClock)
    const posting = postTo(await listening(dripping), { allowPrivate: true, clock })
    await until('it drips', () => drops > 0)
    clock.runOut(timeoutMs)

    expect(await posting).toBe('TIMEOUT')
  })

  test('that is no HTTP is a failure like any other', async () => {
    const rude = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.end('220 mail.example ESMTP\r\n')
    })
    const code = await postTo(await listening(rude), { allowPrivate: true })

    expect(code).toMatch(/^[A-Z_]+$/)
  })
})

const timeoutMs = 60_000

const portOf = ({ url }: EventReceiver) => new URL(url).port

const callTo = (url: string): PostCall => ({ url, headers: {}, body: '{}', asks: false })

function posterWith(options: Partial<PostOptions>) {
  const poster = createPoster({
    clock: systemClock,
    allowPrivate: false,
    timeoutMs,
    version: '0',
    ...options,
  })
  afterFile(poster.close)
  return poster
}

async function postTo(url: string, options: Partial<PostOptions>): Promise<string | null> {
  return (await posterWith(options).post(callTo(url))).errorCode
}

/** A name server that gives these answers one after the other, the last one for ever. */
function resolving(answers: string[][]): ResolveName {
  const rest = [...answers]
  return async () =>
    ((rest.length > 1 ? rest.shift() : rest[0]) ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }))
}

async function listening(server: ReturnType<typeof createServer>): Promise<string> {
  const sockets = new Set<{ destroy(): void }>()
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(
    () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  )
  return `http://127.0.0.1:${(server.address() as { port: number }).port}/`
}
