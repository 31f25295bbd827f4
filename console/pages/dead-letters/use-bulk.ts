// Many letters, decided in parts of a thousand: each part is one transaction at the gateway, and says what is left.
import { useRef, useState } from 'react'
import { post } from '../../api/call.ts'
import type { BulkAnswer, Verb } from './letters.ts'
import { leftOf, type Outcome } from './outcomes.ts'

/** Either some, or all that a filter matches. */
export interface Target {
  ids?: string[]
  filter?: Record<string, string>
}

interface Progress {
  state: 'ready' | 'running' | 'over'
  done: number
  all: number
  left: Outcome[]
  problem: unknown
  isStopped: boolean
}

const atOnce = 1000

export function useBulk(path: string, verb: Verb, target: Target) {
  const [progress, setProgress] = useState<Progress>({
    state: 'ready',
    done: 0,
    all: 0,
    left: [],
    problem: undefined,
    isStopped: false,
  })
  const stopped = useRef(false)
  const again = useRef<() => void>(undefined)

  async function run(reason: string, all: number, perSecond: number): Promise<void> {
    stopped.current = false
    let { done } = progress
    const show = (changes: Partial<Progress>) => setProgress((now) => ({ ...now, ...changes }))
    show({ state: 'running', all, problem: undefined })
    again.current = () => void run(reason, all, perSecond)
    const parts = partsOf(target)
    const left: Outcome[] = []
    try {
      for (const part of parts) {
        let startAt: string | null = null
        for (let remaining = 1; remaining > 0 && !stopped.current; ) {
          const answer: BulkAnswer = await post<BulkAnswer>(`${path}/${verb}`, {
            ...part,
            reason,
            ...(verb === 'requeue' && {
              per_second: perSecond,
              ...(startAt && { start_at: startAt }),
            }),
          })
          done += answer.decided
          startAt = answer.next_start_at
          // What is left although nothing was decided is left for good: somebody else has it in hand.
          remaining = answer.decided === 0 ? 0 : answer.remaining
          if (remaining === 0) left.push(...leftOf(answer))
          show({ done, all: Math.max(all, done) })
        }
      }
      show({ state: 'over', left, isStopped: stopped.current })
    } catch (problem) {
      show({ state: 'over', problem, left })
    }
  }

  return {
    ...progress,
    run,
    goOn: () => again.current?.(),
    stop: () => {
      stopped.current = true
    },
  }
}

/** Only counts. */
export async function dryRun(path: string, verb: Verb, target: Target): Promise<BulkAnswer> {
  const answers: BulkAnswer[] = []
  for (const part of partsOf(target)) {
    const body = { ...part, reason: 'dry run', dry_run: true }
    answers.push(await post<BulkAnswer>(`${path}/${verb}`, body))
  }
  return answers.reduce(sumOf)
}

function sumOf(one: BulkAnswer, other: BulkAnswer): BulkAnswer {
  const sum = <Counted extends Record<string, number>>(first: Counted, second: Counted) =>
    Object.fromEntries(
      Object.keys({ ...first, ...second }).map((name) => [
        name,
        (first[name] ?? 0) + (second[name] ?? 0),
      ]),
    )
  return {
    ...one,
    matched: one.matched + other.matched,
    remaining: one.remaining + other.remaining,
    may_arrive_twice: one.may_arrive_twice + other.may_arrive_twice,
    by_kind: sum(one.by_kind, other.by_kind),
    skipped: sum(one.skipped, other.skipped) as BulkAnswer['skipped'],
  }
}

function partsOf({ ids, filter }: Target): Target[] {
  if (!ids) return [{ filter: filter ?? {} }]
  const parts: Target[] = []
  for (let at = 0; at < ids.length; at += atOnce) parts.push({ ids: ids.slice(at, at + atOnce) })
  return parts
}
