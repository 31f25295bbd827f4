import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestDb } from '../../test/support/database.ts'
import { type Exceptions, findIsolationGaps, tenantTables } from '../../test/support/isolation.ts'
import { insertTenantRows, type SeededTenant } from '../../test/support/tenant-rows.ts'
import { connect, type Db, type Sql, sql, sqlState, type Tx } from './connect.ts'

const exceptions: Exceptions = {
  unprotected: { schema_migrations: 'is there before the roles are, and holds file names' },
  withoutTenant: {
    schema_migrations: 'holds file names',
    whatsapp_webhook_events: 'one request of Meta may hold items of several tenants',
    whatsapp_inbound_traces: 'one row per attempt at such a request',
    send_workers: 'processes, which work for all',
    recent_latencies: 'how long things took, of all tenants together',
    backlog_samples: 'counts of all tenants, for operators',
    inbox_watch: 'one row about the inbox of all',
    send_host: 'Meta’s host, the same for all',
    sessions: 'of people, some of whom work for all',
    person_links: 'of people, some of whom work for all',
    sign_in_failures: 'addresses that may be nobody’s',
    alert_evaluator: 'one row: when somebody last looked at the rules',
  },
  unique: {
    'api_keys (key_hash)': 'a tenant is found by it',
    'whatsapp_accounts (phone_number_id)': 'a tenant is found by it',
    'signup_states (state_hash)': 'a tenant is found by it',
    'people (id)': 'random, and tenants cannot write here',
    'people (email)': 'a person is found by it, and tenants cannot write here',
    'dead_letters (id)': 'nobody may own it yet, and tenants cannot write here',
    'dead_letters (event_id, item_path)': 'nobody may own it yet, and tenants cannot write here',
    'alert_channels (id)': 'may be the operator’s, and tenants cannot write here',
    'alerts (id)': 'may be the operator’s, and tenants cannot write here',
    'alert_notifications (id)': 'may be the operator’s, and tenants cannot write here',
    'send_attempts (id)': 'random, and tenants cannot write here',
    'audit_chains (chain)': 'a check makes it the tenant, or the operators',
    'audit_log (chain, position)': 'a check makes it the tenant, or the operators',
  },
  foreignKeys: {
    'audit_log (chain)': 'a check makes it the tenant, or the operators',
    'alert_notifications (alert_id)': 'may be the operator’s, and tenants cannot write here',
    'alert_notifications (channel_id)': 'the operator hears of tenants without a channel',
  },
}

let db: Db
let url: string

beforeAll(async () => {
  ;({ url, db } = await createTestDb())
})

/** SQL with names in it that only the catalogue knows. */
function statement<Row = Record<string, unknown>>(text: string): Sql<Row> {
  return sql<Row>(Object.assign([text], { raw: [text] }))
}

/** What `work` found, with everything it did undone. */
async function undone<T>(run: Db['transaction'], work: (tx: Tx) => Promise<T>): Promise<T> {
  let found: { value: T } | undefined
  const rollback = new Error('rolled back on purpose')
  await run(async (tx) => {
    found = { value: await work(tx) }
    throw rollback
  }).catch((error) => {
    if (error !== rollback) throw error
  })
  return (found as { value: T }).value
}

