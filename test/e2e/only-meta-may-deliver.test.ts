// The door: who may hand in a webhook, how large it may be, and how Meta proves the address at first.
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { webhookBodyLimit } from '../../src/inbox/routes.ts'
import { expectNone } from '../support/canaries.ts'
import {
  countRows,
  signatureOf,
  startTestGateway,
  type TestGateway,
  tenantANumber,
  testSecrets,
} from '../support/gateway.ts'
import { fixture, payload, textMessage } from '../support/payloads.ts'
import { eventOf, wamidsOf } from '../support/rows.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway({
    environment: { META_APP_SECRET: `${testSecrets.META_APP_SECRET},the-secret-before-this-one` },
  })
  await gateway.createTenant('Firm A', tenantANumber)
})

const countEvents = () => countRows(gateway.db, 'whatsapp_webhook_events')

/** A request whose body is written by hand; resolves with the answer even when the server stops reading. */
function post(
  headers: Record<string, string | string[]>,
  write: (chunk: (data: Buffer) => void) => void,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    let answered = false
    const sent = request(`${gateway.url}/webhooks/whatsapp`, { method: 'POST', headers })
    sent.on('response', (response: IncomingMessage) => {
      answered = true
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (data) => {
        text += data
      })
      response.on('end', () => {
        sent.destroy()
        resolve({ status: response.statusCode ?? 0, text })
      })
    })
    sent.on('error', (error) => answered || reject(error))
    sent.flushHeaders()
    write((data) => sent.write(data))
  })
}

describe('a delivery that Meta did not sign', () => {
  const raw = fixture('001-msg-text.json')
  const right = signatureOf(raw)
  const sha1 = 'sha1=d3a9fdc6a4a44786186d1dcdb892d6f08cd64acf'

  test.each<[string, Record<string, string>]>([
    ['no signature', {}],
    ['an empty one', { 'x-hub-signature-256': '' }],
    ['one with another secret', { 'x-hub-signature-256': signatureOf(raw, 'not-the-secret') }],
    ['one over other bytes', { 'x-hub-signature-256': signatureOf(Buffer.concat([raw, raw])) }],
    [
      'one over the same JSON, written differently',
      {
        'x-hub-signature-256': signatureOf(
          Buffer.from(JSON.stringify(JSON.parse(raw.toString()), null, 1)),
        ),
      },
    ],
    [
      'one over the same text, with a byte order mark',
      { 'x-hub-signature-256': signatureOf(Buffer.concat([Buffer.from('\ufeff'), raw])) },
    ],
    [
      'one over the same text, escaped',
      { 'x-hub-signature-256': signatureOf(Buffer.from(raw.toString().replace('e', '\\u0065'))) },
    ],
    ['one in upper case', { 'x-hub-signature-256': `sha256=${right.slice(7).toUpperCase()}` }],
    ['one without its prefix', { 'x-hub-signature-256': right.slice(7) }],
    ['one that is too short', { 'x-hub-signature-256': right.slice(0, -1) }],
    ['one that is too long', { 'x-hub-signature-256': `${right}0` }],
    ['one that is not hexadecimal', { 'x-hub-signature-256': `sha256=${'z'.repeat(64)}` }],
    ['a SHA-1 one in its place', { 'x-hub-signature-256': sha1 }],
    ['only the old SHA-1 header', { 'x-hub-signature': sha1 }],
  ])('%s: 401, and nothing is stored', async (_name, headers) => {
    const before = await countEvents()

    const answer = await gateway.deliver(raw, headers)

    expect(answer.status).toBe(401)
    expect(answer.json.error).toMatchObject({ code: 'INVALID_SIGNATURE' })
    expect(answer.json.error.request_id).toBeTruthy()
    expect(await countEvents()).toBe(before)
  })

  test('two signature headers, one of them right: 401', async () => {
    const answer = await post(
      { 'x-hub-signature-256': [right, right], 'content-length': String(raw.length) },
      (write) => write(raw),
    )

    expect(answer.status).toBe(401)
    expect(await countEvents()).toBe(0)
  })

  test('it is counted and logged, without a word of what it said', async () => {
    expect(gateway.logText()).toContain('"webhook_rejected"')
    expect(gateway.logText()).toContain('"error_code":"INVALID_SIGNATURE"')
    expectNone(gateway.logText(), 'is the blue planter still in stock?')
    const metrics = await gateway.runtime.metrics.webhookRequests.get()
    const refused = metrics.values.find((it) => it.labels.outcome === 'bad_signature')
    expect(refused?.value).toBe(15)
  })

  test('what cannot be a signature is refused before the body comes', async () => {
    const answer = await post(
      { 'x-hub-signature-256': 'sha256=short', 'content-length': '1000' },
      () => undefined,
    )

    expect(answer.status).toBe(401)
  })

  test('a body that is longer than its announced length is not the one that was signed', async () => {
    const before = await countEvents()

    const answer = await post(
      { 'x-hub-signature-256': right, 'content-length': String(raw.length - 1) },
      (write) => write(raw),
    )

    expect(answer.status).toBe(401)
    expect(await countEvents()).toBe(before)
  })
})

