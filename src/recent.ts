// How long things took lately, in this process: counted by kind and bucket until somebody takes them (ops/latency.ts).

export const recentKinds = [
  'webhook_ack',
  'inbound_processing',
  'send',
  'send_accepted',
  'send_refused',
  // Only counted, for alerts.
  'webhook_rejected',
  'webhook_failed',
  'inbound_failed',
] as const
export type RecentKind = (typeof recentKinds)[number]

export interface RecentCount {
  kind: RecentKind
  bucket: number
  count: number
}

export interface Recent {
  observe(kind: RecentKind, ms: number): void
  /** What happened since the last call. */
  take(): RecentCount[]
  /** What was taken could not be passed on. */
  putBack(counts: RecentCount[]): void
}

/** Each bucket ends 8 % above the one before: a percentile read from them is that exact. */
const growth = Math.log(1.08)
const firstMs = 0.1
/** An hour; nothing that is told in milliseconds takes longer. */
const lastBucket = 226

export function bucketOf(ms: number): number {
  if (!(ms > firstMs)) return 0
  return Math.min(lastBucket, Math.ceil(Math.log(ms / firstMs) / growth))
}

/** Where a bucket ends. */
export function bucketMs(bucket: number): number {
  return firstMs * Math.exp(bucket * growth)
}

export function createRecent(): Recent {
  const counts = new Map<RecentKind, Map<number, number>>()
  const add = (kind: RecentKind, bucket: number, count: number) => {
    let buckets = counts.get(kind)
    if (!buckets) {
      buckets = new Map()
      counts.set(kind, buckets)
    }
    buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
  }
  return {
    observe: (kind, ms) => add(kind, bucketOf(ms), 1),
    take() {
      const taken = [...counts].flatMap(([kind, buckets]) =>
        [...buckets].map(([bucket, count]) => ({ kind, bucket, count })),
      )
      counts.clear()
      return taken
    },
    putBack(taken) {
      for (const { kind, bucket, count } of taken) add(kind, bucket, count)
    },
  }
}

/** The value that `share` of the counted ones do not exceed. */
export function percentileMs(
  counts: { bucket: number; count: number }[],
  share: number,
): number | null {
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  if (total === 0) return null
  let seen = 0
  for (const { bucket, count } of counts.toSorted((one, other) => one.bucket - other.bucket)) {
    seen += count
    if (seen >= share * total) return Math.round(bucketMs(bucket) * 10) / 10
  }
  throw new Error('bug: a percentile beyond its counts')
}
