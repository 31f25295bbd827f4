// For operators: every tenant in a line. The whole line opens that tenant's own overview.

import { State } from '../../parts/basics.tsx'
import { Button } from '../../parts/button.tsx'
import { usePlace, ViewLink } from '../../shell/place.tsx'
import { useTenants } from '../../shell/tenant.tsx'
import { useFormat, useWords } from '../../words/language.tsx'
import { useHistory } from './queries.ts'
import { type TenantLine, type TenantState, tenantLines } from './tenants.ts'
import type { Health, Range } from './types.ts'
import { overviewWords } from './words.ts'

/** More than these are shown when somebody asks for all. */
const shownAtFirst = 10

const tones: Record<TenantState['kind'], 'ok' | 'warn' | 'bad' | 'plain'> = {
  reconnect: 'bad',
  circuit: 'warn',
  late: 'bad',
  deadLetters: 'warn',
  suspended: 'plain',
  working: 'ok',
}

export function TenantTable({ health, range }: { health: Health; range: Range }) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { data: tenants = [] } = useTenants()
  const { data: history } = useHistory(range)
  const { search, ask } = usePlace()
  const lines = tenantLines(health, history, tenants)
  const isAll = search.all === '1'
  const { columns } = words
  return (
    <section className="card" aria-label={words.tenants}>
      <div className="card-head">
        <h2>{words.tenants}</h2>
        <span className="muted overview-at">{words.worstFirst}</span>
        {lines.length > shownAtFirst && (
          <Button
            small
            look="ghost"
            className="push"
            aria-expanded={isAll}
            onClick={() => ask({ all: isAll ? undefined : '1' })}
          >
            {isAll ? words.fewer : words.all(format.number(lines.length))}
          </Button>
        )}
      </div>
      <div className="table-scroll">
        <table className="table overview-tenants">
          <thead>
            <tr>
              <th scope="col">{columns.tenant}</th>
              <th scope="col">{columns.state}</th>
              <th scope="col" className="figure">
                {columns.waiting}
              </th>
              <th scope="col" className="figure">
                {columns.oldest}
              </th>
              <th scope="col" className="figure">
                {columns.success}
              </th>
              <th scope="col" className="figure">
                {columns.send}
              </th>
              <th scope="col" className="figure">
                {columns.deadLetters}
              </th>
              <th scope="col" className="figure">
                {columns.sends}
              </th>
            </tr>
          </thead>
          <tbody>
            {lines.slice(0, isAll ? lines.length : shownAtFirst).map((line) => (
              <Line key={line.id} line={line} range={range} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

function Line({ line, range }: { line: TenantLine; range: Range }) {
  const words = useWords(overviewWords)
  const format = useFormat()
  const { state, hour } = line
  const tone = tones[state.kind]
  return (
    <tr className="opens">
      <td>
        <ViewLink
          className="overview-open cut"
          to="/overview"
          search={{ tenant: line.id, range: range === '1h' ? undefined : range }}
        >
          {line.name}
        </ViewLink>
      </td>
      <td>
        <State tone={tone}>
          {state.kind === 'circuit' ? words.states.circuit(state.count) : words.states[state.kind]}
        </State>
      </td>
      <td className="figure">{format.number(line.waiting)}</td>
      <td className="figure">
        {line.oldestSeconds === null ? '—' : format.latency(line.oldestSeconds * 1000)}
      </td>
      <td className="figure">
        {hour && hour.sends_decided > 0
          ? format.percent(hour.sends_accepted / hour.sends_decided)
          : '—'}
      </td>
      <td className="figure">
        {hour && hour.send_p95_ms !== null ? format.latency(hour.send_p95_ms) : '—'}
      </td>
      <td className="figure">{format.number(line.deadLetters)}</td>
      <td className="figure">
        <span className="overview-sends">
          {format.number(hour?.sends_accepted ?? 0)}
          <Spark values={hour?.sends ?? []} tone={tone} />
        </span>
      </td>
    </tr>
  )
}

const sparkWidth = 72
const sparkHeight = 20

function Spark({ values, tone }: { values: number[]; tone: string }) {
  const most = Math.max(1, ...values)
  const places = (values.length > 0 ? values : [0, 0]).map((value, index, all) => {
    const x = (index / (all.length - 1)) * sparkWidth
    const y = sparkHeight - 2 - (value / most) * (sparkHeight - 4)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return (
    <svg
      className={`overview-spark ${tone}`}
      width={sparkWidth}
      height={sparkHeight}
      aria-hidden="true"
    >
      <path d={`M${places.join('L')}`} />
    </svg>
  )
}
