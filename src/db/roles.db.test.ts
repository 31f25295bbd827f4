// Roles belong to a whole server, and the one that tests share has them already: these tests have a server of their own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { startTestGateway, tenantANumber } from '../../test/support/gateway.ts'
import { fixture } from '../../test/support/payloads.ts'
import { systemClock } from '../time-and-chance.ts'
import { connect, type Db, sql } from './connect.ts'
import { startEmbeddedPostgres } from './embedded.ts'
import { migrate } from './migrate.ts'
import { RolesMissing } from './roles.ts'

let admin: Db
let adminUrl: string

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'estafet-roles-'))
  const server = await startEmbeddedPostgres({
    dataDir,
    clock: systemClock,
    settings: { fsync: 'off' },
  })
  afterFile(async () => {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  adminUrl = server.adminUrl
  admin = connect({
    url: adminUrl,
    name: 'admin',
    poolSize: 1,
    queryTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
  })
  afterFile(() => admin.close())
})

beforeEach(async () => {
  await run('drop database if exists firm with (force)')
  await run('drop database if exists other with (force)')
  await run('drop role if exists estafet_tenant, estafet_system, "The App", neighbour')
})

function run(text: string): Promise<void> {
  return admin.session((session) => session.script(text))
}

/** A login with a database of its own, as a hosting provider hands it out. */
async function givenUser(name: string, database: string, attributes: string): Promise<string> {
  await run(`create role "${name}" login password 'x' ${attributes}`)
  await run(`create database ${database} owner "${name}"`)
  const url = new URL(adminUrl)
  Object.assign(url, {
    username: encodeURIComponent(name),
    password: 'x',
    pathname: `/${database}`,
  })
  return url.href
}

function open(url: string): Db {
  const db = connect({
    url,
    name: 'test',
    poolSize: 2,
    queryTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
  })
  afterFile(() => db.close())
  return db
}

async function refusalOf(url: string): Promise<RolesMissing> {
  const error = await migrate(url).catch((error) => error)
  expect(error).toBeInstanceOf(RolesMissing)
  return error
}

function statementsIn({ message }: RolesMissing): string[] {
  return message
    .split('\n')
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim())
}

/** The gateway itself, from creating a tenant to reading its conversation, under this login. */
async function expectToWork(url: string): Promise<void> {
  const db = open(url)
  const [me] = await db.query(
    sql`select rolsuper as super, rolbypassrls as bypass from pg_roles where rolname = current_user`,
  )
  expect(me).toEqual({ super: false, bypass: false })
  const gateway = await startTestGateway({ database: { url, db } })
  const tenant = await gateway.createTenant('Firm A', tenantANumber)
  const stranger = await gateway.createTenant('Firm B')
  expect((await gateway.deliver(fixture('001-msg-text.json'))).status).toBe(200)
  expect(await gateway.drain()).toBe(1)

  const path = '/api/whatsapp/conversations'
  const own = await gateway.call('GET', path, { key: tenant.key })
  expect(own.json.data).toMatchObject([{ contact_wa_id: '16505550143' }])
  const foreign = await gateway.call('GET', path, { key: stranger.key })
  expect(foreign.json.data).toEqual([])

  // The login owns the tables; as a tenant it sees what that tenant may see, and by itself everything.
  const count = sql<{ n: number }>`select count(*)::int as n from whatsapp_messages`
  expect(await db.query(count)).toEqual([{ n: 1 }])
  expect(await db.tenantTransaction(tenant.id, (tx) => tx.query(count))).toEqual([{ n: 1 }])
  expect(await db.tenantTransaction(stranger.id, (tx) => tx.query(count))).toEqual([{ n: 0 }])
}

describe('a database user that is no superuser', () => {
  test('may create roles: nothing else is needed', async () => {
    const url = await givenUser('The App', 'firm', 'createrole')

    expect(await migrate(url)).not.toEqual([])

    await expectToWork(url)
    expect(await migrate(url)).toEqual([])
  })

  test('may not create roles: an administrator is told what to run, and that is enough', async () => {
    const url = await givenUser('The App', 'firm', '')

    const refusal = await refusalOf(url)

    expect(statementsIn(refusal)).toEqual([
      'create role estafet_tenant nologin;',
      'create role estafet_system nologin;',
      'grant estafet_tenant, estafet_system to "The App" with inherit true, set true;',
    ])
    for (const statement of statementsIn(refusal)) await run(statement)
    expect(await migrate(url)).not.toEqual([])
    await expectToWork(url)
  })

  test('does not inherit: the statements see to that too', async () => {
    const url = await givenUser('The App', 'firm', 'noinherit')

    for (const statement of statementsIn(await refusalOf(url))) await run(statement)

    expect(await migrate(url)).not.toEqual([])
    await expectToWork(url)
  })

  test('may create roles and does not inherit: it gives itself what it needs', async () => {
    const url = await givenUser('The App', 'firm', 'createrole noinherit')

    expect(await migrate(url)).not.toEqual([])
    await expectToWork(url)
  })

  test('finds the roles of a neighbour on the same server: only the grant is asked for', async () => {
    await migrate(await givenUser('neighbour', 'other', 'createrole'))
    const url = await givenUser('The App', 'firm', '')

    const refusal = await refusalOf(url)

    expect(statementsIn(refusal)).toHaveLength(1)
    for (const statement of statementsIn(refusal)) await run(statement)
    expect(await migrate(url)).not.toEqual([])
    await expectToWork(url)
  })

  test.each(['set false', 'inherit false'])(
    'was granted the roles with %s: that is not enough',
    async (option) => {
      const url = await givenUser('The App', 'firm', '')
      await run('create role estafet_tenant; create role estafet_system')
      await run(`grant estafet_tenant, estafet_system to "The App" with ${option}`)

      const refusal = await refusalOf(url)

      for (const statement of statementsIn(refusal)) await run(statement)
      expect(await migrate(url)).not.toEqual([])
      await expectToWork(url)
    },
  )
})
