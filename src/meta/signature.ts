// X-Hub-Signature-256: HMAC-SHA256 of the raw bytes, keyed with the app's secret.
import { createHmac, timingSafeEqual } from 'node:crypto'

const headerForm = /^sha256=([0-9a-f]{64})$/

/** Whether the header could be a signature at all. Checked first: timingSafeEqual throws on other lengths,
 *  and Buffer.from(…, 'hex') silently drops what is not hex. */
export function isSignatureHeader(header: unknown): header is string {
  return typeof header === 'string' && headerForm.test(header)
}

/** True when any of the app's secrets signed exactly these bytes. */
export function isSigned(raw: Buffer, header: string, secrets: readonly string[]): boolean {
  const claimed = headerForm.exec(header)?.[1]
  if (claimed === undefined) return false
  const claimedBytes = Buffer.from(claimed, 'hex')
  let signed = false
  // Every secret is tried, so that the time taken does not tell which one matched.
  for (const secret of secrets) {
    const expected = createHmac('sha256', secret).update(raw).digest()
    signed = timingSafeEqual(expected, claimedBytes) || signed
  }
  return signed
}
