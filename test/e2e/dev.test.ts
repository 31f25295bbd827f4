// `npm run dev`: everything with one command, the same again at the second start, and nothing left behind.
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { connect, sql } from '../../src/db/connect.ts'
import { runningEmbeddedUrl } from '../../src/db/embedded.ts'
import { afterFile } from '../support/after-file.ts'
import { testPatience } from '../support/database.ts'
import { createDirectory, type Program, startProgram, until } from '../support/program.ts'

let dataDir: string

beforeAll(async () => {
  dataDir = await createDirectory()
  // When a test fails half-way its Postgres must not stay.
  afterFile(async () => {
    const pid = postmasterPid()
    if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  })
})

function postmasterPid(): number | undefined {
  const file = join(dataDir, 'postgres', 'postmaster.pid')
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : undefined
}

const owner = () => join(dataDir, 'postgres-owner.json')

const shellVariables = () => join(dataDir, 'dev.env')

function expectNothingLeft(): void {
  expect(postmasterPid()).toBeUndefined()
  expect(existsSync(owner())).toBe(false)
  expect(existsSync(shellVariables())).toBe(false)
}

/** A shell that reads the file which the welcome names has what the samples of the documents use. */
function expectEnvironment(program: Program, { url, key }: { url: string; key: string }): void {
  const file = / {2}\. (\S+)$/m.exec(program.stdout())?.[1] ?? ''
  expect(file).toBe(shellVariables())
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const names = readFileSync(file, 'utf8').match(/(?<=^export )\w+/gm) ?? []
  const values = spawnSync('sh', [
    '-euc',
    `. "$0"; printf '%s\\n' ${names.map((it) => `"$${it}"`).join(' ')}`,
    file,
  ])
  expect(values.stderr.toString()).toBe('')
  const given = values.stdout.toString().trimEnd().split('\n')
  expect(Object.fromEntries(names.map((name, index) => [name, given[index]]))).toEqual({
    ESTAFET_URL: url,
    ESTAFET_KEY: key,
    ESTAFET_OPERATOR_KEY: /^Operator key +(\S+)$/m.exec(program.stdout())?.[1],
    ESTAFET_TENANT: expect.stringMatching(/^[\da-f-]{36}$/),
    ESTAFET_PHONE_NUMBER_ID: '300000000000001',
    META_APP_SECRET: expect.stringMatching(/^[\da-f]{32}$/),
    META_VERIFY_TOKEN: expect.stringMatching(/^\S{10,}$/),
    SIMULATOR_URL: /^Simulated Meta +(\S+)$/m.exec(program.stdout())?.[1],
    CUSTOMER: '15550100101',
    DATA_DIR: dataDir,
  })
}

const startDev = (more: Record<string, string> = {}) =>
  startProgram(['dev'], { DATA_DIR: dataDir, PORT: '0', SIMULATOR_PORT: '0', ...more })

interface Welcome {
  url: string
  /** What it offers to try: the key and the address of each curl command. */
  curls: { key: string; url: string }[]
  /** The keys it shows, in order. */
  keys: string[]
  console: string
  password: string
  /** Who signs in, with which role. */
  people: { role: string; email: string }[]
}

async function welcomeOf(program: Program): Promise<Welcome> {
  await program.untilPrinted('Ctrl-C stops everything.')
  const text = program.stdout()
  const curls = [...text.matchAll(/curl -s -H 'Authorization: Bearer (\S+)' (\S+)/g)]
  return {
    url: /^Estafet +(\S+)$/m.exec(text)?.[1] ?? '',
    curls: curls.map(([, key = '', url = '']) => ({ key, url })),
    keys: [...text.matchAll(/ key +(\S+)$/gim)].map(([, key = '']) => key),
    console: /^Console +(\S+)$/m.exec(text)?.[1] ?? '',
    password: /with the password (\S+)$/m.exec(text)?.[1] ?? '',
    people: [...text.matchAll(/^ {2}(operator|admin|agent) +(\S+@\S+)$/gm)].map(
      ([, role = '', email = '']) => ({ role, email }),
    ),
  }
}

