// How the guide's pages are served: from the built files alone, with headers that let nothing else in.
import { createHash } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { createHttpServer } from '../http.ts'
import { createLog } from '../log.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { mountGuide } from './guide.ts'

const style = 'b { color: red }'
const script = 'console.log("the script")'
const pageOf = (text: string) =>
  `<head><style>${style}</style><script type="module">${script}</script></head><p>${text}</p><script>evil</script>`
let url: string

async function serve(folder: string): Promise<string> {
  const destination = { write: () => undefined }
  const hashKey = Buffer.alloc(32)
  const log = createLog({ level: 'silent', hashKey, clock: systemClock, destination })
  const app = createHttpServer({ log, clock: systemClock, random: systemRandom(systemClock) })
  mountGuide(app, folder)
  afterFile(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

beforeAll(async () => {
  const around = createTestFolder()
  const folder = join(around, 'site')
  await mkdir(folder)
  await writeFile(join(around, 'secret.md'), 'nobody’s')
  const put = (name: string, content: string | Buffer) => writeFile(join(folder, name), content)
  await put('sending.html', pageOf('Sending'))
  await put('sending.html.gz', gzipSync(pageOf('Sending')))
  await put('sending.md', '# Sending')
  await put('404.html', pageOf('No such page'))
  await put('llms.txt', '# Estafet')
  await put('inbox.png', Buffer.from([0x89]))
  url = await serve(folder)
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { 'accept-encoding': 'identity', ...headers } })
const digest = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

describe('a page of the guide', () => {
  test('is sent with a policy that knows its style and script by their digests, and no other', async () => {
    const answer = await get('/docs/sending')
    expect([answer.status, await answer.text()]).toEqual([200, pageOf('Sending')])
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    expect(answer.headers.get('content-security-policy')?.split('; ')).toEqual([
      "default-src 'none'",
      `script-src ${digest(script)}`,
      `style-src ${digest(style)}`,
      "font-src 'self'",
      "img-src 'self'",
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
  })

  test('is compressed for who takes that, and not sent again to who has it', async () => {
    const plain = await get('/docs/sending')
    const etag = plain.headers.get('etag') ?? ''
    const compressed = await get('/docs/sending', { 'accept-encoding': 'gzip' })
    expect(compressed.headers.get('content-encoding')).toBe('gzip')
    expect([await compressed.text(), compressed.headers.get('etag')]).toEqual([
      pageOf('Sending'),
      etag,
    ])
    const again = await get('/docs/sending', { 'if-none-match': `"x", ${etag}` })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await get('/docs/sending', { 'if-none-match': '"x"' })).status).toBe(200)
  })

  test('is there as Markdown, and answers HEAD', async () => {
    const markdown = await get('/docs/sending.md')
    expect([await markdown.text(), markdown.headers.get('content-type')]).toEqual([
      '# Sending',
      'text/markdown; charset=utf-8',
    ])
    const head = await fetch(`${url}/docs/sending`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  test('that is not there is a page in a browser, and an error elsewhere', async () => {
    const page = await get('/docs/nothing', { accept: 'text/html,*/*' })
    expect([page.status, await page.text()]).toEqual([404, pageOf('No such page')])
    expect(page.headers.get('content-security-policy')).toContain(digest(script))
    expect(page.headers.get('cache-control')).toBe('no-store')
    for (const path of [
      'nothing',
      '404',
      'sending.html',
      '..%2fsecret.md',
      'llms.txt',
      'Sending',
    ]) {
      const answer = await get(`/docs/${path}`)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({ error: { code: 'NOT_FOUND' } })
    }
  })
})

test('pictures may be kept for a day, and llms.txt lies at the root', async () => {
  const picture = await get('/docs/inbox.png')
  expect(picture.headers.get('content-type')).toBe('image/png')
  expect(picture.headers.get('cache-control')).toBe('public, max-age=86400')
  const list = await get('/llms.txt')
  expect([await list.text(), list.headers.get('content-type')]).toEqual([
    '# Estafet',
    'text/plain; charset=utf-8',
  ])
})

test('where nothing was built, that is said', async () => {
  const empty = await serve(createTestFolder())
  for (const path of ['/docs/guide', '/llms.txt']) {
    const answer = await fetch(empty + path)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ error: { code: 'DOCUMENTS_NOT_BUILT' } })
  }
})
