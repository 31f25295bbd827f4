// A Meta that says and gives other things than it should: the token goes to Meta alone, what is not as promised is not kept,
// and nothing comes without end.
import { createHash, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { createGraph } from '../../src/meta/graph.ts'
import { createGraphMedia } from '../../src/meta/graph-media.ts'
import { createGuardedAgent } from '../../src/net/guarded-agent.ts'
import { systemClock, systemRandom } from '../../src/time-and-chance.ts'
import { afterFile } from '../support/after-file.ts'
import { type FileHost, startFileHost } from '../support/file-host.ts'
import {
  accessTokenOf,
  startTestGateway,
  type TestGateway,
  type TestTenant,
  tenantANumber,
} from '../support/gateway.ts'
import { createManualClock } from '../support/manual-clock.ts'
import { getFile, jpegBytes } from '../support/media.ts'
import { payload } from '../support/payloads.ts'
import { until } from '../support/program.ts'

const customer = '16505550199'

describe('a file', () => {
  let host: FileHost
  let victim: TestGateway
  let tenant: TestTenant
  beforeAll(async () => {
    host = await startFileHost()
    victim = await startTestGateway({ environment: { META_GRAPH_URL: host.url } })
    tenant = await victim.createTenant('Firm A', tenantANumber)
  })

  const sha256 = createHash('sha256').update(jpegBytes).digest('hex')
  /** What becomes of a file that is described and served like this. */
  async function fetched(
    file: Record<string, unknown>,
    serve: Parameters<FileHost['serve']>[0] = (_, response) => void response.end(jpegBytes),
    promised: Record<string, unknown> = {},
  ) {
    host.describe(file)
    host.serve(serve)
    host.calls.length = 0
    const image = { id: '4711', mime_type: 'image/jpeg', ...promised }
    const message = {
      from: customer,
      id: `wamid.${randomUUID()}`,
      timestamp: '1788300037',
      type: 'image',
      image,
    }
    await victim.deliver(payload({ number: tenantANumber, messages: [message] }))
    await victim.drain()
    await victim.fetchMedia()
    const list = await victim.call('GET', '/api/whatsapp/messages?limit=1', { key: tenant.key })
    const { media, media_error, media_id } = list.json.data[0]
    return { media, media_error, file: await getFile(victim, tenant.key, media_id) }
  }

  test('the right thing is taken, with sizes as text and digests in either spelling', async () => {
    const good = { sha256, file_size: String(jpegBytes.length), mime_type: 'image/jpeg' }
    const promised = { sha256: Buffer.from(sha256, 'hex').toString('base64') }
    expect(await fetched(good, undefined, promised)).toMatchObject({
      media: 'stored',
      file: { bytes: jpegBytes },
    })
    expect(host.calls.map(({ authorization }) => authorization)).toEqual(
      Array(2).fill(`Bearer ${accessTokenOf('Firm A')}`),
    )
    expect(host.calls[0]?.path).toContain(`phone_number_id=${tenantANumber.phone_number_id}`)
  })

  test.each([
    ['other bytes than the look-up promised', { sha256: '0'.repeat(64) }, {}, 'HASH_DIFFERS'],
    [
      'other bytes than the webhook promised',
      {},
      { sha256: Buffer.alloc(32).toString('base64') },
      'HASH_DIFFERS',
    ],
    ['fewer bytes than announced', { file_size: 100_000 }, {}, 'SIZE_DIFFERS'],
    ['more bytes than announced', { file_size: 10 }, {}, 'SIZE_DIFFERS'],
  ])('%s are not stored', async (_name, described, promised, error) => {
    const outcome = await fetched(described, undefined, promised)
    expect(outcome).toMatchObject({ media: 'pending', media_error: error, file: { status: 409 } })
  })

  test('more than Meta ever sends is given up before it is downloaded', async () => {
    const outcome = await fetched({ file_size: 101 * 1024 * 1024 })
    expect(outcome).toMatchObject({
      media: 'failed',
      media_error: 'TOO_LARGE',
      file: { status: 410, code: 'MEDIA_FAILED' },
    })
    expect(host.calls.filter(({ path }) => path.startsWith('/file'))).toEqual([])
  })

  test('a stream without an end is cut off', async () => {
    let isCut = false
    const outcome = await fetched({ file_size: 5_000 }, (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      }
      response.on('drain', more).on('close', () => {
        isCut = true
      })
      more()
    })
    expect(outcome).toMatchObject({ media: 'pending', media_error: 'SIZE_DIFFERS' })
    await until('the stream is cut', () => isCut)
  })

  test.each([
    ['another host', 'https://evil.example/file'],
    ['a name that only looks like Meta’s', 'https://lookaside.fbsbx.com.evil.example/file'],
    ['Meta’s name as a user name', 'https://lookaside.fbsbx.com@evil.example/file'],
    ['Meta’s host without encryption', 'http://lookaside.fbsbx.com/file'],
    ['Meta’s host on another port', 'https://lookaside.fbsbx.com:6379/file'],
    ['the cloud’s own metadata', 'http://169.254.169.254/latest/meta-data'],
    ['this machine in IPv6', 'http://[::ffff:127.0.0.1]/file'],
    ['a decimal address', 'http://2130706433/file'],
    ['a file of ours', 'file:///etc/passwd'],
    ['no address', 'nowhere'],
  ])('%s gets neither a call nor the token', async (_name, url) => {
    const outcome = await fetched({ url })
    expect(outcome).toMatchObject({ media: 'pending', media_error: 'HOST_NOT_METAS' })
    expect(host.calls).toHaveLength(1)
  })

  test('the Graph API’s own host with a user name in the url is refused too', async () => {
    const outcome = await fetched({ url: host.url.replace('//', '//user:secret@') })
    expect(outcome).toMatchObject({ media_error: 'HOST_NOT_METAS' })
  })

  test('a redirect is not followed, and takes the token nowhere', async () => {
    const other = await startFileHost()
    for (const location of [`${other.url}/file`, '/file/elsewhere', 'http://169.254.169.254/']) {
      const outcome = await fetched({}, (request, response) => {
        if (request.url === '/file') response.writeHead(302, { location })
        response.end()
      })
      expect(outcome).toMatchObject({ media: 'pending', media_error: 'REDIRECT_REFUSED' })
      expect(host.calls).toHaveLength(2)
    }
    expect(other.calls).toEqual([])
  })
})

