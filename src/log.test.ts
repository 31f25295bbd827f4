import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createLog,
  errorFields,
  hashForLog,
  type Log,
  type LogFields,
  logHashKey,
  scrub,
} from './log.ts'
import { type Clock, systemClock } from './time-and-chance.ts'

const hashKey = logHashKey(Buffer.alloc(32, 7))
const clock: Clock = { ...systemClock, now: () => new Date('2030-01-02T03:04:05.678Z') }

const phone = '16505550143'
const base64Of = (text: string) => Buffer.from(text).toString('base64').replace(/=+$/, '')
/** The characters that only the phone number decides, for each of the three places it can begin at. */
const phoneInBase64 = [
  base64Of(phone).slice(0, 14),
  base64Of(`x${phone}`).slice(2, 15),
  base64Of(`xx${phone}`).slice(3, 17),
]
const wamid = `wamid.${base64Of(`\x1c\x18\x0b${phone}\x15\x02\x00\x11\x18\x12`)}==`
const name = 'Marisol Quintanilla'
const body = 'Your parcel waits at locker nine'
const token = 'EAAGm0PX4ZCpsBAKZC7fictionalT0ken9qZd'
const secret = '0f1e2d3c4b5a69788796a5b4c3d2e1f0'
const key = 'est_Yx3kQ81mZp07VtRb52Lw'
const canaries = [phone, ...phoneInBase64, wamid, name, body, token, secret, key]

/** Also what is left when a canary was masked only in part. */
const traces = [...canaries, 'Marisol', 'Quintanilla', 'parcel', 'locker', '5550143', '555 0143']

const everyField: Record<keyof LogFields, true> = {
  eventId: true,
  alert_id: true,
  tenant_id: true,
  account_id: true,
  message_id: true,
  media_id: true,
  conversation_id: true,
  dead_letter_id: true,
  endpoint_id: true,
  correlation_id: true,
  request_id: true,
  phone_number_id: true,
  waba_id: true,
  wamid: true,
  contact: true,
  inbound_event_id: true,
  direction: true,
  event_type: true,
  statusCode: true,
  provider_code: true,
  error_code: true,
  error_message: true,
  stack: true,
  attempts: true,
  duration_ms: true,
  delay_ms: true,
  count: true,
  batch_size: true,
  applied: true,
  duplicates: true,
  ignored: true,
  dead: true,
  path: true,
  kind: true,
  field: true,
  bytes: true,
  method: true,
  route: true,
  url: true,
  port: true,
  pid: true,
  version: true,
  role: true,
  reason: true,
  queue: true,
  state: true,
  name: true,
  signal: true,
}

function capture(level = 'debug'): { log: Log; text: () => string; lines: () => unknown[] } {
  let text = ''
  const destination = {
    write(line: string) {
      text += line
    },
  }
  const lines = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  return { log: createLog({ level, hashKey, clock, destination }), text: () => text, lines }
}

function expectNoTrace(text: string): void {
  for (const trace of traces) expect(text).not.toContain(trace)
}

describe('a line', () => {
  test('has its level as a word, the time of the clock, the event and the fields', () => {
    const { log, text } = capture()

    log.info('webhook_received', {
      tenant_id: '0197d3a0-0000-7000-8000-000000000001',
      phone_number_id: '106540352242922',
      direction: 'inbound',
      statusCode: 200,
      wamid: undefined,
      duration_ms: 1.5,
    })

    expect(text()).toBe(
      '{"level":"info","timestamp":"2030-01-02T03:04:05.678Z","event":"webhook_received",' +
        '"tenant_id":"0197d3a0-0000-7000-8000-000000000001","phone_number_id":"106540352242922",' +
        '"direction":"inbound","statusCode":200,"duration_ms":1.5}\n',
    )
  })

  test('keeps what has the form of its field', () => {
    const fields: LogFields = {
      eventId: 'evt_01JZ8Q4W8V7T2Y3K5M',
      message_id: 'msg_01JZ8Q4W8V7T2Y3K5M',
      request_id: 'req-1a',
      event_type: 'status_update',
      provider_code: 131_047,
      error_code: 'ECONNREFUSED',
      attempts: 3,
      method: 'POST',
      route: '/api/whatsapp/messages/:id',
      url: 'http://127.0.0.1:18080/console',
      port: 18_080,
      version: '0.1.0',
      role: 'api,worker',
      path: 'entry[0].changes[12].value.messages[3]',
      reason: 'bad_signature',
      kind: 'unroutable',
      field: 'message_template_status_update',
      queue: 'outbox',
      name: '0001_init.sql',
      signal: 'SIGTERM',
    }
    const { log, lines } = capture()
    log.warn('circuit_opened', fields)
    expect(lines()).toEqual([expect.objectContaining(fields)])
  })

  test.each([
    'PG_22P02',
    'whatsapp_permanent_error',
    'FST_ERR_CTP_BODY_TOO_LARGE',
    'E2BIG',
    '131047',
  ])('%s is an error code', (code) => {
    const { log, lines } = capture()
    log.warn('outbound_send', { error_code: code })
    expect(lines()).toEqual([expect.objectContaining({ error_code: code })])
  })

  test('is not written below the level', () => {
    const { log, text } = capture('warn')
    log.info('webhook_received')
    expect(text()).toBe('')
  })

  test("a child's fields stand in every line, and a line's own win", () => {
    const { log, lines } = capture()
    log.child({ queue: 'inbox', count: 1 }).child({ state: 'open' }).info('started', { count: 2 })
    expect(lines()).toEqual([expect.objectContaining({ queue: 'inbox', state: 'open', count: 2 })])
  })
})

