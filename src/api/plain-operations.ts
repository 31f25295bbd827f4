// What the gateway answers outside the route list (raw bytes in, or no JSON out), for the OpenAPI document.

import type { ErrorCode } from '../errors-table.ts'
import type { DeclaredError } from './error-codes.ts'
import { tenantExamples } from './examples-tenants.ts'
import { always, type Pages } from './openapi-errors.ts'
import type { Content, JsonSchema, Operation, Parameter, Response } from './openapi-model.ts'
import type { Access } from './route.ts'

export interface PlainOperation extends Omit<Operation, 'responses' | 'security'> {
  method: 'GET' | 'POST'
  /** With `:name` parameters, as in the route list. */
  path: string
  access: Access
  /** Where only keys are good. */
  security?: Operation['security']
  responses: Record<string, Response>
  /** Of what is open to anybody: all. Else: besides those of its kind. */
  errors?: readonly DeclaredError[]
  /** Refusals are pages, too or only. */
  errorPages?: Pages
  /** It is a call of ours, and its body is an event. */
  isEvent?: true
}

const text = (example: string): Content => ({
  'text/plain': { schema: { type: 'string' }, example },
})
const json = (schema: JsonSchema, example: unknown): Content => ({
  'application/json': { schema, example },
})
const html: Content = { 'text/html': { schema: { type: 'string' } } }
const answer = (description: string, content: Content): Response => ({
  description,
  headers: always,
  content,
})

const parameter = (
  place: 'query' | 'header' | 'path',
  name: string,
  required: boolean,
  description: string,
  example?: string,
): Parameter => ({
  name,
  in: place,
  required,
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
})

const handshake = {
  method: 'GET',
  access: 'public',
  summary: 'Webhook handshake: Meta asks whether this address is ours',
  description: 'Answers with the bare challenge when the token is META_VERIFY_TOKEN.',
  tags: ['Webhooks'],
  parameters: [
    parameter('query', 'hub.mode', false, 'Meta’s word for what it wants', 'subscribe'),
    parameter('query', 'hub.verify_token', true, 'as entered at Meta', 'a-token-of-yours'),
    parameter('query', 'hub.challenge', true, 'what to answer with', '1158201444'),
  ],
  responses: { 200: answer('The bare challenge', text('1158201444')) },
  errors: ['VERIFICATION_FAILED', 'INVALID_REQUEST'],
} as const satisfies Omit<PlainOperation, 'path' | 'operationId'>

const delivery = {
  method: 'POST',
  access: 'public',
  summary: 'Webhook delivery: Meta hands in messages and statuses',
  description:
    'Signed with the app secret over the raw bytes. A 200 means that the delivery is committed; the same again has no ' +
    'second effect. What is signed but cannot be understood or routed is kept among the dead letters and answered 200.',
  tags: ['Webhooks'],
  parameters: [
    {
      ...parameter('header', 'X-Hub-Signature-256', true, 'the HMAC-SHA256 of the body, in hex'),
      schema: { type: 'string', pattern: '^sha256=[0-9a-f]{64}$' },
      example: `sha256=${'0'.repeat(64)}`,
    },
  ],
  requestBody: {
    required: true,
    content: json({ type: 'object' }, { object: 'whatsapp_business_account', entry: [] }),
  },
  responses: {
    200: answer(
      'Committed',
      json(
        {
          type: 'object',
          properties: { received: { type: 'boolean' } },
          required: ['received'],
          additionalProperties: false,
        },
        { received: true },
      ),
    ),
  },
  errors: [
    ...(['INVALID_SIGNATURE', 'UNSUPPORTED_ENCODING', 'PAYLOAD_TOO_LARGE'] as const),
    ...(['INVALID_REQUEST', 'REQUEST_TIMEOUT', 'NOT_STORED'] as const),
  ],
} as const satisfies Omit<PlainOperation, 'path' | 'operationId'>

const probe = (status: string, withProblems: boolean, problems: string[]): Content =>
  json(
    {
      type: 'object',
      properties: {
        status: { type: 'string', const: status },
        ...(withProblems && { problems: { type: 'array', items: { type: 'string' } } }),
      },
      required: withProblems ? ['status', 'problems'] : ['status'],
      additionalProperties: false,
    },
    { status, ...(withProblems && { problems }) },
  )

const stateErrors = [
  ...(['STATE_MISSING', 'STATE_INVALID', 'STATE_EXPIRED', 'STATE_USED'] as const),
  ...(['INVALID_REQUEST', 'SIGNUP_NOT_CONFIGURED', 'INTERNAL', 'UNAVAILABLE'] as const),
]
const callbackErrors = [
  ...stateErrors,
  ...(['UNAUTHORIZED', 'STATE_FOREIGN', 'CODE_MISSING', 'SIGNUP_DENIED', 'CODE_EXPIRED'] as const),
  ...(['CODE_USED', 'CODE_INVALID', 'APP_REFUSED', 'META_UNREACHABLE', 'META_REFUSED'] as const),
  ...(['TOKEN_INVALID', 'APP_MISMATCH', 'SCOPES_MISSING', 'WABA_NOT_GRANTED'] as const),
  ...(['NUMBER_NOT_GRANTED', 'NUMBER_MISSING', 'NUMBER_CHOICE_NEEDED'] as const),
  ...(['ACCOUNT_MISMATCH', 'ACCOUNT_NOT_FOUND', 'NUMBER_TAKEN', 'SUBSCRIBE_FAILED'] as const),
  ...(['NUMBER_UNVERIFIED', 'PIN_UNKNOWN', 'REGISTER_LIMITED', 'REGISTER_FAILED'] as const),
  'TENANT_NOT_FOUND',
] as const satisfies ErrorCode[]

