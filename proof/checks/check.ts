// The invariants of docs/guarantees.md as pure functions over what is known from outside (evidence.ts). Each returns what it
// found violated, in words; nothing found, nothing returned. For the end of a run, when everything has had its time to end.
import { failedAtMeta, isDenied } from './doubles.ts'
import { checkEvents } from './events.ts'
import type { ClientLog, Evidence, MessageDump, Rows } from './evidence.ts'
import { groups, repeated } from './groups.ts'
import { checkCounts, checkPosts } from './posts.ts'

export function checkEverything(evidence: Evidence): string[] {
  return [
    ...checkReceived(evidence),
    ...checkSends(evidence),
    ...checkPosts(evidence),
    ...checkCounts(evidence),
    ...checkOrder(evidence),
    ...checkStatuses(evidence),
    ...checkEvents(evidence),
    ...checkDecisions(evidence),
    ...checkEnds(evidence),
    ...checkBooks(evidence),
  ]
}

/**
 * I1, I2: what was acknowledged is there as a message, once; nothing is there that nobody sent. A dead letter is no excuse:
 * all of these are good, and what was garbled on the way is not among them. It says what was written, in the conversation of
 * whoever wrote it.
 */
export function checkReceived({ ledger, client, rows }: Evidence): string[] {
  const known = [...client.webhooks, ...messagesOf(ledger)]
  const acknowledged = new Set(known.flatMap((one) => (one.isAcknowledged ? one.wamid : [])))
  const sent = new Set(known.map(({ wamid }) => wamid))
  const stored = rows.messages.flatMap(({ direction, wamid }) =>
    direction === 'inbound' && wamid !== null ? wamid : [],
  )
  const there = new Set(stored)
  const writtenAs = new Map(client.written.map((one) => [one.wamid, one]))
  const isBuried = (wamid: string) =>
    rows.letters.some(({ raw, messageId }) => messageId === null && raw.includes(wamid))
  return [
    ...[...acknowledged]
      .filter((wamid) => !there.has(wamid))
      .map((wamid) => {
        const where = isBuried(wamid) ? 'a dead letter, and could have been applied' : 'lost'
        return `I1: the acknowledged message ${wamid} is ${where}`
      }),
    ...repeated(stored).map((wamid) => `I2: the message ${wamid} is there twice`),
    ...[...there]
      .filter((wamid) => !sent.has(wamid))
      .map((wamid) => `I2: nobody sent the message ${wamid}`),
    ...rows.messages.flatMap(({ direction, wamid, waId, text }) => {
      const written = direction === 'inbound' ? writtenAs.get(wamid ?? '') : undefined
      return [
        ...(written && waId !== written.from
          ? [`I2: the message ${wamid} is in a conversation with another than who wrote it`]
          : []),
        ...(written && text !== written.text
          ? [`I2: the message ${wamid} does not say what was written`]
          : []),
      ]
    }),
  ]
}

/** I3, I4, I6: what was accepted is one message, and is at Meta once, through its number and to its person, or died and is
 *  known to have died. */
export function checkSends({ ledger, client, rows, mayDouble }: Evidence): string[] {
  const outbound = rows.messages.filter(({ direction }) => direction === 'outbound')
  const byText = groups(outbound, ({ text }) => text ?? '')
  const atMeta = groups(ledger.sends, ({ request }) => textOf(request) ?? '')
  const dead = new Set(rows.letters.flatMap(({ messageId }) => messageId ?? []))
  const saidToBeSent = sentByHand(rows)
  const requests = new Map(ledger.requests.flatMap((one) => (one.wamid ? [[one.wamid, one]] : [])))
  const violations: string[] = []
  for (const { text, isAccepted, phoneNumberId, to } of client.sends) {
    const messages = byText.get(text) ?? []
    const accepted = atMeta.get(text) ?? []
    for (const { wamid, phone_number_id, recipient } of accepted) {
      if (phone_number_id !== phoneNumberId)
        violations.push(`I6: “${text}” went out through the wrong number as ${wamid}`)
      if (digitsOf(recipient.input) !== digitsOf(to))
        violations.push(`I6: “${text}” went to the wrong person as ${wamid}`)
    }
    const [message] = messages
    if (messages.length > 1) violations.push(`I3: “${text}” is ${messages.length} messages`)
    if (!message) {
      if (isAccepted) violations.push(`I3: “${text}” was accepted and is lost`)
      if (accepted.length > 0)
        violations.push(`I4: “${text}” is at Meta, but is no message of ours`)
      continue
    }
    // Whoever is not known yet has no conversation.
    if (message.waId !== null && message.waId !== digitsOf(to))
      violations.push(`I6: “${text}” is in a conversation with another than its recipient`)
    const isOver = ['failed', 'unknown', 'cancelled'].includes(message.status)
    const isSaid = saidToBeSent.has(message.id) && message.status === 'sent' && !message.wamid
    if (accepted.length === 0 && !isOver && !isSaid) {
      violations.push(`I4: “${text}” is ${message.status}, but Meta never had it`)
    }
    if (isOver && message.status !== 'cancelled' && !dead.has(message.id)) {
      violations.push(`I3: “${text}” is ${message.status}, and no dead letter tells of it`)
    }
    if (accepted.length <= 1) continue
    const denied = accepted.filter(({ wamid }) => isDenied(requests.get(wamid))).length
    const excuses = requeues(rows, message) + (mayDouble ? ambiguous(rows, message) + denied : 0)
    if (accepted.length - 1 > excuses) {
      violations.push(`I4: “${text}” is at Meta ${accepted.length} times, with ${excuses} excuses`)
    }
  }
  const own = new Set(outbound.map(({ wamid }) => wamid))
  const failed = failedAtMeta(ledger)
  for (const { wamid, request } of ledger.sends) {
    const text = textOf(request)
    const isFirst = text === undefined || (atMeta.get(text) ?? []).length === 1
    // What Meta gave up, and somebody sent again, has no name until Meta takes it anew.
    const isNamed = own.has(wamid) || (text !== undefined && failed.has(wamid))
    if (isFirst && !isNamed) violations.push(`I4: no message of ours has ${wamid}`)
  }
  return violations
}

