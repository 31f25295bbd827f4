// When the messages were written that somebody may still react to.
import type { FeedEvent } from './feed.ts'
import type { Clock } from './time-and-chance.ts'

export interface MessageAges {
  /** Listens for messages in both directions. */
  apply(event: FeedEvent): void
  /** False for messages nobody knows: tests deliver webhooks of their own. */
  isTooOldToReactTo(wamid: string): boolean
}

const reactionMs = 30 * 24 * 60 * 60 * 1000
const maxMessages = 200_000

export function createMessageAges(clock: Clock): MessageAges {
  const writtenAt = new Map<string, number>()
  return {
    apply(event) {
      if (event.type !== 'customer_message' && event.type !== 'send_accepted') return
      writtenAt.set(event.wamid, Date.parse(event.at))
      if (writtenAt.size > maxMessages) writtenAt.delete(writtenAt.keys().next().value ?? '')
    },
    isTooOldToReactTo(wamid) {
      const at = writtenAt.get(wamid)
      return at !== undefined && clock.now().getTime() - at >= reactionMs
    },
  }
}
