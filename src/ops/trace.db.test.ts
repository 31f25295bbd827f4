import { beforeAll, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../../test/support/canaries.ts'
import { runCommand } from '../../test/support/commands.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  tenantBNumber,
  testSecrets,
} from '../../test/support/gateway.ts'
import { fixture, payload, statusUpdate, textMessage } from '../../test/support/payloads.ts'
import { sql } from '../db/connect.ts'
import { hashForLog, logHashKey } from '../log.ts'
import { type Trace, traceLife } from './trace.ts'

const oldKey = Buffer.alloc(32, 3)
const ring = {
  ENCRYPTION_KEYS: `${testSecrets.ENCRYPTION_KEYS},k0:${oldKey.toString('base64')}`,
}
let gateway: TestGateway
let tenant: TestTenant

beforeAll(async () => {
  gateway = await startTestGateway({ environment: ring })
  tenant = await gateway.createTenant('Firm A', tenantANumber)
})

const keys = () => gateway.runtime.config.encryptionKeys.map(({ key }) => logHashKey(key))
const trace = (asked: string): Promise<Trace> => traceLife(gateway.runtime.db.api, asked, keys())
const admin = (method: string, path: string, body?: unknown) =>
  gateway.call(method, `/api/admin/whatsapp${path}`, {
    key: operatorKey,
    ...(body !== undefined && { body }),
  })
const steps = ({ life }: Trace) => life.map((moment) => moment.what)

