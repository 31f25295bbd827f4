// Business phone numbers: what a person registers, and what Meta keeps about each.
import { z } from 'zod'
import { accountId } from './business-accounts.ts'
import { digitsOf } from './identifiers.ts'

export const businessNumberSchema = z.object({
  phone_number_id: accountId,
  waba_id: accountId,
  display_phone_number: z
    .string()
    .refine((value) => /^\d{5,20}$/.test(digitsOf(value)), 'must hold 5 to 20 digits'),
  /** Left out for a number that waits for a token from Embedded Signup. */
  access_token: z.string().min(1).max(1024).optional(),
})

export type BusinessNumber = z.output<typeof businessNumberSchema>

const numberStatuses = [
  'CONNECTED',
  'PENDING',
  'FLAGGED',
  'RESTRICTED',
  'RATE_LIMITED',
  'BANNED',
  'DELETED',
  'DISCONNECTED',
  'MIGRATED',
  'OFFLINE',
  'UNVERIFIED',
  'UNKNOWN',
] as const

const pin = z.string().regex(/^\d{6}$/, 'must be 6 digits')

export const numberChangeSchema = z.object({
  verified_name: z.string().min(1).max(512).optional(),
  name_status: z
    .enum(['APPROVED', 'AVAILABLE_WITHOUT_REVIEW', 'DECLINED', 'EXPIRED', 'PENDING_REVIEW', 'NONE'])
    .optional(),
  quality_rating: z.enum(['GREEN', 'YELLOW', 'RED', 'UNKNOWN']).optional(),
  throughput: z.enum(['STANDARD', 'HIGH', 'NOT_APPLICABLE']).optional(),
  messaging_limit: z
    .enum(['TIER_250', 'TIER_2K', 'TIER_10K', 'TIER_100K', 'TIER_UNLIMITED'])
    .optional(),
  status: z.enum(numberStatuses).optional(),
  code_verification_status: z.enum(['VERIFIED', 'NOT_VERIFIED', 'EXPIRED']).optional(),
  /** False: sends and most changes are refused until POST /{phone-number-id}/register. */
  registered: z.boolean().optional(),
  /** Of two-step verification; null turns it off. */
  pin: pin.nullable().optional(),
  /** Also on a phone with the WhatsApp Business app; cannot be deregistered. */
  coexistence: z.boolean().optional(),
  test_number: z.boolean().optional(),
  /** Of a test number: nobody else can be written to. Null: everybody can. */
  allowed_recipients: z.array(z.string()).nullable().optional(),
})

export type NumberChange = z.input<typeof numberChangeSchema>

/** What Meta keeps about a number besides its identity. */
export interface NumberProfile {
  verified_name: string
  name_status: string
  quality_rating: string
  throughput: 'STANDARD' | 'HIGH' | 'NOT_APPLICABLE'
  messaging_limit: string
  status: (typeof numberStatuses)[number]
  code_verification_status: string
  registered: boolean
  pin: string | null
  coexistence: boolean
  test_number: boolean
  allowed_recipients: string[] | null
  override: { override_callback_uri: string; verify_token: string } | null
  /** When it was registered or deregistered; ten times in 72 hours is all. */
  registrationsAt: Date[]
  wrongPinsAt: Date[]
  /** Of coexistence: what was asked of the phone app already. */
  syncedTypes: Set<string>
}

export interface Numbers {
  /** Registering a number again replaces it, which is also how its token is changed or revoked. */
  register(number: BusinessNumber): void
  find(phoneNumberId: string): BusinessNumber | undefined
  /** Of a registered number. It outlives a repeated registration. */
  profile(phoneNumberId: string): NumberProfile
  all(): BusinessNumber[]
}

export function createNumbers(): Numbers {
  const byId = new Map<string, BusinessNumber>()
  const profiles = new Map<string, NumberProfile>()
  return {
    register: (number) => void byId.set(number.phone_number_id, number),
    find: (phoneNumberId) => byId.get(phoneNumberId),
    profile(phoneNumberId) {
      const known = profiles.get(phoneNumberId)
      if (known !== undefined) return known
      const fresh = newProfile(phoneNumberId)
      profiles.set(phoneNumberId, fresh)
      return fresh
    },
    all: () => [...byId.values()],
  }
}

function newProfile(phoneNumberId: string): NumberProfile {
  return {
    verified_name: `Business ${phoneNumberId.slice(-4)}`,
    name_status: 'APPROVED',
    quality_rating: 'GREEN',
    throughput: 'STANDARD',
    messaging_limit: 'TIER_2K',
    status: 'CONNECTED',
    code_verification_status: 'VERIFIED',
    registered: true,
    pin: null,
    coexistence: false,
    test_number: false,
    allowed_recipients: null,
    override: null,
    registrationsAt: [],
    wrongPinsAt: [],
    syncedTypes: new Set(),
  }
}
