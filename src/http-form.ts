// Forms with a file in them, read part by part as they come.
import type { FastifyRequest } from 'fastify'
import type { FormPart } from './api/route.ts'
import { AppError } from './errors.ts'
import type { Clock } from './time-and-chance.ts'

/** The largest file that Meta takes. */
const largestFileBytes = 100 * 1024 * 1024
/** With the form around it. */
export const formLimitBytes = largestFileBytes + 64 * 1024

export const formLimits = {
  files: 2,
  fields: 10,
  // Files and fields are counted. A part beyond this limit has nobody who hears its errors: a form that is cut off there would
  // end the process.
  parts: Number.POSITIVE_INFINITY,
  fieldNameSize: 100,
  fieldSize: 1_000,
  headerPairs: 20,
  // Whoever handles the file has stricter limits; this one ends what never ends.
  fileSize: formLimitBytes,
}

export async function* readParts(request: FastifyRequest, clock: Clock): AsyncGenerator<FormPart> {
  if (!request.isMultipart()) throw notAForm()
  // Said before the body comes: once it is on its way, closing under it hides the answer from some clients.
  if (Number(request.headers['content-length']) > formLimitBytes) throw tooLarge()
  const parts = request.parts()
  for (;;) {
    const { value: part, done } = await beforeItIsLate(parts.next(), request.raw, clock)
    if (done) return
    // The parser has no name for a part that has none, whatever its types say.
    const name: string | undefined = part.fieldname
    if (name === undefined) throw malformed('has a part without a name')
    if (part.type === 'field') {
      if (part.valueTruncated || part.fieldnameTruncated) throw malformed('a field is too long')
      if (typeof part.value !== 'string') throw malformed('a field is not text')
      yield { kind: 'field', name, value: part.value }
    } else {
      // A form that is larger than any file: nobody reads the rest of it.
      part.file.once('limit', () => request.raw.destroy())
      yield {
        kind: 'file',
        name,
        filename: part.filename || undefined,
        mimeType: part.mimetype,
        content: part.file,
      }
    }
  }
}

/** From the last byte of a form to the last part of it; the parser needs less than a millisecond. */
const partAfterEndMs = 1_000

/** The parser waits for ever for a part whose headers do not end. With the whole body there is nothing left to wait for. */
function beforeItIsLate<T>(next: Promise<T>, raw: FastifyRequest['raw'], clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    let cancel: (() => void) | undefined
    const startWaiting = () => {
      cancel = clock.after(partAfterEndMs, () => reject(malformed('is cut off, or not a form')))
    }
    const stopWaiting = () => {
      raw.off('end', startWaiting)
      cancel?.()
    }
    if (raw.readableEnded) startWaiting()
    else raw.once('end', startWaiting)
    next.finally(stopWaiting).then(resolve, reject)
  })
}

/** What the parser threw, in our words. */
export function formProblem(error: unknown): unknown {
  if (error instanceof AppError) return error
  const { code, statusCode, message } = error as {
    code?: string
    statusCode?: number
    message?: string
  }
  if (statusCode === 415) return notAForm()
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return tooLarge()
  if (code?.startsWith('FST_') && code.endsWith('_LIMIT')) return malformed('has too many parts')
  if (code === 'FST_PROTO_VIOLATION') return malformed('has a field that is not allowed')
  // The parser calls a boundary that is too long a needle.
  const isCutOff =
    code === 'FST_MP_PREMATURE_CLOSE' || /end of multipart|boundary|needle/i.test(message ?? '')
  if (isCutOff || (statusCode !== undefined && statusCode < 500)) {
    return malformed('is cut off, or not a form')
  }
  return error
}

function notAForm(): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', 415, 'Send a form (multipart/form-data).')
}

function malformed(problem: string): AppError {
  return new AppError('INVALID_MEDIA', 400, `body: ${problem}`, {
    details: { fields: [{ field: 'body', problem }] },
  })
}

function tooLarge(): AppError {
  const problem = 'is larger than any file that Meta takes'
  return new AppError('MEDIA_TOO_LARGE', 413, `file: ${problem}`, {
    details: { fields: [{ field: 'file', problem }], max_bytes: largestFileBytes },
  })
}
