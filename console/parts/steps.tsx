// Past events in their order, with a mark whose shape says how it went.
import type { ReactNode } from 'react'
import type { Moment } from '../words/format.ts'
import { Time } from './time.tsx'

export interface Step {
  key: string
  tone?: 'done' | 'ok' | 'warn' | 'bad' | undefined
  title: ReactNode
  at?: Moment
  /** How long after the step before. */
  after?: string | undefined
  children?: ReactNode
}

export function Steps({ label, steps }: { label: string; steps: Step[] }) {
  return (
    <ol className="steps" aria-label={label}>
      {steps.map(({ key, tone = '', title, at, after, children }) => (
        <li key={key} className={tone}>
          <span className="steps-title">{title}</span>
          <span className="steps-time">
            {after && <span className="muted">{after}</span>}
            {at !== undefined && <Time at={at} as="seconds" />}
          </span>
          {children && <div className="steps-more">{children}</div>}
        </li>
      ))}
    </ol>
  )
}
