import { sql, type Tx } from '../db/connect.ts'
import type { RecentCount, RecentKind } from '../recent.ts'

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
