// Customers who say stop: what they write and prefer, and what is then refused, ended and listed for a firm.
import { expect } from 'vitest'
import { createCounter } from './after-file.ts'
import { type Answer, operatorKey } from './gateway.ts'
import { payload, textMessage } from './payloads.ts'
import { type Firm, hourMs, type Sending, sendRowOf, startSending, template } from './sending.ts'

/** Every simulated account has both. Of the first nobody tells the gateway what it is, so it is taken for marketing. */
export const marketing = {
  type: 'template',
  text: undefined,
  template: {
    name: 'autumn_promo',
    language: { code: 'en' },
    components: [
      {
        type: 'header',
        parameters: [{ type: 'image', image: { link: 'https://shop.example/autumn.jpg' } }],
      },
      {
        type: 'body',
        parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Mara' }],
      },
      {
        type: 'button',
        sub_type: 'url',
        index: '1',
        parameters: [{ type: 'text', text: 'mara' }],
      },
    ],
  },
}
export const utility = { type: 'template', text: undefined, template }

interface Said {
  by?: Firm
  /** By Meta's clock, in seconds. */
  at?: number
  [more: string]: unknown
}

export interface Consenting extends Sending {
  firm: Firm
  seconds(): number
  /** Our clock stands still, the simulated Meta's goes on: from now on ours is not behind it. */
  catchUp(): void
  later(ms: number): string
  /** The customer writes this; time goes on by a second. Returns its wamid. */
  write(customer: string, body: string, said?: Said): Promise<string>
  /** The customer stops or resumes marketing in WhatsApp. */
  prefer(customer: string, value: string, at?: number): Promise<void>
  /** Any other webhook field of the firm's number. */
  tell(field: string, value: Record<string, unknown>): Promise<void>
  trySend(to: string, more?: Record<string, unknown>, by?: Firm): Promise<Answer>
  statusOf(to: string, more?: Record<string, unknown>, by?: Firm): Promise<number>
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  lettersOf(messageId: string): Promise<any[]>
  expectEnded(messageId: string): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: the same.
  suppressions(query: string): Promise<any[]>
}

const next = createCounter()

/** A name that nothing else has. */
export const wamid = () => `wamid.said-${next()}`

export async function startConsenting(): Promise<Consenting> {
  const world = await startSending()
  const { gateway, clock } = world
  const firm = await world.createFirm('Firm A')
  // As if this template were known. Of all others nobody knows.
  await gateway.db.session((session) =>
    session.script(`
      create or replace function template_category(tenant uuid, number text, template jsonb) returns text
      language sql stable return case template ->> 'name' when 'order_update' then 'UTILITY' end`),
  )
  const seconds = () => Math.floor(clock.now().getTime() / 1000)

  async function tell(field: string, value: Record<string, unknown>): Promise<void> {
    const metadata = { display_phone_number: '15550100', phone_number_id: firm.phoneNumberId }
    await gateway.deliver({
      object: 'whatsapp_business_account',
      entry: [{ id: firm.wabaId, changes: [{ field, value: { metadata, ...value } }] }],
    })
    await gateway.drain()
  }

  const trySend: Consenting['trySend'] = (to, more = {}, by = firm) => {
    const text = { body: 'Good morning' }
    const body = { phone_number_id: by.phoneNumberId, to, type: 'text', text, ...more }
    return gateway.call('POST', '/api/whatsapp/meta/send', { key: by.key, body })
  }

  const lettersOf: Consenting['lettersOf'] = async (messageId) => {
    const path = `/api/admin/whatsapp/dlq?message_id=${messageId}`
    return (await gateway.call('GET', path, { key: operatorKey })).json.data
  }

  return {
    ...world,
    firm,
    seconds,
    catchUp: () => clock.advance(Math.max(0, Date.now() + hourMs - clock.now().getTime())),
    later: (ms) => new Date(clock.now().getTime() + ms).toISOString(),
    async write(customer, body, { by = firm, at = seconds(), ...more } = {}) {
      const id = wamid()
      const message = textMessage(id, body, { from: customer, timestamp: String(at), ...more })
      const number = { waba_id: by.wabaId, phone_number_id: by.phoneNumberId }
      await gateway.deliver(payload({ number, messages: [message] }))
      await gateway.drain()
      clock.advance(1000)
      return id
    },
    async prefer(customer, value, at = seconds()) {
      // Other words, so that it is another notice.
      const detail = `number ${next()}`
      const preference = { category: 'marketing_messages', value, timestamp: at, detail }
      await tell('user_preferences', { user_preferences: [{ wa_id: customer, ...preference }] })
      clock.advance(1000)
    },
    tell,
    trySend,
    statusOf: async (...asked) => (await trySend(...asked)).status,
    lettersOf,
    async expectEnded(messageId) {
      expect(await world.read(firm, messageId)).toMatchObject({
        status: 'failed',
        error: { code: 'RECIPIENT_SUPPRESSED', provider: null },
      })
      expect(await sendRowOf(gateway.db, messageId)).toMatchObject({
        status: 'failed',
        last_error: 'RECIPIENT_SUPPRESSED',
      })
      expect(await lettersOf(messageId)).toMatchObject([
        { kind: 'outbound', error_code: 'RECIPIENT_SUPPRESSED' },
      ])
    },
    async suppressions(query) {
      const path = `/api/whatsapp/suppressions?${query}`
      return (await gateway.call('GET', path, { key: firm.key })).json.data
    },
  }
}
