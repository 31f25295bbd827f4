// Bodies as Graph takes them: JSON, a form, or a form with a file. Parameters may also stand in the
// query. An unreadable body is no error as such; the first required parameter is then missing.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from '../parse-json.ts'
import { type Fields, isFields } from './fields.ts'

export class UploadedFile {
  readonly filename: string
  readonly mimeType: string
  readonly size: number
  /** Private, so that whoever copies or prints a request does not copy 100 MB. */
  readonly #bytes: Buffer

  constructor(filename: string, mimeType: string, bytes: Buffer) {
    this.filename = filename
    this.mimeType = mimeType
    this.size = bytes.length
    this.#bytes = bytes
  }

  get bytes(): Buffer {
    return this.#bytes
  }
}

export function readGraphBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^multipart\/form-data/,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) =>
      parseMultipart(request.headers['content-type'] ?? '', Buffer.from(body)),
  )
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string | Buffer) => parseForm(String(body)),
  )
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => {
    done(null, parseLeniently(String(body)))
  })
}

/** Query and body together; the body wins. */
export function paramsOf(request: FastifyRequest): Fields {
  const query = isFields(request.query) ? request.query : {}
  return isFields(request.body) ? { ...query, ...request.body } : { ...query }
}

async function parseMultipart(contentType: string, body: Buffer): Promise<unknown> {
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': contentType },
    }).formData()
    const fields: Fields = {}
    for (const [name, value] of form) {
      fields[name] =
        typeof value === 'string'
          ? value
          : new UploadedFile(value.name, value.type, Buffer.from(await value.arrayBuffer()))
    }
    return fields
  } catch {
    return undefined
  }
}

/** Values that are objects come as JSON in forms. */
function parseForm(text: string): Fields {
  return Object.fromEntries(
    [...new URLSearchParams(text)].map(([name, value]) => [
      name,
      /^[[{]/.test(value) ? (parseLeniently(value) ?? value) : value,
    ]),
  )
}

function parseLeniently(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
