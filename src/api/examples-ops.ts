// Health, history, accounting and tasks, in examples.
const at = '2026-11-16T12:00:00.000Z'
const tenant_id = '01a1e2b0-0957-701b-bfd6-5e8f68cd8386'

const counts = {
  webhook_events_pending_count: 0,
  outbox_pending_count: 4,
  outbox_failed_count: 1,
  dlq_count: 1,
  oldest_pending_seconds: 0.4,
  oldest_dead_letter_seconds: 5400,
  events_by_state: {},
  sends_by_state: { runnable: { count: 4, oldest_seconds: 0.4 } },
}

const health = {
  status: 'degraded',
  reasons: ['1 account must be reconnected'],
  troubles: [{ code: 'reauth_needed', count: 1, seconds: null }],
  ...counts,
  send_success_rate_last_1h: 0.998,
  sends_accepted_last_1h: 998,
  sends_decided_last_1h: 1000,
  webhook_ack_p95_ms: 9,
  inbound_processing_p95_ms: 38,
  send_p95_ms: 210,
  oldest_webhook_seconds: 0,
  dead_letters_by_kind: { outbound: 1 },
  counted_at: at,
  circuits_open: [],
  accounts_needing_reauth: [
    {
      account_id: 'acc_01a1e2b00957701d8c5df2e3a4b5c607',
      tenant_id,
      phone_number_id: '441785372350001',
      display_phone_number: '+1 555-0100',
    },
  ],
  numbers_count: 2,
  has_received: true,
}

const history = {
  range: '1h',
  step_seconds: 60,
  limits: { oldest_pending_seconds: 300, dlq_count: 10 },
  points: [
    {
      at,
      minutes: 1,
      webhook_ack_p95_ms: 9,
      inbound_processing_p95_ms: 38,
      send_p95_ms: 210,
      outbox_pending_count: 4,
      webhook_events_pending_count: 0,
      oldest_pending_seconds: 0.4,
      dlq_count: 1,
      sends_accepted: 17,
      sends_decided: 17,
    },
  ],
}

const account = {
  received: 12,
  messages: 5,
  statuses: 6,
  notices: 0,
  duplicates: 1,
  ignored: {},
  dead: 0,
  adds_up: true,
  pending: 0,
}

export const opsExamples = {
  Health: { ...health, tenants: [{ tenant_id, ...counts }] },
  TenantHealth: health,
  TenantHistory: history,
  History: {
    ...history,
    tenants: [
      { tenant_id, sends_accepted: 998, sends_decided: 1000, send_p95_ms: 210, sends: [80, 84] },
    ],
  },
  Accounting: {
    total: { ...account, webhooks: { done: 9, failed: 0, pending: 0 } },
    tenants: [{ tenant_id, ...account }],
  },
  ReplayRequest: {
    from: '2026-11-16T00:00:00Z',
    to: '2026-11-16T12:00:00Z',
    reason: 'a bug in the responder',
    dry_run: false,
  },
  ReplayAnswer: {
    dry_run: false,
    matched: 9,
    replayable: 9,
    pruned: 0,
    waiting: 0,
    replayed: 9,
    next: null,
  },
  InboundTask: {
    event_id: '01a1e2b0-0957-702a-9f5a-091b2c3d4e5f',
    inbound_event_id: 'wamid.HBgLMTY1MDU1NTAxNDMVAgARGBI',
    correlation_id: '4d1d1f3e-8f0b-4a63-9a0e-0d6c6f1b2a11',
  },
  InboundTaskAnswer: { status: 'finished', next_at: null },
  OutboundTask: {
    outbox_id: '4711',
    idempotency_key: 'msg_01a1e2b00957701f8ad46e451c6fc14c',
    correlation_id: '4d1d1f3e-8f0b-4a63-9a0e-0d6c6f1b2a11',
  },
  OutboundTaskAnswer: { status: 'sent', reason: null, next_at: null },
  SweepAnswer: {
    jobs: [{ name: 'retention', count: 3, is_failed: false }],
    is_complete: true,
    duration_ms: 41,
  },
}
