// A run in which all is well, for the tests of the checks: each plants into it what its check must find.
import type { AcceptedSend, Delivery, GraphRequest } from '../../simulator/ledger.ts'
import type { Evidence } from './evidence.ts'

export const attemptId = '6f1f9d3c-1111-4222-8333-444455556666'
export const eventId = '6f1f9d3c-1111-4222-8333-444455557777'
const inboundId = '6f1f9d3c-1111-4222-8333-444455558888'
export const phoneNumberId = '77002'

export const posted = (id = attemptId): GraphRequest => ({
  id: 'request-1',
  method: 'POST',
  path: '/messages',
  endpoint: 'messages',
  phone_number_id: phoneNumberId,
  waba_id: null,
  recipient: '16505550101',
  arrived_at: '2026-01-01T00:00:00.000Z',
  answered_at: null,
  status: 200,
  outcome: 'answered',
  wamid: 'wamid.out',
  faults: [],
  body: { biz_opaque_callback_data: `est:${id}` },
})

export const accepted = (text: string, wamid: string): AcceptedSend => ({
  wamid,
  phone_number_id: phoneNumberId,
  accepted_at: '2026-01-01T00:00:00.000Z',
  recipient: { input: '+16505550101' },
  type: 'text',
  dropped: false,
  request: { text: { body: text } },
})

export const status = (state: string): Delivery => ({
  id: `delivery-${state}`,
  kind: 'status',
  phone_number_id: phoneNumberId,
  wamid: 'wamid.out',
  status: state,
  items: [
    {
      kind: 'status',
      field: 'messages',
      phone_number_id: phoneNumberId,
      wamid: 'wamid.out',
      status: state,
    },
  ],
  faults: [],
  created_at: '2026-01-01T00:00:00.000Z',
  body: '{"id":"wamid.out"}',
  state: 'delivered',
  attempts: [],
})

export const step = (state: string) => ({ wamid: 'wamid.out', status: state, participant: '' })
export const nobodys = { hasTenant: false }
const event = {
  ...{ type: 'message.received', lane: 'l1', position: '1', isWanted: true },
  ...{ messageId: null, status: null, letterId: null, accountId: null },
}
const sentEventId = '6f1f9d3c-1111-4222-8333-444455559999'
const accountEventId = '6f1f9d3c-1111-4222-8333-44445555aaaa'
const told = [eventId, sentEventId, accountEventId]

/** One message in, one message out, all well. */
export function goodEvidence(): Evidence {
  return {
    ledger: {
      requests: [posted()],
      sends: [accepted('number 1', 'wamid.out')],
      reads: [],
      deliveries: [status('sent')],
      faults: [],
      forgotten: 0,
    },
    client: {
      webhooks: [{ wamid: 'wamid.in', isAcknowledged: true }],
      written: [{ wamid: 'wamid.in', from: '16505550101', text: 'hello' }],
      sends: [{ text: 'number 1', phoneNumberId, to: '16505550101', isAccepted: true }],
      decisions: [{ letterId: 'dlq_1', state: 'discarded' }],
      events: told.map((id) => ({ id: `evt_${id.replaceAll('-', '')}` })),
    },
    rows: {
      webhooks: [{ id: 'w1', status: 'done' }],
      messages: [
        {
          ...{ ...message, id: inboundId, direction: 'inbound', wamid: 'wamid.in' },
          ...{ status: 'received', text: 'hello' },
        },
        {
          ...message,
          id: 'm1',
          direction: 'outbound',
          wamid: 'wamid.out',
          status: 'sent',
          text: 'number 1',
          attempts: 1,
        },
      ],
      steps: [step('sent')],
      sends: [{ id: '1', messageId: 'm1', status: 'done', parentId: null }],
      attempts: [
        { id: attemptId, messageId: 'm1', outcome: 'accepted', statusCode: 200, isDead: false },
      ],
      letters: [
        {
          id: 'dlq_1',
          kind: 'inbound',
          state: 'discarded',
          eventId: 'w1',
          messageId: null,
          errorCode: 'INVALID',
          raw: '{}',
          hasTenant: false,
        },
      ],
      events: [
        { ...event, id: eventId, messageId: `msg_${inboundId.replaceAll('-', '')}` },
        {
          ...{ ...event, id: sentEventId, type: 'message.status', position: '2', status: 'sent' },
          messageId: 'msg_m1',
        },
        {
          ...event,
          id: accountEventId,
          type: 'account.updated',
          lane: 'acc_1',
          position: '3',
          accountId: 'acc_1',
        },
      ],
      accounts: [{ id: 'acc_1' }],
      deliveries: told.map((eventId) => ({ eventId, status: 'done' })),
      media: [],
      notifications: [],
      decisions: [{ letterId: 'dlq_1', action: 'dead_letter.discarded', isByPerson: true }],
    },
    audit: { rows: 1, chains: [], broken: [] },
    accounting: { adds_up: true, accounting: {} as never, differences: [], is_cut: false },
    mayDouble: false,
  }
}

const message = {
  ...{ phoneNumberId, waId: '16505550101', text: null, isDuplicateConfirmed: false, attempts: 0 },
}
