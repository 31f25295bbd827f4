// The route list as an OpenAPI 3.1 document.
import { z } from 'zod'
import { errorAnswer } from './contract.ts'
import type { Route } from './route.ts'

type JsonSchema = Record<string, unknown>

export function openApiDocument(routes: Route[], version: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(one) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Estafet',
      version,
      description: 'A gateway between Meta’s WhatsApp Cloud API and your application.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    components: {
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: schemaOf(errorAnswer, 'output') },
    },
    paths,
  }
}

function operation(one: Route): JsonSchema {
  return {
    summary: one.summary,
    tags: [one.access === 'operator' ? 'Operator' : one.access === 'tenant' ? 'Tenant' : 'Public'],
    ...(one.access === 'public' ? {} : { security: [{ key: [] }] }),
    parameters: [...parameters(one.params, 'path'), ...parameters(one.query, 'query')],
    ...(one.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(one.body, 'input') } },
      },
    }),
    responses: {
      [one.status ?? 200]: {
        description: 'Done',
        ...(one.status === 204
          ? {}
          : { content: { 'application/json': { schema: schemaOf(one.answer, 'output') } } }),
      },
      default: {
        description: 'Refused or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

function parameters(schema: z.ZodType | undefined, place: 'path' | 'query'): JsonSchema[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' })
  return rest
}
