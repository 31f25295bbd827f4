// What a test asks the ledger: was something accepted twice, lost, reordered, sent too fast?
import type { AcceptedSend, GraphRequest, LedgerView } from './ledger.ts'

export interface Repeated {
  phone_number_id: string
  recipient: string
  key: string
  wamids: string[]
}

/** Sends that look like one intent accepted more than once. */
export function acceptedTwice({ sends }: Pick<LedgerView, 'sends'>): {
  by_callback_data: Repeated[]
  by_body: Repeated[]
} {
  return {
    by_callback_data: repeated(sends, (send) => send.biz_opaque_callback_data),
    by_body: repeated(sends, (send) => canonical(contentOf(send.request))),
  }
}

function repeated(
  sends: AcceptedSend[],
  keyOf: (send: AcceptedSend) => string | undefined,
): Repeated[] {
  const groups = new Map<string, Repeated>()
  for (const send of sends) {
    const key = keyOf(send)
    if (key === undefined) continue
    const { phone_number_id } = send
    const recipient = recipientKey(send)
    const group = JSON.stringify([phone_number_id, recipient, key])
    const seen = groups.get(group)
    if (seen) seen.wamids.push(send.wamid)
    else groups.set(group, { phone_number_id, recipient, key, wamids: [send.wamid] })
  }
  return [...groups.values()].filter(({ wamids }) => wamids.length > 1)
}

/** Each attempt may carry its own callback data; two attempts at one message still match. */
function contentOf(request: Record<string, unknown>): object {
  const { biz_opaque_callback_data: _ours, ...content } = request
  return content
}

/** The same content gives the same text, whatever the order of its keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}

export const absenceKinds = ['message', 'status', 'send'] as const
export type AbsenceKind = (typeof absenceKinds)[number]

/**
 * `known` are the wamids the system under test has. Absent are those it must have: what it answered
 * with 200 (messages, statuses) and what Meta told it was accepted (sends).
 */
export function absent(
  view: LedgerView,
  known: Iterable<string>,
  kinds: readonly AbsenceKind[] = ['message'],
): {
  acknowledged_but_absent: { kind: AbsenceKind; wamid: string }[]
  never_seen_by_meta: string[]
} {
  const has = new Set(known)
  const seen = new Set(view.sends.map(({ wamid }) => wamid))
  const owed = new Map<string, { kind: AbsenceKind; wamid: string }>()
  const owe = (kind: AbsenceKind, wamid: string) => {
    if (kinds.includes(kind)) owed.set(`${kind} ${wamid}`, { kind, wamid })
  }
  for (const { state, items } of view.deliveries) {
    for (const { kind, wamid } of items) {
      if (wamid === null) continue
      seen.add(wamid)
      if (state === 'delivered' && kind !== 'event') owe(kind, wamid)
    }
  }
  for (const { wamid, outcome, status, faults } of view.requests) {
    // A false answer does not tell its name.
    const isFalse = faults.some((fault) => /^(html|error)_/.test(fault))
    if (wamid !== null && outcome === 'answered' && status === 200 && !isFalse) owe('send', wamid)
  }
  return {
    acknowledged_but_absent: [...owed.values()].filter(({ wamid }) => !has.has(wamid)),
    never_seen_by_meta: [...has].filter((wamid) => !seen.has(wamid)),
  }
}

export interface RecipientOrder {
  phone_number_id: string
  recipient: string
  /** In the order of acceptance. `key` is null where the request has no such value. */
  accepted: { wamid: string; accepted_at: string; key: string | null }[]
  respected: boolean
  /** Neighbours in the wrong order. */
  violations: { before: string; after: string }[]
}

