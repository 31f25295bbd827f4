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

export interface NumberCount extends RecentCount {
  phoneNumberId: string
}

export interface Recent {
  /** `phoneNumberId`: on whose account, where that is known. */
  observe(kind: RecentKind, ms: number, phoneNumberId?: string | null): void
  /** What happened since the last call. */
  take(): RecentCount[]
  /** What was taken could not be passed on. */
  putBack(counts: RecentCount[]): void
  /** The same by number: for tenants, who hear of their own. */
  takeByNumber(): NumberCount[]
  putBackByNumber(counts: NumberCount[]): void
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
  const whole = createCounts()
  const numbers = new Map<string, ReturnType<typeof createCounts>>()
  const ofNumber = (phoneNumberId: string) => {
    const known = numbers.get(phoneNumberId)
    if (known) return known
    const fresh = createCounts()
    numbers.set(phoneNumberId, fresh)
    return fresh
  }
  return {
    observe(kind, ms, phoneNumberId) {
      const bucket = bucketOf(ms)
      whole.add(kind, bucket, 1)
      if (phoneNumberId) ofNumber(phoneNumberId).add(kind, bucket, 1)
    },
    take: whole.take,
    putBack(taken) {
      for (const { kind, bucket, count } of taken) whole.add(kind, bucket, count)
    },
    takeByNumber() {
      const taken = [...numbers].flatMap(([phoneNumberId, counts]) =>
        counts.take().map((one) => ({ phoneNumberId, ...one })),
      )
      numbers.clear()
      return taken
    },
    putBackByNumber(taken) {
      for (const { phoneNumberId, kind, bucket, count } of taken) {
        ofNumber(phoneNumberId).add(kind, bucket, count)
      }
    },
  }
}

function createCounts() {
  const counts = new Map<RecentKind, Map<number, number>>()
  return {
    add(kind: RecentKind, bucket: number, count: number): void {
      let buckets = counts.get(kind)
      if (!buckets) {
        buckets = new Map()
        counts.set(kind, buckets)
      }
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + count)
    },
    take(): RecentCount[] {
      const taken = [...counts].flatMap(([kind, buckets]) =>
        [...buckets].map(([bucket, count]) => ({ kind, bucket, count })),
      )
      counts.clear()
      return taken
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
