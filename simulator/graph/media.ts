// Media: upload, and the download of what a lookup (nodes.ts) gave a URL for.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { downloadPath, type StoredMedia } from '../media.ts'
import {
  bareMimeType,
  fitsKind,
  isMediaKind,
  kindOfMimeType,
  largestMediaBytes,
  maxBytesOf,
} from '../media-types.ts'
import { type Access, accessNumber, identify, tokenTextOf, tokenTrouble } from './access.ts'
import { GraphError, invalidRequest, unknownObject } from './errors.ts'
import { textIn } from './fields.ts'
import type { Graph } from './graph.ts'
import { paramsOf, UploadedFile } from './request-body.ts'
import { versioned } from './versions.ts'

/** Room for the largest file and the form around it. */
const uploadLimitBytes = largestMediaBytes + 1024 * 1024

export function mountMedia(app: FastifyInstance, graph: Graph): void {
  app.post<{ Params: { version: string; phoneNumberId: string } }>(
    `${versioned}/:phoneNumberId/media`,
    { bodyLimit: uploadLimitBytes },
    async (request) => {
      const access = graph.access()
      const { phoneNumberId } = request.params
      accessNumber(access, request, phoneNumberId, 'whatsapp_business_messaging')
      const { id } = upload(access, request, phoneNumberId)
      return { id }
    },
  )

  app.get<{ Querystring: { mid?: string; ext?: string; hash?: string } }>(
    downloadPath,
    async (request, reply) => download(graph.access(), request, reply),
  )
}

function upload(access: Access, request: FastifyRequest, phoneNumberId: string): StoredMedia {
  const params = paramsOf(request)
  if (textIn(params, 'messaging_product') !== 'whatsapp') {
    throw invalidRequest('The parameter messaging_product is required.')
  }
  const { file } = params
  if (!(file instanceof UploadedFile)) throw invalidRequest('The parameter file is required.')
  const mimeType = (file.mimeType || textIn(params, 'type')) ?? ''
  const kind = kindOfMimeType(mimeType)
  if (kind === undefined) {
    throw mediaError(
      `Param file must be a file with one of the following types: ${bareMimeType(mimeType) || 'none'} ` +
        'is not among them.',
    )
  }
  const declared = textIn(params, 'type')
  if (declared !== undefined && !isSameKind(declared, mimeType)) {
    throw mediaError(`Param type says ${declared}, but the file is ${bareMimeType(mimeType)}.`)
  }
  if (file.size > maxBytesOf(kind, file.bytes)) {
    throw mediaError(
      `Param file is too large for ${kind}: at most ${maxBytesOf(kind, file.bytes)} bytes.`,
    )
  }
  return access.business.media.upload({
    phone_number_id: phoneNumberId,
    mime_type: mimeType,
    bytes: file.bytes,
    filename: file.filename,
  })
}

/** `type` is documented as a mime type and often sent as a kind, such as "image". */
function isSameKind(declared: string, mimeType: string): boolean {
  return isMediaKind(declared)
    ? fitsKind(declared, mimeType)
    : bareMimeType(declared) === bareMimeType(mimeType)
}

const mediaError = (text: string) =>
  new GraphError({ status: 400, code: 100, message: `(#100) ${text}` })

/** Media of a number that the token may use, or the same answer as for media that never was. */
export function visibleMedia(access: Access, request: FastifyRequest, id: string): StoredMedia {
  const token = identify(access, request)
  const media = access.business.media.find(id)
  const asked = textIn(paramsOf(request), 'phone_number_id')
  const number = media && access.business.numbers.find(media.phone_number_id)
  const isVisible =
    number !== undefined &&
    (asked === undefined || asked === number.phone_number_id) &&
    token.grants.some(
      ({ scope, target_ids }) =>
        scope === 'whatsapp_business_messaging' &&
        (target_ids === undefined || target_ids.includes(number.waba_id)),
    )
  if (media === undefined || !isVisible) throw unknownObject(id, request.method)
  return media
}

export function describeMedia(access: Access, media: StoredMedia, request: FastifyRequest) {
  return {
    messaging_product: 'whatsapp',
    url: `${request.protocol}://${request.host}${access.business.media.urlPath(media)}`,
    mime_type: media.mime_type,
    sha256: media.sha256,
    file_size: media.bytes.length,
    id: media.id,
  }
}

/** Not Graph but Meta's file host: it answers without JSON. */
async function download(access: Access, request: FastifyRequest, reply: FastifyReply) {
  const { business, clock } = access
  const token = business.tokens.find(tokenTextOf(request) ?? '')
  if (tokenTrouble(token, clock) !== undefined) {
    return reply.code(401).type('text/html').send('')
  }
  const media = business.media.open(request.query as { mid?: string; ext?: string; hash?: string })
  if (media === undefined) return reply.code(404).type('text/html').send('')
  const name = encodeURIComponent((media.filename ?? media.id).toWellFormed())
  return (
    reply
      .header('content-disposition', `inline; filename*=UTF-8''${name}`)
      // A customer's file may claim to be anything, also what no header can hold.
      .type(/^[\x20-\x7e]+$/.test(media.mime_type) ? media.mime_type : 'application/octet-stream')
      .send(media.bytes)
  )
}
