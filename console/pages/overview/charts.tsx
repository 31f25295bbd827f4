// How it went: small charts under one cursor, or the same figures as a table.
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type uPlot from 'uplot'
import { Button } from '../../parts/button.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { usePlace } from '../../shell/place.tsx'
import { useTenant } from '../../shell/tenant.tsx'
import { useTheme } from '../../shell/theme.ts'
import { useFormat, useLanguage, useWords } from '../../words/language.tsx'
import { Chart } from './chart.tsx'
import { figureWords } from './figure-words.ts'
import { useHistory } from './queries.ts'
import { type Series, series } from './series.ts'
import type { History, Range } from './types.ts'

export function Charts({ range }: { range: Range }) {
  const words = useWords(figureWords)
  const { data, error, refetch } = useHistory(range)
  const { search, ask } = usePlace()
  const sayMoment = useMoment(range)
  const [cursor, setCursor] = useState<number | null>(null)
  const isTable = search.show === 'table'
  const point = cursor === null ? undefined : data?.points[cursor]
  return (
    <section className="card" aria-label={words.charts}>
      <div className="card-head">
        <h2>{words.lastOf[range]}</h2>
        {point && !isTable && (
          <span className="muted num overview-at">{words.at(sayMoment(point.at))}</span>
        )}
        <Button
          small
          look="ghost"
          className="push"
          onClick={() => ask({ show: isTable ? undefined : 'table' })}
        >
          {isTable ? words.showCharts : words.showTable}
        </Button>
      </div>
      {data ? (
        isTable ? (
          <FigureTable history={data} range={range} />
        ) : (
          <Plots history={data} range={range} cursor={cursor} onCursor={setCursor} />
        )
      ) : error ? (
        <Trouble error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton lines={8} />
      )}
    </section>
  )
}

/** The time of a point as people say it within this range: of the last week with its day. */
function useMoment(range: Range): (at: string | number) => string {
  const format = useFormat()
  return useMemo(() => {
    if (range !== '7d') return (at) => format.time(at)
    const day = new Intl.DateTimeFormat(format.locale, { weekday: 'short', day: 'numeric' })
    return (at) => `${day.format(new Date(at))}, ${format.time(at)}`
  }, [format, range])
}

interface PlotsProps {
  history: History
  range: Range
  cursor: number | null
  onCursor(index: number | null): void
}

function Plots({ history, range, cursor, onCursor }: PlotsProps) {
  const words = useWords(figureWords)
  const { points } = history
  const charts = useRef(new Map<string, uPlot>())
  const times = useMemo(() => points.map(({ at }) => Date.parse(at) / 1000), [points])
  const moveTo = (time: number | undefined) => {
    for (const chart of charts.current.values()) {
      const left = time === undefined ? -10 : chart.valToPos(time, 'x')
      chart.setCursor({ left, top: time === undefined ? -10 : 1 })
    }
  }
  const step = (event: KeyboardEvent) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -points.length, End: points.length }[event.key]
    if (by === undefined) return
    event.preventDefault()
    const from = cursor ?? points.length
    moveTo(times[Math.min(points.length - 1, Math.max(0, from + by))])
  }
  if (points.every(({ minutes }) => minutes === 0)) {
    return <p className="overview-quiet muted">{words.notYet}</p>
  }
  return (
    <div
      className="overview-charts"
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the cursor of all charts.
      tabIndex={0}
      aria-label={`${words.charts}. ${words.chartsHint}`}
      onKeyDown={step}
      onBlur={() => moveTo(undefined)}
    >
      {series.map((one) => (
        <Plot
          key={one.name}
          series={one}
          history={history}
          range={range}
          times={times}
          cursor={cursor}
          onCursor={onCursor}
          onReady={(chart) => {
            if (chart) charts.current.set(one.name, chart)
            else charts.current.delete(one.name)
          }}
        />
      ))}
    </div>
  )
}

interface PlotProps extends PlotsProps {
  series: Series
  times: number[]
  onReady(chart: uPlot | undefined): void
}

function Plot({ series: one, history, range, times, cursor, onCursor, onReady }: PlotProps) {
  const words = useWords(figureWords)
  const format = useFormat()
  const { language } = useLanguage()
  const { isDark } = useTheme()
  const isWhole = useTenant().id === null
  const { points, limits } = history
  const values = useMemo(() => points.map(one.read), [points, one])
  const limit = one.limitOf?.(limits, isWhole) ?? null
  const say = (value: number) => one.say(value, format)
  const shown = cursor === null ? values.findLast((value) => value !== null) : values[cursor]
  const isPast = limit !== null && typeof shown === 'number' && shown > limit
  const known = values.flatMap((value) => value ?? [])
  const said = [
    words.series[one.name],
    `${words.latest}: ${known.length > 0 ? say(known.at(-1) ?? 0) : words.noValue}`,
    ...(known.length > 0 ? [`${words.highest}: ${say(Math.max(...known))}`] : []),
    ...(limit === null ? [] : [words.limit(say(limit))]),
  ].join('. ')
  const day = useDay(range)
  return (
    <div className="overview-chart" data-series={one.name} role="img" aria-label={said}>
      <div className="overview-chart-head">
        <span className="cut">{words.series[one.name]}</span>
        <b className={`num ${isPast ? 'bad' : ''}`}>
          {typeof shown === 'number' ? say(shown) : '—'}
        </b>
      </div>
      <Chart
        times={times}
        values={values}
        limit={limit}
        scale={one.scale}
        theme={`${isDark} ${language}`}
        say={say}
        sayTime={(seconds) => (range === '7d' ? day(seconds) : format.time(seconds * 1000))}
        onCursor={onCursor}
        onReady={onReady}
      />
    </div>
  )
}

function useDay(range: Range): (seconds: number) => string {
  const { locale } = useFormat()
  return useMemo(() => {
    if (range !== '7d') return () => ''
    const day = new Intl.DateTimeFormat(locale, { weekday: 'short', day: 'numeric' })
    return (seconds: number) => day.format(new Date(seconds * 1000))
  }, [locale, range])
}

function FigureTable({ history, range }: { history: History; range: Range }) {
  const words = useWords(figureWords)
  const format = useFormat()
  const sayMoment = useMoment(range)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must be able to.
    <div className="table-scroll overview-figures" tabIndex={0}>
      <table className="table">
        <caption className="sr">{words.lastOf[range]}</caption>
        <thead>
          <tr>
            <th scope="col">{words.time}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" className="figure">
                {words.series[name]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {history.points.toReversed().map((point) => (
            <tr key={point.at}>
              <th scope="row" className="num">
                {sayMoment(point.at)}
              </th>
              {series.map(({ name, read, say }) => {
                const value = read(point)
                return (
                  <td key={name} className="figure">
                    {value === null ? '—' : say(value, format)}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
