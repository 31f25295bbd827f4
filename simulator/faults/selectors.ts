// Whom and when a fault strikes: the part that all rules have in common.
import { z } from 'zod'
import { digitsOf, isBusinessScopedUserId } from '../identifiers.ts'
import { durationSchema } from './durations.ts'

/** One value or several; several mean any of them. */
const oneOrMore = z
  .union(
    [z.string().min(1), z.array(z.string().min(1)).min(1)],
    'must be a text or a list of texts',
  )
  .transform((value) => (Array.isArray(value) ? value : [value]))

const moment = z.union(
  [z.iso.datetime({ offset: true }).transform((text) => new Date(text)), durationSchema],
  'must be an ISO time, or a time since the rule was set such as "30s"',
)

const matchSchema = z.strictObject({
  phone_number_id: oneOrMore.optional(),
  waba_id: oneOrMore.optional(),
  /** Phone numbers in any spelling, or business-scoped user ids. */
  recipient: oneOrMore.transform((ids) => ids.map(recipientKey)).optional(),
  /** The called edge, e.g. `messages`, `media`, `message_templates`. */
  endpoint: oneOrMore.optional(),
  /** For webhooks: `message`, `status` or `event`. */
  kind: oneOrMore.optional(),
  /** For status webhooks: `sent`, `delivered`, `read`, `failed` … */
  status: oneOrMore.optional(),
  /** For other webhooks: the field, e.g. `account_update`. */
  field: oneOrMore.optional(),
  template: oneOrMore.optional(),
})

/** The keys every rule may have. */
export const selectorShape = {
  id: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, ".", "_" or "-"')
    .optional(),
  match: matchSchema.default({}),
  /** Without: from now on. */
  from: moment.optional(),
  /** Without: for ever. */
  until: moment.optional(),
  probability: z.number().min(0).max(1).default(1),
  /** Lets the first ones pass. */
  skip: z.int().min(0).default(0),
  /** How often it strikes before it is used up. */
  count: z.int().min(1).optional(),
}

export type Match = z.output<typeof matchSchema>
export type Moment = z.output<typeof moment>

/** What could be struck. Null means that the question does not arise here. */
export interface Opportunity {
  phone_number_id: string | null
  waba_id: string | null
  recipient: string | null
  endpoint?: string | null
  kind?: string | null
  status?: string | null
  field?: string | null
  template?: string | null
}

export function matches(match: Match, opportunity: Opportunity): boolean {
  return (Object.keys(match) as (keyof Match)[]).every((key) => {
    const wanted = match[key]
    const actual = opportunity[key]
    return wanted === undefined || (typeof actual === 'string' && wanted.includes(actual))
  })
}

export function isWithin(
  from: Moment | undefined,
  until: Moment | undefined,
  armedAt: Date,
  now: Date,
) {
  return (
    (from === undefined || now.getTime() >= timeOf(from, armedAt)) &&
    (until === undefined || now.getTime() < timeOf(until, armedAt))
  )
}

function timeOf(moment: Moment, armedAt: Date): number {
  return moment instanceof Date ? moment.getTime() : armedAt.getTime() + moment
}

/** One spelling for one person. */
export function recipientKey(id: string): string {
  return isBusinessScopedUserId(id) ? id : digitsOf(id)
}
