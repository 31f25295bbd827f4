import { createSign, generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { systemClock } from '../time-and-chance.ts'
import { createAdmit, type OidcCheck } from './admit.ts'
import { createOidcCheck } from './oidc.ts'

const log = createLog({
  level: 'debug',
  hashKey: Buffer.alloc(32),
  clock: systemClock,
  destination: { write: () => undefined },
})
const admit = (tokens: string[], oidc?: OidcCheck) => createAdmit({ tokens, oidc, log })
const refused = { status: 401, code: 'UNAUTHORIZED' }

describe('the token', () => {
  test('is any of those that are set, whole', async () => {
    const enter = admit(['first-token', 'second-token'])
    for (const token of ['first-token', 'second-token']) {
      await enter({ 'x-internal-token': token })
    }
    for (const token of ['first', 'first-token,second-token', 'First-token', ' ', '']) {
      await expect(enter({ 'x-internal-token': token })).rejects.toMatchObject(refused)
    }
    await expect(enter({})).rejects.toMatchObject(refused)
    await expect(
      enter({ 'x-internal-token': ['first-token', 'first-token'] as unknown as string }),
    ).rejects.toMatchObject(refused)
  })

  test('is good for nothing where none is set', async () => {
    for (const headers of [{}, { 'x-internal-token': '' }, { 'x-internal-token': 'undefined' }]) {
      await expect(admit([])(headers)).rejects.toMatchObject(refused)
    }
  })
})

describe('Google’s word', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const certs = { key1: publicKey.export({ type: 'spki', format: 'pem' }) }
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(certs))
  })
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  const account = 'tasks@sample.iam.gserviceaccount.com'
  const audience = 'https://gateway.example.test'
  const seconds = Math.floor(Date.now() / 1000)
  const good = {
    iss: 'https://accounts.google.com',
    aud: audience,
    email: account,
    email_verified: true,
    sub: '1',
    iat: seconds,
    exp: seconds + 3600,
  }
  function signed(claims: Record<string, unknown>, key = privateKey): string {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const text = `${part({ alg: 'RS256', kid: 'key1', typ: 'JWT' })}.${part(claims)}`
    return `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
  }
  const enterWith = (idToken: string | undefined, token = 'a-token') => {
    const { port } = server.address() as AddressInfo
    const certsUrl = `http://127.0.0.1:${port}/`
    const oidc = createOidcCheck({ serviceAccountEmail: account, audience, certsUrl })
    return admit(
      ['a-token'],
      oidc,
    )({
      'x-internal-token': token,
      ...(idToken !== undefined && { authorization: `Bearer ${idToken}` }),
    })
  }

  test('is asked for beside the token', async () => {
    await enterWith(signed(good))
    await expect(enterWith(undefined)).rejects.toMatchObject(refused)
    await expect(enterWith(signed(good), 'x')).rejects.toMatchObject(refused)
  })

  test.each([
    ['of another account', signed({ ...good, email: 'other@sample.iam.gserviceaccount.com' })],
    ['of an account that Google did not verify', signed({ ...good, email_verified: false })],
    ['for another address', signed({ ...good, aud: 'https://other.example.test' })],
    ['by somebody else', signed({ ...good, iss: 'https://other.example.test' })],
    ['from yesterday', signed({ ...good, iat: seconds - 90_000, exp: seconds - 86_400 })],
    ['with another key', signed(good, stranger)],
    ['that is no token', 'x.y.z'],
    ['that is an operator’s key', 'operator-key-of-alice-000001'],
  ])('%s does not count', async (_what, idToken) => {
    await expect(enterWith(idToken)).rejects.toMatchObject(refused)
  })
})
