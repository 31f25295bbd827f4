import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectNone } from '../../test/support/canaries.ts'
import { manualClock, pass } from '../test-clock.ts'
import { clinic, type Scene, shop, startScene } from '../test-support.ts'

const clock = manualClock()
let scene: Scene
beforeAll(async () => {
  scene = await startScene({ clock, templateReviewMs: 60_000 })
})
beforeEach(async () => {
  clock.startAnew()
  await scene.startAnew()
})
afterAll(() => scene.close())

const day = 24 * 60 * 60 * 1000
const edge = `/v25.0/${shop.waba_id}/message_templates`
const bearer = (token = shop.access_token) => ({ authorization: `Bearer ${token}` })
const post = (path: string, body: unknown) => scene.call('POST', path, body, bearer())
const get = (path: string, token?: string) => scene.call('GET', path, undefined, bearer(token))
const remove = (query: string) => scene.call('DELETE', `${edge}?${query}`, undefined, bearer())

const body = (text: string, ...examples: string[]) => ({
  type: 'body',
  text,
  ...(examples.length > 0 ? { example: { body_text: [examples] } } : {}),
})
const draft = {
  name: 'pickup_ready',
  language: 'en_US',
  category: 'UTILITY',
  components: [body('Your order {{1}} is ready to be picked up.', '88231')],
}
const create = (more: object = {}) => post(edge, { ...draft, ...more })
const news = () =>
  scene.receiver.received
    .map((received) => JSON.parse(received.body.toString()))
    .map(({ entry }) => ({ entry: entry[0], ...entry[0].changes[0] }))
    .filter(({ field }) => field === 'message_template_status_update')
    .map(({ entry, value }) => ({ wabaId: entry.id, time: entry.time, ...value }))

