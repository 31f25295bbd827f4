import { z } from 'zod'
import { fileHeaders, mediaForm, uploadedMedia } from '../api/contract-media.ts'
import { type Route, route } from '../api/route.ts'
import type { Db } from '../db/connect.ts'
import { AppError } from '../errors.ts'
import { publicId } from '../ids.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import { serveMedia } from './serve.ts'
import type { MediaStore } from './store.ts'
import { receiveUpload } from './upload.ts'

export interface MediaRoutesOptions {
  db: Db
  store: MediaStore
  clock: Clock
  random: Random
  log: Log
  metrics: Metrics
}

const said = (description: string) => ({ description, schema: { type: 'string' } })
const fileAnswerHeaders = {
  'Content-Disposition': said('attachment, with the name of the file'),
  'Content-Range': said('of a part: which bytes of how many'),
  ETag: said('changes with the file; for If-Range'),
}

const path = '/api/whatsapp/meta/media'

export function mediaRoutes(options: MediaRoutesOptions): Route[] {
  const { log, metrics } = options
  return [
    route({
      operationId: 'media.upload',
      method: 'POST',
      path,
      summary: 'Upload a file to send: Meta’s types and sizes, checked while it comes',
      access: 'agent',
      form: mediaForm,
      answer: uploadedMedia,
      errors: [
        'INVALID_MEDIA',
        'MEDIA_TOO_LARGE',
        'MEDIA_TYPE_NOT_SUPPORTED',
        'UNSUPPORTED_MEDIA_TYPE',
        'MEDIA_STORE_UNAVAILABLE',
      ],
      handle: async ({ tenantId, parts, requestId }) => {
        try {
          const { id, kind, bytes } = await receiveUpload(options, tenantId, parts())
          const media_id = publicId('med', id)
          metrics.mediaUploads.inc({ outcome: 'stored' })
          log.info('media_uploaded', {
            tenant_id: tenantId,
            media_id,
            kind,
            bytes,
            request_id: requestId,
          })
          return { media_id }
        } catch (error) {
          const isRefused = error instanceof AppError && error.status < 500
          metrics.mediaUploads.inc({ outcome: isRefused ? 'refused' : 'failed' })
          throw error
        }
      },
    }),
    route({
      operationId: 'media.download',
      method: 'GET',
      path: `${path}/:id`,
      summary: 'A file that a contact sent or that was uploaded, as an attachment',
      description: 'One range of bytes can be asked for.',
      access: 'agent',
      params: z.object({ id: z.string() }),
      headers: fileHeaders,
      givesFile: true,
      answerHeaders: fileAnswerHeaders,
      answer: z.unknown(),
      errors: [
        'MEDIA_NOT_FOUND',
        'MEDIA_PENDING',
        'MEDIA_FAILED',
        'MEDIA_EXPIRED',
        'RANGE_NOT_SATISFIABLE',
        'MEDIA_STORE_UNAVAILABLE',
      ],
      handle: ({ tenantId, params, headers }) =>
        serveMedia(options, {
          tenantId,
          mediaId: params.id,
          range: headers.range,
          ifRange: headers['if-range'],
        }),
    }),
  ]
}
