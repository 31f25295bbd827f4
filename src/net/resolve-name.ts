// Names → addresses, for names that somebody else chose. The system's own look-up takes one of few threads for as long as a
// name server is silent, and files, other names and with them every tenant wait for it; these questions cost no thread.
import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** Of one question; a second one is asked when there was no answer. */
const limits = { timeout: 2_000, tries: 2 }

/** What is in DNS, IPv4 first. `servers`: the system's, unless a test says otherwise. */
export function createNameResolver(
  servers?: string[],
): (hostname: string) => Promise<LookupAddress[]> {
  const resolver = new Resolver(limits)
  if (servers) resolver.setServers(servers)
  return async (hostname) => {
    const [four, six] = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ])
    if (four.status === 'rejected' && six.status === 'rejected') throw four.reason
    return [
      ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 })),
      ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 })),
    ]
  }
}
