// I16: who wrote a stop word is called for nothing that was claimed after it was committed, nor long after it for what was
// claimed before, until they write again; and nothing ends for their sake unless they wrote one.
import { type Db, sql } from '../../src/db/connect.ts'
import type { Timing } from './doubles.ts'
import type { Evidence } from './evidence.ts'
import { attemptIdOf } from './posts.ts'
import { type Span, touches } from './span.ts'

/** Nobody here writes another. */
export const stopWord = 'STOP'
export const suppressedCode = 'RECIPIENT_SUPPRESSED'

/** What somebody wrote to a number. */
export interface Word {
  phoneNumberId: string
  from: string
  isStop: boolean
  /** By Meta's clock, in whole seconds. */
  saidMs: number
  receivedMs: number
  /** When it was committed that it is processed. */
  heardMs: number | null
}

export async function gatherWords(db: Db): Promise<Word[]> {
  return db.query(sql<Word>`
    select m.phone_number_id as "phoneNumberId", c.contact_wa_id as "from",
      coalesce(m.content #>> '{text,body}' = ${stopWord}, false) as "isStop",
      (extract(epoch from m.occurred_at) * 1000)::float8 as "saidMs",
      (extract(epoch from e.received_at) * 1000)::float8 as "receivedMs",
      (extract(epoch from pg_xact_commit_timestamp(e.xmin)) * 1000)::float8 as "heardMs"
    from whatsapp_messages m
    join whatsapp_conversations c on c.tenant_id = m.tenant_id and c.id = m.conversation_id
    join whatsapp_webhook_events e on e.id = m.event_id
    where m.direction = 'inbound'`)
}

/** A commit is seen a moment after the time that it is known by. */
const seenMs = 1_000

/**
 * Whether somebody wants no more is looked up right after the claim; until the POST its number's turn is waited for, which ends
 * with the lease. So long after a word everything that was looked up before it has left.
 */
const onItsWayMs = 15_000

/** When it is certain that nothing may be claimed for whoever said these: the latest word counts, in whatever order they came. */
function silencesOf(words: Word[]): Span[] {
  return words.flatMap((stop) => {
    if (!stop.isStop || stop.heardMs === null) return []
    // Of one second, either may be the later; and whoever claims may see a word before it is stamped.
    const undoing = words.filter(({ isStop, saidMs }) => !isStop && saidMs >= stop.saidMs)
    const toMs = Math.min(...undoing.map(({ receivedMs }) => receivedMs))
    return { fromMs: stop.heardMs + seenMs, toMs }
  })
}

export function checkConsent(
  { ledger, rows }: Pick<Evidence, 'ledger' | 'rows'>,
  { attempts }: Timing,
  words: Word[],
  /** Who stood still between the look and the POST posts when it comes to; what was on its way while Meta stood still came later. */
  outages: Span[],
): string[] {
  const attemptOf = new Map(attempts.map((one) => [one.id, one]))
  const said = new Map<string, Word[]>()
  for (const word of words) {
    const key = `${word.phoneNumberId} ${word.from}`
    said.set(key, [...(said.get(key) ?? []), word])
  }
  const silences = new Map([...said].map(([key, own]) => [key, silencesOf(own)]))
  const posted = ledger.requests.flatMap((request) => {
    const { phone_number_id, recipient, arrived_at } = request
    const startedMs = attemptOf.get(attemptIdOf(request) ?? '')?.startedMs
    if (startedMs === undefined) return []
    const arrivedMs = Date.parse(arrived_at)
    const wasDelayed = outages.some((one) => touches(one, { fromMs: startedMs, toMs: arrivedMs }))
    const silence = (silences.get(`${phone_number_id} ${recipient}`) ?? []).find(
      ({ fromMs, toMs }) =>
        (fromMs < startedMs && startedMs < toMs) ||
        (fromMs + onItsWayMs < arrivedMs && arrivedMs < toMs && !wasDelayed),
    )
    return silence ? [`I16: somebody was called at ${arrived_at} who had written a stop word`] : []
  })
  const stopped = new Set(
    words.flatMap(({ isStop, phoneNumberId, from }) => (isStop ? `${phoneNumberId} ${from}` : [])),
  )
  const toWhom = new Map(rows.messages.map((one) => [one.id, `${one.phoneNumberId} ${one.waId}`]))
  const ended = rows.letters
    .filter(({ errorCode }) => errorCode === suppressedCode)
    .filter(({ messageId }) => !stopped.has(toWhom.get(messageId ?? '') ?? ''))
    .map(({ messageId }) => `I16: the message ${messageId} ended for one who never wrote stop`)
  return [...posted, ...ended]
}
