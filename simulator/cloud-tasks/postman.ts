// Makes the HTTP request of a task, with the headers that Cloud Tasks adds.
import { Agent, request } from 'undici'
import type { Clock } from '../time-and-chance.ts'
import { parentOf, shortName } from './names.ts'
import type { TokenMaker } from './oidc.ts'
import type { Task } from './task.ts'

export interface Outcome {
  /** Of the answer; none when nobody answered in time. */
  status?: number
  error?: string
  retryAfterMs: number
}

export interface Postman {
  /** Never rejects. What the task says about its attempts is read at once. */
  deliver(task: Task): Promise<Outcome>
  /** Breaks off what is under way. */
  close(): Promise<void>
}

/** Google sets these itself and ignores what a task says about them. */
const reserved = /^(host|content-length|user-agent|x-google-.*|x-appengine-.*|x-cloudtasks-.*)$/i

export function createPostman(clock: Clock, tokens: TokenMaker): Postman {
  // The dispatch deadline alone decides how long an answer may take.
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

  return {
    async deliver(task) {
      const headers = headersOf(task)
      const abort = new AbortController()
      const stopTimer = clock.after(task.deadlineMs, () => abort.abort())
      try {
        const { url, method, body, oidc } = task.target
        if (oidc) headers.Authorization = `Bearer ${await tokens.token(oidc)}`
        const response = await request(url, {
          dispatcher: agent,
          method: method as 'POST',
          headers,
          body: body.length > 0 ? body : null,
          signal: abort.signal,
        })
        await response.body.dump()
        const retryAfter = Number(response.headers['retry-after'] ?? 0)
        return {
          status: response.statusCode,
          retryAfterMs: Number.isFinite(retryAfter) ? retryAfter * 1000 : 0,
        }
      } catch (error) {
        const { code, message } = error as Error & { code?: string }
        return {
          error: abort.signal.aborted ? 'DEADLINE_EXCEEDED' : (code ?? message),
          retryAfterMs: 0,
        }
      } finally {
        stopTimer()
      }
    },
    close: () => agent.destroy(),
  }
}

function headersOf(task: Task): Record<string, string> {
  const { target, lastAttempt } = task
  const own = Object.entries(target.headers).filter(
    ([name]) => !reserved.test(name) && !(target.oidc && /^authorization$/i.test(name)),
  )
  return {
    ...Object.fromEntries(own),
    'User-Agent': 'Google-Cloud-Tasks',
    'X-CloudTasks-QueueName': shortName(parentOf(task.name)),
    'X-CloudTasks-TaskName': shortName(task.name),
    'X-CloudTasks-TaskRetryCount': String(task.attempts - 1),
    'X-CloudTasks-TaskExecutionCount': String(task.responses),
    'X-CloudTasks-TaskETA': (task.scheduledAt.getTime() / 1000).toFixed(6),
    ...(lastAttempt?.status === undefined
      ? {}
      : { 'X-CloudTasks-TaskPreviousResponse': String(lastAttempt.status) }),
  }
}