/** Messages to one recipient reach Meta in the order in which they were accepted; those that died and came back have none. */
export function checkOrder({ ledger, client, rows }: Evidence): string[] {
  const again = new Set(rows.letters.map(({ messageId }) => messageId))
  const excepted = new Set(rows.messages.flatMap(({ id, text }) => (again.has(id) ? text : [])))
  const wanted = new Set(client.sends.map(({ text }) => text).filter((one) => !excepted.has(one)))
  const inOrder = ledger.sends.filter(({ request }) => wanted.has(textOf(request) ?? ''))
  const lanes = groups(inOrder, (send) => `${send.phone_number_id} ${send.recipient.input}`)
  return [...lanes.values()].flatMap((sends) => {
    const texts = [...new Set(sends.map(({ request }) => textOf(request) ?? ''))]
    return texts.flatMap((text, index) => {
      const before = texts[index - 1]
      if (before === undefined || numberIn(before) < numberIn(text)) return []
      return `order: “${text}” reached Meta after “${before}”`
    })
  })
}

const ladder = ['queued', 'sent', 'failed', 'delivered', 'read', 'played']

/** I2, I7: every status that was acknowledged is kept, each once and none that nobody told of; and a message shows the highest under its name, neither less nor more. */
export function checkStatuses({ ledger, rows }: Evidence): string[] {
  const told = itemsOf(ledger).flatMap(({ kind, wamid, status, isAcknowledged }) =>
    kind === 'status' ? { name: `${wamid} ${status}`, isAcknowledged } : [],
  )
  // An answer can be lost: what is kept may be of a delivery that Meta holds for failed.
  const known = new Set(told.map(({ name }) => name))
  const nameOf = ({ wamid, status }: Rows['steps'][number]) => `${wamid} ${status}`
  const kept = new Set(rows.steps.map(nameOf))
  const acknowledged = told.flatMap((one) => (one.isAcknowledged ? one.name : []))
  const violations = [
    ...[...new Set(acknowledged)]
      .filter((name) => !kept.has(name))
      .map((name) => `I1: the acknowledged status ${name} is lost`),
    ...repeated(rows.steps.map((one) => `${nameOf(one)} ${one.participant}`)).map(
      (name) => `I2: the status ${name.trim()} is kept twice`,
    ),
    ...[...kept]
      .filter((name) => !known.has(name))
      .map((name) => `I2: nobody told of the status ${name}`),
  ]
  const steps = groups(rows.steps, ({ wamid }) => wamid)
  for (const { direction, wamid, status, text } of rows.messages) {
    if (direction !== 'outbound' || wamid === null) continue
    const reached = (steps.get(wamid) ?? []).map((one) => ladder.indexOf(one.status))
    // Whatever has a name at Meta was accepted.
    const highest = Math.max(ladder.indexOf('sent'), ...reached)
    if (status === ladder[highest]) continue
    violations.push(`I7: “${text}” is ${status}, but was ${ladder[highest]}`)
  }
  return violations
}

