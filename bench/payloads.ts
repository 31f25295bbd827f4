// Webhooks in Meta's shape, signed beforehand: the load generator must not spend its time on HMACs. All fictional.
import { createHmac, randomBytes } from 'node:crypto'

export const appSecret = 'bench_app_secret_0123456789abcdef'
export const appId = '990000000000001'
export const webhookPath = '/api/webhooks/meta/whatsapp'

export interface MessageOptions {
  number: string
  from: string
  name: string
  wamid: string
  text?: string
}

// Makes the whole body about 1 KB, as an average delivery is.
const ordinaryText =
  'Good morning, I ordered the blue planter with the oak stand last week and wanted to ask whether it can be delivered ' +
  'on Thursday afternoon instead of Friday, because nobody will be at home then. If that is not possible I would pick ' +
  'it up at the shop in the harbour street myself. Please also tell me whether the stand comes assembled, and if the ' +
  'invoice can be made out to the company. Thank you very much, and have a good day.'

export function messageBody(options: MessageOptions): Buffer {
  return envelope(options.number, {
    contacts: [{ profile: { name: options.name }, wa_id: options.from }],
    messages: [
      {
        from: options.from,
        id: options.wamid,
        timestamp: unixSeconds(),
        type: 'text',
        text: { body: options.text ?? ordinaryText },
      },
    ],
  })
}

export function statusBody(number: string, wamid: string, to: string, status: string): Buffer {
  return envelope(number, {
    statuses: [
      {
        id: wamid,
        status,
        timestamp: unixSeconds(),
        recipient_id: to,
        pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' },
      },
    ],
  })
}

function envelope(number: string, items: Record<string, unknown>): Buffer {
  const metadata = { display_phone_number: '15550172201', phone_number_id: number }
  const value = { messaging_product: 'whatsapp', metadata, ...items }
  return Buffer.from(
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '215589313241560', changes: [{ value, field: 'messages' }] }],
    }),
  )
}

function unixSeconds(): string {
  return String(Math.floor(Date.now() / 1000))
}

/** As Meta's look: the contact's number in base64, then what tells the message apart. */
export function newWamid(waId: string): string {
  const prefix = Buffer.from(`\x1c\x18\x0b${waId}\x15\x02\x00\x12\x18\x14`, 'latin1')
  const id = Buffer.from(randomBytes(10).toString('hex').toUpperCase())
  return `wamid.${Buffer.concat([prefix, id]).toString('base64')}`
}

/** A whole HTTP request, ready to be written to a socket. */
export function signedRequest(body: Buffer, path = webhookPath): Buffer {
  const signature = createHmac('sha256', appSecret).update(body).digest('hex')
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: 127.0.0.1',
    'user-agent: facebookexternalua',
    'content-type: application/json',
    `x-hub-signature-256: sha256=${signature}`,
    `content-length: ${body.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

export function ordinaryMessage(): Buffer {
  const waId = `1650${String(Math.floor(Math.random() * 1e7)).padStart(7, '0')}`
  const wamid = newWamid(waId)
  return messageBody({ number: '441785372350001', from: waId, name: 'Mara Quint', wamid })
}
