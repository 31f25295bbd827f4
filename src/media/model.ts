// The nouns of this folder, as they go into the database and through the queue.
import type { MediaKind } from './kinds.ts'

export type MediaState = 'uploading' | 'pending' | 'stored' | 'expired' | 'failed' | 'deleting'

export interface MediaRow {
  id: string
  tenantId: string
  state: MediaState
  kind: MediaKind
  mimeType: string
  filename: string | null
  bytes: number | null
  sha256: Buffer | null
  lastError: string | null
}

/** A file that a message announces. */
export interface NewInbound {
  id: string
  tenantId: string
  messageId: string
  phoneNumberId: string
  metaMediaId: string
  kind: MediaKind
  mimeType: string
  filename: string | null
  promisedSha256: Buffer | null
  correlationId: string
}

export interface NewUpload {
  id: string
  tenantId: string
  kind: MediaKind
  mimeType: string
  filename: string | null
  bytes: number
  sha256: Buffer
  correlationId: string
}

/** One file that is ours to fetch. */
export interface FetchJob {
  id: string
  tenantId: string
  /** Counts claims, and is the fence. */
  attempt: number
  /** Those that count, before this one. */
  failures: number
  state: 'pending' | 'expired'
  messageId: string
  phoneNumberId: string
  metaMediaId: string
  kind: MediaKind
  mimeType: string
  promisedSha256: Buffer | null
  correlationId: string
  createdAt: Date
  /** Meta's id is dead by now. */
  isOver: boolean
}

/** How a claim ends. */
export interface FetchEnd {
  /** `deleting`: over for good; should an earlier attempt have left bytes behind, the sweep removes them. */
  state: 'pending' | 'stored' | 'expired' | 'failed' | 'deleting'
  /** Null: nobody looks again. */
  delaySeconds: number | null
  /** Whether it counts against the file. */
  failures: 0 | 1
  error: string | null
  stored: { bytes: number; sha256: Buffer; mimeType: string } | null
}
