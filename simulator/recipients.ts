// What is special about people one may write to: not on WhatsApp, tired of marketing, blocked.
import { z } from 'zod'
import { customerKey } from './phone/presence.ts'

export const recipientChangeSchema = z.object({
  /** False: messages are accepted and then fail. */
  on_whatsapp: z.boolean().optional(),
  /** True: the customer stopped marketing messages. */
  marketing_stopped: z.boolean().optional(),
  /** Business numbers that blocked this customer. */
  blocked_by: z.array(z.string()).optional(),
  /** Once set, a send that names another hash is refused. */
  identity_key_hash: z.string().min(1).nullable().optional(),
})

export type RecipientChange = z.input<typeof recipientChangeSchema>

export interface RecipientProfile {
  on_whatsapp: boolean
  marketing_stopped: boolean
  blocked_by: string[]
  identity_key_hash: string | null
}

export interface Recipients {
  profile(customer: string): RecipientProfile
  change(customer: string, change: z.output<typeof recipientChangeSchema>): RecipientProfile
}

const ordinary: RecipientProfile = {
  on_whatsapp: true,
  marketing_stopped: false,
  blocked_by: [],
  identity_key_hash: null,
}

export function createRecipients(): Recipients {
  const special = new Map<string, RecipientProfile>()
  const profile = (customer: string) => special.get(customerKey(customer)) ?? ordinary
  return {
    profile,
    change(customer, change) {
      const defined = Object.entries(change).filter(([, value]) => value !== undefined)
      const changed = { ...profile(customer), ...Object.fromEntries(defined) }
      special.set(customerKey(customer), changed)
      return changed
    },
  }
}
