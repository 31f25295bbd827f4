// An event as an application gets it, over webhooks and the stream; docs/event-webhooks.md tells the rest. Loose: fields may be
// added to what is told.
import { z } from 'zod'
import { messageStatus, time } from './contract.ts'

const envelope = {
  id: z.string().describe('evt_…; the same whenever it is told again'),
  version: z.literal(1),
  timestamp: time.describe('when it was recorded'),
  tenant_id: z.uuid(),
}

const phoneNumberId = z.string().nullable()

const ofMessage = {
  message_id: z.string().describe('msg_…'),
  conversation_id: z.string().nullable().describe('conv_…'),
  phone_number_id: z.string(),
}

const writtenMessage = z
  .looseObject({
    ...ofMessage,
    message_type: z.string().describe('Meta’s'),
    occurred_at: time.describe('by Meta’s clock'),
  })
  .meta({ id: 'WrittenMessage' })

const accountNotice = z
  .looseObject({
    account_event_id: z.string().describe('aev_…'),
    phone_number_id: phoneNumberId,
    waba_id: z.string().nullable(),
    field: z.string().describe('Meta’s webhook field'),
    event: z.string().nullable().describe('the field’s own word for what happened'),
    occurred_at: time,
  })
  .meta({ id: 'AccountNotice' })

const changedAccount = z
  .looseObject({
    account_id: z.string().describe('acc_…'),
    phone_number_id: z.string(),
    waba_id: z.string(),
    changed: z.array(z.string()),
    auth_status: z.string(),
    templates_auth_status: z.string(),
  })
  .meta({ id: 'ChangedAccount' })

const statusOfMessage = z.looseObject({
  ...ofMessage,
  status: messageStatus,
  client_reference: z.string().nullable(),
})

const changedConversation = z.looseObject({
  conversation_id: z.string().describe('conv_…'),
  phone_number_id: z.string(),
  changed: z.array(z.string()),
  status: z.enum(['open', 'closed']),
  assigned_user_id: z.string().nullable(),
  merged_into: z.string().nullable(),
})

const newDeadLetter = z.looseObject({
  dead_letter_id: z.string().describe('dlq_…'),
  kind: z.string(),
  error_code: z.string(),
  phone_number_id: phoneNumberId,
  message_id: z.string().nullable(),
})

function told<Type extends string, Data extends z.ZodType>(type: Type, data: Data) {
  return z.looseObject({ ...envelope, type: z.literal(type), data })
}

export const event = z
  .discriminatedUnion('type', [
    told('message.received', writtenMessage),
    told('message.echoed', writtenMessage),
    told('message.status', statusOfMessage),
    told('conversation.updated', changedConversation),
    told('account.updated', z.union([changedAccount, accountNotice])),
    told('template.updated', accountNotice),
    told('dead_letter.created', newDeadLetter),
    told(
      'event_endpoint.disabled',
      z.looseObject({ event_endpoint_id: z.string(), reason: z.string() }),
    ),
    told('event_endpoint.test', z.looseObject({ event_endpoint_id: z.string() })),
  ])
  .meta({ id: 'Event' })
