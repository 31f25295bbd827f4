// Whatever a caller sends, Meta answers in its own shape and never with a failure of its own.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { times } from '../../test/support/chance.ts'
import { type Scene, shop, startScene } from '../test-support.ts'

let scene: Scene
beforeAll(async () => {
  scene = await startScene()
})
afterAll(() => scene.close())

const bearer = { authorization: `Bearer ${shop.access_token}` }
const number = `/v25.0/${shop.phone_number_id}`
const account = `/v25.0/${shop.waba_id}`
const settings = { numRuns: times(40) }

/** Values that are almost right: known keys with strange contents. */
const strange = fc.jsonValue({ maxDepth: 3 })
const nearly = (keys: string[]) =>
  fc.record(Object.fromEntries(keys.map((key) => [key, strange])), { requiredKeys: [] })

const types = ['text', 'image', 'location', 'contacts', 'reaction', 'interactive', 'template']
const inner = nearly([
  ...['body', 'id', 'link', 'latitude', 'longitude', 'message_id', 'emoji', 'type', 'action'],
  ...['header', 'footer', 'name', 'language', 'components'],
])
const message = fc
  .record({ type: fc.constantFrom(...types), content: fc.oneof(inner, fc.array(inner), strange) })
  .map(({ type, content }) => ({
    messaging_product: 'whatsapp',
    to: '+16505550143',
    type,
    [type]: content,
  }))

const parameters = fc.array(fc.oneof(nearly(['type', 'text', 'image', 'parameter_name']), strange))
const component = fc.oneof(
  fc.record({
    type: fc.constantFrom('header', 'body', 'button'),
    sub_type: fc.constantFrom('url', 'quick_reply', 'copy_code'),
    index: fc.oneof(fc.constant(0), fc.constant(1), strange),
    parameters: fc.oneof(parameters, strange),
  }),
  strange,
)
const templateMessage = fc
  .tuple(fc.constantFrom('order_update', 'autumn_promo', 'sign_in_code'), fc.array(component))
  .map(([name, components]) => ({
    messaging_product: 'whatsapp',
    to: '+16505550143',
    type: 'template',
    template: { name, language: { code: name === 'autumn_promo' ? 'en' : 'en_US' }, components },
  }))

const draft = fc
  .tuple(
    fc.constantFrom('UTILITY', 'MARKETING', 'AUTHENTICATION'),
    fc.array(
      fc.oneof(
        nearly(['text', 'format', 'example', 'buttons']).chain((rest) =>
          fc
            .constantFrom('HEADER', 'BODY', 'FOOTER', 'BUTTONS')
            .map((type) => ({ ...rest, type }) as unknown),
        ),
        strange,
      ),
      { minLength: 1 },
    ),
  )
  .map(([category, components]) => ({ name: 'strange', language: 'en', category, components }))

async function answersLikeMeta(method: string, path: string, body?: unknown): Promise<void> {
  const answer = await scene.call(method, path, body, bearer)
  expect(answer.status).toBeLessThan(500)
  if (answer.status !== 200) expect(answer.body.error.code).toEqual(expect.any(Number))
}

describe('strange input', () => {
  test.each([
    ['messages', message],
    ['template messages', templateMessage],
    ['anything at all', strange],
  ] as const)('in %s', async (_case, bodies) => {
    await fc.assert(
      fc.asyncProperty(bodies as fc.Arbitrary<unknown>, (body) =>
        answersLikeMeta('POST', `${number}/messages`, JSON.stringify(body)),
      ),
      settings,
    )
  })

  test('in new templates', async () => {
    await fc.assert(
      fc.asyncProperty(draft, async (body) => {
        await answersLikeMeta('POST', `${account}/message_templates`, body)
        await answersLikeMeta('DELETE', `${account}/message_templates?name=strange`)
      }),
      settings,
    )
  })

  test.each([
    ['POST', `${number}`],
    ['POST', `${number}/register`],
    ['POST', `${account}/subscribed_apps`],
    ['POST', '/v25.0/oauth/access_token'],
  ])('to %s %s', async (method, path) => {
    const keys = [
      'pin',
      'messaging_product',
      'webhook_configuration',
      'override_callback_uri',
      'verify_token',
      'code',
      'client_id',
      'grant_type',
    ]
    await fc.assert(
      fc.asyncProperty(nearly(keys), (body) => answersLikeMeta(method, path, body)),
      { numRuns: times(20) },
    )
  })

  test('in queries', async () => {
    const names = ['fields', 'limit', 'after', 'before', 'name', 'status', 'hsm_id', 'input_token']
    const query = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: 'binary' }))
    const paths = [`${account}/message_templates`, number, account, '/v25.0/debug_token']
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...paths), query, (path, params) =>
        answersLikeMeta('GET', `${path}?${new URLSearchParams(params)}`),
      ),
      settings,
    )
  })

  test('in the name and type of a file', async () => {
    const { phone_number_id } = shop
    const document = { mime_type: 'application/x-ü\u0000', filename: 'Menü \ud83c\udf71"\n.pdf' }
    const file = {
      phone_number_id,
      mime_type: 'text/plain',
      base64: 'aGk=',
      filename: document.filename,
    }
    const added = (await scene.call('POST', '/simulator/media', file)).body.id
    scene.simulator.customerWrites('16505550143', {
      phone_number_id,
      type: 'document',
      document: { id: '77', ...document },
    })

    for (const id of [added, '77']) {
      const { url } = (await scene.call('GET', `/v25.0/${id}`, undefined, bearer)).body
      expect((await fetch(url, { headers: bearer })).status).toBe(200)
    }
  })
})
