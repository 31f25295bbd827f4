// What a new template has to look like, and how the sample of its picture comes to Meta.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { manualClock, pass } from '../test-clock.ts'
import { type Scene, shop, startScene } from '../test-support.ts'

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

const hour = 60 * 60 * 1000
const bearer = { authorization: `Bearer ${shop.access_token}` }
const post = (path: string, body: unknown) => scene.call('POST', path, body, bearer)
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
const create = (more: object = {}) =>
  post(`/v25.0/${shop.waba_id}/message_templates`, { ...draft, ...more })

describe('a template that Meta does not take', () => {
  const long = (length: number) => 'x'.repeat(length)
  const buttons = (...given: object[]) => [body('Hello'), { type: 'buttons', buttons: given }]
  const quick = (text: string) => ({ type: 'quick_reply', text })
  const url = (more: object = {}) => ({
    type: 'url',
    text: 'Open',
    url: 'https://a.example',
    ...more,
  })

  test.each<[string, number | undefined, object]>([
    ['without a name', undefined, { name: undefined }],
    ['with capitals in its name', undefined, { name: 'Pickup' }],
    ['with a long name', undefined, { name: long(513) }],
    ['without a language', undefined, { language: undefined }],
    ['with a strange language', undefined, { language: 'English' }],
    ['without a category', undefined, { category: undefined }],
    ['with a strange category', undefined, { category: 'FUN' }],
    ['with a strange format', undefined, { parameter_format: 'ROMAN' }],
    ['without components', undefined, { components: undefined }],
    ['with a lifetime out of range', undefined, { message_send_ttl_seconds: 43_201 }],
    ['with components that are none', 2388040, { components: 'body' }],
    ['with an unknown component', 2388040, { components: [body('Hi'), { type: 'tail' }] }],
    ['with two bodies', 2388040, { components: [body('Hi'), body('Hi')] }],
    ['without a body', 2388072, { components: [{ type: 'footer', text: 'x' }] }],
    ['with an empty body', 2388072, { components: [body(' ')] }],
    ['with a long body', 2388040, { components: [body(long(1025))] }],
    [
      'with a long footer',
      2388040,
      { components: [body('Hi'), { type: 'footer', text: long(61) }] },
    ],
    [
      'with a variable in the footer',
      2388073,
      { components: [body('Hi'), { type: 'footer', text: 'a {{1}} b' }] },
    ],
    [
      'with a long header',
      2388040,
      { components: [body('Hi'), { type: 'header', format: 'text', text: long(61) }] },
    ],
    [
      'with an unknown header',
      2388047,
      { components: [body('Hi'), { type: 'header', format: 'smell' }] },
    ],
    [
      'with a picture and no sample',
      2388047,
      { components: [body('Hi'), { type: 'header', format: 'image' }] },
    ],
    [
      'with a sample nobody uploaded',
      2388047,
      {
        components: [
          body('Hi'),
          { type: 'header', format: 'image', example: { header_handle: ['4::x'] } },
        ],
      },
    ],
    [
      'with a gap in its variables',
      2388072,
      { components: [body('one two {{2}} three four', 'x')] },
    ],
    ['with named variables that are numbered', 2388072, { parameter_format: 'NAMED' }],
    ['without examples', 2388072, { components: [body('one two {{1}} three four')] }],
    ['with a variable at the start', 2388299, { components: [body('{{1}} is ready to go', 'x')] }],
    ['with a variable at the end', 2388299, { components: [body('Ready to go: {{1}}', 'x')] }],
    [
      'with more variables than words',
      2388293,
      { components: [body('a {{1}} {{2}} b', 'x', 'y')] },
    ],
    [
      'with eleven buttons',
      2388040,
      { components: buttons(...Array.from({ length: 11 }, () => quick('a'))) },
    ],
    ['with an unknown button', 2388040, { components: buttons({ type: 'lever', text: 'a' }) }],
    ['with a long button', 2388040, { components: buttons(quick(long(26))) }],
    ['with three links', 2388040, { components: buttons(url(), url(), url()) }],
    [
      'with two phone buttons',
      2388040,
      {
        components: buttons(
          ...['1', '2'].map((n) => ({
            type: 'phone_number',
            text: 'a',
            phone_number: `+1555017220${n}`,
          })),
        ),
      },
    ],
    [
      'with a button to no number',
      2388040,
      { components: buttons({ type: 'phone_number', text: 'Call' }) },
    ],
    ['with a link to nowhere', 2388040, { components: buttons(url({ url: 'shop' })) }],
    [
      'with a variable inside a link',
      2388040,
      { components: buttons(url({ url: 'https://a.example/{{1}}/b', example: ['x'] })) },
    ],
    [
      'with a link that lacks its example',
      2388040,
      { components: buttons(url({ url: 'https://a.example/{{1}}' })) },
    ],
    [
      'for codes without their button',
      2388040,
      { category: 'AUTHENTICATION', components: [{ type: 'body' }] },
    ],
  ])('%s is code 100 subcode %s', async (_case, subcode, more) => {
    const answer = await create(more)

    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } })
    expect(answer.body.error.error_subcode).toBe(subcode)
    if (subcode === undefined) return
    expect(answer.body.error).toMatchObject({
      error_data: '{"blame_field_specs":[["components"]]}',
      error_user_title: expect.any(String),
      error_user_msg: expect.any(String),
    })
  })

  test('because it exists already, in that language', async () => {
    await create()
    const again = await create()
    const spanish = await create({ language: 'es' })

    expect(again.body.error).toMatchObject({ code: 100, error_subcode: 2388024 })
    expect(spanish.status).toBe(200)
  })

  test('because the account has 250 and is not verified', async () => {
    await scene.call('PATCH', `/simulator/wabas/${shop.waba_id}`, {
      business_verification_status: 'not_verified',
    })
    for (let count = 0; count < 246; count++) {
      scene.simulator.seedTemplate({
        waba_id: shop.waba_id,
        name: `seeded_${count}`,
        components: [{ type: 'BODY', text: 'Hi' }],
      })
    }
    const answer = await create()

    expect(answer.body.error).toMatchObject({ code: 100, error_subcode: 2388019 })
  })

  test('because it would be the 101st in an hour', async () => {
    const answers = []
    for (let count = 0; count < 101; count++) answers.push(await create({ name: `draft_${count}` }))
    await pass(scene, clock, hour)

    expect(answers.slice(0, 100).every(({ status }) => status === 200)).toBe(true)
    expect(answers[100]).toMatchObject({ status: 400, body: { error: { code: 80008 } } })
    expect((await create({ name: 'draft_100' })).status).toBe(200)
  })
})

