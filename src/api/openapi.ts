// The route list, and what stands outside it, as an OpenAPI 3.1 document.
import type { z } from 'zod'
import { errorAnswer } from './contract.ts'
import { event } from './contract-event.ts'
import { exampleOf, parameterExample } from './examples.ts'
import { always, anythingElse, createErrorResponses, headers } from './openapi-errors.ts'
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Paths,
  Response,
} from './openapi-model.ts'
import { createSchemas } from './openapi-schemas.ts'
import { eventWebhook, type PlainOperation, plainOperations } from './plain-operations.ts'
import type { Access, Route } from './route.ts'
import { errorsOf, isPaged } from './route-errors.ts'

const tagOf: Record<Access, string> = {
  agent: 'Tenant API',
  tenant: 'Tenant API',
  operator: 'Operator API',
  person: 'Console',
  page: 'Console',
  public: 'Operations',
  internal: 'Internal',
}

const keyOrSession = [{ key: [] }, { session: [] }]
const securityOf: Record<Access, Operation['security']> = {
  agent: keyOrSession,
  tenant: keyOrSession,
  operator: keyOrSession,
  person: [{ session: [] }],
  page: [],
  public: [],
  internal: [{ task: [] }],
}

const byName = 'operators name the tenant in `X-Tenant-Id`.'
const whoMay: Record<Access, string> = {
  agent: `For a tenant’s key, its admins and its agents; ${byName}`,
  tenant: `For a tenant’s key and its admins; ${byName}`,
  operator: 'For operators.',
  person: 'For whoever is signed in to the console.',
  page: 'For the console’s own page; nobody needs to be signed in.',
  public: 'For anybody.',
  internal: 'For Cloud Tasks and Cloud Scheduler, with `X-Internal-Token`.',
}

const done: Record<number, string> = {
  200: 'Done',
  201: 'Made',
  202: 'Accepted: it happens soon',
  204: 'Done; there is nothing to say',
}

const tags = [
  { name: tagOf.tenant, description: 'With a tenant’s key: that tenant’s data only.' },
  { name: tagOf.operator, description: 'With an operator’s key.' },
  { name: tagOf.person, description: 'For the console’s page: people sign in, a cookie says who.' },
  { name: 'Sign-up', description: 'Browsers come here with a state; no key is needed.' },
  { name: 'Webhooks', description: 'Meta calls these; they are signed.' },
  { name: 'Events', description: 'These calls we make, to your application; they are signed.' },
  { name: tagOf.internal, description: 'Cloud Tasks and Cloud Scheduler call these.' },
  { name: tagOf.public, description: 'For balancers, Prometheus and people.' },
]

export function openApiDocument(routes: Route[], version: string): OpenApiDocument {
  const describe = createDescriber()
  const paths: Paths = {}
  const add = (path: string, method: string, operation: Operation) => {
    const place = path.replace(/:(\w+)/g, '{$1}')
    paths[place] = { ...paths[place], [method.toLowerCase()]: operation }
  }
  for (const one of routes) add(one.path, one.method, describe.route(one))
  for (const one of plainOperations) add(one.path, one.method, describe.plain(one))
  const webhooks = { event: { post: describe.plain(eventWebhook) } }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Estafet',
      version,
      description:
        'A gateway between Meta’s WhatsApp Cloud API and your application. Send `Authorization: Bearer` and your key. ' +
        'Lists are paged: pass `paging.next` as `after` until it is null. ' +
        'Every error has the same body; what came from Meta is in `details.provider`.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'Where this document came from' }],
    tags,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A tenant’s key (est_…) or an operator’s',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-estafet',
          description: 'Of whoever is signed in to the console; changes also need `X-CSRF-Token`',
        },
        task: { type: 'apiKey', in: 'header', name: 'X-Internal-Token' },
      },
      headers,
      responses: { ...describe.responses, AnythingElse: anythingElse },
      schemas: describe.schemas,
    },
    paths,
    webhooks,
  }
}

