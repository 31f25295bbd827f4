// The messages field: inbound messages, statuses, errors. Absent ids are left out by JSON, never
// sent as null or empty, just as Meta omits them.
import { digitsOf } from '../identifiers.ts'
import type { AcceptedSend, DeliveredItem } from '../ledger.ts'
import type { BusinessNumber } from '../numbers.ts'
import type { Update } from './updates.ts'

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
  context?: object
  /** Other keys of the message, e.g. referral, group_id, errors, identity. */
  extra?: object
}

export interface StatusReport {
  status: string
  timestamp: string
  error?: { code: number; title: string; details?: string }
  /** Only `recipient_user_id` names the person. */
  hidden_as?: string
}

/** What every change about a number's messages begins with. */
export function aboutNumber(number: BusinessNumber) {
  return {
    messaging_product: 'whatsapp',
    metadata: {
      display_phone_number: digitsOf(number.display_phone_number),
      phone_number_id: number.phone_number_id,
    },
  }
}

export function contactOf(person: Person) {
  return {
    profile: { name: person.name, username: person.username },
    wa_id: person.wa_id,
    user_id: person.user_id,
  }
}

function messagesUpdate(
  number: BusinessNumber,
  value: object,
  item: Pick<DeliveredItem, 'kind' | 'wamid' | 'status'>,
  recipient: string | null,
): Update {
  return {
    entryId: number.waba_id,
    field: 'messages',
    value: { ...aboutNumber(number), ...value },
    item: { ...item, field: 'messages', phone_number_id: number.phone_number_id },
    waba_id: number.waba_id,
    recipient,
  }
}

export function inboundUpdate(
  number: BusinessNumber,
  from: Person,
  message: InboundMessage,
  options: { contacts: boolean } = { contacts: true },
): Update {
  const { wamid, timestamp, type, content, context, extra } = message
  return messagesUpdate(
    number,
    {
      ...(options.contacts ? { contacts: [contactOf(from)] } : {}),
      messages: [
        {
          from: from.wa_id,
          from_user_id: from.user_id,
          id: wamid,
          timestamp,
          context,
          ...extra,
          type,
          ...(content === undefined ? {} : { [type]: content }),
        },
      ],
    },
    { kind: 'message', wamid, status: null },
    from.wa_id ?? from.user_id ?? null,
  )
}

export function statusUpdate(
  number: BusinessNumber,
  send: Pick<
    AcceptedSend,
    'wamid' | 'recipient' | 'type' | 'category' | 'biz_opaque_callback_data'
  >,
  report: StatusReport,
): Update {
  const { recipient } = send
  const { status, timestamp, error, hidden_as } = report
  return messagesUpdate(
    number,
    {
      statuses: [
        {
          id: send.wamid,
          status,
          timestamp,
          recipient_id: hidden_as === undefined ? recipient.wa_id : undefined,
          recipient_user_id: hidden_as ?? recipient.user_id,
          biz_opaque_callback_data: send.biz_opaque_callback_data,
          pricing: isPriced(status) ? pricing(send) : undefined,
          errors: error === undefined ? undefined : [webhookError(error)],
        },
      ],
    },
    { kind: 'status', wamid: send.wamid, status },
    recipient.wa_id ?? recipient.user_id ?? null,
  )
}

/** Trouble with the number or account as a whole, without a message id. */
export function errorsUpdate(
  number: BusinessNumber,
  error: { code: number; title: string; details?: string },
): Update {
  const none = { kind: 'event', wamid: null, status: null } as const
  return messagesUpdate(number, { errors: [webhookError(error)] }, none, null)
}

export function webhookError({
  code,
  title,
  details,
}: {
  code: number
  title: string
  details?: string
}) {
  return {
    code,
    title,
    message: title,
    error_data: { details: details ?? title },
    href: '/documentation/business-messaging/whatsapp/support/error-codes',
  }
}

function isPriced(status: string): boolean {
  return status === 'sent' || status === 'delivered'
}

function pricing({ type, category = 'utility' }: Pick<AcceptedSend, 'type' | 'category'>) {
  return type === 'template'
    ? { billable: true, pricing_model: 'PMP', type: 'regular', category }
    : {
        billable: false,
        pricing_model: 'PMP',
        type: 'free_customer_service',
        category: 'service',
      }
}
