// Events, endpoints and alerts, in examples.
const at = '2026-11-16T12:00:00.000Z'
const later = '2026-11-16T12:00:01.000Z'
const secret = 'whsec_YW4tZXhhbXBsZS10aGF0LXNpZ25zLW5vdGhpbmc='

const event = {
  id: 'evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12',
  type: 'message.received',
  version: 1,
  timestamp: at,
  tenant_id: '01a1e2b0-0957-701b-bfd6-5e8f68cd8386',
  data: {
    message_id: 'msg_01a1e2b00957701f8ad46e451c6fc14c',
    conversation_id: 'conv_01a1e2b009577020a7c1d0e2f3a4b5c6',
    phone_number_id: '441785372350001',
    message_type: 'text',
    occurred_at: '2026-11-16T11:59:59.000Z',
  },
}

const endpoint = {
  id: 'ep_01a1e2b009577025fc16c5d7e8f90a1b',
  url: 'https://app.example/events',
  description: 'the shop',
  events: ['message.received', 'message.status'],
  status: 'active',
  disabled_reason: null,
  disabled_at: null,
  responder_for: [],
  old_secret_until: null,
  failing_since: null,
  last_success_at: at,
  pending_count: 0,
  created_at: at,
  updated_at: at,
}

const delivery = {
  event_id: event.id,
  event_type: event.type,
  status: 'done',
  attempts: 0,
  next_attempt_at: null,
  last_error: null,
  status_code: 204,
  duration_ms: 41,
  created_at: at,
  updated_at: later,
}

const channel = {
  id: 'ach_01a1e2b0095770260d27d6e8f90a1b2c',
  kind: 'webhook',
  description: 'on-call',
  target: 'https://alerts.example/…',
  origin: 'api',
  failing_since: null,
  last_error: null,
  last_success_at: at,
  created_at: at,
}

export const eventExamples = {
  Event: event,
  NewEventEndpoint: { url: endpoint.url, events: endpoint.events, description: 'the shop' },
  EventEndpointChange: { status: 'paused' },
  EventEndpoint: endpoint,
  EventEndpointWithSecret: { ...endpoint, secret },
  TestedEndpoint: { event_id: event.id },
  EventReplay: { from: '2026-11-16T00:00:00Z', only_failed: true },
  ReplayedEvents: { replayed: 12, has_more: false, next: null },
  EventDelivery: delivery,
  EventDeliveryWithAttempts: {
    ...delivery,
    event,
    attempt_log: [
      {
        started_at: at,
        finished_at: later,
        status_code: 204,
        error_code: null,
        duration_ms: 41,
        answer: null,
      },
    ],
  },
  NewAlertChannel: {
    kind: 'webhook',
    target: 'https://alerts.example/estafet',
    description: 'on-call',
  },
  AlertChannel: channel,
  AlertChannelWithSecret: { ...channel, secret },
  TestedAlertChannel: { delivered: true, status_code: 200, error_code: null, answer: null },
  Alert: {
    id: 'alr_01a1e2b0095770290f5a091b2c3d4e5f',
    tenant_id: event.tenant_id,
    rule: 'reauth_needed',
    subject: '441785372350001',
    state: 'firing',
    severity: 'critical',
    since: at,
    fired_at: at,
    resolved_at: null,
    count: 1,
    summary: 'A number lost its access at Meta and must be reconnected.',
  },
}
