// What is wrong with connected numbers, as a table: the same checks as the API's.

import type { Report } from '../accounts/doctor/checks.ts'
import { type DoctorOptions, examine } from '../accounts/doctor/examine.ts'
import { type RepairReport, repair } from '../accounts/doctor/repair.ts'
import { listAccountIds } from '../accounts/list-ids.ts'
import { AppError, notFound } from '../errors.ts'
import { accountKeeping } from '../gateway.ts'
import { uuidOf } from '../ids.ts'
import { actor, print, type TableOptions, tenantNamed, withRuntime } from './manage.ts'
import { table } from './text.ts'

export interface DoctorCommandOptions extends TableOptions {
  tenant?: string
  repair?: boolean
}

interface Visit {
  doctor: Report
  actions?: RepairReport['actions']
}

/** False when something is broken. */
export async function doctorCommand(
  account: string | undefined,
  options: DoctorCommandOptions,
): Promise<boolean> {
  const id = account === undefined ? null : uuidOf('acc', account)
  if (id === undefined) throw new AppError('INVALID_REQUEST', 400, 'account: its id, acc_…')
  let isWell = true
  await withRuntime(async (runtime) => {
    const tenantId =
      options.tenant === undefined ? null : await tenantNamed(runtime, options.tenant)
    const patients = await listAccountIds(runtime.db.api, tenantId, id)
    if (id !== null && patients.length === 0) throw notFound('ACCOUNT_NOT_FOUND', 'account')
    const keeping: DoctorOptions = accountKeeping(runtime)
    const visits: Visit[] = []
    for (const patient of patients) {
      visits.push(
        options.repair
          ? await repair(keeping, patient, { actor })
          : { doctor: (await examine(keeping, patient)).report },
      )
    }
    isWell = visits.every(({ doctor }) => doctor.status !== 'failed')
    print(options, { data: visits }, textOf(visits))
  })
  return isWell
}

function textOf(visits: Visit[]): string {
  if (visits.length === 0) {
    return 'No number is connected yet. Next: estafet account link <tenant>'
  }
  return visits.map(visitText).join('\n\n')
}

function visitText({ doctor, actions = [] }: Visit): string {
  const rows = doctor.checks.map(({ name, status, message, fix }) => [
    status,
    name,
    fix === null ? message : `${message} ${fix}`,
  ])
  const done = actions.map(({ name, status, message }) => `${name}: ${status}. ${message}`)
  return [
    `${doctor.account_id}  number ${doctor.phone_number_id}: ${doctor.status}`,
    ...done,
    table(['STATE', 'CHECK', 'WHAT'], rows),
  ].join('\n')
}
