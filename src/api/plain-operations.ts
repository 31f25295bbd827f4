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

const page = { 'text/html': { schema: { type: 'string' } } }
/** What a browser is told instead. */
const orPage = ({ description, content }: ReturnType<typeof refused>) => ({
  description,
  content: { ...content, ...page },
})
const inQuery = (name: string, required: boolean, description: string) => ({
  name,
  in: 'query',
  required,
  description,
  schema: { type: 'string' },
})
const stateParameter = inQuery('state', true, 'as start or reconnect gave it')

const signup: OpenApiDocument['paths'] = {
  '/connect/whatsapp': {
    get: {
      summary: 'The page on which a person connects a number',
      tags: ['Sign-up'],
      parameters: [stateParameter],
      responses: {
        200: { description: 'A page', content: page },
        default: { description: 'A page that says what to do instead', content: page },
      },
    },
  },
  '/connect/whatsapp/redirect': {
    get: {
      summary: 'The same without a pop-up: sends the browser to Meta, which sends it back',
      tags: ['Sign-up'],
      parameters: [stateParameter],
      responses: {
        302: { description: 'To Meta' },
        default: { description: 'A page that says what to do instead', content: page },
      },
    },
  },
  '/api/integrations/meta/whatsapp/callback': {
    get: {
      summary: 'The end of a sign-up: the number is connected',
      description:
        'The state is good once. Ids from the browser are believed only when Meta’s own word confirms them. A browser ' +
        '(Accept: text/html) gets a page, a program the account. Every refusal has a code of its own and is audited.',
      tags: ['Sign-up'],
      parameters: [
        stateParameter,
        inQuery('code', false, 'Meta’s, good once and for 30 seconds'),
        inQuery('waba_id', false, 'what the person chose, as the browser tells it'),
        inQuery('phone_number_id', false, 'the same'),
        inQuery('via', false, '`popup` when the code came from the pop-up window'),
        inQuery('error', false, 'what Meta says instead of a code'),
      ],
      responses: {
        200: {
          description: 'Connected: the account',
          content: { ...json({ type: 'object' }), ...page },
        },
        409: orPage(refused('NUMBER_TAKEN: another tenant has the number')),
        default: orPage(refused('Refused or failed; nothing was stored')),
      },
    },
  },
}

export const plainOperations: OpenApiDocument['paths'] = {
  '/api/webhooks/meta/whatsapp': { get: handshake, post: delivery },
  '/webhooks/whatsapp': {
    get: { ...handshake, summary: `${handshake.summary} (the same endpoint)` },
    post: { ...delivery, summary: `${delivery.summary} (the same endpoint)` },
  },
  ...signup,
  '/api/whatsapp/events': {
    get: {
      summary: 'Events as they happen, as server-sent events; resumes after Last-Event-ID',
      description:
        'The same events as the webhooks (docs/event-webhooks.md), one `data` line of JSON each. Without Last-Event-ID it ' +
        'begins with what happens next; with one that is no longer kept it says `stream.reset` and begins with the oldest. ' +
        'A comment comes every 15 seconds; a reader who does not read is cut, and may resume.',
      tags: ['Tenant API'],
      security: [{ key: [] }],
      parameters: [
        {
          name: 'Last-Event-ID',
          in: 'header',
          required: false,
          description:
            'the id of the last event seen, evt_…; last_event_id in the query does the same',
          schema: { type: 'string' },
        },
        {
          name: 'types',
          in: 'query',
          required: false,
          description: 'a comma list of event types; all, unless said',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: 'A stream that does not end',
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        429: refused('Too many open streams of this tenant'),
        default: refused('Refused or failed'),
      },
    },
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
  '/docs/{page}': {
    get: {
      summary: 'A page of the guide; with .md behind its name, its Markdown',
      tags: ['Operations'],
      parameters: [
        {
          name: 'page',
          in: 'path',
          required: true,
          description: '`guide` is the first one',
          schema: { type: 'string' },
        },
      ],
      responses: {
        200: {
          description: 'A page, or one of its files',
          content: { ...page, 'text/markdown': { schema: { type: 'string' } } },
        },
        default: orPage(refused('There is no such page')),
      },
    },
  },
  '/llms.txt': {
    get: {
      summary: 'A list of all documents, for programs that read',
      tags: ['Operations'],
      responses: {
        200: { description: 'Markdown', content: text },
        default: refused('The documents are not built here'),
      },
    },
  },
}
