// Connecting a number with a token that is at hand. Calls nobody: what Meta thinks of it shows when it is used.
import { recordAct } from '../audit/record.ts'
import type { Db, Tx } from '../db/connect.ts'
import { AppError, notFound } from '../errors.ts'
import { publicId } from '../ids.ts'
import { isTenant } from '../tenants/resolve.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { noteClaim } from './note-claim.ts'
import { type AccountRow, insertAccount } from './queries.ts'
import { tokenOwner, type Vault } from './vault.ts'

export interface NewAccount {
  waba_id: string
  phone_number_id: string
  display_phone_number: string
  access_token: string
  app_id?: string | undefined
}

export type OnConnected = (
  tx: Tx,
  tenantId: string,
  phoneNumberId: string,
  now: Date,
) => Promise<void>

const firstTokenCheckMs = 60_000

export async function connectAccount(
  db: Db,
  tenantId: string,
  input: NewAccount,
  by: {
    actor: string
    clock: Clock
    random: Random
    vault: Vault
    appId: string | null
    /** In the transaction that connects it. */
    onConnected: OnConnected
  },
): Promise<AccountRow> {
  try {
    return await connect(db, tenantId, input, by)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NUMBER_TAKEN') {
      await db.transaction((tx) => noteClaim(tx, tenantId, input.phone_number_id, by.clock.now()))
    }
    throw error
  }
}

function connect(
  db: Db,
  tenantId: string,
  input: NewAccount,
  by: Parameters<typeof connectAccount>[3],
): Promise<AccountRow> {
  const id = by.random.uuid()
  const createdAt = by.clock.now()
  return db.transaction(async (tx) => {
    if (!(await isTenant(tx, tenantId))) throw notFound('TENANT_NOT_FOUND', 'tenant')
    const row = await insertAccount(tx, {
      id,
      tenantId,
      wabaId: input.waba_id,
      phoneNumberId: input.phone_number_id,
      displayPhoneNumber: input.display_phone_number,
      appId: input.app_id ?? by.appId,
      sealedToken: by.vault.seal(input.access_token, tokenOwner(tenantId, id)),
      createdAt,
      // Soon: a token that was pasted wrong should show before it is needed.
      tokenCheckAt: new Date(createdAt.getTime() + firstTokenCheckMs),
    })
    if (!row) {
      throw new AppError('NUMBER_TAKEN', 409, 'phone_number_id: this number is connected already', {
        details: { fields: [{ field: 'phone_number_id', problem: 'connected already' }] },
      })
    }
    await recordAct(tx, {
      tenantId,
      at: createdAt,
      actor: by.actor,
      action: 'account.connected',
      subject: publicId('acc', id),
      details: { phone_number_id: row.phone_number_id, waba_id: row.waba_id },
    })
    // Last: the queue's lock comes after the audit chain's, as in a requeue.
    await by.onConnected(tx, tenantId, row.phone_number_id, createdAt)
    return row
  })
}
