// The parts of OpenAPI 3.1 that our document uses.
export type JsonSchema = Record<string, unknown>

export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: JsonSchema
}

type Content = Record<string, { schema: JsonSchema }>

export interface Operation {
  summary: string
  description?: string
  tags: string[]
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
}

export interface OpenApiDocument {
  openapi: string
  info: { title: string; version: string; description: string; license: JsonSchema }
  servers: { url: string }[]
  tags: { name: string; description: string }[]
  components: { securitySchemes: JsonSchema; schemas: Record<string, JsonSchema> }
  paths: Record<string, Record<string, Operation>>
}