describe('Meta’s own file hosts', () => {
  const number = { phoneNumberId: '1', accessToken: 'token' }
  const file = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1'
  const neverAborted = new AbortController().signal

  function mediaWith(options: {
    graphUrl?: string
    clock?: typeof systemClock
    resolvesTo?: string
  }) {
    const clock = options.clock ?? systemClock
    const graphUrl = options.graphUrl ?? 'https://graph.facebook.com'
    const limits = { connectTimeoutMs: 30_000, silenceMs: 30_000 }
    const graph = createGraph({ url: graphUrl, version: 'v26.0', timeoutMs: 30_000, clock })
    const media = createGraphMedia({
      graph,
      graphUrl,
      timeoutMs: 30_000,
      guarded: createGuardedAgent({
        ...limits,
        allowPrivate: false,
        resolve: async () => [{ address: options.resolvesTo ?? '127.0.0.1', family: 4 }],
      }),
      plain: createGuardedAgent({ ...limits, allowPrivate: true }),
      clock,
      random: systemRandom(clock),
    })
    afterFile(async () => {
      await media.close()
      await graph.close()
    })
    return media
  }

  test.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '0.0.0.0'])(
    'that DNS leads to %s are not connected to',
    async (resolvesTo) => {
      const download = await mediaWith({ resolvesTo }).download(number, file, neverAborted)
      expect(download).toEqual({ kind: 'unreachable', code: 'TARGET_REFUSED' })
    },
  )

  test('a file that trickles in is given up after its time', async () => {
    const server = createServer((_request, response) => {
      response.write('a little')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterFile(() => new Promise((resolve) => server.close(resolve).closeAllConnections()))
    const graphUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const clock = createManualClock()
    const download = await mediaWith({ graphUrl, clock }).download(
      number,
      `${graphUrl}/file`,
      neverAborted,
    )
    if (download.kind !== 'content') throw new Error(`was ${download.kind}`)
    const reading = download.content.toArray()
    clock.advance(2 * 60_000)

    await expect(reading).rejects.toThrow()
    expect(clock.timers()).toBe(0)
  })
})
