// Files that contacts send: the message is there at once, its file follows by a job of its own, and nothing that goes wrong on
// the way loses it before Meta does.
import { createHash, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { sql } from '../../src/db/connect.ts'
import { type MediaStore, StoreUnavailable } from '../../src/media/store.ts'
import { releaseAccount } from '../../src/outbox/release.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { operatorKey, type TestGateway } from '../support/gateway.ts'
import { customer, type InboundFiles, inboundFiles } from '../support/inbound-files.ts'
import { getFile, jpegBytes, pdfBytes } from '../support/media.ts'
import { payload } from '../support/payloads.ts'
import { type Firm, type Sending, startSending } from '../support/sending.ts'

let world: Sending
let gateway: TestGateway
let firm: Firm
let files: InboundFiles

beforeAll(async () => {
  world = await startSending()
  gateway = world.gateway
})
beforeEach(async () => {
  world.simulator.clearFaults()
  await gateway.db.query(sql`delete from whatsapp_media`)
  firm = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
  files = inboundFiles(world, firm)
})

/** How often Meta was asked, by what for. */
const asked = (endpoint: string) =>
  world.simulator.ledger().requests.filter((request) => request.endpoint === endpoint).length

describe('a message with a file', () => {
  test('is there at once, and its file soon after', async () => {
    const id = await files.receive()
    const before = await files.read(id)
    expect(before).toMatchObject({
      type: 'image',
      media: 'pending',
      media_id: expect.stringMatching(/^med_/),
      media_error: null,
    })
    const early = await getFile(gateway, firm.key, before.media_id)
    expect(early).toMatchObject({ status: 409, code: 'MEDIA_PENDING' })
    expect(early.headers.get('retry-after')).toBe('5')

    await gateway.fetchMedia()

    expect(await files.read(id)).toMatchObject({
      media: 'stored',
      media_id: before.media_id,
      media_error: null,
    })
    const file = await getFile(gateway, firm.key, before.media_id)
    expect(file).toMatchObject({ status: 200, bytes: jpegBytes })
    expect(file.headers.get('content-type')).toBe('image/jpeg')
    expect(file.headers.get('content-disposition')).toMatch(
      /^attachment; filename="image-[0-9a-f]{8}\.jpg"/,
    )
    const list = await gateway.call('GET', '/api/whatsapp/messages', { key: firm.key })
    expect(list.json.data[0]).toMatchObject({ media: 'stored' })
  })

  test('of a name that was meant for another folder gets a harmless one', async () => {
    const id = await files.receive(pdfBytes, 'document', {
      filename: '../../etc/cron.d/"evil"\u202e.exe',
    })
    await gateway.fetchMedia()
    const { media_id } = await files.read(id)
    const file = await getFile(gateway, firm.key, media_id)

    expect(file.headers.get('content-disposition')).toMatch(/filename="_evil_.exe.pdf"/)
  })

  test('whose type is a lie, or HTML, is served as bytes to keep', async () => {
    const { id } = world.simulator.addCustomerFile({
      phone_number_id: firm.phoneNumberId,
      mime_type: 'text/html',
      base64: Buffer.from('<script>alert(1)</script>').toString('base64'),
    })
    const messageId = await files.receiveNamed(id, 'document', { filename: 'page.html' })
    await gateway.fetchMedia()
    const { media_id } = await files.read(messageId)
    const { headers } = await getFile(gateway, firm.key, media_id)

    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-disposition')).toMatch(/^attachment/)
    expect(headers.get('content-security-policy')).toContain('sandbox')
  })

  test('has one file, however often it is delivered', async () => {
    const message = {
      from: customer,
      id: `wamid.${randomUUID()}`,
      timestamp: '1788300037',
      type: 'image',
      image: { id: '4711', mime_type: 'image/jpeg', sha256: createHash('sha256').digest('base64') },
    }
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    await gateway.deliver(payload({ number, messages: [message] }))
    await gateway.deliver(payload({ number, messages: [message, message] }))
    await gateway.drain()

    const rows = await gateway.db.query(
      sql`select from whatsapp_media where tenant_id = ${firm.id}`,
    )
    expect(rows).toHaveLength(1)
    expect(await files.read(await files.newestMessage())).toMatchObject({ media: 'pending' })
  })

  test('and one without', async () => {
    await world.customerOf(firm)
    expect(await files.read(await files.newestMessage())).toMatchObject({
      media: null,
      media_id: null,
      media_error: null,
    })
  })

  test('of another tenant is not there', async () => {
    const { media_id } = await files.read(await files.receive())
    const other = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
    for (const fetched of [false, true]) {
      if (fetched) await gateway.fetchMedia()
      expect(await getFile(gateway, other.key, media_id)).toMatchObject({
        status: 404,
        code: 'MEDIA_NOT_FOUND',
      })
    }
  })

  test('is logged and counted without anything personal', async () => {
    const [name, caption] = ['file name', 'caption'].map((what) => canary(what).text)
    const id = await files.receive(pdfBytes, 'document', {
      filename: `${name}.pdf`,
      caption,
    })
    await gateway.fetchMedia()
    const { media_id } = await files.read(id)
    const line = gateway
      .logText()
      .split('\n')
      .find((text) => text.includes(media_id))

    expect(JSON.parse(line ?? '')).toMatchObject({
      event: 'media_fetch',
      kind: 'stored',
      tenant_id: firm.id,
      message_id: id,
      bytes: pdfBytes.length,
      attempts: 1,
    })
    const secrets = [name ?? '', caption ?? '', firm.accessToken, '/whatsapp_business/']
    expectNone(gateway.logText(), ...secrets)
    const metrics = await gateway.call('GET', '/metrics', { key: operatorKey })
    expect(metrics.text).toMatch(/estafet_media_fetches_total\{outcome="stored"\} [1-9]/)
  })
})

describe('a fetch that goes wrong is repeated until it goes well', () => {
  const cases: [name: string, fault: FaultInput, error: string][] = [
    [
      '500 at the look-up',
      { fault: 'error', http_status: 500, match: { endpoint: 'object' } },
      'META_TROUBLE',
    ],
    [
      'a rate limit',
      { fault: 'throttle', code: 4, match: { endpoint: 'object' } },
      'APP_RATE_LIMITED',
    ],
    ['a reset at the look-up', { fault: 'reset', match: { endpoint: 'object' } }, 'NOT_REACHED'],
    [
      'an unreadable look-up',
      { fault: 'html', http_status: 200, match: { endpoint: 'object' } },
      'NOT_REACHED',
    ],
    [
      'a dead url',
      { fault: 'error', http_status: 404, body: 'empty', match: { endpoint: 'media_download' } },
      'DOWNLOAD_REFUSED',
    ],
    [
      '500 at the download',
      { fault: 'html', http_status: 500, match: { endpoint: 'media_download' } },
      'DOWNLOAD_REFUSED',
    ],
    [
      'a reset at the download',
      { fault: 'reset', match: { endpoint: 'media_download' } },
      'NOT_REACHED',
    ],
    [
      'a file that ends early',
      { fault: 'truncate', match: { endpoint: 'media_download' } },
      'DOWNLOAD_BROKEN',
    ],
    [
      'half a file that claims to be whole',
      { fault: 'truncate', connection: 'kept', match: { endpoint: 'media_download' } },
      'SIZE_DIFFERS',
    ],
  ]

  test.each(cases)('%s', async (_name, fault, error) => {
    const id = await files.receive()
    world.fault({ ...fault, count: 2 })
    await gateway.fetchMedia()
    expect(await files.read(id)).toMatchObject({ media: 'pending', media_error: error })
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'pending', media_error: error })
    await files.fetchAgain()

    const { media, media_id, media_error } = await files.read(id)
    expect({ media, media_error }).toEqual({ media: 'stored', media_error: null })
    expect((await getFile(gateway, firm.key, media_id)).bytes).toEqual(jpegBytes)
  })

  test('a url that died is not used again: every attempt asks for a new one', async () => {
    const id = await files.receive()
    world.fault({
      fault: 'error',
      http_status: 404,
      body: 'empty',
      match: { endpoint: 'media_download' },
      count: 1,
    })
    const before = asked('object')
    await gateway.fetchMedia()
    await files.fetchAgain()

    expect(asked('object') - before).toBe(2)
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('a store that is away', async () => {
    const id = await files.receive()
    const away: MediaStore = {
      ...gateway.runtime.store,
      put: async () => {
        throw new StoreUnavailable('away')
      },
    }
    await gateway.fetchMedia({ store: away })
    expect(await files.read(id)).toMatchObject({
      media: 'pending',
      media_error: 'STORE_UNAVAILABLE',
    })
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })
})

describe('a file that Meta no longer has', () => {
  test('is expired after three such answers, and 410 from then on', async () => {
    const number = { waba_id: firm.wabaId, phone_number_id: firm.phoneNumberId }
    const image = { id: '999000111', mime_type: 'image/jpeg' }
    const message = {
      from: customer,
      id: `wamid.${randomUUID()}`,
      timestamp: '1700000000',
      type: 'image',
      image,
    }
    await gateway.deliver(payload({ number, messages: [message] }))
    await gateway.drain()
    const id = await files.newestMessage()
    await gateway.fetchMedia()
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'pending', media_error: 'GONE_AT_META' })
    await files.fetchAgain()

    const shown = await files.read(id)
    expect(shown).toMatchObject({ media: 'expired', media_error: 'GONE_AT_META' })
    expect(await getFile(gateway, firm.key, shown.media_id)).toMatchObject({
      status: 410,
      code: 'MEDIA_EXPIRED',
    })
  })

  test('was perhaps only hidden: it is looked for now and then, and stored when it is back', async () => {
    const id = await files.receive()
    world.fault({ fault: 'error', code: 100, subcode: 33, match: { endpoint: 'object' }, count: 3 })
    await gateway.fetchMedia()
    await files.fetchAgain()
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'expired' })
    await files.fetchAgain()
    expect(await files.read(id)).toMatchObject({ media: 'stored', media_error: null })
  })

  test('because its seven days are over is not asked for', async () => {
    const id = await files.receive()
    const before = asked('object')
    await gateway.db.query(
      sql`update whatsapp_media set fetch_until = now() where tenant_id = ${firm.id}`,
    )
    await gateway.fetchMedia()

    expect(await files.read(id)).toMatchObject({ media: 'expired', media_error: 'EXPIRED_AT_META' })
    expect(asked('object')).toBe(before)
    await files.fetchAgain()
    expect(asked('object')).toBe(before)
  })
})

