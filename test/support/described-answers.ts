// Compares what was answered with what the API's description says of it: the status, the type of the body, its schema.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type {
  JsonSchema,
  OpenApiDocument,
  Reference,
  Response,
} from '../../src/api/openapi-model.ts'

interface GivenAnswer {
  status: number
  headers: Headers
  text: string
  json: unknown
}

/** Whether a value fits a schema of the document; what does not is said. */
export function createSchemaCheck(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  // Bytes are bytes.
  ajv.addFormat('binary', true)
  ajv.addSchema({ $id: 'https://estafet.example/', components: document.components })
  const compiled = new Map<string, ValidateFunction>()
  return (schema: JsonSchema, value: unknown): string[] => {
    const text = JSON.stringify(schema)
    const validate = compiled.get(text) ?? ajv.compile(absolute(schema) as JsonSchema)
    compiled.set(text, validate)
    if (validate(value)) return []
    return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
}

function absolute(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(absolute)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' ? `https://estafet.example/${inner}` : absolute(inner),
    ]),
  )
}

/** What is wrong with an answer by the document; nothing, if nothing. `path` is as the document has it. */
export function createAnswerCheck(document: OpenApiDocument) {
  const check = createSchemaCheck(document)
  const named = (response: Response | Reference): Response | undefined =>
    '$ref' in response
      ? document.components.responses[response.$ref.split('/').at(-1) ?? '']
      : response
  return (method: string, path: string, answer: GivenAnswer): string[] => {
    const told = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status]
    const found = told && named(told)
    if (!found) return [`${answer.status} is not described`]
    const { content, headers } = found
    if (headers?.['X-Request-Id'] && !answer.headers.has('x-request-id')) {
      return ['X-Request-Id is missing']
    }
    if (content === undefined) return answer.text === '' ? [] : ['a body, where none is described']
    const type = answer.headers.get('content-type')?.split(';')[0] ?? ''
    const media = content[type] ?? content['*/*']
    if (!media) return [`a body of the type ${type}, which is not described`]
    return type === 'application/json' ? check(media.schema, answer.json) : []
  }
}
