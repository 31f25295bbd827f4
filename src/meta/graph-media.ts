// Files at Meta: handing one over, asking for one, and getting its bytes. The token goes to the Graph API and to the hosts
// that Meta keeps files on, and nowhere else, whatever an answer says.
import { Readable } from 'node:stream'
import { type Dispatcher, request } from 'undici'
import { targetProblem } from '../net/guarded-agent.ts'
import type { Clock, Random } from '../time-and-chance.ts'
import type { Graph, GraphAnswer, NumberAccess } from './graph.ts'

export interface OutgoingFile {
  /** A safe one: it becomes part of a header. */
  filename: string
  mimeType: string
  bytes: number
  content: Readable
}

export interface FileAtMeta {
  url: string
  mimeType: string | null
  /** 32 bytes. */
  sha256: Buffer | null
  bytes: number | null
}

export type Found = { kind: 'found'; file: FileAtMeta } | Exclude<GraphAnswer, { kind: 'accepted' }>
export type Uploaded = { kind: 'uploaded'; id: string } | Exclude<GraphAnswer, { kind: 'accepted' }>

export type Download =
  /** Reading it fails when it takes too long. `end` is to be called in any case. */
  | { kind: 'content'; content: Readable; end(): void }
  | { kind: 'refused'; statusCode: number }
  /** The address is none of Meta's: nobody was called. */
  | { kind: 'foreign_host' }
  | { kind: 'unreachable'; code: string }

export interface GraphMedia {
  upload(number: NumberAccess, file: OutgoingFile): Promise<Uploaded>
  /** Only what belongs to this number is found. */
  find(number: NumberAccess, mediaId: string): Promise<Found>
  download(number: NumberAccess, url: string, signal: AbortSignal): Promise<Download>
  close(): Promise<void>
}

export interface GraphMediaOptions {
  graph: Graph
  /** META_GRAPH_URL: files may lie there too, as they do at the simulator's. */
  graphUrl: string
  /** SEND_TIMEOUT_MS; larger files get longer. */
  timeoutMs: number
  /** For Meta's file hosts: names that only Meta should answer for, but DNS is not Meta. */
  guarded: Dispatcher
  /** For META_GRAPH_URL, which the operator chose, wherever it is. */
  plain: Dispatcher
  clock: Clock
  random: Random
}

/** What the slowest line that is still of use carries a second. */
const slowestBytesPerMs = 512
/** Of a whole download: Meta's URLs live five minutes. */
const downloadTimeoutMs = 2 * 60_000
const metasFileHosts = /^(?:[a-z0-9-]+\.)*(?:fbsbx\.com|fbcdn\.net)$/
/** Meta's file host is said to turn away callers without a name. */
const userAgent = 'Mozilla/5.0 (compatible; Estafet)'

export function createGraphMedia(options: GraphMediaOptions): GraphMedia {
  const { graph, timeoutMs, clock, random } = options
  const graphOrigin = new URL(options.graphUrl).origin

  return {
    async upload({ phoneNumberId, accessToken }, file) {
      const form = multipart(file, random)
      const answer = await graph.call({
        method: 'POST',
        path: [phoneNumberId, 'media'],
        accessToken,
        body: form.content,
        headers: form.headers,
        limitMs: timeoutMs + Math.ceil(file.bytes / slowestBytesPerMs),
      })
      file.content.destroy()
      if (answer.kind !== 'accepted') return answer
      const { id } = answer.body
      return typeof id === 'string' && /^[\x21-\x7e]{1,128}$/.test(id)
        ? { kind: 'uploaded', id }
        : unreadable
    },

    async find({ phoneNumberId, accessToken }, mediaId) {
      const answer = await graph.call({
        method: 'GET',
        path: [mediaId],
        query: { phone_number_id: phoneNumberId },
        accessToken,
      })
      if (answer.kind !== 'accepted') return answer
      const { url, mime_type, sha256, file_size } = answer.body
      if (typeof url !== 'string') return unreadable
      const mimeType = typeof mime_type === 'string' ? mime_type : null
      return {
        kind: 'found',
        file: { url, mimeType, sha256: readSha256(sha256), bytes: readSize(file_size) },
      }
    },

    async download({ accessToken }, url, signal) {
      const host = hostOf(url, graphOrigin)
      if (host === 'foreign') return { kind: 'foreign_host' }
      const ending = new AbortController()
      const end = () => ending.abort()
      const cancel = clock.after(downloadTimeoutMs, end)
      signal.addEventListener('abort', end, { once: true })
      const cleanUp = () => {
        cancel()
        signal.removeEventListener('abort', end)
      }
      if (signal.aborted) end()
      try {
        const { statusCode, body } = await request(url, {
          dispatcher: host === 'graph' ? options.plain : options.guarded,
          headers: { authorization: `Bearer ${accessToken}`, 'user-agent': userAgent },
          signal: ending.signal,
        })
        if (statusCode === 200) {
          body.once('close', cleanUp)
          return { kind: 'content', content: body, end }
        }
        cleanUp()
        // What a stranger answers is not read to its end; that takes the connection with it.
        body.on('error', () => undefined)
        end()
        return { kind: 'refused', statusCode }
      } catch (error) {
        cleanUp()
        const { code } = error as { code?: unknown }
        return { kind: 'unreachable', code: typeof code === 'string' ? code : 'UNREACHABLE' }
      }
    },

    async close() {
      await Promise.all([options.guarded.destroy(), options.plain.destroy()])
    },
  }
}

const unreadable = { kind: 'unreachable', code: 'UNREADABLE', bytesLeft: true } as const

/** Whose host it is; the token is for Meta alone. */
function hostOf(text: string, graphOrigin: string): 'graph' | 'meta' | 'foreign' {
  if (!URL.canParse(text)) return 'foreign'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'foreign'
  if (url.origin === graphOrigin) return 'graph'
  const isMetas = url.protocol === 'https:' && url.port === '' && metasFileHosts.test(url.hostname)
  return isMetas && targetProblem(text, { allowPrivate: false }) === undefined ? 'meta' : 'foreign'
}

/** Hex in Graph's answers, base64 in webhooks; null for anything else. */
export function readSha256(value: unknown): Buffer | null {
  if (typeof value !== 'string') return null
  if (/^[0-9a-fA-F]{64}$/.test(value)) return Buffer.from(value, 'hex')
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(value) ? Buffer.from(value, 'base64') : null
}

/** A number, or the same as text. */
function readSize(value: unknown): number | null {
  const size = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(size) && (size as number) >= 0 ? (size as number) : null
}

/** The form as a stream of known length, so that a large file is never held in memory. */
function multipart({ filename, mimeType, bytes, content }: OutgoingFile, random: Random) {
  // The file is not searched for it: 128 random bits do not occur in it by chance.
  const boundary = `estafet-${random.bytes(16).toString('hex')}`
  const field = (name: string, value: string) =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const head = Buffer.from(
    `${field('messaging_product', 'whatsapp')}${field('type', mimeType)}--${boundary}\r\n` +
      `content-disposition: form-data; name="file"; filename="${filename}"\r\n` +
      `content-type: ${mimeType}\r\n\r\n`,
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  async function* parts() {
    yield head
    yield* content
    yield tail
  }
  return {
    content: Readable.from(parts(), { objectMode: false }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + bytes + tail.length),
    },
  }
}
