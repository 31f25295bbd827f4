import { z } from 'zod'
import { digitsOf } from './identifiers.ts'

const id = z.string().regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"')

export const businessNumberSchema = z.object({
  phone_number_id: id,
  waba_id: id,
  display_phone_number: z
    .string()
    .refine((value) => /^\d{5,20}$/.test(digitsOf(value)), 'must hold 5 to 20 digits'),
  access_token: z.string().min(1).max(1024),
})

export type BusinessNumber = z.output<typeof businessNumberSchema>

export interface Numbers {
  /** Registering a number again replaces it, which is also how its token is changed or revoked. */
  register(number: BusinessNumber): void
  find(phoneNumberId: string): BusinessNumber | undefined
  all(): BusinessNumber[]
}

export function createNumbers(): Numbers {
  const byId = new Map<string, BusinessNumber>()
  return {
    register: (number) => void byId.set(number.phone_number_id, number),
    find: (phoneNumberId) => byId.get(phoneNumberId),
    all: () => [...byId.values()],
  }
}
