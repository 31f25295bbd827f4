import { randomBytes } from 'node:crypto'
import { connect, type Db } from '../../src/db/connect.ts'
import { afterFile } from './after-file.ts'
import { resource } from './resources.ts'

/** Of the tests' own connections: a machine that stands still for seconds is no reason to fail. */
export const testPatience = { queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 }

/** One connection for all test files of this process, which it ends with. */
let admin: Db | undefined

async function asAdmin(script: string): Promise<void> {
  const { adminUrl } = await resource('postgres')
  admin ??= connect({ url: adminUrl, name: 'test', poolSize: 1, ...testPatience })
  await admin.session((session) => session.script(script))
}

/** A migrated database of one's own, dropped after the test file. `template` null: an empty one. */
export async function createTestDatabase(
  template: string | null = 'estafet_template',
): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const from = template === null ? '' : ` template ${template}`
  // The other strategy writes every page to the log: ten times the work.
  await asAdmin(`create database ${name}${from} strategy file_copy`)
  afterFile(() => asAdmin(`drop database if exists ${name} with (force)`))
  const url = new URL((await resource('postgres')).adminUrl)
  url.pathname = `/${name}`
  return url.href
}

/** A database with a connection to look at it from outside, as the superuser. */
export async function createTestDb(): Promise<{ url: string; db: Db }> {
  const url = await createTestDatabase()
  const db = connect({ url, name: 'test', poolSize: 4, ...testPatience })
  afterFile(() => db.close())
  return { url, db }
}
