// Sending a file by our id: Meta gets it once per number, before the message, and keeps it until its id dies. What goes wrong
// there is an outcome like any other, without a POST.
import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { FaultInput } from '../../simulator/faults/rules.ts'
import { sql } from '../../src/db/connect.ts'
import { systemClock } from '../../src/time-and-chance.ts'
import { canary, expectNone } from '../support/canaries.ts'
import { startFileHost } from '../support/file-host.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import { inboundFiles } from '../support/inbound-files.ts'
import { getFile, jpegBytes, pdfBytes, uploadFile } from '../support/media.ts'
import { type Firm, type Sending, sendRowOf, startSending, template } from '../support/sending.ts'

let world: Sending
let gateway: TestGateway
let firm: Firm
let person: string
let mediaId: string

beforeAll(async () => {
  // The clock goes on: a wait that began when the file did would be over by now.
  world = await startSending({}, { clock: systemClock })
  gateway = world.gateway
})
beforeEach(async () => {
  world.simulator.clearFaults()
  firm = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
  person = await world.customerOf(firm)
  mediaId = await uploadFile(gateway, firm.key)
})

const sendImage = (from = firm, to = person, more = {}) =>
  world.send(from, to, {
    type: 'image',
    text: undefined,
    image: { id: mediaId, caption: 'Look' },
    ...more,
  })
const uploadsTo = ({ phoneNumberId }: Firm) =>
  world.simulator.ledger(phoneNumberId).requests.filter(({ endpoint }) => endpoint === 'media')
/** How the newest message to this customer named its file. */
function sentFile(to = person) {
  const request = world.acceptedFor(to).at(-1)?.request ?? {}
  const { id, ...rest } = (request.image ?? request.document ?? {}) as { id?: string }
  return { id, rest }
}

describe('a message with a file of ours', () => {
  test('brings the file to Meta first, and names it by Meta’s id', async () => {
    const id = await sendImage()
    await gateway.sendDue()

    expect(uploadsTo(firm)).toHaveLength(1)
    const { id: metaId, rest } = sentFile()
    expect(metaId).toMatch(/^\d+$/)
    expect(rest).toEqual({ caption: 'Look' })
    const found = await fetch(`${world.simulator.url}/v26.0/${metaId}`, {
      headers: { authorization: `Bearer ${firm.accessToken}` },
    })
    expect(await found.json()).toMatchObject({
      mime_type: 'image/jpeg',
      file_size: jpegBytes.length,
    })
    // Ours stays ours in what the tenant sees.
    expect(await world.read(firm, id)).toMatchObject({
      status: 'sent',
      attempts: 1,
      content: { image: { id: mediaId } },
      media: 'stored',
      media_id: mediaId,
    })
  })

  test('uses the same id again, for each number its own', async () => {
    const second = await world.addNumber(firm)
    const other = await world.customerOf(second)
    for (let count = 0; count < 3; count++) {
      await sendImage()
      await gateway.sendDue()
    }
    await sendImage(second, other)
    await gateway.sendDue()

    expect(uploadsTo(firm)).toHaveLength(1)
    expect(uploadsTo(second)).toHaveLength(1)
    expect(sentFile(person).id).not.toBe(sentFile(other).id)
  })

  test('to many at once is handed over once', async () => {
    await gateway.db.query(sql`update tenants set max_concurrency = 20 where id = ${firm.id}`)
    const people = await Promise.all(Array.from({ length: 8 }, () => world.customerOf(firm)))
    await Promise.all(people.map((to) => sendImage(firm, to)))
    await gateway.sendDue()

    expect(uploadsTo(firm)).toHaveLength(1)
    for (const to of people) expect(world.acceptedFor(to)).toHaveLength(1)
  })

  test('hands it over anew when Meta’s id is about to die', async () => {
    await sendImage()
    await gateway.sendDue()
    const { id: before } = sentFile()
    const soon = new Date(Date.now() + 60_000)
    await gateway.db.query(
      sql`update whatsapp_media_handles set expires_at = ${soon} where tenant_id = ${firm.id}`,
    )
    await sendImage()
    await gateway.sendDue()

    expect(uploadsTo(firm)).toHaveLength(2)
    expect(sentFile().id).not.toBe(before)
    const [handle] = await gateway.db.query(sql<{ expires_at: Date }>`
      select expires_at from whatsapp_media_handles where tenant_id = ${firm.id}`)
    const days = ((handle?.expires_at.getTime() ?? 0) - Date.now()) / 86_400_000
    expect(Math.round(days)).toBe(30)
  })

  test('works in the header of a template, and with a file that a contact sent', async () => {
    const files = inboundFiles(world, firm)
    const received = await files.receive(jpegBytes)
    await gateway.fetchMedia()
    mediaId = (await files.read(received)).media_id
    const header = { type: 'header', parameters: [{ type: 'image', image: { id: mediaId } }] }
    world.simulator.seedTemplate({
      waba_id: firm.wabaId,
      name: 'picture',
      language: 'en_US',
      category: 'UTILITY',
      components: [
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::aW'] } },
        { type: 'BODY', text: 'Hello' },
      ],
    })
    const id = await world.send(firm, person, {
      type: 'template',
      text: undefined,
      template: { name: 'picture', language: { code: 'en_US' }, components: [header] },
    })
    await gateway.sendDue()

    expect(await world.read(firm, id)).toMatchObject({ status: 'sent' })
    expect(uploadsTo(firm)).toHaveLength(1)
  })

  test('of a document keeps its name for the recipient, and Meta’s form gets a plain one', async () => {
    mediaId = await uploadFile(
      gateway,
      firm.key,
      pdfBytes,
      'application/pdf',
      'Übersicht "2026".pdf',
    )
    const document = { id: mediaId, filename: 'Übersicht.pdf' }
    const id = await world.send(firm, person, { type: 'document', text: undefined, document })
    await gateway.sendDue()

    expect(await world.read(firm, id)).toMatchObject({ status: 'sent' })
    expect(sentFile().rest).toEqual({ filename: 'Übersicht.pdf' })
  })

  test('by a link goes as it is', async () => {
    const id = await sendImage(firm, person, { image: { link: 'https://files.example/a.jpg' } })
    await gateway.sendDue()

    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', media: null })
    expect(uploadsTo(firm)).toEqual([])
  })
})

