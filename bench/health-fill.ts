// Fills a database for `bench health`: events, outbox rows and dead letters of many tenants, waiting or settled. In SQL, and
// without the messages behind them, which health does not look at.
import { randomUUID } from 'node:crypto'
import { type Db, sql } from '../src/db/connect.ts'
import { settleDown } from './outbox-contender.ts'

export interface Filling {
  tenants: number
  /** Of events, and as many of sends. */
  rows: number
  /** Whether they wait or are long done. */
  isWaiting: boolean
  deadLetters: number
}

export async function fillForHealth(db: Db, filling: Filling): Promise<void> {
  await insertTenants(db, filling.tenants)
  const { rows, deadLetters, isWaiting } = filling
  const at = `now() - interval '1 hour' + n * interval '3 ms'`
  const tenant = `join bench_tenants t on t.place = n % ${filling.tenants}`
  await db.session(async (session) => {
    // Foreign keys hold no messages here, and nobody is to be told of the past.
    await session.script('set session_replication_role = replica')
    await session.script('set synchronous_commit = off')
    await session.script(`
      create temp table bench_tenants as
      select (row_number() over (order by id) - 1)::int as place, id, '44178537237' || right(slug, 4) as number from tenants`)
    await session.script(`
      insert into whatsapp_webhook_events (id, received_at, processed_at, status, attempt, next_run_at, raw, app_id,
        inbound_event_id, correlation_id, phone_number_id, single_item_of, outcome)
      select uuidv7(${at} - now()), ${at}, ${isWaiting ? 'null' : at}, '${isWaiting ? 'pending' : 'done'}',
        ${isWaiting ? 0 : 1}, ${at}, '', '990000000000001', 'wamid.' || n, gen_random_uuid(), t.number, t.number,
        ${isWaiting ? 'null' : `jsonb_build_object(t.id, '{"received": 1, "messages": 1, "statuses": 0, "notices": 0, "duplicates": 0, "ignored": {}, "dead": 0}'::jsonb)`}
      from generate_series(1, ${rows}) as n ${tenant}`)
    await session.script(`
      insert into whatsapp_send_outbox (tenant_id, phone_number_id, message_id, status, next_run_at, lane, due_at, lane_head,
        payload, correlation_id)
      select t.id, t.number, gen_random_uuid(), '${isWaiting ? 'pending' : 'done'}', ${at},
        '1650' || lpad((n / 2)::text, 7, '0'), ${at}, n % 2 = 0,
        '{"messaging_product": "whatsapp", "to": "+16505550143", "type": "text", "text": {"body": "On its way."}}',
        gen_random_uuid()
      from generate_series(1, ${rows}) as n ${tenant}`)
    await session.script(`
      insert into dead_letters (id, tenant_id, kind, state, error_code, error_message, raw, created_at, event_id)
      select gen_random_uuid(), t.id, (array['outbound', 'inbound', 'malformed', 'unknown'])[1 + n % 4], 'open', 'REFUSED',
        'of the bench', '', ${at}, gen_random_uuid()
      from generate_series(1, ${deadLetters}) as n ${tenant}`)
    await session.script('drop table bench_tenants')
    await session.script('reset session_replication_role')
    await session.script('reset synchronous_commit')
  })
  await settleDown(db)
}

async function insertTenants(db: Db, count: number): Promise<void> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await db.query(sql`
    insert into tenants (id, name, slug, created_at, updated_at)
    select id, 'Tenant ' || n, 'tenant-' || lpad(n::text, 4, '0'), now(), now()
    from unnest(${ids}::uuid[]) with ordinality as t (id, n)`)
  await db.query(sql`
    insert into whatsapp_accounts
      (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token, created_at, updated_at)
    select gen_random_uuid(), id, '215589313241560', '44178537237' || right(slug, 4), '+1 555-0100', 'sealed', now(), now()
    from tenants`)
  await db.query(sql`
    insert into send_numbers (tenant_id, phone_number_id)
    select tenant_id, phone_number_id from whatsapp_accounts`)
}
