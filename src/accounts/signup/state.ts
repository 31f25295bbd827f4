// The state of a sign-up: 256 random bits that the browser carries to Meta and back. Good once, for 10 minutes, and for
// the tenant that started it. Only its digest is kept.
import { createHash } from 'node:crypto'
import { recordAct } from '../../audit/record.ts'
import type { Db, Tx } from '../../db/connect.ts'
import { notFound } from '../../errors.ts'
import { publicId } from '../../ids.ts'
import type { Clock, Random } from '../../time-and-chance.ts'
import { selectAccount } from '../queries.ts'
import { insertState, type SignupState, selectState, useState } from './queries.ts'
import { type Refusal, refuse } from './refusals.ts'

const lifeMs = 10 * 60 * 1000

export interface StartedSignup {
  state: string
  expiresAt: Date
}

/** Commits a state that this tenant can use, for a new number or to reconnect one. */
export async function startSignup(
  { db, clock, random }: { db: Db; clock: Clock; random: Random },
  by: { tenantId: string; actor: string; accountId: string | null },
): Promise<StartedSignup> {
  const state = random.bytes(32).toString('base64url')
  const now = clock.now()
  const expiresAt = new Date(now.getTime() + lifeMs)
  await db.transaction(async (tx) => {
    if (by.accountId !== null && !(await selectAccount(tx, by.tenantId, by.accountId))) {
      throw notFound('ACCOUNT_NOT_FOUND', 'account')
    }
    await insertState(tx, {
      hash: hashOf(state),
      tenantId: by.tenantId,
      accountId: by.accountId,
      startedBy: by.actor,
      createdAt: now,
      expiresAt,
    })
    await recordAct(tx, {
      tenantId: by.tenantId,
      at: now,
      actor: by.actor,
      action: by.accountId === null ? 'signup.started' : 'reconnect.started',
      subject: by.accountId === null ? 'whatsapp' : publicId('acc', by.accountId),
    })
  })
  return { state, expiresAt }
}

/** Names a sign-up to whoever began it, and lets nobody end it. */
export function signupIdOf(state: string): string {
  return hashOf(state).toString('hex').slice(0, 16)
}

/** Throws what is wrong with it; does not use it up. `row` is there for whoever audits the refusal. */
export async function readState(
  tx: Tx,
  state: string | undefined,
  now: Date,
): Promise<{ hash: Buffer; row: SignupState; problem: Refusal | null }> {
  if (!state) throw refuse('STATE_MISSING')
  const hash = hashOf(state)
  const row = await selectState(tx, hash)
  if (!row) throw refuse('STATE_INVALID')
  const problem =
    row.used_at !== null ? 'STATE_USED' : row.expires_at <= now ? 'STATE_EXPIRED' : null
  return { hash, row, problem }
}

/** In a commit of its own, before anything is asked of Meta: of two tabs, one gets on. */
export async function takeState(db: Db, hash: Buffer, now: Date): Promise<boolean> {
  return db.transaction((tx) => useState(tx, hash, now))
}

function hashOf(state: string): Buffer {
  return createHash('sha256').update(state).digest()
}
