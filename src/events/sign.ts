// Signatures as the Standard Webhooks specification has them: HMAC-SHA256 over id, timestamp and body, one per secret.
import { createHmac } from 'node:crypto'
import type { Random } from '../time-and-chance.ts'

const prefix = 'whsec_'

export function newSecret(random: Random): string {
  return prefix + random.bytes(32).toString('base64')
}

/** What a sealed secret belongs to, for the vault. */
export function secretOwner(tenantId: string, endpointId: string): string {
  return `${tenantId}/event_endpoints/secret/${endpointId}`
}

export function signedHeaders(
  secrets: string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), 'base64')
    const mac = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`)
    return `v1,${mac.digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
