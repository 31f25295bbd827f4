// Cells of `bench weather` → ratios. Ratios are taken within a round, then their median over the rounds.
import { type Machine, type Spread, spreadOf } from './measure.ts'
import { spreadText, type Target, tableOf, targetOf } from './report.ts'
import type { Delays } from './weather-delays.ts'
import type { Recovery } from './weather-recovery.ts'

export interface WeatherCell {
  round: number
  calm: Delays
  weather: Delays
  recovery: Recovery
}

export interface WeatherReport {
  bench: 'weather'
  machine: Machine
  settings: Record<string, unknown>
  targets: Target[]
  summary: Record<string, Spread | undefined>
  cells: WeatherCell[]
  notes: string[]
}

export function summarizeWeather(
  run: Pick<WeatherReport, 'machine' | 'settings' | 'cells' | 'notes'>,
): WeatherReport {
  const over = (figure: (cell: WeatherCell) => number) => spreadOf(run.cells.map(figure))
  const p95Ratio = over(({ calm, weather }) => weather.delay.p95Ms / calm.delay.p95Ms)
  const sentRatio = over(({ calm, weather }) => weather.sentShare / calm.sentShare)
  const overshoot = over(({ recovery }) => recovery.overshoot)
  const rate = over(({ recovery }) => recovery.rate)
  const wait = over(({ recovery }) => recovery.wait)
  return {
    bench: 'weather',
    ...run,
    targets: [
      target('healthy numbers’ p95 in bad weather over calm: at most', 1.2, false, p95Ratio),
      target(
        'healthy numbers’ messages sent in bad weather over calm: at least',
        0.98,
        true,
        sentRatio,
      ),
      target(
        'after an outage, the most in any second over the limit: at most',
        1,
        false,
        overshoot,
      ),
      target('after an outage, the rate over the limit: at least', 0.9, true, rate),
      target(
        'after an outage, the wait over half-open time plus backlog at the limit: at most',
        1.5,
        false,
        wait,
      ),
    ],
    summary: {
      calmP50Ms: over(({ calm }) => calm.delay.p50Ms),
      calmP95Ms: over(({ calm }) => calm.delay.p95Ms),
      weatherP50Ms: over(({ weather }) => weather.delay.p50Ms),
      weatherP95Ms: over(({ weather }) => weather.delay.p95Ms),
      p95Ratio,
      sentRatio,
      callsWhileDown: over(({ recovery }) => recovery.callsWhileDown),
      overshoot,
      rate,
      drainSeconds: over(({ recovery }) => recovery.drainSeconds),
      wait,
    },
  }
}

function target(text: string, limit: number, atLeast: boolean, measured: Spread | undefined) {
  return targetOf({ target: text, limit, atLeast, measured })
}

export function weatherTable({ summary }: WeatherReport): string {
  const text = (name: string, unit = '') => spreadText(summary[name], unit)
  return tableOf([
    ['', 'delay p50 ms', 'delay p95 ms'],
    ['calm', text('calmP50Ms'), text('calmP95Ms')],
    ['weather', text('weatherP50Ms'), text('weatherP95Ms')],
    ['', '', ''],
    ['outage', 'calls while down', 'drained in s'],
    ['', text('callsWhileDown'), text('drainSeconds')],
  ])
}
