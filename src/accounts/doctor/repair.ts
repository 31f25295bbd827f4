// Does at Meta what can be done without a person: subscribes the app, takes overrides back, registers the number. No
// transaction is open while Meta is asked; everything here can be done again.
import type { z } from 'zod'
import type { repairReport } from '../../api/contract-connect.ts'
import { recordAct } from '../../audit/record.ts'
import { transactionWithRetry } from '../../db/retry.ts'
import { publicId } from '../../ids.ts'
import type { GraphFailure, Told } from '../../meta/graph-accounts.ts'
import { holdOf } from '../news.ts'
import { derivedPin } from '../signup/pin.ts'
import { updatePin } from '../token-queries.ts'
import { pinOwner } from '../vault.ts'
import type { Check } from './checks.ts'
import { type DoctorOptions, type Examination, examine, type Patient } from './examine.ts'

export type RepairReport = z.output<typeof repairReport>
type Action = RepairReport['actions'][number]

export async function repair(
  options: DoctorOptions,
  patient: Patient,
  by: { actor: string; pin?: string },
): Promise<RepairReport> {
  const before = await examine(options, patient)
  const { actions, newPin } = await act(options, before, by.pin)
  if (actions.length === 0) return { actions, doctor: before.report }
  const isRegistered = actions.some(({ name, status }) => name === 'register' && status === 'done')
  await transactionWithRetry(options.db, async (tx) => {
    const now = options.clock.now()
    const { tenantId, id } = patient
    if (newPin !== undefined) {
      await updatePin(tx, patient, options.vault.seal(newPin, pinOwner(tenantId, id)), now)
    }
    await recordAct(tx, {
      tenantId,
      at: now,
      actor: by.actor,
      action: 'account.repaired',
      subject: publicId('acc', id),
      details: { actions: actions.map(({ name, status }) => `${name} ${status}`) },
    })
    const { account } = before.evidence
    // What was refused because the number was not registered holds it for a while; that is over.
    const isFree = account.auth_status === 'ok' && holdOf(account.told, now) === null
    if (isRegistered && isFree) await options.hold(tx, tenantId, account.phone_number_id, null)
  })
  if (isRegistered) await options.onReleased()
  return { actions, doctor: (await examine(options, patient)).report }
}

async function act(
  { meta, vault }: DoctorOptions,
  { report, evidence, accessToken, sealedPin }: Examination,
  givenPin: string | undefined,
): Promise<{ actions: Action[]; newPin?: string }> {
  const actions: Action[] = []
  if (accessToken === undefined) return { actions }
  const broken = (name: Check['name']) =>
    report.checks.some((check) => check.name === name && check.repairable)
  const { account, number } = evidence
  const callbacks = number?.kind === 'told' ? number.value.callbacks : null
  const isAccountOverride = broken('callback') && callbacks?.account != null
  if (broken('subscription') || isAccountOverride) {
    const answer = await meta.subscribe(account.waba_id, accessToken)
    actions.push(actionOf('subscribe', answer, 'The app is subscribed to the WhatsApp account.'))
  }
  if (broken('callback') && callbacks?.number != null) {
    const answer = await meta.clearNumberCallback(account.phone_number_id, accessToken)
    actions.push(actionOf('clear_callback', answer, 'The number’s own callback is taken back.'))
  }
  if (!broken('registration')) return { actions }
  const owner = pinOwner(evidence.tenantId, account.id)
  const pin =
    givenPin ??
    (sealedPin === null ? derivedPin(vault, account.phone_number_id) : vault.open(sealedPin, owner))
  const answer = await meta.register(account.phone_number_id, accessToken, pin)
  actions.push(actionOf('register', answer, 'The number is registered.'))
  return answer.kind === 'told' ? { actions, newPin: pin } : { actions }
}

function actionOf(name: Action['name'], answer: Told<true>, done: string): Action {
  if (answer.kind === 'told') {
    return { name, status: 'done', problem: null, said: null, message: done }
  }
  const problem =
    answer.kind === 'unreachable'
      ? ('unreachable' as const)
      : answer.provider.code === pinUnknown
        ? ('pin_unknown' as const)
        : ('refused' as const)
  const said = answer.kind === 'refused' ? (answer.provider.message ?? null) : null
  return { name, status: 'failed', problem, said, message: failureText(answer) }
}

const pinUnknown = 133005

function failureText(failure: GraphFailure): string {
  if (failure.kind === 'unreachable') return `Meta could not be asked (${failure.code}).`
  const { code, message } = failure.provider
  if (code === pinUnknown) {
    return 'The number has a two-step verification PIN that we do not know: give it with POST …/doctor/register.'
  }
  return `Meta refused: ${message ?? code ?? failure.statusCode}`
}
