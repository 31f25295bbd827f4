import { beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../test/support/commands.ts'
import { startTestGateway, type TestGateway, testSecrets } from '../../test/support/gateway.ts'
import { password } from '../../test/support/people.ts'

let gateway: TestGateway
let tenantId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  tenantId = (await gateway.createTenant('Firm A')).id
})

const run = (...args: string[]) =>
  runCommand(args, { ...testSecrets, DATABASE_URL: gateway.databaseUrl })

test('the first operator gets in, is listed, gets a new link, and is shut out', async () => {
  expect((await run('user', 'list')).stdout).toContain('Nobody can sign in yet')
  const create = ['user', 'create', 'Olga@estafet.example', '--role']
  expect((await run(...create, 'admin')).stderr).toContain('--tenant: needed for this role')
  const made = JSON.parse((await run(...create, 'operator', '--json')).stdout)
  expect(made.person).toMatchObject({ email: 'olga@estafet.example', name: 'Olga' })
  const token = new URL(made.link.url).hash.slice(1)
  const accepted = await gateway.call('POST', '/api/console/link/accept', {
    body: { token, password },
    headers: { origin: gateway.url },
  })
  expect(accepted.json.person).toMatchObject({ role: 'operator', status: 'active' })

  await run('user', 'create', 'ana@firm.example', '--role', 'agent', '--tenant', tenantId)
  expect((await run('user', 'list', '--tenant', tenantId)).stdout).toMatch(
    /^ID +ROLE +STATUS +EMAIL +NAME\nusr_\w{32} {2}agent {2}invited {2}ana@firm\.example {2}ana\n$/,
  )
  const first = JSON.parse((await run('user', 'list', '--limit', '1', '--json')).stdout)
  expect(first.data).toMatchObject([{ email: 'ana@firm.example' }])
  const rest = await run('user', 'list', '--after', first.paging.next, '--json')
  expect(JSON.parse(rest.stdout)).toMatchObject({
    data: [{ email: 'olga@estafet.example' }],
    paging: { next: null },
  })
  const link = await run('user', 'link', 'olga@estafet.example')
  expect(link.stdout).toMatch(/\/console\/welcome#[\w-]{43}\n/)
  const disabled = await run('user', 'disable', 'olga@estafet.example')
  expect(disabled.stdout).toContain('shut out')
  const cookie = accepted.headers.get('set-cookie')?.split(';')[0] ?? ''
  const me = await gateway.call('GET', '/api/console/me', { headers: { cookie } })
  expect(me.status).toBe(401)
  expect((await run('user', 'enable', 'olga@estafet.example')).stdout).toContain('may sign in')
  expect((await run('user', 'link', 'nobody@estafet.example')).stderr).toContain('no such person')
})
