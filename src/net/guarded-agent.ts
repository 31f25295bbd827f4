// HTTP to addresses that somebody else chose. The address is judged when the connection is made, and the connection goes to
// the very address that was judged: a name that answers differently the second time gains nothing. undici's `request`
// follows no redirects, so nobody is led elsewhere.
import { type LookupAddress, lookup as lookupName } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import { isPublicAddress, literalAddress } from './address.ts'
import { createNameResolver } from './resolve-name.ts'

export type ResolveName = (hostname: string) => Promise<LookupAddress[]>

export interface GuardOptions {
  /** ALLOW_PRIVATE_TARGETS. */
  allowPrivate: boolean
  connectTimeoutMs: number
  /** The longest silence, before the answer and within it. */
  silenceMs: number
  /** DNS; with `allowPrivate` the system's, which knows this machine's own names. A test may say otherwise. */
  resolve?: ResolveName
}

/** Its code stands for the whole story: whoever gave the address need not learn what our network looks like. */
export class TargetRefused extends Error {
  readonly code = 'TARGET_REFUSED'
  constructor() {
    super('The address does not belong to the public internet.')
    this.name = 'TargetRefused'
  }
}

export function createGuardedAgent(options: GuardOptions): Agent {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: guardedLookup(options),
  })
  return new Agent({
    connect: (target, done) => {
      // A literal address is connected to without any lookup.
      const literal = literalAddress(target.hostname)
      if (literal !== undefined && !options.allowPrivate && !isPublicAddress(literal)) {
        return done(new TargetRefused(), null)
      }
      connect(target, done)
    },
    headersTimeout: options.silenceMs,
    bodyTimeout: options.silenceMs,
    // Few calls go to one host; what is kept open is soon of no use.
    keepAliveTimeout: 4_000,
  })
}

/** One bad address among good ones refuses the name: which one is taken would be luck. */
export function guardedLookup({
  allowPrivate,
  resolve = allowPrivate ? systemResolve : createNameResolver(),
}: GuardOptions): LookupFunction {
  return (hostname, wanted, done) => {
    // No name of the public internet is without a dot.
    if (!allowPrivate && !hostname.includes('.')) return done(new TargetRefused(), '', 4)
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses
        if (first === undefined) return done(notFound(hostname), '', 4)
        if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
          return done(new TargetRefused(), '', 4)
        }
        if (wanted.all) done(null, addresses)
        else done(null, first.address, first.family)
      },
      (error) => done(error, '', 4),
    )
  }
}

function notFound(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error('The name has no address.'), { code: 'ENOTFOUND', hostname })
}

const systemResolve: ResolveName = (hostname) =>
  new Promise((resolve, reject) => {
    lookupName(hostname, { all: true }, (error, addresses) => {
      if (error) reject(error)
      else resolve(addresses)
    })
  })

/** What of a URL can be judged without connecting to it; undefined when nothing speaks against it. */
export function targetProblem(
  text: string,
  { allowPrivate }: { allowPrivate: boolean },
): string | undefined {
  if (!URL.canParse(text)) return 'is not a URL'
  const url = new URL(text)
  if (!['https:', 'http:'].includes(url.protocol)) return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password'
  if (allowPrivate) return undefined
  const name = url.hostname.replace(/\.$/, '').toLowerCase()
  const literal = literalAddress(name)
  const isLocal = name === 'localhost' || /\.(?:localhost|local|internal)$/.test(name)
  if (isLocal || (literal !== undefined && !isPublicAddress(literal))) {
    return 'must lead to the public internet'
  }
  if (!publicPorts.has(url.port)) return 'must use one of the ports 80, 443, 8080 and 8443'
  return undefined
}

/** '' is the scheme's own. Databases, mail servers and the like listen elsewhere. */
const publicPorts = new Set(['', '80', '443', '8080', '8443'])