describe('a sample for a media header', () => {
  const appId = '670843887430001'
  const open = (query: string) => post(`/v25.0/${appId}/uploads?${query}`, {})
  const bytes = 'a picture'
  const put = (session: string, text: string, offset: number) =>
    scene.call('POST', `/v25.0/${session}`, text, {
      authorization: `OAuth ${shop.access_token}`,
      file_offset: String(offset),
      'content-type': 'image/jpeg',
    })

  test('is uploaded in parts and becomes a handle', async () => {
    const opened = await open(`file_name=a.jpg&file_length=${bytes.length}&file_type=image/jpeg`)
    const session = opened.body.id
    const first = await put(session, bytes.slice(0, 4), 0)
    const where = await scene.call('GET', `/v25.0/${session}`, undefined, bearer)
    const wrong = await put(session, bytes.slice(4), 0)
    const last = await put(session, bytes.slice(4), 4)
    const header = { type: 'header', format: 'image', example: { header_handle: [last.body.h] } }

    expect(session).toMatch(/^upload:/)
    expect(first.body).toEqual({})
    expect(where.body).toEqual({ id: session, file_offset: 4 })
    expect(wrong.status).toBe(400)
    expect(last.body.h).toMatch(/^4::/)
    expect((await create({ components: [header, ...draft.components] })).status).toBe(200)
  })

  test('has to be announced rightly, by the app itself', async () => {
    expect((await open('file_length=4')).body.error.message).toContain('file_type')
    expect((await open('file_length=4&file_type=image/gif')).status).toBe(400)
    expect((await open('file_length=0&file_type=image/png')).status).toBe(400)
    expect(
      (await post('/v25.0/123/uploads?file_length=4&file_type=image/png', {})).body.error,
    ).toMatchObject({ error_subcode: 33 })
    expect((await put('upload:unknown', 'x', 0)).body.error).toMatchObject({ error_subcode: 33 })
    const { id } = (await open('file_length=4&file_type=image/png')).body
    expect((await put(id, 'too much', 0)).body.error.code).toBe(100)
  })
})