describe('a delivery that Meta signed', () => {
  test('with the older of two secrets is accepted', async () => {
    const raw = Buffer.from(JSON.stringify(payload({ messages: [textMessage('older', 'x')] })))

    const answer = await gateway.deliver(raw, {
      'x-hub-signature-256': signatureOf(raw, 'the-secret-before-this-one'),
    })

    expect(answer.status).toBe(200)
    await eventOf(gateway.db, raw)
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'no-type-at-all',
    '/',
    '',
  ])('is bytes, whatever type it claims: "%s"', async (type) => {
    const raw = Buffer.from(JSON.stringify(payload({ messages: [textMessage(type || '-', 'x')] })))

    const answer = await gateway.deliver(raw, {
      'content-type': type,
      'x-hub-signature-256': signatureOf(raw),
    })

    expect(answer.status).toBe(200)
    await eventOf(gateway.db, raw)
  })

  test('with a content encoding is refused with 415: what was signed is not what would be stored', async () => {
    const raw = fixture('002-msg-text-unicode.json')
    const before = await countEvents()

    const answer = await gateway.deliver(raw, {
      'content-encoding': 'gzip',
      'x-hub-signature-256': signatureOf(raw),
    })

    expect(answer.status).toBe(415)
    expect(answer.json.error.code).toBe('UNSUPPORTED_ENCODING')
    expect(await countEvents()).toBe(before)
  })

  test('in chunks, of no announced length, is accepted', async () => {
    const raw = Buffer.from(JSON.stringify(payload({ messages: [textMessage('chunks', 'x')] })))

    const answer = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'x-hub-signature-256': signatureOf(raw), 'transfer-encoding': 'chunked' }
      const sent = request(`${gateway.url}/webhooks/whatsapp`, { method: 'POST', headers })
      sent.on('response', (response) => resolve(response.resume().statusCode))
      sent.on('error', reject)
      for (const byte of raw.subarray(0, 9)) sent.write(Buffer.of(byte))
      sent.end(raw.subarray(9))
    })

    expect(answer).toBe(200)
    await eventOf(gateway.db, raw)
  })

  test('at both addresses is the same delivery', async () => {
    const raw = fixture('003-msg-text-reply-context.json')
    const before = await countEvents()

    const first = await gateway.deliver(raw)
    const second = await post(
      { 'x-hub-signature-256': signatureOf(raw), 'content-length': String(raw.length) },
      (write) => write(raw),
    )

    expect([first.status, second.status]).toEqual([200, 200])
    expect(await countEvents()).toBe(before + 1)
  })
})