/** `keyPath` says where in the request the intended order stands, e.g. `text.body`. */
export function orderPerRecipient(
  { sends }: Pick<LedgerView, 'sends'>,
  keyPath?: string,
): RecipientOrder[] {
  const orders = new Map<string, RecipientOrder>()
  for (const send of sends) {
    const { phone_number_id, wamid, accepted_at } = send
    const recipient = recipientKey(send)
    const id = `${phone_number_id} ${recipient}`
    const order = orders.get(id) ?? {
      phone_number_id,
      recipient,
      accepted: [],
      respected: true,
      violations: [],
    }
    orders.set(id, order)
    order.accepted.push({ wamid, accepted_at, key: keyAt(send.request, keyPath) })
  }
  for (const order of orders.values()) {
    const keyed = order.accepted.filter((each) => each.key !== null)
    order.violations = keyed.flatMap((each, index) => {
      const next = keyed[index + 1]
      return next !== undefined && compareKeys(each.key ?? '', next.key ?? '') > 0
        ? [{ before: each.wamid, after: next.wamid }]
        : []
    })
    order.respected = order.violations.length === 0
  }
  return [...orders.values()]
}

function keyAt(request: unknown, path: string | undefined): string | null {
  if (path === undefined) return null
  let value = request
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return null
    value = (value as Record<string, unknown>)[part]
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null
}

/** "message 9" comes before "message 10": the last number in the text decides, if both have one. */
function compareKeys(a: string, b: string): number {
  const [numberA, numberB] = [a, b].map((text) => /(\d+)\D*$/.exec(text)?.[1])
  if (numberA !== undefined && numberB !== undefined) return Number(numberA) - Number(numberB)
  return a < b ? -1 : a > b ? 1 : 0
}

export interface Rate {
  phone_number_id: string
  /** In a second of the clock. */
  max_per_second: number
  /** In any 1000 ms, wherever they begin: what a limit is about. */
  max_in_any_second: number
  series: { second: string; count: number }[]
}

export const rateSubjects = ['requests', 'accepted'] as const
export type RateSubject = (typeof rateSubjects)[number]

/** How many sends arrived, or were accepted, in each second of the clock. */
export function ratePerSecond(view: LedgerView, subject: RateSubject = 'requests'): Rate[] {
  const moments =
    subject === 'accepted'
      ? view.sends.map(({ phone_number_id, accepted_at }) => ({ phone_number_id, at: accepted_at }))
      : view.requests
          .filter(isSend)
          .map(({ phone_number_id, arrived_at }) => ({ phone_number_id, at: arrived_at }))
  const numbers = new Map<string, string[]>()
  for (const { phone_number_id, at } of moments) {
    if (phone_number_id === null) continue
    const known = numbers.get(phone_number_id)
    if (known) known.push(at)
    else numbers.set(phone_number_id, [at])
  }
  return [...numbers].map(([phone_number_id, times]) => {
    const seconds = new Map<string, number>()
    for (const at of times) {
      const second = `${at.slice(0, 19)}Z`
      seconds.set(second, (seconds.get(second) ?? 0) + 1)
    }
    return {
      phone_number_id,
      max_per_second: [...seconds.values()].reduce((a, b) => Math.max(a, b), 0),
      max_in_any_second: mostWithin(1000, times),
      series: [...seconds].sort().map(([second, count]) => ({ second, count })),
    }
  })
}

function mostWithin(ms: number, times: readonly string[]): number {
  const sorted = times.map((at) => Date.parse(at)).sort((a, b) => a - b)
  let first = 0
  let most = 0
  for (const [last, at] of sorted.entries()) {
    while (at - (sorted[first] ?? at) >= ms) first++
    most = Math.max(most, last - first + 1)
  }
  return most
}

function isSend({ endpoint }: GraphRequest): boolean {
  return endpoint === 'messages' || endpoint === 'marketing_messages'
}

/** A person asked for by phone may be accepted under another wa_id; what was asked for counts. */
function recipientKey({ recipient }: AcceptedSend): string {
  return recipient.user_id ?? recipient.input.replace(/\D/g, '')
}
