// Codes, tokens, and what a token may do.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { advance, manualClock } from '../test-clock.ts'
import { appSecret, clinic, type Scene, shop, startScene, textTo } from '../test-support.ts'

const clock = manualClock()
let scene: Scene
beforeAll(async () => {
  scene = await startScene({ clock, appId: '990000000000001' })
})
beforeEach(async () => {
  clock.startAnew()
  await scene.startAnew()
})
afterAll(() => scene.close())

const appId = '990000000000001'
const later = (seconds: number) => advance(clock, seconds * 1000)
const query = (params: Record<string, string>) => new URLSearchParams(params).toString()
const grant = (params: Record<string, string>, prefix = '/v25.0') =>
  scene.call(
    'GET',
    `${prefix}/oauth/access_token?${query({ client_id: appId, client_secret: appSecret, ...params })}`,
  )
const issueCode = async (more: object = {}): Promise<string> =>
  (await scene.call('POST', '/simulator/codes', { waba_ids: [shop.waba_id], ...more })).body.code
const issueToken = async (more: object = {}): Promise<string> =>
  (await scene.call('POST', '/simulator/tokens', more)).body.access_token
const debug = (input_token: string, access_token = `${appId}|${appSecret}`) =>
  scene.call('GET', `/v25.0/debug_token?${query({ input_token, access_token })}`)
const sendWith = (token: string, number = shop) =>
  scene.send(textTo('+16505550143'), { ...number, access_token: token })
const manageWith = (token: string, wabaId = shop.waba_id) =>
  scene.call('GET', `/v25.0/${wabaId}/phone_numbers`, undefined, {
    authorization: `Bearer ${token}`,
  })
const change = (access_token: string, more: object) =>
  scene.call('PATCH', '/simulator/tokens', { access_token, ...more })

describe('a code', () => {
  test('becomes a token for the accounts it was given for', async () => {
    const answer = await grant({ code: await issueCode() })
    const token = answer.body.access_token

    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^EAA/),
      token_type: 'bearer',
    })
    expect((await sendWith(token)).status).toBe(200)
    expect((await sendWith(token, clinic)).body.error.error_subcode).toBe(33)
  })

  test('works once', async () => {
    const code = await issueCode()
    await grant({ code })

    expect(await grant({ code })).toMatchObject({
      status: 400,
      body: { error: { code: 100, error_subcode: 36009, type: 'OAuthException' } },
    })
  })

  test('lives 30 seconds', async () => {
    const [inTime, late] = [await issueCode(), await issueCode()]
    later(29.999)
    expect((await grant({ code: inTime })).status).toBe(200)
    later(0.001)
    expect(await grant({ code: late })).toMatchObject({
      status: 400,
      body: { error: { code: 100, error_subcode: 36007 } },
    })
  })

  test('may be exchanged by POST and without a version', async () => {
    const form = query({ client_id: appId, client_secret: appSecret, code: await issueCode() })
    const posted = await scene.call('POST', '/v25.0/oauth/access_token', form, {
      'content-type': 'application/x-www-form-urlencoded',
    })

    expect(posted.status).toBe(200)
    expect((await grant({ code: await issueCode() }, '')).status).toBe(200)
  })

  test('can give a token that ends', async () => {
    const code = await issueCode({ token_expires_in: 60 })
    const { access_token, expires_in } = (await grant({ code })).body
    later(60)

    expect(expires_in).toBe(60)
    expect((await sendWith(access_token)).body.error).toMatchObject({
      code: 190,
      error_subcode: 463,
    })
  })

  test.each<[string, Record<string, string>, number]>([
    ['an unknown app', { client_id: '1' }, 101],
    ['no app', { client_id: '' }, 101],
    ['a wrong secret', { client_secret: 'guess' }, 1],
    ['no secret', { client_secret: '' }, 1],
    ['an unknown code', { code: 'AQguess' }, 100],
    ['no code', { code: '' }, 100],
    ['a redirect', { redirect_uri: 'https://gateway.example' }, 191],
    ['a strange grant', { grant_type: 'password' }, 100],
  ])('with %s is 400', async (_case, params, code) => {
    const answer = await grant({ code: await issueCode(), ...params })

    expect(answer).toMatchObject({ status: 400, body: { error: { code } } })
  })

  test('of a dialog that sent the browser back wants the same address again', async () => {
    const redirect_uri = 'https://gateway.example/callback'
    const code = await issueCode({ redirect_uri })

    for (const wrong of [{}, { redirect_uri: 'https://elsewhere.example' }]) {
      expect((await grant({ code, ...wrong })).body.error.code).toBe(191)
    }
    expect((await grant({ code, redirect_uri })).status).toBe(200)
  })

  test('is of no use to another app, and not used up by it', async () => {
    await scene.call('POST', '/simulator/apps', { app_id: '77', app_secret: 'other' })
    const code = await issueCode()
    const other = await grant({ client_id: '77', client_secret: 'other', code })

    expect(other.body.error.code).toBe(100)
    expect((await grant({ code })).status).toBe(200)
  })
})

