// Grammar fuzzing of webhooks over HTTP: Meta's own, with anything in them changed, beside good messages that must arrive.
import { sql } from '../../src/db/connect.ts'
import { isObject } from '../../src/meta/json.ts'
import { signatureOf, tenantANumber, tenantBNumber } from '../../test/support/gateway.ts'
import { entry, textMessage } from '../../test/support/payloads.ts'
import { until } from '../../test/support/program.ts'
import type { Dice } from './dice.ts'
import { askPatiently, type FuzzAnswer } from './http.ts'
import type { Kind } from './kind.ts'
import { knocks } from './knocks.ts'
import type { GrammarCase, GrammarPlace } from './model.ts'
import { changed, heavyChanges, pathsIn, toJson, wireChanges } from './mutations.ts'
import { readingMs } from './processor-time.ts'
import { webhookBodies } from './samples.ts'

/** The number of the good messages that have a change of their own. */
export const siblingNumber = { waba_id: 'waba-of-siblings', phone_number_id: 'number-of-siblings' }

const webhookPaths = ['/api/webhooks/meta/whatsapp', '/webhooks/whatsapp']
const bodyLimit = 4 * 1024 * 1024
const ordinary = Object.values(wireChanges)
const heavy = Object.values(heavyChanges)
const texts = webhookBodies.map((raw) => raw.toString())
const pathsOf = texts.map((text) => pathsIn(JSON.parse(text)))

/** `tag` makes the ids of a case its own, also between two runs on one database. */
export function grammarKind(place: GrammarPlace, tag: string): Kind<GrammarCase> {
  const counts = new Map<string, number>()
  return {
    name: 'grammar',
    chunkSize: 4_000,
    inFlight: 24,
    make(dice, number) {
      const name = `${tag}-${number}`
      const path = dice.pick(webhookPaths)
      const plain = { method: 'POST' as const, path, headers: {}, good: [], refused: [] }
      if (dice.isOneIn(7)) return { ...plain, ...dice.pick(knocks)(dice, name) }
      const { body, good } = mutatedDelivery(dice, name)
      const isTooLarge = body.length > bodyLimit
      const allowed = [isTooLarge ? 413 : 200]
      return { ...plain, body, good: isTooLarge ? [] : good, isSigned: true, allowed }
    },
    async run(one) {
      const request = {
        method: one.method,
        path: one.path,
        headers: {
          'content-type': 'application/json',
          ...(one.isSigned && { 'x-hub-signature-256': signatureOf(one.body) }),
          ...one.headers,
        },
        ...(one.method === 'POST' && { body: one.body }),
      }
      const answer = await askPatiently(place.ask, request, counts)
      counts.set(String(answer.status), (counts.get(String(answer.status)) ?? 0) + 1)
      return problemOf(one, answer)
    },
    *smaller(one) {
      for (const body of smallerBodies(one.body)) {
        const text = body.toString()
        yield { ...one, body, good: one.good.filter((wamid) => text.includes(wamid)) }
      }
    },
    settle: (chunk) => settle(place, chunk),
    leastMs: ({ body }) => readingMs(body),
    counts: () => counts,
  }
}

/** Of the answer alone. */
export function problemOf(one: GrammarCase, { status, json, headers }: FuzzAnswer) {
  if (!one.allowed.includes(status)) return `answered ${status}, allowed is ${one.allowed}`
  if (status < 400) return undefined
  const error = isObject(json) && isObject(json.error) ? json.error : {}
  const isNamed = typeof error.code === 'string' && typeof error.message === 'string'
  if (!isNamed || error.request_id !== headers.get('x-request-id'))
    return 'an error of another form'
  return undefined
}

function mutatedDelivery(dice: Dice, name: string): { body: Buffer; good: string[] } {
  const which = dice.below(texts.length)
  const text = texts[which]?.replaceAll('wamid.', `wamid.${name}.`) ?? ''
  let value: unknown = JSON.parse(text)
  const all = pathsOf[which] ?? []
  const isInside = !dice.isOneIn(10)
  const paths = isInside
    ? all.filter(([first, index]) => first === 'entry' && index !== undefined)
    : all
  for (let count = 1 + dice.below(4); count > 0; count--) {
    const change = dice.isOneIn(400) ? dice.pick(heavy) : dice.pick(ordinary)
    value = changed(value, dice.pick(paths), change)
  }
  return withSiblings(value, dice, name)
}

