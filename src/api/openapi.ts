// The route list as an OpenAPI 3.1 document.
import { z } from 'zod'
import { errorAnswer } from './contract.ts'
import type { JsonSchema, OpenApiDocument, Operation, Parameter } from './openapi-model.ts'
import { plainOperations } from './plain-operations.ts'
import type { Access, Route } from './route.ts'

const tagOf: Record<Access, string> = {
  agent: 'Tenant API',
  tenant: 'Tenant API',
  operator: 'Operator API',
  person: 'Console',
  page: 'Console',
  public: 'Public',
  internal: 'Internal',
}

const keyOrSession = { security: [{ key: [] }, { session: [] }] }
const securityOf: Record<Access, Pick<Operation, 'security'>> = {
  agent: keyOrSession,
  tenant: keyOrSession,
  operator: keyOrSession,
  person: { security: [{ session: [] }] },
  page: {},
  public: {},
  internal: { security: [{ task: [] }] },
}

export function openApiDocument(routes: Route[], version: string): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {}
  for (const one of routes) {
    const path = one.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [one.method.toLowerCase()]: operation(one) }
  }
  const tags = [
    { name: tagOf.tenant, description: 'With a tenant’s key: that tenant’s data only.' },
    { name: tagOf.operator, description: 'With an operator’s key.' },
    {
      name: tagOf.person,
      description: 'For the console’s page: people sign in, a cookie says who.',
    },
    { name: 'Sign-up', description: 'Browsers come here with a state; no key is needed.' },
    { name: 'Webhooks', description: 'Meta calls these; they are signed.' },
    { name: tagOf.internal, description: 'Cloud Tasks and Cloud Scheduler call these.' },
    { name: 'Operations', description: 'For balancers, Prometheus and people.' },
  ]
  return {
    openapi: '3.1.0',
    info: {
      title: 'Estafet',
      version,
      description:
        'A gateway between Meta’s WhatsApp Cloud API and your application. Send `Authorization: Bearer` and your key. ' +
        'Lists are paged: pass `paging.next` as `after` until it is null.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer' },
        session: { type: 'apiKey', in: 'cookie', name: '__Host-estafet' },
        task: { type: 'apiKey', in: 'header', name: 'X-Internal-Token' },
      },
      schemas: { Error: schemaOf(errorAnswer, 'output') },
    },
    paths: { ...paths, ...plainOperations },
  }
}

const tenantHeader: Parameter = {
  name: 'X-Tenant-Id',
  in: 'header',
  required: false,
  description: 'For operators, who must say for which tenant; ignored with a tenant’s key',
  schema: { type: 'string', format: 'uuid' },
}

function operation(one: Route): Operation {
  return {
    summary: one.summary,
    tags: [tagOf[one.access]],
    ...securityOf[one.access],
    parameters: [
      ...parameters(one.params, 'path'),
      ...parameters(one.query, 'query'),
      ...parameters(one.headers, 'header'),
      ...(one.access === 'tenant' || one.access === 'agent' ? [tenantHeader] : []),
    ],
    ...(one.body && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: schemaOf(one.body, 'input') } },
      },
    }),
    ...(one.form && {
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: schemaOf(one.form, 'input') } },
      },
    }),
    responses: {
      [one.status ?? 200]: {
        description: 'Done',
        ...(one.status === 204 ? {} : { content: answerContent(one) }),
      },
      ...(one.givesFile && { 206: { description: 'The part asked for', content: fileContent } }),
      default: {
        description: 'Refused or failed',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  }
}

const fileContent = {
  'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
}

function answerContent(one: Route) {
  return one.givesFile
    ? fileContent
    : { 'application/json': { schema: schemaOf(one.answer, 'output') } }
}

function parameters(schema: z.ZodType | undefined, place: Parameter['in']): Parameter[] {
  if (!schema) return []
  const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(typeof description === 'string' && { description }),
    schema: property,
  }))
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    // The format says the same as zod's pattern for it, and people can read it.
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return rest
}