describe('other grants', () => {
  test('an app gets its own token', async () => {
    const { body } = await grant({ grant_type: 'client_credentials' })

    expect(body).toEqual({ access_token: `${appId}|${appSecret}`, token_type: 'bearer' })
  })

  test('a token is renewed for 60 days, and the old one lives on', async () => {
    const old = await issueToken({ waba_ids: [shop.waba_id], expires_in: 3600 })
    const { access_token, expires_in } = (
      await grant({
        grant_type: 'fb_exchange_token',
        fb_exchange_token: old,
        set_token_expires_in_60_days: 'true',
      })
    ).body

    expect(expires_in).toBe(60 * 24 * 60 * 60)
    expect((await sendWith(access_token)).status).toBe(200)
    expect((await sendWith(old)).status).toBe(200)
    later(3600)
    expect((await sendWith(old)).body.error.error_subcode).toBe(463)
    expect((await sendWith(access_token)).status).toBe(200)
  })

  test('a dead or missing token is not renewed', async () => {
    const old = await issueToken()
    await change(old, { state: 'revoked' })
    const renew = (token: string) =>
      grant({ grant_type: 'fb_exchange_token', fb_exchange_token: token })

    expect((await renew(old)).body.error.code).toBe(190)
    expect((await renew('nobody')).body.error.code).toBe(190)
    expect((await renew('')).body.error.code).toBe(100)
  })

  test('a token is revoked', async () => {
    const token = await issueToken()
    const client = { client_id: appId, client_secret: appSecret }
    const revoked = await scene.call(
      'GET',
      `/v25.0/oauth/revoke?${query({ ...client, revoke_token: token })}`,
    )

    expect(revoked.body).toEqual({ success: true })
    expect((await sendWith(token)).status).toBe(401)
  })
})

describe('debug_token', () => {
  test('describes a living token', async () => {
    const token = await issueToken({ kind: 'business', waba_ids: [shop.waba_id], expires_in: 60 })
    const now = Math.floor(clock.now().getTime() / 1000)

    expect((await debug(token)).body).toEqual({
      data: {
        app_id: appId,
        type: 'SYSTEM_USER',
        application: 'Simulated App',
        data_access_expires_at: 0,
        expires_at: now + 60,
        is_valid: true,
        issued_at: now,
        scopes: ['whatsapp_business_management', 'whatsapp_business_messaging', 'public_profile'],
        granular_scopes: [
          { scope: 'whatsapp_business_management', target_ids: [shop.waba_id] },
          { scope: 'whatsapp_business_messaging', target_ids: [shop.waba_id] },
        ],
        user_id: expect.stringMatching(/^\d{18}$/),
      },
    })
  })

  test('knows tokens that never end, of people, and for every account', async () => {
    const { data } = (await debug(await issueToken({ kind: 'user' }))).body

    expect(data).toMatchObject({ type: 'USER', expires_at: 0 })
    expect(data.granular_scopes).toEqual([
      { scope: 'whatsapp_business_management' },
      { scope: 'whatsapp_business_messaging' },
    ])
  })

  test('describes a dead one with 200', async () => {
    const token = await issueToken()
    await change(token, { state: 'password_changed' })
    const dead = await debug(token)

    expect(dead).toMatchObject({ status: 200 })
    expect(dead.body).toEqual({
      data: {
        error: { code: 190, message: expect.stringContaining('password'), subcode: 460 },
        app_id: appId,
        is_valid: false,
        scopes: [],
      },
    })
    expect((await debug('nobody')).body.data).toMatchObject({ is_valid: false })
  })

  test('is for the app of the token, with its secret', async () => {
    await scene.call('POST', '/simulator/apps', { app_id: '77', app_secret: 'other' })
    const token = await issueToken()

    expect((await debug(token, '77|other')).body.error.code).toBe(100)
    expect((await debug(token, `${appId}|guess`)).status).toBe(401)
    expect((await debug(token, '')).status).toBe(401)
    expect((await debug('', `${appId}|${appSecret}`)).body.error.message).toContain('input_token')
    // A token may also look at itself.
    expect((await debug(token, token)).body.data.is_valid).toBe(true)
  })
})