describe('a new template', () => {
  test('is pending, and approved after a while', async () => {
    const created = await create()
    const { id } = created.body
    const before = await get(`/v25.0/${id}`)
    await pass(scene, clock, 60_000)
    const after = await get(`/v25.0/${id}`)

    expect(created).toMatchObject({
      status: 200,
      body: { id: expect.stringMatching(/^\d{16}$/), status: 'PENDING', category: 'UTILITY' },
    })
    expect(before.body).toEqual({
      name: 'pickup_ready',
      parameter_format: 'POSITIONAL',
      components: [{ ...draft.components[0], type: 'BODY' }],
      language: 'en_US',
      status: 'PENDING',
      category: 'UTILITY',
      id,
    })
    expect(after.body.status).toBe('APPROVED')
    expect(news()).toEqual([
      {
        wabaId: shop.waba_id,
        time: expect.any(Number),
        event: 'APPROVED',
        message_template_id: Number(id),
        message_template_name: 'pickup_ready',
        message_template_language: 'en_US',
        reason: 'NONE',
        message_template_category: 'UTILITY',
      },
    ])
  })

  test.each([
    ['REJECT_ME', 'INVALID_FORMAT'],
    ['REJECT_ME:ABUSIVE_CONTENT', 'ABUSIVE_CONTENT'],
  ])('that says %s is rejected for %s', async (marker, reason) => {
    const { id } = (await create({ components: [body(`Hello, ${marker} please`)] })).body
    await pass(scene, clock, 60_000)
    const { status, rejected_reason } = (await get(`/v25.0/${id}?fields=status,rejected_reason`))
      .body

    expect({ status, rejected_reason }).toEqual({ status: 'REJECTED', rejected_reason: reason })
    expect(news()).toMatchObject([
      { event: 'REJECTED', reason, rejection_info: { recommendation: expect.any(String) } },
    ])
  })

  test('waits for a person when reviews are manual', async () => {
    await scene.call('PUT', '/simulator/settings', { template_review: { mode: 'manual' } })
    const { id } = (await create()).body
    await pass(scene, clock, day)
    const waiting = (await get(`/v25.0/${id}`)).body.status
    await scene.call('PATCH', `/simulator/templates/${id}`, { status: 'REJECTED', reason: 'SCAM' })
    await pass(scene, clock, 0)

    expect(waiting).toBe('PENDING')
    expect(news()).toMatchObject([{ event: 'REJECTED', reason: 'SCAM' }])
  })

  test('can be sent once approved, and not before', async () => {
    await create()
    const parameters = [{ type: 'text', text: '7' }]
    const template = {
      name: 'pickup_ready',
      language: { code: 'en_US' },
      components: [{ type: 'body', parameters }],
    }
    const message = {
      messaging_product: 'whatsapp',
      to: '+16505550143',
      type: 'template',
      template,
    }
    const early = await scene.send(message)
    await pass(scene, clock, 60_000)
    const late = await scene.send(message)

    expect([early.body.error?.code, late.status]).toEqual([132001, 200])
  })

  test('for codes gets its words and button from Meta', async () => {
    const { id } = (
      await create({
        name: 'login_code',
        category: 'authentication',
        components: [
          { type: 'body', add_security_recommendation: true },
          { type: 'footer', code_expiration_minutes: 5 },
          { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code' }] },
        ],
      })
    ).body
    const { components } = (await get(`/v25.0/${id}`)).body

    expect(components).toMatchObject([
      { type: 'BODY', text: '*{{1}}* is your verification code.' },
      { type: 'FOOTER', text: 'Expires in 5 minutes.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ])
  })
})

describe('the list', () => {
  const names = (answer: { body: { data: { name: string }[] } }) =>
    answer.body.data.map(({ name }) => name)

  test('comes in pages, forwards and backwards', async () => {
    const first = await get(`${edge}?limit=2&fields=name`)
    const next = await fetch(first.body.paging.next, { headers: bearer() })
    const second = { body: JSON.parse(await next.text()) }
    const { before } = second.body.paging.cursors
    const back = await get(`${edge}?limit=2&before=${before}`)

    expect(names(first)).toEqual(['hello_world', 'order_update'])
    expect(first.body.data[0]).toEqual({ name: 'hello_world', id: expect.any(String) })
    expect(first.body.paging).not.toHaveProperty('previous')
    expect(names(second)).toEqual(['autumn_promo', 'sign_in_code'])
    // The last page has a cursor but no link.
    expect(second.body.paging).toEqual({
      cursors: { before, after: expect.any(String) },
      previous: expect.any(String),
    })
    expect(names(back)).toEqual(['hello_world', 'order_update'])
    expectNone(first.body.paging.next, shop.access_token)
  })

  test.each([
    ['name=promo', ['autumn_promo']],
    ['status=APPROVED&category=UTILITY', ['hello_world', 'order_update']],
    ['language=en', ['autumn_promo']],
    ['status=["PENDING","REJECTED"]', []],
    ['category=marketing,authentication', ['autumn_promo', 'sign_in_code']],
  ])('can be narrowed by %s', async (query, expected) => {
    expect(names(await get(`${edge}?${query}`))).toEqual(expected)
  })

  test('tells more when asked, and refuses what there is not', async () => {
    const more = await get(`${edge}?name=order&fields=quality_score,rejected_reason`)

    expect(more.body.data).toEqual([
      { quality_score: { score: 'UNKNOWN' }, rejected_reason: 'NONE', id: expect.any(String) },
    ])
    expect((await get(`${edge}?fields=colour`)).body.error.message).toContain('(colour)')
    expect((await get(`${edge}?limit=none`)).body.error.code).toBe(100)
    expect((await get(`${edge}?after=MAZDZD`)).body.error.code).toBe(100)
  })

  test("is nobody else's business", async () => {
    const [template] = (await get(edge)).body.data

    expect((await get(edge, clinic.access_token)).body.error).toMatchObject({ error_subcode: 33 })
    expect((await get(`/v25.0/${template.id}`, clinic.access_token)).body.error).toMatchObject({
      error_subcode: 33,
    })
    expect((await get(edge, 'nobody')).status).toBe(401)
  })
})

describe('an edit', () => {
  const edited = { components: [body('Your parcel {{1}} is ready to be picked up.', '88231')] }

  test('puts an approved template back into review, once a day', async () => {
    const { id } = (await create()).body
    const early = await post(`/v25.0/${id}`, edited)
    await pass(scene, clock, 60_000)
    const first = await post(`/v25.0/${id}`, edited)
    const shown = (await get(`/v25.0/${id}`)).body
    await pass(scene, clock, 60_000)
    const second = await post(`/v25.0/${id}`, edited)
    await pass(scene, clock, day)
    const nextDay = await post(`/v25.0/${id}`, edited)

    expect(early.body.error.error_subcode).toBe(2388039)
    expect(first).toMatchObject({ status: 200, body: { success: true, id, category: 'UTILITY' } })
    expect(shown).toMatchObject({
      status: 'PENDING',
      components: [{ text: edited.components[0]?.text }],
    })
    expect(second.body.error.error_subcode).toBe(2388039)
    expect(nextDay.status).toBe(200)
    expect(news().map(({ event }) => event)).toEqual(['APPROVED', 'APPROVED'])
  })

  test('changes category or lifetime, but never the name', async () => {
    const { id } = (await create({ components: [body('REJECT_ME')] })).body
    await pass(scene, clock, 60_000)
    const renamed = await post(`/v25.0/${id}`, { name: 'other' })
    const lifetime = await post(`/v25.0/${id}`, { message_send_ttl_seconds: 60 })
    const still = (await get(`/v25.0/${id}?fields=status,message_send_ttl_seconds`)).body
    const category = await post(`/v25.0/${id}`, { category: 'MARKETING', ...edited })
    await pass(scene, clock, 60_000)
    const fixed = await post(`/v25.0/${id}`, { category: 'UTILITY' })

    expect(renamed.body.error.code).toBe(100)
    expect(lifetime.status).toBe(200)
    expect(still).toMatchObject({ status: 'REJECTED', message_send_ttl_seconds: 60 })
    expect(category.body.category).toBe('MARKETING')
    expect(fixed.body.error.error_subcode).toBe(2388039)
  })

  test('is checked like a new template, and only for its owner', async () => {
    const { id } = (await create()).body
    await pass(scene, clock, 60_000)
    const wrong = await post(`/v25.0/${id}`, { components: [body('{{1}}', 'x')] })
    const stranger = await scene.call('POST', `/v25.0/${id}`, edited, bearer(clinic.access_token))

    expect(wrong.body.error.error_subcode).toBe(2388299)
    expect(stranger.body.error.error_subcode).toBe(33)
    expect((await get(`/v25.0/${id}`)).body.status).toBe('APPROVED')
  })
})

describe('pausing', () => {
  test('is told, and ends by itself never but by unpause', async () => {
    const { id } = (await create()).body
    await pass(scene, clock, 60_000)
    await scene.call('PATCH', `/simulator/templates/${id}`, { status: 'PAUSED' })
    const unpaused = await post(`/v25.0/${id}/unpause`, {})
    const again = await post(`/v25.0/${id}/unpause`, {})
    await scene.call('PATCH', `/simulator/templates/${id}`, { status: 'DISABLED' })
    await pass(scene, clock, 0)

    expect(unpaused).toMatchObject({ status: 200, body: { success: true } })
    expect(again.body.error.error_subcode).toBe(2388039)
    expect(news()).toMatchObject([
      { event: 'APPROVED' },
      { event: 'PAUSED', other_info: { title: 'FIRST_PAUSE' } },
      { event: 'REINSTATED' },
      { event: 'DISABLED', disable_info: { disable_date: expect.any(String) } },
    ])
  })
})

describe('a deletion', () => {
  test('by name takes all languages and blocks the name for 30 days', async () => {
    await create()
    await create({ language: 'es' })
    const deleted = await remove('name=pickup_ready')
    const left = (await get(`${edge}?name=pickup_ready`)).body
    const again = await create()
    await pass(scene, clock, 30 * day)

    expect(deleted).toMatchObject({ status: 200, body: { success: true } })
    expect(left).toEqual({ data: [] })
    expect(again.body.error).toMatchObject({ code: 100, error_subcode: 2388023 })
    expect((await create()).status).toBe(200)
    // What is deleted is not reviewed any more.
    expect(news().map(({ event, reason }) => [event, reason])).toEqual([
      ['PENDING_DELETION', null],
      ['PENDING_DELETION', null],
    ])
  })

  test('by id takes one language', async () => {
    const { id } = (await create()).body
    await create({ language: 'es' })
    await remove(`name=pickup_ready&hsm_id=${id}`)
    const { data } = (await get(`${edge}?name=pickup_ready`)).body

    expect(data.map(({ language }: { language: string }) => language)).toEqual(['es'])
  })

  test('needs a name that exists, and a template that is not disabled', async () => {
    const { id } = (await create()).body
    await scene.call('PATCH', `/simulator/templates/${id}`, { status: 'DISABLED' })

    expect((await remove('hsm_id=1')).body.error.message).toContain('name')
    expect((await remove('name=nothing')).body.error.error_user_title).toContain('Not Found')
    expect((await remove(`name=pickup_ready&hsm_id=9`)).status).toBe(400)
    expect((await remove('name=pickup_ready')).body.error.error_subcode).toBe(2388039)
  })
})
