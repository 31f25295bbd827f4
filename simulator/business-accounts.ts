// WhatsApp business accounts (WABAs): their standing with Meta, and which apps hear of them.
import { z } from 'zod'
import { makeDigits } from './identifiers.ts'
import type { Random } from './time-and-chance.ts'

export const accountId = z
  .string()
  .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"')

export const accountChangeSchema = z.object({
  name: z.string().min(1).optional(),
  currency: z.string().length(3).optional(),
  timezone_id: z.string().optional(),
  account_review_status: z.enum(['APPROVED', 'REJECTED', 'PENDING', 'DEFERRED']).optional(),
  business_verification_status: z
    .enum(['verified', 'not_verified', 'pending', 'rejected'])
    .optional(),
  /** `locked` and `restricted` refuse sends at once; `payment_issue` fails templates later. */
  standing: z.enum(['good', 'locked', 'restricted', 'payment_issue', 'maintenance']).optional(),
  disable_marketing_messages_on_cloud_api: z.boolean().optional(),
})

export const accountInputSchema = accountChangeSchema.extend({
  waba_id: accountId,
  /** The business portfolio it belongs to. */
  business_id: accountId.optional(),
  /** False: without the sample templates that a new account has. */
  sample_templates: z.boolean().default(true),
})

export type AccountInput = z.input<typeof accountInputSchema>
export type AccountChange = z.input<typeof accountChangeSchema>

export interface Override {
  override_callback_uri: string
  verify_token: string
}

export interface BusinessAccount {
  waba_id: string
  business_id: string
  name: string
  currency: string
  timezone_id: string
  message_template_namespace: string
  account_review_status: string
  business_verification_status: string
  standing: 'good' | 'locked' | 'restricted' | 'payment_issue' | 'maintenance'
  disable_marketing_messages_on_cloud_api: boolean
  /** App id → where its messages go instead of the app's own URL. */
  subscriptions: Map<string, Override | null>
}

export interface BusinessAccounts {
  /** Finds or makes it. */
  ensure(wabaId: string, businessId?: string): { account: BusinessAccount; isNew: boolean }
  find(wabaId: string): BusinessAccount | undefined
  all(): BusinessAccount[]
}

export function createBusinessAccounts(random: Random): BusinessAccounts {
  const byId = new Map<string, BusinessAccount>()
  return {
    ensure(wabaId, businessId) {
      const known = byId.get(wabaId)
      if (known !== undefined) return { account: known, isNew: false }
      const account: BusinessAccount = {
        waba_id: wabaId,
        business_id: businessId ?? makeDigits(15, random),
        name: `Business ${wabaId.slice(-4)}`,
        currency: 'USD',
        timezone_id: '1',
        message_template_namespace: random.bytes(16).toString('hex'),
        account_review_status: 'APPROVED',
        business_verification_status: 'verified',
        standing: 'good',
        disable_marketing_messages_on_cloud_api: false,
        subscriptions: new Map(),
      }
      byId.set(wabaId, account)
      return { account, isNew: true }
    },
    find: (wabaId) => byId.get(wabaId),
    all: () => [...byId.values()],
  }
}
