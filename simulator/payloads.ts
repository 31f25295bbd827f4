// The webhook bodies Meta would send: envelope, inbound message, status.
import { digitsOf } from './identifiers.ts'
import type { AcceptedSend } from './ledger.ts'
import type { BusinessNumber } from './numbers.ts'

export const statusLadder = ['sent', 'delivered', 'read'] as const
export type LadderStatus = (typeof statusLadder)[number]

export interface Person {
  wa_id?: string
  user_id?: string
  name: string
  username?: string
}

export interface InboundMessage {
  wamid: string
  timestamp: string
  type: string
  content: unknown
  context?: { from: string; id: string }
}

function messagesEnvelope(number: BusinessNumber, value: object) {
  const metadata = {
    display_phone_number: digitsOf(number.display_phone_number),
    phone_number_id: number.phone_number_id,
  }
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: number.waba_id,
        changes: [
          { value: { messaging_product: 'whatsapp', metadata, ...value }, field: 'messages' },
        ],
      },
    ],
  }
}

// Absent ids are left out by JSON, never sent as null or empty, just as Meta omits them.
export function inboundPayload(number: BusinessNumber, from: Person, message: InboundMessage) {
  return messagesEnvelope(number, {
    contacts: [
      {
        profile: { name: from.name, username: from.username },
        wa_id: from.wa_id,
        user_id: from.user_id,
      },
    ],
    messages: [
      {
        from: from.wa_id,
        from_user_id: from.user_id,
        id: message.wamid,
        timestamp: message.timestamp,
        context: message.context,
        type: message.type,
        [message.type]: message.content,
      },
    ],
  })
}

export function statusPayload(
  number: BusinessNumber,
  send: AcceptedSend,
  status: LadderStatus,
  timestamp: string,
) {
  return messagesEnvelope(number, {
    statuses: [
      {
        id: send.wamid,
        status,
        timestamp,
        recipient_id: send.recipient.wa_id,
        recipient_user_id: send.recipient.user_id,
        biz_opaque_callback_data: send.biz_opaque_callback_data,
        pricing: status === 'read' ? undefined : pricing(send.type),
      },
    ],
  })
}

function pricing(type: string) {
  return type === 'template'
    ? { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' }
    : {
        billable: false,
        pricing_model: 'PMP',
        type: 'free_customer_service',
        category: 'service',
      }
}