describe('how large a delivery may be', () => {
  /** A payload of exactly this many bytes: JSON may end in spaces. */
  const ofSize = (bytes: number, id: string) => {
    const body = Buffer.from(JSON.stringify(payload({ messages: [textMessage(id, 'x')] })))
    return Buffer.concat([body, Buffer.alloc(bytes - body.length, ' ')])
  }

  test('exactly 4 MiB is stored and processed', async () => {
    const raw = ofSize(webhookBodyLimit, 'wamid.at-the-limit')

    const answer = await gateway.deliver(raw)
    await gateway.drain()

    expect(answer.status).toBe(200)
    expect(await wamidsOf(gateway.db)).toContain('wamid.at-the-limit')
  })

  test('one byte more is refused by its content-length, before it is read', async () => {
    const raw = ofSize(webhookBodyLimit + 1, 'wamid.over-the-limit')
    const before = await countEvents()

    const answer = await post(
      { 'x-hub-signature-256': signatureOf(raw), 'content-length': String(raw.length) },
      () => undefined,
    )

    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text).error.code).toBe('PAYLOAD_TOO_LARGE')
    expect(await countEvents()).toBe(before)
  })

  test('one byte more is refused also when no length was announced', async () => {
    const raw = ofSize(webhookBodyLimit + 1, 'wamid.over-the-limit')
    const before = await countEvents()

    const answer = await post(
      { 'x-hub-signature-256': signatureOf(raw), 'transfer-encoding': 'chunked' },
      (write) => {
        for (let start = 0; start < raw.length; start += 65_536) {
          write(raw.subarray(start, start + 65_536))
        }
      },
    )

    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text).error.code).toBe('PAYLOAD_TOO_LARGE')
    expect(await countEvents()).toBe(before)
  })
})

describe('the handshake', () => {
  const token = testSecrets.META_VERIFY_TOKEN
  const handshake = (query: string) =>
    gateway.call('GET', `/api/webhooks/meta/whatsapp?${new URLSearchParams(query)}`)

  test.each([
    ['as Meta sends it', 'hub.mode=subscribe&', '1158201444'],
    ['without a mode', '', '1158201444'],
    ['of any plain text', 'hub.mode=subscribe&', 'a.b c_/+='],
  ])(
    'with the right token is answered with the bare challenge, %s',
    async (_name, mode, challenge) => {
      const answer = await handshake(
        `${mode}hub.verify_token=${token}&hub.challenge=${encodeURIComponent(challenge)}`,
      )

      expect(answer.status).toBe(200)
      expect(answer.text).toBe(challenge)
      expect(answer.headers.get('content-type')).toContain('text/plain')
    },
  )

  test.each([
    ['a wrong token', 'hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1'],
    ['no token', 'hub.mode=subscribe&hub.challenge=1'],
    ['an empty token', 'hub.mode=subscribe&hub.verify_token=&hub.challenge=1'],
    ['a longer token', `hub.mode=subscribe&hub.verify_token=${token}x&hub.challenge=1`],
    [
      'the token twice',
      `hub.mode=subscribe&hub.verify_token=${token}&hub.verify_token=${token}&hub.challenge=1`,
    ],
    [
      'the token as an array',
      `hub.mode=subscribe&hub.verify_token[]=${token}&hub.verify_token[]=x&hub.challenge=1`,
    ],
    ['another mode', `hub.mode=unsubscribe&hub.verify_token=${token}&hub.challenge=1`],
    ['nothing at all', ''],
  ])('with %s is answered 403', async (_name, query) => {
    const answer = await handshake(query)

    expect(answer.status).toBe(403)
    expectNone(answer.text, token)
  })

  test('that was refused is counted and logged, without the token', async () => {
    const { values } = await gateway.runtime.metrics.webhookRequests.get()
    expect(values.find(({ labels }) => labels.outcome === 'bad_token')?.value).toBe(8)
    expect(gateway.logText()).toContain('"error_code":"VERIFICATION_FAILED"')
    expectNone(gateway.logText(), token)
  })

  test.each([
    ['no challenge', ''],
    ['an empty challenge', '&hub.challenge='],
    ['two challenges', '&hub.challenge=1&hub.challenge=2'],
    ['a challenge that is a page', '&hub.challenge=<script>alert(1)</script>'],
  ])('with %s is answered 400 and echoes nothing', async (_name, rest) => {
    const answer = await handshake(`hub.mode=subscribe&hub.verify_token=${token}${rest}`)

    expect(answer.status).toBe(400)
    expect(answer.text).not.toContain('<script')
  })

  test('is refused when no token is configured, also with an empty one', async () => {
    const bare = await startTestGateway({ environment: { META_VERIFY_TOKEN: '' } })

    const answer = await bare.call(
      'GET',
      '/webhooks/whatsapp?hub.mode=subscribe&hub.verify_token=&hub.challenge=1',
    )

    expect(answer.status).toBe(403)
  })
})
