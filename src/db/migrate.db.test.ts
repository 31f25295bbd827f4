import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestDatabase } from '../../test/support/database.ts'
import { connect, type Db, sql } from './connect.ts'
import { migrate } from './migrate.ts'

let url: string
let db: Db
let folder: string

beforeEach(async () => {
  url = await createTestDatabase(null)
  db = connect({ url, name: 'test', poolSize: 2, queryTimeoutMs: 60_000, connectTimeoutMs: 60_000 })
  folder = await mkdtemp(join(tmpdir(), 'estafet-migrations-'))
  const own = { db, folder }
  afterFile(() => own.db.close())
  afterFile(() => rm(own.folder, { recursive: true }))
})

async function given(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}

async function applied(): Promise<string[]> {
  const rows = await db.query(
    sql<{ name: string }>`select name from schema_migrations order by name`,
  )
  return rows.map(({ name }) => name)
}

async function exists(relation: string): Promise<boolean> {
  const [row] = await db.query(
    sql<{ exists: boolean }>`select to_regclass(${relation}) is not null as exists`,
  )
  return row?.exists === true
}

describe('migrating', () => {
  test('applies what is missing, in order, and nothing twice', async () => {
    await given({
      '0002_fill.sql': 'insert into notes values (1)',
      '0001_make.sql': 'create table notes (id int)',
      'README.md': 'not a migration',
    })
    expect(await migrate(url, folder)).toEqual(['0001_make.sql', '0002_fill.sql'])

    await given({ '0003_more.sql': 'insert into notes values (2)' })
    expect(await migrate(url, folder)).toEqual(['0003_more.sql'])
    expect(await migrate(url, folder)).toEqual([])

    expect(await db.query(sql`select id from notes order by id`)).toEqual([{ id: 1 }, { id: 2 }])
    expect(await applied()).toEqual(['0001_make.sql', '0002_fill.sql', '0003_more.sql'])
  })

  test('five at once apply the schema of this version once', async () => {
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(url)))

    expect(results.filter((names) => names.length > 0)).toEqual([await applied()])
    expect(await exists('whatsapp_messages')).toBe(true)
  })

  test('five at once do not keep each other from building an index concurrently', async () => {
    await given({
      '0001_make.sql': 'create table notes as select generate_series(1, 1000) as id',
      '0002_index.sql':
        '-- no-transaction\ndrop index concurrently if exists notes_id;\ncreate index concurrently notes_id on notes (id);\n',
      '0003_index.sql': '-- no-transaction\ncreate index concurrently notes_id_2 on notes (id)',
    })

    const results = await Promise.all([1, 2, 3, 4, 5].map(() => migrate(url, folder)))

    expect(results.flat().sort()).toEqual(await applied())
    const indexes = await db.query(sql`
      select indexrelid::regclass::text as name, indisvalid as valid
      from pg_index
      where indrelid = 'notes'::regclass
      order by 1`)
    expect(indexes).toEqual([
      { name: 'notes_id', valid: true },
      { name: 'notes_id_2', valid: true },
    ])
  })

  test('refuses a file that was changed after it was applied', async () => {
    await given({ '0001_make.sql': 'create table notes (id int)' })
    await migrate(url, folder)

    await given({
      '0001_make.sql': 'create table notes (id bigint)',
      '0002_more.sql': 'create table more (id int)',
    })

    await expect(migrate(url, folder)).rejects.toThrow(
      'Migration 0001_make.sql was changed after it was applied to this database.',
    )
    expect(await exists('more')).toBe(false)
  })

  test('accepts what a newer version added, unless that says it breaks older ones', async () => {
    await given({ '0001_make.sql': 'create table notes (id int)' })
    await given({ '0002_newer.sql': '-- Adds a table.\ncreate table newer (id int)' })
    await migrate(url, folder)
    await rm(join(folder, '0002_newer.sql'))
    expect(await migrate(url, folder)).toEqual([])

    await given({ '0003_drop.sql': '-- Drops what was there.\n-- breaking\ndrop table notes' })
    await migrate(url, folder)
    await rm(join(folder, '0003_drop.sql'))
    await expect(migrate(url, folder)).rejects.toThrow(
      'migrated by a newer version (0003_drop.sql), which this version cannot work with. Upgrade.',
    )
  })

  test('leaves nothing of a migration that fails, and names it; what came before it stays', async () => {
    await given({
      '0001_make.sql': 'create table notes (id int)',
      '0002_half.sql': 'create table half (id int);\ninsert into nowhere values (1)',
      '0003_never.sql': 'create table never (id int)',
    })

    await expect(migrate(url, folder)).rejects.toThrow(
      'Migration 0002_half.sql failed: relation "nowhere" does not exist',
    )

    expect(await applied()).toEqual(['0001_make.sql'])
    expect([await exists('notes'), await exists('half'), await exists('never')]).toEqual([
      true,
      false,
      false,
    ])
    await given({ '0002_half.sql': 'create table half (id int)' })
    expect(await migrate(url, folder)).toEqual(['0002_half.sql', '0003_never.sql'])
  })

  test('says that the database is unavailable when it goes away, so that one can wait for it', async () => {
    await given({ '0001_end.sql': 'select pg_terminate_backend(pg_backend_pid())' })

    await expect(migrate(url, folder)).rejects.toMatchObject({ name: 'DatabaseUnavailable' })

    await given({ '0001_end.sql': 'create table notes (id int)' })
    expect(await migrate(url, folder)).toEqual(['0001_end.sql'])
  })

  test('leaves the tables of others in the same schema alone', async () => {
    await db.session((session) => session.script('create table somebody_elses (id int)'))

    await migrate(url)

    const [row] = await db.query(sql`
      select relrowsecurity as bound, relacl is not null as granted
      from pg_class
      where oid = 'somebody_elses'::regclass`)
    expect(row).toEqual({ bound: false, granted: false })
  })
})

describe('every migration of this version', () => {
  test('opens with a comment that says why', async () => {
    await migrate(url)
    for (const name of await applied()) {
      const path = new URL(`../../migrations/${name}`, import.meta.url)
      expect(await readFile(path, 'utf8')).toMatch(/^-- \S/)
    }
  })
})
