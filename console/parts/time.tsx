// Times as people say them, exact when hovered, and kept true while the page stays open.
import { useSyncExternalStore } from 'react'
import type { Moment } from '../words/format.ts'
import { useFormat } from '../words/language.tsx'

const watchers = new Set<() => void>()
let now = Date.now()
setInterval(() => {
  now = Date.now()
  for (const tell of watchers) tell()
}, 5_000)

function watch(tell: () => void): () => void {
  watchers.add(tell)
  return () => watchers.delete(tell)
}

/** Moves every five seconds: nothing on the page counts seconds. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now)
}

export function Time({
  at,
  as = 'ago',
}: {
  at: Moment
  /** `age`: `4 min` up to a day, then the day. */
  as?: 'ago' | 'age' | 'short' | 'time' | 'until' | 'seconds'
}) {
  const format = useFormat()
  const current = useNow()
  const date = new Date(at)
  const text =
    as === 'ago'
      ? format.ago(date, current)
      : as === 'age'
        ? format.age(date, current)
        : as === 'until'
          ? format.until(date, current)
          : as === 'short'
            ? format.short(date, current)
            : as === 'seconds'
              ? format.timeWithSeconds(date)
              : format.time(date)
  return (
    <time className="num" dateTime={date.toISOString()} title={format.exact(date)}>
      {text}
    </time>
  )
}
