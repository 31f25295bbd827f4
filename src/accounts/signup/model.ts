// What a sign-up needs and what it gives.
import type { Db } from '../../db/connect.ts'
import type { Log } from '../../log.ts'
import type { AppAccess, GraphAccounts } from '../../meta/graph-accounts.ts'
import type { Metrics } from '../../metrics.ts'
import type { Clock, Random } from '../../time-and-chance.ts'
import type { HoldNumber } from '../check-token.ts'
import type { OnConnected } from '../connect.ts'
import type { AccountRow } from '../queries.ts'
import type { Vault } from '../vault.ts'

export interface SignupOptions {
  db: Db
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
  vault: Vault
  meta: GraphAccounts
  app: AppAccess
  tokenCheckMinutes: number
  /** In the transaction that connects, last. */
  release: OnConnected
  hold: HoldNumber
  /** After it: what was parked can go. */
  onReleased: () => Promise<unknown>
  /** Whether a refusal for which nobody is known may still be audited: strangers must not fill the log. */
  mayAuditStranger: () => boolean
}

export interface SignupAnswer {
  state?: string | undefined
  code?: string | undefined
  /** What Meta says instead of a code. */
  error?: string | undefined
  waba_id?: string | undefined
  phone_number_id?: string | undefined
  /** The code came from the pop-up, so no address was given to send the browser back to. */
  isPopup: boolean
  /** Who calls, if they said so with a key. */
  callerTenantId?: string | undefined
  /** The public id of who is signed in. */
  callerPerson?: string | undefined
}

export interface Finished {
  account: AccountRow
  isNew: boolean
}
