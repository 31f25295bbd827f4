// What processing needs, handed in by the composition root.
import type { StopWords } from '../consent/stop-words.ts'
import type { Db } from '../db/connect.ts'
import type { Log } from '../log.ts'
import type { WebhookItem } from '../meta/webhook-item.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Traces } from '../tracing/traces.ts'
import type { ClaimedEvent } from './queries.ts'

export interface Inbox {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  traces?: Traces | undefined
  leaseSeconds: number
  /** For tenants without words of their own. */
  stopWords: StopWords
  /** Called after a commit that queued replies, with the tenants of the event. */
  onReplied?: (tenantIds: string[]) => void
  /** Called after a commit that proved sends of these tenants: whoever waited behind them may be next. */
  onProven?: (tenantIds: string[]) => void
  /** For tests: gives up earlier than the event's own `attempts_allowed`. */
  maxAttempts?: number
  /** What the queue takes for now: the database's clock (null), unless a test steers it. */
  queueNow: () => Date | null
  /** For tests: called inside the transaction, before an event's items are applied. */
  beforeApply?: (event: ClaimedEvent, items: WebhookItem[]) => void
}

/** 20 s: what a killed process held is taken up again within half a minute. A batch takes well under a second. */
export const inboxDefaults = {
  leaseSeconds: 20,
  queueNow: () => null,
  stopWords: new Set<string>() as StopWords,
}
