// What an upgrade makes of rows that an earlier version left.
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestDatabase, testPatience } from '../../test/support/database.ts'
import { insertTenant } from '../../test/support/outbound.ts'
import { packageRoot } from '../package-root.ts'
import { connect, type Db, sql } from './connect.ts'
import { migrate } from './migrate.ts'

/** A database as the version left it whose last migration this was. */
async function leftBy(last: string): Promise<{ url: string; db: Db }> {
  const url = await createTestDatabase(null)
  const folder = await mkdtemp(join(tmpdir(), 'estafet-migrations-'))
  afterFile(() => rm(folder, { recursive: true }))
  const all = join(packageRoot, 'migrations')
  for (const name of await readdir(all)) {
    if (name <= last) await cp(join(all, name), join(folder, name))
  }
  await migrate(url, folder)
  const db = connect({ url, name: 'test', poolSize: 1, ...testPatience })
  afterFile(() => db.close())
  return { url, db }
}

test('what waits under two names of one contact goes on in one turn, in the order of acceptance', async () => {
  const { url, db } = await leftBy('0029_replayed_events.sql')
  const tenantId = await insertTenant(db)
  const queued = [
    // The number as it was dialled, then as Meta knows it.
    { text: 'first', lane: '5215550000001', status: 'running', isHead: true },
    { text: 'second', lane: '5215550000001', status: 'pending', isHead: false },
    { text: 'third', lane: '525550000001', status: 'pending', isHead: true },
    { text: 'again', lane: 'requeue:one:two', status: 'pending', isHead: true },
    { text: 'before', lane: '5215550000001', status: 'done', isHead: false },
  ]
  await db.query(sql`
    with contact as (
      insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
      values (gen_random_uuid(), ${tenantId}, '525550000001', now(), now())
      returning id, tenant_id
    ),
    conversation as (
      insert into whatsapp_conversations (id, tenant_id, phone_number_id, contact_id, contact_wa_id, last_message_at,
        created_at, updated_at)
      select gen_random_uuid(), tenant_id, '7', id, '525550000001', now(), now(), now() from contact
      returning id, tenant_id
    ),
    message as (
      insert into whatsapp_messages (id, tenant_id, phone_number_id, conversation_id, direction, type, status, content,
        occurred_at, created_at, correlation_id)
      select gen_random_uuid(), c.tenant_id, '7', c.id, 'outbound', 'text', 'queued', to_jsonb(u.text), now(), now(),
        gen_random_uuid()
      from conversation c, unnest(${queued.map((one) => one.text)}::text[]) as u (text)
      returning id, tenant_id, content, correlation_id
    )
    insert into whatsapp_send_outbox (tenant_id, phone_number_id, message_id, status, next_run_at, lane, due_at, lane_head,
      attempt_id, payload, correlation_id)
    select m.tenant_id, '7', m.id, u.status, now(), u.lane, now(), u.is_head,
      case when u.status = 'running' then gen_random_uuid() end, m.content, m.correlation_id
    from unnest(${queued.map((one) => one.text)}::text[], ${queued.map((one) => one.lane)}::text[],
      ${queued.map((one) => one.status)}::text[], ${queued.map((one) => one.isHead)}::bool[])
      with ordinality as u (text, lane, status, is_head, place)
    join message m on m.content = to_jsonb(u.text)
    order by u.place`)

  await migrate(url)

  const [conversation] = await db.query(sql<{ id: string }>`select id from whatsapp_conversations`)
  const lane = conversation?.id
  const rows = await db.query(sql`
    select payload as text, lane, lane_head as "isHead" from whatsapp_send_outbox order by id`)
  expect(rows).toEqual([
    { text: 'first', lane, isHead: true },
    { text: 'second', lane, isHead: false },
    { text: 'third', lane, isHead: false },
    { text: 'again', lane: 'requeue:one:two', isHead: true },
    { text: 'before', lane: '5215550000001', isHead: false },
  ])
})
