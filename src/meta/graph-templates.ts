// Templates at Meta: list, read, create, edit, delete, unpause. Calls and their answers, and nothing about tenants.
import type { Clock } from '../time-and-chance.ts'
import type { Graph, GraphCall } from './graph.ts'
import type { OutgoingFile } from './graph-media.ts'
import { isObject, type JsonObject, parseJson, storable, TooDeep } from './json.ts'
import { classify, type Outcome } from './outcomes.ts'
import { type HttpAnswer, readSendAnswer } from './send-answer.ts'
import { idText } from './webhook-item.ts'

/** A template as Meta lists it. */
export interface MetaTemplate {
  metaId: string
  name: string
  language: string
  status: string
  category: string | null
  parameterFormat: 'POSITIONAL' | 'NAMED'
  components: JsonObject[]
  quality: string | null
  rejectionReason: string | null
  ttlSeconds: number | null
}

export interface TemplatePage {
  templates: MetaTemplate[]
  /** Entries that are no templates to us; a listing with such is still complete. */
  unreadable: number
  /** Where the next page begins; null after the last one. */
  next: string | null
}

export interface Failed {
  kind: 'failed'
  outcome: Outcome
  /** Meta's own words for the person who wrote the template, where it has any. */
  title: string | null
  text: string | null
}

export interface Succeeded<Value> {
  kind: 'accepted'
  value: Value
  /** By Meta's clock, and no later than the moment it looked: what it tells later may be newer. */
  at: Date
}

export type TemplateAnswer<Value> = Succeeded<Value> | Failed

export interface CreatedTemplate {
  metaId: string
  status: string
  category: string | null
}

export interface GraphTemplates {
  list(wabaId: string, token: string, after: string | null): Promise<TemplateAnswer<TemplatePage>>
  read(metaId: string, token: string): Promise<TemplateAnswer<MetaTemplate>>
  create(wabaId: string, token: string, body: JsonObject): Promise<TemplateAnswer<CreatedTemplate>>
  edit(metaId: string, token: string, body: JsonObject): Promise<TemplateAnswer<null>>
  unpause(metaId: string, token: string): Promise<TemplateAnswer<null>>
  /** One language, or all of that name when `metaId` is null. */
  delete(
    wabaId: string,
    token: string,
    name: string,
    metaId: string | null,
  ): Promise<TemplateAnswer<null>>
  /** Hands over what the header of a template may look like; the answer is the handle that a new template names. */
  giveSample(appId: string, token: string, file: OutgoingFile): Promise<TemplateAnswer<string>>
}

const fields = [
  ...['id', 'name', 'language', 'status', 'category', 'parameter_format', 'components'],
  ...['quality_score', 'rejected_reason', 'message_send_ttl_seconds'],
].join(',')

/** A page of large templates can be more than we read of an answer: then it is asked for in smaller ones. */
const pageSizes = ['100', '10', '1']

export function createGraphTemplates(
  graph: Graph,
  clock: Clock,
  signal?: AbortSignal,
): GraphTemplates {
  async function ask<Value>(
    call: GraphCall & { accessToken: string },
    read: (body: JsonObject) => Value | undefined,
  ): Promise<TemplateAnswer<Value> & { tooLarge?: boolean }> {
    const startedMs = clock.monotonicMs()
    const answer = await graph.ask({ ...call, signal })
    if ('kind' in answer) {
      const tooLarge = answer.code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE'
      return { ...failed(classify(answer)), tooLarge }
    }
    const told = readSendAnswer(answer, clock.now())
    if (told.kind === 'refused') {
      return withoutToken(refused(answer, classify(told)), call.accessToken)
    }
    const body = parseJson(answer.body)?.value
    const isGood = answer.statusCode >= 200 && answer.statusCode < 300 && isObject(body)
    const value = isGood ? readable(() => read(body)) : undefined
    if (value === undefined) {
      return failed(classify({ kind: 'unreadable', statusCode: answer.statusCode }))
    }
    const at = metaTime(answer, clock.now(), clock.monotonicMs() - startedMs)
    return { kind: 'accepted', value, at }
  }

  return {
    async list(wabaId, accessToken, after) {
      const page = (limit: string) =>
        ask(
          {
            method: 'GET',
            path: [wabaId, 'message_templates'],
            query: { fields, limit, ...(after !== null && { after }) },
            accessToken,
          },
          readPage,
        )
      let answer = await page(pageSizes[0] ?? '')
      for (const size of pageSizes.slice(1)) {
        if (!answer.tooLarge) break
        answer = await page(size)
      }
      return answer
    },
    read: (metaId, accessToken) =>
      ask({ method: 'GET', path: [metaId], query: { fields }, accessToken }, readTemplate),
    create: (wabaId, accessToken, body) =>
      ask(
        { method: 'POST', path: [wabaId, 'message_templates'], accessToken, body },
        ({ id, status, category }) => {
          const metaId = idText(id)
          if (metaId === undefined) return undefined
          return { metaId, status: wordIn(status) ?? 'PENDING', category: wordIn(category) }
        },
      ),
    edit: (metaId, accessToken, body) =>
      ask({ method: 'POST', path: [metaId], accessToken, body }, () => null),
    unpause: (metaId, accessToken) =>
      ask({ method: 'POST', path: [metaId, 'unpause'], accessToken, body: {} }, () => null),
    delete: (wabaId, accessToken, name, metaId) =>
      ask(
        {
          method: 'DELETE',
          path: [wabaId, 'message_templates'],
          query: { name, ...(metaId !== null && { hsm_id: metaId }) },
          accessToken,
        },
        () => null,
      ),
    giveSample: (appId, accessToken, file) => handOver(ask, appId, accessToken, file),
  }
}

