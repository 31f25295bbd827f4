// Who tried to connect what, and was refused.
import { type Act, recordActs } from '../../audit/record.ts'
import type { Db } from '../../db/connect.ts'
import type { AppError } from '../../errors.ts'
import { publicId } from '../../ids.ts'
import type { Clock } from '../../time-and-chance.ts'
import { noteClaim } from '../note-claim.ts'
import { type SignupState, selectNumber } from './queries.ts'

/** In the chain of the tenant whose sign-up it was; where nobody's is known, in the operators'. */
export async function auditRefusal(
  { db, clock }: { db: Db; clock: Clock },
  started: SignupState | undefined,
  { code, details }: AppError,
): Promise<void> {
  const at = clock.now()
  const isForeign = code === 'STATE_FOREIGN'
  await db.transaction(async (tx) => {
    const acts: Act[] = [
      {
        tenantId: started?.tenant_id ?? null,
        at,
        // Of somebody who came with another's state nothing is told here.
        actor: isForeign ? 'nobody' : (started?.started_by ?? 'nobody'),
        action: 'signup.refused',
        subject: started?.account_id ? publicId('acc', started.account_id) : 'whatsapp',
        details: { code },
      },
    ]
    const taken = code === 'NUMBER_TAKEN' ? details?.phone_number_id : undefined
    const owner = typeof taken === 'string' ? await selectNumber(tx, taken) : undefined
    // Its owner should know that somebody wants it; not who.
    if (owner && owner.tenant_id !== started?.tenant_id) {
      acts.push({
        tenantId: owner.tenant_id,
        at,
        actor: 'nobody',
        action: 'account.claimed_elsewhere',
        subject: publicId('acc', owner.id),
        details: { phone_number_id: owner.phone_number_id },
      })
    }
    await recordActs(tx, acts)
    if (typeof taken === 'string') await noteClaim(tx, started?.tenant_id, taken, at)
  })
}
