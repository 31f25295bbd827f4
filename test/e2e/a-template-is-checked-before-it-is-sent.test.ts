// A message that names a template is compared with the local copy: when it is accepted, and its status again when it is
// sent. What the copy cannot know is Meta's to judge.
import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/db/connect.ts'
import { patienceMs } from '../support/program.ts'
import { type Firm, sendRowOf, template } from '../support/sending.ts'
import { ahead, startTemplateWorld, type TemplateWorld } from '../support/templates.ts'

let world: TemplateWorld
let firm: Firm
let customer: string

beforeAll(async () => {
  world = await startTemplateWorld()
  firm = await world.createFirm('checks')
  customer = await world.customerOf(firm)
  for (const status of [
    'PENDING',
    'REJECTED',
    'PAUSED',
    'DISABLED',
    'IN_APPEAL',
    'ARCHIVED',
  ] as const) {
    world.seed(firm, status.toLowerCase(), { status })
  }
  world.seed(firm, 'with_picture', {
    components: [
      { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } },
      { type: 'BODY', text: 'Look' },
    ],
  })
  await world.syncNow(firm)
})

function trySend(content: Record<string, unknown>, from: Firm = firm) {
  return world.gateway.call('POST', '/api/whatsapp/meta/send', {
    key: from.key,
    body: { phone_number_id: from.phoneNumberId, to: `+${customer}`, ...content },
  })
}

const sendTemplate = (given: Record<string, unknown>, more: Record<string, unknown> = {}) =>
  trySend({ type: 'template', template: { language: { code: 'en_US' }, ...given }, ...more })

const text = { type: 'text', text: { body: 'Good morning' } }
const values = (...texts: string[]) => ({
  type: 'body',
  parameters: texts.map((one) => ({ type: 'text', text: one })),
})

describe('a template', () => {
  test('that fits is accepted and sent', async () => {
    const accepted = await sendTemplate(template)
    expect(accepted.status).toBe(202)
    await world.gateway.sendDue()
    expect((await world.read(firm, accepted.json.message_id)).status).toBe('sent')
  })

  test.each([
    ['pending', 'TEMPLATE_NOT_APPROVED'],
    ['in_appeal', 'TEMPLATE_NOT_APPROVED'],
    ['archived', 'TEMPLATE_NOT_APPROVED'],
    ['rejected', 'TEMPLATE_REJECTED'],
    ['paused', 'TEMPLATE_PAUSED'],
    ['disabled', 'TEMPLATE_DISABLED'],
    ['nowhere', 'TEMPLATE_NOT_FOUND'],
  ])('that is %s is refused: %s', async (name, code) => {
    const refused = await sendTemplate({ name })
    expect([refused.status, refused.json.error.code]).toEqual([422, code])
    expect(refused.json.error.details).toMatchObject({ name, language: 'en_US' })
  })

  test('of another language is another template', async () => {
    const refused = await sendTemplate({ ...template, language: { code: 'en' } })
    expect([refused.status, refused.json.error.code]).toEqual([422, 'TEMPLATE_NOT_FOUND'])
  })

  test.each([
    [[], 'template.components', 'the body has 2 parameters ({{1}}, {{2}}), and 0 are given'],
    [
      [values('Mara')],
      'template.components[0].parameters',
      'the body has 2 parameters ({{1}}, {{2}}), and 1 are given',
    ],
    [
      [{ type: 'header', parameters: [{ type: 'text', text: 'x' }] }, values('Mara', '7')],
      'template.components[0].parameters',
      'the header has no parameters, and 1 are given',
    ],
    [
      [values('Mara', '7'), { type: 'button', sub_type: 'url', index: 0, parameters: [] }],
      'template.components[1].index',
      'the template has no buttons',
    ],
  ])('with the parameters %j is refused at %s', async (components, field, problem) => {
    const refused = await sendTemplate({ name: 'order_update', components })
    expect([refused.status, refused.json.error.code]).toEqual([422, 'TEMPLATE_PARAMETERS'])
    expect(refused.json.error.details.fields).toEqual([{ field, problem }])
  })

  test('with a picture needs one', async () => {
    const refused = await sendTemplate({ name: 'with_picture' })
    expect(refused.json.error.details.fields).toEqual([
      { field: 'template.components', problem: 'the header needs one parameter of type image' },
    ])
    const image = { type: 'image', image: { link: 'https://files.example/a.png' } }
    const good = { name: 'with_picture', components: [{ type: 'header', parameters: [image] }] }
    expect((await sendTemplate(good)).status).toBe(202)
  })

  test('for later is not judged by what can pass, but by what cannot', async () => {
    const send_at = new Date(world.clock.now().getTime() + 3_600_000).toISOString()
    expect((await sendTemplate({ name: 'paused' }, { send_at })).status).toBe(202)
    expect((await sendTemplate({ name: 'pending' }, { send_at })).status).toBe(202)
    const rejected = await sendTemplate({ name: 'rejected' }, { send_at })
    expect(rejected.json.error.code).toBe('TEMPLATE_REJECTED')
    const past = new Date(world.clock.now().getTime() - 1000).toISOString()
    const late = await sendTemplate({ name: 'paused' }, { send_at: past })
    expect(late.json.error.code).toBe('TEMPLATE_PAUSED')
  })

  test('to fall back to is checked too', async () => {
    const fallback = (name: string, components: unknown[] = []) => ({
      ...text,
      fallback_template: { name, language: { code: 'en_US' }, components },
    })
    const unknown = await trySend(fallback('nowhere'))
    expect([unknown.status, unknown.json.error.code]).toEqual([422, 'TEMPLATE_NOT_FOUND'])
    const few = await trySend(fallback('order_update', [values('Mara')]))
    expect(few.json.error.details.fields[0].field).toBe(
      'fallback_template.components[0].parameters',
    )
    expect((await trySend(fallback('paused'))).status).toBe(202)
  })
})

