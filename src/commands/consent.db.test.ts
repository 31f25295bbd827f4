import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/support/commands.ts'
import { startTestGateway, type TestGateway, testSecrets } from '../../test/support/gateway.ts'
import { sql } from '../db/connect.ts'

let gateway: TestGateway
let tenantId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  const number = { waba_id: 'waba-1', phone_number_id: '77001' }
  tenantId = (await gateway.createTenant('Firm A', number)).id
})

const run = (...args: string[]) =>
  runCommand(args, { ...testSecrets, DATABASE_URL: gateway.databaseUrl })

test('a contact is suppressed, listed and lifted', async () => {
  const add = ['suppression', 'add', tenantId, '--to', '+1 650 555 0143']
  expect((await run(...add)).stderr).toContain('reason: say why')
  const added = await run(...add, '--reason', 'asked us to', '--json')
  const made = JSON.parse(added.stdout)
  expect(made).toMatchObject({ state: 'active', set_by: 'cli', contact: { wa_id: '16505550143' } })

  const listed = await run('suppression', 'list', tenantId)
  expect(listed.stdout).toMatch(new RegExp(`${made.id}  16505550143  77001   everything  operator`))
  const lift = ['suppression', 'lift', tenantId, made.id]
  const lifted = await run(...lift, '--reason', 'they called')
  expect(lifted.stdout).toContain(`${made.id} is lifted`)
  expect((await run('suppression', 'list', tenantId)).stdout).toContain('Nobody here')
  const acts = await gateway.db.query(sql`
    select action, actor, reason from audit_log where action like 'suppression.%' order by position`)
  expect(acts).toEqual([
    { action: 'suppression.made', actor: 'cli', reason: 'asked us to' },
    { action: 'suppression.lifted', actor: 'cli', reason: 'they called' },
  ])
})

test('a responder is chosen by number', async () => {
  const choose = (...more: string[]) => run('account', 'responder', tenantId, '77001', ...more)
  expect((await choose('auto_reply')).stderr).toContain('auto_reply_text: required')
  expect((await choose('parrot')).stderr).toContain('The responder needs one of ')
  const chosen = await choose('auto_reply', '--text', 'We are closed')
  expect(chosen.stdout).toContain('at most once an hour')
  const shown = JSON.parse((await choose('echo', '--json')).stdout)
  expect(shown).toMatchObject({ responder: 'echo', auto_reply_text: 'We are closed' })
})
