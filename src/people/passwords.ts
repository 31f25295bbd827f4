// Passwords, as scrypt keeps them: slow to guess, and few at a time, so that guessing does not starve everybody else.
import { type BinaryLike, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { Random } from '../time-and-chance.ts'

/** As OWASP advises for scrypt where memory is scarce: 32 MiB each, and as slow as one with 128. */
const cost = { N: 2 ** 15, r: 8, p: 3 }
const keyBytes = 32
const atOnce = 2
/** More than this many waiting is not people signing in. */
const maxWaiting = 20

export interface Passwords {
  hash(password: string): Promise<string>
  /** With null, as long as with any other: time does not tell who is known here. */
  verify(password: string, hash: string | null): Promise<boolean>
}

export function createPasswords(random: Random, costs: typeof cost = cost): Passwords {
  const gate = createGate()
  const derive = (password: string, salt: Buffer, { N, r, p }: typeof cost) =>
    gate(() =>
      scryptKey(password.normalize('NFKC'), salt, keyBytes, {
        N,
        r,
        p,
        maxmem: 256 * N * r * p + 2 ** 20,
      }),
    )
  return {
    async hash(password) {
      const salt = random.bytes(16)
      const key = await derive(password, salt, costs)
      return ['scrypt', costs.N, costs.r, costs.p, base64(salt), base64(key)].join('$')
    },
    async verify(password, hash) {
      const [, N, r, p, salt, key] = (hash ?? '').split('$')
      if (salt === undefined || key === undefined) {
        await derive(password, random.bytes(16), costs)
        return false
      }
      const wanted = Buffer.from(key, 'base64')
      const given = await derive(password, Buffer.from(salt, 'base64'), {
        N: Number(N),
        r: Number(r),
        p: Number(p),
      })
      return wanted.length === given.length && timingSafeEqual(wanted, given)
    },
  }
}

const base64 = (bytes: Buffer) => bytes.toString('base64')

function scryptKey(
  password: BinaryLike,
  salt: Buffer,
  length: number,
  options: ScryptOptions,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)))
  })
}

/** So many at once; the others queue up, but not without end. */
function createGate() {
  const waiting: (() => void)[] = []
  let running = 0
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) {
        throw new AppError('BUSY', 503, 'Too many people sign in at once. Try again.', {
          headers: { 'retry-after': '5' },
        })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running++
    }
    try {
      return await work()
    } finally {
      // Whoever is next takes over this place.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
