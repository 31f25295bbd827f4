// What came of an attempt to fetch a file → what becomes of its row. Pure.
import type { FileCode } from '../errors-messages.ts'
import type { FetchEnd, FetchJob } from './model.ts'

export type FetchOutcome =
  | { kind: 'stored'; bytes: number; sha256: Buffer; mimeType: string }
  /** Something went wrong that may go right later. */
  | { kind: 'trouble'; error: string; retryAfterSeconds?: number | null }
  /** Nothing is wrong with the file: its account waits for a person. */
  | { kind: 'waiting'; error: FileCode }
  /** Meta says that it has no such file, or that we may not see it; it does not say which. */
  | { kind: 'gone' }
  /** No later attempt can go better. */
  | { kind: 'impossible'; error: FileCode }
  /** The days that Meta keeps it are over. */
  | { kind: 'over' }
  /** We are stopping: another process takes it up at once. */
  | { kind: 'released' }

const maxDelaySeconds = 3600
/** An account may be reconnected any minute, and rings when it is; this is the floor under that. */
const waitingSeconds = 300
/** So many answers in a row that it is gone are believed, as far as the message shows it. */
const believedGones = 3
/** But should the token only have lost a right for a while, the file is still to be had. */
const goneSeconds = 6 * 3600

export function decideFetch(
  job: Pick<FetchJob, 'failures' | 'state'>,
  outcome: FetchOutcome,
  fraction: number,
): FetchEnd {
  const failed = job.failures + 1
  const backOff = Math.min(maxDelaySeconds, 5 * 2 ** Math.min(failed, 20)) + fraction
  const again = { state: job.state, stored: null, failures: 1 as const }
  switch (outcome.kind) {
    case 'stored': {
      const { bytes, sha256, mimeType } = outcome
      const stored = { bytes, sha256, mimeType }
      return { state: 'stored', delaySeconds: null, failures: 0, error: null, stored }
    }
    case 'trouble': {
      const asked = Math.min(outcome.retryAfterSeconds ?? 0, maxDelaySeconds)
      return { ...again, delaySeconds: Math.max(backOff, asked), error: outcome.error }
    }
    case 'waiting':
      return {
        ...again,
        failures: 0,
        delaySeconds: waitingSeconds + fraction,
        error: outcome.error,
      }
    case 'gone':
      return failed < believedGones
        ? { ...again, delaySeconds: backOff, error: 'GONE_AT_META' }
        : {
            ...again,
            state: 'expired',
            delaySeconds: goneSeconds + fraction,
            error: 'GONE_AT_META',
          }
    case 'impossible':
      return { ...again, state: 'failed', delaySeconds: null, error: outcome.error }
    case 'over':
      return {
        ...again,
        state: 'deleting',
        failures: 0,
        delaySeconds: null,
        error: 'EXPIRED_AT_META',
      }
    case 'released':
      return { ...again, failures: 0, delaySeconds: 0, error: null }
  }
}
