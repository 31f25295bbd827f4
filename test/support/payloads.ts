// Webhook payloads in Meta's shape, for tests that need many or particular ones. All of it is fictional.
import { readFileSync } from 'node:fs'

const fixtures = new URL('../fixtures/meta/', import.meta.url)

/** The exact bytes of a fixture. */
export function fixture(name: string): Buffer {
  return readFileSync(new URL(name, fixtures))
}

export interface MessageOptions {
  from?: string
  timestamp?: string
  type?: string
  [content: string]: unknown
}

export function textMessage(id: string, body: string, options: MessageOptions = {}) {
  const { from = '16505550143', timestamp = '1788300037', ...more } = options
  return { from, id, timestamp, type: 'text', text: { body }, ...more }
}

export function statusUpdate(id: string, status: string, more: Record<string, unknown> = {}) {
  return { id, status, timestamp: '1788300100', recipient_id: '16505550143', ...more }
}

interface PayloadOptions {
  number?: { waba_id: string; phone_number_id: string }
  messages?: unknown[]
  statuses?: unknown[]
  contacts?: unknown[]
}

/** One change with these items, in an envelope of its own. */
export function payload(options: PayloadOptions) {
  return { object: 'whatsapp_business_account', entry: [entry(options)] }
}

export function entry({ number, messages, statuses, contacts }: PayloadOptions) {
  const { waba_id, phone_number_id } = number ?? {
    waba_id: '215589313241560',
    phone_number_id: '441785372350001',
  }
  return {
    id: waba_id,
    changes: [
      {
        field: 'messages',
        value: {
          messaging_product: 'whatsapp',
          metadata: { display_phone_number: '15550172201', phone_number_id },
          ...(contacts && { contacts }),
          ...(messages && { messages }),
          ...(statuses && { statuses }),
        },
      },
    ],
  }
}