const tenantHeader: Parameter = {
  name: 'X-Tenant-Id',
  in: 'header',
  required: false,
  description: 'For operators, who must say for which tenant; ignored with a tenant’s key',
  schema: { type: 'string', format: 'uuid' },
}

function createDescriber() {
  const schemas = createSchemas()
  const errors = createErrorResponses()
  const error = schemas.of(errorAnswer, 'output')
  if (error.$ref !== '#/components/schemas/Error') throw new Error('bug: errors have no name')

  const media = (type: string, schema: z.ZodType, io: 'input' | 'output'): Content => {
    const json = schemas.of(schema, io)
    return { [type]: { schema: json, ...withExample(json, schemas.named) } }
  }
  const parameters = (schema: z.ZodType | undefined, place: string, path: string): Parameter[] => {
    if (!schema) return []
    const { properties = {}, required = [] } = schemas.of(schema, 'input') as {
      properties?: Record<string, JsonSchema>
      required?: string[]
    }
    return Object.entries(properties).map(([name, { description, ...property }]) => {
      const example = parameterExample(path, place, name)
      return {
        name: place === 'header' ? headerName(name) : name,
        in: place,
        required: place === 'path' || required.includes(name),
        ...(typeof description === 'string' && { description }),
        schema: property,
        ...(example !== undefined && { example }),
      }
    })
  }
  const answered = (one: Route): Record<string, Response> => {
    const status = one.status ?? 200
    const told = { headers: { ...always, ...one.answerHeaders } }
    if (one.givesFile) {
      return {
        200: { description: 'The file', ...told, content: file },
        206: { description: 'The part asked for', ...told, content: file },
      }
    }
    const content = status === 204 ? {} : { content: media(json, one.answer, 'output') }
    return { [status]: { description: done[status] ?? 'Done', ...told, ...content } }
  }
  return {
    schemas: schemas.named,
    responses: errors.named,
    route: (one: Route): Operation => {
      const ofTenant = one.access === 'tenant' || one.access === 'agent'
      const body = one.body ? media(json, one.body, 'input') : undefined
      const form = one.form ? media('multipart/form-data', one.form, 'input') : undefined
      const content = body ?? form
      return {
        operationId: one.operationId,
        summary: one.summary,
        description: [
          ...(one.description ? [one.description] : []),
          ...(isPaged(one) ? ['Paged: pass `paging.next` as `after` until it is null.'] : []),
          whoMay[one.access],
        ].join(' '),
        tags: [tagOf[one.access]],
        security: securityOf[one.access],
        parameters: [
          ...parameters(one.params, 'path', one.path),
          ...parameters(one.query, 'query', one.path),
          ...parameters(one.headers, 'header', one.path),
          ...(ofTenant ? [tenantHeader] : []),
        ],
        ...(content && { requestBody: { required: true, content } }),
        responses: { ...answered(one), ...errors.of(errorsOf(one)), default: other },
      }
    },
    plain: (one: PlainOperation): Operation => {
      const { path, access, errors: declared = [], errorPages, isEvent, ...rest } = one
      const { method, responses, ...told } = rest
      const refusals = errorsOf({ method, access, errors: declared })
      return {
        ...told,
        security: one.security ?? securityOf[access],
        ...(isEvent && { requestBody: { required: true, content: media(json, event, 'output') } }),
        responses: { ...responses, ...errors.of(refusals, errorPages) },
      }
    },
  }
}

const json = 'application/json'
const other = { $ref: '#/components/responses/AnythingElse' }
/** Of whatever type it is. */
const file: Content = {
  '*/*': { schema: { type: 'string', format: 'binary' } },
}

function withExample(schema: JsonSchema, named: Record<string, JsonSchema>) {
  const example = exampleOf(schema, named)
  return example === undefined ? {} : { example }
}

/** `idempotency-key` as one writes it: `Idempotency-Key`. W3C writes its own small. */
function headerName(name: string): string {
  return name === 'traceparent' ? name : name.replace(/(^|-)\w/g, (start) => start.toUpperCase())
}
