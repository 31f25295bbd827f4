import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Scene, startScene } from '../test-support.ts'

let scene: Scene

beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const get = (path: string) => fetch(`${scene.simulator.url}${path}`, { redirect: 'manual' })

test('the first page of the simulator is the phone', async () => {
  const response = await get('/')

  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('/phone')
})

describe.each(['/phone', '/v25.0/dialog/oauth'])('%s', (path) => {
  test('allows nothing from elsewhere and nothing inline', async () => {
    const response = await get(path)
    const html = await response.text()

    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'self'")
    expect(policy).not.toContain('unsafe')
    expect(html).not.toMatch(/<script(?![^>]* src=)/)
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=/)
  })

  test('finds all its files, and the modules these import', async () => {
    const html = await (await get(path)).text()
    const waiting = [...html.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, url = '']) => url)
    const seen = new Set<string>()

    for (const url of waiting) {
      if (seen.has(url)) continue
      seen.add(url)
      const response = await get(url)
      const text = await response.text()
      expect([url, response.status]).toEqual([url, 200])
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
      for (const [, name = ''] of text.matchAll(/from '(\.\/[\w-]+\.js)'/g)) {
        waiting.push(new URL(name, `http://page${url}`).pathname)
      }
    }
    expect(seen.size).toBeGreaterThan(5)
  })
})

test.each([
  '/phone/nothing.js',
  '/phone/..%2froutes.ts',
  '/phone/%2e%2e%2fmount.ts',
  '/phone/tsconfig.json',
])('there is no file %s', async (path) => {
  expect((await get(path)).status).toBe(404)
})