describe('a file that cannot be handed over', () => {
  const cases: [name: string, fault: FaultInput, code: string][] = [
    ['500', { fault: 'error', http_status: 500 }, 'META_TROUBLE'],
    ['a rate limit', { fault: 'throttle', http_status: 429 }, 'RATE_LIMITED'],
    ['a reset', { fault: 'reset' }, 'NOT_SENT'],
    ['a reset after Meta took it', { fault: 'reset', when: 'after_accepting' }, 'NOT_SENT'],
    ['502 in between', { fault: 'html', http_status: 502 }, 'NOT_SENT'],
    ['an answer that cannot be read', { fault: 'html', http_status: 200 }, 'NOT_SENT'],
  ]

  test.each(cases)(
    'because of %s is tried again, and the message was not posted',
    async (_name, fault, code) => {
      // Also where the message itself must not be posted twice: it was not posted once.
      world.fault({ ...fault, match: { endpoint: 'media' }, count: 1 })
      const id = await sendImage(firm, person, { delivery: 'at_most_once' })
      await gateway.sendDue()

      expect(await world.read(firm, id)).toMatchObject({ status: 'queued', attempts: 0 })
      expect(await sendRowOf(gateway.db, id)).toMatchObject({ status: 'pending', last_error: code })
      expect(world.postsTo(person)).toEqual([])
      await world.sendWhatWaits()
      expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 1 })
      expect(world.acceptedFor(person)).toHaveLength(1)
    },
  )

  test('because Meta refuses it is a dead letter without a POST', async () => {
    world.fault({
      fault: 'error',
      code: 100,
      http_status: 400,
      match: { endpoint: 'media' },
      count: 1,
    })
    const id = await sendImage()
    await gateway.sendDue()

    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { code: 'INVALID_PARAMETER', provider: { code: 100 } },
    })
    expect(world.postsTo(person)).toEqual([])
    const letters = await gateway.call('GET', '/api/whatsapp/dlq', { key: firm.key })
    expect(letters.json.data).toHaveLength(1)
  })

  test('because of the token parks the account, and goes when it is back', async () => {
    world.fault({ fault: 'token', match: { endpoint: 'media' }, count: 1 })
    const id = await sendImage()
    await gateway.sendDue()
    const accounts = await gateway.call('GET', '/api/whatsapp/accounts', { key: firm.key })

    expect(accounts.json.data[0].auth_status).toBe('needs_reauth')
    expect(await sendRowOf(gateway.db, id)).toMatchObject({ status: 'pending', attempts: 0 })
    expectNone(JSON.stringify(accounts.json), firm.accessToken)
  })

  test('because its bytes are gone is a dead letter that says so', async () => {
    const id = await sendImage()
    await gateway.db.query(
      sql`update whatsapp_media set state = 'deleting' where tenant_id = ${firm.id}`,
    )
    await gateway.sendDue()

    expect(await world.read(firm, id)).toMatchObject({
      status: 'failed',
      attempts: 0,
      error: { code: 'MEDIA_NOT_AVAILABLE' },
      media: 'expired',
    })
  })

  test('an id that Meta threw away is not used again: requeued, the message brings its file anew', async () => {
    await sendImage()
    await gateway.sendDue()
    const { id: metaId } = sentFile()
    await fetch(`${world.simulator.url}/v26.0/${metaId}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${firm.accessToken}` },
    })
    const id = await sendImage()
    await gateway.sendDue()
    expect(await world.read(firm, id)).toMatchObject({ status: 'failed', attempts: 1 })

    const [letter] = (await gateway.call('GET', '/api/whatsapp/dlq', { key: firm.key })).json.data
    const body = { reason: 'Meta lost the file' }
    await gateway.call('POST', `/api/whatsapp/dlq/${letter.id}/requeue`, { key: firm.key, body })
    await gateway.sendDue()
    expect(await world.read(firm, id)).toMatchObject({ status: 'sent', attempts: 2 })
    expect(uploadsTo(firm)).toHaveLength(2)
  })
})

