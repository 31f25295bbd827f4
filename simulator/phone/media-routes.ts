// Files on the phone page: what a customer attaches goes into Meta's store, and what is there can be seen.
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Media } from '../media.ts'
import { parseInput, RequestError } from '../request-error.ts'

const uploadQuery = z.object({
  phone_number_id: z.string().min(1),
  filename: z.string().min(1).max(240).optional(),
})

/** What a browser may show in the page; everything else it gets only as a download. */
const shown = /^(image\/(jpeg|png|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)(;|$)/

export function mountPhoneMedia(app: FastifyInstance, media: () => Media): void {
  app.register((scope, _options, done) => {
    mountUpload(scope, media)
    done()
  })

  app.get<{ Params: { id: string } }>('/phone/media/:id', async (request, reply) => {
    const file = media().find(request.params.id)
    if (file === undefined) {
      throw new RequestError(404, 'MEDIA_NOT_FOUND', `id: ${request.params.id} is not stored`)
    }
    const isShown = shown.test(file.mime_type)
    return reply
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cache-control', 'private, max-age=300')
      .header('content-disposition', isShown ? 'inline' : 'attachment')
      .type(isShown ? file.mime_type : 'application/octet-stream')
      .send(file.bytes)
  })
}

function mountUpload(app: FastifyInstance, media: () => Media): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body)
  })
  app.post<{ Body: Buffer | undefined }>('/phone/media', async (request, reply) => {
    const { phone_number_id, filename } = parseInput(uploadQuery, request.query)
    const type = request.headers['content-type'] ?? 'application/octet-stream'
    const file = media().receive({
      phone_number_id,
      mime_type: type,
      bytes: request.body ?? Buffer.alloc(0),
      ...(filename === undefined ? {} : { filename }),
    })
    return reply.code(201).send({
      id: file.id,
      mime_type: file.mime_type,
      // As webhooks have it.
      sha256: Buffer.from(file.sha256, 'hex').toString('base64'),
    })
  })
}
