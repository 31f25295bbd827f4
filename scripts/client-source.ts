// The API's description as TypeScript: the types of what goes in and out, and a table of operations for the client.
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
} from '../src/api/openapi-model.ts'

/** Names that TypeScript has for something else. */
const otherNames: Record<string, string> = { Error: 'ErrorBody', Event: 'EstafetEvent' }

/** Written by hand: what a form takes and what a stream gives is said by no schema. */
const byHand: Record<string, string> = {
  'media.upload': 'upload(file: UploadedFile, options?: CallOptions): Promise<UploadedMedia>',
  'events.stream':
    'stream(query?: StreamQuery, options?: CallOptions): AsyncGenerator<EstafetEvent, void, void>',
}

export function clientSource(document: OpenApiDocument): string {
  const operations = clientOperations(document)
  return [
    '// What goes in and out of the API, and how it is called. Made by `npm run generate:client` from the API’s\n' +
      '// description: change that, not this.\n' +
      "import type { CallOptions, Pages, SendOptions, UploadedFile } from './model.ts'\n",
    codesText(document),
    ...schemasText(document, operations),
    streamQueryType,
    `export interface Api ${treeText(operations, 0)}\n`,
    specType,
    `export const operations: Record<string, Spec> = {\n${operations.map(specText).join('')}}\n`,
  ].join('\n')
}

/** Also by hand: it takes a list where the API takes a text, and tells of a reset. A test event is for its endpoint alone. */
const streamQueryType = `export interface StreamQuery {
  /** All, unless said. */
  types?: Exclude<EstafetEvent['type'], 'event_endpoint.test'>[] | undefined
  /** Begin after this event. */
  lastEventId?: string | undefined
  /** Told when \`lastEventId\` is no longer kept: the stream begins with the oldest event that is. */
  onReset?: (() => void) | undefined
}
`

const specType = `export interface Spec {
  method: string
  path: string
  /** What its argument besides ids becomes. */
  takes: 'query' | 'body' | 'form' | 'nothing'
  gives: 'page' | 'json' | 'nothing' | 'file' | 'text' | 'stream'
  /** It takes an Idempotency-Key. */
  isKeyed: boolean
}
`

interface Described {
  id: string
  method: string
  path: string
  operation: Operation
}

/** Those for programs: a tenant's and an operator's. */
export function clientOperations(document: OpenApiDocument): Described[] {
  return Object.entries(document.paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        id: operation.operationId,
        method: method.toUpperCase(),
        path,
        operation,
      })),
    )
    .filter(({ operation }) => /^(Tenant|Operator) API$/.test(operation.tags[0] ?? ''))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function codesText({ components }: OpenApiDocument): string {
  const codes = Object.values(components.responses).flatMap(({ content }) =>
    Object.keys(content?.['application/json']?.examples ?? {}),
  )
  const union = [...new Set(codes)].toSorted().map((code) => `  | '${code}'`)
  return `/** What the API answers with when it refuses or fails. */\nexport type ErrorCode =\n${union.join('\n')}\n`
}

function schemasText(document: OpenApiDocument, operations: Described[]): string[] {
  const named = Object.entries(document.components.schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const types = named.map(
    ([name, schema]) => `${doc(schema)}export type ${typeName(name)} = ${typeOf(schema, '')}\n`,
  )
  const queries = operations
    .filter(({ operation }) => queryOf(operation).length > 0)
    .map(({ id, operation }) => `export interface ${queryName(id)} ${queryType(operation)}\n`)
  return [...types, ...queries]
}

function typeName(name: string): string {
  return otherNames[name] ?? name
}

const pascal = (id: string) => id.replace(/(^|\.)(\w)/g, (_, _dot, letter) => letter.toUpperCase())
const queryName = (id: string) => `${pascal(id)}Query`

function queryOf({ parameters = [] }: Operation): Parameter[] {
  return parameters.filter((one) => one.in === 'query')
}

function queryType(operation: Operation): string {
  const fields = queryOf(operation).map(
    ({ name, required, description, schema }) =>
      `${doc({ ...schema, description }, '  ')}  ${field(name, required, typeOf(schema, '  '))}\n`,
  )
  return `{\n${fields.join('')}}`
}

const field = (name: string, isRequired: boolean, type: string) => {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return isRequired ? `${key}: ${type}` : `${key}?: ${type} | undefined`
}

function doc({ description }: JsonSchema, indent = ''): string {
  if (typeof description !== 'string') return ''
  return `${indent}/** ${description.replaceAll('*/', '* /')} */\n`
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (typeof schema.$ref === 'string') return typeName(schema.$ref.split('/').at(-1) ?? '')
  if (schema.const !== undefined) return literal(schema.const)
  if (Array.isArray(schema.enum)) return schema.enum.map(literal).join(' | ')
  const options = (schema.oneOf ?? schema.anyOf) as JsonSchema[] | undefined
  if (options) return [...new Set(options.map((one) => typeOf(one, indent)))].join(' | ')
  const types = [schema.type ?? 'unknown'].flat() as string[]
  return types.map((type) => plainType(type, schema, indent)).join(' | ')
}

const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value)

