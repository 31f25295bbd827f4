// Identity tokens as Google puts them on tasks, signed with a key of the emulator's own.
import { createHash, generateKeyPair, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { Clock } from '../time-and-chance.ts'

export interface TokenMaker {
  token(claims: { email: string; audience: string }): Promise<string>
  /** The public half, as Google publishes its own. */
  jwks(): Promise<{ keys: object[] }>
}

const lifetimeSeconds = 3600
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function createTokenMaker(clock: Clock, issuer: string): TokenMaker {
  let made: Promise<{ privateKey: KeyObject; jwk: object; kid: string }> | undefined
  // Made on first use: most runs never ask for a token, and the key takes a while.
  const key = () => {
    made ??= makeKey()
    return made
  }

  return {
    async token({ email, audience }) {
      const { privateKey, kid } = await key()
      const now = Math.floor(clock.now().getTime() / 1000)
      const subject = BigInt(`0x${createHash('sha256').update(email).digest('hex').slice(0, 16)}`)
      const unsigned = [
        { alg: 'RS256', kid, typ: 'JWT' },
        {
          aud: audience,
          azp: String(subject),
          email,
          email_verified: true,
          exp: now + lifetimeSeconds,
          iat: now,
          iss: issuer,
          sub: String(subject),
        },
      ]
        .map(encode)
        .join('.')
      return `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), privateKey).toString('base64url')}`
    },
    async jwks() {
      const { jwk } = await key()
      return { keys: [jwk] }
    },
  }
}

async function makeKey() {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
  const { n, e } = publicKey.export({ format: 'jwk' })
  const kid = createHash('sha256').update(String(n)).digest('hex').slice(0, 40)
  return { privateKey, kid, jwk: { kty: 'RSA', alg: 'RS256', use: 'sig', kid, n, e } }
}