const asPage = 'A refusal is a page too, with the status and the code of the error.'
const state = parameter('query', 'state', true, 'as start or reconnect gave it')

const signup: PlainOperation[] = [
  {
    operationId: 'signup.page',
    method: 'GET',
    path: '/connect/whatsapp',
    access: 'public',
    summary: 'The page on which a person connects a number',
    description: `The state is what opens it. ${asPage}`,
    tags: ['Sign-up'],
    parameters: [state, parameter('query', 'lang', false, 'en, es, pt or id', 'es')],
    responses: { 200: answer('A page', html) },
    errors: stateErrors,
    errorPages: 'only',
  },
  {
    operationId: 'signup.redirect',
    method: 'GET',
    path: '/connect/whatsapp/redirect',
    access: 'public',
    summary: 'The same without a pop-up: sends the browser to Meta, which sends it back',
    description: `For browsers that open no pop-up windows. ${asPage}`,
    tags: ['Sign-up'],
    parameters: [state],
    responses: {
      302: {
        description: 'To Meta',
        headers: {
          ...always,
          Location: { description: 'Meta’s page', schema: { type: 'string' } },
        },
      },
    },
    errors: stateErrors,
    errorPages: 'only',
  },
  {
    operationId: 'signup.callback',
    method: 'GET',
    path: '/api/integrations/meta/whatsapp/callback',
    access: 'public',
    summary: 'The end of a sign-up: the number is connected',
    description:
      'The state is good once. Ids from the browser are believed only when Meta’s own word confirms them. A browser ' +
      `(Accept: text/html) gets a page, a program the account. Every refusal is audited. ${asPage}`,
    tags: ['Sign-up'],
    parameters: [
      state,
      parameter('query', 'code', false, 'Meta’s, good once and for 30 seconds'),
      parameter('query', 'waba_id', false, 'what the person chose, as the browser tells it'),
      parameter('query', 'phone_number_id', false, 'the same'),
      parameter('query', 'via', false, '`popup` when the code came from the pop-up window'),
      parameter('query', 'error', false, 'what Meta says instead of a code'),
    ],
    responses: {
      200: answer('Connected: the account', {
        ...json({ $ref: '#/components/schemas/Account' }, tenantExamples.Account),
        ...html,
      }),
    },
    errors: callbackErrors,
    errorPages: 'too',
  },
]

const stream: PlainOperation = {
  operationId: 'events.stream',
  method: 'GET',
  path: '/api/whatsapp/events',
  access: 'agent',
  summary: 'Events as they happen, as server-sent events; resumes after Last-Event-ID',
  description:
    'The same events as the webhooks (docs/event-webhooks.md), one `data` line of JSON each. Without Last-Event-ID it ' +
    'begins with what happens next, and an `id` without data (`pos_…`) names that place for Last-Event-ID; with one that ' +
    'is no longer kept it says `stream.reset` and begins with the oldest. ' +
    'A comment comes every 15 seconds; a reader who does not read is cut, and may resume.',
  tags: ['Tenant API'],
  parameters: [
    parameter(
      'header',
      'Last-Event-ID',
      false,
      'the last id seen; last_event_id in the query does the same',
      'evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12',
    ),
    parameter('query', 'last_event_id', false, 'the same, for whoever cannot set headers'),
    parameter(
      'query',
      'types',
      false,
      'a comma list of event types; all, unless said',
      'message.received',
    ),
    {
      ...parameter('header', 'X-Tenant-Id', false, 'For operators, who must say for which tenant'),
      schema: { type: 'string', format: 'uuid' },
    },
  ],
  responses: {
    200: answer('A stream that does not end', {
      'text/event-stream': {
        schema: { type: 'string' },
        example:
          'id: evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12\nevent: message.received\ndata: {"id":"evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12", …}\n\n',
      },
    }),
  },
  errors: ['INVALID_REQUEST', 'TOO_MANY_STREAMS'],
}