describe('what the copy cannot know', () => {
  test('goes to Meta as long as there was no sync', async () => {
    const fresh = await world.createFirm('never synced')
    const sent = await trySend({ type: 'template', template }, fresh)
    expect(sent.status).toBe(202)
    const unknown = { name: 'nowhere', language: { code: 'en' } }
    expect((await trySend({ type: 'template', template: unknown }, fresh)).status).toBe(202)
  })

  test('goes to Meta when the copy is old, except for what is known', async () => {
    const old = await world.createFirm('old copy')
    world.seed(old, 'paused', { status: 'PAUSED' })
    await world.syncNow(old)
    const named = (name: string) =>
      trySend({ type: 'template', template: { name, language: { code: 'en_US' } } }, old)
    expect((await named('nowhere')).status).toBe(422)
    await world.gateway.db.query(sql`
      update whatsapp_template_syncs
      set synced_at = synced_at - interval '49 hours'
      where waba_id = ${old.wabaId}`)
    expect((await named('nowhere')).status).toBe(202)
    expect((await named('paused')).status).toBe(422)
  })

  test('is asked for: a template that is new at Meta is found by the next try', async () => {
    const fresh = await world.createFirm('new at Meta')
    await world.syncNow(fresh)
    world.seed(fresh, 'brand_new')
    const send = () =>
      trySend(
        { type: 'template', template: { name: 'brand_new', language: { code: 'en_US' } } },
        fresh,
      )
    expect((await send()).json.error.code).toBe('TEMPLATE_NOT_FOUND')
    await expect
      .poll(() => world.syncState(fresh).then(({ next_sync_at }) => next_sync_at), {
        timeout: patienceMs,
      })
      .toBe(world.clock.now().toISOString())
    await world.runDue()
    expect((await send()).status).toBe(202)
  })

  test('of a template that only a webhook has told of: its parameters', async () => {
    const told = await world.createFirm('told')
    await world.syncNow(told)
    await world.tellStatus(told, ahead(1000), 'APPROVED', { message_template_name: 'told_of' })
    const named = { name: 'told_of', language: { code: 'en_US' }, components: [values('x')] }
    expect((await trySend({ type: 'template', template: named }, told)).status).toBe(202)
  })
})

describe('between acceptance and sending', () => {
  test('a pause stops it, without asking Meta', async () => {
    const pausing = await world.createFirm('pausing')
    const mara = await world.customerOf(pausing)
    await world.syncNow(pausing)
    const message = await world.send(pausing, mara, { type: 'template', template, text: undefined })
    world.simulator.changeTemplate(world.atMeta(pausing, 'order_update').id, { status: 'PAUSED' })
    await world.hearMeta()
    await world.gateway.sendDue()

    expect(world.postsTo(mara)).toEqual([])
    expect(await world.read(pausing, message)).toMatchObject({
      status: 'failed',
      error: { code: 'TEMPLATE_PAUSED' },
      attempts: 0,
    })
    expect(await sendRowOf(world.gateway.db, message)).toMatchObject({
      status: 'failed',
      last_error: 'TEMPLATE_PAUSED',
    })
    const letters = await world.gateway.call('GET', '/api/whatsapp/dlq', { key: pausing.key })
    expect(letters.json.data[0]).toMatchObject({ error_code: 'TEMPLATE_PAUSED' })
  })

  test('it stops a fallback only when that is what would go out', async () => {
    const falling = await world.createFirm('falling back')
    const [inside, outside] = [await world.customerOf(falling), await world.customerOf(falling)]
    await world.syncNow(falling)
    const inWindow = await world.send(falling, inside, { fallback_template: template })
    const later = new Date(world.clock.now().getTime() + 25 * 3_600_000).toISOString()
    const closed = await world.send(falling, outside, {
      fallback_template: template,
      send_at: later,
    })
    await world.tellStatus(falling, ahead(2000), 'PAUSED')
    await world.gateway.sendDue()
    expect((await world.read(falling, inWindow)).status).toBe('sent')

    world.clock.advance(26 * 3_600_000)
    await world.sendWhatWaits()
    expect(await world.read(falling, closed)).toMatchObject({
      status: 'failed',
      error: { code: 'TEMPLATE_PAUSED' },
    })
  })
})

test('the category of a template is there for those who mind who gets marketing', async () => {
  const categoryOf = async (number: string, name: string, code: string) => {
    const template = JSON.stringify({ name, language: { code } })
    const [row] = await world.gateway.db.query(sql<{ category: string | null }>`
      select template_category(${firm.id}, ${number}, ${template}::jsonb) as category`)
    return row?.category
  }
  expect(await categoryOf(firm.phoneNumberId, 'autumn_promo', 'en')).toBe('MARKETING')
  expect(await categoryOf(firm.phoneNumberId, 'autumn_promo', 'en_US')).toBeNull()
  expect(await categoryOf('another', 'autumn_promo', 'en')).toBeNull()
})
