// Looks at a connected number from end to end: what we have, what Meta says. What is learnt is written down too, so that
// the account shows the same as its doctor.

import type { Tx } from '../../db/connect.ts'
import { notFound } from '../../errors.ts'
import { publicId } from '../../ids.ts'
import type { AppAccess, MetaNumber } from '../../meta/graph-accounts.ts'
import { checkToken, type TokenFinding, type TokenKeeper } from '../check-token.ts'
import { selectAccount } from '../queries.ts'
import { selectCheckedAccount } from '../token-queries.ts'
import { levelOf, toldBy } from '../told.ts'
import { recordLook } from '../told-queries.ts'
import { tokenOwner } from '../vault.ts'
import { checksOf, type Evidence, type Report, worstOf } from './checks.ts'

export interface DoctorOptions extends Omit<TokenKeeper, 'app'> {
  app: AppAccess | null
  publicUrl: string | undefined
  lastInboundAt: (tx: Tx, tenantId: string, phoneNumberId: string) => Promise<Date | null>
  /** The account's throughput level changed, perhaps. Called last in the transaction. */
  keepPace: (tx: Tx, tenantId: string, phoneNumberId: string) => Promise<void>
}

export interface Patient {
  tenantId: string
  id: string
}

export interface Examination {
  report: Report
  evidence: Evidence
  /** What Meta can be asked with; undefined when it cannot be read. */
  accessToken: string | undefined
  sealedPin: string | null
}

export async function examine(options: DoctorOptions, patient: Patient): Promise<Examination> {
  const { db, clock, app, meta } = options
  const { tenantId, id } = patient
  const read = <T>(work: (tx: Tx) => Promise<T>) => db.tenantTransaction(tenantId, work)
  const checked = await read((tx) => selectCheckedAccount(tx, tenantId, id))
  if (!checked) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  const isOurApp = app !== null && (checked.app_id === null || checked.app_id === app.appId)
  const token: TokenFinding | null =
    isOurApp && app ? await checkToken({ ...options, app }, checked) : null
  const accessToken = token?.kind === 'told' ? token.accessToken : openToken(options, checked)
  const canAsk = accessToken !== undefined && (token?.kind !== 'told' || token.info.isValid)
  const apps = canAsk ? await meta.subscribedApps(checked.waba_id, accessToken) : null
  const number = canAsk ? await meta.number(checked.phone_number_id, accessToken) : null
  if (number?.kind === 'told') await keepLook(options, patient, number.value)
  // Afterwards: the looks above may have changed it.
  const account = await read((tx) => selectAccount(tx, tenantId, id))
  if (!account) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  const now = clock.now()
  const evidence: Evidence = {
    tenantId,
    account,
    token: accessToken === undefined ? { kind: 'sealed' } : token,
    apps,
    number,
    lastInboundAt: await read((tx) => options.lastInboundAt(tx, tenantId, account.phone_number_id)),
    appId: app?.appId ?? null,
    publicUrl: options.publicUrl,
    now,
    tokenWarningDays: options.tokenWarningDays,
  }
  const checks = checksOf(evidence)
  const report: Report = {
    account_id: publicId('acc', id),
    phone_number_id: account.phone_number_id,
    status: worstOf(checks),
    checked_at: now.toISOString(),
    checks,
  }
  return { report, evidence, accessToken, sealedPin: checked.pin }
}

function openToken(
  { vault }: DoctorOptions,
  account: { id: string; tenant_id: string; access_token: string },
): string | undefined {
  try {
    return vault.open(account.access_token, tokenOwner(account.tenant_id, account.id))
  } catch {
    return undefined
  }
}

function keepLook({ db, clock, keepPace }: DoctorOptions, patient: Patient, number: MetaNumber) {
  const now = clock.now()
  const look = { told: toldBy(number, now), throughputLevel: levelOf(number) }
  return db.transaction(async (tx) => {
    await recordLook(tx, patient, look, now)
    await keepPace(tx, patient.tenantId, number.id)
  })
}
