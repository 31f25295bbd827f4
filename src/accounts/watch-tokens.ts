// Now and then Meta is asked about every token, so that one which died shows before a message needs it. Each account is
// asked about by one process, because whoever takes it moves its time on first.
import type { PeriodicJob } from '../again-and-again.ts'
import { checkToken, type TokenKeeper } from './check-token.ts'
import { deleteOldStates } from './signup/queries.ts'
import { claimTokenChecks } from './token-queries.ts'

export interface TokenWatchOptions extends TokenKeeper {
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

export function createTokenWatch(options: TokenWatchOptions): TokenWatch {
  const { db, clock, log, app } = options
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
      await deleteOldStates(db, new Date(clock.now().getTime() - dayMs))
      return checked
    },
  }
}

export function tokenWatchJob(options: TokenWatchOptions): PeriodicJob {
  return {
    name: 'tokens',
    everyMs: 60_000,
    failed: 'token_check_failed',
    run: (signal) => createTokenWatch({ ...options, signal }).runOnce(),
  }
}
