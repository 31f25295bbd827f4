// Every call of the page to the API: with the session's token, for the chosen tenant, and with problems of one kind.
import { ApiProblem } from './problem.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
type QueryValue = string | number | boolean | undefined | null

export interface CallOptions {
  query?: Record<string, QueryValue>
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
  /** For whom, where it is not the tenant the page shows. Null: for nobody. */
  tenantId?: string | null
}

interface Standing {
  csrfToken: string
  /** Whom the page shows; operators say it with every call. */
  tenantId: string | null
  onSessionEnded(): void
}

let standing: Standing = { csrfToken: '', tenantId: null, onSessionEnded: () => undefined }
const sessionListeners = new Set<() => void>()

export function setStanding(changes: Partial<Standing>): void {
  standing = { ...standing, ...changes }
  if (changes.csrfToken !== undefined) for (const tell of sessionListeners) tell()
}

/** Told when somebody has signed in, again or for the first time. */
export function onSignedIn(listener: () => void): () => void {
  sessionListeners.add(listener)
  return () => sessionListeners.delete(listener)
}

const idleAfterMs = 60_000
let lastInputAt = Date.now()
const noteInput = () => {
  lastInputAt = Date.now()
}
for (const kind of ['pointerdown', 'keydown', 'wheel', 'touchstart']) {
  addEventListener(kind, noteInput, { passive: true, capture: true })
}

/** What the page sends by itself must not keep a session alive that nobody uses. */
export function sessionHeaders(tenantId = standing.tenantId): Record<string, string> {
  return {
    ...(tenantId !== null && { 'x-tenant-id': tenantId }),
    ...(Date.now() - lastInputAt > idleAfterMs && { 'x-idle': '1' }),
  }
}

export function addressOf(path: string, query: Record<string, QueryValue> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null)
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return given.length > 0 ? `${path}?${search}` : path
}

type ReachListener = (isReached: boolean) => void
const reachListeners = new Set<ReachListener>()

/** Told with every call whether anybody answered. */
export function onReach(listener: ReachListener): () => void {
  reachListeners.add(listener)
  return () => reachListeners.delete(listener)
}

function tellReach(isReached: boolean): void {
  for (const listener of reachListeners) listener(isReached)
}

/** Of calls that change something. */
export function changingHeaders(tenantId?: string | null) {
  return { ...sessionHeaders(tenantId), 'x-csrf-token': standing.csrfToken }
}

export function noAnswer(): ApiProblem {
  tellReach(false)
  return new ApiProblem(0, 'NO_CONNECTION', 'No answer from the gateway.')
}

interface Refusal {
  /** Of the session when the call was made. */
  csrfToken: string
  status: number
  statusText: string
  requestId: string | null
  body: unknown
}

/** What is to be thrown for an answer that is none of success. */
export function refused({ csrfToken, status, statusText, requestId, body }: Refusal) {
  const { error } = (body ?? {}) as { error?: Partial<ApiProblem> }
  const { code = `HTTP_${status}`, message = statusText, details } = error ?? {}
  // Not every 401: a wrong password ends nothing. With another token than this page's, somebody signed in meanwhile, in
  // another tab. What was asked before somebody signed in here says nothing of the session since.
  const isOver = code === 'UNAUTHORIZED' || code === 'CSRF_TOKEN_WRONG'
  if (isOver && csrfToken === standing.csrfToken) standing.onSessionEnded()
  return new ApiProblem(status, code, message, requestId ?? undefined, details)
}

async function ask(method: Method, path: string, options: CallOptions): Promise<Response> {
  const { query, body, headers, signal = null, tenantId } = options
  const isForm = body instanceof FormData
  const { csrfToken } = standing
  let answer: Response
  try {
    answer = await fetch(addressOf(path, query), {
      method,
      signal,
      credentials: 'same-origin',
      headers: {
        ...(method === 'GET' ? sessionHeaders(tenantId) : changingHeaders(tenantId)),
        ...(body !== undefined && !isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw noAnswer()
  }
  tellReach(true)
  if (answer.ok) return answer
  const { status, statusText, headers: said } = answer
  const requestId = said.get('x-request-id')
  throw refused({
    csrfToken,
    status,
    statusText,
    requestId,
    body: await answer.json().catch(() => ({})),
  })
}

export async function call<Answer>(
  method: Method,
  path: string,
  options: CallOptions = {},
): Promise<Answer> {
  const answer = await ask(method, path, options)
  return answer.status === 204 ? (null as Answer) : ((await answer.json()) as Answer)
}

export const get = <Answer>(path: string, query?: CallOptions['query'], signal?: AbortSignal) =>
  call<Answer>('GET', path, { ...(query && { query }), signal })

export const post = <Answer>(path: string, body?: unknown, options: CallOptions = {}) =>
  call<Answer>('POST', path, { ...options, body })

export const patch = <Answer>(path: string, body: unknown) => call<Answer>('PATCH', path, { body })

export const remove = (path: string, query?: CallOptions['query']) =>
  call<null>('DELETE', path, { ...(query && { query }) })

/** A file of the API. Addresses in the page cannot say for which tenant they ask; a call can. */
export async function getFile(path: string, signal?: AbortSignal): Promise<Blob> {
  return (await ask('GET', path, { signal })).blob()
}