const operations: PlainOperation[] = [
  {
    operationId: 'operations.alive',
    method: 'GET',
    path: '/healthz',
    access: 'public',
    summary: 'Whether the process is alive',
    description: 'Asks nobody: it says only that the process answers. In every role.',
    tags: ['Operations'],
    responses: { 200: answer('Alive', probe('alive', false, [])) },
  },
  {
    operationId: 'operations.ready',
    method: 'GET',
    path: '/readyz',
    access: 'public',
    summary: 'Whether the process can take traffic',
    description: 'Asks the database and the dedupe store. In every role.',
    tags: ['Operations'],
    responses: {
      200: answer('Ready', probe('ready', true, [])),
      503: answer('Not ready, and why', probe('not ready', true, ['the database is unavailable'])),
    },
  },
  {
    operationId: 'admin.metrics.get',
    method: 'GET',
    path: '/metrics',
    access: 'public',
    security: [{ key: [] }, { session: [] }],
    summary: 'Metrics for Prometheus',
    description: 'Of this process alone. In every role, for operators.',
    tags: ['Operator API'],
    responses: { 200: answer('Prometheus’ text format', text('estafet_sends_total 1\n')) },
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'INTERNAL', 'UNAVAILABLE'],
  },
  {
    operationId: 'operations.openapi',
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This document',
    description: 'OpenAPI 3.1, for programs.',
    tags: ['Operations'],
    responses: { 200: answer('OpenAPI 3.1', json({ type: 'object' }, { openapi: '3.1.0' })) },
  },
  {
    operationId: 'operations.docs',
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'This document as a page to read',
    description: 'One page without scripts.',
    tags: ['Operations'],
    responses: { 200: answer('A page', html) },
  },
  {
    operationId: 'operations.guide',
    method: 'GET',
    path: '/docs/:page',
    access: 'public',
    summary: 'A page of the guide, or one of its files',
    description:
      '`guide` is the first one. With `.md` behind its name a page is its Markdown. A browser (Accept: text/html) is told in a ' +
      'page, too, that there is none.',
    tags: ['Operations'],
    parameters: [parameter('path', 'page', true, 'its name', 'getting-started')],
    responses: {
      200: answer('A page or a file', {
        ...html,
        'text/markdown': { schema: { type: 'string' }, example: '# Getting started' },
      }),
    },
    errors: ['NOT_FOUND', 'DOCUMENTS_NOT_BUILT'],
    errorPages: 'too',
  },
  {
    operationId: 'operations.llms',
    method: 'GET',
    path: '/llms.txt',
    access: 'public',
    summary: 'A list of all documents',
    description: 'In Markdown, for programs that read.',
    tags: ['Operations'],
    responses: { 200: answer('The list', text('# Estafet')) },
    errors: ['DOCUMENTS_NOT_BUILT'],
  },
  {
    operationId: 'console.page',
    method: 'GET',
    path: '/console',
    access: 'public',
    summary: 'The console',
    description: 'The page in which people work; they sign in there. In the role `console`.',
    tags: ['Console'],
    responses: { 200: answer('A page', html) },
    errors: ['CONSOLE_NOT_BUILT'],
  },
  {
    operationId: 'console.file',
    method: 'GET',
    path: '/console/:place',
    access: 'public',
    summary: 'A view of the console, or one of its files',
    description: 'Every view is the same page; files are under `assets/`. In the role `console`.',
    tags: ['Console'],
    parameters: [parameter('path', 'place', true, 'with slashes in it as they are', 'inbox')],
    responses: {
      200: answer('A page or a file', {
        ...html,
        '*/*': { schema: { type: 'string', format: 'binary' } },
      }),
    },
    errors: ['NOT_FOUND', 'CONSOLE_NOT_BUILT'],
  },
]

const first = '/api/webhooks/meta/whatsapp'
const second = '/webhooks/whatsapp'
const same = '(the same endpoint)'

export const plainOperations: PlainOperation[] = [
  { ...handshake, path: first, operationId: 'webhooks.verify' },
  { ...delivery, path: first, operationId: 'webhooks.receive' },
  {
    ...handshake,
    path: second,
    operationId: 'webhooks.verifyToo',
    summary: `${handshake.summary} ${same}`,
  },
  {
    ...delivery,
    path: second,
    operationId: 'webhooks.receiveToo',
    summary: `${delivery.summary} ${same}`,
  },
  ...signup,
  stream,
  ...operations,
]

export const eventWebhook: PlainOperation = {
  operationId: 'events.deliver',
  method: 'POST',
  path: '',
  access: 'public',
  summary: 'Something happened',
  description:
    'Posted to your event endpoints, signed as Standard Webhooks says: verify it before you believe it. The same event ' +
    'has the same `webhook-id` at every attempt.',
  tags: ['Events'],
  parameters: [
    parameter(
      'header',
      'webhook-id',
      true,
      'the event’s id',
      'evt_5b0c8f0e5f0a4c2e9d1b7a3c6e8f0a12',
    ),
    parameter('header', 'webhook-timestamp', true, 'of this attempt, in seconds', '1795521600'),
    parameter('header', 'webhook-signature', true, 'one or more of `v1,<base64>`, by spaces'),
  ],
  isEvent: true,
  responses: {
    '2XX': {
      description:
        'Any 2xx: you have kept it. An endpoint that is a responder may answer messages to send.',
    },
    410: { description: 'You do not want any more: the endpoint is disabled' },
    default: { description: 'Anything else is a failure, and tried again' },
  },
}