const linkPassword = canary('password in a link').text

describe('a message that names a file', () => {
  const refusedAs = async (body: Record<string, unknown>, key = firm.key, at = gateway) => {
    const answer = await at.call('POST', '/api/whatsapp/meta/send', {
      key,
      body: { phone_number_id: firm.phoneNumberId, to: person, ...body },
    })
    const { code, details } = answer.json.error ?? {}
    return { status: answer.status, code, fields: details?.fields }
  }
  const invalid = (field: string, problem: unknown = expect.any(String)) => ({
    status: 400,
    code: 'INVALID_MESSAGE',
    fields: [{ field, problem }],
  })

  test('that is not there, or is another’s, is refused with the same words', async () => {
    const other = await world.createFirm(`Firm ${randomUUID().slice(0, 8)}`)
    const foreign = await uploadFile(gateway, other.key)
    const absent = `med_${'0'.repeat(32)}`
    for (const id of [foreign, absent, 'med_x']) {
      const refused = await refusedAs({ type: 'image', image: { id } })
      expect(refused).toEqual(invalid('image.id', 'there is no such file'))
    }
    const fallback_template = {
      ...template,
      components: [{ type: 'header', parameters: [{ type: 'image', image: { id: foreign } }] }],
    }
    expect(await refusedAs({ type: 'text', text: { body: 'Hello' }, fallback_template })).toEqual(
      invalid('fallback_template.components.0.parameters.0.image.id'),
    )
  })

  test('of another kind, too large for the kind, or not yet there is refused', async () => {
    expect(await refusedAs({ type: 'video', video: { id: mediaId } })).toEqual(
      invalid('video.id', 'the file cannot be sent as video'),
    )
    const files = inboundFiles(world, firm)
    const { media_id: id } = await files.read(await files.receive())
    const image = { type: 'image', image: { id } }
    expect(await refusedAs(image)).toEqual(invalid('image.id', 'the file is still being fetched'))
    await gateway.fetchMedia()
    await gateway.db.query(
      sql`update whatsapp_media set bytes = 6000000 where tenant_id = ${firm.id}`,
    )
    expect(await refusedAs(image)).toEqual(invalid('image.id', 'the file is too large for image'))
    await gateway.db.query(
      sql`update whatsapp_media set state = 'expired' where tenant_id = ${firm.id}`,
    )
    expect(await refusedAs(image)).toEqual(invalid('image.id', 'the file is no longer there'))
  })

  test.each([
    ['file:///etc/passwd'],
    ['http://169.254.169.254/latest/meta-data'],
    ['http://[::ffff:127.0.0.1]/a.jpg'],
    ['http://2130706433/a.jpg'],
    ['http://0177.0.0.1/a.jpg'],
    [`https://user:${linkPassword}@files.example/a.jpg`],
    ['http://localhost/a.jpg'],
    ['http://files.example:6379/a.jpg'],
  ])('by the link %s is refused, and nobody is called', async (link) => {
    const strict = await strictGateway()
    const body = { type: 'image', image: { link }, fallback_template: template }
    const answer = await strict.gateway.call('POST', '/api/whatsapp/meta/send', {
      key: strict.key,
      body: { to: person, ...body },
    })

    expect([answer.status, answer.json.error.code]).toEqual([400, 'INVALID_MESSAGE'])
    expect(answer.json.error.details.fields[0].field).toBe('image.link')
    expectNone(answer.text, linkPassword)
  })

  test('by a link to a server of ours is not called by us, where such links are allowed', async () => {
    const host = await startFileHost()
    await sendImage(firm, person, { image: { link: `${host.url}/file` } })
    await gateway.sendDue()

    expect(host.calls).toEqual([])
  })

  test('keeps it from being removed for as long again', async () => {
    const old = new Date(Date.now() - 300 * 86_400_000)
    await gateway.db.query(
      sql`update whatsapp_media set kept_since = ${old} where tenant_id = ${firm.id}`,
    )
    await sendImage()
    const [row] = await gateway.db.query(sql<{ kept_since: Date }>`
      select kept_since from whatsapp_media where tenant_id = ${firm.id}`)

    expect(row?.kept_since.getTime()).toBeGreaterThan(old.getTime() + 299 * 86_400_000)
    expect((await getFile(gateway, firm.key, mediaId)).status).toBe(200)
  })
})

let strict: Promise<{ gateway: TestGateway; key: string }> | undefined

/** One that allows no private targets, as in production. */
function strictGateway() {
  strict ??= (async () => {
    const started = await startTestGateway({ environment: { ALLOW_PRIVATE_TARGETS: 'off' } })
    const number = { waba_id: 'waba', phone_number_id: '1' }
    return { gateway: started, key: (await started.createTenant('Firm', number)).key }
  })()
  return strict
}
