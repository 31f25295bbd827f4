// Management calls: allowed by another permission than sends, counted by the hour, and told so.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AccountAccess, accessAccount, accessNumber, type NumberAccess } from './access.ts'
import { tooManyManagementCalls } from './errors.ts'
import type { Graph } from './graph.ts'

const callsPerHour = 200
const callsPerHourWithNumber = 5000

const scope = 'whatsapp_business_management'

export function manageAccount(
  graph: Graph,
  request: FastifyRequest,
  reply: FastifyReply,
  wabaId: string,
): AccountAccess {
  const managed = accessAccount(graph.access(), request, wabaId, scope)
  countCall(graph, reply, managed)
  return managed
}

export function manageNumber(
  graph: Graph,
  request: FastifyRequest,
  reply: FastifyReply,
  phoneNumberId: string,
): NumberAccess {
  const managed = accessNumber(graph.access(), request, phoneNumberId, scope)
  countCall(graph, reply, managed)
  return managed
}

export function countCall(graph: Graph, reply: FastifyReply, managed: AccountAccess): void {
  const { business } = graph.access()
  const { token, account } = managed
  const hasNumber = business.numbers
    .all()
    .some(
      ({ waba_id, phone_number_id }) =>
        waba_id === account.waba_id && business.numbers.profile(phone_number_id).registered,
    )
  const limit = hasNumber ? callsPerHourWithNumber : callsPerHour
  const { header, isWithin } = business.usage.count(token.app_id, account.waba_id, limit)
  const headers = { 'x-business-use-case-usage': header }
  if (!isWithin) throw tooManyManagementCalls(headers)
  reply.headers(headers)
}
