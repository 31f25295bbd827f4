// Each tenant in a line, those in trouble first.
import type { Tenant } from '../../api/types.ts'
import type { Health, History, TenantHour } from './types.ts'

export type TenantState =
  | { kind: 'reconnect' | 'late' | 'deadLetters' | 'suspended' | 'working' }
  | { kind: 'circuit'; count: number }

export interface TenantLine {
  id: string
  name: string
  state: TenantState
  waiting: number
  oldestSeconds: number | null
  deadLetters: number
  hour: TenantHour | undefined
}

const ranks: Record<TenantState['kind'], number> = {
  reconnect: 5,
  circuit: 4,
  late: 3,
  deadLetters: 2,
  suspended: 1,
  working: 0,
}

export function tenantLines(
  health: Health,
  history: History | undefined,
  tenants: Tenant[],
): TenantLine[] {
  const known = new Map(tenants.map((tenant) => [tenant.id, tenant]))
  const hours = new Map(history?.tenants?.map((hour) => [hour.tenant_id, hour]))
  const lines = (health.tenants ?? []).map((counts): TenantLine => {
    const id = counts.tenant_id
    const held = Math.max(
      0,
      ...Object.entries(counts.sends_by_state)
        .filter(([state]) => heldStates.has(state))
        .map(([, { oldest_seconds }]) => oldest_seconds),
    )
    const oldest = Math.max(held, counts.oldest_pending_seconds ?? 0)
    return {
      id,
      name: known.get(id)?.name ?? id,
      state: stateOf(id, health, history?.limits, known.get(id)),
      waiting: counts.outbox_pending_count + counts.webhook_events_pending_count,
      oldestSeconds: held === 0 && counts.oldest_pending_seconds === null ? null : oldest,
      deadLetters: counts.dlq_count,
      hour: hours.get(id),
    }
  })
  return lines.toSorted(
    (one, other) =>
      ranks[other.state.kind] - ranks[one.state.kind] ||
      other.waiting - one.waiting ||
      other.deadLetters - one.deadLetters ||
      (other.hour?.sends_decided ?? 0) - (one.hour?.sends_decided ?? 0) ||
      one.name.localeCompare(other.name),
  )
}

/** These wait for something but a worker. */
const heldStates = new Set(['circuit_open', 'parked', 'throttled', 'retry_wait', 'behind'])

function stateOf(
  id: string,
  health: Health,
  limits: History['limits'] | undefined,
  tenant: Tenant | undefined,
): TenantState {
  const isOf = (one: { tenant_id: string | null }) => one.tenant_id === id
  if (health.accounts_needing_reauth.some(isOf)) return { kind: 'reconnect' }
  const circuits = health.circuits_open.filter(isOf).length
  if (circuits > 0) return { kind: 'circuit', count: circuits }
  const counts = health.tenants?.find(isOf)
  if (limits && (counts?.oldest_pending_seconds ?? 0) > limits.oldest_pending_seconds) {
    return { kind: 'late' }
  }
  if (limits && (counts?.dlq_count ?? 0) > limits.dlq_count) return { kind: 'deadLetters' }
  return { kind: tenant?.status === 'suspended' ? 'suspended' : 'working' }
}
