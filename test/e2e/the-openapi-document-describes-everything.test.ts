import { createConfig, lintFromString } from '@redocly/openapi-core'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type JsonSchema,
  type MediaType,
  type OpenApiDocument,
  type ResolvedOperation,
  resolved,
} from '../../src/api/openapi-model.ts'
import type { Route } from '../../src/api/route.ts'
import { errorGroups } from '../../src/errors-table.ts'
import { apiRoutes, mountApi } from '../../src/gateway.ts'
import { createHttpServer } from '../../src/http.ts'
import { mountConsole } from '../../src/ops/console.ts'
import { mountMetrics, mountProbes } from '../../src/ops/routes.ts'
import { createSchemaCheck } from '../support/described-answers.ts'
import { startTestGateway } from '../support/gateway.ts'

let document: OpenApiDocument
let whole: OpenApiDocument<ResolvedOperation>
let routes: Route[]
/** Everything the server answers, as `GET /path/{id}`. */
const answered: string[] = []

beforeAll(async () => {
  const { runtime, call } = await startTestGateway()
  routes = apiRoutes(runtime)
  const answer = await call('GET', '/openapi.json')
  document = answer.json
  whole = resolved(document)

  const app = createHttpServer(runtime)
  app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat().filter((one) => one !== 'HEAD')
    answered.push(
      ...methods.map((one) => `${one} ${url.replace(/:(\w+)/g, '{$1}').replace('*', '{place}')}`),
    )
  })
  mountProbes(app, { problems: async () => [], stop: async () => undefined })
  mountMetrics(app, { contentType: 'text/plain', text: async () => '' }, () => Promise.reject())
  mountConsole(app, new Map())
  mountApi(app, runtime)
  await app.ready()
  await app.close()
})

function operations() {
  return Object.entries(whole.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  )
}

const valuesOf = (examples: NonNullable<MediaType['examples']>) =>
  Object.values(examples).map(({ value }) => value)

/** Every object anywhere in the document, with its place. */
function* objectsIn(value: unknown, place = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [key, inner] of Object.entries(value)) yield* objectsIn(inner, `${place}/${key}`)
}

/** Every JSON schema of the document, sub-schemas too, with its place. */
function* schemasIn(value: unknown, place: string): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  const schema = value as Record<string, unknown>
  yield [place, schema]
  for (const key of ['properties', '$defs']) {
    for (const [name, inner] of Object.entries(schema[key] ?? {}))
      yield* schemasIn(inner, `${place}/${key}/${name}`)
  }
  for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    for (const [index, inner] of ((schema[key] ?? []) as unknown[]).entries())
      yield* schemasIn(inner, `${place}/${key}/${index}`)
  }
  for (const key of ['items', 'additionalProperties', 'propertyNames'])
    yield* schemasIn(schema[key], `${place}/${key}`)
}

