// A bar chart as SVG: medians as bars, the spread over the rounds as a whisker, and the ratio beside each. Light and dark.
import type { Spread } from './measure.ts'

export interface Bar {
  label: string
  value: Spread | undefined
  /** Ours stand out. */
  isOurs: boolean
  /** Such as `1.97× pool 10`. */
  ratio?: string | undefined
}

export interface BarChart {
  title: string
  /** What is compared, and which direction is better. */
  subtitle: string
  unit: string
  bars: Bar[]
  /** A line to stay below, or above. */
  limit?: { value: number; label: string }
}

const width = 780
const labelWidth = 190
const noteWidth = 250
const rowHeight = 34
const top = 66
const plotWidth = width - labelWidth - noteWidth

const style = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; stroke: #ffffff; stroke-width: 3px; paint-order: stroke }
  .paper { fill: #ffffff } .title { font-size: 16px; font-weight: 600 } .quiet { fill: #59636e }
  .ours { fill: #11764f } .other { fill: #9aa4ae } .mark { stroke: #1f2328 } .limit { stroke: #b3261e; stroke-dasharray: 4 3 } .limit-text { fill: #b3261e }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; stroke: #0d1117 } .paper { fill: #0d1117 } .quiet { fill: #9aa4ae }
    .ours { fill: #3fb98a } .other { fill: #5b6570 } .mark { stroke: #e6edf3 } .limit { stroke: #ff8a80 } .limit-text { fill: #ff8a80 }
  }`

export function barChart(chart: BarChart): string {
  const bars = chart.bars.filter((bar) => bar.value !== undefined)
  const largest = Math.max(...bars.map((bar) => bar.value?.max ?? 0), chart.limit?.value ?? 0)
  const x = (value: number) => fixed(labelWidth + (value / largest) * plotWidth)
  const bottom = top + bars.length * rowHeight
  const height = bottom + (chart.limit ? 26 : 10)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(chart.title)}</title>`,
    `<desc id="desc">${escaped(inWords(chart, bars))}</desc>`,
    `<style>${style}\n</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="6"/>`,
    `<text class="title" x="16" y="26">${escaped(chart.title)}</text>`,
    `<text class="quiet" x="16" y="46">${escaped(chart.subtitle)}</text>`,
    // The line first: what is written goes over it.
    ...limitLines(chart, bottom, x),
    ...bars.flatMap((bar, row) => barLines(bar, chart.unit, top + row * rowHeight, x)),
    '</svg>\n',
  ].join('\n')
}

function barLines(bar: Bar, unit: string, y: number, x: (value: number) => string): string[] {
  const { median, min, max } = bar.value ?? { median: 0, min: 0, max: 0 }
  const middle = y + rowHeight / 2
  const note = [`${numberText(median)} ${unit}`, bar.ratio].filter(Boolean).join(', ')
  return [
    `<text x="${labelWidth - 10}" y="${middle + 4}" text-anchor="end">${escaped(bar.label)}</text>`,
    `<rect class="${bar.isOurs ? 'ours' : 'other'}" x="${labelWidth}" y="${y + 6}" width="${fixed(Number(x(median)) - labelWidth)}" height="${rowHeight - 12}" rx="2"/>`,
    ...(max > min
      ? [
          `<path class="mark" d="M${x(min)} ${middle}H${x(max)}M${x(min)} ${middle - 4}v8M${x(max)} ${middle - 4}v8"/>`,
        ]
      : []),
    `<text x="${fixed(Number(x(max)) + 8)}" y="${middle + 4}">${escaped(note)}</text>`,
  ]
}

function limitLines({ limit, unit }: BarChart, bottom: number, x: (value: number) => string) {
  if (!limit) return []
  const text = `${limit.label} ${numberText(limit.value)} ${unit}`
  return [
    `<path class="limit" d="M${x(limit.value)} ${top - 4}V${bottom + 4}"/>`,
    `<text class="limit-text" x="${x(limit.value)}" y="${bottom + 18}" text-anchor="middle">${escaped(text)}</text>`,
  ]
}

/** For who does not see it. */
function inWords({ subtitle, unit, limit }: BarChart, bars: Bar[]): string {
  const told = bars.map(({ label, value, ratio }) => {
    const spread =
      value && value.max > value.min
        ? `, between ${numberText(value.min)} and ${numberText(value.max)}`
        : ''
    return `${label}: ${numberText(value?.median ?? 0)} ${unit}${spread}${ratio ? ` (${ratio})` : ''}`
  })
  const line = limit ? [`${limit.label}: ${numberText(limit.value)} ${unit}`] : []
  return `${subtitle}. ${[...told, ...line].join('; ')}.`
}

/** 12345.6 → 12 346: thin spaces would be missing from some fonts. */
export function numberText(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Math.round(value * 100) / 100
  return String(rounded).replace(/\B(?=(\d{3})+$)/g, ' ')
}

const fixed = (value: number) => String(Math.round(value * 10) / 10)

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