describe('I6: in the catalogue', () => {
  test('every table keeps tenants apart', async () => {
    expect(await findIsolationGaps(db, exceptions)).toEqual([])
  })

  test('what is unique across tenants is not written by tenants, but for the audit chains', async () => {
    const tables = Object.keys(exceptions.unique).map((key) => key.split(' ')[0])
    const rows = await db.query(sql<{ name: string }>`
      select distinct name
      from unnest(${tables}::text[]) as name
      where has_any_column_privilege('estafet_tenant', name, 'insert, update')
      order by name`)

    expect(rows.map(({ name }) => name)).toEqual(['audit_chains', 'audit_log'])
  })

  test('the audit log cannot be rewritten under either role', async () => {
    const rows = await db.query(sql`
      select role, name, privilege
      from unnest(array['estafet_tenant', 'estafet_system']) as role,
        unnest(array['update', 'delete', 'truncate']) as privilege,
        unnest(array['audit_log', 'audit_chains']) as name
      where has_table_privilege(role, name, privilege)
      order by role`)

    expect(rows).toEqual([
      { role: 'estafet_system', name: 'audit_chains', privilege: 'update' },
      { role: 'estafet_tenant', name: 'audit_chains', privilege: 'update' },
    ])
  })

  test.each([
    [
      'drop policy own_tenant on api_keys',
      'api_keys: no policy lets a tenant see and write its own rows only',
    ],
    [
      'alter table whatsapp_messages disable row level security',
      'whatsapp_messages: row-level security is off',
    ],
    [
      'alter table whatsapp_messages no force row level security',
      'whatsapp_messages: row-level security does not bind its owner',
    ],
    [
      'alter policy own_tenant on whatsapp_messages with check (true)',
      'whatsapp_messages: no policy lets a tenant see and write its own rows only',
    ],
    [
      'alter policy own_tenant on tenants using (true)',
      'tenants: no policy lets a tenant see and write its own rows only',
    ],
    [
      'alter policy all_tenants on dead_letters to public',
      'dead_letters: tenants are also let in by the policy all_tenants',
    ],
    [
      'alter table schema_migrations enable row level security',
      'schema_migrations: is no exception any more',
    ],
    ['create table notes (id int)', 'notes: has no tenant_id'],
    ['create table notes (tenant_id uuid primary key)', 'notes: row-level security is off'],
    [
      'grant select (status) on whatsapp_webhook_events to public',
      'whatsapp_webhook_events: belongs to no tenant, yet tenants may select',
    ],
    [
      'grant truncate on whatsapp_messages to estafet_tenant',
      'whatsapp_messages: tenants have the privilege truncate',
    ],
    [
      'create unique index on whatsapp_messages (wamid)',
      'whatsapp_messages (wamid): is unique across tenants',
    ],
    [
      'create unique index on whatsapp_messages (lower(wamid), tenant_id)',
      'whatsapp_messages (expression, tenant_id): is unique across tenants',
    ],
    [
      'alter table api_keys drop constraint api_keys_key_hash_key',
      'api_keys (key_hash): is no exception any more',
    ],
    [
      'create unique index on whatsapp_conversations (id); ' +
        'alter table whatsapp_messages add foreign key (conversation_id) references whatsapp_conversations (id)',
      'whatsapp_messages (conversation_id): is a foreign key without the tenant',
    ],
    [
      'create view notes as select * from whatsapp_messages',
      'notes: a view with the rights of its owner',
    ],
    [
      'create materialized view notes as select * from whatsapp_messages',
      'notes: no policy can guard this kind of relation',
    ],
    [
      'create function peek() returns int security definer language sql return 1',
      'peek(): a function with the rights of its owner',
    ],
    [
      'grant usage on sequence whatsapp_webhook_dedupe_id_seq to public',
      'whatsapp_webhook_dedupe_id_seq: tenants may use or read this sequence',
    ],
    ['grant create on schema public to public', 'public: tenants may create things in this schema'],
    [
      'alter role estafet_system bypassrls',
      'estafet_system: can more than row-level security allows',
    ],
    ['grant estafet_system to estafet_tenant', 'estafet_tenant: is a member of estafet_system'],
    [
      'alter table whatsapp_messages owner to estafet_system',
      'estafet_system: owns whatsapp_messages',
    ],
  ])('a gap is named: %s', async (damage, gap) => {
    await db.session(async (session) => {
      await session.script(`begin; ${damage}`)
      try {
        expect(await findIsolationGaps(session, exceptions)).toContain(gap)
      } finally {
        await session.script('rollback')
      }
    })
  })

  test('a gap is named: a partition without a policy of its own, even in another schema', async () => {
    await db.session(async (session) => {
      await session.script(`
        begin;
        create schema elsewhere;
        create table notes (tenant_id uuid) partition by list (tenant_id);
        create table elsewhere.notes_1 partition of notes default;
        create policy own on notes to estafet_tenant
          using (tenant_id = current_tenant()) with check (tenant_id = current_tenant());
        alter table notes enable row level security, force row level security`)
      const gaps = await findIsolationGaps(session, exceptions)
      await session.script('rollback')

      expect(gaps).toEqual([
        'elsewhere.notes_1: no policy lets a tenant see and write its own rows only',
        'elsewhere.notes_1: row-level security does not bind its owner',
        'elsewhere.notes_1: row-level security is off',
      ])
    })
  })
})