type Ask = <Value>(
  call: GraphCall & { accessToken: string },
  read: (body: JsonObject) => Value | undefined,
) => Promise<TemplateAnswer<Value>>

/** Of handing over a sample; larger ones get longer, by what the slowest line that is still of use carries. */
const sampleLimitMs = 15_000
const slowestBytesPerMs = 512

/** Meta's resumable upload, in one piece. */
async function handOver(
  ask: Ask,
  appId: string,
  accessToken: string,
  { filename, mimeType, bytes, content }: OutgoingFile,
): Promise<TemplateAnswer<string>> {
  const session = await ask(
    {
      method: 'POST',
      path: [appId, 'uploads'],
      query: { file_name: filename, file_length: String(bytes), file_type: mimeType },
      accessToken,
    },
    ({ id }) => nameIn(id, 2000),
  )
  if (session.kind === 'failed') {
    content.destroy()
    return session
  }
  // Meta's ids of uploads carry a query of their own.
  const [path = '', query = ''] = session.value.split('?')
  return ask(
    {
      method: 'POST',
      path: [path],
      query: Object.fromEntries(new URLSearchParams(query)),
      accessToken,
      body: content,
      limitMs: sampleLimitMs + Math.ceil(bytes / slowestBytesPerMs),
      headers: {
        authorization: `OAuth ${accessToken}`,
        'content-type': mimeType,
        'content-length': String(bytes),
        file_offset: '0',
      },
    },
    ({ h }) => nameIn(h, 20_000),
  )
}

export function readPage(body: JsonObject): TemplatePage | undefined {
  if (!Array.isArray(body.data)) return undefined
  const paging = isObject(body.paging) ? body.paging : {}
  const cursors = isObject(paging.cursors) ? paging.cursors : {}
  // `cursors.after` is there on the last page too. `next` is an address: only whether there is one matters, because the
  // token goes nowhere but to the configured origin.
  const hasNext = typeof paging.next === 'string' && paging.next !== ''
  const after = idText(cursors.after)
  if (hasNext && after === undefined) return undefined
  const read = body.data.map((entry) => (isObject(entry) ? readTemplate(entry) : undefined))
  const templates = read.filter((one) => one !== undefined)
  return {
    templates,
    unreadable: read.length - templates.length,
    next: hasNext ? (after ?? null) : null,
  }
}

/** Longer than any name or language can be. */
export const maxNameLength = 512
export const maxLanguageLength = 32

export function readTemplate(entry: JsonObject): MetaTemplate | undefined {
  const metaId = idText(entry.id)
  const name = nameIn(entry.name, maxNameLength)
  const language = nameIn(entry.language, maxLanguageLength)
  const status = wordIn(entry.status)
  if (!metaId || !name || !language || !status) return undefined
  const components = Array.isArray(entry.components) ? entry.components.filter(isObject) : []
  const quality = isObject(entry.quality_score) ? entry.quality_score.score : entry.quality_score
  const reason = wordIn(entry.rejected_reason)
  const ttl = entry.message_send_ttl_seconds
  return {
    metaId,
    name,
    language,
    status,
    category: wordIn(entry.category),
    parameterFormat: wordIn(entry.parameter_format) === 'NAMED' ? 'NAMED' : 'POSITIONAL',
    components: storable(components) as JsonObject[],
    quality: wordIn(quality),
    rejectionReason: reason === 'NONE' ? null : reason,
    ttlSeconds: Number.isInteger(ttl) && Math.abs(ttl as number) < 2 ** 31 ? (ttl as number) : null,
  }
}

export function nameIn(value: unknown, max: number): string | undefined {
  const text = idText(value)
  return text === undefined || text.length > max ? undefined : text
}

/** Meta's own words, in capitals. */
export function wordIn(value: unknown): string | null {
  const text = nameIn(value, 128)
  return text === undefined ? null : text.toUpperCase()
}

/** What is nested too deeply to keep cannot be read. */
function readable<Value>(read: () => Value | undefined): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof TooDeep) return undefined
    throw error
  }
}

/** The answer's own date less the time it took; our clock only where it has none. */
function metaTime({ headers }: HttpAnswer, now: Date, elapsedMs: number): Date {
  const date = Array.isArray(headers.date) ? headers.date[0] : headers.date
  const at = date === undefined ? Number.NaN : Date.parse(date)
  return new Date((Number.isNaN(at) ? now.getTime() : at) - elapsedMs)
}

function failed(outcome: Outcome): Failed {
  return { kind: 'failed', outcome, title: null, text: null }
}

function refused(answer: HttpAnswer, outcome: Outcome): Failed {
  const body = parseJson(answer.body)?.value
  const error = isObject(body) && isObject(body.error) ? body.error : {}
  return {
    kind: 'failed',
    outcome,
    title: sentenceIn(error.error_user_title),
    text: sentenceIn(error.error_user_msg),
  }
}

function sentenceIn(value: unknown): string | null {
  if (typeof value !== 'string' || value === '') return null
  return storable(value.slice(0, 1000)) as string
}

/** Meta repeats a token that it cannot read, and its words are stored and shown. */
function withoutToken(answer: Failed, token: string): Failed {
  const clean = (text: string | null) => text?.replaceAll(token, '…') ?? null
  const { provider } = answer.outcome
  return {
    kind: 'failed',
    outcome: {
      ...answer.outcome,
      provider: provider && { ...provider, message: clean(provider.message) },
    },
    title: clean(answer.title),
    text: clean(answer.text),
  }
}
