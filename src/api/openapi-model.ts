// The parts of OpenAPI 3.1 that our document uses.
export type JsonSchema = Record<string, unknown>

export interface Reference {
  $ref: string
}

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
  example?: unknown
}

export interface MediaType {
  schema: JsonSchema
  example?: unknown
  /** By name: of errors, one for each code. */
  examples?: Record<string, { summary: string; value: unknown }>
}

export type Content = Record<string, MediaType>

export interface Header {
  description: string
  schema: JsonSchema
}

export interface Response {
  description: string
  headers?: Record<string, Header | Reference>
  content?: Content
}

export interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  /** Empty: anybody may. */
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response | Reference>
}

/** The same with every reference replaced by what it names, for readers who want no detours. */
export interface ResolvedOperation extends Operation {
  responses: Record<string, Response>
}

export type Paths<One = Operation> = Record<string, Record<string, One>>

export interface OpenApiDocument<One = Operation> {
  openapi: string
  info: { title: string; version: string; description: string; license: JsonSchema }
  servers: { url: string; description: string }[]
  tags: { name: string; description: string }[]
  components: {
    securitySchemes: JsonSchema
    headers: Record<string, Header>
    responses: Record<string, Response>
    schemas: Record<string, JsonSchema>
  }
  paths: Paths<One>
  /** What we call, and others answer. */
  webhooks: Paths<One>
}

/** Nothing in the document refers to itself, so this ends. */
export function resolved(document: OpenApiDocument): OpenApiDocument<ResolvedOperation> {
  const resolve = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(resolve)
    const { $ref, ...own } = value as Partial<Reference>
    const named = typeof $ref === 'string' ? (resolve(at(document, $ref)) as object) : {}
    const rest = Object.entries(own).map(([key, inner]) => [key, resolve(inner)])
    return { ...named, ...Object.fromEntries(rest) }
  }
  return resolve(document) as OpenApiDocument<ResolvedOperation>
}

/** What `#/a/b` names. */
function at(document: unknown, $ref: string): unknown {
  return $ref
    .slice(2)
    .split('/')
    .reduce((value, key) => (value as Record<string, unknown>)[key], document)
}
