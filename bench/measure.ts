// What a bench measures with: CPU time of processes, percentiles, medians, and what machine it was.
import { readdirSync, readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'

export interface Machine {
  cores: number
  memoryGib: number
  platform: string
  node: string
  postgres: string
}

/** Facts that matter for the figures, and none that name the machine. */
export function describeMachine(postgresVersion: string): Machine {
  return {
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform}-${process.arch}`,
    node: process.versions.node,
    postgres: postgresVersion,
  }
}

/** /proc counts in hundredths of a second on every Linux that Node runs on. */
const microsPerTick = 10_000

/** CPU time of a process, its children, and the children it has outlived; undefined where there is no /proc. */
export function treeCpuMicros(pid: number): number | undefined {
  const parent = readTimes(pid)
  if (!parent) return undefined
  let ticks = parent.own + parent.reaped
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const times = readTimes(Number(name))
    if (times?.parentPid === pid) ticks += times.own
  }
  return ticks * microsPerTick
}

function readTimes(pid: number): { parentPid: number; own: number; reaped: number } | undefined {
  let text: string
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'latin1')
  } catch {
    return undefined
  }
  // The name in parentheses may hold spaces; the fields after it are numbers.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const at = (index: number) => Number(fields[index])
  return { parentPid: at(1), own: at(11) + at(12), reaped: at(13) + at(14) }
}

export interface Percentiles {
  p50Ms: number
  p95Ms: number
  p99Ms: number
}

export function percentilesOf(latenciesMs: number[]): Percentiles {
  const sorted = Float64Array.from(latenciesMs).sort()
  const at = (share: number) => round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0, 2)
  return { p50Ms: at(0.5), p95Ms: at(0.95), p99Ms: at(0.99) }
}

export interface Spread {
  median: number
  min: number
  max: number
}

/** Undefined when there is nothing to compare. */
export function spreadOf(values: (number | undefined)[]): Spread | undefined {
  const known = values.filter((value) => value !== undefined && Number.isFinite(value)) as number[]
  if (known.length === 0) return undefined
  const sorted = known.sort((a, b) => a - b)
  const middle = sorted.length / 2
  const median =
    sorted.length % 2 === 1
      ? sorted[Math.floor(middle)]
      : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
  return {
    median: round(median ?? 0, 2),
    min: round(sorted[0] ?? 0, 2),
    max: round(sorted.at(-1) ?? 0, 2),
  }
}

export function round(value: number, digits = 0): number {
  const factor = 10 ** digits
  return Math.round(value * factor) / factor
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
