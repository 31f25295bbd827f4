// The queue of notifications: claims what is due, calls, and settles each if it is still ours. A channel that hangs or fails
// has one call under way and delays no other.

import type { Vault } from '../accounts/vault.ts'
import type { Db } from '../db/connect.ts'
import type { Queue } from '../dispatch/queue.ts'
import type { PostOutcome } from '../events/model.ts'
import type { Poster } from '../events/post.ts'
import { publicId } from '../ids.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { decideNotification } from './decide.ts'
import type { EnvironmentChannel } from './environment.ts'
import { openDestination } from './open.ts'
import {
  type ClaimedNotification,
  claimNotifications,
  type NotificationEnd,
  settleNotification,
} from './queue-queries.ts'
import { render } from './render.ts'

export interface AlertQueueOptions {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  vault: Vault
  poster: Poster
  environmentChannels: EnvironmentChannel[]
  pagerdutyEventsUrl: string
  /** How long calls under way get to end by themselves when we stop. */
  farewellMs?: number
}

export interface AlertQueue extends Queue {
  stop(): Promise<void>
}

/** In this process. */
const maxInFlight = 50
/** Longer than EVENT_TIMEOUT_MS allows a call to take. */
const leaseSeconds = 150

export function createAlertQueue(options: AlertQueueOptions): AlertQueue {
  const { db, clock, poster } = options
  const inFlight = new Set<Promise<void>>()
  let reserved = 0
  let isStopping = false
  let ring: () => void = () => undefined

  async function runDue(): Promise<number> {
    while (inFlight.size >= maxInFlight) await Promise.race(inFlight)
    const room = maxInFlight - inFlight.size - reserved
    if (isStopping || room <= 0) return 0
    reserved += room
    try {
      const claimed = await claimNotifications(db, clock.now(), leaseSeconds, room)
      for (const one of claimed) start(one)
      return claimed.length
    } finally {
      reserved -= room
    }
  }

  function start(one: ClaimedNotification): void {
    const task = tell(options, one).finally(() => {
      inFlight.delete(task)
      ring()
    })
    inFlight.add(task)
  }

  const idle = async () => {
    while (inFlight.size > 0) await Promise.all(inFlight)
  }
  return {
    name: 'alerts',
    runDue,
    onFreed: (listener) => {
      ring = listener
    },
    idle,
    async stop() {
      isStopping = true
      const cancel = clock.after(options.farewellMs ?? 3_000, poster.giveUp)
      await idle().finally(cancel)
    },
  }
}

/** Never throws: what cannot be settled comes due again when its lease is over. */
async function tell(options: AlertQueueOptions, one: ClaimedNotification): Promise<void> {
  const { db, clock, random, log } = options
  try {
    // crash point: alerts.before-post
    const outcome = await call(options, one)
    // crash point: alerts.after-post
    const now = clock.now()
    const end = decideNotification(outcome, one, { random, now })
    const isOurs = await db.transaction((tx) => settleNotification(tx, one, end, now))
    report(options, one, outcome, end, isOurs)
  } catch (error) {
    log.error('alert_notification_broken', { ...fieldsOf(one), ...errorFields(error) })
  }
}

async function call(options: AlertQueueOptions, one: ClaimedNotification): Promise<PostOutcome> {
  const { clock, poster, pagerdutyEventsUrl } = options
  const destination = openDestination(options, one.channel)
  if (typeof destination === 'string') {
    return { statusCode: null, errorCode: destination, retryAfterSeconds: null, body: null }
  }
  const told = { id: `ntf_${one.id.replaceAll('-', '')}`, event: one.event, message: one.message }
  const terms = { now: clock.now(), pagerdutyEventsUrl }
  return poster.post({ ...render(destination, told, terms), asks: false })
}

function fieldsOf({ tenantId, alertId, message, channel, attempts }: ClaimedNotification) {
  return {
    tenant_id: tenantId,
    alert_id: publicId('alt', alertId),
    name: message.rule,
    kind: channel.kind,
    attempts: attempts + 1,
  }
}

const outcomes = { done: 'delivered', waiting: 'retried', failed: 'given_up' } as const

function report(
  { log, metrics }: AlertQueueOptions,
  one: ClaimedNotification,
  { statusCode, errorCode }: PostOutcome,
  { status }: NotificationEnd,
  isOurs: boolean,
): void {
  const outcome = outcomes[status]
  metrics.alertNotifications.inc({ kind: one.channel.kind, outcome })
  const fields = {
    ...fieldsOf(one),
    statusCode,
    error_code: errorCode,
    state: isOurs ? outcome : 'lost',
  }
  log[status === 'done' ? 'info' : status === 'failed' ? 'error' : 'warn'](
    'alert_notification',
    fields,
  )
}
