// What a person's choices in Embedded Signup lead to: an account, a number, and a code for them.
import { z } from 'zod'
import type { Business } from '../business.ts'
import { accountId } from '../business-accounts.ts'
import { digitsOf, makeDigits } from '../identifiers.ts'
import { parseInput, RequestError } from '../request-error.ts'
import type { Random } from '../time-and-chance.ts'
import { codeInputSchema, longTokenSeconds } from '../tokens.ts'

const choiceSchema = z.object({
  client_id: z.string().min(1),
  /** Left out: a new account, in `business_id` or in a new portfolio. */
  waba_id: accountId.optional(),
  business_id: accountId.optional(),
  account_name: z.string().trim().min(1).max(100).optional(),
  /** `existing` takes phone_number_id, `new` the rest; `none` is a signup without a number. */
  number: z.enum(['existing', 'new', 'none']),
  phone_number_id: accountId.optional(),
  display_phone_number: z
    .string()
    .refine((value) => /^\d{5,20}$/.test(digitsOf(value)), 'must hold 5 to 20 digits')
    .optional(),
  verified_name: z.string().trim().min(1).max(100).optional(),
  /** A number that stays in the WhatsApp Business app on a phone. */
  coexistence: z.boolean().default(false),
  /** Of the token: for ever, or 60 days, as the login configuration says. */
  token_life: z.enum(['never', '60_days']).default('never'),
  /** Where the dialog will send the browser with the code; not with the pop-up. */
  redirect_uri: z.string().max(2000).optional(),
})

type Choice = z.output<typeof choiceSchema>

/** The data of Meta's session info event. */
export interface SignupResult {
  code: string
  event: 'FINISH' | 'FINISH_ONLY_WABA' | 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING'
  data: { phone_number_id?: string; waba_id: string; business_id?: string }
}

export function finishSignup(business: Business, random: Random, input: unknown): SignupResult {
  const choice = parseInput(choiceSchema, input)
  if (business.apps.find(choice.client_id) === undefined) {
    throw new RequestError(404, 'APP_NOT_FOUND', `client_id: no app has the id ${choice.client_id}`)
  }
  checkNumber(business, choice)
  const account = chooseAccount(business, random, choice)
  const { waba_id, business_id } = account
  const phoneNumberId = chooseNumber(business, random, choice, waba_id)
  business.announce({
    field: 'account_update',
    // Meta sends this one under the portfolio's id.
    wabaId: business_id,
    value: {
      event: 'PARTNER_ADDED',
      waba_info: { waba_id, owner_business_id: business_id },
    },
  })
  const code = business.tokens.issueCode(
    codeInputSchema.parse({
      app_id: choice.client_id,
      waba_ids: [waba_id],
      ...(choice.token_life === '60_days' ? { token_expires_in: longTokenSeconds } : {}),
      ...(choice.redirect_uri === undefined ? {} : { redirect_uri: choice.redirect_uri }),
    }),
  )
  if (phoneNumberId === undefined) {
    return { code, event: 'FINISH_ONLY_WABA', data: { waba_id, business_id } }
  }
  return choice.coexistence
    ? { code, event: 'FINISH_WHATSAPP_BUSINESS_APP_ONBOARDING', data: { waba_id } }
    : { code, event: 'FINISH', data: { phone_number_id: phoneNumberId, waba_id, business_id } }
}

/** Before anything is made, so that a refused form leaves nothing behind. */
function checkNumber(business: Business, choice: Choice): void {
  if (choice.waba_id !== undefined && business.accounts.find(choice.waba_id) === undefined) {
    throw new RequestError(404, 'ACCOUNT_NOT_FOUND', `waba_id: ${choice.waba_id} does not exist`)
  }
  if (choice.number === 'new' && choice.display_phone_number === undefined) {
    throw new RequestError(400, 'INVALID_REQUEST', 'display_phone_number: is required')
  }
  if (choice.number !== 'existing') return
  const number = business.numbers.find(choice.phone_number_id ?? '')
  if (number === undefined || number.waba_id !== choice.waba_id) {
    throw new RequestError(
      404,
      'NUMBER_NOT_FOUND',
      `phone_number_id: ${choice.phone_number_id ?? 'none'} is not a number of that account`,
    )
  }
}

function chooseAccount(business: Business, random: Random, choice: Choice) {
  const wabaId = choice.waba_id ?? makeDigits(15, random)
  business.ensureAccount(wabaId, choice.business_id)
  const account = business.accounts.find(wabaId)
  if (account === undefined) throw new Error('bug: an account that was just made is missing')
  if (choice.waba_id === undefined && choice.account_name !== undefined) {
    account.name = choice.account_name
  }
  return account
}

function chooseNumber(
  business: Business,
  random: Random,
  choice: Choice,
  wabaId: string,
): string | undefined {
  if (choice.number === 'none') return undefined
  if (choice.number === 'existing') return choice.phone_number_id
  const id = makeDigits(15, random)
  business.registerNumber({
    phone_number_id: id,
    waba_id: wabaId,
    display_phone_number: choice.display_phone_number ?? '',
  })
  const profile = business.numbers.profile(id)
  profile.verified_name = choice.verified_name ?? profile.verified_name
  profile.coexistence = choice.coexistence
  // A new number cannot send before POST /{phone-number-id}/register; one in the app can.
  profile.registered = choice.coexistence
  profile.status = choice.coexistence ? 'CONNECTED' : 'PENDING'
  return id
}
