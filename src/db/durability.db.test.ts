import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { systemClock } from '../time-and-chance.ts'
import { connect, type Db } from './connect.ts'
import { findUnsafeSettings, findVersionProblem } from './durability.ts'
import { startEmbeddedPostgres } from './embedded.ts'

async function startServer(settings: Record<string, string>) {
  const dataDir = await mkdtemp(join(tmpdir(), 'estafet-durability-'))
  afterFile(() => rm(dataDir, { recursive: true, force: true }))
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock, settings })
  afterFile(server.stop)
  return server
}

function open(url: string): Db {
  const db = connect({
    url,
    name: 'test',
    poolSize: 1,
    queryTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
  })
  afterFile(() => db.close())
  return db
}

/** The names of what was found, by a new session. */
async function unsafeIn(url: string): Promise<string[]> {
  const found = await findUnsafeSettings(open(url))
  return found.map(({ problem }) => problem.split(' ')[0] as string)
}

describe('I1: what would make an acknowledged webhook not durable', () => {
  test('is found in the settings of the server, each with what to do', async () => {
    const settings = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
    const server = await startServer(settings)

    const found = await findUnsafeSettings(open(server.url))

    expect(found.map(({ problem }) => problem)).toEqual([
      'fsync is off: acknowledged webhooks can be lost in a crash',
      'full_page_writes is off: acknowledged webhooks can be lost in a crash',
      'synchronous_commit is off: acknowledged webhooks can be lost in a crash',
    ])
    for (const { fix } of found) expect(fix).toMatch(/^turn \w+ on .* or set ALLOW_UNSAFE_DB=1/)
  })

  test('is not there by default, and found when set for our user or our database only', async () => {
    const server = await startServer({})
    const admin = open(server.adminUrl)
    const run = (text: string) => admin.session((session) => session.script(text))
    await run("create role app login password 'x'")
    await run('create database other')
    const url = new URL(server.url)
    Object.assign(url, { username: 'app', password: 'x' })
    const otherDatabase = Object.assign(new URL(url), { pathname: '/other' })
    expect([await unsafeIn(server.url), await unsafeIn(url.href)]).toEqual([[], []])

    await run('alter role app set synchronous_commit = off')
    expect(await unsafeIn(url.href)).toEqual(['synchronous_commit'])
    expect(await unsafeIn(server.url)).toEqual([])

    await run('alter role app reset synchronous_commit')
    await run('alter database estafet set synchronous_commit = off')
    expect(await unsafeIn(url.href)).toEqual(['synchronous_commit'])
    expect(await unsafeIn(otherDatabase.href)).toEqual([])

    await run('alter database estafet set synchronous_commit = local')
    expect(await unsafeIn(url.href)).toEqual([])
  })
})

describe('the version of Postgres', () => {
  test('is no problem from 15 on', async () => {
    // No older server is at hand, so what it would answer is made up.
    const versions = { 140020: 1, 150000: 0, 180001: 0 }
    for (const [version, problems] of Object.entries(versions)) {
      const db = {
        query: <Row>() => Promise.resolve([{ version: Number(version) }] as Row[]),
      }
      expect(await findVersionProblem(db)).toHaveLength(problems)
    }
  })
})