describe('I6: of two tenants with the same rows', () => {
  let pool: Db
  let a: SeededTenant
  let b: SeededTenant
  let tables: string[]

  beforeAll(async () => {
    // One connection, handed from tenant to tenant.
    pool = connect({
      url,
      name: 'test',
      poolSize: 1,
      queryTimeoutMs: 60_000,
      connectTimeoutMs: 60_000,
    })
    afterFile(() => pool.close())
    ;[a, b] = await db.transaction(async (tx) => {
      await tx.query(sql`select set_config('role', 'estafet_system', true)`)
      return [await insertTenantRows(tx, 'a'), await insertTenantRows(tx, 'b')]
    })
    tables = await tenantTables(db)
  })

  const asA: Db['transaction'] = (work) => pool.tenantTransaction(a.id, work)
  const asB: Db['transaction'] = (work) => pool.tenantTransaction(b.id, work)
  const tenantOf = (table: string) => (table === 'tenants' ? 'id' : 'tenant_id')

  /** Everything there is, as the superuser sees it. */
  async function everything(): Promise<Record<string, unknown>> {
    const all: Record<string, unknown> = {}
    for (const table of tables) {
      const order = `order by to_jsonb(t)::text`
      all[table] = await db.query(statement(`select to_jsonb(t) as row from ${table} t ${order}`))
    }
    return all
  }

  /** The tenants that a statement returned, or the code it was refused with. */
  async function reached(run: Db['transaction'], text: string): Promise<string[] | string> {
    try {
      const rows = await undone(run, (tx) => tx.query(statement<{ tenant: string }>(text)))
      return [...new Set(rows.map(({ tenant }) => tenant))].sort()
    } catch (error) {
      return sqlState(error) ?? Promise.reject(error)
    }
  }

  test('both have a row in every tenant table', async () => {
    expect(tables.length).toBeGreaterThan(9)
    for (const table of tables) {
      const rows = await db.query(
        statement<{ tenant: string }>(`select distinct ${tenantOf(table)} as tenant from ${table}`),
      )
      expect([table, rows.map(({ tenant }) => tenant).sort()]).toEqual([table, [a.id, b.id]])
    }
  })

  test('one reaches nothing of the other with what it is granted', async () => {
    const before = await everything()
    for (const table of tables) {
      const tenant = tenantOf(table)
      const seen = await reached(asA, `select ${tenant} as tenant from ${table}`)
      expect([[a.id], '42501']).toContainEqual(seen)
      for (const verb of [`update ${table} set ${tenant} = ${tenant}`, `delete from ${table}`]) {
        const text = `${verb} where ${tenant} = '${b.id}' returning ${tenant} as tenant`
        expect([[], '42501']).toContainEqual(await reached(asA, text))
      }
    }
    expect(await everything()).toEqual(before)
  })

  describe('had they been granted everything', () => {
    beforeAll(async () => {
      const verbs = 'select, insert, update, delete'
      const granted = `grant ${verbs} on ${tables.join(', ')} to estafet_tenant`
      await db.session((session) => session.script(granted))
    })

    test('each sees its own rows only, in turn on the same connection', async () => {
      for (const table of tables) {
        const text = `select ${tenantOf(table)} as tenant from ${table}`
        for (const [run, tenant] of [
          [asA, a],
          [asB, b],
          [asA, a],
        ] as const) {
          expect([table, await reached(run, text)]).toEqual([table, [tenant.id]])
        }
      }
    })

    test('an update or a delete without a condition reaches its own rows only', async () => {
      const before = await everything()
      for (const table of tables) {
        const tenant = tenantOf(table)
        const update = `update ${table} set ${tenant} = ${tenant} returning ${tenant} as tenant`
        expect([table, await reached(asA, update)]).toEqual([table, [a.id]])
      }
      // Children before their parents.
      const parents = [
        'audit_chains',
        'whatsapp_media',
        'event_endpoints',
        'alert_channels',
        'alerts',
        'whatsapp_send_outbox',
        'whatsapp_messages',
        'whatsapp_conversations',
        'whatsapp_contacts',
        'tenants',
      ]
      const order = [...tables.filter((table) => !parents.includes(table)), ...parents]
      const deleted = await undone(asA, async (tx) => {
        const all: unknown[] = []
        for (const table of order) {
          all.push(
            ...(await tx.query(
              statement(`delete from ${table} returning ${tenantOf(table)} as tenant`),
            )),
          )
        }
        return all
      })
      expect(deleted).toEqual(tables.map(() => ({ tenant: a.id })))
      expect(await everything()).toEqual(before)
    })

    /** Without those that the database works out itself. */
    async function writableColumns(table: string): Promise<string> {
      const [row] = await db.query(sql<{ columns: string }>`
        select string_agg(quote_ident(attname), ', ' order by attnum) as columns
        from pg_attribute
        where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
      return row?.columns ?? ''
    }

    test('a row can be neither put under the other tenant nor moved there', async () => {
      for (const table of tables) {
        const tenant = tenantOf(table)
        const [other] = await db.query(
          statement<{ row: unknown }>(
            `select to_jsonb(t) as row from ${table} t where ${tenant} = '${b.id}'`,
          ),
        )
        const row = `jsonb_populate_record(null::${table}, '${JSON.stringify(other?.row)}')`
        const columns = await writableColumns(table)
        const insert = `insert into ${table} (${columns}) overriding system value select ${columns} from ${row}`
        expect([table, await reached(asA, insert)]).toEqual([table, '42501'])
        const move = `update ${table} set ${tenant} = '${b.id}'`
        expect([table, await reached(asA, move)]).toEqual([table, '42501'])
      }
    })
  })

  test('without a tenant the role sees nothing, and that is no error', async () => {
    await asA(async () => undefined)
    await pool.session(async (session) => {
      const [left] = await session.query(
        sql`select current_setting('app.tenant', true) as tenant, current_user = session_user as own`,
      )
      expect(left).toEqual({ tenant: '', own: true })
      await session.script('begin; set local role estafet_tenant')
      for (const table of ['tenants', 'whatsapp_conversations', 'whatsapp_messages', 'audit_log']) {
        expect(await session.query(statement(`select * from ${table}`))).toEqual([])
      }
      await session.script('rollback')
    })
  })

  test('a foreign key does not tell whether the other tenant has such a row', async () => {
    const answers: unknown[] = []
    for (const conversationId of [b.conversationId, '44444444-0000-7000-8000-000000000000']) {
      const insert = sql`
        insert into whatsapp_messages
          (id, tenant_id, phone_number_id, conversation_id, direction, type, status, content, occurred_at, created_at,
           correlation_id)
        values (${b.id}, ${a.id}, 'number', ${conversationId}, 'outbound', 'text', 'queued', '{}', now(), now(), ${a.id})`
      const error = await asA((tx) => tx.query(insert)).catch((error) => error)
      answers.push([sqlState(error), error.message, error.detail?.replaceAll(conversationId, 'X')])
    }

    expect(answers[0]).toEqual(answers[1])
    expect(answers[0]).toContain('23503')
  })

  test("neither the other's keys nor its identifiers are taken", async () => {
    const inserted = await undone(asA, async (tx) => {
      // A's own row goes away first, so that only B's could be in the way.
      await tx.query(sql`
        update whatsapp_conversations set contact_wa_id = 'somebody else', merged_into = id`)
      await tx.query(sql`update whatsapp_contacts set wa_id = 'somebody else'`)
      const contacts = await tx.query(sql`
        insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
        values (${b.contactId}, ${a.id}, '16505550143', now(), now())
        returning id`)
      const conversations = await tx.query(sql`
        insert into whatsapp_conversations
          (id, tenant_id, phone_number_id, contact_id, contact_wa_id, last_message_at, created_at, updated_at)
        values (${b.conversationId}, ${a.id}, 'number', ${b.contactId}, '16505550143', now(), now(), now())
        returning id`)
      return [...contacts, ...conversations]
    })

    expect(inserted).toEqual([{ id: b.contactId }, { id: b.conversationId }])
  })

  test('an audit chain cannot be occupied by another tenant, and the refusal tells nothing', async () => {
    const codes: unknown[] = []
    for (const chain of [b.id, '44444444-0000-7000-8000-000000000000', 'operators']) {
      const occupy = sql`
        insert into audit_chains (chain, tenant_id, position, hash)
        values (${chain}, ${a.id}, 0, '')`
      const add = sql`
        insert into audit_log (chain, position, tenant_id, at, actor, action, subject, details, previous_hash, hash)
        values (${chain}, 2, ${a.id}, now(), 'x', 'x', 'x', '{}', '', '')`
      codes.push(await asA((tx) => tx.query(occupy)).catch(sqlState))
      codes.push(await asA((tx) => tx.query(add)).catch(sqlState))
    }

    // 23514: a check was violated
    expect(codes).toEqual(Array(6).fill('23514'))
  })
})
