// How far long work is: on a terminal one line that changes in place, elsewhere a line now and then; never with --json.
// On standard error, so that what is piped stays what was asked for.
import { type Clock, systemClock } from '../time-and-chance.ts'

export interface Progress {
  /** This much of that much is done. */
  at(done: number, total: number, what?: string): void
  /** A line for good, above the one that changes. */
  say(line: string): void
}

interface Screen {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
}

interface Options {
  json?: boolean | undefined
  clock?: Clock
  screen?: Screen
}

/** Often enough to look alive, and seldom enough to cost nothing. */
const redrawMs = 100
/** Of a log or a pipe. Work that is done sooner says nothing. */
const lineEveryMs = 10_000
const barWidth = 24
const clearLine = '\r\u001b[K'

export async function withProgress<Result>(
  title: string,
  options: Options,
  work: (progress: Progress) => Promise<Result>,
): Promise<Result> {
  const { json, clock = systemClock, screen = process.stderr } = options
  const isTerminal = screen.isTTY === true
  const startMs = clock.monotonicMs()
  let shownMs = isTerminal ? Number.NEGATIVE_INFINITY : startMs
  let drawn = ''
  const progress: Progress = {
    at(done, total, what = '') {
      const nowMs = clock.monotonicMs()
      if (json || nowMs - shownMs < (isTerminal ? redrawMs : lineEveryMs)) return
      shownMs = nowMs
      const facts = [factsOf(done, total, nowMs - startMs), what].filter(Boolean).join('  ')
      if (!isTerminal) return void screen.write(`${title}: ${facts}\n`)
      // A line that wraps could not be taken back.
      drawn = `${title} ${barOf(done, total)} ${facts}`.slice(0, (screen.columns || 80) - 1)
      screen.write(clearLine + drawn)
    },
    say(line) {
      if (!json) screen.write(drawn ? `${clearLine}${line}\n${drawn}` : `${line}\n`)
    },
  }
  try {
    return await work(progress)
  } finally {
    if (drawn) screen.write(clearLine)
  }
}

function barOf(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 0
  const full = Math.floor(share * barWidth)
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)}`
}

function factsOf(done: number, total: number, elapsedMs: number): string {
  const perSecond = elapsedMs > 0 ? done / (elapsedMs / 1000) : 0
  const isTelling = done > 0 && done < total && perSecond > 0
  return [
    `${done} of ${total}`,
    ...(isTelling && perSecond >= 1 ? [`${Math.round(perSecond)}/s`] : []),
    ...(isTelling ? [`${durationText((total - done) / perSecond)} left`] : []),
  ].join(', ')
}

export function durationText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds))
  if (whole < 100) return `${whole} s`
  const minutes = Math.ceil(whole / 60)
  return minutes < 100 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
