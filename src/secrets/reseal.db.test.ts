import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { canary, expectNone } from '../../test/support/canaries.ts'
import {
  operatorKey,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
  testSecrets,
} from '../../test/support/gateway.ts'
import { recordTokenCheck, selectCheckedAccount } from '../accounts/token-queries.ts'
import { createVault, pinOwner, tokenOwner } from '../accounts/vault.ts'
import { type Db, type Sql, sql } from '../db/connect.ts'
import { readKeyUse } from './keys.ts'
import { sealedPlaces } from './queries.ts'
import { resealSecrets } from './reseal.ts'

const k1 = { id: 'k1', key: Buffer.alloc(32, 7) }
const k2 = { id: 'k2', key: Buffer.alloc(32, 8) }
const token = 'internal-token-of-the-reseal-test'
let gateway: TestGateway
/** The same database, as after a restart with the new key first. */
let restarted: TestGateway
let firm: TestTenant
let accountId: string

beforeAll(async () => {
  gateway = await startTestGateway()
  const { databaseUrl: url, db } = gateway
  restarted = await startTestGateway({
    database: { url, db },
    environment: {
      ENCRYPTION_KEYS: `k2:${k2.key.toString('base64')},${testSecrets.ENCRYPTION_KEYS}`,
      INTERNAL_TASK_TOKEN: token,
    },
  })
  firm = await gateway.createTenant('Firm A', tenantANumber)
  const [account] = await db.query(sql<{ id: string }>`select id from whatsapp_accounts`)
  accountId = account?.id ?? ''
  const asFirm = async (path: string, body: unknown) =>
    (await gateway.call('POST', path, { key: firm.key, body })).json
  const endpoint = { url: 'http://127.0.0.1:9/', events: ['*'] }
  const { id } = await asFirm('/api/whatsapp/event-endpoints', endpoint)
  await asFirm(`/api/whatsapp/event-endpoints/${id}/rotate-secret`, undefined)
  const channel = { kind: 'webhook', target: 'http://127.0.0.1:9/alerts' }
  await asFirm('/api/whatsapp/alert-channels', channel)
  await gateway.call('POST', '/api/admin/alert-channels', { key: operatorKey, body: channel })
})

/** Everything is under the old key. */
beforeEach(async () => {
  // Longer than a real one: six digits may stand in any id of the log.
  const { text } = canary('PIN number')
  const pin = createVault([k1], gateway.runtime.random).seal(text, pinOwner(firm.id, accountId))
  await gateway.db.query(sql`
    update whatsapp_accounts set pin = coalesce(pin, ${pin}) where id = ${accountId}`)
  await resealSecrets({ ...gateway.runtime, vault: vaultOf(k1, k2), db: gateway.runtime.db.work })
})

/** Two endpoint secrets, two channels with a target and a secret each, a token and a pin. */
const all = 8
const ring = [k2, k1]
const vaultOf = (...keys: (typeof k1)[]) => createVault(keys, gateway.runtime.random)
const reseal = (db: Db = gateway.runtime.db.work, batchRows = 1) =>
  resealSecrets({ ...gateway.runtime, vault: vaultOf(k2, k1), db, batchRows })
const sweep = () =>
  restarted.call('POST', '/internal/sweep', {
    headers: { 'x-internal-token': token, 'x-sweep-jobs': 'reseal' },
  })

/** What these values say, opened with these keys. */
async function openedWith(...keys: (typeof k1)[]): Promise<string[]> {
  const vault = vaultOf(...keys)
  const opened = await Promise.all(
    sealedPlaces.map(async ({ kind, ownerOf, selectStale }) => {
      const from = '00000000-0000-0000-0000-000000000000'
      const rows = await gateway.db.query(selectStale('nobody’s key', from, 100))
      return rows.map(({ tenantId, id, sealed }) => {
        return `${kind} ${id} ${vault.open(sealed, ownerOf(tenantId, id))}`
      })
    }),
  )
  return opened.flat()
}

/** Columns in which something looks like sealed with this key, whatever wrote it. */
async function columnsWith(keyId: string): Promise<string[]> {
  const rows = await gateway.db.query(sql<{ name: string }>`
    select table_name || '.' || column_name as name
    from information_schema.columns
    where case when table_schema = 'public' and data_type in ('text', 'jsonb', 'json', 'ARRAY')
      then query_to_xml(format('select 1 from public.%I where %I::text like %L limit 1', table_name, column_name,
        ${`%v1.${keyId}.%`}::text), false, true, '')::text <> '' end
    order by 1`)
  return rows.map(({ name }) => name)
}

/** All of these rows but what is sealed, and what would tell of a change. */
function traces() {
  return gateway.db.query(sql`
    select (select jsonb_agg(to_jsonb(a) - 'access_token' - 'pin' order by a.id) from whatsapp_accounts a) as accounts,
      (select jsonb_agg(to_jsonb(e) - 'secret' - 'old_secret' order by e.id) from event_endpoints e) as endpoints,
      (select jsonb_agg(to_jsonb(c) - 'target' - 'secret' order by c.id) from alert_channels c) as channels,
      (select count(*) from events)::int as events, (select count(*) from audit_log)::int as acts`)
}

