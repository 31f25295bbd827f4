// The versions of the Graph API and how long each is served.

/** The first part of every path; whatever else stands there is not Graph's. */
export const versioned = '/:version(^v\\d+\\.\\d+$)'

interface Version {
  name: string
  until?: string
}

/** Newest first. */
const versions: Version[] = [
  { name: 'v26.0' },
  { name: 'v25.0', until: '2028-07-29' },
  { name: 'v24.0', until: '2028-02-18' },
  { name: 'v23.0', until: '2027-10-08' },
  { name: 'v22.0', until: '2027-05-20' },
  { name: 'v21.0', until: '2027-01-21' },
  { name: 'v20.0', until: '2026-09-24' },
]

/**
 * The version that answers a call: the one asked for, or the oldest still served when that one is
 * gone. Undefined for what never was a version.
 */
export function servedVersion(asked: string, now: Date): string | undefined {
  if (!/^v\d{1,3}\.\d{1,2}$/.test(asked)) return undefined
  const alive = versions.filter(({ until }) => until === undefined || now < new Date(until))
  if (alive.some(({ name }) => name === asked)) return asked
  const isOlder = numberOf(asked) < numberOf(versions[0]?.name ?? '')
  return isOlder ? alive.at(-1)?.name : undefined
}

/** Calls without a version get the oldest. */
export function oldestVersion(now: Date): string {
  return servedVersion('v1.0', now) ?? ''
}

function numberOf(version: string): number {
  return Number(version.slice(1))
}