/** Good messages: in lists that are still lists, and in entries of their own. */
function withSiblings(value: unknown, dice: Dice, name: string): { body: Buffer; good: string[] } {
  const good: string[] = []
  const isOurs =
    isObject(value) && [undefined, 'whatsapp_business_account'].includes(value.object as string)
  if (!isOurs || !Array.isArray(value.entry)) return { body: Buffer.from(toJson(value)), good }
  const sibling = () => {
    const wamid = `wamid.good.${name}.${good.length}`
    good.push(wamid)
    return textMessage(wamid, 'still here', { from: String(16505550100 + dice.below(50)) })
  }
  // Also twice in one list, or in an entry that is there twice: it is still one message.
  const onceOrTwice = <T>(one: T): T[] => (dice.isOneIn(6) ? [one, one] : [one])
  const entries = value.entry.map((one) => withSiblingsInside(one, () => onceOrTwice(sibling())))
  const own = () => onceOrTwice(entry({ number: siblingNumber, messages: onceOrTwice(sibling()) }))
  if (dice.isOneIn(2)) entries.unshift(...own())
  if (good.length === 0 || dice.isOneIn(2)) entries.push(...own())
  return { body: Buffer.from(toJson({ ...value, entry: entries })), good }
}

function withSiblingsInside(one: unknown, siblings: () => unknown[]): unknown {
  if (!isObject(one) || !Array.isArray(one.changes)) return one
  const number = [tenantANumber, tenantBNumber].find(({ waba_id }) => waba_id === one.id)
  const changes = one.changes.map((change: unknown) => {
    if (!isObject(change) || change.field !== 'messages' || !isObject(change.value)) return change
    const { metadata, messages } = change.value
    const isWhole =
      isObject(metadata) &&
      metadata.phone_number_id === number?.phone_number_id &&
      number !== undefined
    if (!isWhole || !Array.isArray(messages)) return change
    return { ...change, value: { ...change.value, messages: [...messages, ...siblings()] } }
  })
  return { ...one, changes }
}

/** The same JSON with a node left out, the largest first. What is too deep to be written again stays as it is. */
function* smallerBodies(body: Buffer): Generator<Buffer> {
  try {
    const value: unknown = JSON.parse(body.toString())
    const paths = pathsIn(value).slice(0, 500)
    for (const path of paths.toSorted((one, other) => one.length - other.length)) {
      const less = Buffer.from(toJson(changed(value, path, () => undefined)))
      if (less.length < body.length) yield less
    }
  } catch {
    return
  }
}

/** Once everything is processed: whether the good are there, and nothing else. */
async function settle({ db, restore, troubles }: GrammarPlace, chunk: GrammarCase[]) {
  await until(
    'every webhook is processed',
    async () => {
      const [row] = await db.query(sql<{ is_busy: boolean }>`
        select exists (
          select from whatsapp_webhook_events
          where status = 'processing' or status = 'pending' and next_run_at <= now()) as is_busy`)
      return row?.is_busy === false
    },
    600_000,
  )
  const problems = new Map<number, string>()
  const placeOf = new Map(
    chunk.flatMap(({ good }, at) => good.map((wamid) => [wamid, at] as const)),
  )
  const found = await db.query(sql<{ wamid: string; count: number }>`
    select wamid, count(*)::int as count
    from whatsapp_messages
    where wamid = any(${[...placeOf.keys()]})
    group by wamid`)
  const counted = new Map(found.map(({ wamid, count }) => [wamid, count]))
  for (const [wamid, at] of placeOf) {
    const count = counted.get(wamid) ?? 0
    if (count !== 1) problems.set(at, `a good sibling is there ${count} times`)
  }
  const refusedOf = new Map(
    chunk.flatMap((one, at) => one.refused.map((wamid) => [wamid, at] as const)),
  )
  const taken = await db.query(sql<{ wamid: string }>`
    select wamid from whatsapp_messages where wamid = any(${[...refusedOf.keys()]})`)
  for (const { wamid } of taken)
    problems.set(refusedOf.get(wamid) ?? 0, 'what was refused is there')
  const stuck = await db.query(sql<{ raw: Buffer; last_error: string | null }>`
    select raw, last_error from whatsapp_webhook_events where status = 'pending' and attempt > 0 limit 20`)
  for (const { raw, last_error } of stuck) {
    const at = chunk.findIndex(({ body }) => body.equals(raw))
    problems.set(Math.max(0, at), `is tried again and again: ${last_error}`)
  }
  for (const trouble of new Set(troubles().slice(0, 50))) {
    if (!problems.has(0)) problems.set(0, `among the cases from here on: ${trouble}`)
  }
  await restore()
  return problems
}
