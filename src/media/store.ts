// The port to wherever files lie. Keys are made of our own ids; nothing that anybody typed becomes one.
import type { Readable } from 'node:stream'

export interface StoredFacts {
  bytes: number
  /** Of the content, known before it is stored. */
  sha256: Buffer
}

export interface MediaStore {
  /** All of it or nothing, and again is the same: whoever reads sees a whole file. Done means on disk. */
  put(key: string, content: Readable, facts: StoredFacts): Promise<void>
  /** Undefined when there is none. `start` and `end` as in a Range, both included. */
  get(key: string, range?: { start: number; end: number }): Promise<Readable | undefined>
  /** Also when it is not there. */
  delete(key: string): Promise<void>
  exists(key: string): Promise<boolean>
  /** Clears away what a crash left half-written before this time. */
  tidy?(before: Date): Promise<void>
}

/** Away, full, or refusing: it may work later. */
export class StoreUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'StoreUnavailable'
  }
}

const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function keyOf(tenantId: string, mediaId: string): string {
  if (!uuidShape.test(tenantId) || !uuidShape.test(mediaId)) throw new Error('bug: no key of ids')
  return `${tenantId}/${mediaId}`
}
