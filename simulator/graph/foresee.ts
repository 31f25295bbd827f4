// What Meta accepts and then fails: the reason is certain at once, the failed status comes later.
import type { Business } from '../business.ts'
import type { BusinessAccount } from '../business-accounts.ts'
import type { BusinessNumber } from '../numbers.ts'
import type { Presence } from '../phone/presence.ts'
import type { StatusError } from '../status-error.ts'
import type { Template } from '../templates.ts'
import { laterFailure } from '../whatsapp-errors.ts'
import { isFields } from './fields.ts'
import type { MessageRequest } from './send-request.ts'

export interface Prospect {
  business: Business
  presence: Presence
  number: BusinessNumber
  account: BusinessAccount
  request: MessageRequest
  template: Template | undefined
  hasUsableMedia: boolean
}

export function foresee(prospect: Prospect): StatusError | undefined {
  const { business, presence, number, account, request, template } = prospect
  const { phone_number_id } = number
  const customer = request.recipient.wa_id ?? request.recipient.user_id
  // Dropped without a word.
  if (customer === undefined) return undefined
  const profile = business.recipients.profile(customer)
  if (!profile.on_whatsapp || presence.hasBlocked(customer, phone_number_id)) {
    return laterFailure(131026)
  }
  if (!isOfThisPortfolio(prospect)) return laterFailure(131026)
  if (profile.blocked_by.includes(phone_number_id)) return laterFailure(130403)
  if (!prospect.hasUsableMedia) return laterFailure(131053)
  if (reactsTooLate(prospect)) return laterFailure(131009)
  if (template === undefined) {
    const isOpen =
      business.settings.service_window === 'open' ||
      business.windows.isOpen(phone_number_id, customer)
    return isOpen ? undefined : laterFailure(131047)
  }
  if (template.category === 'MARKETING' && profile.marketing_stopped) return laterFailure(131050)
  if (account.standing === 'payment_issue') return laterFailure(131042)
  // Held back to see how the first ones are received, and then not sent at all.
  return template.pacing === 'drop' ? laterFailure(132015) : undefined
}

/** A message can be reacted to for 30 days. */
function reactsTooLate({ business, request }: Prospect): boolean {
  const { reaction } = request.body
  if (request.type !== 'reaction' || !isFields(reaction)) return false
  return business.ages.isTooOldToReactTo(String(reaction.message_id))
}

/** User ids mean something within one business portfolio only. */
function isOfThisPortfolio({ business, account, request }: Prospect): boolean {
  const { user_id } = request.recipient
  if (user_id === undefined) return true
  const ours = business.numbers
    .all()
    .filter(({ waba_id }) => business.accounts.find(waba_id)?.business_id === account.business_id)
    .map((each) => each.phone_number_id)
  return business.windows.mayKnow(user_id, ours)
}
