// What a history in Postgres begins with: a queue without the past, firms with their numbers and contacts.
import { randomUUID } from 'node:crypto'
import { connect, type Db, sql } from '../../src/db/connect.ts'
import { createLog } from '../../src/log.ts'
import { createMetrics } from '../../src/metrics.ts'
import { type Clock, systemClock } from '../../src/time-and-chance.ts'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestDb, testPatience } from '../../test/support/database.ts'
import type { Settings } from './state.ts'
import { makeTimeVirtual } from './virtual-time.ts'

export interface Tools {
  clock: Clock
  log: ReturnType<typeof createLog>
  metrics: ReturnType<typeof createMetrics>
}

function createTools(clock: Clock): Tools {
  const destination = { write: () => undefined }
  const log = createLog({ level: 'silent', hashKey: Buffer.alloc(32), clock, destination })
  return { clock, log, metrics: createMetrics() }
}

/** A database of one's own whose time is made. */
export async function startVirtualDb(): Promise<{ db: Db; tools: Tools }> {
  const { url, db: outside } = await createTestDb()
  await makeTimeVirtual(outside)
  const db = connect({ url, name: 'test', poolSize: 2, ...testPatience })
  afterFile(() => db.close())
  return { db, tools: createTools(systemClock) }
}

/** Everything of an earlier history is over; what it left behind is of other firms. */
export async function clearQueue(db: Db, settings: Settings) {
  await db.session((session) =>
    session.script(`
      update whatsapp_send_outbox set status = 'failed', attempt_id = null, worker_id = null
        where status in ('pending', 'running');
      delete from send_tenants; delete from send_numbers; delete from send_calls; delete from send_pairs;
      delete from send_workers; delete from whatsapp_accounts; delete from whatsapp_webhook_events;
      update send_host set circuit_open = false, trial_at = '-infinity', opened_at = '-infinity';
      update inbox_watch set seen_at = virtual.now(), steady_since = virtual.now()`),
  )
  const tenants: string[] = []
  for (const { cap, retryPolicy } of settings.tenants) {
    const id = randomUUID()
    tenants.push(id)
    await db.query(sql`
      insert into tenants (id, name, slug, max_concurrency, retry_policy, created_at, updated_at)
      values (${id}, 'Firm', ${`firm-${id}`}, ${cap}, ${retryPolicy}, now(), now())`)
  }
  const numbers: string[] = []
  const contacts: string[][] = []
  for (const { tenant, waba, rate } of settings.numbers) {
    const tenantId = tenants[tenant] as string
    const number = randomUUID()
    numbers.push(number)
    await db.query(sql`
      insert into whatsapp_accounts (id, tenant_id, waba_id, phone_number_id, display_phone_number, access_token,
        created_at, updated_at, token_set_at)
      values (${randomUUID()}, ${tenantId}, ${`waba ${waba}`}, ${number}, '+1', 'sealed', now(), now(), now())`)
    await db.query(sql`select send_allow(${tenantId}, ${number}, ${rate}::real)`)
    const own = Array.from({ length: settings.contacts }, () => randomUUID())
    contacts.push(own)
    await db.query(sql`
      insert into whatsapp_contacts (id, tenant_id, wa_id, created_at, updated_at)
      select id, ${tenantId}, id::text, now(), now() from unnest(${own}::uuid[]) as id`)
  }
  return { tenants, numbers, contacts }
}
