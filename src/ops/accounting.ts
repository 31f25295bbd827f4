// Where everything went that was received: per tenant and in total, as numbers that must add up. What was refused
// (a bad signature) or skipped before it was stored (the same delivery again) was never received in this sense; the
// metrics count it.
import type { Tx } from '../db/connect.ts'
import { nobody } from '../inbox/outcome.ts'
import {
  countEvents,
  type EventCount,
  type IgnoredSum,
  type OutcomeSum,
  type Period,
  sumIgnored,
  sumOutcomes,
} from './accounting-queries.ts'

export interface Account {
  /** Items: messages, statuses, notices. An event that failed as a whole is one item. */
  received: number
  messages: number
  statuses: number
  notices: number
  duplicates: number
  ignored: Record<string, number>
  dead: number
  adds_up: boolean
  /** Webhooks that wait or are being worked on: their items are not counted yet. */
  pending: number
}

export interface Accounting {
  total: Account & { webhooks: { done: number; failed: number; pending: number } }
  /** `tenant_id` null: what belongs to nobody. */
  tenants: (Account & { tenant_id: string | null })[]
}

export async function readAccounting(
  db: Tx,
  period: Period,
  tenantId: string | null = null,
): Promise<Accounting> {
  const isWanted = (tenant: string | null) => tenantId === null || tenant === tenantId
  const sums = (await sumOutcomes(db, period)).filter((sum) => isWanted(sum.tenant))
  const ignored = (await sumIgnored(db, period)).filter((sum) => isWanted(sum.tenant))
  const events = (await countEvents(db, period)).filter((count) => isWanted(count.tenant_id))
  const names = new Set([
    ...(tenantId === null ? [] : [tenantId]),
    ...sums.map((sum) => sum.tenant),
    ...events.filter(isPending).map((count) => count.tenant_id ?? nobody),
  ])
  const tenants = [...names].sort().map((name) => ({
    tenant_id: name === nobody ? null : name,
    ...accountOf(
      sums.filter((sum) => sum.tenant === name),
      ignored.filter((sum) => sum.tenant === name),
      events.filter((count) => (count.tenant_id ?? nobody) === name),
    ),
  }))
  const total = accountOf(sums, ignored, events)
  const countOf = (status: string) =>
    add(events.filter((count) => count.status === status).map((count) => count.count))
  return {
    total: {
      ...total,
      webhooks: { done: countOf('done'), failed: countOf('failed'), pending: total.pending },
    },
    tenants,
  }
}

function accountOf(sums: OutcomeSum[], ignoredSums: IgnoredSum[], events: EventCount[]): Account {
  const of = (key: Exclude<keyof OutcomeSum, 'tenant'>) => add(sums.map((sum) => sum[key]))
  const ignored: Record<string, number> = {}
  for (const { reason, count } of ignoredSums) ignored[reason] = (ignored[reason] ?? 0) + count
  const counts = {
    received: of('received'),
    messages: of('messages'),
    statuses: of('statuses'),
    notices: of('notices'),
    duplicates: of('duplicates'),
    ignored,
    dead: of('dead'),
  }
  const went = [
    counts.messages,
    counts.statuses,
    counts.notices,
    counts.duplicates,
    ...Object.values(ignored),
    counts.dead,
  ]
  return {
    ...counts,
    adds_up: counts.received === add(went),
    pending: add(events.filter(isPending).map((count) => count.count)),
  }
}

function isPending({ status }: EventCount): boolean {
  return status === 'pending' || status === 'processing'
}

function add(numbers: number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}
