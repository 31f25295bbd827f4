// What became of a message, step by step: what Meta was asked, what it answered, how far the message got.
import type { Message } from '../../../api/types.ts'

type Send = Message['sends'][number]

export type Step =
  | { kind: 'status'; status: string; at: string; tone: StepTone }
  | {
      kind: 'attempt'
      count: number
      send: Send
      /** Until Meta was asked again; undefined when it was not. */
      waitMs: number | undefined
      at: string
      tone: StepTone
    }

export type StepTone = 'done' | 'ok' | 'warn' | 'bad'

const tones: Record<string, StepTone> = {
  read: 'ok',
  played: 'ok',
  failed: 'bad',
  unknown: 'warn',
  cancelled: 'warn',
}

/** In the order of time; what an attempt tells is not said twice. */
export function stepsOf(message: Pick<Message, 'timeline' | 'sends'>): Step[] {
  const { timeline, sends } = message
  const attempts = sends.map((send, index): Step => {
    const next = sends[index + 1]
    const end = send.finished_at ?? send.started_at
    return {
      kind: 'attempt',
      count: index + 1,
      send,
      waitMs: next ? Math.max(0, Date.parse(next.started_at) - Date.parse(end)) : undefined,
      at: send.started_at,
      tone: toneOf(send, next === undefined),
    }
  })
  const isAccepted = sends.some(({ outcome }) => outcome === 'accepted')
  const reached = timeline
    .filter(({ status }) => status !== 'sent' || !isAccepted)
    .map(({ status, at }): Step => ({ kind: 'status', status, at, tone: tones[status] ?? 'done' }))
  const [first, ...rest] = reached
  // Meta's clock counts whole seconds: what it reports came after our own attempts, whatever it says.
  return [...(first ? [first] : []), ...attempts, ...rest]
}

function toneOf({ outcome, finished_at }: Send, isLast: boolean): StepTone {
  if (finished_at === null || outcome === 'accepted') return 'done'
  return isLast && outcome !== 'transient' ? 'bad' : 'warn'
}

const outcomeNames = {
  accepted: 'accepted',
  permanent: 'permanent',
  recipient: 'permanent',
  account: 'permanent',
  auth: 'auth',
  transient: 'transient',
  rate_limited: 'throttled',
  spam_limited: 'throttled',
  pair_limited: 'throttled',
  unknown: 'unknown',
  not_sent: 'not_sent',
  not_posted: 'not_posted',
} as const

/** Which words to say for an attempt. */
export function outcomeName({ outcome, finished_at }: Send) {
  if (finished_at === null) return 'underWay'
  return outcomeNames[outcome as keyof typeof outcomeNames] ?? 'other'
}
