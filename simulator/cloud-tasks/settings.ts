// What a queue can be told: its limits and its retry policy, with Cloud Tasks' own defaults and bounds.
import type { protos } from '@google-cloud/tasks'
import { invalid } from './grpc-error.ts'
import { fromMs, toMs } from './wire-time.ts'

export interface QueueSettings {
  maxDispatchesPerSecond: number
  maxConcurrentDispatches: number
  /** -1: no limit. */
  maxAttempts: number
  /** 0: no limit. */
  maxRetryDurationMs: number
  minBackoffMs: number
  maxBackoffMs: number
  maxDoublings: number
}

type WireQueue = protos.google.cloud.tasks.v2.IQueue
type RateLimits = protos.google.cloud.tasks.v2.IRateLimits
type RetryConfig = protos.google.cloud.tasks.v2.IRetryConfig

export const defaultSettings: QueueSettings = {
  maxDispatchesPerSecond: 500,
  maxConcurrentDispatches: 1000,
  maxAttempts: 100,
  maxRetryDurationMs: 0,
  minBackoffMs: 100,
  maxBackoffMs: 3_600_000,
  maxDoublings: 16,
}

/** How each setting is called on the wire; also what an update mask may name. */
const paths: Record<string, keyof QueueSettings> = {
  'rate_limits.max_dispatches_per_second': 'maxDispatchesPerSecond',
  'rate_limits.max_concurrent_dispatches': 'maxConcurrentDispatches',
  'retry_config.max_attempts': 'maxAttempts',
  'retry_config.max_retry_duration': 'maxRetryDurationMs',
  'retry_config.min_backoff': 'minBackoffMs',
  'retry_config.max_backoff': 'maxBackoffMs',
  'retry_config.max_doublings': 'maxDoublings',
}

/** What is left out, or 0 where 0 means nothing, gets the default, as at Google. */
export function readSettings(
  { rateLimits, retryConfig }: WireQueue,
  defaults: QueueSettings,
): QueueSettings {
  return checkSettings({ ...defaults, ...readLimits(rateLimits), ...readRetry(retryConfig) })
}

function readLimits(limits: RateLimits | null | undefined): Partial<QueueSettings> {
  return given({
    maxDispatchesPerSecond: limits?.maxDispatchesPerSecond || undefined,
    maxConcurrentDispatches: limits?.maxConcurrentDispatches || undefined,
  })
}

function readRetry(retry: RetryConfig | null | undefined): Partial<QueueSettings> {
  const ms = (duration: protos.google.protobuf.IDuration | null | undefined) =>
    duration ? toMs(duration) : undefined
  return given({
    maxAttempts: retry?.maxAttempts || undefined,
    maxRetryDurationMs: ms(retry?.maxRetryDuration),
    minBackoffMs: ms(retry?.minBackoff),
    maxBackoffMs: ms(retry?.maxBackoff),
    maxDoublings: retry?.maxDoublings ?? undefined,
  })
}

function given(
  values: {
    [Name in keyof QueueSettings]?: number | undefined
  },
): Partial<QueueSettings> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
}

/** Only what the mask names changes; without a mask everything does. */
export function maskedSettings(
  old: QueueSettings,
  wanted: QueueSettings,
  mask: readonly string[],
): QueueSettings {
  if (mask.length === 0) return wanted
  const changed = mask.flatMap((path) => {
    const named = Object.keys(paths).filter((name) => name === path || name.startsWith(`${path}.`))
    if (named.length === 0) throw invalid(`update_mask: ${path} cannot be updated here.`)
    return named.map((name) => paths[name] as keyof QueueSettings)
  })
  return checkSettings({
    ...old,
    ...Object.fromEntries(changed.map((name) => [name, wanted[name]])),
  })
}

export function checkSettings(settings: QueueSettings): QueueSettings {
  const { maxDispatchesPerSecond, maxConcurrentDispatches, maxAttempts } = settings
  if (!(maxDispatchesPerSecond > 0 && maxDispatchesPerSecond <= 500)) {
    throw invalid('rate_limits.max_dispatches_per_second must be above 0 and at most 500.')
  }
  if (!(maxConcurrentDispatches >= 1 && maxConcurrentDispatches <= 5000)) {
    throw invalid('rate_limits.max_concurrent_dispatches must be from 1 to 5000.')
  }
  if (!(Number.isInteger(maxAttempts) && maxAttempts >= -1 && maxAttempts !== 0)) {
    throw invalid('retry_config.max_attempts must be -1 or at least 1.')
  }
  if (settings.minBackoffMs < 0 || settings.minBackoffMs > settings.maxBackoffMs) {
    throw invalid('retry_config.min_backoff must be from 0 to max_backoff.')
  }
  if (settings.maxDoublings < 0 || settings.maxRetryDurationMs < 0) {
    throw invalid('retry_config.max_doublings and max_retry_duration must not be negative.')
  }
  return settings
}

export function writeSettings(settings: QueueSettings): {
  rateLimits: RateLimits
  retryConfig: RetryConfig
} {
  return {
    rateLimits: {
      maxDispatchesPerSecond: settings.maxDispatchesPerSecond,
      maxBurstSize: burstOf(settings.maxDispatchesPerSecond),
      maxConcurrentDispatches: settings.maxConcurrentDispatches,
    },
    retryConfig: {
      maxAttempts: settings.maxAttempts,
      maxRetryDuration: fromMs(settings.maxRetryDurationMs),
      minBackoff: fromMs(settings.minBackoffMs),
      maxBackoff: fromMs(settings.maxBackoffMs),
      maxDoublings: settings.maxDoublings,
    },
  }
}

/** Google picks it and shows 100 for 500 a second; the rest of the scale is ours. */
export const burstOf = (perSecond: number) => Math.max(1, Math.round(perSecond / 5))

/** `failures` counts the one that has just happened. */
export function backoffMs(settings: QueueSettings, failures: number): number {
  const { minBackoffMs, maxBackoffMs, maxDoublings } = settings
  const step = failures - 1
  const wait =
    step <= maxDoublings
      ? minBackoffMs * 2 ** step
      : minBackoffMs * 2 ** maxDoublings * (step - maxDoublings + 1)
  return Math.min(wait, maxBackoffMs)
}

/** A task ends when every limit that is set has been reached. */
export function isExhausted(settings: QueueSettings, failures: number, ageMs: number): boolean {
  const { maxAttempts, maxRetryDurationMs } = settings
  if (maxAttempts === -1 && maxRetryDurationMs === 0) return false
  return (maxAttempts === -1 || failures >= maxAttempts) && ageMs >= maxRetryDurationMs
}