describe('the OpenAPI document', () => {
  test('describes everything that the server answers, and nothing else', () => {
    const described = operations().map(({ name }) => name)

    expect(described.toSorted()).toEqual(answered.toSorted())
    expect(routes.length).toBeGreaterThan(10)
  })

  test('is of version 3.1 and says what it is about', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({
      title: 'Estafet',
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
  })

  test('has only the members that OpenAPI 3.1 knows', () => {
    const known = ['openapi', 'info', 'servers', 'tags', 'components', 'paths', 'webhooks']
    const ofOperation = [
      'operationId',
      'summary',
      'description',
      'tags',
      'security',
      'parameters',
      'requestBody',
      'responses',
    ]
    expect(Object.keys(document).filter((key) => !known.includes(key))).toEqual([])
    for (const { name, operation } of operations()) {
      const unknown = Object.keys(operation).filter((key) => !ofOperation.includes(key))
      expect(unknown, name).toEqual([])
    }
  })

  test('declares every parameter of a path once, as required, and no others in the path', () => {
    for (const { name, path, operation } of operations()) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const parameters = operation.parameters ?? []
      const declared = parameters.filter((one) => one.in === 'path')
      expect(declared.map((one) => one.name).toSorted(), name).toEqual(inPath.toSorted())
      expect(
        declared.every((one) => one.required),
        name,
      ).toBe(true)
      const keys = parameters.map((one) => `${one.in} ${one.name}`)
      expect(new Set(keys).size, name).toBe(keys.length)
      for (const one of parameters) {
        expect(['path', 'query', 'header']).toContain(one.in)
        expect(one.schema, `${name} ${one.name}`).toBeTypeOf('object')
      }
    }
  })

  test('names every operation once, as a program would: `messages.send`', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^[a-z]\w+(\.[a-z]\w+)+$/)
  })

  test('passes the linter', async () => {
    // Stricter than recommended: warnings are errors. Off are
    const rules = {
      // our own test of examples below does it, in a tenth of the time;
      'no-invalid-media-type-examples': 'off',
      // probes and open pages refuse nobody;
      'operation-4xx-response': 'off',
      // one operation only sends browsers elsewhere.
      'operation-2xx-response': 'off',
    } as const
    const config = await createConfig({ extends: ['recommended-strict'], rules })
    const problems = await lintFromString({ source: JSON.stringify(document), config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location])).toEqual([])
  })

  test('has examples of what goes in and out, which fit their schemas', () => {
    const check = createSchemaCheck(document)
    const spoken = ['application/json', 'multipart/form-data']
    let count = 0
    for (const [place, object] of objectsIn(document)) {
      if (!('schema' in object) || !place.includes('/content/')) continue
      const { schema, example, examples = {} } = object as unknown as MediaType
      const given = [...(example === undefined ? [] : [example]), ...valuesOf(examples)]
      if (spoken.some((type) => place.endsWith(type))) expect(given, place).not.toEqual([])
      for (const value of given) expect(check(schema, value), place).toEqual([])
      count += given.length
    }
    expect(count).toBeGreaterThan(300)
  })

  test('tells what each code means, and every code where it occurs', () => {
    const told = new Set(
      operations().flatMap(({ operation }) =>
        Object.values(operation.responses).flatMap(({ content }) =>
          Object.keys(content?.['application/json']?.examples ?? {}),
        ),
      ),
    )
    const { 'In records and at the command line': _, ...said } = errorGroups
    const codes = Object.values(said).flatMap((group) => Object.keys(group))
    expect([...told].toSorted()).toEqual(codes.toSorted())
  })

  test('has a summary, a known tag and described responses for every operation', () => {
    const tags = document.tags.map((tag) => tag.name)
    for (const { name, operation } of operations()) {
      expect(operation.summary, name).not.toBe('')
      expect(operation.description, name).not.toBe('')
      expect(operation.tags.length, name).toBe(1)
      expect(tags, name).toContain(operation.tags[0])
      const statuses = Object.keys(operation.responses)
      expect(statuses.length, name).toBeGreaterThan(0)
      for (const status of statuses) {
        expect(status, name).toMatch(/^([1-5]\d\d|default)$/)
        expect(operation.responses[status]?.description, name).toBeTypeOf('string')
      }
    }
  })

  test('asks for a key exactly where one is needed', () => {
    const open = operations()
      .filter(({ operation }) => operation.security.length === 0)
      .map(({ path }) => path)
    expect(new Set(open)).toEqual(
      new Set([
        '/api/integrations/meta/whatsapp/callback',
        '/connect/whatsapp',
        '/connect/whatsapp/redirect',
        '/api/console/link',
        '/api/console/link/accept',
        '/api/console/sign-in',
        '/api/webhooks/meta/whatsapp',
        '/webhooks/whatsapp',
        '/healthz',
        '/readyz',
        '/openapi.json',
        '/docs',
        '/docs/{page}',
        '/llms.txt',
        '/console',
        '/console/{place}',
      ]),
    )
    for (const { name, operation } of operations()) {
      for (const scheme of operation.security.flatMap(Object.keys))
        expect(Object.keys(document.components.securitySchemes), name).toContain(scheme)
    }
  })

  test('refers only to what is in it', () => {
    for (const [place, object] of objectsIn(document)) {
      if (typeof object.$ref !== 'string') continue
      const found = object.$ref
        .slice(2)
        .split('/')
        .reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[key], document)
      expect(found, `${place}: ${object.$ref}`).toBeDefined()
    }
  })

  test('has schemas in the JSON Schema of 2020-12 only', () => {
    const types = ['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']
    let count = 0
    for (const [place, object] of objectsIn(document)) {
      if (!('schema' in object)) continue
      for (const [where, schema] of schemasIn(object.schema, place)) {
        count += 1
        expect(schema.$schema, where).toBeUndefined()
        expect(schema.nullable, where).toBeUndefined()
        for (const type of [schema.type ?? []].flat()) expect(types, where).toContain(type)
        for (const name of (schema.required ?? []) as string[])
          expect(Object.keys(schema.properties ?? {}), where).toContain(name)
        if (typeof schema.pattern === 'string')
          expect(() => new RegExp(`${schema.pattern}`, 'u')).not.toThrow()
      }
    }
    expect(count).toBeGreaterThan(100)
  })

  test('does not let a body have fields that would be refused', () => {
    for (const { name, operation } of operations()) {
      const schema = operation.requestBody?.content['application/json']?.schema
      if (schema === undefined || operation.tags.includes('Webhooks')) continue
      const forms = (schema.oneOf ?? schema.anyOf ?? [schema]) as JsonSchema[]
      for (const form of forms) expect(form.additionalProperties, name).toBe(false)
    }
  })
})
