// One thing that happened to a message or a delivery.
export interface Moment {
  at: string
  what: string
  event_id?: string
  /** What else there is to say; never what somebody wrote. */
  details: Record<string, string | number | null>
}
