// What the reports have in common: targets and tables.
import type { Spread } from './measure.ts'

export interface Target {
  target: string
  limit: number
  measured: Spread | undefined
  /** Of both; a ratio (×) unless said. */
  unit?: string
  /** Undefined when there was nothing to measure it by. */
  isMet: boolean | undefined
}

export function targetOf(options: {
  target: string
  limit: number
  atLeast: boolean
  measured: Spread | undefined
  unit?: string
}): Target {
  const { target, limit, atLeast, measured, unit } = options
  const isMet = measured && (atLeast ? measured.median >= limit : measured.median <= limit)
  return { target, limit, measured, ...(unit !== undefined && { unit }), isMet }
}

export function targetLines(targets: Target[]): string {
  return targets
    .map(({ target, limit, measured, unit = '×', isMet }) => {
      const verdict = isMet === undefined ? 'not measured' : isMet ? 'met' : 'MISSED'
      return `${verdict.padEnd(12)}  ${target} ${limit}${unit}: ${spreadText(measured, unit)}`
    })
    .join('\n')
}

export function spreadText(spread: Spread | undefined, unit = ''): string {
  return spread ? `${spread.median}${unit} (${spread.min}–${spread.max})` : '–'
}

export function tableOf(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  )
  const lineOf = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0))
  return rows.map((row) => lineOf(row).join('  ').trimEnd()).join('\n')
}