/** I9: what was decided is decided, once, and the audit tells of it; also where Meta's word undid that a message was sent. */
export function checkDecisions({ client, rows }: Evidence): string[] {
  const letters = new Map(rows.letters.map((letter) => [letter.id, letter]))
  const acts = groups(rows.decisions, ({ letterId }) => letterId)
  const actionsOn = (id: string) => (acts.get(id) ?? []).map(({ action }) => action)
  const isUndone = (id: string) => standing(actionsOn(id)).length < actionsOn(id).length
  return [
    ...client.decisions
      .filter(({ letterId, state }) => letters.get(letterId)?.state !== state)
      .filter(({ letterId, state }) => state !== 'resolved' || !isUndone(letterId))
      .map(({ letterId, state }) => `I9: ${letterId} was ${state}, and now it is not`),
    ...rows.letters
      .filter(({ state }) => state === 'requeued' || state === 'discarded')
      .filter(({ id, state }) => {
        const audited = standing(actionsOn(id))
        return audited.length !== 1 || audited[0] !== `dead_letter.${state}`
      })
      .map(({ id, state }) => `I9: ${id} is ${state}, but the audit tells otherwise`),
  ]
}

/** Without the pairs of a resolution and what undid it. */
function standing(actions: string[]): string[] {
  const stand: string[] = []
  for (const action of actions) {
    const isUndoing = action === 'dead_letter.reopened' && stand.at(-1) === 'dead_letter.resolved'
    if (isUndoing) stand.pop()
    else stand.push(action)
  }
  return stand
}

/** L1: nothing is left under way. */
export function checkEnds({ rows }: Evidence): string[] {
  const open = (what: string, list: { id: string; status: string }[], ends: string[]) =>
    list
      .filter(({ status }) => !ends.includes(status))
      .map(({ id, status }) => `L1: the ${what} ${id} is still ${status}`)
  return [
    ...open('webhook', rows.webhooks, ['done', 'failed']),
    ...open('send', rows.sends, ['done', 'failed']),
    ...open(
      'message',
      rows.messages.filter(({ direction }) => direction === 'outbound'),
      ['sent', 'delivered', 'read', 'played', 'failed', 'unknown', 'cancelled'],
    ),
    ...open(
      'delivery of',
      rows.deliveries.map(({ eventId, status }) => ({ id: eventId, status })),
      ['done', 'failed'],
    ),
    ...open(
      'file',
      rows.media.map(({ id, state }) => ({ id, status: state })),
      // What died halfway up waits for the sweep, for an hour at least; what is on its way out for the next one.
      ['stored', 'expired', 'failed', 'uploading', 'deleting'],
    ),
    // It is tried for a day before it is given up, and no run lasts so long.
    ...open('notification', rows.notifications, ['done']),
    ...rows.events
      .filter(({ position }) => position === null)
      .map(({ id }) => `L1: the event ${id} has no place yet`),
  ]
}

/** The audit's chains are whole, and what was received adds up. */
export function checkBooks({ audit, accounting }: Evidence): string[] {
  return [
    ...audit.broken.map(({ chain, message }) => `I9: the audit of ${chain} is broken: ${message}`),
    ...accounting.differences.map(({ message }) => `accounting: ${message}`),
  ]
}

interface Item {
  kind: string
  wamid: string | null
  status: string | null
  isAcknowledged: boolean
}

/** What Meta delivered, without what it garbled on the way. */
function itemsOf({ deliveries }: Evidence['ledger']): Item[] {
  return deliveries
    .filter(({ faults }) => !faults.some((one) => one.startsWith('malformed')))
    .flatMap(({ items, state }) =>
      items.map(({ kind, wamid, status }) => {
        return { kind, wamid, status, isAcknowledged: state === 'delivered' }
      }),
    )
}

function messagesOf(ledger: Evidence['ledger']): ClientLog['webhooks'] {
  return itemsOf(ledger).flatMap(({ kind, wamid, isAcknowledged }) =>
    kind === 'message' && wamid !== null ? { wamid, isAcknowledged } : [],
  )
}

/** A person said that it is to be sent again. */
function requeues(rows: Rows, { id }: MessageDump): number {
  return rows.sends.filter(({ messageId, parentId }) => messageId === id && parentId !== null)
    .length
}

/** Of what nobody knew whether Meta had it, a person may have said so, rightly or not. */
function sentByHand({ letters, decisions }: Rows): Set<string> {
  const marked = new Set(
    decisions
      .filter(({ action, isByPerson }) => action === 'dead_letter.resolved' && isByPerson)
      .map(({ letterId }) => letterId),
  )
  return new Set(letters.filter(({ id }) => marked.has(id)).flatMap((one) => one.messageId ?? []))
}

/** Attempts of which nobody knew what became. */
function ambiguous(rows: Rows, { id }: MessageDump): number {
  return rows.attempts.filter(
    ({ messageId, outcome, isDead }) => messageId === id && (isDead || outcome === 'unknown'),
  ).length
}

function textOf(request: Record<string, unknown>): string | undefined {
  const { body } = (request.text ?? {}) as { body?: unknown }
  return typeof body === 'string' ? body : undefined
}

const digitsOf = (phone: string) => phone.replaceAll(/\D/g, '')

/** The last number in it. */
function numberIn(text: string): number {
  return Number(/(\d+)\D*$/.exec(text)?.[1] ?? 0)
}
