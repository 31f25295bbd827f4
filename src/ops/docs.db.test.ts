import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { type OpenApiDocument, resolved } from '../api/openapi-model.ts'
import { docsPage } from './docs-page.ts'

let gateway: TestGateway
let page: Answer
let document: OpenApiDocument

beforeAll(async () => {
  gateway = await startTestGateway()
  page = await gateway.call('GET', '/docs')
  document = (await gateway.call('GET', '/openapi.json')).json
})

describe('the page /docs', () => {
  test('is there for anybody, with or without a slash', async () => {
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect((await gateway.call('GET', '/docs/')).text).toBe(page.text)
  })

  test('shows every operation and has a link to each', () => {
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        const shown = path.replaceAll('/', '/<wbr>')
        expect(page.text).toContain(`>${method.toUpperCase()}</b> <code>${shown}</code>`)
      }
    }
    const targets = [...page.text.matchAll(/href="#([^"]+)"/g)].map((match) => match[1])
    const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1])
    expect(new Set(ids).size).toBe(ids.length)
    // The menu is opened by its button.
    expect(new Set([...targets, 'menu'])).toEqual(new Set(ids))
  })

  test('runs nothing, and loads nothing but its own font and icon', () => {
    expect(page.text).not.toMatch(/<(script|img|iframe|form|object|embed)\b/i)
    expect(page.text).not.toMatch(/\s(src|style|on\w+)=/i)
    // Examples are text.
    const rest = page.text.replaceAll(/<pre[^>]*>[^<]*<\/pre>/g, '')
    expect(rest).not.toMatch(/https?:\/\/|@import/i)
    expect(page.text.match(/<link [^>]*>|url\([^)]*\)/g)).toEqual([
      '<link rel="icon" href="/docs/logo.svg" type="image/svg+xml">',
      'url("/docs/inter-latin.woff2")',
    ])
  })

  test('is sent again only when it changed', async () => {
    const etag = page.headers.get('etag') ?? ''
    const again = await gateway.call('GET', '/docs', { headers: { 'if-none-match': etag } })
    expect([again.status, again.text]).toEqual([304, ''])
    const other = await gateway.call('GET', '/docs', { headers: { 'if-none-match': 'W/"other"' } })
    expect(other.status).toBe(200)
  })

  test('has a policy that allows its own style and nothing else', () => {
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text) ?? []
    const digest = createHash('sha256').update(style).digest('base64')

    const policy = page.headers.get('content-security-policy')?.split('; ')

    expect(policy).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${digest}'`,
      "font-src 'self'",
      "img-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ])
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('x-frame-options')).toBe('DENY')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
  })

  test('shows text as text, whatever is in the document', () => {
    const evil = '<img src=x onerror=alert(1)>"\'&'
    const text = docsPage({
      ...resolved(document),
      info: { ...document.info, title: evil, description: evil, version: evil },
      tags: [{ name: 'Tenant API', description: evil }],
      paths: {
        [`/${evil}`]: {
          get: {
            operationId: evil,
            security: [],
            summary: evil,
            description: evil,
            tags: ['Tenant API'],
            parameters: [
              {
                name: evil,
                in: 'query',
                required: true,
                schema: { enum: [evil], description: evil },
              },
            ],
            responses: {
              [evil]: {
                description: evil,
                content: { [evil]: { schema: { type: 'object', properties: { [evil]: {} } } } },
              },
            },
          },
        },
      },
    })

    expect(text).not.toContain('<img')
    expect(text).not.toContain(evil)
  })
})
