// What comes of an attempt to tell somebody: taken, tried again later, or given up after a day.
import type { PostOutcome } from '../events/model.ts'
import type { Random } from '../time-and-chance.ts'
import type { NotificationEnd } from './queue-queries.ts'

/** After each failure in a row; then the last one again and again. */
export const retryDelaysSeconds = [5, 15, 60, 300]
const spread = 0.2
const givenUpAfterMs = 24 * 60 * 60 * 1000
const longestRetryAfterSeconds = 3600
/** A channel that is down is called once a minute, whatever waits for it. */
const longestHoldSeconds = 60
/** Something of ours was in the way. */
const ownTroubleSeconds = 10

export function decideNotification(
  { statusCode, errorCode, retryAfterSeconds }: PostOutcome,
  { attempts, createdAt }: { attempts: number; createdAt: Date },
  { random, now }: { random: Random; now: Date },
): NotificationEnd {
  if (errorCode === null) {
    return { status: 'done', error: null, runAt: null, isTaken: true, holdUntil: null }
  }
  const after = (seconds: number) => new Date(now.getTime() + seconds * 1000)
  if (errorCode === 'STOPPED') {
    const runAt = after(ownTroubleSeconds)
    return { status: 'waiting', error: errorCode, runAt, isTaken: null, holdUntil: null }
  }
  const listed = retryDelaysSeconds[Math.min(attempts, retryDelaysSeconds.length - 1)] ?? 0
  const asked = Math.min(retryAfterSeconds ?? 0, longestRetryAfterSeconds)
  const seconds = Math.max(listed * (1 + spread * random.fraction()), asked)
  // One that refuses this may take the next; one that is down, or says when, takes nothing before that.
  const isDown = statusCode === null || statusCode === 429 || statusCode >= 500
  const holdUntil = isDown ? after(Math.max(Math.min(seconds, longestHoldSeconds), asked)) : null
  const isOver = now.getTime() - createdAt.getTime() >= givenUpAfterMs
  return isOver
    ? { status: 'failed', error: errorCode, runAt: null, isTaken: false, holdUntil }
    : { status: 'waiting', error: errorCode, runAt: after(seconds), isTaken: false, holdUntil }
}
