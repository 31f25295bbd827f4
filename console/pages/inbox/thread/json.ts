// Looking into the content of messages, which is Meta's and may be anything.

export type Json = Record<string, unknown>

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const recordIn = (value: unknown): Json => (isRecord(value) ? value : {})

export const recordsIn = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isRecord) : []

/** Text, or a number as text; undefined for everything else and for nothing. */
export function textIn(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function numberIn(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

/** Names and values out of whatever a form sent back, the inner ones too; `flow_token` is not for people. */
export function pairsIn(value: unknown, prefix = ''): [name: string, value: string][] {
  return Object.entries(recordIn(value)).flatMap(([name, inner]) => {
    if (name === 'flow_token' || inner === null || inner === '') return []
    const label = prefix ? `${prefix} · ${name}` : name
    if (isRecord(inner)) return pairsIn(inner, label)
    const said = Array.isArray(inner) ? inner.map((one) => spoken(one)).join(', ') : spoken(inner)
    return [[label, said] as [string, string]]
  })
}

const spoken = (value: unknown) => textIn(value) ?? JSON.stringify(value)

export function parsedJson(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

export interface Card {
  name: string
  company: string | undefined
  lines: {
    kind: 'phone' | 'email' | 'url' | 'address' | 'birthday'
    text: string
    label?: string
  }[]
}

/** A contact as Meta writes it, or as a vCard where that is all there is. */
export function cardOf(contact: Json): Card {
  const name = recordIn(contact.name)
  const org = recordIn(contact.org)
  const vcard = textIn(contact.vcard)
  const phones = recordsIn(contact.phones)
  const line = (kind: Card['lines'][number]['kind'], text: string | undefined, label?: unknown) =>
    text === undefined
      ? []
      : [{ kind, text, ...(textIn(label) && { label: textIn(label) as string }) }]
  return {
    name:
      textIn(name.formatted_name) ??
      ([name.first_name, name.last_name].flatMap((one) => textIn(one) ?? []).join(' ') ||
        (vcard && vcardField(vcard, 'FN')) ||
        textIn(phones[0]?.phone) ||
        '…'),
    company: [org.title, org.company].flatMap((one) => textIn(one) ?? []).join(' · ') || undefined,
    lines: [
      ...phones.flatMap((one) => line('phone', textIn(one.phone) ?? textIn(one.wa_id), one.type)),
      ...recordsIn(contact.emails).flatMap((one) => line('email', textIn(one.email), one.type)),
      ...recordsIn(contact.urls).flatMap((one) => line('url', textIn(one.url), one.type)),
      ...recordsIn(contact.addresses).flatMap((one) => line('address', addressOf(one), one.type)),
      ...line('birthday', textIn(contact.birthday)),
    ],
  }
}

function addressOf({ street, zip, city, state, country, country_code }: Json): string | undefined {
  const parts = [street, [zip, city].flatMap((one) => textIn(one) ?? []).join(' '), state]
  return (
    [...parts, country ?? country_code].flatMap((one) => textIn(one) ?? []).join(', ') || undefined
  )
}

function vcardField(vcard: string, field: string): string | undefined {
  return new RegExp(`^${field}[^:\\n]*:(.+)$`, 'm').exec(vcard)?.[1]?.trim()
}

/** What a message says, for copying and for quoting; undefined where it says nothing in words. */
export function spokenText(type: string, content: Json, rendered?: { body: string } | null) {
  const inner = recordIn(content[type])
  const interactive = recordIn(content.interactive)
  const reply = recordIn(interactive[textIn(interactive.type) ?? ''])
  return (
    textIn(inner.body) ??
    textIn(inner.caption) ??
    textIn(rendered?.body) ??
    (type === 'button' ? textIn(inner.text) : undefined) ??
    (type === 'interactive'
      ? (textIn(reply.title) ?? textIn(recordIn(interactive.body).text))
      : undefined) ??
    (type === 'order' ? textIn(inner.text) : undefined) ??
    (type === 'location' ? (textIn(inner.name) ?? textIn(inner.address)) : undefined)
  )
}
