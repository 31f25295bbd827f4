// What Meta answers is foreign input too: whatever reads it, given answers that nobody expects.

import { Agent } from 'undici'
import { type Graph, type GraphCall, readAnswer } from '../../src/meta/graph.ts'
import { createGraphAccounts } from '../../src/meta/graph-accounts.ts'
import { createGraphMedia } from '../../src/meta/graph-media.ts'
import { createGraphTemplates } from '../../src/meta/graph-templates.ts'
import { isObject } from '../../src/meta/json.ts'
import { classify } from '../../src/meta/outcomes.ts'
import { type HttpAnswer, readSendAnswer } from '../../src/meta/send-answer.ts'
import { systemClock, systemRandom } from '../../src/time-and-chance.ts'
import type { Reader } from './model.ts'
import { type GraphAnswerSample, graphAnswers } from './samples.ts'

const samples = graphAnswers.map((answer) => Buffer.from(JSON.stringify(answer)))
const number = { phoneNumberId: '1', accessToken: 'token' }
const app = { appId: '1', appSecret: 'secret' }

/** The answer that the bytes describe; when they describe none, they are the body of one. */
function answerIn(bytes: Buffer): HttpAnswer {
  let told: Partial<GraphAnswerSample> = {}
  try {
    const value: unknown = JSON.parse(bytes.toString())
    if (isObject(value)) told = value as Partial<GraphAnswerSample>
  } catch {
    return { statusCode: 200, headers: {}, body: bytes }
  }
  const { status, headers, body } = told
  const texts = Object.entries(isObject(headers) ? headers : {}).filter(
    (pair): pair is [string, string] => typeof pair[1] === 'string',
  )
  return {
    statusCode: Number.isInteger(status) ? Math.min(599, Math.max(100, status ?? 200)) : 200,
    headers: Object.fromEntries(texts),
    body: typeof body === 'string' ? Buffer.from(body) : bytesOf(body, bytes),
  }
}

function bytesOf(value: unknown, otherwise: Buffer): Buffer {
  try {
    return Buffer.from(JSON.stringify(value) ?? '')
  } catch {
    // Nested too deeply for us to write; not for others to read.
    return otherwise
  }
}

/** A Meta that says this and nothing else. */
function graphSaying(bytes: Buffer): Graph {
  const answer = answerIn(bytes)
  const refuse = async () => {
    throw new Error('not asked here')
  }
  return {
    ask: async (_call: GraphCall) => answer,
    call: async () => readAnswer(answer, new Date()),
    send: refuse,
    markRead: refuse,
    close: async () => undefined,
  }
}

const isText = (value: string | null) =>
  value === null || (value.isWellFormed() && !value.includes('\0'))

function readSent(bytes: Buffer): string | undefined {
  const told = readSendAnswer(answerIn(bytes), new Date())
  const outcome = classify(told)
  if (told.kind === 'accepted' && (told.wamid === '' || !isText(told.wamid)))
    return 'a broken wamid'
  if (told.kind === 'refused' && !isText(told.provider.message))
    return 'words that cannot be stored'
  const wait = outcome.retryAfterSeconds
  if (wait !== null && !(wait >= 0 && Number.isFinite(wait))) return `a wait of ${wait} seconds`
  return outcome.advice === '' ? 'no advice' : undefined
}

async function readAccounts(bytes: Buffer): Promise<string | undefined> {
  const meta = createGraphAccounts(graphSaying(bytes))
  const info = await meta.debugToken(app, 'token')
  const expiresAt = info.kind === 'told' ? info.value.expiresAt : null
  if (expiresAt !== null && Number.isNaN(expiresAt.getTime())) return 'a token that ends at no time'
  const one = await meta.number('1', 'token')
  if (one.kind === 'told' && !isText(one.value.displayPhoneNumber)) return 'a broken number'
  await meta.numbersOf('1', 'token')
  await meta.subscribedApps('1', 'token')
  await meta.exchangeCode(app, 'code', null)
  return undefined
}

async function readTemplates(bytes: Buffer): Promise<string | undefined> {
  const meta = createGraphTemplates(graphSaying(bytes), systemClock)
  const page = await meta.list('1', 'token', null)
  if (page.kind === 'accepted') {
    for (const one of page.value.templates) if (!isText(one.name)) return 'a broken name'
  }
  if (page.kind === 'failed' && !isText(page.text)) return 'words that cannot be stored'
  await meta.read('1', 'token')
  await meta.create('1', 'token', {})
  return undefined
}

const nobody = new Agent()

async function readMedia(bytes: Buffer): Promise<string | undefined> {
  const media = createGraphMedia({
    graph: graphSaying(bytes),
    graphUrl: 'http://127.0.0.1:9',
    timeoutMs: 1,
    guarded: nobody,
    plain: nobody,
    clock: systemClock,
    random: systemRandom(systemClock),
  })
  const found = await media.find(number, '1')
  if (found.kind !== 'found') return undefined
  const { sha256, bytes: size } = found.file
  if (sha256 !== null && sha256.length !== 32) return 'a hash of another length'
  return size === null || (Number.isSafeInteger(size) && size >= 0)
    ? undefined
    : `a size of ${size}`
}

export const graphReaders: Reader[] = [
  { name: 'answer to a send', samples, isJson: true, read: readSent },
  { name: 'answer about accounts', samples, isJson: true, read: readAccounts },
  { name: 'answer about templates', samples, isJson: true, read: readTemplates },
  { name: 'answer about files', samples, isJson: true, read: readMedia },
]
