// Signing up, reconnecting, and looking after a connected number.
import { z } from 'zod'
import { time } from './contract.ts'

export const accountReference = z.strictObject({
  account_id: z.string().regex(/^acc_[0-9a-f]{32}$/, 'an account’s id, acc_…'),
})

export const signupStart = z.object({
  url: z.string().describe('the page to open in a browser'),
  state: z.string().describe('single use; also the callback’s'),
  expires_at: time,
})

const checkStatus = z.enum(['ok', 'warning', 'failed'])

export const doctorReport = z.object({
  account_id: z.string(),
  phone_number_id: z.string(),
  status: checkStatus.describe('the worst of the checks'),
  checked_at: time,
  checks: z.array(
    z.object({
      name: z.enum([
        'credentials',
        'scopes',
        'subscription',
        'callback',
        'registration',
        'standing',
        'quality',
        'limit',
        'throughput',
        'last_inbound',
      ]),
      status: checkStatus,
      message: z.string().describe('what was found, in a sentence'),
      fix: z.string().nullable().describe('what to do about it, in a sentence'),
      repairable: z.boolean().describe('POST …/doctor/repair can do it'),
    }),
  ),
})

export const repairReport = z.object({
  actions: z
    .array(
      z.object({
        name: z.enum(['subscribe', 'clear_callback', 'register', 'release']),
        status: z.enum(['done', 'failed']),
        message: z.string(),
      }),
    )
    .describe('what was tried; empty when nothing could be repaired'),
  doctor: doctorReport.describe('how things are afterwards'),
})

export const numberPin = z.strictObject({
  pin: z.string().regex(/^\d{6}$/, 'the six digits of two-step verification'),
})
