import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Db, sql } from '../../src/db/connect.ts'
import { startListener } from '../support/alerting.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { runCommand } from '../support/commands.ts'
import { createTestDatabase, createTestDb } from '../support/database.ts'
import { startTestGateway, tenantANumber, testSecrets } from '../support/gateway.ts'
import { type Ran, runProgram } from '../support/program.ts'

let environment: Record<string, string>
let database: { url: string; db: Db }

beforeAll(async () => {
  database = await createTestDb()
  environment = { ...testSecrets, DATABASE_URL: database.url }
})

const run = (args: string[], input?: string) => runCommand(args, environment, input)

/** Runs what must succeed and print JSON alone. */
async function json(args: string[], input?: string) {
  const { code, stdout, stderr } = await run([...args, '--json'], input)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

function expectRefusal({ code, stdout, stderr }: Ran, exitCode: number, sentence: string): void {
  expect(code).toBe(exitCode)
  expect(stdout).toBe('')
  expect(stderr).toContain(sentence)
  expect(stderr).not.toMatch(/^ {4}at /m)
}

describe('the command line', () => {
  test('makes a tenant, connects its number and gives it a key that works', async () => {
    const accessToken = canary('access token').text
    const tenant = await json(['tenant', 'create', 'Firm A', '--slug', 'firm-a'])
    expect(tenant).toMatchObject({ name: 'Firm A', slug: 'firm-a', status: 'active' })

    const account = await json(
      [
        ...['account', 'connect', 'firm-a', '--waba-id', tenantANumber.waba_id],
        ...['--phone-number-id', tenantANumber.phone_number_id],
        ...['--display-phone-number', '+1 555-0100', '--access-token', '-'],
      ],
      `${accessToken}\n`,
    )
    expect(account).toMatchObject({ id: expect.stringMatching(/^acc_/), ...tenantANumber })
    expectNone(JSON.stringify(account), accessToken)
    const [row] = await database.db.query(
      sql<{ access_token: string }>`select access_token from whatsapp_accounts`,
    )
    expectNone(row?.access_token, accessToken)

    const { key } = await json(['key', 'create', tenant.id, '--name', 'ours'])
    const gateway = await startTestGateway({ database })
    const accounts = await gateway.call('GET', '/api/whatsapp/accounts', { key })
    expect(accounts.json.data).toMatchObject([account])

    expect(await json(['tenant', 'list'])).toEqual({ data: [tenant], paging: { next: null } })
    const listed = await run(['tenant', 'list'])
    expect(listed.stdout).toContain(`${tenant.id}  active  firm-a  Firm A`)
    expect(await json(['health'])).toMatchObject({
      status: 'ok',
      webhook_events_pending_count: 0,
      tenants: [{ tenant_id: tenant.id, dlq_count: 0 }],
    })
    expect((await run(['health'])).stdout).toContain('webhooks waiting   0')
  })

  test('says which encryption keys are still needed, and shows none', async () => {
    const newKey = Buffer.alloc(32, 9).toString('base64')
    const rolled = {
      ...environment,
      ENCRYPTION_KEYS: `k2:${newKey},${environment.ENCRYPTION_KEYS}`,
    }
    const keys = (keyRing: Record<string, string>, ...args: string[]) =>
      runCommand(['keys', ...args], keyRing)

    const [text, listed, missing] = await Promise.all([
      keys(rolled),
      keys(rolled, '--json'),
      keys({ ...environment, ENCRYPTION_KEYS: `k2:${newKey}` }),
    ])

    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(
      /^KEY {2}STATE {4}SEALED\nk2 {3}current {2}0 .+\nk1 {3}old {6}\d+ .+still needed/,
    )
    expect(JSON.parse(listed.stdout)).toMatchObject({
      data: [
        { id: 'k2', state: 'current', sealed: 0 },
        { id: 'k1', state: 'old' },
      ],
      paging: { next: null },
    })
    expect(missing.code).toBe(1)
    expect(missing.stdout).toContain('not in ENCRYPTION_KEYS')
    expectNone(text.stdout + listed.stdout + missing.stdout, newKey)
  })

  test('makes an alert channel, calls it, lists it without its target and removes it', async () => {
    const ears = await startListener()
    const secretPart = canary('part of an address').text
    const target = `${ears.url}/${secretPart}`
    const privately = { ...environment, ALLOW_PRIVATE_TARGETS: '1' }
    const alertChannel = (...args: string[]) => runCommand(['alert-channel', ...args], privately)

    const made = await alertChannel('create', '--kind', 'webhook', '--target', target, '--json')
    const { id, secret } = JSON.parse(made.stdout)
    expect(secret).toMatch(/^whsec_/)
    expect(await alertChannel('test', id)).toMatchObject({
      code: 0,
      stdout: 'It was taken (200): ok\n',
    })
    expect(ears.heard()).toEqual(['test test'])
    const listed = await alertChannel('list', '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [{ id }], paging: { next: null } })
    expectNone(made.stdout + listed.stdout, secretPart)
    expect(await alertChannel('remove', id)).toMatchObject({ code: 0, stderr: '' })
    expect(await database.db.query(sql`select from alert_channels`)).toEqual([])
  })

  test('makes an event endpoint, and everything that can be done with one', async () => {
    const firm = await json(['tenant', 'create', 'Told', '--slug', 'told'])
    const command = (verb: string, ...more: string[]) => ['event-endpoint', verb, 'told', ...more]
    const url = 'https://app.example/events'
    const made = await json(command('create', '--url', url, '--events', 'message.received'))
    expect(made).toMatchObject({ url, events: ['message.received'], status: 'active' })
    expect(made.secret).toMatch(/^whsec_/)
    const { id } = made

    expect((await run(command('pause', id))).stdout).toBe(`Endpoint ${id} is paused.\n`)
    const replay = command('replay', id, '--from', '2020-01-01T00:00:00Z')
    const [refused, listed, page, rotated, deliveries, replayed] = await Promise.all([
      run(command('test', id)),
      run(command('list')),
      json(command('list')),
      json(command('rotate-secret', id, '--overlap-hours', '1')),
      run(command('deliveries', id)),
      json(replay),
    ])
    expect(refused.stderr).toContain('The endpoint is paused')
    expect(listed.stdout).toContain(`${id}  paused  0        ${url}  message.received`)
    expect(page).toMatchObject({ data: [{ id, url }], paging: { next: null } })
    expect(rotated.secret).not.toBe(made.secret)
    expect(deliveries.stdout).toContain('Nothing was to be delivered there yet.')
    expect(replayed).toEqual({ replayed: 0, has_more: false, next: null })
    expect(await json(command('delete', id))).toEqual({ deleted: id })

    const acts = await json(['audit', 'list', '--tenant', firm.id])
    expect(acts.data.every((act: { actor: string }) => act.actor === 'cli')).toBe(true)
  })

  test.each([
    [['key', 'create', 'nobody'], 1, 'There is no such tenant.'],
    [['key', 'create', '01890000-0000-7000-8000-000000000000'], 1, 'There is no such tenant.'],
    [['tenant', 'create', ''], 2, '<name> needs a value.'],
    [['tenant', 'create', 'Firm', '--slug', 'Not A Slug'], 2, '--slug: lower-case'],
    [['alert-channel', 'create', '--kind', 'x', '--target', 'y'], 2, '--kind needs one of slack'],
    [['account', 'connect', 'firm-a'], 2, '--waba-id'],
    [['event-endpoint', 'create', 'firm-a', '--url', 'http://127.0.0.1/'], 2, '--url: '],
    [['nonsense'], 2, 'unknown command'],
  ])('%j is refused in one sentence', async (args, exitCode, sentence) => {
    expectRefusal(await run(args), exitCode, sentence)
  })

  // Not refused they would serve until somebody ends them.
  test.concurrent.each([
    [['simulator', '--port', 'many'], '--port'],
    [['simulator', '--scenario', 'nope'], '--scenario: nope is not one of ambiguous, calm'],
    [['simulator', '--webhook-url', 'notaurl'], '--webhook-url'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    expectRefusal(await runProgram(args, environment), 2, sentence)
  })

  test('a database without a schema is told from a broken one, and migrate gives it one', async () => {
    environment = { ...environment, DATABASE_URL: await createTestDatabase(null) }

    expect((await run(['tenant', 'list'])).stderr).toContain('Run: estafet migrate')
    expect((await run(['migrate'])).stdout).toMatch(/^Applied 0001_\w+\.sql/)
    expect((await run(['migrate'])).stdout).toBe('The database is up to date.\n')
    expect((await run(['tenant', 'list'])).stdout).toContain('There are no tenants yet.')
  })

  test('config prints docs/configuration.md', async () => {
    const { stdout } = await runCommand(['config', '--markdown'], {})

    expect(stdout).toBe(
      readFileSync(new URL('../../docs/configuration.md', import.meta.url), 'utf8'),
    )
  })
})
