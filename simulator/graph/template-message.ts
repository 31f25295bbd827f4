// Whether a template can be sent at all: it exists, is approved, and may be sent from here.
import type { Business } from '../business.ts'
import type { BusinessAccount } from '../business-accounts.ts'
import type { Template } from '../templates.ts'
import type { Clock } from '../time-and-chance.ts'
import { refusal } from '../whatsapp-errors.ts'
import { checkObject, checkText } from './checks.ts'
import type { MediaLookup } from './media-reference.ts'
import type { MessageRequest } from './send-request.ts'
import { checkTemplateMessage } from './template-checks.ts'

/** `messages`, or the edge for marketing templates alone. */
export type SendingEdge = 'messages' | 'marketing_messages'

interface Sending {
  business: Business
  account: BusinessAccount
  lookup: MediaLookup
  edge: SendingEdge
  clock: Clock
}

const syncMs = 10 * 60 * 1000

export interface TemplateVerdict {
  template: Template
  hasUsableMedia: boolean
}

/** Refuses what Meta refuses at once. */
export function judgeTemplate(request: MessageRequest, sending: Sending): TemplateVerdict {
  const { business, account, lookup } = sending
  const message = checkObject(request.body, 'template', 'template')
  const name = checkText(message, 'name', 'template.name')
  const language = checkObject(message, 'language', 'template.language')
  const code = checkText(language, 'code', 'template.language.code')
  const template = business.templates.findByName(account.waba_id, name, code)
  checkIsSendable(template, name, code)
  checkIsAllowedHere(template, request, sending)
  return { template, hasUsableMedia: checkTemplateMessage(message, template, lookup) }
}

function checkIsSendable(
  template: Template | undefined,
  name: string,
  code: string,
): asserts template is Template {
  if (template?.status === 'PAUSED') throw refusal(132015)
  if (template?.status === 'DISABLED') throw refusal(132016)
  if (template?.status !== 'APPROVED') {
    throw refusal(132001, `template name (${name}) does not exist in ${code}`)
  }
  if (template.refuses_with !== null) throw refusal(template.refuses_with)
}

function checkIsAllowedHere(template: Template, request: MessageRequest, sending: Sending): void {
  const { business, account, lookup, edge, clock } = sending
  const { test_number } = business.numbers.profile(lookup.number.phone_number_id)
  if (template.name === 'hello_world' && !test_number) throw refusal(131058)
  if (template.category === 'AUTHENTICATION' && request.recipient.wa_id === undefined) {
    throw refusal(131062)
  }
  if (edge === 'marketing_messages') {
    if (template.category !== 'MARKETING') throw refusal(134100)
    const approvedAt = template.approved_at?.getTime() ?? 0
    if (clock.now().getTime() - approvedAt < syncMs) throw refusal(134101)
  } else if (template.category === 'MARKETING' && account.disable_marketing_messages_on_cloud_api) {
    throw refusal(131063)
  }
}
