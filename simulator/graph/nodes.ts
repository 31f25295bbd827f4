// /{id}: one number, account, template, file or app, whichever the id belongs to.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { accessAccount, identify } from './access.ts'
import { describeAccount } from './accounts.ts'
import { editTemplate, unpauseTemplate } from './edit-template.ts'
import { unknownObject } from './errors.ts'
import { type Fields, selectFields } from './fields.ts'
import type { Graph } from './graph.ts'
import { countCall, manageAccount, manageNumber } from './management.ts'
import { describeMedia, visibleMedia } from './media.ts'
import { describeTemplate } from './message-templates.ts'
import { changeNumber, describeNumber } from './numbers.ts'
import { paramsOf } from './request-body.ts'
import { versioned } from './versions.ts'

interface NodeRoute {
  Params: { version: string; id: string }
}

export function mountNodes(app: FastifyInstance, graph: Graph): void {
  app.get<NodeRoute>(`${versioned}/:id`, async (request, reply) => show(graph, request, reply))

  app.post<NodeRoute>(`${versioned}/:id`, async (request, reply) => {
    const { id } = request.params
    const access = graph.access()
    if (access.business.numbers.find(id) !== undefined) {
      const managed = manageNumber(graph, request, reply, id)
      await changeNumber(graph, managed, paramsOf(request))
      return { success: true }
    }
    const template = manageTemplate(graph, request, reply, id)
    editTemplate(access, template, paramsOf(request))
    const { name, category } = template
    return { success: true, id, name, category }
  })

  app.post<NodeRoute>(`${versioned}/:id/unpause`, async (request, reply) => {
    const template = manageTemplate(graph, request, reply, request.params.id)
    unpauseTemplate(graph.access(), template)
    return { success: true }
  })

  app.delete<NodeRoute>(`${versioned}/:id`, async (request) => {
    const access = graph.access()
    const media = visibleMedia(access, request, request.params.id)
    access.business.media.delete(media.id)
    return { success: true }
  })
}

function show(graph: Graph, request: FastifyRequest<NodeRoute>, reply: FastifyReply): Fields {
  const { id } = request.params
  const access = graph.access()
  const { business } = access
  const { fields } = paramsOf(request)
  if (business.numbers.find(id) !== undefined) {
    return describeNumber(graph, manageNumber(graph, request, reply, id), fields)
  }
  if (business.accounts.find(id) !== undefined) {
    return describeAccount(graph, manageAccount(graph, request, reply, id), fields)
  }
  if (business.templates.find(id) !== undefined) {
    return describeTemplate(manageTemplate(graph, request, reply, id), fields)
  }
  const app = business.apps.find(id)
  if (app !== undefined) {
    const token = identify(access, request)
    if (token.app_id !== id) throw unknownObject(id, request.method)
    const link = `https://www.facebook.com/games/?app_id=${id}`
    return selectFields('Application', { id, name: app.name, link }, ['name', 'link'], fields)
  }
  return describeMedia(access, visibleMedia(access, request, id), request)
}

/** A template is as visible as its account. */
function manageTemplate(graph: Graph, request: FastifyRequest, reply: FastifyReply, id: string) {
  const access = graph.access()
  const template = access.business.templates.find(id)
  if (template === undefined) {
    identify(access, request)
    throw unknownObject(id, request.method)
  }
  const managed = accessAccount(access, request, template.waba_id, 'whatsapp_business_management')
  countCall(graph, reply, managed)
  return template
}
