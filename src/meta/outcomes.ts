// From an answer of Meta's to what it means for the message: class, scope, a stable name and what to do.
import {
  acceptedRow,
  failedWithoutReasonRow,
  lostAnswerRow,
  notSentRow,
  statusRows,
} from './outcome-fallbacks.ts'
import type { OutcomeClass, OutcomeRow, OutcomeScope } from './outcome-row.ts'
import { codeRows } from './outcome-table.ts'
import type { ProviderError, SendAnswer } from './send-answer.ts'

export interface Outcome {
  class: OutcomeClass
  scope: OutcomeScope
  /** Our stable name for it: `error_code` in the API; null when accepted. */
  errorCode: string | null
  /** One sentence for a person: what to do. */
  advice: string
  wamid: string | null
  /** Of the HTTP answer; null when there was none. */
  statusCode: number | null
  provider: ProviderError | null
  retryAfterSeconds: number | null
}

type Span = number | readonly [number, number]

const isIn = (spans: readonly Span[], value: number) =>
  spans.some((span) =>
    typeof span === 'number' ? span === value : span[0] <= value && value <= span[1],
  )

/** What an answer to our POST means. */
export function classify(answer: SendAnswer): Outcome {
  switch (answer.kind) {
    case 'accepted':
      return outcome(acceptedRow, {
        wamid: answer.wamid,
        statusCode: answer.statusCode,
        errorCode: null,
      })
    case 'refused':
      return outcome(rowOfRefusal(answer), {
        statusCode: answer.statusCode,
        provider: answer.provider,
        retryAfterSeconds: answer.retryAfterSeconds ?? null,
      })
    case 'unreachable':
      return outcome(answer.bytesLeft ? lostAnswerRow : notSentRow)
    case 'unreadable':
      return outcome(lostAnswerRow, { statusCode: answer.statusCode })
  }
}

/** What the error of an asynchronous `failed` status means. Its message is never resent by itself, whatever the class. */
export function classifyStatusError(code: number | null, message: string | null = null): Outcome {
  return outcome(rowOfCode(code, null) ?? failedWithoutReasonRow, {
    provider: { code, subcode: null, message, fbtrace_id: null },
  })
}

/** A worker that died between its attempt and the answer: the same as a lost answer. */
export function lostOutcome(): Outcome {
  return outcome(lostAnswerRow)
}

const knownSpans: Span[] = codeRows.flatMap((row) => row.codes)

/** Meta's code as a label: one that is in the table as it is or as its range, `other` for all that are not. */
export function codeLabelOf(code: number | null): string {
  if (code === null) return 'none'
  if (knownSpans.includes(code)) return String(code)
  const range = knownSpans.find((span) => isIn([span], code))
  return range === undefined ? 'other' : labelOfSpan(range)
}

function labelOfSpan(span: Span): string {
  return typeof span === 'number' ? String(span) : span.join('-')
}

function rowOfRefusal(answer: Extract<SendAnswer, { kind: 'refused' }>): OutcomeRow {
  const { provider, statusCode } = answer
  const known = rowOfCode(provider.code, provider.subcode)
  if (known) return known
  // A code that is new to us: Meta's own word first. It did answer, so a 502 of its own is no lost answer.
  if (provider.code !== null && (answer.isTransient || statusCode >= 500)) return rowOfStatus(500)
  return rowOfStatus(statusCode)
}

function rowOfCode(code: number | null, subcode: number | null): OutcomeRow | undefined {
  if (code === null) return undefined
  const rows = codeRows.filter((row) => isIn(row.codes, code))
  const bySubcode = rows.find(
    (row) => row.subcodes !== undefined && subcode !== null && isIn(row.subcodes, subcode),
  )
  return bySubcode ?? rows.find((row) => row.subcodes === undefined)
}

function rowOfStatus(statusCode: number): OutcomeRow {
  return statusRows.find((row) => isIn(row.statuses, statusCode)) ?? lostAnswerRow
}

function outcome(row: OutcomeRow, seen: Partial<Outcome> = {}): Outcome {
  return {
    class: row.class,
    scope: row.scope,
    errorCode: row.name,
    advice: row.advice,
    wamid: null,
    statusCode: null,
    provider: null,
    retryAfterSeconds: null,
    ...seen,
  }
}
