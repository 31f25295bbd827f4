// Cells of `bench cost` → the median over the rounds.
import { type Machine, type Spread, spreadOf } from './measure.ts'
import { spreadText, type Target, tableOf } from './report.ts'

export interface Counts {
  /** Transactions that write. */
  commits: number
  walBytes: number
  tasks: number
}

interface Case {
  dispatch: string
  kind: string
  form: string
}

export interface CostCell extends Case, Counts {
  round: number
}

export type CostSummary = Case & Record<keyof Counts, Spread | undefined>

export interface CostReport {
  bench: 'cost'
  machine: Machine
  settings: Record<string, unknown>
  /** None was set: these are counts to reckon with. */
  targets: Target[]
  summary: CostSummary[]
  cells: CostCell[]
  notes: string[]
}

export function summarizeCost(
  run: Pick<CostReport, 'machine' | 'settings' | 'cells' | 'notes'>,
): CostReport {
  const [first] = run.cells
  const cases = run.cells.filter(({ round }) => round === first?.round)
  return {
    bench: 'cost',
    ...run,
    targets: [],
    summary: cases.map(({ dispatch, kind, form }) => {
      const same = run.cells.filter(
        (cell) => cell.dispatch === dispatch && cell.kind === kind && cell.form === form,
      )
      const over = (name: keyof Counts) => spreadOf(same.map((cell) => cell[name]))
      const counts = { commits: over('commits'), walBytes: over('walBytes'), tasks: over('tasks') }
      return { dispatch, kind, form, ...counts }
    }),
  }
}

export function costTable({ summary }: CostReport): string {
  return tableOf([
    ['', '', 'transactions', 'bytes of log', 'tasks'],
    ...summary.map(({ dispatch, kind, form, commits, walBytes, tasks }) => [
      dispatch,
      `${kind}, ${form}`,
      ...[commits, walBytes, tasks].map((spread) => spreadText(spread)),
    ]),
  ])
}
