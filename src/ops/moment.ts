// One thing that happened to a message or a delivery.
import type { Step } from '../tracing/span-ids.ts'

export interface Moment {
  at: string
  what: string
  /** Which span of a trace tells the same, where one does. */
  step?: Step
  event_id?: string
  /** What else there is to say; never what somebody wrote. */
  details: Record<string, string | number | null>
}
