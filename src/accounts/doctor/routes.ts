import { z } from 'zod'
import { doctorReport, numberPin, repairReport } from '../../api/contract-connect.ts'
import { type Route, route } from '../../api/route.ts'
import { notFound } from '../../errors.ts'
import { uuidOf } from '../../ids.ts'
import { type DoctorOptions, examine, type Patient } from './examine.ts'
import { repair } from './repair.ts'

const base = '/api/whatsapp/accounts/:id/doctor'
const params = z.object({ id: z.string() })

export function doctorRoutes(options: DoctorOptions): Route[] {
  return [
    route({
      operationId: 'accounts.doctor.examine',
      method: 'GET',
      path: base,
      summary: 'Look at an account from its token to its last inbound message, and say what to do',
      access: 'tenant',
      params,
      answer: doctorReport,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: async (call) => (await examine(options, patientOf(call))).report,
    }),
    route({
      operationId: 'accounts.doctor.repair',
      method: 'POST',
      path: `${base}/repair`,
      summary: 'Do what can be done without a person: subscribe the app, register the number',
      access: 'tenant',
      params,
      answer: repairReport,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: (call) => repair(options, patientOf(call), { actor: call.actor }),
    }),
    route({
      operationId: 'accounts.doctor.register',
      method: 'POST',
      path: `${base}/register`,
      summary: 'The same with the number’s own two-step verification PIN',
      access: 'tenant',
      params,
      body: numberPin,
      answer: repairReport,
      errors: ['ACCOUNT_NOT_FOUND'],
      handle: (call) => repair(options, patientOf(call), { actor: call.actor, pin: call.body.pin }),
    }),
  ]
}

function patientOf(call: { tenantId: string; params: { id: string } }): Patient {
  const id = uuidOf('acc', call.params.id)
  if (!id) throw notFound('ACCOUNT_NOT_FOUND', 'account')
  return { tenantId: call.tenantId, id }
}
