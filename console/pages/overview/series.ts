// What the charts and the table behind them show: one list, so that both always say the same.
import type { Format } from '../../words/format.ts'
import type { figureWords } from './figure-words.ts'
import type { History, Point } from './types.ts'

export interface Series {
  name: keyof (typeof figureWords)['en']['series']
  read(point: Point): number | null
  say(value: number, format: Format): string
  /** Beyond it the gateway fires an alert. */
  limitOf?(limits: History['limits'], isWhole: boolean): number | null
  /** How far up its side reaches; by tens unless said. */
  scale?: 'share' | 'seconds'
}

const latency = (value: number, format: Format) => (value === 0 ? '0' : format.latency(value))
const count = (value: number, format: Format) => format.number(Math.round(value))

export const series: Series[] = [
  { name: 'ack', read: (point) => point.webhook_ack_p95_ms, say: latency },
  { name: 'processing', read: (point) => point.inbound_processing_p95_ms, say: latency },
  { name: 'send', read: (point) => point.send_p95_ms, say: latency },
  { name: 'waitingSends', read: (point) => point.outbox_pending_count, say: count },
  { name: 'waitingEvents', read: (point) => point.webhook_events_pending_count, say: count },
  {
    name: 'oldest',
    read: (point) => point.oldest_pending_seconds,
    say: (value, format) => latency(value * 1000, format),
    limitOf: (limits) => limits.oldest_pending_seconds,
    scale: 'seconds',
  },
  {
    name: 'success',
    read: ({ sends_accepted, sends_decided }) =>
      sends_accepted === null || !sends_decided ? null : sends_accepted / sends_decided,
    say: (value, format) => format.percent(value),
    scale: 'share',
  },
  {
    name: 'sends',
    read: ({ sends_accepted, minutes }) =>
      sends_accepted === null || minutes === 0 ? null : sends_accepted / minutes,
    say: (value, format) =>
      format.number(value < 10 ? Math.round(value * 10) / 10 : Math.round(value)),
  },
  {
    name: 'deadLetters',
    read: (point) => point.dlq_count,
    say: count,
    // Each tenant has as many for itself: of all together it says nothing.
    limitOf: (limits, isWhole) => (isWhole ? null : limits.dlq_count),
  },
]

/** The least and the most that a chart's side is to show. */
export function boundsOf(
  values: (number | null)[],
  limit: number | null,
  scale: Series['scale'],
): [number, number] {
  const known = values.flatMap((value) => value ?? [])
  if (scale === 'share') {
    const least = Math.min(1, ...known)
    return [Math.max(0, Math.min(0.9, Math.floor(least * 10) / 10)), 1]
  }
  const most = Math.max(0, ...known, limit === null ? 0 : limit * 1.15)
  return [0, scale === 'seconds' ? roundUpTime(most) : roundUp(most)]
}

/** To one of 1, 1.5, 2, 3, 5, 7.5, 10 and so on. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 1
  const power = 10 ** Math.floor(Math.log10(value))
  const step = [1, 1.5, 2, 3, 5, 7.5, 10].find((one) => one * power >= value * 0.999_999) ?? 10
  return step * power
}

/** To what people call a length of time. */
export function roundUpTime(seconds: number): number {
  const lengths = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 43_200]
  const daySeconds = 86_400
  return lengths.find((one) => one >= seconds) ?? Math.ceil(seconds / daySeconds) * daySeconds
}
