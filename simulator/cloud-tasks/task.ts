// A task: what was asked for, checked against Cloud Tasks' limits, and how far it got.
import type { protos } from '@google-cloud/tasks'
import { invalid } from './grpc-error.ts'
import { fromDate, fromMs, toDate, toMs } from './wire-time.ts'

type WireTask = protos.google.cloud.tasks.v2.ITask
type WireHttpRequest = protos.google.cloud.tasks.v2.IHttpRequest
type View = 'BASIC' | 'FULL'

export interface HttpTarget {
  url: string
  method: string
  headers: Record<string, string>
  body: Buffer
  oidc?: { email: string; audience: string }
}

export interface Attempt {
  scheduledAt: Date
  dispatchedAt: Date
  answeredAt?: Date
  /** Of the answer; none when nobody answered. */
  status?: number
  error?: string
}

export interface Task {
  name: string
  target: HttpTarget
  createdAt: Date
  /** What the caller or the retry policy asked for; it may be delivered later. */
  scheduledAt: Date
  deadlineMs: number
  attempts: number
  responses: number
  firstAttemptAt?: Date
  lastAttempt?: Attempt
}

const longestWaitMs = 30 * 86_400_000
const largestTaskBytes = 1024 * 1024
const largestHeadersBytes = 80 * 1024
const longestUrl = 2083
const defaultDeadlineMs = 600_000
const methodsWithBody = ['POST', 'PUT', 'PATCH']

export function readTask(wire: WireTask, name: string, now: Date): Task {
  if (!wire.httpRequest)
    throw invalid('Task.http_request is required; no other target is emulated.')
  const wanted = wire.scheduleTime ? toDate(wire.scheduleTime) : now
  if (wanted.getTime() - now.getTime() > longestWaitMs) {
    throw invalid('Task.schedule_time must be less than 30 days (720h) in the future.')
  }
  return {
    name,
    target: readTarget(wire.httpRequest, name),
    createdAt: now,
    scheduledAt: wanted < now ? now : wanted,
    deadlineMs: readDeadline(wire),
    attempts: 0,
    responses: 0,
  }
}

function readDeadline({ dispatchDeadline }: WireTask): number {
  const ms = dispatchDeadline ? toMs(dispatchDeadline) : defaultDeadlineMs
  if (ms < 15_000 || ms > 1_800_000) {
    throw invalid('Task.dispatch_deadline must be from 15 seconds to 30 minutes.')
  }
  return ms
}

function readTarget(request: WireHttpRequest, name: string): HttpTarget {
  const { oidcToken, oauthToken } = request
  const url = request.url ?? ''
  const method = String(request.httpMethod ?? 'POST').replace('HTTP_METHOD_UNSPECIFIED', 'POST')
  const body = Buffer.from((request.body as Uint8Array | null | undefined) ?? [])
  const headers = { ...request.headers }
  if (!/^https?:\/\//.test(url) || !URL.canParse(url) || url.length > longestUrl) {
    throw invalid(
      'HttpRequest.url must begin with "http://" or "https://" and be at most 2083 long.',
    )
  }
  if (body.length > 0 && !methodsWithBody.includes(method)) {
    throw invalid(`HttpRequest.body is not allowed with ${method}.`)
  }
  const headerBytes = bytesOf(Object.entries(headers).flat())
  if (headerBytes >= largestHeadersBytes) throw invalid('HttpRequest.headers must be below 80KB.')
  if (headerBytes + body.length + bytesOf([url, name]) > largestTaskBytes) {
    throw invalid('Task size too large: a task must be at most 1 MB.')
  }
  if (oauthToken) throw invalid('HttpRequest.oauth_token is not emulated; oidc_token is.')
  if (oidcToken && !oidcToken.serviceAccountEmail) {
    throw invalid('OidcToken.service_account_email is required.')
  }
  return {
    url,
    method,
    headers,
    body,
    ...(oidcToken
      ? {
          oidc: { email: oidcToken.serviceAccountEmail ?? '', audience: oidcToken.audience || url },
        }
      : {}),
  }
}

const bytesOf = (texts: string[]) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)

/** As the API shows it: bodies only in the full view. */
export function writeTask(task: Task, view: View): WireTask {
  const { target, firstAttemptAt, lastAttempt } = task
  return {
    name: task.name,
    httpRequest: {
      url: target.url,
      httpMethod: target.method as 'POST',
      headers: target.headers,
      ...(view === 'FULL' ? { body: target.body } : {}),
      ...(target.oidc
        ? {
            oidcToken: { serviceAccountEmail: target.oidc.email, audience: target.oidc.audience },
          }
        : {}),
    },
    scheduleTime: fromDate(task.scheduledAt),
    createTime: fromDate(task.createdAt),
    dispatchDeadline: fromMs(task.deadlineMs),
    dispatchCount: task.attempts,
    responseCount: task.responses,
    ...(firstAttemptAt ? { firstAttempt: { dispatchTime: fromDate(firstAttemptAt) } } : {}),
    ...(lastAttempt ? { lastAttempt: writeAttempt(lastAttempt) } : {}),
    view,
  }
}

function writeAttempt(attempt: Attempt): protos.google.cloud.tasks.v2.IAttempt {
  return {
    scheduleTime: fromDate(attempt.scheduledAt),
    dispatchTime: fromDate(attempt.dispatchedAt),
    ...(attempt.answeredAt
      ? {
          responseTime: fromDate(attempt.answeredAt),
          responseStatus: {
            code: rpcCode(attempt.status),
            message: attempt.error ?? `HTTP status code ${attempt.status}`,
          },
        }
      : {}),
  }
}

const rpcCodes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  409: 10,
  429: 8,
  500: 13,
  501: 12,
  503: 14,
  504: 4,
}

function rpcCode(httpStatus: number | undefined): number {
  if (httpStatus === undefined) return 14
  return isSuccess(httpStatus) ? 0 : (rpcCodes[httpStatus] ?? 2)
}

export const isSuccess = (httpStatus: number | undefined) =>
  httpStatus !== undefined && httpStatus >= 200 && httpStatus < 300
