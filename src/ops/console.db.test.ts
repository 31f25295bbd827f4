// How the console's page is served: from the built files alone, with headers that let nothing else in.
import { mkdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { afterFile } from '../../test/support/after-file.ts'
import { createTestFolder } from '../../test/support/folder.ts'
import { startTestGateway, type TestGateway } from '../../test/support/gateway.ts'
import { createHttpServer } from '../http.ts'
import { createLog } from '../log.ts'
import { systemClock, systemRandom } from '../time-and-chance.ts'
import { mountConsole, readConsoleFiles } from './console.ts'

const page = '<!doctype html><title>The page</title>'
const script = 'console.log("the script")'
let url: string

async function serve(folder: string, publicUrl?: string): Promise<string> {
  const destination = { write: () => undefined }
  const log = createLog({
    level: 'silent',
    hashKey: Buffer.alloc(32),
    clock: systemClock,
    destination,
  })
  const random = systemRandom(systemClock)
  const app = createHttpServer({ log, clock: systemClock, random, publicUrl })
  mountConsole(app, await readConsoleFiles(folder))
  afterFile(() => app.close())
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** Beside the folder that is served lies a file that is nobody's. */
async function buildConsole(): Promise<string> {
  const around = createTestFolder()
  const folder = join(around, 'console')
  await mkdir(join(folder, 'assets'), { recursive: true })
  const put = (name: string, content: string | Buffer) => writeFile(join(folder, name), content)
  await put('index.html', page)
  await put('index.html.br', brotliCompressSync(page))
  await put('index.html.gz', gzipSync(page))
  await put('assets/main-abc.js', script)
  await put('assets/main-abc.js.br', brotliCompressSync(script))
  await put('assets/main-abc.js.gz', gzipSync(script))
  await put('logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  await put('assets/main-abc.js.map', 'a secret')
  await writeFile(join(around, 'secret.html'), 'a secret')
  return folder
}

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: Buffer
}

/** The path goes out as it is written here: a browser would have tidied it up. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const asking = request({ hostname, port, path, method, headers }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk)
      const { statusCode: status = 0, headers } = answer
      resolve({ status, headers, body: Buffer.concat(chunks) })
    })
    asking.on('error', reject).end()
  })
}

beforeAll(async () => {
  url = await serve(await buildConsole())
})

describe('the page', () => {
  test('lets nothing in but what comes from here, and is kept by nobody', async () => {
    const { status, headers, body } = await get('/console/')
    const { date: _date, connection: _connection, 'keep-alive': _keep, ...rest } = headers
    expect([status, body.toString()]).toEqual([200, page])
    expect({ ...rest, 'x-request-id': '' }).toEqual({
      'cache-control': 'no-store',
      'content-length': String(page.length),
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' blob:; " +
        "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
      'content-type': 'text/html; charset=utf-8',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
      'cross-origin-resource-policy': 'same-origin',
      'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
      'referrer-policy': 'no-referrer',
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'x-request-id': '',
    })
  })

  test.each([
    '/console',
    '/console/inbox/conv_1?tenant=x',
    '/console/a/view/that/is/none',
    '/console/logo.png',
  ])('is at every address of a view: %s', async (path) => {
    const { status, headers, body } = await get(path)
    expect([status, headers['cache-control'], body.toString()]).toEqual([200, 'no-store', page])
  })

  test('asks for safe connections for a year where it is reached by one', async () => {
    const answers = await Promise.all(
      ['https://wa.example', 'http://wa.example'].map(async (publicUrl) =>
        fetch(`${await serve(await buildConsole(), publicUrl)}/console`),
      ),
    )
    const said = answers.map(({ headers }) => headers.get('strict-transport-security'))
    expect(said).toEqual(['max-age=31536000', null])
  })

  test('that was never built says how to build it', async () => {
    const answer = await fetch(`${await serve(createTestFolder())}/console/inbox`)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({
      error: { code: 'CONSOLE_NOT_BUILT', message: expect.stringContaining('npm run build') },
    })
  })
})

describe('a file', () => {
  test('named by its content is kept for ever, the others for an hour', async () => {
    const asset = await get('/console/assets/main-abc.js')
    expect([asset.status, asset.headers['content-type'], asset.body.toString()]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      script,
    ])
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable')
    const logo = await get('/console/logo.svg')
    expect(logo.headers['content-type']).toBe('image/svg+xml')
    expect(logo.headers['cache-control']).toBe('public, max-age=3600')
  })

  test.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br;q=0.5', 'br'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0.0,gzip ; q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('comes as the browser takes it: %s', async (accepted, encoding) => {
    for (const [path, content] of [
      ['/console/assets/main-abc.js', script],
      ['/console/inbox', page],
    ] as const) {
      const { headers, body } = await get(path, { 'accept-encoding': accepted })
      expect([headers['content-encoding'], headers.vary]).toEqual([encoding, 'accept-encoding'])
      const sent = { br: brotliCompressSync(content), gzip: gzipSync(content) }
      expect(body).toEqual(encoding ? sent[encoding as 'br' | 'gzip'] : Buffer.from(content))
    }
  })

  test('HEAD says the same without the content', async () => {
    for (const path of ['/console/inbox', '/console/assets/main-abc.js']) {
      const [head, whole] = [await get(path, {}, 'HEAD'), await get(path)]
      expect([head.status, head.body.length]).toEqual([200, 0])
      expect(head.headers['content-length']).toBe(whole.headers['content-length'])
      expect(head.headers['content-type']).toBe(whole.headers['content-type'])
    }
  })

  test.each(['/console/assets/gone.js', '/console/assets/main-abc.js.map'])(
    'that is not there is not there: %s',
    async (path) => {
      const { status, body } = await get(path)
      expect([status, JSON.parse(body.toString()).error.code]).toEqual([404, 'NOT_FOUND'])
    },
  )

  test.each([
    '/console/../secret.html',
    '/console/..%2fsecret.html',
    '/console/%2e%2e/secret.html',
    '/console/%2e%2e%2fsecret.html',
    '/console/..%5csecret.html',
    '/console/..%252fsecret.html',
    '/console/assets/..%2f..%2fsecret.html',
    '/console/assets/../../secret.html',
    '/console//secret.html',
    '/console/%2fetc%2fpasswd',
    '/console/secret.html%00.js',
    '/console/assets/main-abc.js%00',
    '/console/assets%2fmain-abc.js.map',
    '/console/index.html.br',
    '/console/%',
    '/console/%ff',
  ])('beside them is never served: %s', async (path) => {
    const { status, body } = await get(path)
    expect(body.toString()).not.toContain('secret')
    if (status === 200) expect(body.toString()).toBe(page)
    else expect([400, 404]).toContain(status)
  })
})

describe('the role', () => {
  let gateway: TestGateway
  test('without the console there is none', async () => {
    gateway = await startTestGateway({ environment: { ROLES: 'api,worker' } })
    const answer = await gateway.call('GET', '/console/')
    expect([answer.status, answer.json.error.code]).toEqual([404, 'NOT_FOUND'])
  })
  test('with it, it is the built one', async () => {
    gateway = await startTestGateway({ environment: { ROLES: 'console' } })
    const answer = await gateway.call('GET', '/console/')
    expect([answer.status, answer.text]).toEqual([
      200,
      expect.stringContaining('<div id="console">'),
    ])
    expect((await gateway.call('GET', '/api/console/me')).status).toBe(404)
  })
})