async function signIn({ url, password }: Welcome, email: string) {
  const answer = await fetch(`${url}/api/console/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return { status: answer.status, json: (await answer.json()) as any }
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into answers of every shape.
async function get({ key, url }: { key: string; url: string }): Promise<any> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  expect(response.status).toBe(200)
  return response.json()
}

/** On the database of the gateway that runs. */
async function inDatabase<Value>(
  work: (db: ReturnType<typeof connect>) => Promise<Value>,
): Promise<Value> {
  const db = connect({
    url: (await runningEmbeddedUrl(dataDir)) ?? '',
    name: 'test',
    poolSize: 1,
    ...testPatience,
  })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** A number that somebody connected, at the simulated Meta and here. */
async function connectOwnNumber({ url }: Welcome, simulator: string, key: string) {
  const { data } = await get({ key, url: `${url}/api/admin/tenants` })
  const number = {
    waba_id: '200000000000009',
    phone_number_id: '300000000000009',
    display_phone_number: '+1 555-0109',
    access_token: 'token-of-my-own',
  }
  const post = (place: string, body: object) =>
    fetch(place, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await post(`${simulator}/simulator/numbers`, number)).status).toBe(201)
  const connected = await post(`${url}/api/admin/tenants/${data[0].id}/accounts`, number)
  expect([connected.status, await connected.text()]).toEqual([201, expect.anything()])
}

async function takenPort(): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1')
  afterFile(async () => other.close())
  await once(other, 'listening')
  return String((other.address() as AddressInfo).port)
}

describe('dev', () => {
  let first: Welcome
  let tenants: unknown

  test('told to stop while it starts for the first time, it leaves nothing behind', async () => {
    const program = await startDev()
    await until('Postgres runs', () => postmasterPid() !== undefined)

    const exit = await program.end('SIGINT')

    expect(exit).toEqual({ code: 0, signal: null })
    expectNothingLeft()
  })

  test('shows where it is and what to try, and its sample customers write', async () => {
    const program = await startDev()
    first = await welcomeOf(program)

    expect(/https?:\/\/[^\s"]+/.exec(program.stdout())?.[0]).toBe(first.url)
    expect(first.curls).toHaveLength(2)
    expect(program.stdout()).toContain(`curl -s ${first.url}/api/whatsapp/meta/send -H`)
    const [conversations, health] = first.curls
    if (!conversations || !health) throw new Error('it shows no curl commands')
    expectEnvironment(program, { url: first.url, key: conversations.key })
    await until('a sample conversation is there', async () => {
      const { data } = await get(conversations)
      return data.length > 0
    })
    const phone = /^Customer phone +(\S+)$/m.exec(program.stdout())?.[1] ?? ''
    expect((await fetch(phone)).headers.get('content-type')).toContain('text/html')
    const onPhone = await (await fetch(new URL('/simulator/phone/state', phone))).json()
    expect(onPhone).toMatchObject({
      numbers: [{ verified_name: /^ {2}(Harbour.+)$/m.exec(program.stdout())?.[1] }, {}],
      customers: expect.arrayContaining([
        expect.objectContaining({ name: expect.stringContaining('(sample)') }),
      ]),
    })
    expect(await (await fetch(first.console)).text()).toContain('<div id="console">')
    expect(first.people.map(({ role }) => role)).toEqual(['operator', 'admin', 'agent', 'agent'])
    for (const { role, email } of first.people) {
      const { status, json } = await signIn(first, email)
      expect([status, json.person.role]).toEqual([200, role])
      // Meta's part is one click away.
      expect(`${json.simulator_url}/phone`).toBe(phone)
    }
    await until('all is well', async () => (await get(health)).status === 'ok')
    tenants = await get({ key: health.key, url: `${first.url}/api/admin/tenants` })
    expect(tenants).toMatchObject({ data: [{ status: 'active' }, { status: 'active' }] })
    await connectOwnNumber(first, new URL(phone).origin, health.key)
    // As after a night: Meta is asked about every token at once when it starts again.
    await inDatabase((db) =>
      db.query(sql`
        update whatsapp_accounts
        set token_check_at = now() - interval '1 hour', token_checked_at = null`),
    )

    const exit = await program.end('SIGINT')

    expect(exit).toEqual({ code: 0, signal: null })
    expectNothingLeft()
  })

  test('goes on with the same at the second start, and stops everything although something cannot be stopped', async () => {
    const program = await startDev()
    const second = await welcomeOf(program)

    expect(second.keys).toEqual(first.keys)
    expect(second.keys.length).toBe(3)
    const [conversations, health] = second.curls
    if (!conversations || !health) throw new Error('it shows no curl commands')
    expect((await get(conversations)).data.length).toBeGreaterThan(0)
    expect(await get({ key: health.key, url: `${second.url}/api/admin/tenants` })).toEqual(tenants)
    expect(second.password).toBe(first.password)
    expect((await signIn(second, second.people[0]?.email ?? '')).status).toBe(200)
    const numbers = await until('Meta was asked about every token', async () => {
      const rows = await inDatabase((db) =>
        db.query(sql<{ auth_status: string; is_told: boolean }>`
          select auth_status, token_checked_at is not null or auth_status <> 'ok' as is_told
          from whatsapp_accounts`),
      )
      return rows.every(({ is_told }) => is_told) && rows
    })
    expect(numbers.map(({ auth_status }) => auth_status)).toEqual(['ok', 'ok', 'ok'])

    // What it removes first is no longer a file.
    rmSync(shellVariables())
    mkdirSync(shellVariables())

    const exit = await program.end('SIGINT')

    rmdirSync(shellVariables())
    expect(exit).toEqual({ code: 1, signal: null })
    expect(program.stderr()).toContain('dev.env')
    expectNothingLeft()
  })

  async function expectRefusalWhereTaken(variable: string): Promise<void> {
    const port = await takenPort()
    const program = await startDev({ [variable]: port })

    const exit = await program.exited

    expect(exit.code).toBe(1)
    expect(program.stderr()).toContain(`Port ${port} is taken`)
    expect(program.stderr()).toContain(`${variable}=0`)
    expectNothingLeft()
  }

  test('explains that PORT is taken, and leaves nothing behind', () =>
    expectRefusalWhereTaken('PORT'))

  test('explains that SIMULATOR_PORT is taken, and leaves an older folder with a password for the console', async () => {
    const file = join(dataDir, 'dev-secrets.json')
    const { consolePassword, ...older } = JSON.parse(readFileSync(file, 'utf8'))
    expect(consolePassword).toBe(first.password)
    writeFileSync(file, JSON.stringify(older))
    await expectRefusalWhereTaken('SIMULATOR_PORT')
    const made = JSON.parse(readFileSync(file, 'utf8')).consolePassword
    expect(made).toMatch(/^[\w-]{16}$/)
    expect(made).not.toBe(first.password)
  })
})
