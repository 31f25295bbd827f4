// The checks that every test's gateway goes through are only worth something while they fire.
import { describe, expect, it, test } from 'vitest'
import { z } from 'zod'
import { plainOperations } from '../../src/api/plain-operations.ts'
import type { Route } from '../../src/api/route.ts'
import { createMetrics } from '../../src/metrics.ts'
import { canary, expectNone, findLeaks } from './canaries.ts'
import { createContractCheck } from './contract-check.ts'
import { checkLogLines } from './log-lines.ts'
import { checkSeries } from './metric-series.ts'

const uuid = '0197d3a0-0000-7000-8000-000000000001'
const rejected = {
  level: 'warn',
  timestamp: '2030-01-02T03:04:05.678Z',
  event: 'webhook_rejected',
  direction: 'inbound',
  statusCode: 401,
  duration_ms: 1.5,
  request_id: uuid,
  state: 'bad_signature',
  error_code: 'INVALID_SIGNATURE',
  error_message: 'It does not match.',
}
const check = (line: object) => () => checkLogLines(`${JSON.stringify(line)}\n`)

describe('the check of log lines', () => {
  test('lets a good one through, and what is no line yet', () => {
    expect(check(rejected)).not.toThrow()
    expect(() => checkLogLines('Estafet listens\n{"level":"inf')).not.toThrow()
  })

  test.each([
    ['a field that nobody decided on', { colour: 'blue' }],
    ['a level that is none', { level: 'trace' }],
    ['a time without its milliseconds', { timestamp: '2030-01-02T03:04:05Z' }],
    ['a sentence for an event', { event: 'something happened' }],
    ['a wamid as it is', { wamid: 'wamid.HBgLMTY1MDU1NTAxNDM' }],
    ['a phone number for a contact', { contact: '16505550143' }],
    ['a row’s id for a message', { message_id: uuid }],
    ['what should be there and is not', { error_code: undefined }],
    ['a stored webhook without its ids', { event: 'webhook_received', state: 'accepted' }],
  ])('refuses %s', (_what, more) => {
    expect(check({ ...rejected, ...more })).toThrow('1 lines of the log do not fit')
  })
})

describe('the check of series', () => {
  test.each([
    ['a value that is not in the list', { outcome: 'odd' }],
    ['a phone number', { outcome: '16505550143' }],
  ])('refuses %s', async (_what, labels) => {
    const metrics = createMetrics()
    await expect(checkSeries(metrics)).resolves.toBeUndefined()
    metrics.webhookRequests.inc(labels)
    await expect(checkSeries(metrics)).rejects.toThrow('estafet_webhook_requests_total{outcome=')
  })

  test('knows Meta’s codes, and what a tenant is called', async () => {
    const metrics = createMetrics()
    metrics.sends.inc({ class: 'permanent', code: '131026' })
    metrics.whole.tenantOldestSeconds.set({ tenant: uuid }, 1)
    await expect(checkSeries(metrics)).resolves.toBeUndefined()
    metrics.sends.inc({ class: 'permanent', code: '424242' })
    metrics.whole.tenantOldestSeconds.set({ tenant: 'Firm A' }, 1)
    await expect(checkSeries(metrics)).rejects.toThrow(
      'estafet_sends_total{code="424242"}, estafet_tenant_oldest_seconds{tenant="Firm A"}',
    )
  })
})

describe('the check of answers', () => {
  const operation = plainOperations.find(({ path }) => path.includes('webhooks'))
  const refusal = {
    status: 401,
    code: 'INVALID_SIGNATURE',
    message: 'It does not match.',
    id: uuid,
    header: uuid,
  }
  const answering = (changed: Partial<typeof refusal>) => () => {
    const { status, code, message, id, header } = { ...refusal, ...changed }
    const json = { error: { code, message, details: {}, request_id: id } }
    const headers = new Headers({ 'x-request-id': header })
    const answer = { status, headers, text: JSON.stringify(json), json }
    createContractCheck([])('POST', operation?.path ?? '', answer)
  }

  test('lets an error through that is declared', () => {
    expect(answering({})).not.toThrow()
  })

  test.each([
    [
      'an error that is not declared',
      { status: 404, code: 'ACCOUNT_NOT_FOUND' },
      'does not declare',
    ],
    ['a code with another status', { status: 403 }, 'is not to be answered with 403'],
    ['an error without a word', { message: '' }, 'without a word'],
    ['another request’s id', { header: 'another' }, 'the request’s id'],
  ])('refuses %s', (_what, changed, complaint) => {
    expect(answering(changed)).toThrow(complaint)
  })

  const route: Route = {
    ...{ operationId: 'things.make', method: 'POST', path: '/things/:id', summary: 'Makes one' },
    ...{ access: 'tenant', status: 201, answer: z.object({ id: z.string() }) },
    handle: async () => undefined,
  }
  const told =
    (status: number, json: unknown, text = JSON.stringify(json)) =>
    () =>
      createContractCheck([route, { ...route, path: '/nothing', status: 204 }])(
        'POST',
        status === 204 ? '/nothing' : '/things/7?more=1',
        { status, headers: new Headers(), text, json },
      )

  test('lets an answer through that is declared', () => {
    expect(told(201, { id: 'x' })).not.toThrow()
    expect(told(204, undefined, '')).not.toThrow()
  })

  test.each([
    ['another status', told(200, { id: 'x' })],
    ['a field that is not declared', told(201, { id: 'x', secret: 'y' })],
    ['one that is missing', told(201, {})],
    ['words where there is nothing to say', told(204, undefined, 'done')],
  ])('refuses %s', (_what, tell) => {
    expect(tell).toThrow()
  })
})

describe('the search for canaries', () => {
  const text = (length: number) => canary('text of a message').text.padEnd(40, 'k').slice(0, length)

  it.each([['1111'], ['wamid.for-a'], ['hello'], ['1650555'], [text(15)], ['1650555014']])(
    'refuses to look for "%s", which a random id may hold',
    (needle) => {
      expect(() => expectNone('whatever', needle)).toThrow('too short to be looked for')
      expect(() => findLeaks([{ what: 'a mark', text: needle }], 'whatever')).toThrow('too short')
    },
  )

  it('fails when there is no text, which would prove nothing', () => {
    const secret = canary('access token').text
    for (const text of [undefined, '']) {
      expect(() => expectNone(text, secret)).toThrow('there is no text to look into')
    }
  })

  it('fails when the text holds one of them', () => {
    const secret = canary('access token').text
    const number = canary('phone number').text
    expect(() => expectNone(`{"token":"${secret}"}`, number, secret)).toThrow('must not be in')
    expect(() => expectNone(`{"to":"${number}"}`, secret)).not.toThrow()
    expect(findLeaks([{ what: 'token', text: secret }], `x ${secret} x`)).toEqual([
      { what: 'token', form: 'as it is' },
      { what: 'token', form: 'percent-encoded' },
    ])
  })

  it('makes canaries that no hexadecimal, base64 or UUID text can hold', () => {
    for (let seed = 0; seed < 200; seed++) {
      expect(canary('name of a contact', seed).text).toMatch(/^canary~[g-z]{16}$/)
      expect(canary('phone number', seed).text).toMatch(/^628\d{10}$/)
    }
  })
})