describe('hashes', () => {
  test('are keyed and stable, so that trace can look them up', () => {
    const { log, lines } = capture()
    log.info('outbound_send', { wamid, contact: phone })

    expect(lines()).toEqual([
      expect.objectContaining({
        wamid: hashForLog(hashKey, wamid),
        contact: hashForLog(hashKey, phone),
      }),
    ])
    expect(hashForLog(hashKey, phone)).toBe('h_43af68742342fa47')
    expect(hashForLog(logHashKey(Buffer.alloc(32, 8)), phone)).not.toBe('h_43af68742342fa47')
  })

  test.each([
    [wamid, hashForLog(hashKey, wamid)],
    [`${wamid}:read`, `${hashForLog(hashKey, wamid)}:read`],
    [`${wamid}:read:${phone}`, `${hashForLog(hashKey, wamid)}:read:${hashForLog(hashKey, phone)}`],
    [`${wamid}:${phone}`, hashForLog(hashKey, `${wamid}:${phone}`)],
    ['ab'.repeat(32), 'ab'.repeat(32)],
  ])('inbound_event_id %#', (value, written) => {
    const { log, lines } = capture()
    log.info('inbound_processing_started', { inbound_event_id: value })
    expect(lines()).toEqual([expect.objectContaining({ inbound_event_id: written })])
  })
})

describe('nothing personal and no secret is written', () => {
  // These two hold Meta's ids of the business's own numbers, which are digits like a phone number's.
  const metaIds = ['phone_number_id', 'waba_id']
  const fieldNames = Object.keys(everyField).filter(
    (field) => !metaIds.includes(field),
  ) as (keyof LogFields)[]

  test.each(fieldNames)('in %s', (field) => {
    const { log, text } = capture()
    for (const canary of canaries) {
      // Free text is the one thing a scrubber cannot know; in an error's text it stands between quotes.
      const isFreeText = field === 'error_message' && (canary === name || canary === body)
      const values = [isFreeText ? `"${canary}"` : canary, [canary], { canary }, Number(phone)]
      for (const value of values) {
        log.error('dead_lettered', { [field]: value } as LogFields)
        log.child({ [field]: value } as LogFields).info('dead_lettered')
      }
    }
    expectNoTrace(text())
  })

  test('in a field nobody allowed, or in the name of the event', () => {
    const { log, text, lines } = capture()
    for (const canary of canaries) {
      log.info(canary as 'started')
      log.info('started', { text: canary, err: new Error(canary), toString: canary } as LogFields)
      log.info('started', JSON.parse(`{"__proto__":{"reason":"${canary}"},"${canary}":1}`))
    }
    expectNoTrace(text())
    expect(Object.keys(lines()[1] as object)).toEqual(['level', 'timestamp', 'event'])
  })

  const wrap = (message: string, extra: object = {}) => Object.assign(new Error(message), extra)
  const thrownBy = (run: () => unknown) => {
    try {
      return run()
    } catch (error) {
      return error
    }
  }
  const kinds: Record<string, (canary: string) => unknown> = {
    'an Error': (it) => wrap(`cannot use "${it}" here`),
    'an Error with single quotes': (it) => wrap(`cannot use '${it}', it isn't right`),
    'an Error with half a quotation': (it) => wrap(`cannot use "${it}`),
    'an Error with nested quotes': (it) => wrap(`input "he said "${it}" twice"`),
    'an Error in another language': (it) => wrap(`Syntaxfehler bei »${it}«, „${it}“`),
    'a Postgres error': (it) =>
      wrap(`invalid input syntax for type uuid: "${it}"`, {
        severity: 'ERROR',
        code: '22P02',
        detail: `Failing row contains (${it}).`,
        where: `unnamed portal parameter $1 = '${it}'`,
      }),
    'a JSON error': (it) => thrownBy(() => JSON.parse(it)),
    'a longer JSON error': (it) => thrownBy(() => JSON.parse(`{"text":"x" ${it}}`)),
    'a URL error': (it) => thrownBy(() => new URL(it)),
    'a system error': (it) => wrap('connect', { code: 'ECONNREFUSED', address: it, path: it }),
    'a cause': (it) => new Error('sending failed', { cause: wrap(`got "${it}"`) }),
    'several errors': (it) => new AggregateError([wrap(`got "${it}"`)], `all of "${it}"`),
    'a strange code': (it) => wrap('failed', { code: it }),
    'a strange name': (it) => wrap('failed', { name: it }),
    'a false stack': (it) => wrap(`"${it}\n    at ${it.replaceAll(' ', '')} (/x/y.ts:1:1)"`),
    'a message changed later': (it) => Object.assign(wrap(`"${it}"`), { message: 'changed' }),
    'a thrown string': (it) => it,
    'a thrown object': (it) => ({ message: it }),
  }

  test.each(Object.keys(kinds))('of %s', (kind) => {
    const { log, text } = capture()
    for (const canary of canaries) {
      log.error('dead_lettered', errorFields(kinds[kind]?.(canary)))
    }
    expectNoTrace(text())
  })
})

