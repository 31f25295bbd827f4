// An event as the outside sees it, the same over webhooks and the stream. docs/event-webhooks.md explains it; what is
// there stays, fields may be added, anything else is a new `version`.
import { publicId } from '../ids.ts'
import type { EventRow } from './model.ts'

export interface Envelope {
  id: string
  type: string
  version: 1
  timestamp: string
  tenant_id: string
  data: Record<string, unknown>
}

export function envelopeOf(event: EventRow): Envelope {
  return {
    id: publicId('evt', event.id),
    type: event.type,
    version: 1,
    timestamp: event.createdAt.toISOString(),
    tenant_id: event.tenantId,
    data: event.data,
  }
}