describe('the life of a message', () => {
  const wamid = 'wamid.life'
  const secret = canary('text of a message').text

  beforeAll(async () => {
    const sent = { ...textMessage(wamid, secret), to: '16505550143', from: '15550172201' }
    const body = payload({})
    await gateway.deliver({
      ...body,
      entry: [
        {
          id: tenantANumber.waba_id,
          changes: [
            {
              field: 'smb_message_echoes',
              value: { ...body.entry[0]?.changes[0]?.value, message_echoes: [sent] },
            },
          ],
        },
      ],
    })
    let fails = true
    await gateway.drain({
      beforeApply: () => {
        if (!fails) return
        fails = false
        throw Object.assign(new Error('the first attempt goes wrong'))
      },
    })
    await gateway.deliver(payload({ statuses: [statusUpdate(wamid, 'delivered')] }))
    await gateway.drain()
    const reaction = { message_id: wamid, emoji: '👍' }
    await gateway.deliver(
      payload({ messages: [textMessage('wamid.like', '', { type: 'reaction', reaction })] }),
    )
    await gateway.drain()
    await admin('POST', '/events/replay', {
      from: '2020-01-01T00:00:00Z',
      to: '2100-01-01T00:00:00Z',
      phone_number_id: tenantANumber.phone_number_id,
      reason: 'to see it in the trace',
      dry_run: false,
    })
    await gateway.drain()
  })

  test('is told in the order of time', async () => {
    const found = await trace(wamid)

    expect(found).toMatchObject({ is: 'message', name: wamid })
    const told = steps(found)
    for (const step of [
      'received',
      'attempt 1 started',
      'message recorded',
      'attempt 1 finished',
      'status delivered',
      'reaction',
      'audit: events.replayed',
      'attempt 2 started',
      'attempt 2 finished',
      'webhook done',
    ]) {
      expect(told).toContain(step)
    }
    expect(told.indexOf('received')).toBeLessThan(told.indexOf('attempt 1 started'))
    expect(told.indexOf('message recorded')).toBeLessThan(told.indexOf('status delivered'))
    const times = found.life.map((moment) => moment.at)
    expect(times).toEqual([...times].sort())
    expectNone(JSON.stringify(found), secret)
  })

  test('is found by our id, the event, the correlation id and hashes under any key', async () => {
    const { life } = await trace(wamid)
    const recorded = life.find((moment) => moment.what === 'message recorded')
    const received = life.find((moment) => moment.event_id === recorded?.event_id)

    expect((await trace(String(recorded?.details.message_id))).life).toEqual(life)
    for (const id of [recorded?.event_id, received?.details.correlation_id]) {
      const delivery = await trace(String(id))
      expect(delivery.is).toBe('delivery')
      expect(steps(delivery)).toContain('message recorded')
    }
    for (const key of [gateway.runtime.config.encryptionKeys[0]?.key ?? oldKey, oldKey]) {
      const hash = hashForLog(logHashKey(key), wamid)
      expect(await trace(hash)).toMatchObject({ is: 'message', name: wamid, life })
      expect(await trace(`${hash}:delivered`)).toMatchObject({ name: wamid })
    }
    const line = gateway
      .logText()
      .split('\n')
      .find((one) => one.includes('inbound_processing_finished'))
    const { wamid: logged } = JSON.parse(line ?? '{}')
    expect(await trace(logged)).toMatchObject({ name: wamid })
  })

  test('a contact’s hash leads to the contact’s messages', async () => {
    const hash = hashForLog(logHashKey(oldKey), '16505550143')
    const found = await trace(hash)
    expect(found).toMatchObject({ is: 'contact', conversations: [{ tenant_id: tenant.id }] })
    const [message = ''] = found.conversations[0]?.message_ids ?? []
    expect((await trace(message)).is).toBe('message')
  })

  test('a hash that nothing has says how far it looked', async () => {
    await expect(trace('h_0123456789abcdef')).rejects.toThrow(
      /none of the last \d+ deliveries \(back to 2.*messages.*contacts.*ENCRYPTION_KEYS/,
    )
    await expect(trace('wamid.nobody')).rejects.toThrow('Nothing here is called wamid.nobody.')
    await expect(trace('00000000-0000-7000-8000-000000000000')).rejects.toThrow('Nothing here')
  })
})

describe('the life of what failed', () => {
  test('shows its dead letter, the decision and what came of it', async () => {
    const number = tenantBNumber
    await gateway.deliver(payload({ number, messages: [textMessage('wamid.lost', 'x')] }))
    await gateway.drain()
    expect(steps(await trace('wamid.lost'))).toContain('dead letter: unroutable')
    await gateway.createTenant('Firm B', number)
    const [letter] = (await admin('GET', '/dlq')).json.data
    await admin('POST', `/dlq/${letter.id}/requeue`, { reason: 'connected now' })
    await gateway.drain()

    const told = steps(await trace(letter.id))
    expect(told).toEqual(
      expect.arrayContaining([
        'dead letter: unroutable',
        'dead letter requeued',
        'audit: dead_letter.requeued',
        'message recorded',
        'webhook done',
      ]),
    )
    expect(told.indexOf('dead letter: unroutable')).toBeLessThan(told.indexOf('message recorded'))
    const message = await trace('wamid.lost')
    expect(steps(message)).toContain('dead letter requeued')
  })

  test('a notice and an attempt that nobody finished', async () => {
    await gateway.deliver(fixture('077-template-status-approved.json'))
    await gateway.drain()
    const [event] = await gateway.db.query(sql<{ id: string }>`
      select event_id as id from whatsapp_account_events limit 1`)
    await gateway.db.query(sql`
      update whatsapp_inbound_traces set finished_at = null, outcome = null where event_id = ${event?.id}`)
    const found = await trace(event?.id ?? '')
    expect(steps(found)).toContain('notice message_template_status_update')
    const attempt = found.life.find((moment) => moment.what === 'attempt 1 started')
    expect(attempt?.details.outcome).toBe('lost')
  })
})

describe('traces over HTTP', () => {
  test('by delivery and by correlation id, page by page', async () => {
    const all = (await admin('GET', '/traces?limit=200')).json.data
    expect(all.length).toBeGreaterThan(4)
    const [first] = all
    const byName = await admin(
      'GET',
      `/traces?inbound_event_id=${encodeURIComponent(first.inbound_event_id)}`,
    )
    expect(byName.json.data).toContainEqual(first)
    const byCorrelation = await admin('GET', `/traces?correlation_id=${first.correlation_id}`)
    expect(byCorrelation.json.data).toContainEqual(first)
    const paged: unknown[] = []
    let after = ''
    do {
      const page = (await admin('GET', `/traces?limit=2${after}`)).json
      paged.push(...page.data)
      after = page.paging.next === null ? '' : `&after=${page.paging.next}`
    } while (after !== '')
    expect(paged).toEqual(all)
  })

  test('operators only, and only with a cursor of ours', async () => {
    const path = '/api/admin/whatsapp/traces'
    expect((await gateway.call('GET', path, { key: tenant.key })).status).toBe(403)
    for (const text of ['x', '["2026-13-01 00:00:00+00","0190","1"]', '[]']) {
      const after = Buffer.from(text).toString('base64url')
      const answer = await admin('GET', `/traces?after=${after}`)
      expect(answer.json.error.code).toBe('INVALID_CURSOR')
    }
    const thirteenth = '["2026-13-01 00:00:00+00","019a0000-0000-7000-8000-000000000000",1]'
    const answer = await admin(
      'GET',
      `/traces?after=${Buffer.from(thirteenth).toString('base64url')}`,
    )
    expect(answer.status).toBe(400)
  })
})

describe('at the command line', () => {
  const estafet = (...args: string[]) =>
    runCommand(args, {
      ...testSecrets,
      ...ring,
      DATABASE_URL: gateway.databaseUrl,
      ALLOW_UNSAFE_DB: '1',
    })

  test('trace prints the life', async () => {
    const text = await estafet('trace', 'wamid.life')
    expect(text.stderr).toBe('')
    expect(text.stdout).toMatch(
      /receive +received[\s\S]*record +message recorded[\s\S]*status +status delivered/,
    )
    const json = JSON.parse((await estafet('trace', 'wamid.life', '--json')).stdout)
    expect(json.trace_ids).toHaveLength(1)
    expect(text.stdout).toContain(`trace ${json.trace_ids[0]}\n`)
    expect((await estafet('trace', json.trace_ids[0])).stdout).toContain('message recorded')
    expect(json).toEqual(JSON.parse(JSON.stringify(await trace('wamid.life'))))
    const unknown = await estafet('trace', 'wamid.nobody')
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('Nothing here is called wamid.nobody.')
  })

  test('replay says what it would do, and does it when told', async () => {
    const dry = await estafet('replay', '--from', '2020-01-01T00:00:00Z', '--tenant', tenant.id)
    expect(dry.stderr).toBe('')
    expect(dry.stdout).toContain('nothing was changed')
    const refused = await estafet('replay', '--from', '2020-01-01T00:00:00Z', '--apply')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('reason')
    const done = await estafet(
      ...['replay', '--from', '2020-01-01T00:00:00Z', '--tenant', tenant.id],
      ...['--apply', '--reason', 'again', '--json'],
    )
    expect(JSON.parse(done.stdout)).toMatchObject({ dry_run: false })
    expect(JSON.parse(done.stdout).replayed).toBeGreaterThan(0)
    await gateway.drain()
  })

  test('reconcile exits with 1 when something is missing, and names it', async () => {
    const whole = await estafet('reconcile')
    expect(whole.stderr).toBe('')
    expect(whole.stdout).toContain('Every number adds up')
    expect(whole.code).toBe(0)
    await gateway.db.query(sql`delete from whatsapp_message_statuses where wamid = 'wamid.life'`)
    const broken = await estafet('reconcile', '--json')
    expect(broken.code).toBe(1)
    expect(JSON.parse(broken.stdout).differences).toMatchObject([{ kind: 'statuses' }])
  })
})
