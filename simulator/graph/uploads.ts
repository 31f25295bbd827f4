// Resumable uploads of template samples: POST /{app-id}/uploads, then POST and GET /upload:<id>.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { UploadSession } from '../uploads.ts'
import { identify } from './access.ts'
import { GraphError, invalidRequest, parameterRequired, unknownObject } from './errors.ts'
import { textIn } from './fields.ts'
import type { Graph } from './graph.ts'
import { paramsOf } from './request-body.ts'
import { versioned } from './versions.ts'

const fileTypes = ['application/pdf', 'image/jpeg', 'image/jpg', 'image/png', 'video/mp4']
const maxBytes = 100 * 1024 * 1024

export function mountUploads(app: FastifyInstance, graph: Graph): void {
  // Bytes as they come, whatever their type.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post<{ Params: { version: string; appId: string } }>(
    `${versioned}/:appId/uploads`,
    async (request) => {
      const access = graph.access()
      const { appId } = request.params
      if (identify(access, request).app_id !== appId) throw unknownObject(appId, request.method)
      return { id: open(graph, request, appId).id }
    },
  )

  app.post<{ Params: { version: string; session: string } }>(
    `${versioned}/:session(^upload:.+$)`,
    { bodyLimit: maxBytes },
    async (request) => {
      const session = findSession(graph, request, request.params.session)
      const offset = Number(request.headers.file_offset ?? 0)
      if (offset !== session.received.length) {
        throw new GraphError({
          status: 400,
          code: 100,
          message: `(#100) The file_offset is ${session.received.length}, not ${offset}`,
        })
      }
      const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      if (session.received.length + bytes.length > session.file_length) {
        throw invalidRequest('There are more bytes than file_length says.')
      }
      graph.access().business.uploads.append(session, bytes)
      return session.handle === null ? { h: undefined } : { h: session.handle }
    },
  )

  app.get<{ Params: { version: string; session: string } }>(
    `${versioned}/:session(^upload:.+$)`,
    async (request) => {
      const session = findSession(graph, request, request.params.session)
      return { id: session.id, file_offset: session.received.length }
    },
  )
}

function open(graph: Graph, request: FastifyRequest, appId: string): UploadSession {
  const params = paramsOf(request)
  const file_type = textIn(params, 'file_type')
  if (file_type === undefined) throw parameterRequired('file_type')
  if (!fileTypes.includes(file_type)) {
    throw invalidRequest(`Param file_type must be one of ${fileTypes.join(', ')}`)
  }
  const file_length = Number(textIn(params, 'file_length'))
  if (!Number.isInteger(file_length) || file_length < 1 || file_length > maxBytes) {
    throw invalidRequest(`Param file_length must be from 1 to ${maxBytes}`)
  }
  const file_name = textIn(params, 'file_name')
  return graph.access().business.uploads.open({
    app_id: appId,
    file_length,
    file_type,
    ...(file_name === undefined ? {} : { file_name }),
  })
}

function findSession(graph: Graph, request: FastifyRequest, id: string): UploadSession {
  const access = graph.access()
  const token = identify(access, request)
  const session = access.business.uploads.find(id)
  if (session === undefined || session.app_id !== token.app_id) {
    throw unknownObject(id, request.method)
  }
  return session
}
