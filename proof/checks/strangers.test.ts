// Secrets that lie open are found, wherever they lie.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestDb } from '../../test/support/database.ts'
import { checkMetrics, checkRows } from './strangers.ts'

const secret = { what: 'access token', text: 'kanarie0123456789abcdef' }

test('a secret lies open in no table, neither as text nor as bytes', async () => {
  const { db } = await createTestDb()
  expect(await checkRows(db, [secret])).toEqual([])
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    values (gen_random_uuid(), ${`of ${secret.text}`}, 'one', now(), now())`)
  await db.query(sql`
    insert into dead_letters (id, kind, error_code, error_message, raw, created_at)
    values (gen_random_uuid(), 'malformed', 'X', '', ${Buffer.from(secret.text)}, now())`)
  expect(await checkRows(db, [secret])).toEqual([
    'I8: access token lies open in dead_letters',
    'I8: access token lies open in tenants',
  ])
})

test('metrics show none', async () => {
  let text = 'estafet_up 1'
  const server = createServer((_request, response) => void response.end(text))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterFile(async () => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await checkMetrics([secret], url)).toEqual([])
  text = `estafet_up{tenant="${secret.text}"} 1`
  expect(await checkMetrics([secret], url)).toContain('I8: the metrics show access token, as it is')
})
