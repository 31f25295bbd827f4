// One try at sending a message, as a step: what came of it, and Meta's own words.
import type { Step } from '../../parts/steps.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { stepWords } from './step-words.ts'

export interface Attempt {
  started_at: string
  ended_at: string | null
  outcome: string | null
  status_code: number | null
  provider_code: number | null
  said: string | null
}

const tones: Record<string, Step['tone']> = {
  accepted: 'done',
  permanent: 'bad',
  recipient: 'bad',
  account: 'bad',
  auth: 'bad',
  not_posted: 'bad',
}

export function useAttemptStep(): (attempt: Attempt, number: number) => Step {
  const words = useWords(stepWords)
  const format = useFormat()
  const outcomes: Record<string, string> = words.outcomes
  return (attempt, number) => {
    const { outcome, ended_at, started_at, status_code, provider_code, said } = attempt
    const known = outcome !== null && Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : outcome
    const length =
      ended_at === null ? undefined : new Date(ended_at).getTime() - new Date(started_at).getTime()
    const answer = [
      status_code === null ? words.noStatus : `HTTP ${status_code}`,
      ...(provider_code === null ? [] : [String(provider_code)]),
    ].join(', ')
    return {
      key: `attempt ${started_at}`,
      tone: outcome === null ? undefined : (tones[outcome] ?? 'warn'),
      title: words.attempt(format.number(number), known ?? words.outcomes.underWay),
      at: started_at,
      children: outcome !== null && outcome !== 'not_posted' && (
        <>
          {length === undefined ? answer : words.took(answer, format.latency(length))}
          {said && outcome !== 'accepted' && <q className="quote">{said}</q>}
        </>
      ),
    }
  }
}
