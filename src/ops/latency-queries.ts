import { sql, type Tx } from '../db/connect.ts'
import type { NumberCount, RecentCount, RecentKind } from '../recent.ts'

export async function addLatencies(
  db: Tx,
  processId: string,
  slot: Date,
  counts: RecentCount[],
): Promise<void> {
  await db.query(sql`
    insert into recent_latencies as l (slot, kind, process_id, bucket, count)
    select ${slot}::timestamptz, kind, ${processId}::uuid, bucket, count
    from unnest(
      ${counts.map((one) => one.kind)}::text[],
      ${counts.map((one) => one.bucket)}::smallint[],
      ${counts.map((one) => one.count)}::int[]) as taken (kind, bucket, count)
    on conflict (slot, kind, process_id, bucket) do update set count = l.count + excluded.count`)
}

/** By the tenants that have these numbers; what nobody has is the whole's alone. */
export async function addTenantLatencies(
  db: Tx,
  processId: string,
  minute: Date,
  counts: NumberCount[],
): Promise<void> {
  await db.query(sql`
    insert into recent_tenant_latencies as l (tenant_id, minute, kind, process_id, bucket, count)
    select a.tenant_id, ${minute}::timestamptz, taken.kind, ${processId}::uuid, taken.bucket, sum(taken.count)
    from unnest(
      ${counts.map((one) => one.phoneNumberId)}::text[],
      ${counts.map((one) => one.kind)}::text[],
      ${counts.map((one) => one.bucket)}::smallint[],
      ${counts.map((one) => one.count)}::int[]) as taken (number, kind, bucket, count)
    join whatsapp_accounts a on a.phone_number_id = taken.number
    group by a.tenant_id, taken.kind, taken.bucket
    on conflict (tenant_id, minute, kind, process_id, bucket) do update set count = l.count + excluded.count`)
}

export async function sumTenantLatencies(
  tx: Tx,
  tenantId: string,
  from: Date,
): Promise<RecentCount[]> {
  return tx.query(sql<RecentCount>`
    select kind, bucket, sum(count)::int as count
    from recent_tenant_latencies
    where tenant_id = ${tenantId} and minute > ${from}
    group by kind, bucket`)
}

/** In all processes, by kind and bucket. */
export async function sumLatencies(
  db: Tx,
  kinds: RecentKind[],
  from: Date,
  to: Date,
): Promise<RecentCount[]> {
  return db.query(sql<RecentCount>`
    select kind, bucket, sum(count)::int as count
    from recent_latencies
    where slot >= ${from} and slot <= ${to} and kind = any(${kinds}::text[])
    group by kind, bucket`)
}

export async function deleteTenantLatencies(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from recent_tenant_latencies
      where ctid = any(array(
        select ctid from recent_tenant_latencies where minute < ${before} order by minute limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}

export async function deleteLatencies(db: Tx, before: Date, limit: number): Promise<number> {
  const [row] = await db.query(sql<{ count: number }>`
    with gone as (
      delete from recent_latencies
      where ctid = any(array(
        select ctid from recent_latencies where slot < ${before} order by slot limit ${limit}))
      returning 1
    )
    select count(*)::int as count from gone`)
  return row?.count ?? 0
}
