// What every life begins with, made once and copied for each: a firm with everything a process finds to do when it starts.
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { connect, type Db, sql } from '../../src/db/connect.ts'
import { createTestDatabase, testPatience } from '../../test/support/database.ts'
import { testSecrets } from '../../test/support/gateway.ts'
import { fileForm, pdfBytes } from '../../test/support/media.ts'
import { payload, textMessage } from '../../test/support/payloads.ts'
import { createDirectory, startGatewayProgram, until } from '../../test/support/program.ts'

export interface Firm {
  id: string
  key: string
  wabaId: string
  phoneNumberId: string
}

export interface Stage {
  firm: Firm
  /** A database and a folder of files that nobody else has. */
  copy(): Promise<Place>
  /** The very ones that it was set in. */
  itself: Place
}

interface Place {
  databaseUrl: string
  dataDir: string
}

export const number = { waba_id: '77001', phone_number_id: '77002' }
/** In the event that is out of attempts. */
export const stubborn = 'wamid.stubborn'
export const poison = 'wamid.poison'

const newKey = `k2:${Buffer.alloc(32, 9).toString('base64')}`
/** The key ring of every life: what the stage sealed is sealed anew. */
export const laterKeys = `${newKey},${testSecrets.ENCRYPTION_KEYS}`

/** `program`: the one in which processes can die. */
export async function setStage(program: string, ownDatabaseUrl?: string): Promise<Stage> {
  const databaseUrl = ownDatabaseUrl ?? (await createTestDatabase())
  const dataDir = await createDirectory()
  const db = connect({ url: databaseUrl, name: 'test', poolSize: 2, ...testPatience })
  const environment = { DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ALLOW_PRIVATE_TARGETS: '1' }
  const whole = await startGatewayProgram({ ...environment, ROLES: 'api,worker' }, program)
  const { id, key } = await whole.createTenant('Firm', number)
  await whole.call('POST', '/api/whatsapp/event-endpoints', {
    key,
    body: { url: 'http://127.0.0.1:9/', events: ['message.received'] },
  })
  // To be told of by an alert: a message without a name.
  await whole.deliver(payload({ number, messages: [{ type: 'text' }] }))
  await until('there is a dead letter', async () => {
    const letters = await whole.call('GET', '/api/whatsapp/dlq', { key })
    return letters.json.data.length > 0
  })
  await whole.end('SIGTERM')
  // From now on nobody processes what comes in.
  const api = await startGatewayProgram({ ...environment, ROLES: 'api' }, program)
  await api.deliver(payload({ number, messages: [textMessage(stubborn, 'hello')] }))
  await fetch(`${api.url}/api/whatsapp/meta/media`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: fileForm(pdfBytes, 'application/pdf'),
  })
  await api.end('SIGTERM')
  await grow(db)
  await db.close()
  return {
    firm: { id, key, wabaId: number.waba_id, phoneNumberId: number.phone_number_id },
    itself: { databaseUrl, dataDir },
    async copy() {
      const copied = {
        databaseUrl: await createTestDatabase(new URL(databaseUrl).pathname.slice(1)),
        dataDir: await createDirectory(),
      }
      await cp(join(dataDir, 'media'), join(copied.dataDir, 'media'), { recursive: true })
      return copied
    },
  }
}

/** As if time had passed, and processes had died of one event; and there is a message that the database does not take. */
async function grow(db: Db): Promise<void> {
  await db.query(sql`update whatsapp_media set kept_since = now() - interval '9 years'`)
  await db.query(sql`
    insert into whatsapp_webhook_dedupe (tenant_id, event_type, dedupe_key, created_at)
    select id, 'inbound_message', 'of-old-' || count, now() - interval '1 year'
    from tenants, generate_series(1, 10) count`)
  await db.query(
    sql`update whatsapp_webhook_events set attempt = attempts_allowed where status = 'pending'`,
  )
  await db.query(sql`update alert_evaluator set evaluated_at = '-infinity'`)
  await db.session((session) =>
    session.script(`
      create function refuse_poison() returns trigger language plpgsql as $$
      begin
        raise exception 'it cannot be stored' using errcode = 'P0001';
      end $$;
      create trigger poison before insert on whatsapp_messages
      for each row when (new.wamid = '${poison}') execute function refuse_poison()`),
  )
}
