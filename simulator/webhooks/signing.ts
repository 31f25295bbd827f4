import { createHmac } from 'node:crypto'

/**
 * Meta's own serialisation: non-ASCII as \uXXXX in lower-case hex (emoji as surrogate pairs) and
 * `/` as `\/`. A receiver that re-serialises before hashing fails on exactly these bytes.
 */
export function serializeLikeMeta(value: unknown): Buffer {
  const json = JSON.stringify(value)
    .replaceAll('/', '\\/')
    .replace(/[\u0080-\uffff]/g, escapeUnit)
  return Buffer.from(json, 'ascii')
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The value of `X-Hub-Signature-256` for exactly these bytes. */
export function signBody(body: Buffer, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`
}
