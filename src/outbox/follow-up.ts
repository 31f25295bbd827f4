// What is left to do after attempts are settled, each in a transaction of its own. Nothing is lost when the process dies
// before it: a proof is found when the wait is over, or told again by the next status; a name by the next answer.
import { knowsAlias, learnAlias } from '../contacts/alias.ts'
import { followContact } from '../conversations/follow-contact.ts'
import type { Db } from '../db/connect.ts'
import { errorFields, type Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { proveSends, reportDuplicate, settleProven } from './evidence.ts'
import { heedFailures } from './heed-status.ts'
import { joinLanes } from './release.ts'
import { reportFailure } from './report.ts'
import type { Settled } from './settle.ts'

export interface FollowUp {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
}

export async function followUp(options: FollowUp, settled: Settled): Promise<void> {
  try {
    const { isOurs, isRepeat, isPosted } = settled
    if (isPosted && (!isOurs || isRepeat)) await proveLateAnswer(options, settled)
    // A status may have told of it between our look for evidence and the commit.
    if (settled.outcome.class === 'unknown') {
      await settleProven(options, [settled.send])
    }
    await keepName(options, settled)
  } catch (error) {
    const { tenantId, correlationId } = settled.send
    const fields = { tenant_id: tenantId, correlation_id: correlationId }
    options.log.warn('outbound_follow_up_failed', { ...fields, ...errorFields(error) })
  }
}

/** We were taken for dead while Meta had the message: its answer is as good a proof as a status. */
async function proveLateAnswer(options: FollowUp, { send, outcome }: Settled): Promise<void> {
  const { wamid } = outcome
  if (wamid === null) return
  const { tenantId, messageId } = send
  const attempt = { tenantId, messageId, wamid, outboxId: send.id, isFailed: false }
  const now = options.clock.now()
  const { duplicates, failures } = await options.db.transaction(async (tx) => {
    const proofs = await proveSends(tx, [attempt], now)
    return { ...proofs, failures: await heedFailures(tx, proofs.early, options.random, now) }
  })
  for (const failure of failures) reportFailure(options, failure)
  for (const duplicate of duplicates) reportDuplicate(options, duplicate)
  await settleProven(options, [send])
}

/** Meta knows the recipient by another number than was asked for: the next one goes to the same conversation. */
async function keepName({ db, clock }: FollowUp, { send, answeredWaId }: Settled): Promise<void> {
  const { to, recipient_type } = send.payload
  if (!answeredWaId || typeof to !== 'string' || recipient_type === 'group') return
  const { tenantId } = send
  const asked = to.replace(/^\+/, '')
  if (asked === answeredWaId || (await knowsAlias(db, tenantId, asked, answeredWaId))) return
  const now = clock.now()
  await db.transaction(async (tx) => {
    const change = await learnAlias(tx, tenantId, asked, answeredWaId, now)
    if (!change) return
    await joinLanes(tx, await followContact(tx, tenantId, change.winner, change.loserId, now))
  })
}
