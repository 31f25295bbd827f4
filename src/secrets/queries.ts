// Every column that holds something sealed, as data: where it is, and what its ciphertext belongs to. One that is not
// listed here stays under its old key for ever; reseal.db.test.ts looks into every column for such. What is sealed outside the
// database (a wamid in the dedupe store) expires by itself.
import { pinOwner, tokenOwner } from '../accounts/vault.ts'
import {
  secretOwner as channelSecretOwner,
  targetOwner as channelTargetOwner,
} from '../alerts/open.ts'
import { type Sql, sql, type Tx } from '../db/connect.ts'
import { secretOwner as endpointSecretOwner } from '../events/sign.ts'

export interface SealedRow {
  /** Null: an operator's. */
  tenantId: string | null
  id: string
  sealed: string
}

export interface SealedPlace {
  kind: string
  ownerOf(tenantId: string | null, id: string): string
  /** Those under another key than this one, in the order of their ids. */
  selectStale(currentKey: string, after: string, limit: number): Sql<SealedRow>
  /** Only while it is still what was opened: a change that came between is never undone. */
  replace(row: SealedRow, sealed: string): Sql<{ id: string }>
}

export const sealedPlaces: readonly SealedPlace[] = [
  {
    kind: 'access_token',
    ownerOf: (tenantId, id) => tokenOwner(tenantId ?? '', id),
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, access_token as sealed
      from whatsapp_accounts
      where split_part(access_token, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update whatsapp_accounts
      set access_token = ${sealed}
      where tenant_id = ${tenantId} and id = ${id} and access_token = ${old}
      returning id`,
  },
  {
    kind: 'pin',
    ownerOf: (tenantId, id) => pinOwner(tenantId ?? '', id),
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, pin as sealed
      from whatsapp_accounts
      where split_part(pin, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update whatsapp_accounts
      set pin = ${sealed}
      where tenant_id = ${tenantId} and id = ${id} and pin = ${old}
      returning id`,
  },
  {
    kind: 'endpoint_secret',
    ownerOf: (tenantId, id) => endpointSecretOwner(tenantId ?? '', id),
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, secret as sealed
      from event_endpoints
      where split_part(secret, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update event_endpoints
      set secret = ${sealed}
      where tenant_id = ${tenantId} and id = ${id} and secret = ${old}
      returning id`,
  },
  {
    kind: 'endpoint_old_secret',
    ownerOf: (tenantId, id) => endpointSecretOwner(tenantId ?? '', id),
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, old_secret as sealed
      from event_endpoints
      where split_part(old_secret, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update event_endpoints
      set old_secret = ${sealed}
      where tenant_id = ${tenantId} and id = ${id} and old_secret = ${old}
      returning id`,
  },
  {
    kind: 'alert_target',
    ownerOf: channelTargetOwner,
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, target as sealed
      from alert_channels
      where split_part(target, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update alert_channels
      set target = ${sealed}
      where tenant_id is not distinct from ${tenantId} and id = ${id} and target = ${old}
      returning id`,
  },
  {
    kind: 'alert_secret',
    ownerOf: channelSecretOwner,
    selectStale: (currentKey, after, limit) => sql<SealedRow>`
      select tenant_id as "tenantId", id, secret as sealed
      from alert_channels
      where split_part(secret, '.', 2) <> ${currentKey} and id > ${after}
      order by id
      limit ${limit}`,
    replace: ({ tenantId, id, sealed: old }, sealed) => sql<{ id: string }>`
      update alert_channels
      set secret = ${sealed}
      where tenant_id is not distinct from ${tenantId} and id = ${id} and secret = ${old}
      returning id`,
  },
]

/** How many values each key seals, by its id; a key that seals nothing is not listed. */
export async function countByKey(db: Tx): Promise<Map<string, number>> {
  const rows = await db.query(sql<{ key: string; count: number }>`
    select split_part(sealed, '.', 2) as key, count(*)::int as count
    from (
      select access_token from whatsapp_accounts
      union all select pin from whatsapp_accounts
      union all select secret from event_endpoints
      union all select old_secret from event_endpoints
      union all select target from alert_channels
      union all select secret from alert_channels
    ) as every (sealed)
    where sealed is not null
    group by 1`)
  return new Map(rows.map(({ key, count }) => [key, count]))
}

/** In this transaction a token that is written is the same under another key: no news (migrations/0019_backlog_limit.sql). */
export async function announceResealing(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('estafet.resealing', 'on', true)`)
}
