// How endpoints and deliveries fare, in a word.
import type { Endpoint } from './data.ts'
import type { eventWords } from './words.ts'

export type EndpointState = keyof (typeof eventWords)['en']['states']
export const stateTones = {
  working: 'ok',
  quiet: 'plain',
  failing: 'warn',
  paused: 'plain',
  disabled: 'bad',
} as const

export function stateOf({ status, failing_since, last_success_at }: Endpoint): EndpointState {
  if (status !== 'active') return status
  if (failing_since !== null) return 'failing'
  return last_success_at === null ? 'quiet' : 'working'
}

export const deliveryTones = {
  pending: 'plain',
  running: 'plain',
  done: 'ok',
  failed: 'bad',
} as const

/** `HTTP 503`, or why there was no answer at all. */
export function whyNot(status: number | null, error: string | null, noAnswer: string): string {
  if (status === null) return error === null ? noAnswer : `${noAnswer} (${error})`
  const isOurs = error !== null && !error.startsWith('HTTP_')
  return isOurs ? `HTTP ${status}, ${error}` : `HTTP ${status}`
}

export const withoutScheme = (url: string) => url.replace(/^https?:\/\//, '')
