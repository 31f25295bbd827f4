// The last commit of a sign-up: the account with its sealed token, its audit row, and what was parked set free.
import { type Act, recordActs } from '../../audit/record.ts'
import type { Tx } from '../../db/connect.ts'
import { transactionWithRetry } from '../../db/retry.ts'
import { publicId } from '../../ids.ts'
import type { MetaNumber } from '../../meta/graph-accounts.ts'
import { holdOf } from '../news.ts'
import type { AccountRow } from '../queries.ts'
import { levelOf, toldBy } from '../told.ts'
import { pinOwner, tokenOwner } from '../vault.ts'
import type { Finished, SignupOptions } from './model.ts'
import {
  type KnownNumber,
  selectNumber,
  selectNumbersOfTenant,
  updateToken,
  upsertConnection,
} from './queries.ts'
import { refuse } from './refusals.ts'

export interface NewConnection {
  tenantId: string
  actor: string
  wabaId: string
  /** The account's numbers: the token is good for all of them. */
  listed: string[]
  number: MetaNumber
  accessToken: string
  expiresAt: Date | null
  pin: string | null
}

/** Sends that end at this moment hold the same rows in another order. */
export function storeConnection(
  options: SignupOptions,
  connection: NewConnection,
): Promise<Finished> {
  return transactionWithRetry(options.db, (tx) => store(tx, options, connection))
}

async function store(tx: Tx, options: SignupOptions, connection: NewConnection): Promise<Finished> {
  const { tenantId, actor, number } = connection
  const now = options.clock.now()
  const known = await selectNumber(tx, number.id)
  if (known && known.tenant_id !== tenantId) throw taken(number.id)
  const row = await upsertConnection(tx, connectionOf(options, connection, known), now)
  if (!row) throw taken(number.id)
  const acts: Act[] = [actOf(tenantId, actor, row, !row.is_new, now)]
  const siblings: AccountRow[] = []
  for (const sibling of await waitingSiblings(tx, connection)) {
    const mended = await updateToken(tx, tokenFor(options, connection, sibling.id), now)
    if (!mended) continue
    siblings.push(mended)
    acts.push(actOf(tenantId, actor, mended, true, now))
  }
  await recordActs(tx, acts)
  for (const one of [row, ...siblings]) {
    // Last: the queue's lock comes after the audit chain's.
    await options.release(tx, tenantId, one.phone_number_id, now)
    const hold = holdOf(one.told, now)
    if (hold) await options.hold(tx, tenantId, one.phone_number_id, hold.until ?? 'parked')
  }
  // crash point: signup.stored-before-commit
  const { is_new: isNew, ...account } = row
  return { account, isNew }
}

const taken = (phoneNumberId: string) => refuse('NUMBER_TAKEN', { phone_number_id: phoneNumberId })

function actOf(
  tenantId: string,
  actor: string,
  account: AccountRow,
  isReconnect: boolean,
  at: Date,
): Act {
  return {
    tenantId,
    at,
    actor,
    action: isReconnect ? 'account.reconnected' : 'account.connected',
    subject: publicId('acc', account.id),
    details: { phone_number_id: account.phone_number_id, waba_id: account.waba_id },
  }
}

function connectionOf(
  options: SignupOptions,
  connection: NewConnection,
  known: KnownNumber | undefined,
) {
  const { tenantId, wabaId, number, pin } = connection
  const id = known?.id ?? options.random.uuid()
  const token = tokenFor(options, connection, id)
  return {
    ...token,
    wabaId,
    phoneNumberId: number.id,
    displayPhoneNumber: number.displayPhoneNumber,
    sealedPin: pin === null ? null : options.vault.seal(pin, pinOwner(tenantId, id)),
    throughputLevel: levelOf(number),
    told: { ...toldBy(number, options.clock.now()), ...token.told },
  }
}

function tokenFor(
  { app, vault, clock, tokenCheckMinutes }: SignupOptions,
  { tenantId, accessToken, expiresAt }: NewConnection,
  id: string,
) {
  const nowMs = clock.now().getTime()
  // Meta's times are whole seconds: what happens later in this one must not look older.
  const at = new Date(Math.floor(nowMs / 1000) * 1000).toISOString()
  return {
    tenantId,
    id,
    appId: app.appId,
    sealedToken: vault.seal(accessToken, tokenOwner(tenantId, id)),
    tokenExpiresAt: expiresAt,
    tokenCheckAt: new Date(nowMs + tokenCheckMinutes * 60_000),
    // What Meta said before of our access is over, also where it arrives only now.
    told: { access: { event: 'CONNECTED', at } },
  }
}

/** Other numbers of the same business account that wait for a token: this one is good for them too. */
async function waitingSiblings(
  tx: Tx,
  { tenantId, wabaId, listed, number }: NewConnection,
): Promise<KnownNumber[]> {
  const own = await selectNumbersOfTenant(tx, tenantId)
  return own.filter(
    (one) =>
      one.waba_id === wabaId &&
      one.phone_number_id !== number.id &&
      one.auth_status === 'needs_reauth' &&
      listed.includes(one.phone_number_id),
  )
}