describe('errors', () => {
  test('Postgres gives its state and its message', () => {
    const error = Object.assign(new Error('deadlock detected'), {
      severity: 'ERROR',
      code: '40P01',
      detail: 'Process 12 waits',
    })
    expect(errorFields(error)).toMatchObject({
      error_code: 'PG_40P01',
      error_message: 'deadlock detected',
    })
  })

  test('the code is found in the cause, as fetch hides it', () => {
    const cause = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), {
      code: 'ECONNREFUSED',
    })
    expect(errorFields(new TypeError('fetch failed', { cause }))).toMatchObject({
      error_code: 'ECONNREFUSED',
      error_message: 'fetch failed: connect ECONNREFUSED 127.0.0.1:5432',
    })
  })

  test('others give their name', () => {
    expect(errorFields(new RangeError('too far'))).toMatchObject({
      error_code: 'RangeError',
      error_message: 'too far',
    })
    expect(errorFields(undefined)).toMatchObject({ error_code: 'NOT_AN_ERROR' })
  })

  test('the stack is file names and lines, and only at level error', () => {
    const { log, lines } = capture()
    const fields = errorFields(new Error('on\ntwo lines'))
    log.warn('dead_lettered', fields)
    log.error('dead_lettered', fields)

    const [warn, error] = lines() as { stack?: string[] }[]
    expect(warn).not.toHaveProperty('stack')
    expect(error?.stack?.[0]).toMatch(/^\S+ log\.test\.ts:\d+$/)
    expect(error?.stack?.length).toBeLessThanOrEqual(8)
  })
})

describe('scrub', () => {
  test.each([
    ['call +1 (650) 555-0143 now', 'call *** now'],
    ['call 650.555.0143 now', 'call *** now'],
    ['call ٠١٢٣٤٥٦٧٨ now', 'call *** now'],
    ['id 12345 and 1234', 'id *** and 1234'],
    [`part ${base64Of(phone)} end`, 'part *** end'],
    ['mail ana@example.test end', 'mail *** end'],
    ['Authorization: Bearer abc', 'Authorization: *** ***'],
    ['used est_abc and wamid.abc= end', 'used *** and *** end'],
    ['password=hunter2 end', 'password=*** end'],
    ['at postgres://ana:p@w@db.example.test/x', 'at ***@db.example.test/x'],
    ['GET https://example.test/a?b=c failed', 'GET https://example.test/a?*** failed'],
    ["the tenants' row isn't there", "the tenants' row isn't there"],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
  ])('%s', (text, scrubbed) => {
    expect(scrub(text)).toBe(scrubbed)
  })

  test('is at most 300 characters long, and quick on a long text', () => {
    expect(scrub('ab '.repeat(1_000_000)).length).toBe(300)
    expect(scrub('a'.repeat(1_000_000))).toBe('')
  })

  test('masks a phone number wherever it stands, in plain and in base64', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[1-9]\d{9,13}$/), fc.string(), fc.string(), (it, a, b) => {
        expect(scrub(`${a} ${it} ${b}`)).not.toContain(it)
        for (const pad of ['', 'x', 'xx']) {
          const encoded = base64Of(`${pad}${it}`)
          expect(scrub(`${a} ${encoded} ${b}`)).not.toContain(encoded)
        }
      }),
    )
  })
})
