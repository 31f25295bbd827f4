// What the gateway answers outside the route list (raw bytes in, or no JSON out), for the OpenAPI document.
import type { JsonSchema, OpenApiDocument } from './openapi-model.ts'

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } }
const text = { 'text/plain': { schema: { type: 'string' } } }

const json = (schema: JsonSchema) => ({ 'application/json': { schema } })
const refused = (description: string) => ({ description, content: errorContent })

const handshake = {
  summary: 'Webhook handshake: Meta asks whether this address is ours',
  tags: ['Webhooks'],
  parameters: ['hub.mode', 'hub.verify_token', 'hub.challenge'].map((name) => ({
    name,
    in: 'query',
    required: true,
    schema: { type: 'string' },
  })),
  responses: {
    200: { description: 'The bare challenge', content: text },
    403: refused('hub.mode or hub.verify_token is not right'),
    default: refused('Refused or failed'),
  },
}

const delivery = {
  summary: 'Webhook delivery: Meta hands in messages and statuses',
  description:
    'Signed with the app secret over the raw bytes. A 200 means that the delivery is committed; the same again has no ' +
    'second effect. What is signed but cannot be understood or routed is kept among the dead letters and answered 200.',
  tags: ['Webhooks'],
  parameters: [
    {
      name: 'X-Hub-Signature-256',
      in: 'header',
      required: true,
      description: 'sha256= and the HMAC-SHA256 of the body, in hex',
      schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
    },
  ],
  requestBody: { required: true, content: json({ type: 'object' }) },
  responses: {
    200: {
      description: 'Committed',
      content: json({
        type: 'object',
        properties: { received: { type: 'boolean' } },
        required: ['received'],
      }),
    },
    401: refused('The signature is missing or wrong; nothing is stored'),
    413: refused('Over 4 MiB'),
    415: refused('The body is compressed'),
    500: refused('It could not be stored; send it again'),
    default: refused('Refused or failed'),
  },
}

const probe = (status: string, withProblems: boolean) =>
  json({
    type: 'object',
    properties: {
      status: { type: 'string', const: status },
      ...(withProblems && { problems: { type: 'array', items: { type: 'string' } } }),
    },
    required: withProblems ? ['status', 'problems'] : ['status'],
  })

export const plainOperations: OpenApiDocument['paths'] = {
  '/api/webhooks/meta/whatsapp': { get: handshake, post: delivery },
  '/webhooks/whatsapp': {
    get: { ...handshake, summary: `${handshake.summary} (the same endpoint)` },
    post: { ...delivery, summary: `${delivery.summary} (the same endpoint)` },
  },
  '/healthz': {
    get: {
      summary: 'Whether the process is alive',
      tags: ['Operations'],
      responses: { 200: { description: 'Alive', content: probe('alive', false) } },
    },
  },
  '/readyz': {
    get: {
      summary: 'Whether the process can take traffic',
      tags: ['Operations'],
      responses: {
        200: { description: 'Ready', content: probe('ready', true) },
        503: { description: 'Not ready, and why', content: probe('not ready', true) },
      },
    },
  },
  '/metrics': {
    get: {
      summary: 'Metrics for Prometheus',
      tags: ['Operations'],
      security: [{ key: [] }],
      responses: {
        200: { description: 'Prometheus’ text format', content: text },
        default: refused('Refused or failed'),
      },
    },
  },
  '/openapi.json': {
    get: {
      summary: 'This document',
      tags: ['Operations'],
      responses: { 200: { description: 'OpenAPI 3.1', content: json({ type: 'object' }) } },
    },
  },
  '/docs': {
    get: {
      summary: 'This document as a page to read',
      tags: ['Operations'],
      responses: {
        200: { description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } },
      },
    },
  },
}
