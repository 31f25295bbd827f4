import { request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../test/support/after-file.ts'
import { expectNone } from '../test/support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
} from '../test/support/gateway.ts'
import { createManualClock, settled } from '../test/support/manual-clock.ts'
import { errorAnswer } from './api/contract.ts'
import { createHttpServer } from './http.ts'

let gateway: TestGateway
let tenant: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway()
  tenant = await gateway.createTenant('Firm A')
})

interface Raw {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
}

/** Asks for exactly this target: fetch would tidy it up first. */
function ask(target: string, key?: string): Promise<Raw> {
  const { hostname, port } = new URL(gateway.url)
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: target, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      )
    })
      .on('error', reject)
      .end()
  })
}

/** Writes these bytes on a socket and returns what comes back until it is closed. */
function write(bytes: string): Promise<Raw> {
  const { hostname, port } = new URL(gateway.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding('utf8')
    socket.on('data', (part) => {
      answer += part
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', text = ''] = answer.split('\r\n\r\n')
      const [first = '', ...lines] = head.split('\r\n')
      const headers = Object.fromEntries(
        lines
          .map((line) => line.split(': ') as [string, string])
          .map(([a, b]) => [a.toLowerCase(), b]),
      )
      resolve({ status: Number(first.split(' ')[1]), headers, text })
    })
  })
}

function expectError({ status, headers, text }: Raw, expected: [number, string]): void {
  const body = JSON.parse(text)
  expect(errorAnswer.parse(body)).toEqual(body)
  expect([status, body.error.code]).toEqual(expected)
  expect(body.error.request_id).toBe(headers['x-request-id'])
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
}

describe('an address', () => {
  test.each([
    '/',
    '/api',
    '/api/',
    '/API/whatsapp/accounts',
    '//api/whatsapp/accounts',
    '/api//whatsapp/accounts',
    '/api/whatsapp/../whatsapp/accounts',
    '/api/whatsapp/../admin/tenants',
    '/api/whatsapp/%2e%2e/admin/tenants',
    '/api/whatsapp/accounts/..%2f..%2fadmin%2ftenants',
    '/api/whatsapp;x=1/accounts',
    '/../../etc/passwd',
    '/docs/../../package.json',
    '/docs/%2e%2e%2fpackage.json',
    '/.env',
    '/console/../.env',
    '/api/whatsapp/accounts%00',
  ])('that leads nowhere is a 404: %s', async (target) => {
    for (const key of [undefined, tenant.key])
      expectError(await ask(target, key), [404, 'NOT_FOUND'])
  })

  test.each(['/%', '/%zz', '/api/whatsapp/messages/%ff', '/api/whatsapp/messages/%c0%ae'])(
    'that cannot be decoded is a 400: %s',
    async (target) => {
      expectError(await ask(target, tenant.key), [400, 'INVALID_REQUEST'])
    },
  )

  test('with a part of over 500 characters is a 414', async () => {
    const target = `/api/whatsapp/messages/${'x'.repeat(501)}`
    expectError(await ask(target, tenant.key), [414, 'INVALID_REQUEST'])
  })

  test('may end in a slash, and be a whole URL', async () => {
    expect((await ask('/api/whatsapp/accounts/', tenant.key)).status).toBe(200)
    expect((await ask(`${gateway.url}/healthz`)).status).toBe(200)
  })
})

describe('what is not HTTP', () => {
  const host = 'host: x\r\n'

  test.each([
    ['another language', 'HELO there\r\n\r\n'],
    ['a bad header', `GET / HTTP/1.1\r\n${host}bad header\r\n\r\n`],
    ['a space before a colon', `GET / HTTP/1.1\r\n${host}a : b\r\n\r\n`],
    [
      'two lengths',
      `POST /api/admin/tenants HTTP/1.1\r\n${host}content-length: 5\r\ncontent-length: 6\r\n\r\n`,
    ],
    [
      'a length and chunks',
      `POST /api/admin/tenants HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
    ],
    [
      'a length and chunks, from whoever delivers webhooks',
      `POST /webhooks/whatsapp HTTP/1.1\r\n${host}x-hub-signature-256: sha256=${'0'.repeat(64)}\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
    ],
    ['a length that is no number', `POST / HTTP/1.1\r\n${host}content-length: x\r\n\r\n`],
  ])('is refused in the usual shape: %s', async (_what, bytes) => {
    expectError(await write(bytes), [400, 'INVALID_REQUEST'])
  })

  test('headers of over 16 kB are a 431 in the usual shape', async () => {
    const bytes = `GET / HTTP/1.1\r\n${host}x: ${'x'.repeat(20_000)}\r\n\r\n`
    expectError(await write(bytes), [431, 'HEADERS_TOO_LARGE'])
  })
})

describe('a request', () => {
  test('gets an id of ours, whatever it brings', async () => {
    const answer = await gateway.call('GET', '/healthz', {
      headers: { 'x-request-id': 'mine', 'request-id': 'mine' },
    })
    expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('is answered with headers that forbid guessing and keeping', async () => {
    for (const path of ['/healthz', '/api/whatsapp/accounts', '/nowhere']) {
      const { headers } = await gateway.call('GET', path, { key: tenant.key })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('server')).toBeNull()
      expect(headers.get('x-powered-by')).toBeNull()
    }
  })

  test('that deletes may say JSON and send nothing, as many clients do', async () => {
    const path = `/api/admin/tenants/${tenant.id}/api-keys`
    const made = await gateway.call('POST', path, { key: operatorKey, body: { name: 'x' } })

    const answer = await gateway.call('DELETE', `${path}/${made.json.id}`, {
      key: operatorKey,
      headers: { 'content-type': 'application/json' },
    })

    expect(answer.status).toBe(204)
  })

  test('that may start with a byte order mark is read', async () => {
    const answer = await gateway.call('POST', '/api/admin/tenants', {
      key: operatorKey,
      rawBody: '\ufeff{"name":"Marked"}',
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
    expect(answer.status).toBe(201)
  })

  test('leaves one line in the log, with the route and without what was in it', async () => {
    const marker = 'conv_0123456789abcdef0123456789abcdef'
    const answer = await gateway.call('GET', `/api/whatsapp/conversations/${marker}`, {
      key: tenant.key,
    })

    const lines = gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes(answer.headers.get('x-request-id') ?? 'none'))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      method: 'GET',
      route: '/api/whatsapp/conversations/:id',
      statusCode: 404,
    })
    expectNone(gateway.logText(), marker)
  })
})

describe('a body that does not come', () => {
  test('is waited for no longer than half a minute, and said so', async () => {
    const clock = createManualClock()
    const app = createHttpServer({ ...gateway.runtime, clock })
    app.post('/slow', async () => 'never')
    await app.listen({ host: '127.0.0.1', port: 0 })
    afterFile(() => app.close())
    const { port } = app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const answer = text(socket)
    const head = 'POST /slow HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
    socket.write(`${head}Content-Length: 100\r\n\r\n{"a":`)
    while (clock.timers() === 0) await settled()

    clock.advance(29_000)
    expect(socket.destroyed).toBe(false)
    clock.advance(1_000)
    expect(await answer).toMatch(/^HTTP\/1.1 408 .*"REQUEST_TIMEOUT"/s)
  })
})