describe('a dead token', () => {
  test.each([
    ['expired', 463],
    ['app_removed', 458],
    ['checkpointed', 459],
    ['password_changed', 460],
    ['unconfirmed', 464],
    ['logged_out', 467],
    ['revoked', undefined],
  ])('%s is 401 code 190 subcode %s, everywhere', async (state, subcode) => {
    const token = await issueToken()
    await change(token, { state })
    const answers = [await sendWith(token), await manageWith(token)]

    for (const { status, body } of answers) {
      expect(status).toBe(401)
      expect(body.error).toMatchObject({ code: 190, type: 'OAuthException' })
      expect(body.error.error_subcode).toBe(subcode)
    }
    await change(token, { state: 'valid' })
    expect((await sendWith(token)).status).toBe(200)
  })

  test('says when it expired, in the time of California', async () => {
    const token = await issueToken({ expires_in: 10 })
    later(20)

    expect((await sendWith(token)).body.error.message).toBe(
      'Error validating access token: Session has expired on Sunday, 15-Nov-26 04:00:10 PST. ' +
        'The current time is Sunday, 15-Nov-26 04:00:20 PST.',
    )
  })

  test('of a number is revived by registering the number again', async () => {
    await change(shop.access_token, { state: 'revoked' })
    const dead = await sendWith(shop.access_token)
    await scene.call('POST', '/simulator/numbers', shop)

    expect([dead.status, (await sendWith(shop.access_token)).status]).toEqual([401, 200])
  })
})

describe('permissions', () => {
  const messaging = 'whatsapp_business_messaging'
  const management = 'whatsapp_business_management'

  test('a missing one is 403 code 10', async () => {
    const sender = await issueToken({ scopes: [messaging] })
    const manager = await issueToken({ scopes: [management] })
    const nobody = await issueToken({ scopes: ['public_profile'] })

    expect((await sendWith(sender)).status).toBe(200)
    expect((await manageWith(manager)).status).toBe(200)
    for (const answer of [
      await sendWith(manager),
      await manageWith(sender),
      await sendWith(nobody),
    ]) {
      expect(answer).toMatchObject({ status: 403, body: { error: { code: 10 } } })
    }
  })

  test('one for another account is 403 code 200', async () => {
    const token = await issueToken({
      granular_scopes: [
        { scope: management, target_ids: [shop.waba_id] },
        { scope: messaging, target_ids: [clinic.waba_id] },
      ],
    })

    expect(await sendWith(token)).toMatchObject({ status: 403, body: { error: { code: 200 } } })
    expect((await sendWith(token, clinic)).body.error?.code).toBeUndefined()
    expect((await manageWith(token)).status).toBe(200)
  })

  test('an account outside of all looks as if it were not there', async () => {
    const token = await issueToken({ waba_ids: [clinic.waba_id] })
    const foreign = await manageWith(token)
    const missing = await manageWith(token, '999')

    expect(foreign.body.error.message.replaceAll(shop.waba_id, '999')).toBe(
      missing.body.error.message,
    )
    for (const { status, body } of [foreign, missing]) {
      expect(status).toBe(400)
      expect(body.error).toMatchObject({
        code: 100,
        error_subcode: 33,
        type: 'GraphMethodException',
      })
    }
  })

  test('can be taken away later', async () => {
    const token = await issueToken()
    await change(token, { granular_scopes: [{ scope: management }] })

    expect((await sendWith(token)).body.error.code).toBe(10)
  })
})

describe('a token', () => {
  test.each([
    ['in the query', (token: string) => [`?access_token=${token}`, {}]],
    ['as OAuth', (token: string) => ['', { authorization: `OAuth ${token}` }]],
  ] as const)('may stand %s', async (_case, place) => {
    const [search, headers] = place(shop.access_token)
    const path = `/v25.0/${shop.phone_number_id}/messages${search}`

    expect((await scene.call('POST', path, textTo('+16505550143'), headers)).status).toBe(200)
  })
})

describe('appsecret_proof', () => {
  const proof = (key = appSecret, message = shop.access_token) =>
    createHmac('sha256', key).update(message).digest('hex')
  const send = (more: object = {}) => scene.send({ ...textTo('+16505550143'), ...more })

  test('is checked when it is there', async () => {
    expect((await send({ appsecret_proof: proof() })).status).toBe(200)
    for (const wrong of [proof('guess'), proof(appSecret, 'other'), 'zz', '00']) {
      const answer = await send({ appsecret_proof: wrong })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } })
      expect(answer.body.error.message).toContain('Invalid appsecret_proof')
    }
  })

  test('is demanded when the app says so', async () => {
    await scene.call('POST', '/simulator/apps', {
      app_id: appId,
      app_secret: appSecret,
      requires_proof: true,
    })
    const without = await send()

    expect(without).toMatchObject({ status: 400, body: { error: { code: 100 } } })
    expect(without.body.error.message).toContain('require an appsecret_proof')
    expect((await send({ appsecret_proof: proof() })).status).toBe(200)
    const path = `/v25.0/${shop.phone_number_id}?appsecret_proof=${proof()}`
    const headers = { authorization: `Bearer ${shop.access_token}` }
    expect((await scene.call('GET', path, undefined, headers)).status).toBe(200)
  })

  test('follows the secret when it is rotated', async () => {
    await scene.call('PUT', '/simulator/webhook', { app_secret: 'rotated' })

    expect((await send({ appsecret_proof: proof() })).status).toBe(400)
    expect((await send({ appsecret_proof: proof('rotated') })).status).toBe(200)
  })
})
