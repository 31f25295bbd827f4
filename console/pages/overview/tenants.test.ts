import { expect, test } from 'vitest'
import type { Tenant } from '../../api/types.ts'
import { tenantLines } from './tenants.ts'
import type { Health, History } from './types.ts'

const counts = {
  webhook_events_pending_count: 0,
  outbox_pending_count: 0,
  outbox_failed_count: 0,
  dlq_count: 0,
  oldest_pending_seconds: null,
  oldest_dead_letter_seconds: null,
  events_by_state: {},
  sends_by_state: {},
}
const ids = ['calm', 'busy', 'off', 'dead', 'late', 'circuit', 'lost']
const tenants = ids.map((id) => ({
  id,
  name: `Firm ${id}`,
  status: id === 'off' ? 'suspended' : 'active',
})) as Tenant[]
const own: Record<string, object> = {
  dead: { dlq_count: 11 },
  late: { oldest_pending_seconds: 301 },
  circuit: {
    outbox_pending_count: 214,
    sends_by_state: { circuit_open: { count: 214, oldest_seconds: 291 } },
  },
}
const health = {
  circuits_open: [{ tenant_id: 'circuit' }, { tenant_id: null }],
  accounts_needing_reauth: [{ tenant_id: 'lost' }],
  tenants: ids.map((tenant_id) => ({ tenant_id, ...counts, ...own[tenant_id] })),
} as unknown as Health
const hour = { tenant_id: 'busy', sends_accepted: 9, sends_decided: 9, send_p95_ms: 1, sends: [9] }
const history = {
  limits: { oldest_pending_seconds: 300, dlq_count: 10 },
  tenants: [hour],
} as unknown as History

test('tenants in trouble come first, then those with the most to do', () => {
  const lines = tenantLines(health, history, tenants)
  expect(lines.map(({ id, state }) => [id, state.kind])).toEqual([
    ['lost', 'reconnect'],
    ['circuit', 'circuit'],
    ['late', 'late'],
    ['dead', 'deadLetters'],
    ['off', 'suspended'],
    ['busy', 'working'],
    ['calm', 'working'],
  ])
  expect(lines[1]).toMatchObject({ name: 'Firm circuit', waiting: 214, oldestSeconds: 291 })
  expect(lines.at(-1)).toMatchObject({ waiting: 0, oldestSeconds: null, hour: undefined })
})

test('before the history is known, nothing is called late by guess', () => {
  const kinds = tenantLines(health, undefined, tenants).map(({ state }) => state.kind)
  expect(kinds).not.toContain('late')
  expect(kinds).toContain('circuit')
})
