import { beforeAll, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { runCommand } from '../../test/support/commands.ts'
import {
  startTestGateway,
  type TestGateway,
  tenantANumber,
  testSecrets,
} from '../../test/support/gateway.ts'

let gateway: TestGateway

beforeAll(async () => {
  gateway = await startTestGateway()
})

const run = (...args: string[]) =>
  runCommand(args, { ...testSecrets, DATABASE_URL: gateway.databaseUrl })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

test('a tenant is shown, changed, suspended and resumed, and its keys and numbers are listed and taken away', async () => {
  const { id, key } = await gateway.createTenant('Firm A', tenantANumber)
  await gateway.createTenant('Firm \u001b[31mred')

  const environment = { ...testSecrets, DATABASE_URL: gateway.databaseUrl }
  const [painted, shown, keys, numbers] = await Promise.all([
    runCommand(['tenant', 'list'], { ...environment, FORCE_COLOR: '1' }),
    run('tenant', 'show', id),
    json('key', 'list', id),
    run('account', 'list', id),
  ])
  // The colours are ours alone: those in a name are shown, not obeyed.
  expect(painted.stdout).toContain('\u001b[1mID ')
  expect(painted.stdout).toContain('\u001b[32mactive\u001b[39m')
  expect(painted.stdout).toContain('Firm \\u001b[31mred')
  expect(shown.stdout).not.toContain('\u001b')
  expect(shown.stdout).toMatch(/^name +Firm A$/m)
  expect(numbers.stdout).toMatch(/^ID +STATE +NUMBER.*\nacc_\w+ +ok /)
  expectNone(JSON.stringify(keys), key)

  const changed = await json('tenant', 'change', id, '--max-concurrency', '8', '--reason', 'growth')
  expect(changed).toMatchObject({ max_concurrency: 8, status: 'active' })
  const back = await json('tenant', 'change', id, '--max-concurrency', 'default')
  expect(back).toMatchObject({ max_concurrency: null })
  const [nothing, wrong] = await Promise.all([
    run('tenant', 'change', id),
    run('tenant', 'change', id, '--max-queued', 'many'),
  ])
  expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('nothing to change') })
  expect(wrong).toMatchObject({ code: 2, stderr: '--max-queued needs a whole number.\n' })

  await run('tenant', 'change', id, '--name', 'Firm A\nNext: estafet evil')
  expect((await run('tenant', 'show', id)).stdout).toMatch(/^name +Firm A Next: estafet evil$/m)

  expect((await run('tenant', 'suspend', id, '--reason', 'unpaid')).stdout).toContain('suspended')
  const refused = await gateway.call('POST', '/api/whatsapp/meta/send', {
    key,
    body: { to: '+15550123', text: { body: 'hi' } },
  })
  expect(refused.json.error.code).toBe('TENANT_SUSPENDED')
  await run('tenant', 'resume', id)

  const number = tenantANumber.phone_number_id
  const gone = await json('account', 'disconnect', id, number)
  expect(gone).toEqual({ disconnected: expect.stringMatching(/^acc_/) })
  expect((await run('account', 'list', id)).stdout).toContain('has no numbers')
  const keyId = keys.data[0].id
  expect((await run('key', 'revoke', id, keyId)).stdout).toContain('revoked')
  expect((await run('key', 'list', id)).stdout).toContain('revoked')
  expect((await gateway.call('GET', '/api/whatsapp/conversations', { key })).status).toBe(401)
  const acts = await json('audit', 'list', '--tenant', id)
  expect(acts.data.map((act: { action: string }) => act.action)).toEqual(
    expect.arrayContaining(['tenant.changed', 'account.disconnected', 'api_key.revoked']),
  )
  expect(acts.data).toContainEqual(expect.objectContaining({ actor: 'cli', reason: 'unpaid' }))
})
