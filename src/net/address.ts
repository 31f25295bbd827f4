// Which addresses belong to the public internet. Everything else (this machine, this network, a cloud's own metadata) is
// nobody's business who merely gives us a URL.
import { BlockList, isIP } from 'node:net'

const reservedV4 = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local, with the clouds' metadata services in it.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  reservedV4.addSubnet(network, prefix, 'ipv4')
}

// Of IPv6 only 2000::/3 is given out. That leaves out loopback, link-local, unique local, multicast, and every form that
// carries an IPv4 address inside (::ffff:0:0/96, 64:ff9b::/96); what remains of those is below.
const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')
const reservedV6 = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  reservedV6.addSubnet(network, prefix, 'ipv6')
}

/** False also for text that is no address. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  switch (isIP(bare)) {
    case 4:
      return !reservedV4.check(bare, 'ipv4')
    case 6:
      return globalV6.check(bare, 'ipv6') && !reservedV6.check(bare, 'ipv6')
    default:
      return false
  }
}

/** The address that a URL names instead of a host, if it does. URL has made one spelling of octal and decimal ones. */
export function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}
