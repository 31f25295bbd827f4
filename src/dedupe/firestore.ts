// Marks in Firestore: documents that are created (one of many succeeds) or written, and nothing else, so that no clock but
// ours and no transaction is needed, and both emulators do. A send's key has a document per attempt, numbered: whoever
// creates the next number has taken over. `expireAt` is for Firestore's own TTL, which is days late: here it is compared.
// The generated client, because the other one goes on asking for ten minutes after nobody waits any more.
import firestore from '@google-cloud/firestore'
import { credentials } from '@grpc/grpc-js'
import type { Clock } from '../time-and-chance.ts'
import type { Begun, Mark, Marks, MarkTimes } from './marks.ts'

export interface FirestoreMarksOptions extends MarkTimes {
  project: string
  emulatorHost: string | undefined
  clock: Clock
  patienceMs: number
}

interface StoredMark {
  state: string
  attempt: string
  proof: string
  expireAtMs: number
}

/** Its TTL policy goes on the field `expireAt`. */
const collection = 'estafet_dedupe'
/** Attempts at one row that are told apart; the ones after that are Postgres' alone to tell apart. */
const mostAttempts = 32

export function openFirestoreMarks(options: FirestoreMarksOptions): Marks {
  const { clock, commitMs, postMs, keepMs } = options
  const documents = openDocuments(options)
  const nowMs = () => clock.now().getTime()
  const markOf = (state: string, forMs: number, attempt = '', proof = ''): StoredMark => ({
    state,
    attempt,
    proof,
    expireAtMs: nowMs() + forMs,
  })

  async function markOne(key: string): Promise<Mark> {
    const pending = markOf('pending', commitMs)
    if (await documents.create(key, pending)) return 'new'
    const found = await documents.read(key)
    if (!found || found.expireAtMs > nowMs()) return found?.state === 'done' ? 'done' : 'pending'
    await documents.write([key], pending)
    return 'new'
  }

  /** Undefined: what stands there is over, and the next number decides. */
  async function beginAt(place: string, attempt: string): Promise<Begun | undefined> {
    if (await documents.create(place, markOf('pending', postMs, attempt))) {
      return { state: 'begun', place }
    }
    const found = await documents.read(place)
    // Created and gone, or not there yet: somebody is at it this moment.
    if (!found) return { state: 'pending', leftMs: 0 }
    const leftMs = found.expireAtMs - nowMs()
    if (leftMs <= 0 || found.state === 'failed') return undefined
    if (found.state === 'sent') return { state: 'sent', proof: found.proof }
    return found.attempt === attempt ? { state: 'begun', place } : { state: 'pending', leftMs }
  }

  return {
    markIfNew: (keys) => Promise.all(keys.map(markOne)),
    confirm: (keys) => documents.write(keys, markOf('done', keepMs)),
    async begin(key, attempt) {
      for (let number = 1; number <= mostAttempts; number++) {
        const begun = await beginAt(`${key}-${number}`, attempt)
        if (begun) return begun
      }
      return { state: 'begun', place: `${key}-${mostAttempts}` }
    },
    finishSent: (place, attempt, proof) =>
      documents.write([place], markOf('sent', keepMs, attempt, proof)),
    finishFailed: (place, attempt) => documents.write([place], markOf('failed', keepMs, attempt)),
    check: () => documents.write(['check'], markOf('pending', commitMs)),
    close: documents.close,
  }
}

interface Documents {
  /** False when it is there already. */
  create(id: string, mark: StoredMark): Promise<boolean>
  read(id: string): Promise<StoredMark | undefined>
  /** Whatever stands there; every field, since one of the emulators keeps what is left out. */
  write(ids: string[], mark: StoredMark): Promise<void>
  close(): Promise<void>
}

/** gRPC's words for: it is there, or somebody is at it this moment. */
const conflicts = [6, 10]

function openDocuments({ project, emulatorHost, patienceMs }: FirestoreMarksOptions): Documents {
  const once = {
    timeout_millis: patienceMs,
    retry_codes_name: 'none',
    retry_params_name: 'default',
  }
  const [servicePath, port] = emulatorHost?.split(':') ?? []
  const client = new firestore.v1.FirestoreClient({
    projectId: project,
    ...(emulatorHost && {
      servicePath,
      port: Number(port),
      sslCreds: credentials.createInsecure(),
    }),
    // Back within a second of its return; gRPC would take up to two minutes to try again.
    'grpc.max_reconnect_backoff_ms': 1_000,
    clientConfig: {
      interfaces: {
        'google.firestore.v1.Firestore': {
          retry_codes: { none: [] },
          methods: { Commit: once, BatchGetDocuments: once },
        },
      },
    },
  })
  // As the emulators want it; elsewhere the credentials of the machine are used.
  const call = emulatorHost ? { otherArgs: { headers: { authorization: 'Bearer owner' } } } : {}
  const database = `projects/${project}/databases/(default)`
  const nameOf = (id: string) => `${database}/documents/${collection}/${id}`
  return {
    async create(id, mark) {
      const update = { name: nameOf(id), fields: fieldsOf(mark) }
      const writes = [{ update, currentDocument: { exists: false } }]
      try {
        await client.commit({ database, writes }, call)
        return true
      } catch (error) {
        if (conflicts.includes(codeOf(error))) return false
        throw error
      }
    },
    // As a list of one: a plain read is more than one of the emulators has.
    read: (id) =>
      new Promise((resolve, reject) => {
        const once = { ...call, retryRequestOptions: { retries: 0, noResponseRetries: 0 } }
        let mark: StoredMark | undefined
        client
          .batchGetDocuments({ database, documents: [nameOf(id)] }, once)
          .on('data', ({ found }: { found?: { fields?: Fields } | null }) => {
            if (found) mark = markIn(found.fields ?? {})
          })
          .on('error', reject)
          .on('end', () => resolve(mark))
      }),
    async write(ids, mark) {
      const writes = ids.map((id) => ({ update: { name: nameOf(id), fields: fieldsOf(mark) } }))
      try {
        await client.commit({ database, writes }, call)
      } catch (error) {
        // Somebody writes the same this moment.
        if (!conflicts.includes(codeOf(error))) throw error
      }
    },
    close: () => client.close(),
  }
}

function codeOf(error: unknown): number {
  return (error as { code?: number }).code ?? -1
}

function fieldsOf({ state, attempt, proof, expireAtMs }: StoredMark) {
  const seconds = Math.floor(expireAtMs / 1000)
  return {
    state: { stringValue: state },
    attempt: { stringValue: attempt },
    proof: { stringValue: proof },
    expireAt: { timestampValue: { seconds, nanos: (expireAtMs % 1000) * 1e6 } },
  }
}

type Fields = Record<
  string,
  {
    stringValue?: string | null
    timestampValue?: { seconds?: unknown; nanos?: number | null } | null
  }
>

function markIn({ state, attempt, proof, expireAt }: Fields): StoredMark {
  const { seconds, nanos } = expireAt?.timestampValue ?? {}
  return {
    state: state?.stringValue ?? '',
    attempt: attempt?.stringValue ?? '',
    proof: proof?.stringValue ?? '',
    expireAtMs: Number(seconds ?? 0) * 1000 + Math.floor((nanos ?? 0) / 1e6),
  }
}
