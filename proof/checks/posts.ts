// I4, I13: what the database says of calls to Meta, held against the calls that Meta saw.
import type { GraphRequest } from '../../simulator/ledger.ts'
import { unpackCallback } from '../../src/meta/callback-data.ts'
import type { AttemptDump, Evidence } from './evidence.ts'

const isSend = ({ endpoint }: GraphRequest) =>
  endpoint === 'messages' || endpoint === 'marketing_messages'

/** The attempt that a call names. */
export function attemptIdOf({ body }: Pick<GraphRequest, 'body'>): string | undefined {
  const { biz_opaque_callback_data } = (body ?? {}) as Record<string, unknown>
  return unpackCallback(biz_opaque_callback_data)?.attemptId
}

/** Every call was announced by a committed attempt, and no attempt made two. */
export function checkPosts({ ledger, rows }: Evidence): string[] {
  const attempts = new Set(rows.attempts.map(({ id }) => id))
  const calls = ledger.requests
    .filter(isSend)
    // Of what was struck or broke off before it was read, nothing is known.
    .filter(({ body, wamid }) => body !== null || wamid !== null)
    .map((request) => ({ id: request.id, attemptId: attemptIdOf(request) }))
  const posted = calls.flatMap(({ attemptId }) => attemptId ?? [])
  const once = new Set<string>()
  const twice = new Set(posted.filter((id) => once.size === once.add(id).size))
  return [
    ...calls
      .filter(({ attemptId }) => attemptId === undefined)
      .map(({ id }) => `I4: the call ${id} names no attempt`),
    ...[...twice].map((id) => `I4: the attempt ${id} was posted twice`),
    ...posted.filter((id) => !attempts.has(id)).map((id) => `I4: no row announced the call ${id}`),
  ]
}

/**
 * The `attempts` of a message are the POSTs that were made for it: at least those whose answer was written down, at most those
 * that can have been made. Between the two are those whose sender died before it could count them.
 */
export function checkCounts({ ledger, rows }: Evidence): string[] {
  const seen = new Set(ledger.requests.filter(isSend).map(attemptIdOf))
  const least = new Map<string, number>()
  const most = new Map<string, number>()
  const count = (counts: Map<string, number>, { messageId }: AttemptDump) =>
    counts.set(messageId, (counts.get(messageId) ?? 0) + 1)
  for (const attempt of rows.attempts) {
    if (isCounted(attempt)) count(least, attempt)
    if (seen.has(attempt.id) || mayBePosted(attempt)) count(most, attempt)
  }
  return rows.messages
    .filter(({ direction }) => direction === 'outbound')
    .flatMap(({ id, attempts }) => {
      const [from, to] = [least.get(id) ?? 0, most.get(id) ?? 0]
      if (from <= attempts && attempts <= to) return []
      const made = from === to ? from : `${from} to ${to}`
      return `I13: the message ${id} says ${attempts} attempts, and ${made} were made`
    })
}

/** Whoever writes down Meta's answer counts the call in the same commit; nobody else knows the answer. */
const isCounted = ({ outcome, statusCode }: AttemptDump) =>
  statusCode !== null && outcome !== 'not_posted'

/** Meta does not read what it turns away at the door: such a call is in its ledger without a name, or not at all. */
const mayBePosted = ({ outcome, isDead }: AttemptDump) =>
  outcome !== null && outcome !== 'not_posted' && !isDead
