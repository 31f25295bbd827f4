// Dead letters, the audit and traces, in examples.
const at = '2026-11-16T12:00:00.000Z'
const tenant_id = '01a1e2b0-0957-701b-bfd6-5e8f68cd8386'
const message_id = 'msg_01a1e2b00957701f8ad46e451c6fc14c'
const correlation_id = '4d1d1f3e-8f0b-4a63-9a0e-0d6c6f1b2a11'

const letter = {
  id: 'dlq_01a1e2b009577024eb05b4c6d7e8f90a',
  tenant_id,
  kind: 'outbound',
  state: 'open',
  reason: 'template',
  error_code: 'TEMPLATE_PAUSED',
  provider_code: 132015,
  error_message: 'Meta has paused the template for its quality.',
  item_path: '',
  phone_number_id: '441785372350001',
  waba_id: null,
  message_id,
  message_type: 'template',
  conversation_id: 'conv_01a1e2b009577020a7c1d0e2f3a4b5c6',
  contact: { name: 'Rosa Fictional', wa_id: '16505550143' },
  attempts: 1,
  may_arrive_twice: false,
  correlation_id,
  raw_bytes: 212,
  created_at: at,
  decided_at: null,
  decided_by: null,
  decision_reason: null,
}

const requeued = {
  ...letter,
  state: 'requeued',
  decided_at: at,
  decided_by: 'alice',
  decision_reason: 'Meta lifted the pause',
}

const traced = {
  message_id,
  tenant_id,
  direction: 'outbound',
  type: 'text',
  status: 'delivered',
  wamid: 'wamid.HBgLMTY1MDU1NTAxNDMVAgARGBI',
  client_reference: 'order-4711',
  conversation_id: letter.conversation_id,
  contact: letter.contact,
  phone_number_id: letter.phone_number_id,
  created_at: at,
}

export const deadLetterExamples = {
  DeadLetter: letter,
  DeadLetterInspection: {
    ...requeued,
    raw: '{"messaging_product":"whatsapp","to":"+16505550143","type":"template"}',
    raw_encoding: 'utf-8',
    errors: [
      {
        dead_letter_id: letter.id,
        at,
        kind: letter.kind,
        code: letter.error_code,
        message: letter.error_message,
        state: 'requeued',
        decided_at: at,
        decided_by: 'alice',
        decision_reason: requeued.decision_reason,
      },
    ],
    event: null,
    outbound: {
      message: {
        id: message_id,
        conversation_id: letter.conversation_id,
        status: 'queued',
        attempts: 1,
        error: null,
      },
      delivery: 'at_least_once',
      expires_at: null,
      fallback_template: null,
      attempts: [
        {
          dead_letter_id: letter.id,
          started_at: at,
          finished_at: at,
          outcome: 'permanent',
          wamid: null,
          status_code: 400,
          provider_code: 132015,
          provider_subcode: null,
          error_message: 'Template is paused',
          fbtrace_id: 'AexampleTrace',
        },
      ],
    },
    trail: [{ at, actor: 'alice', action: 'dead_letter.inspected', reason: null }],
  },
  DeadLetterCounts: {
    total: 3,
    groups: [
      {
        kind: 'outbound',
        reason: 'template',
        error_code: 'TEMPLATE_PAUSED',
        count: 3,
        newest_at: at,
      },
    ],
  },
  DeadLetterDecision: { reason: 'Meta lifted the pause' },
  DeadLetterBulkRequeue: {
    filter: { error_code: 'TEMPLATE_PAUSED' },
    reason: 'Meta lifted the pause',
    per_second: 5,
  },
  DeadLetterBulkDiscard: { ids: [letter.id], reason: 'sent by post instead' },
  DeadLetterBulkAnswer: {
    dry_run: false,
    matched: 3,
    decided: 3,
    remaining: 0,
    by_kind: { outbound: 3 },
    may_arrive_twice: 0,
    next_start_at: '2026-11-16T12:00:01.000Z',
    skipped: {
      payload_pruned: 0,
      message_not_failed: 0,
      outcome_known: 0,
      already_decided: 0,
      not_found: 0,
    },
  },
  AuditAct: {
    at,
    actor: 'alice',
    action: 'dead_letter.requeued',
    subject: letter.id,
    reason: 'Meta lifted the pause',
    details: { kind: 'outbound' },
    tenant_id,
    position: 42,
    hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    actor_name: null,
    subject_name: null,
  },
  AuditVerification: {
    rows: 42,
    total_rows: 42,
    whole: [
      {
        tenant_id,
        position: 42,
        hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      },
    ],
    broken: [],
    next: null,
  },
  TracedMessage: traced,
  MessageTrace: {
    message: traced,
    trace_id: '4d1d1f3e8f0b4a639a0e0d6c6f1b2a11',
    steps: [
      { at, step: 'message_queued', message_id },
      { at, step: 'attempt', message_id, ended_at: at, outcome: 'accepted', status_code: 200 },
      { at, step: 'status', message_id, status: 'delivered', happened_at: at },
    ],
    waiting: null,
  },
  Trace: {
    event_id: '01a1e2b0-0957-702a-9f5a-091b2c3d4e5f',
    attempt: 1,
    inbound_event_id: 'wamid.HBgLMTY1MDU1NTAxNDMVAgARGBI',
    correlation_id,
    task_name: 'worker',
    started_at: at,
    finished_at: at,
    outcome: 'done',
    outbound_enqueue_status: 'none',
    error: null,
  },
}
