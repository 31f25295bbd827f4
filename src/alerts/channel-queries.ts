import { sql, type Tx } from '../db/connect.ts'
import type { ChannelKind } from './model.ts'

export interface ChannelRow {
  id: string
  tenant_id: string | null
  kind: ChannelKind
  description: string
  target: string | null
  hint: string
  secret: string | null
  created_at: Date
  failures: number
  failing_since: Date | null
  last_error: string | null
  last_success_at: Date | null
}

/** The latest first; or the one. Of one tenant, or (null) the operator's. */
export async function selectChannels(
  tx: Tx,
  tenantId: string | null,
  only: { id?: string; after?: { at: Date; id: string } | null; limit: number },
): Promise<ChannelRow[]> {
  return tx.query(sql<ChannelRow>`
    select id, tenant_id, kind, description, target, hint, secret, created_at, failures, failing_since, last_error,
      last_success_at
    from alert_channels
    where tenant_id is not distinct from ${tenantId}::uuid
      and (${only.id ?? null}::uuid is null or id = ${only.id ?? null})
      and (${only.after?.at ?? null}::timestamptz is null
        or (created_at, id) < (${only.after?.at ?? null}, ${only.after?.id ?? null}::uuid))
    order by created_at desc, id desc
    limit ${only.limit}`)
}

export async function countChannels(tx: Tx, tenantId: string | null): Promise<number> {
  const [row] = await tx.query(sql<{ count: number }>`
    select count(*)::int as count
    from alert_channels
    where tenant_id is not distinct from ${tenantId}::uuid and target is not null`)
  return row?.count ?? 0
}

export async function insertChannel(
  tx: Tx,
  channel: Pick<
    ChannelRow,
    'id' | 'tenant_id' | 'kind' | 'description' | 'target' | 'hint' | 'secret' | 'created_at'
  >,
): Promise<void> {
  await tx.query(sql`
    insert into alert_channels (id, tenant_id, kind, description, target, hint, secret, created_at)
    values (${channel.id}, ${channel.tenant_id}, ${channel.kind}, ${channel.description}, ${channel.target},
      ${channel.hint}, ${channel.secret}, ${channel.created_at})`)
}

/** With what waits for it. */
export async function deleteChannel(tx: Tx, tenantId: string | null, id: string): Promise<boolean> {
  const rows = await tx.query(sql`
    delete from alert_channels where tenant_id is not distinct from ${tenantId}::uuid and id = ${id} returning id`)
  return rows.length > 0
}

export async function insertEnvironmentChannel(
  db: Tx,
  channel: { id: string; kind: ChannelKind; hint: string; createdAt: Date },
): Promise<void> {
  await db.query(sql`
    insert into alert_channels as c (id, kind, hint, created_at)
    values (${channel.id}, ${channel.kind}, ${channel.hint}, ${channel.createdAt})
    on conflict (id) do update set hint = excluded.hint where c.hint <> excluded.hint`)
}

export async function deleteEnvironmentChannels(db: Tx, except: string[]): Promise<void> {
  await db.query(sql`
    delete from alert_channels where tenant_id is null and target is null and not id = any(${except}::uuid[])`)
}