describe('an account that must be reconnected', () => {
  const accountOf = async () =>
    (await gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })).json.data[0]
  const reconnect = () =>
    gateway.runtime.db.work.transaction((tx) =>
      releaseAccount(tx, firm.id, firm.phoneNumberId, world.clock.now()),
    )

  test('makes its files wait, without a call, and gets them when it is back', async () => {
    const [first, second] = [await files.receive(), await files.receive(pdfBytes, 'document')]
    world.fault({ fault: 'token', match: { endpoint: 'object' }, count: 1 })
    await gateway.fetchMedia()
    expect(await accountOf()).toMatchObject({ auth_status: 'needs_reauth' })
    expect(gateway.logText()).toMatch(/"reauth_required"/)

    // Whichever was asked for first was refused; the other one may have been on its way.
    const before = asked('object')
    await files.fetchAgain()
    expect(asked('object')).toBe(before)
    const waiting = [await files.read(first), await files.read(second)].filter(
      ({ media }) => media === 'pending',
    )
    expect(waiting.length).toBeGreaterThan(0)
    for (const one of waiting) expect(one.media_error).toMatch(/^ACC/)

    await reconnect()
    await gateway.fetchMedia()
    for (const id of [first, second])
      expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('is told of once, and not at all by a token that it no longer has', async () => {
    const { graphMedia } = gateway.runtime
    const told = () =>
      gateway
        .logText()
        .split('\n')
        .filter((line) => line.includes('"reauth_required"') && line.includes(firm.id))
    const provider = { code: 190, subcode: null, message: 'revoked', fbtrace_id: null }
    const refused = { kind: 'refused' as const, statusCode: 401, provider, retryAfterSeconds: null }
    await files.receive()
    await gateway.fetchMedia({
      graphMedia: {
        ...graphMedia,
        find: async () => {
          // It is replaced while Meta is asked.
          await gateway.db.query(
            sql`update whatsapp_accounts set access_token = access_token || 'x' where tenant_id = ${firm.id}`,
          )
          return refused
        },
      },
    })
    expect(await accountOf()).toMatchObject({ auth_status: 'ok' })
    expect(told()).toEqual([])

    await gateway.db.query(sql`
      update whatsapp_accounts set access_token = left(access_token, -1) where tenant_id = ${firm.id}`)
    await files.receive()
    await gateway.db.query(
      sql`update whatsapp_media set next_run_at = now() where tenant_id = ${firm.id}`,
    )
    await gateway.fetchMedia({ graphMedia: { ...graphMedia, find: async () => refused } })
    expect(await accountOf()).toMatchObject({ auth_status: 'needs_reauth' })
    expect(told()).toHaveLength(1)
  })

  test('makes them wait no longer than Meta keeps them', async () => {
    const id = await files.receive()
    await gateway.db.query(
      sql`update whatsapp_accounts set auth_status = 'needs_reauth' where tenant_id = ${firm.id}`,
    )
    await gateway.fetchMedia()
    expect(await files.read(id)).toMatchObject({
      media: 'pending',
      media_error: 'ACCOUNT_NEEDS_REAUTH',
    })
    await gateway.db.query(
      sql`update whatsapp_media set fetch_until = now() where tenant_id = ${firm.id}`,
    )
    await files.fetchAgain()

    expect(await files.read(id)).toMatchObject({ media: 'expired' })
  })

  test('or was disconnected: the same, until it is connected again', async () => {
    const id = await files.receive()
    const account = await accountOf()
    const path = `/api/admin/tenants/${firm.id}/accounts`
    await gateway.call('DELETE', `${path}/${account.id}`, { key: operatorKey })
    await gateway.fetchMedia()
    expect(await files.read(id)).toMatchObject({
      media: 'pending',
      media_error: 'ACCOUNT_NOT_FOUND',
    })

    const { waba_id, phone_number_id, display_phone_number } = account
    const body = { waba_id, phone_number_id, display_phone_number, access_token: firm.accessToken }
    await gateway.call('POST', path, { key: operatorKey, body })
    await gateway.fetchMedia()
    expect(await files.read(id)).toMatchObject({ media: 'stored' })
  })

  test('a right that is missing is no dead token: the account stays as it is', async () => {
    const id = await files.receive()
    world.fault({
      fault: 'error',
      code: 200,
      http_status: 403,
      match: { endpoint: 'object' },
      count: 1,
    })
    await gateway.fetchMedia()

    expect(await files.read(id)).toMatchObject({ media: 'pending', media_error: 'ACCESS_REFUSED' })
    expect(await accountOf()).toMatchObject({ auth_status: 'ok' })
  })
})
