// Now and then Meta is asked about every token, so that one which died shows before a message needs it. Each account is
// asked about by one process, because whoever takes it moves its time on first.
import { againAndAgain, type Loop } from '../again-and-again.ts'
import type { Metrics } from '../metrics.ts'
import { checkToken, type TokenKeeper } from './check-token.ts'
import { deleteOldStates } from './signup/queries.ts'
import { claimTokenChecks, countAccounts } from './token-queries.ts'

export interface TokenWatchOptions extends TokenKeeper {
  metrics: Metrics
  tokenCheckMinutes: number
  /** Ends a round after the account it is at. */
  signal?: AbortSignal
}

export interface TokenWatch {
  /** How many tokens were asked about. */
  runOnce(): Promise<number>
}

const batchSize = 20
const dayMs = 24 * 60 * 60 * 1000
const everyMs = 60_000

export function createTokenWatch(options: TokenWatchOptions): TokenWatch {
  const { db, clock, log, metrics, app } = options
  async function checkDue(): Promise<number> {
    let checked = 0
    while (!options.signal?.aborted) {
      const now = clock.now()
      const nextAt = new Date(now.getTime() + options.tokenCheckMinutes * 60_000)
      const due = await claimTokenChecks(db, app.appId, now, nextAt, batchSize)
      for (const account of due) {
        if (options.signal?.aborted) break
        const finding = await checkToken(options, account)
        checked++
        if (finding.kind === 'unknown') {
          const { failure } = finding
          log.warn('token_check_failed', {
            tenant_id: account.tenant_id,
            phone_number_id: account.phone_number_id,
            ...(failure.kind === 'refused'
              ? { statusCode: failure.statusCode, provider_code: failure.provider.code }
              : { error_code: failure.code }),
          })
        }
      }
      if (due.length < batchSize) break
    }
    return checked
  }
  return {
    async runOnce() {
      const checked = await checkDue()
      const now = clock.now()
      await deleteOldStates(db, new Date(now.getTime() - dayMs))
      const warnBefore = new Date(now.getTime() + options.tokenWarningDays * dayMs)
      const counts = await countAccounts(db, warnBefore)
      for (const [state, count] of Object.entries(counts)) metrics.accounts.set({ state }, count)
      return checked
    },
  }
}

export function startTokenWatch(options: TokenWatchOptions): Loop {
  return againAndAgain({
    ...options,
    everyMs,
    failed: 'token_check_failed',
    run: (signal) =>
      createTokenWatch({ ...options, signal })
        .runOnce()
        .then(() => false),
  })
}
