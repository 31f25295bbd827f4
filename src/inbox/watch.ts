// Says every other second that webhooks are received, and whether they are processed in time. An ambiguous send waits for a
// status, and its absence means something only while this goes on without a break (outbox/send.ts).
import type { PeriodicJob } from '../again-and-again.ts'
import type { Db } from '../db/connect.ts'
import { inboxPatienceMs, longestBreakSeconds, pulseMs } from '../outbox/inbox-pulse.ts'
import type { Clock } from '../time-and-chance.ts'
import { beatInbox } from './queries.ts'

/** Whoever starts after this found nobody receiving: what Meta could not deliver meanwhile comes later. */
const breakBeforeStartSeconds = 5

export interface InboxWatchOptions {
  db: Db
  clock: Clock
  /** How long nobody may have looked before that counts as a break. */
  longestBreak?: number | undefined
}

/** The first round counts a shorter break, unless looks are rare anyway. */
export function inboxWatchJob({ db, clock, longestBreak }: InboxWatchOptions): PeriodicJob {
  let allowed = longestBreak ?? breakBeforeStartSeconds
  return {
    name: 'inbox-watch',
    everyMs: pulseMs,
    failed: 'inbox_watch_failed',
    async run() {
      const receivedBefore = new Date(clock.now().getTime() - inboxPatienceMs)
      await beatInbox(db, receivedBefore, allowed)
      allowed = longestBreak ?? longestBreakSeconds
    },
  }
}
