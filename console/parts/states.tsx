// What a list shows when there is nothing, not yet anything, or trouble.
import type { ReactNode } from 'react'
import { type ApiProblem, toProblem } from '../api/problem.ts'
import { common } from '../words/common.ts'
import { useWords } from '../words/language.tsx'
import { Button } from './button.tsx'
import { Copy } from './copy.tsx'
import { Icon } from './icon.tsx'

/** Says what will appear here and how to make it appear. */
export function Empty({
  title,
  heading: Heading = 'h2',
  children,
  actions,
}: {
  title: string
  /** `h1` where nothing else is on the page. */
  heading?: 'h1' | 'h2'
  children?: ReactNode
  actions?: ReactNode
}) {
  return (
    <div className="empty">
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {actions && <div className="row">{actions}</div>}
    </div>
  )
}

/** Grey lines where words will be; they appear only when it takes a while. */
export function Skeleton({ lines = 3, width = '60%' }: { lines?: number; width?: string }) {
  const words = useWords(common)
  return (
    <div
      role="status"
      aria-label={words.loading}
      className="form trouble-free"
      style={{ padding: 16 }}
    >
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same.
        <span key={index} className="skeleton" style={{ width: index % 2 ? width : '90%' }} />
      ))}
    </div>
  )
}

/** What happened, in words; the API's own for what a person can mend. */
export function useProblemText(): (error: unknown) => string {
  const words = useWords(common)
  return (error) => {
    const problem = toProblem(error)
    if (problem.code === 'NO_CONNECTION') return words.noConnection
    if (problem.status === 429) return words.tooManyCalls
    if (problem.code === 'FORBIDDEN') return words.notAllowed
    if (problem.status === 404) return words.notFound
    if (problem.status >= 500) return words.ourFault
    return problem.message || words.somethingWrong
  }
}

/** A note for a failed call: what happened, again, and the request's id to copy. */
export function Trouble({
  error,
  onRetry,
  title,
}: {
  error: unknown
  onRetry?(): void
  title?: string
}) {
  const words = useWords(common)
  const textOf = useProblemText()
  const problem: ApiProblem = toProblem(error)
  return (
    <div className="trouble" role="alert">
      <div className="row">
        <Icon name="alert" className="bad" />
        <b className="strong">{title ?? words.somethingWrong}</b>
      </div>
      <p>{textOf(problem)}</p>
      <div className="row wrap">
        {onRetry && (
          <Button small icon="again" onClick={onRetry}>
            {words.tryAgain}
          </Button>
        )}
        {problem.requestId && (
          <span className="row xs muted">
            {problem.code} · {words.requestId} <Copy text={problem.requestId} />
          </span>
        )}
      </div>
    </div>
  )
}

/** Why a form was refused. What the form says at one of its `fields` is not said again. */
export function Refused({ error, fields = [] }: { error: unknown; fields?: string[] }) {
  const words = useWords(common)
  const textOf = useProblemText()
  if (!error) return null
  const problem = toProblem(error)
  if (fields.some((field) => problem.fieldProblem(field) !== undefined)) return null
  return (
    <div role="alert" className="refused">
      <p className="bad">{textOf(problem)}</p>
      {problem.requestId && (
        <span className="row xs muted">
          {problem.code} · {words.requestId} <Copy text={problem.requestId} />
        </span>
      )}
    </div>
  )
}
