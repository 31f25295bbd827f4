// Says every other second that webhooks are received, and whether they are processed in time. An ambiguous send waits for a
// status, and its absence means something only while this goes on without a break (outbox/send.ts).
import type { Db } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import { inboxPatienceMs, longestBreakSeconds, pulseMs } from '../outbox/inbox-pulse.ts'
import { type Clock, sleep } from '../time-and-chance.ts'
import { beatInbox } from './queries.ts'

/** Whoever starts after this found nobody receiving: what Meta could not deliver meanwhile comes later. */
const breakBeforeStartSeconds = 5

export interface InboxWatch {
  stop(): Promise<void>
}

/** Resolves after the first look, so that what is sent from here on has been watched from its beginning. */
export async function startInboxWatch({
  db,
  clock,
  log,
}: {
  db: Db
  clock: Clock
  log: Log
}): Promise<InboxWatch> {
  const stopping = new AbortController()

  async function beat(longestBreak: number): Promise<void> {
    const receivedBefore = new Date(clock.now().getTime() - inboxPatienceMs)
    try {
      await beatInbox(db, receivedBefore, longestBreak)
    } catch (error) {
      log.warn('inbox_watch_failed', errorFields(error))
    }
  }
  async function watch(): Promise<void> {
    for (;;) {
      await sleep(clock, pulseMs, stopping.signal)
      if (stopping.signal.aborted) return
      await beat(longestBreakSeconds)
    }
  }
  await beat(breakBeforeStartSeconds)
  const watching = watch()
  return {
    stop: async () => {
      stopping.abort()
      await watching
    },
  }
}