describe('after the first key changed', () => {
  test('a sweep seals everything anew, and it still says the same', async () => {
    const before = await openedWith(k1)
    expect(before).toHaveLength(all)
    const untold = await traces()
    expect(await columnsWith('k1')).toHaveLength(sealedPlaces.length)

    const { json } = await sweep()

    expect(json.jobs).toEqual([{ name: 'reseal', count: all, is_failed: false }])
    expect(await openedWith(k2)).toEqual(before)
    expect(await columnsWith('k1')).toEqual([])
    // The same token is no news: nobody is told, and what Meta said of it still holds.
    expect(await traces()).toEqual(untold)
    expect((await sweep()).json.jobs[0].count).toBe(0)
  })

  test('the log tells how many, and no secret', async () => {
    const secrets = (await openedWith(k1)).map((one) => one.split(' ')[2] ?? '')
    await reseal()
    const log = gateway.logText()
    const told = log.split('\n').filter((line) => line.includes('secrets_resealed'))
    expect(told.map((line) => JSON.parse(line)).slice(-sealedPlaces.length)).toMatchObject([
      { kind: 'access_token', count: 1 },
      { kind: 'pin', count: 1 },
      { kind: 'endpoint_secret', count: 1 },
      { kind: 'endpoint_old_secret', count: 1 },
      { kind: 'alert_target', count: 2 },
      { kind: 'alert_secret', count: 2 },
    ])
    expectNone(log, ...secrets)
  })

  test('it is known when the old one is needed no more', async () => {
    const { db } = gateway
    expect(await readKeyUse(db, ring)).toEqual([
      { id: 'k2', state: 'current', sealed: 0 },
      { id: 'k1', state: 'old', sealed: all },
    ])
    await reseal()
    expect(await readKeyUse(db, ring)).toEqual([
      { id: 'k2', state: 'current', sealed: all },
      { id: 'k1', state: 'old', sealed: 0 },
    ])
    expect(await readKeyUse(db, [k1])).toEqual([
      { id: 'k1', state: 'current', sealed: 0 },
      { id: 'k2', state: 'missing', sealed: all },
    ])
  })

  test('what was changed meanwhile stays changed', async () => {
    const { db } = gateway
    const newer = vaultOf(k1).seal('a newer token', tokenOwner(firm.id, accountId))
    const work = gateway.runtime.db.work
    const meanwhile: Db = {
      ...work,
      async query<Row>(statement: Sql<Row>) {
        const rows = await work.query(statement)
        if (
          statement.text.includes('select') &&
          statement.text.includes('access_token as sealed')
        ) {
          await db.query(sql`update whatsapp_accounts set access_token = ${newer}`)
        }
        return rows
      },
    }

    expect(await reseal(meanwhile, 100)).toEqual({ resealed: all - 1, unreadable: 0 })

    const [row] = await db.query(
      sql<{ access_token: string }>`select access_token from whatsapp_accounts`,
    )
    expect(row?.access_token).toBe(newer)
    expect(await reseal()).toEqual({ resealed: 1, unreadable: 0 })
  })

  test('what cannot be opened is counted, told once a round, and left alone', async () => {
    const { db } = gateway
    const lost = createVault([{ id: 'k0', key: k1.key }], gateway.runtime.random)
    const channels = await db.query(
      sql<{ id: string; target: string }>`select id, target from alert_channels order by id`,
    )
    const [first] = channels
    const sealed = lost.seal('anything', 'anywhere')
    await db.query(sql`update alert_channels set target = ${sealed} where id = ${first?.id}`)

    expect(await reseal()).toEqual({ resealed: all - 1, unreadable: 1 })

    const told = gateway
      .logText()
      .split('\n')
      .filter((line) => line.includes('unreadable'))
    expect(told.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'warn', event: 'secrets_unreadable', count: 1 },
    ])
    const [kept] = await db.query(
      sql<{ target: string }>`select target from alert_channels where id = ${first?.id}`,
    )
    expect(kept?.target).toBe(sealed)
    expect(await readKeyUse(db, ring)).toContainEqual({ id: 'k0', state: 'missing', sealed: 1 })
    await db.query(sql`update alert_channels set target = ${first?.target} where id = ${first?.id}`)
  })

  test('what Meta said of a token still holds for it, and not for another one', async () => {
    const now = gateway.runtime.clock.now()
    const look = () => selectCheckedAccount(gateway.db, firm.id, accountId)
    const checked = await look()
    if (!checked) throw new Error('the account is gone')
    await reseal()
    expect((await look())?.access_token).not.toBe(checked.access_token)
    expect(await recordTokenCheck(gateway.db, checked, null, now)).toBeDefined()

    const other = vaultOf(k2).seal('another token', tokenOwner(firm.id, accountId))
    await gateway.db.query(sql`update whatsapp_accounts set access_token = ${other}`)
    expect(await recordTokenCheck(gateway.db, checked, null, now)).toBeUndefined()
  })
})
