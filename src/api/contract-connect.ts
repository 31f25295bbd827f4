// Signing up, reconnecting, and looking after a connected number.
import { z } from 'zod'
import { account, accountEventsQuery, time } from './contract.ts'

export const accountInList = account
  .extend({
    waiting_count: z
      .number()
      .int()
      .describe('messages that wait to be sent from it; counted up to 10,000'),
    last_inbound_at: time.nullable().describe('when a contact last wrote to it'),
    circuit: z
      .object({
        scope: z
          .enum(['number', 'host'])
          .describe('host: all calls to Meta fail, not this number’s'),
        opened_at: time,
        trial_at: time.describe('from then on one call finds out whether Meta is back'),
      })
      .nullable()
      .describe('why nothing is sent, by how Meta’s answers fail'),
    throttled_until: time.nullable().describe('until then Meta wants nothing from it'),
  })
  .meta({ id: 'AccountInList' })

const accountId = z.string().regex(/^acc_[0-9a-f]{32}$/, 'an account’s id, acc_…')

export const accountHistoryQuery = accountEventsQuery.extend({
  account_id: accountId
    .optional()
    .describe('only what is about this account and its number, without templates and contacts'),
})

export const signupSettings = z
  .object({
    missing: z
      .array(z.enum(['META_APP_ID', 'META_APP_SECRET', 'META_CONFIG_ID']))
      .describe('settings that the operator must make before a number can be connected'),
  })
  .meta({ id: 'SignupSettings' })

export const accountReference = z
  .strictObject({
    account_id: accountId,
  })
  .meta({ id: 'AccountReference' })

export const signupStart = z
  .object({
    url: z.string().describe('the page to open in a browser; with &lang= en, es, pt or id'),
    id: z.string().describe('names it, and opens nothing'),
    state: z.string().describe('single use; also the callback’s'),
    expires_at: time,
  })
  .meta({ id: 'SignupStart' })

const checkStatus = z.enum(['ok', 'warning', 'failed'])

const finding = z.enum([
  ...(['token_ok', 'token_expires_soon', 'token_refused', 'access_lost', 'token_sealed'] as const),
  ...(['token_of_other_app', 'token_not_told', 'meta_unreachable', 'not_known'] as const),
  ...(['permissions_ok', 'messaging_not_permitted', 'templates_not_permitted'] as const),
  ...(['subscribed', 'not_subscribed'] as const),
  ...(['callback_ok', 'no_callback', 'callback_elsewhere'] as const),
  ...(['registered', 'not_registered', 'number_not_shown', 'phone_disconnected'] as const),
  ...(['standing_ok', 'banned', 'review_rejected', 'restricted', 'sending_blocked'] as const),
  ...(['replies_only', 'sending_limited'] as const),
  ...(['quality_high', 'quality_medium', 'quality_low', 'quality_none'] as const),
  ...(['limit_known', 'limit_not_told', 'throughput_known'] as const),
  ...(['inbound_seen', 'inbound_never'] as const),
])

export const doctorReport = z
  .object({
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
        finding: finding.describe('what was found, in a word that stays the same'),
        facts: z
          .record(z.string(), z.union([z.string(), z.number(), z.null()]))
          .describe('what the finding’s sentence names: times, hosts, Meta’s words'),
        message: z.string().describe('what was found, in a sentence'),
        fix: z.string().nullable().describe('what to do about it, in a sentence'),
        repairable: z.boolean().describe('POST …/doctor/repair can do it'),
      }),
    ),
  })
  .meta({ id: 'DoctorReport' })

export const repairReport = z
  .object({
    actions: z
      .array(
        z.object({
          name: z.enum(['subscribe', 'clear_callback', 'register', 'release']),
          status: z.enum(['done', 'failed']),
          problem: z.enum(['pin_unknown', 'refused', 'unreachable']).nullable(),
          said: z.string().nullable().describe('Meta’s own words, where it refused'),
          message: z.string(),
        }),
      )
      .describe('what was tried; empty when nothing could be repaired'),
    doctor: doctorReport.describe('how things are afterwards'),
  })
  .meta({ id: 'RepairReport' })

export const numberPin = z
  .strictObject({
    pin: z.string().regex(/^\d{6}$/, 'the six digits of two-step verification'),
  })
  .meta({ id: 'NumberPin' })
