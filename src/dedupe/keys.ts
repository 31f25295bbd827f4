// The names of marks: keyed hashes, because Meta's ids hold phone numbers in base64 and the store is nobody's archive.
import { createHmac } from 'node:crypto'

export interface Keys {
  /** A mark says that this database has it, so another database (a restored one, a copy) has other keys. */
  inbound(names: string[]): Promise<string[]>
  /** That Meta has a message stays true, whatever becomes of the database. */
  outbound(name: string): string
}

export function createKeys(secret: Buffer, identifyDatabase: () => Promise<string>): Keys {
  let identity: string | undefined
  const hash = (kind: string, name: string) =>
    `${kind}-${createHmac('sha256', secret).update(`${kind} ${name}`).digest('base64url')}`
  return {
    async inbound(names) {
      identity ??= await identifyDatabase()
      return names.map((name) => hash('in', `${identity} ${name}`))
    },
    outbound: (name) => hash('out', name),
  }
}
