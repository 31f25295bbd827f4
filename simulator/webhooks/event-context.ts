// What the builders of webhook fields have to work with.
import { z } from 'zod'
import type { BusinessNumber } from '../numbers.ts'
import type { Random } from '../time-and-chance.ts'
import type { Person } from './payloads.ts'

/** Any JSON object. */
const json = z.record(z.string(), z.unknown())

export const eventSchema = z.strictObject({
  field: z.string().min(1).max(128),
  phone_number_id: z.string().min(1).optional(),
  waba_id: z.string().min(1).optional(),
  /** The portfolio; some account updates are sent in its name. */
  business_id: z.string().min(1).optional(),
  /** Which of several shapes, where a field has several: `event`, `decision` or `status` in it. */
  event: z.string().min(1).optional(),
  /** For messages, calls, history, echoes and groups: which kind. */
  type: z.string().min(1).optional(),
  /** For messages of type system or interactive: which of them. */
  system: z.string().min(1).optional(),
  interactive: z.string().min(1).optional(),
  /** For messages of type status. */
  status: z.string().min(1).optional(),
  /** The same: with the conversation that webhooks before v24 carry. */
  conversation: z.boolean().optional(),
  wamid: z.string().min(1).optional(),
  error_code: z.int().optional(),
  customer: z
    .strictObject({
      wa_id: z.string().min(1).optional(),
      user_id: z.string().min(1).optional(),
      name: z.string().min(1).optional(),
      username: z.string().min(1).optional(),
    })
    .optional(),
  /** For user_id_update. */
  user_id: z.strictObject({ previous: z.string(), current: z.string() }).optional(),
  template: z
    .strictObject({
      id: z.int().optional(),
      name: z.string().min(1).optional(),
      language: z.string().min(1).optional(),
      category: z.string().min(1).optional(),
    })
    .optional(),
  /** Laid over the object of a message's type, or over the status. */
  content: json.optional(),
  /** Laid over the message itself, e.g. a context, a referral or a group_id. */
  message: json.optional(),
  /** Laid over the whole value: the caller has the last word. */
  value: json.optional(),
  /** Instead of the usual entry id. */
  entry_id: z.string().min(1).optional(),
})

export type EventInput = z.input<typeof eventSchema>

export interface EventContext {
  input: z.output<typeof eventSchema>
  wabaId: string
  businessId: string
  /** The app that the webhooks are delivered to. */
  ownAppId: string
  /** Throws a RequestError when the event names no number and none can be guessed. */
  number(): BusinessNumber
  person: Person
  nowSeconds: number
  random: Random
}

export interface BuiltEvent {
  value: Record<string, unknown>
  /** Whether the entry says when it happened: account and template fields do. */
  timed: boolean
  entryId?: string
  wamid?: string
  kind?: 'message' | 'status'
  status?: string
}

export type EventBuilder = (context: EventContext) => BuiltEvent

/** About an account or a template. */
export const timed = (value: Record<string, unknown>): BuiltEvent => ({ value, timed: true })

/** About people and what they write. */
export const untimed = (value: Record<string, unknown>): BuiltEvent => ({ value, timed: false })