function plainType(type: string, schema: JsonSchema, indent: string): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'integer':
    case 'number':
      return 'number'
    case 'array': {
      const item = typeOf((schema.items ?? {}) as JsonSchema, indent)
      return / \| |\n/.test(item) && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
    }
    case 'object':
      return objectType(schema, indent)
    default:
      return 'unknown'
  }
}

function objectType(schema: JsonSchema, indent: string): string {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const { additionalProperties: more } = schema
  const rest =
    typeof more === 'object' && more !== null ? typeOf(more as JsonSchema, indent) : 'unknown'
  if (properties.length === 0) return more === false ? '{}' : `Record<string, ${rest}>`
  const required = (schema.required ?? []) as string[]
  const inner = `${indent}  `
  const fields = properties.map(
    ([name, one]) =>
      `${doc(one, inner)}${inner}${field(name, required.includes(name), typeOf(one, inner))}\n`,
  )
  const others = more === undefined || more === false ? '' : `${inner}[more: string]: unknown\n`
  return `{\n${fields.join('')}${others}${indent}}`
}

type Gives = 'page' | 'json' | 'nothing' | 'file' | 'text' | 'stream'

function answerOf(operation: Operation): { gives: Gives; type: string } {
  const [, response] =
    Object.entries(operation.responses).find(([status]) => /^2/.test(status)) ?? []
  const [type, media] = Object.entries((response as Response).content ?? {})[0] ?? []
  if (media === undefined) return { gives: 'nothing', type: 'Promise<void>' }
  if (type === 'text/event-stream') return { gives: 'stream', type: '' }
  if (type === 'text/plain') return { gives: 'text', type: 'Promise<string>' }
  if (type !== 'application/json') return { gives: 'file', type: 'Promise<Response>' }
  const { data, paging } = (media.schema.properties ?? {}) as Record<string, JsonSchema>
  if (data && paging) {
    return { gives: 'page', type: `Pages<${typeOf(data.items as JsonSchema, '')}>` }
  }
  return { gives: 'json', type: `Promise<${typeOf(media.schema, '')}>` }
}

const takesKey = ({ parameters = [] }: Operation) =>
  parameters.some(({ name }) => name === 'Idempotency-Key')

/** `messages.send` becomes a method of `messages`. */
function treeText(operations: Described[], depth: number): string {
  const indent = '  '.repeat(depth + 1)
  const words = [...new Set(operations.map(({ id }) => id.split('.')[depth] ?? ''))]
  const members = words.map((word) => {
    const under = operations.filter(({ id }) => id.split('.')[depth] === word)
    const [one] = under
    if (one && under.length === 1 && one.id.split('.').length === depth + 1) {
      return `${doc({ description: one.operation.summary }, indent)}${indent}${signature(one)}\n`
    }
    return `${indent}${word}: ${treeText(under, depth + 1)}\n`
  })
  return `{\n${members.join('')}${'  '.repeat(depth)}}`
}

function signature({ id, path, operation }: Described): string {
  if (byHand[id]) return byHand[id]
  const name = id.split('.').at(-1)
  const ids = [...path.matchAll(/\{(\w+)\}/g)].map(([, word]) => `${word}: string`)
  const body = operation.requestBody?.content['application/json']
  const query = queryOf(operation)
  const isNeeded = query.some(({ required }) => required)
  const input = body
    ? [`body: ${typeOf(body.schema, '')}`]
    : query.length > 0
      ? [`query${isNeeded ? '' : '?'}: ${queryName(id)}`]
      : []
  const options = `options?: ${takesKey(operation) ? 'SendOptions' : 'CallOptions'}`
  return `${name}(${[...ids, ...input, options].join(', ')}): ${answerOf(operation).type}`
}

function specText({ id, method, path, operation }: Described): string {
  const content = Object.keys(operation.requestBody?.content ?? {})
  const takes = content.includes('multipart/form-data')
    ? 'form'
    : content.length > 0
      ? 'body'
      : queryOf(operation).length > 0
        ? 'query'
        : 'nothing'
  if (takes === 'body' && queryOf(operation).length > 0) {
    throw new Error(`${id} takes a body and a query: the client knows no such call`)
  }
  const { gives } = answerOf(operation)
  const fields = [
    `method: '${method}'`,
    `path: '${path}'`,
    `takes: '${takes}'`,
    `gives: '${gives}'`,
    `isKeyed: ${takesKey(operation)}`,
  ]
  return `  '${id}': { ${fields.join(', ')} },\n`
}
